/** Everything that a gate keeps in the browser, so that it works without a connection and survives a reload: for each activity and user. */

import { callWith } from '../../../api/client.ts'
import type { GateDirection, PassKey, PassKeys, PassRevocations, RedemptionResults } from '../../../api/types.ts'

/** A scan that the server has not got yet. */
export interface QueuedScan {
  readonly content: string
  readonly nonce: string
  /** Epoch milliseconds. */
  readonly usedAt: number
  readonly direction: GateDirection
}

export interface GateState {
  readonly keys: readonly PassKey[]
  readonly revoked: readonly string[]
  /** `since` of the next request for revocations. */
  readonly until: number
  /** When keys and revocations were read; 0 if never. */
  readonly preparedAt: number
  /** Uses that are left of passes which this gate has seen, by uuid; null for unlimited. */
  readonly left: Readonly<Record<string, number | null>>
  readonly queue: readonly QueuedScan[]
  /** Visitors that this gate has let in. */
  readonly admitted: number
  /** Passes that got in at another gate too, which the upload found. */
  readonly doubleUses: number
}

const EMPTY: GateState = {
  keys: [],
  revoked: [],
  until: 0,
  preparedAt: 0,
  left: {},
  queue: [],
  admitted: 0,
  doubleUses: 0,
}

/** An answer with so many revocations may be followed by more. */
const FULL_ANSWER = 5000
/** Scans in one upload; the server takes 1,000. */
const BATCH = 200

export class GateStore {
  private state: GateState
  private readonly key: string
  private readonly listeners = new Set<() => void>()

  constructor(
    private readonly activityId: number,
    userId: number,
  ) {
    this.key = `tessera.gate.${userId}.${activityId}`
    this.state = { ...EMPTY, ...(JSON.parse(localStorage.getItem(this.key) ?? '{}') as Partial<GateState>) }
  }

  readonly get = (): GateState => this.state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  change(part: Partial<GateState>): void {
    this.state = { ...this.state, ...part }
    localStorage.setItem(this.key, JSON.stringify(this.state))
    for (const listener of this.listeners) listener()
  }

  /** Reads the keys, and the passes that were revoked since the last time. @throws ApiError */
  async prepare(): Promise<void> {
    const params = { id: this.activityId }
    const { keys } = (await callWith('passes.keys', { params }, {})) as PassKeys
    const revoked = new Set(this.state.revoked)
    let since = this.state.until
    for (;;) {
      const answer = (await callWith('passes.revocations', { params, query: { since } }, {})) as PassRevocations
      for (const { uuid } of answer.revoked) revoked.add(uuid)
      since = answer.until
      if (answer.revoked.length < FULL_ANSWER) break
    }
    this.change({ keys, revoked: [...revoked], until: since, preparedAt: Date.now() })
  }

  /** Sends the scans that were made without a connection, in their order. Those that were sent before change nothing. @throws ApiError */
  async uploadQueue(): Promise<void> {
    while (this.state.queue.length > 0) {
      const items = this.state.queue.slice(0, BATCH)
      const { items: outcomes } = (await callWith(
        'passes.uploadRedemptions',
        { params: { id: this.activityId }, body: { items } },
        {},
      )) as RedemptionResults
      const sent = new Set(items.map(({ nonce }) => nonce))
      const found = outcomes.filter(({ result }) => result === 'DOUBLE_USE').length
      this.change({
        queue: this.state.queue.filter(({ nonce }) => !sent.has(nonce)),
        doubleUses: this.state.doubleUses + found,
      })
    }
  }
}
