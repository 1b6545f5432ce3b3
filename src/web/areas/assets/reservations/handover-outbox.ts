/** Scans that hand things out or take them back: kept in the outbox before they are sent, and judged by the server when they are. */

import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react'

import { callWith } from '../../../api/client.ts'
import { isAway, onConnection } from '../../../api/connection.ts'
import { ApiError } from '../../../api/errors.ts'
import { useRefresh } from '../../../api/hooks.ts'
import type { DataOf } from '../../../api/types.ts'
import { transact } from '../../../browser/database.ts'
import { currentLocale } from '../../../i18n/locale.ts'
import {
  addEntry,
  countUnsent,
  discardRefused,
  type Entry,
  onOutbox,
  readEntries,
  resetRefused,
  sendSubject,
} from '../../../session/outbox.ts'
import { useSession } from '../../../session/session.ts'
import type { HandoverAction } from './HandoverDialog.tsx'
import { isGoodResult, resultWords } from './results.ts'
import { REFRESHED } from './words.ts'

type Handed = DataOf<'assetReservations.pickUp'>

/** A scan, as it is kept. */
export interface Handover {
  readonly action: HandoverAction
  readonly reservationId: number
  readonly orgId: number
  readonly code: string
  /** The thing and the person, as the page knew them. */
  readonly label: string
}

export interface Judged {
  readonly scan: Handover
  /** The reservation after it, with the result. */
  readonly handed?: Handed
  readonly error?: unknown
}

/** Milliseconds. */
const PATIENCE = 15_000

/** Milliseconds after which the keeper goes on without the result. */
const SOON = 5_000

/** Called with the results of scans that a keeper waits for, by the ids of their entries. */
const listeners = new Map<number, (judged: Judged) => void>()

const send = async ({ action, reservationId, orgId, code }: Handover): Promise<Handed> =>
  (await callWith(
    action === 'pickUp' ? 'assetReservations.pickUp' : 'assetReservations.return',
    { params: { id: reservationId }, query: { orgId }, body: { codes: [code] } },
    { waitsForSignIn: false, signal: AbortSignal.timeout(PATIENCE) },
  )) as Handed

/** Sends one entry of the outbox. @throws ApiError, also for a bad result that no page shows */
export async function sendHandover([entry]: readonly Entry[]): Promise<undefined> {
  const { id, body: scan } = entry as Entry<Handover>
  const handed = await send(scan)
  const listener = listeners.get(id!)
  listeners.delete(id!)
  if (listener !== undefined) {
    listener({ scan, handed })
    return
  }
  const result = handed.results[0]?.result
  // Nobody waits for it: it is set aside until a keeper has seen it.
  if (result !== undefined && !isGoodResult(result)) throw new ApiError(400, 400, resultWords[currentLocale()][result])
}

export interface HandoverOutbox {
  /** Scans that were not sent yet, in their order. */
  readonly waiting: readonly Entry<Handover>[]
  readonly refused: readonly Entry<Handover>[]
  /** Whether the server could not be reached. */
  readonly isLost: boolean
  readonly add: (scan: Handover) => void
  readonly sendRefused: () => void
  readonly discard: (id: number) => void
}

/** The entries of this browser, and those whose result the keeper waits for. */
function useEntries(orgId: number, onJudged: (judged: Judged) => void) {
  const { user } = useSession()
  const refresh = useRefresh()
  const [entries, setEntries] = useState<readonly Entry<Handover>[]>([])
  const [isLost, setLost] = useState(false)
  /** Those whose result the keeper waits for. */
  const own = useRef(new Map<number, Handover>())
  /** Scans wait, so that the lists of the page will change. */
  const isChanging = useRef(false)
  const latest = useRef({ refresh, onJudged })
  useEffect(() => {
    latest.current = { refresh, onJudged }
  })
  // From then on, bad results are set aside.
  useEffect(() => {
    const { current } = own
    return () => current.forEach((_, id) => listeners.delete(id))
  }, [])

  const read = useCallback(async () => {
    const next = await readEntries<Handover>(user.id, 'handover', orgId).catch(() => [])
    for (const { id, refusal, status = 400, body: scan } of next)
      if (refusal !== undefined && own.current.delete(id!)) {
        listeners.delete(id!)
        latest.current.onJudged({ scan, error: new ApiError(status, status, refusal) })
        // It was shown.
        await discardRefused(user.id, 'handover', orgId, id)
      }
    setEntries(next)
    const isWaiting = next.some(({ refusal }) => refusal === undefined)
    if (!isWaiting) setLost(false)
    // Once for all that were sent, and not after each.
    if (!isWaiting && isChanging.current) void latest.current.refresh(...REFRESHED)
    isChanging.current = isWaiting
  }, [user.id, orgId])
  useEffect(() => {
    onEntries()
    return onOutbox(onEntries)
    function onEntries() {
      void read()
    }
  }, [read])
  const expectChange = () => {
    isChanging.current = true
  }
  return { entries, isLost, setLost, own, expectChange, latest, read }
}

/**
 * `onJudged` is called with the result of a scan, or with neither result nor error if the server does not answer soon. A bad result that comes
 * later is among the refused.
 */
export function useHandoverOutbox(orgId: number, onJudged: (judged: Judged) => void): HandoverOutbox {
  const { user } = useSession()
  const { entries, isLost, setLost, own, expectChange, latest, read } = useEntries(orgId, onJudged)
  const away = useSyncExternalStore(onConnection, isAway)
  const flush = async () => {
    try {
      await sendSubject(user.id, 'handover', orgId)
    } catch {
      setLost(true)
    }
    await read()
  }
  const add = async (scan: Handover) => {
    expectChange()
    let id: number
    try {
      const entry: Entry = { userId: user.id, kind: 'handover', subject: orgId, body: scan }
      id = (await transact('readwrite', (tx) => addEntry(tx, entry))) as number
      own.current.set(id, scan)
      listeners.set(id, (judged) => {
        own.current.delete(id)
        latest.current.onJudged(judged)
      })
    } catch {
      // This browser keeps nothing, as in some private windows: it works with a connection only.
      const judged = await send(scan).then(
        (handed) => ({ scan, handed }),
        (error: unknown) => ({ scan, error }),
      )
      latest.current.onJudged(judged)
      void latest.current.refresh(...REFRESHED)
      return
    }
    await countUnsent()
    await Promise.race([flush(), new Promise((resolve) => setTimeout(resolve, SOON))])
    if (!own.current.delete(id)) return
    listeners.delete(id)
    latest.current.onJudged({ scan })
  }
  return {
    waiting: entries.filter(({ refusal }) => refusal === undefined),
    refused: entries.filter(({ refusal }) => refusal !== undefined),
    isLost: isLost || away,
    add: (scan) => void add(scan),
    sendRefused: () => void resetRefused(user.id, 'handover', orgId).then(flush),
    discard: (id) => void discardRefused(user.id, 'handover', orgId, id),
  }
}
