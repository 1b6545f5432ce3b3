/**
 * Which webhooks get an event, from memory: every write of the product asks. Owners without a webhook, which are nearly all, have no entry. A change
 * of a webhook makes the entry of its owner unknown in every process, until it has been read again.
 */

import { LRUCache } from 'lru-cache'

import { type AppContext, perContext } from '#context'
import type { Note } from '#db/notes.ts'
import type { OwnerKey } from '#db/owner-key.ts'
import type { EventType } from '#db/schema/webhooks.ts'
import type { Tx } from '#db/store.ts'
import { getSetting } from '#domains/settings/index.ts'

import { webhooksChanged } from '../webhooks/switching.service.ts'
import { selects, SERVER } from '../webhooks/webhooks.rules.ts'
import { type Subscription, subscriptions } from '../webhooks/webhooks.store.ts'

const MAX_ACTIVITIES = 10_000
const NONE: readonly Subscription[] = []

/** The enabled webhooks of an owner. */
export type WebhooksOf = (owner: OwnerKey) => readonly Subscription[]

class Matching {
  readonly #byOwner = new Map<OwnerKey, readonly Subscription[]>()
  /** Owners whose entries may be wrong, or all of them. */
  #unknown: Set<OwnerKey> | 'all' = 'all'
  /** Raised by each change: what was read before it is not kept. */
  #changes = 0
  #reading: Promise<void> | undefined
  /** Types that any webhook gets; a cache of `#byOwner`. */
  readonly #types = new Map<EventType, boolean>()
  readonly #ownerOfActivity = new LRUCache<number, OwnerKey>({ max: MAX_ACTIVITIES })

  constructor(readonly ctx: AppContext) {
    ctx.bus.on(webhooksChanged, (owners) => this.#forget(owners))
    ctx.bus.onGap(() => this.#forget('all'))
  }

  #forget(owners: readonly OwnerKey[] | 'all'): void {
    this.#changes++
    if (owners === 'all') this.#unknown = 'all'
    else if (this.#unknown !== 'all') for (const owner of owners) this.#unknown.add(owner)
  }

  /** May be true although nobody gets the event. */
  wants({ type, owner, activityId }: Note): boolean {
    if (getSetting(this.ctx, 'webhooks.enabled') === false) return false
    if (this.#unknown === 'all') return true
    const whose = activityId === undefined ? owner : this.#ownerOfActivity.get(activityId)
    if (this.#gets(SERVER, type)) return true
    if (whose !== undefined) return this.#gets(whose, type)
    return activityId !== undefined && this.#isGotBySomebody(type)
  }

  /** The same for rows of any owner. */
  wantsAny(type: EventType): boolean {
    return getSetting(this.ctx, 'webhooks.enabled') !== false && this.#isGotBySomebody(type)
  }

  #gets(owner: OwnerKey, type: EventType): boolean {
    if (!this.#isKnown() && this.#isUnknown(owner)) return true
    return this.#byOwner.get(owner)?.some((webhook) => isFor(webhook, type)) ?? false
  }

  #isGotBySomebody(type: EventType): boolean {
    if (!this.#isKnown()) return true
    let isGot = this.#types.get(type)
    if (isGot === undefined) {
      isGot = this.#byOwner.values().some((list) => list.some((webhook) => isFor(webhook, type)))
      this.#types.set(type, isGot)
    }
    return isGot
  }

  noteActivities(owners: ReadonlyMap<number, OwnerKey>): void {
    for (const [id, owner] of owners) this.#ownerOfActivity.set(id, owner)
  }

  /** Undefined if the webhooks of some owners must be read first, because one was changed. */
  get known(): WebhooksOf | undefined {
    return this.#isKnown() ? this.#ofOwner : undefined
  }

  readonly #ofOwner: WebhooksOf = (owner) => this.#byOwner.get(owner) ?? NONE

  /** Reads the webhooks of these owners and of the server as the write sees them. */
  async read(tx: Tx, owners: readonly OwnerKey[]): Promise<WebhooksOf> {
    const unknown = [...new Set([SERVER, ...owners])].filter((one) => this.#isUnknown(one))
    const rows = Map.groupBy(await subscriptions(tx, unknown), ({ owner }) => owner)
    tx.afterCommit(() => void this.refresh())
    const read = new Map(unknown.map((owner) => [owner, rows.get(owner) ?? NONE]))
    return (owner) => read.get(owner) ?? this.#ofOwner(owner)
  }

  #isKnown(): boolean {
    return this.#unknown !== 'all' && this.#unknown.size === 0
  }

  #isUnknown(owner: OwnerKey): boolean {
    return this.#unknown === 'all' || this.#unknown.has(owner)
  }

  /** Not from a write, which may see rows of a time before the change. */
  refresh(): Promise<void> {
    return (this.#reading ??= this.#read()
      .catch((error: unknown) => this.ctx.log.warn('the webhooks could not be read', { error }))
      .finally(() => (this.#reading = undefined)))
  }

  async #read(): Promise<void> {
    const changes = this.#changes
    const asked = this.#unknown === 'all' ? undefined : [...this.#unknown]
    const rows = await subscriptions(this.ctx.db.read, asked)
    if (changes !== this.#changes) return
    if (asked === undefined) this.#byOwner.clear()
    else for (const owner of asked) this.#byOwner.delete(owner)
    for (const [owner, list] of Map.groupBy(rows, (row) => row.owner)) this.#byOwner.set(owner, list)
    this.#types.clear()
    this.#unknown = new Set()
  }
}

const isFor = ({ events }: Subscription, type: EventType): boolean => events.some((pattern) => selects(pattern, type))

/** Those of these webhooks that get events of the type; nearly always all. */
export const thatGet = (list: readonly Subscription[], type: EventType): readonly Subscription[] =>
  list.every((webhook) => isFor(webhook, type)) ? list : list.filter((webhook) => isFor(webhook, type))

export const matchingOf = perContext((ctx) => new Matching(ctx))
