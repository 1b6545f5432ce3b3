/** The rows of a gate in this browser: preparing it, judging passes without a connection, and sending their scans. */

import type {
  ChangedPass,
  GateActivity,
  GateDirection,
  GateList,
  PassKey,
  RedemptionResults,
  RefusalReason,
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
import { type GateServer, gateServerOf } from './gate-server.ts'
import type { Token } from './verify-token.ts'

/** A check-in list. Its gates count apart from those of the entrance. */
export interface ListChoice {
  readonly id: number
  readonly name: string
  /** The passes that it admits follow from them. */
  readonly templateIds?: readonly number[]
}

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

/** A check-in list at which this browser has been a gate. */
interface ListRow extends Omit<GateList, 'id' | 'admittedUuids'> {
  readonly userId: number
  readonly activityId: number
  /** The list with the templates that it had: others admit other passes. */
  readonly list: string
  /** Only the passes that are stored with it are admitted. */
  readonly isRestricted: boolean
  readonly until: number
  readonly preparedAt: number
  readonly admitted: number
}

/** A pass that this gate has seen. */
export interface UsesRow {
  readonly userId: number
  readonly activityId: number
  /** On a check-in list followed by its id. */
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
  /** The uuid of the pass, or the whole content if it contains none; on a check-in list followed by its id. */
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
  readonly listId?: number
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

/** Requests are repeated by the gate itself, so that those on a hung network do not pile up. */
const atOnce = () => AbortSignal.timeout(15_000)

/** Milliseconds for which lists of revoked and changed passes are new enough while the server answers. */
const FRESH = 60_000
/** An answer with so many revocations or changes, or admitted passes, may be followed by more. */
const FULL_ANSWER = 5000
const FULL_LIST = 20_000

export class GateStore {
  /** When the last reading of keys and lists began, by the clock of this device; 0 if it has failed. */
  private readAt = 0

  /** Names the list with its templates; empty for the entrance. */
  private readonly list: string

  constructor(
    private readonly server: GateServer,
    private readonly choice?: ListChoice,
  ) {
    this.list = choice === undefined ? '' : JSON.stringify([choice.id, ...(choice.templateIds ?? [])])
  }

  private readonly key = (...rest: readonly string[]): (number | string)[] => {
    const { userId, activityId } = this.server
    return [userId, activityId, ...rest]
  }
  private get ids(): { userId: number; activityId: number } {
    const { userId, activityId } = this.server
    return { userId, activityId }
  }
  private readonly range = (): IDBKeyRange => beginningWith(...this.key())
  /** A pass has uses and nonces of its own on each list. */
  private readonly onList = (pass: string): string => (this.choice === undefined ? pass : `${pass} ${this.choice.id}`)

  async read(): Promise<GateState> {
    return await transact('readonly', async (tx) => {
      const gate = await tx.get<GateRow>('gates', this.key())
      const list = this.list === '' ? gate : await tx.get<ListRow>('lists', this.key(this.list))
      const scans = await tx.entries<ScanRow>(this.server.userId, 'gate', this.server.activityId)
      const refused = scans.filter(({ refusal }) => refusal !== undefined)
      return {
        ...EMPTY,
        ...gate,
        preparedAt: list?.preparedAt ?? 0,
        admitted: list?.admitted ?? 0,
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

  /** Counts a visitor who was let in, or with -1 one who was not. */
  private async count(tx: Transaction, step: 1 | -1): Promise<void> {
    if (this.list === '') return await this.change(tx, (row) => ({ admitted: Math.max(0, row.admitted + step) }))
    const row = await tx.get<ListRow>('lists', this.key(this.list))
    // Without the row the gate is not prepared yet.
    if (row !== undefined) await tx.put('lists', { ...row, admitted: Math.max(0, row.admitted + step) })
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

  /** Reads the keys, and the passes that were revoked or changed since the last time, or that the check-in list admits. @throws ApiError */
  async prepare(): Promise<void> {
    const keys = await this.server.keys(atOnce())
    const { known, row } = await transact('readonly', async (tx) => ({
      known: await tx.get<GateRow>('gates', this.key()),
      row: this.list === '' ? undefined : await tx.get<ListRow>('lists', this.key(this.list)),
    }))
    let since = known?.activity === undefined ? 0 : this.list === '' ? known.until : (row?.until ?? 0)
    for (;;) {
      const query = { since, ...(this.choice && { listId: this.choice.id }) }
      const answer = await this.server.revocations(query, atOnce())
      const { until, activity, list } = answer
      const isLast =
        answer.revoked.length < FULL_ANSWER &&
        answer.changed.length < FULL_ANSWER &&
        (list?.admittedUuids?.length ?? 0) < FULL_LIST
      const prepared = isLast ? { preparedAt: serverTime() } : {}
      await transact('readwrite', async (tx) => {
        for (const { uuid } of answer.revoked) await tx.put('revoked', { ...this.ids, uuid })
        for (const pass of answer.changed) await tx.put('changed', { ...this.ids, ...pass })
        await this.change(tx, (gate) => ({
          until: Math.max(gate.until, until),
          activity,
          ...prepared,
          ...(isLast && { keys }),
        }))
        if (list) await this.keepList(tx, list, { until, ...prepared })
      })
      since = until
      if (isLast) return
    }
  }

  private async keepList(
    tx: Transaction,
    { admittedUuids, opensAt, closesAt, maxUses, requiresEntry }: GateList,
    times: { readonly until: number; readonly preparedAt?: number },
  ): Promise<void> {
    for (const uuid of admittedUuids ?? []) await tx.put('admitted', { ...this.ids, list: this.list, uuid })
    const row = await tx.get<ListRow>('lists', this.key(this.list))
    const rules = { opensAt, closesAt, maxUses, requiresEntry, isRestricted: admittedUuids !== null }
    await tx.put('lists', {
      admitted: 0,
      preparedAt: 0,
      ...row,
      ...this.ids,
      list: this.list,
      ...rules,
      ...times,
    } satisfies ListRow)
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
      const known = await tx.get<NonceRow>('nonces', this.key(direction, this.onList(pass)))
      if (known !== undefined) return known.nonce
      const nonce = newNonce()
      await tx.put('nonces', { ...this.ids, direction, pass: this.onList(pass), nonce })
      return nonce
    })
  }

  /** The scan was answered, so that the next one of this pass is another scan. */
  async forgetNonce(pass: string, direction: GateDirection): Promise<void> {
    await transact('readwrite', (tx) => tx.delete('nonces', this.key(direction, this.onList(pass))))
  }

  /**
   * Keeps the uses of a pass for the time without a connection. Returns those that were kept before.
   *
   * @param left entries that the pass has at the entrance. The server does not tell those of a list, so this gate counts them itself
   */
  async remember(
    uuid: string,
    { left, isValid, direction }: { left: number | null; isValid: boolean; direction: GateDirection },
  ): Promise<UsesRow | undefined> {
    return await transact('readwrite', async (tx) => {
      const before = await tx.get<UsesRow>('uses', this.key(this.onList(uuid)))
      const list = await this.ruleOf(tx)
      const hasLeft = direction === 'EXIT'
      const counted = isValid ? usesAfter(before, direction, list?.maxUses) : { left: 0, hasLeft }
      const uses = this.choice === undefined ? { left, hasLeft } : (counted ?? { left: 0, hasLeft })
      await tx.put('uses', { ...this.ids, uuid: this.onList(uuid), ...uses })
      if (isValid && direction === 'ENTRY') await this.count(tx, 1)
      return before
    })
  }

  private readonly ruleOf = async (tx: Transaction): Promise<ListRow | undefined> =>
    this.list === '' ? undefined : await tx.get<ListRow>('lists', this.key(this.list))

  /** After a use of the pass was undone: `before` are the uses that were kept before it. */
  async restore(uuid: string, before: UsesRow | undefined, wasAdmitted: boolean): Promise<void> {
    await transact('readwrite', async (tx) => {
      if (before === undefined) await tx.delete('uses', this.key(this.onList(uuid)))
      else await tx.put('uses', before)
      if (wasAdmitted) await this.count(tx, -1)
    })
  }

  /** Takes an entry of a pass without the server and keeps the scan, in one transaction: another tab may be scanning the same pass. */
  async pass({ uuid, content, nonce, direction }: Passage): Promise<RefusalReason | null> {
    const reason = await transact('readwrite', async (tx) => {
      if ((await tx.get('revoked', this.key(uuid))) !== undefined) return 'REVOKED'
      const list = await this.ruleOf(tx)
      const known = await tx.get<UsesRow>('uses', this.key(this.onList(uuid)))
      const after = usesAfter(known, direction, list?.maxUses)
      if (after === undefined) return 'USED'
      const usedAt = serverTime()
      const refusal = list && (await this.refusalOfList(tx, list, uuid, usedAt))
      if (refusal) return refusal
      await tx.put('uses', { ...this.ids, uuid: this.onList(uuid), ...after })
      if (direction === 'ENTRY') await this.count(tx, 1)
      const body: ScanBody = { content, nonce, direction, usedAt, ...(this.choice && { listId: this.choice.id }) }
      const { userId, activityId } = this.server
      await addEntry(tx, { userId, kind: 'gate', subject: activityId, body })
      // The server may have counted the scan, and its answer was lost. The upload has the same nonce.
      await tx.delete('nonces', this.key(direction, this.onList(uuid)))
      return null
    })
    if (reason === null) await countUnsent()
    return reason
  }

  /** Whether the pass has entered the activity is not known here. */
  private async refusalOfList(
    tx: Transaction,
    { opensAt, closesAt, isRestricted }: ListRow,
    uuid: string,
    at: number,
  ): Promise<RefusalReason | undefined> {
    if (isRestricted && (await tx.get('admitted', this.key(this.list, uuid))) === undefined) return 'NOT_ON_LIST'
    return (opensAt !== null && at < opensAt) || (closesAt !== null && at > closesAt) ? 'LIST_CLOSED' : undefined
  }

  /** Sends the scans that were made without a connection. @throws ApiError if the server cannot be reached */
  readonly send = (): Promise<void> => sendSubject(this.server.userId, 'gate', this.server.activityId)

  /** Sends the scans that were refused once more. @throws ApiError */
  async sendRefused(): Promise<void> {
    await resetRefused(this.server.userId, 'gate', this.server.activityId)
    await this.send()
  }

  readonly discardRefused = (): Promise<void> => discardRefused(this.server.userId, 'gate', this.server.activityId)

  /** Sends these scans. Those that the server has already change nothing. @throws ApiError */
  async upload(scans: readonly ScanRow[]): Promise<(tx: Transaction) => Promise<void>> {
    const items = scans.map(({ body }) => body)
    const { items: outcomes } = await this.server.redeem(items, atOnce())
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
  return await new GateStore(gateServerOf(userId, subject)).upload(scans as readonly ScanRow[])
}

/** The entries of a pass after one more passage; undefined if it has none left, or has left already. */
function usesAfter(
  known: UsesRow | undefined,
  direction: GateDirection,
  maxUses = 1,
): Pick<UsesRow, 'left' | 'hasLeft'> | undefined {
  if (direction === 'EXIT') return known?.hasLeft ? undefined : { left: known ? known.left : 0, hasLeft: true }
  // The code does not say how many entries it has: a pass that this gate does not know gets one, or those of the list.
  if (known === undefined) return { left: maxUses === 0 ? null : maxUses - 1, hasLeft: false }
  // The next entry after an exit is free.
  if (known.hasLeft || known.left === null) return { left: known.left, hasLeft: false }
  return known.left === 0 ? undefined : { left: known.left - 1, hasLeft: false }
}

export const newNonce = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-')
