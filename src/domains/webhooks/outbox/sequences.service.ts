/**
 * Makes numbered deliveries of the events in the outbox: in the order of commits, because only committed ones are seen here, and one process at a time
 * does it.
 */

import type { AppContext } from '#context'
import type { Tx, WriteOptions } from '#db/store.ts'

import { switchOff } from '../webhooks/switching.service.ts'
import { MAX_PENDING } from '../webhooks/webhooks.model.ts'
import * as store from './outbox.store.ts'

/** Writes that number events, claim deliveries or record what became of them run one after the other, also over several processes. */
export const IN_ORDER: WriteOptions = { inOrder: 'webhooks' }

const EVENTS_PER_WRITE = 1000

/** Numbers all events that are committed now. */
export async function giveSequences(ctx: AppContext): Promise<void> {
  let isMore = await store.hasNew(ctx.db.read)
  while (isMore) isMore = await ctx.db.write('webhooks.giveSequences', (tx) => giveSome(ctx, tx), IN_ORDER)
}

/** Makes deliveries of committed events, as a part of a write `IN_ORDER`. Returns whether there may be more of them. */
export async function giveSome(ctx: AppContext, tx: Tx): Promise<boolean> {
  const events = await store.newEvents(tx, EVENTS_PER_WRITE)
  const now = ctx.clock.now()
  const numbered: { id: number; sequence: number }[] = []
  for (const [webhookId, some] of Map.groupBy(events, (event) => event.webhookId)) {
    const webhook = await store.takeSequences(tx, webhookId, some.length, now)
    if (webhook === undefined) continue
    const first = webhook.sequence - some.length + 1
    numbered.push(...some.map(({ id }, i) => ({ id, sequence: first + i })))
    if (webhook.enabled && webhook.pending > MAX_PENDING) await switchOff(ctx, tx, webhook, 'QUEUE_FULL')
  }
  const ids = events.map(({ id }) => id)
  if (ids.length > 0) await store.moveToDeliveries(tx, ids, numbered, now)
  return events.length === EVENTS_PER_WRITE
}
