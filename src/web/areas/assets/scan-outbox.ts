/** Scans of a stock-taking: kept in the outbox before they are sent, since storerooms often have no connection. */

import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react'

import { callWith } from '../../api/client.ts'
import { isAway, onConnection } from '../../api/connection.ts'
import { ApiError } from '../../api/errors.ts'
import { useRefresh } from '../../api/hooks.ts'
import { newId } from '../../api/new-id.ts'
import type { AssetCondition, InventoryScan as Scan } from '../../api/types.ts'
import { transact } from '../../browser/database.ts'
import {
  addEntry,
  countUnsent,
  discardRefused,
  type Entry,
  onOutbox,
  readEntries,
  resetRefused,
  sendSubject,
} from '../../session/outbox.ts'
import { useSession } from '../../session/session.ts'

export interface ScanBody {
  readonly code: string
  readonly note: string
  readonly locationId?: number
  readonly condition?: AssetCondition
  readonly photoFileId?: number
}

/** The input of the operation. The workspace belongs to it, since another one may be chosen when it is sent. */
interface ScanInput {
  readonly query: { readonly orgId?: number }
  readonly body: ScanBody
}

/** An answer to a scan of this page. */
export interface Answered {
  readonly key: string
  readonly code: string
  readonly scan?: Scan
  readonly error?: unknown
}

/** Answers that stay on the screen, newest first. */
const SHOWN = 3
/** Milliseconds. The server counts a repeated scan once. */
const PATIENCE = 15_000

/** Called with the answers to scans of this page, by the ids of their entries. */
const answers = new Map<number, (scan: Scan) => void>()

const send = async (id: number, input: ScanInput): Promise<Scan> =>
  (await callWith(
    'inventories.scan',
    { params: { id }, ...input },
    { waitsForSignIn: false, signal: AbortSignal.timeout(PATIENCE) },
  )) as Scan

const sendAtOnce = (id: number, input: ScanInput): Promise<Pick<Answered, 'scan' | 'error'>> =>
  send(id, input).then(
    (scan) => ({ scan }),
    (error: unknown) => ({ error }),
  )

/** Sends one entry of the outbox. @throws ApiError */
export async function sendScan([entry]: readonly Entry[]): Promise<undefined> {
  const { id, subject, body } = entry as Entry<ScanInput>
  const scan = await send(subject, body)
  answers.get(id!)?.(scan)
  answers.delete(id!)
}

export interface ScanOutbox {
  /** Scans that were not sent yet, in their order. */
  readonly waiting: readonly Entry<ScanInput>[]
  /** Whether the server could not be reached. */
  readonly isLost: boolean
  readonly refused: readonly Entry<ScanInput>[]
  readonly answered: readonly Answered[]
  /** `onRefused` is called if the server does not take it. */
  readonly add: (input: ScanInput, onRefused: () => void) => void
  readonly sendRefused: () => void
  /** One of the refused, or an answer. */
  readonly discard: (id: number) => void
}

export function useScanOutbox(inventoryId: number): ScanOutbox {
  const { user } = useSession()
  const refresh = useRefresh()
  const [entries, setEntries] = useState<readonly Entry<ScanInput>[]>([])
  const [answered, setAnswered] = useState<readonly Answered[]>([])
  const [isLost, setLost] = useState(false)
  // They may be those of an earlier visit.
  const away = useSyncExternalStore(onConnection, isAway)
  const restores = useRef(new Map<number, () => void>())
  /** Scans wait, so that the numbers of the stock-taking will change. */
  const isChanging = useRef(false)
  const latest = useRef(refresh)
  useEffect(() => {
    latest.current = refresh
  })

  const read = useCallback(async () => {
    const next = await readEntries<ScanInput>(user.id, 'inventory', inventoryId).catch(() => [])
    for (const { id, refusal } of next)
      if (refusal !== undefined) {
        restores.current.get(id!)?.()
        restores.current.delete(id!)
      }
    setEntries(next)
    const isWaiting = next.some(({ refusal }) => refusal === undefined)
    // Others may have sent them: another tab, or the repetition in the background.
    if (!isWaiting) setLost(false)
    // Once for all that were sent, and not after each.
    if (!isWaiting && isChanging.current) void latest.current('inventories')
    isChanging.current = isWaiting
  }, [user.id, inventoryId])
  useEffect(() => {
    // Entries of an earlier visit.
    onSubject()
    return onOutbox(onSubject)
    function onSubject() {
      void read()
    }
  }, [read])

  const flush = async () => {
    try {
      await sendSubject(user.id, 'inventory', inventoryId)
    } catch {
      setLost(true)
    }
    await read()
  }
  const show = (code: string, part: Pick<Answered, 'scan' | 'error'>) =>
    setAnswered((now) => [{ key: newId(), code, ...part }, ...now].slice(0, SHOWN))
  const add = async (input: ScanInput, onRefused: () => void) => {
    const { code } = input.body
    try {
      const entry: Entry = { userId: user.id, kind: 'inventory', subject: inventoryId, body: input }
      const id = (await transact('readwrite', (tx) => addEntry(tx, entry))) as number
      isChanging.current = true
      answers.set(id, (scan) => show(code, { scan }))
      restores.current.set(id, onRefused)
    } catch {
      // This browser keeps nothing, as in some private windows: it works with a connection only.
      const answer = await sendAtOnce(inventoryId, input)
      if ('error' in answer) onRefused()
      show(code, answer)
      void latest.current('inventories')
      return
    }
    await countUnsent()
    await flush()
  }
  return {
    waiting: entries.filter(({ refusal }) => refusal === undefined),
    isLost: isLost || away,
    refused: entries.filter(({ refusal }) => refusal !== undefined),
    answered,
    add: (input, onRefused) => void add(input, onRefused),
    sendRefused: () => void resetRefused(user.id, 'inventory', inventoryId).then(flush),
    discard: (id) => void discardRefused(user.id, 'inventory', inventoryId, id),
  }
}

/** The error of an entry that was refused. */
export const refusalOf = ({ refusal = '', status = 0 }: Entry): ApiError => new ApiError(status, status, refusal)
