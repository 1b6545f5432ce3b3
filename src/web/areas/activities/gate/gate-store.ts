/** The gate of one activity and one user: preparing it, judging passes without a connection, and sending their scans. */

import { callWith } from '../../../api/client.ts'
import { ApiError } from '../../../api/errors.ts'
import type { GateDirection, PassKey, PassKeys, PassRevocations, RedemptionResults } from '../../../api/types.ts'
import { serverTime } from '../../../browser/server-time.ts'
import { beginningWith, type GateRow, type ScanRow, transact, type Transaction, type UsesRow } from './gate-database.ts'
import { writeUnsent } from './unsent-count.ts'

export interface GateState {
  readonly keys: readonly PassKey[]
  /** Number of revoked passes. */
  readonly revoked: number
  /** When keys and revocations were read; 0 if never. */
  readonly preparedAt: number
  /** Scans that wait to be sent. */
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

/** Requests are repeated by the gate itself, so that those of an expired session do not pile up. */
const AT_ONCE = { waitsForSignIn: false } as const

/** An answer with so many revocations may be followed by more. */
const FULL_ANSWER = 5000
/** Scans in one upload; the server takes 1,000. */
const BATCH = 200

export class GateStore {
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
      const gate = await tx.get('gates', this.key())
      const scans = await tx.scans(this.key())
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
    const row = (await tx.get('gates', this.key())) ?? {
      ...this.ids,
      keys: [],
      until: 0,
      preparedAt: 0,
      admitted: 0,
      doubleUses: 0,
    }
    await tx.put('gates', { ...row, ...part(row) })
  }

  /** Reads the keys, and the passes that were revoked since the last time. @throws ApiError */
  async prepare(): Promise<void> {
    const params = { id: this.activityId }
    const { keys } = (await callWith('passes.keys', { params }, AT_ONCE)) as PassKeys
    let since = await transact('readonly', async (tx) => (await tx.get('gates', this.key()))?.until ?? 0)
    for (;;) {
      const answer = (await callWith('passes.revocations', { params, query: { since } }, AT_ONCE)) as PassRevocations
      const isLast = answer.revoked.length < FULL_ANSWER
      await transact('readwrite', async (tx) => {
        for (const { uuid } of answer.revoked) await tx.put('revoked', { ...this.ids, uuid })
        await this.change(tx, () => ({ until: answer.until, ...(isLast && { keys, preparedAt: serverTime() }) }))
      })
      since = answer.until
      if (isLast) return
    }
  }

