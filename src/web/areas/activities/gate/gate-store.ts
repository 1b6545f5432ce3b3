/** The gate of one activity and one user: preparing it, judging passes without a connection, and sending their scans. */

import { callWith } from '../../../api/client.ts'
import type {
  ChangedPass,
  GateActivity,
  GateDirection,
  PassKey,
  PassKeys,
  PassRevocations,
  RedemptionResults,
} from '../../../api/types.ts'
import { beginningWith, transact, type Transaction } from '../../../browser/database.ts'
import { serverTime } from '../../../browser/server-time.ts'
import {
  addEntry,
  countUnsent,
  discardRefused,
  type Entry,
  resetRefused,
  sendSubject,
} from '../../../session/outbox.ts'
import type { Token } from './verify-token.ts'

/** A gate that has been prepared or has scanned. */
interface GateRow {
  readonly userId: number
  readonly activityId: number
  readonly keys: readonly PassKey[]
  /** `since` of the next request for revocations. */
  readonly until: number
  /** The activity when the lists were read. Undefined if a version of the application read them that knew of revocations only. */
  readonly activity?: GateActivity
  /** When keys and revocations were read; 0 if never. */
  readonly preparedAt: number
  /** Visitors that this browser has let in. */
  readonly admitted: number
  /** Passes that got in at another gate too, which an upload found. */
  readonly doubleUses: number
}

/** A pass that this gate has seen. */
export interface UsesRow {
  readonly userId: number
  readonly activityId: number
  readonly uuid: string
  /** Entries; null for unlimited. */
  readonly left: number | null
  /** Its last passage was an exit. */
  readonly hasLeft: boolean
}

/** The nonce of a scan to which the server has given no answer. */
interface NonceRow {
  readonly userId: number
  readonly activityId: number
  readonly direction: GateDirection
  /** The uuid of the pass, or the whole content if it contains none. */
  readonly pass: string
  readonly nonce: string
}

/** A scan that the server has not got yet: an entry of the outbox. */
interface ScanBody {
  readonly content: string
  readonly nonce: string
  /** Epoch milliseconds. */
  readonly usedAt: number
  readonly direction: GateDirection
}
export type ScanRow = Entry<ScanBody>

export interface GateState {
  readonly keys: readonly PassKey[]
  /** Number of revoked passes. */
  readonly revoked: number
  /** When keys and revocations were read; 0 if never. */
  readonly preparedAt: number
  /** Scans that are waiting to be sent. */
  readonly waiting: number
  /** Scans that the server did not take. */
  readonly refused: readonly ScanRow[]
  readonly admitted: number
  readonly doubleUses: number
}

export const EMPTY: GateState = {
  keys: [],
  revoked: 0,
  preparedAt: 0,
  waiting: 0,
  refused: [],
  admitted: 0,
  doubleUses: 0,
}

/** A pass of which the signature and the times have been checked. */
export interface Passage {
  readonly uuid: string
  readonly content: string
  readonly nonce: string
  readonly direction: GateDirection
}

/** Requests are repeated by the gate itself, so that those of an expired session or on a hung network do not pile up. */
const atOnce = () => ({ waitsForSignIn: false, signal: AbortSignal.timeout(15_000) })

/** Milliseconds for which lists of revoked and changed passes are new enough while the server answers. */
const FRESH = 60_000
/** An answer with so many revocations or changes may be followed by more. */
const FULL_ANSWER = 5000

export class GateStore {
  /** When the last reading of keys and lists began, by the clock of this device; 0 if it has failed. */
  private readAt = 0

  constructor(
    private readonly activityId: number,
    private readonly userId: number,
  ) {}

  private readonly key = (...rest: readonly string[]): (number | string)[] => [this.userId, this.activityId, ...rest]
  private get ids(): { userId: number; activityId: number } {
    return { userId: this.userId, activityId: this.activityId }
  }
  private readonly range = (): IDBKeyRange => beginningWith(this.userId, this.activityId)

