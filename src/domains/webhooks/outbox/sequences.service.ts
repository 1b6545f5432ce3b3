/** Gives deliveries their sequences: in the order of commits, because only committed ones are seen here, and one process at a time does it. */

import type { AppContext } from '#context'
import type { Tx, WriteOptions } from '#db/store.ts'

import { switchOff } from '../webhooks/switching.service.ts'
import { MAX_PENDING } from '../webhooks/webhooks.model.ts'
import * as store from './outbox.store.ts'

/** Writes that give sequences, claim deliveries or record what became of them run one after the other, also over several processes. */
export const IN_ORDER: WriteOptions = { inOrder: 'webhooks' }

const DELIVERIES_PER_WRITE = 1000

/** Gives sequences to all deliveries that are committed now. */
export async function giveSequences(ctx: AppContext): Promise<void> {
  let isMore = (await store.newDeliveries(ctx.db.read, 1)).length > 0
  while (isMore) isMore = await ctx.db.write('webhooks.giveSequences', (tx) => giveSome(ctx, tx), IN_ORDER)
}

/** Gives sequences to committed deliveries, as a part of a write `IN_ORDER`. Returns whether there may be more of them. */
export async function giveSome(ctx: AppContext, tx: Tx): Promise<boolean> {
  const fresh = await store.newDeliveries(tx, DELIVERIES_PER_WRITE)
  const now = ctx.clock.now()
  const given: { id: number; sequence: number }[] = []
  for (const [webhookId, some] of Map.groupBy(fresh, (row) => row.webhookId)) {
    const webhook = await store.takeSequences(tx, webhookId, some.length, now)
    if (webhook === undefined) {
      await store.deleteNew(
        tx,
        some.map(({ id }) => id),
      )
      continue
    }
    const first = webhook.sequence - some.length + 1
    given.push(...some.map(({ id }, i) => ({ id, sequence: first + i })))
    if (webhook.enabled && webhook.pending > MAX_PENDING) await switchOff(ctx, tx, webhook, 'QUEUE_FULL')
  }
  if (given.length > 0) await store.saveSequences(tx, given, now)
  return fresh.length === DELIVERIES_PER_WRITE
}
