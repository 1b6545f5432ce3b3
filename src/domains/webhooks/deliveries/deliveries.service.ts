/** The log of deliveries: what was sent, and sending it again. */

import type { AppContext } from '#context'
import { orgOf } from '#db/owner-key.ts'
import { mapPage, type Page } from '#db/paging.ts'
import { inSlices } from '#db/slices.ts'
import type { Job } from '#domains/domain.ts'
import { notFound } from '#http/errors.ts'
import { HOUR } from '#platform/clock.ts'
import { uuid } from '#platform/ids.ts'

import { bodyOf, withSequence } from '../outbox/outbox.rules.ts'
import { eventsWritten } from '../outbox/outbox.service.ts'
import { insertEvents } from '../outbox/outbox.store.ts'
import { giveSequences, IN_ORDER } from '../outbox/sequences.service.ts'
import * as refused from '../webhooks.errors.ts'
import { type Asking, findOrFail, findSame, requireEnabled } from '../webhooks/webhooks.service.ts'
import {
  type DeliveriesQuery,
  type DeliveryDetail,
  type DeliveryView,
  KEPT,
  KEPT_MS,
  MAX_REPLAYED,
  type Replay,
} from './deliveries.model.ts'
import * as store from './deliveries.store.ts'

export async function listDeliveries(
  ctx: AppContext,
  asking: Asking,
  id: number,
  { orgId, ...query }: DeliveriesQuery,
): Promise<Page<DeliveryView>> {
  const webhook = await findOrFail(ctx, asking, id, orgId)
  await giveSequences(ctx)
  return mapPage(await store.deliveriesPage(ctx.db.readInWorker, webhook.id, query), toView)
}

export async function getDelivery(
  ctx: AppContext,
  asking: Asking,
  { id, deliveryId }: { readonly id: number; readonly deliveryId: number },
  orgId?: number,
): Promise<DeliveryDetail> {
  const webhook = await findOrFail(ctx, asking, id, orgId)
  await giveSequences(ctx)
  const row = await store.findDelivery(ctx.db.read, webhook.id, deliveryId)
  if (row === undefined) throw notFound()
  return toDetail(row)
}

/** Queues an event that says that it is a test. */
export async function testWebhook(ctx: AppContext, asking: Asking, id: number, orgId?: number): Promise<DeliveryView> {
  const webhook = await findOrFail(ctx, asking, id, orgId)
  await requireEnabled(ctx)
  const eventId = uuid()
  await ctx.db.write('webhooks.test', async (tx) => {
    const { owner, enabled } = await findSame(tx, webhook)
    if (!enabled) throw refused.isOff()
    const body = bodyOf({
      type: 'webhook.test',
      timestamp: new Date(tx.stamp).toISOString(),
      data: { message: 'This is a test of your webhook' },
      id: eventId,
      orgId: orgOf(owner) || null,
    })
    await insertEvents(tx, [{ webhookId: id, eventId, event: 'webhook.test', body }])
  })
  await giveSequences(ctx)
  wake(ctx)
  const row = await store.findByEvent(ctx.db.read, id, eventId)
  if (row === undefined) throw notFound()
  return toView(row)
}

export async function replayDelivery(
  ctx: AppContext,
  asking: Asking,
  { id, deliveryId }: { readonly id: number; readonly deliveryId: number },
  orgId?: number,
): Promise<{ queued: number }> {
  const webhook = await findOrFail(ctx, asking, id, orgId)
  await requireEnabled(ctx)
  const queued = await ctx.db.write(
    'webhooks.replay',
    async (tx) => {
      if (!(await findSame(tx, webhook)).enabled) throw refused.isOff()
      if ((await store.findDelivery(tx, id, deliveryId)) === undefined) throw notFound()
      return store.sendAgain(tx, id, [deliveryId], ctx.clock.now())
    },
    IN_ORDER,
  )
  wake(ctx)
  return { queued }
}

/** Queues the oldest deliveries of a time. */
export async function replayAll(
  ctx: AppContext,
  asking: Asking,
  id: number,
  input: Replay,
  orgId?: number,
): Promise<{ queued: number }> {
  const webhook = await findOrFail(ctx, asking, id, orgId)
  if (input.to <= input.from) throw refused.emptySpan()
  await requireEnabled(ctx)
  const queued = await ctx.db.write(
    'webhooks.replayAll',
    async (tx) => {
      if (!(await findSame(tx, webhook)).enabled) throw refused.isOff()
      const ids = await store.replayable(tx, id, input, MAX_REPLAYED)
      return store.sendAgain(tx, id, ids, ctx.clock.now())
    },
    IN_ORDER,
  )
  wake(ctx)
  return { queued }
}

const wake = (ctx: AppContext): void => ctx.bus.deliver([{ topic: eventsWritten.name, payload: null }])

const WEBHOOKS_AT_ONCE = 500

/** Deletes old deliveries, and those of each webhook beyond the limit. */
async function cleanUp(ctx: AppContext): Promise<void> {
  const before = ctx.clock.now() - KEPT_MS
  let after = 0
  for (;;) {
    const ids = await store.webhookIdsAfter(ctx.db.read, after, WEBHOOKS_AT_ONCE)
    for (const id of ids) {
      if (ctx.lifecycle.draining) return
      await inSlices(ctx, 'webhooks.deleteOld', (tx, limit) => store.deleteOld(tx, id, before, limit), IN_ORDER)
      const upTo = await store.firstKept(ctx.db.readInWorker, id, KEPT)
      if (upTo !== undefined)
        await inSlices(ctx, 'webhooks.deleteBeyond', (tx, limit) => store.deleteUpTo(tx, id, upTo, limit))
    }
    if (ids.length < WEBHOOKS_AT_ONCE) return
    after = ids.at(-1)!
  }
}

export const cleanUpJob: Job = { name: 'webhooks.cleanUp', every: HOUR, run: cleanUp }

const toView = (row: store.DeliveryRow): DeliveryView => ({
  id: row.id,
  eventId: row.eventId,
  event: row.event,
  sequence: row.sequence ?? 0,
  status: row.status,
  attempts: row.attempts.map(({ at, status, error, ms }) => ({ at, status, error, ms })),
  nextAttemptAt: row.dueAt,
  createdAt: row.createdAt,
})

const toDetail = (row: store.DeliveryRow): DeliveryDetail => ({
  ...toView(row),
  body: withSequence(row.body, row.sequence ?? 0),
  answer: row.answer,
})