  /** The nonce of a scan. As long as an earlier scan of the pass has no answer, it is the same, so that the server counts one use. */
  async nonceOf(pass: string, direction: GateDirection): Promise<string> {
    return await transact('readwrite', async (tx) => {
      const known = await tx.get('nonces', this.key(direction, pass))
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

  /** Keeps what the server knows of a pass, for the time without a connection. */
  async remember(uuid: string, uses: Pick<UsesRow, 'left' | 'hasLeft'>, isAdmitted: boolean): Promise<void> {
    await transact('readwrite', async (tx) => {
      await tx.put('uses', { ...this.ids, uuid, ...uses })
      if (isAdmitted) await this.change(tx, ({ admitted }) => ({ admitted: admitted + 1 }))
    })
  }

  /** Takes an entry of a pass without the server and keeps the scan, in one transaction: another tab may be scanning the same pass. */
  async pass({ uuid, content, nonce, direction }: Passage): Promise<'REVOKED' | 'USED' | null> {
    const reason = await transact('readwrite', async (tx) => {
      if ((await tx.get('revoked', this.key(uuid))) !== undefined) return 'REVOKED'
      const known = await tx.get('uses', this.key(uuid))
      const after = usesAfter(known, direction)
      if (after === undefined) return 'USED'
      await tx.put('uses', { ...this.ids, uuid, ...after })
      if (direction === 'ENTRY') await this.change(tx, ({ admitted }) => ({ admitted: admitted + 1 }))
      await tx.put('scans', { ...this.ids, content, nonce, direction, usedAt: serverTime() })
      // The server may have counted the scan, and its answer was lost. The upload has the same nonce.
      await tx.delete('nonces', this.key(direction, uuid))
      return null
    })
    if (reason === null) await this.countUnsent()
    return reason
  }

  /**
   * Sends the scans that were made without a connection, in their order. Those that were sent before change nothing. Scans that the server
   * refuses are set aside, so that the others are not held up.
   *
   * @throws ApiError if the server cannot be reached, or takes no scans of this activity
   */
  async send(): Promise<void> {
    // Another tab may be sending them.
    await exclusively(`tessera.gate.${this.userId}.${this.activityId}`, async () => {
      for (;;) {
        const scans = await transact('readonly', (tx) => tx.scans(this.key()))
        const waiting = scans.filter(({ refusal }) => refusal === undefined).slice(0, BATCH)
        if (waiting.length === 0) break
        await this.sendBatch(waiting)
      }
    }).finally(() => this.countUnsent())
  }

  private async sendBatch(scans: readonly ScanRow[]): Promise<void> {
    const items = scans.map(({ content, nonce, usedAt, direction }) => ({ content, nonce, usedAt, direction }))
    try {
      const { items: outcomes } = (await callWith(
        'passes.uploadRedemptions',
        { params: { id: this.activityId }, body: { items } },
        AT_ONCE,
      )) as RedemptionResults
      // A duplicate that was refused as used: its answer was lost, and the visitor got in.
      const isDouble = ({ result, reason }: RedemptionResults['items'][number]) =>
        result === 'DOUBLE_USE' || (result === 'DUPLICATE' && reason === 'USED')
      const found = outcomes.filter(isDouble).length
      await transact('readwrite', async (tx) => {
        for (const { id } of scans) await tx.delete('scans', id!)
        await this.change(tx, ({ doubleUses }) => ({ doubleUses: doubleUses + found }))
      })
    } catch (error) {
      if (!isRefusal(error)) throw error
      if (scans.length > 1 && !isAboutAll(error)) {
        const half = scans.length >> 1
        await this.sendBatch(scans.slice(0, half))
        await this.sendBatch(scans.slice(half))
      } else
        await transact('readwrite', async (tx) => {
          for (const scan of scans) await tx.put('scans', { ...scan, refusal: error.message })
        })
    }
  }

  /** Sends the scans that were refused once more. @throws ApiError */
  async sendRefused(): Promise<void> {
    await transact('readwrite', async (tx) => {
      for (const { refusal, ...scan } of await tx.scans(this.key()))
        if (refusal !== undefined) await tx.put('scans', scan)
    })
    await this.send()
  }

  async discardRefused(): Promise<void> {
    await transact('readwrite', async (tx) => {
      for (const { id, refusal } of await tx.scans(this.key())) if (refusal !== undefined) await tx.delete('scans', id!)
    })
  }

  private async countUnsent(): Promise<void> {
    const scans = await transact('readonly', (tx) => tx.scans(beginningWith(this.userId)))
    writeUnsent(this.userId, scans.filter(({ refusal }) => refusal === undefined).length)
  }
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

/** Sends the scans of all gates of a user. @throws ApiError of the first gate that fails */
export async function sendAll(userId: number): Promise<void> {
  const scans = await transact('readonly', (tx) => tx.scans(beginningWith(userId)))
  const gates = new Set(scans.flatMap(({ activityId, refusal }) => (refusal === undefined ? [activityId] : [])))
  if (gates.size === 0) writeUnsent(userId, 0)
  const results = await Promise.allSettled([...gates].map((activityId) => new GateStore(activityId, userId).send()))
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
}

/** Deletes everything but unsent scans, because the next user of the browser could read it. */
export async function clearGates(): Promise<void> {
  await transact('readwrite', async (tx) => {
    for (const name of ['gates', 'revoked', 'uses', 'nonces'] as const) await tx.clear(name)
  })
}

export const newNonce = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-')

/** Whether the server will not take this request at another time either. After 401, 408 and 429 it may. */
const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && (isAboutAll(error) || [400, 409, 413, 422].includes(error.status))

/** The activity was deleted or disabled, or the user has lost the permission. */
const isAboutAll = ({ status }: ApiError): boolean => status === 403 || status === 404

const exclusively = (name: string, work: () => Promise<void>): Promise<void> =>
  'locks' in navigator ? navigator.locks.request(name, work) : work()