  async read(): Promise<GateState> {
    return await transact('readonly', async (tx) => {
      const gate = await tx.get<GateRow>('gates', this.key())
      const scans = await tx.entries<ScanRow>(this.userId, 'gate', this.activityId)
      const refused = scans.filter(({ refusal }) => refusal !== undefined)
      return {
        ...EMPTY,
        ...gate,
        revoked: await tx.count('revoked', this.range()),
        waiting: scans.length - refused.length,
        refused,
      }
    })
  }

  private async change(tx: Transaction, part: (row: GateRow) => Partial<GateRow>): Promise<void> {
    const row = (await tx.get<GateRow>('gates', this.key())) ?? {
      ...this.ids,
      keys: [],
      until: 0,
      preparedAt: 0,
      admitted: 0,
      doubleUses: 0,
    }
    await tx.put('gates', { ...row, ...part(row) })
  }

  /** Reads keys and lists, unless they are new enough and `isNeeded` is false. @throws ApiError */
  async keepFresh(isNeeded: boolean): Promise<void> {
    if (!isNeeded && Date.now() - this.readAt < FRESH) return
    this.readAt = Date.now()
    try {
      await this.prepare()
    } catch (error) {
      this.readAt = 0
      throw error
    }
  }

  /** Keys and lists are not new enough from now on. */
  expire(): void {
    this.readAt = 0
  }

  /** Reads the keys, and the passes that were revoked or changed since the last time. @throws ApiError */
  async prepare(): Promise<void> {
    const params = { id: this.activityId }
    const { keys } = (await callWith('passes.keys', { params }, atOnce())) as PassKeys
    const known = await transact('readonly', (tx) => tx.get<GateRow>('gates', this.key()))
    let since = known?.activity === undefined ? 0 : known.until
    for (;;) {
      const answer = (await callWith('passes.revocations', { params, query: { since } }, atOnce())) as PassRevocations
      const isLast = answer.revoked.length < FULL_ANSWER && answer.changed.length < FULL_ANSWER
      await transact('readwrite', async (tx) => {
        for (const { uuid } of answer.revoked) await tx.put('revoked', { ...this.ids, uuid })
        for (const pass of answer.changed) await tx.put('changed', { ...this.ids, ...pass })
        const { until, activity } = answer
        await this.change(tx, () => ({ until, activity, ...(isLast && { keys, preparedAt: serverTime() }) }))
      })
      since = answer.until
      if (isLast) return
    }
  }

  /** When a pass is valid by the newest list: its changed times, else the end of the activity if its code has none, else the times of the code. */
  async timesOf({ uuid, validFrom, validTo }: Token): Promise<Pick<Token, 'validFrom' | 'validTo'>> {
    return await transact('readonly', async (tx) => {
      const gate = await tx.get<GateRow>('gates', this.key())
      const changed = await tx.get<ChangedPass>('changed', this.key(uuid))
      const times = changed ?? { validFrom, validTo, followsActivity: validTo === null }
      const end = times.followsActivity ? (gate?.activity?.endTime ?? times.validTo) : times.validTo
      return { validFrom: times.validFrom, validTo: end }
    })
  }

  /** The nonce of a scan. As long as an earlier scan of the pass has no answer, it is the same, so that the server counts one use. */
  async nonceOf(pass: string, direction: GateDirection): Promise<string> {
    return await transact('readwrite', async (tx) => {
      const known = await tx.get<NonceRow>('nonces', this.key(direction, pass))
      if (known !== undefined) return known.nonce
      const nonce = newNonce()
      await tx.put('nonces', { ...this.ids, direction, pass, nonce })
      return nonce
    })
  }

  /** The scan was answered, so that the next one of this pass is another scan. */
  async forgetNonce(pass: string, direction: GateDirection): Promise<void> {
    await transact('readwrite', (tx) => tx.delete('nonces', this.key(direction, pass)))
  }

  /** Keeps the uses of a pass for the time without a connection. Returns those that were kept before. */
  async remember(
    uuid: string,
    uses: Pick<UsesRow, 'left' | 'hasLeft'>,
    isAdmitted: boolean,
  ): Promise<UsesRow | undefined> {
    return await transact('readwrite', async (tx) => {
      const before = await tx.get<UsesRow>('uses', this.key(uuid))
      await tx.put('uses', { ...this.ids, uuid, ...uses })
      if (isAdmitted) await this.change(tx, ({ admitted }) => ({ admitted: admitted + 1 }))
      return before
    })
  }

