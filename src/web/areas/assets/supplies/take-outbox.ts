/** Movements that users book by themselves: kept in the outbox before they are sent, since storerooms often have no connection. */

import { useCallback, useEffect, useState, useSyncExternalStore } from 'react'

import { callWith } from '../../../api/client.ts'
import { isAway, onConnection } from '../../../api/connection.ts'
import { useRefresh } from '../../../api/hooks.ts'
import type { BodyOf, SupplyMovement } from '../../../api/types.ts'
import { transact } from '../../../browser/database.ts'
import {
  addEntry,
  countUnsent,
  discardRefused,
  type Entry,
  onOutbox,
  readEntries,
  sendSubject,
} from '../../../session/outbox.ts'
import { useSession } from '../../../session/session.ts'

/** The input of the operation. The workspace belongs to it, since another one may be chosen when it is sent. */
interface TakeInput {
  readonly query: { readonly orgId?: number }
  /** With a `requestId`, so that a repetition books nothing twice. */
  readonly body: BodyOf<'supplies.move'>
}

/** Milliseconds. */
const PATIENCE = 15_000

/** Called with the movement of an entry of this page, by the id of the entry. */
const answers = new Map<number, (movement: SupplyMovement) => void>()

const send = async (id: number, input: TakeInput): Promise<SupplyMovement> =>
  (await callWith(
    'supplies.move',
    { params: { id }, ...input },
    { waitsForSignIn: false, signal: AbortSignal.timeout(PATIENCE) },
  )) as SupplyMovement

/** Sends one entry of the outbox. @throws ApiError */
export async function sendTake([entry]: readonly Entry[]): Promise<undefined> {
  const { id, subject, body } = entry as Entry<TakeInput>
  const movement = await send(subject, body)
  answers.get(id!)?.(movement)
  answers.delete(id!)
}

export interface TakeOutbox {
  /** Entries that were not sent yet. */
  readonly waiting: number
  /** Whether the server could not be reached. */
  readonly isLost: boolean
  readonly refused: readonly Entry<TakeInput>[]
  /** The last movement of this page. */
  readonly booked: SupplyMovement | undefined
  /** Of a browser that keeps nothing. */
  readonly error: unknown
  readonly add: (input: TakeInput) => void
  readonly discard: (id: number) => void
}

export function useTakeOutbox(supplyId: number): TakeOutbox {
  const { user } = useSession()
  const refresh = useRefresh()
  const [entries, setEntries] = useState<readonly Entry<TakeInput>[]>([])
  const [booked, setBooked] = useState<SupplyMovement>()
  const [error, setError] = useState<unknown>()
  const [isLost, setLost] = useState(false)
  const away = useSyncExternalStore(onConnection, isAway)

  const read = useCallback(async () => {
    const next = await readEntries<TakeInput>(user.id, 'supply', supplyId).catch(() => [])
    setEntries(next)
    // Others may have sent them: another tab, or the repetition in the background.
    if (next.every(({ refusal }) => refusal !== undefined)) setLost(false)
  }, [user.id, supplyId])
  useEffect(() => {
    // Entries of an earlier visit.
    onEntries()
    return onOutbox(onEntries)
    function onEntries() {
      void read()
    }
  }, [read])

  const add = async (input: TakeInput) => {
    setError(undefined)
    setBooked(undefined)
    try {
      const entry: Entry = { userId: user.id, kind: 'supply', subject: supplyId, body: input }
      const id = (await transact('readwrite', (tx) => addEntry(tx, entry))) as number
      answers.set(id, (movement) => {
        setBooked(movement)
        void refresh('supplies')
      })
    } catch {
      // This browser keeps nothing, as in some private windows: it works with a connection only.
      await send(supplyId, input).then(setBooked, setError)
      void refresh('supplies')
      return
    }
    await countUnsent()
    await sendSubject(user.id, 'supply', supplyId).catch(() => setLost(true))
    await read()
  }
  return {
    waiting: entries.filter(({ refusal }) => refusal === undefined).length,
    isLost: isLost || away,
    refused: entries.filter(({ refusal }) => refusal !== undefined),
    booked,
    error,
    add: (input) => void add(input),
    discard: (id) => void discardRefused(user.id, 'supply', supplyId, id),
  }
}