  /** After a use of the pass was undone: `before` are the uses that were kept before it. */
  async restore(uuid: string, before: UsesRow | undefined, wasAdmitted: boolean): Promise<void> {
    await transact('readwrite', async (tx) => {
      if (before === undefined) await tx.delete('uses', this.key(uuid))
      else await tx.put('uses', before)
      if (wasAdmitted) await this.change(tx, ({ admitted }) => ({ admitted: Math.max(0, admitted - 1) }))
    })
  }

  /** Takes an entry of a pass without the server and keeps the scan, in one transaction: another tab may be scanning the same pass. */
  async pass({ uuid, content, nonce, direction }: Passage): Promise<'REVOKED' | 'USED' | null> {
    const reason = await transact('readwrite', async (tx) => {
      if ((await tx.get('revoked', this.key(uuid))) !== undefined) return 'REVOKED'
      const known = await tx.get<UsesRow>('uses', this.key(uuid))
      const after = usesAfter(known, direction)
      if (after === undefined) return 'USED'
      await tx.put('uses', { ...this.ids, uuid, ...after })
      if (direction === 'ENTRY') await this.change(tx, ({ admitted }) => ({ admitted: admitted + 1 }))
      await addEntry(tx, {
        userId: this.userId,
        kind: 'gate',
        subject: this.activityId,
        body: { content, nonce, direction, usedAt: serverTime() } satisfies ScanBody,
      })
      // The server may have counted the scan, and its answer was lost. The upload has the same nonce.
      await tx.delete('nonces', this.key(direction, uuid))
      return null
    })
    if (reason === null) await countUnsent()
    return reason
  }

  /** Sends the scans that were made without a connection. @throws ApiError if the server cannot be reached */
  readonly send = (): Promise<void> => sendSubject(this.userId, 'gate', this.activityId)

  /** Sends the scans that were refused once more. @throws ApiError */
  async sendRefused(): Promise<void> {
    await resetRefused(this.userId, 'gate', this.activityId)
    await this.send()
  }

  readonly discardRefused = (): Promise<void> => discardRefused(this.userId, 'gate', this.activityId)

  /** Sends these scans. Those that the server has already change nothing. @throws ApiError */
  async upload(scans: readonly ScanRow[]): Promise<(tx: Transaction) => Promise<void>> {
    const items = scans.map(({ body }) => body)
    const params = { id: this.activityId }
    const { items: outcomes } = (await callWith(
      'passes.uploadRedemptions',
      { params, body: { items } },
      atOnce(),
    )) as RedemptionResults
    // A duplicate that was refused as used: its answer was lost, and the visitor got in.
    const isDouble = ({ result, reason }: RedemptionResults['items'][number]) =>
      result === 'DOUBLE_USE' || (result === 'DUPLICATE' && reason === 'USED')
    const found = outcomes.filter(isDouble).length
    return (tx) => this.change(tx, ({ doubleUses }) => ({ doubleUses: doubleUses + found }))
  }
}

/** Sends scans of one gate. @throws ApiError */
export async function uploadScans(scans: readonly Entry[]): Promise<(tx: Transaction) => Promise<void>> {
  const [{ subject, userId }] = scans as readonly [Entry]
  return await new GateStore(subject, userId).upload(scans as readonly ScanRow[])
}

/** The entries of a pass after one more passage; undefined if it has none left, or has left already. */
function usesAfter(
  known: UsesRow | undefined,
  direction: GateDirection,
): Pick<UsesRow, 'left' | 'hasLeft'> | undefined {
  if (direction === 'EXIT') return known?.hasLeft ? undefined : { left: known ? known.left : 0, hasLeft: true }
  // The code does not say how many entries it has: a pass that this gate does not know gets one.
  if (known === undefined) return { left: 0, hasLeft: false }
  // The next entry after an exit is free.
  if (known.hasLeft || known.left === null) return { left: known.left, hasLeft: false }
  return known.left === 0 ? undefined : { left: known.left - 1, hasLeft: false }
}

export const newNonce = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-')
