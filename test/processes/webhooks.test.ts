/** Webhooks of several processes: none sends a delivery that another one is sending, and one that was made a moment ago is known to all. */

import { describe, expect, test } from 'bun:test'

import { eq, sql } from 'drizzle-orm'

import { webhookDeliveries, webhooks } from '#db/schema/webhooks.ts'
import { wakeWebhooks } from '#domains/webhooks/index.ts'
import { matchingOf } from '#domains/webhooks/outbox/matching.service.ts'

import { ok, type TestServer, until } from '../harness/index.ts'
import { MINUTE } from '../webhooks/helpers.ts'
import { startReceiver } from '../webhooks/receiver.ts'
import { onPostgres, sendTo, withServers } from './several.ts'

describe.if(onPostgres)('with several processes', () => {
  test('each event is sent once, four at a time at most, a new webhook is known to all at once, and one process goes on for another that has died', async () => {
    const receiver = startReceiver()
    const config = { privateTargets: [receiver.origin] }
    try {
      await withServers(
        3,
        async ({ servers }) => {
          const [first, second] = servers as [TestServer, TestServer, TestServer]
          const ann = await first.person()
          const orgId = ok(await ann.call('orgs.create', { body: { name: 'Library' } })).data.id
          const newAsset = (server: TestServer, name: string) =>
            sendTo(server, ann, 'POST', '/api/assets', { body: { name, orgId } })
          // Both know that the organization has no webhook.
          ok(await newAsset(second, 'before'))
          await until(() => !matchingOf(second.ctx).wants({ type: 'asset.created', owner: orgId, id: 1 }))
          const url = receiver.newUrl()
          receiver.answer(url, async () => (await Bun.sleep(20), new Response('ok')))
          const hook = { name: 'ERP', url, events: ['asset.created'], orgId }
          const { id: webhookId } = ok(await sendTo(first, ann, 'POST', '/api/webhooks', { body: hook })).data
          ok(await newAsset(second, 'first'))
          await Promise.all(Array.from({ length: 60 }, (_, i) => newAsset(servers[i % 3]!, `asset ${i}`).then(ok)))
          const got = await receiver.next(url, 61)
          await Bun.sleep(200)
          expect(receiver.at(url)).toHaveLength(61)
          const numbers = got.map(({ event }) => event.sequence as number).toSorted((a, b) => a - b)
          expect(numbers).toEqual(Array.from({ length: 61 }, (_, i) => i + 1))
          expect(new Set(got.map(({ event }) => event.id)).size).toBe(61)
          expect(Math.max(...got.map(({ atOnce }) => atOnce))).toBeLessThanOrEqual(4)
          expect(got[0]!.event.data.name).toBe('first')

          // A delivery whose result has not been saved would be sent again when the clocks move.
          await until(async () => (await pending(first, webhookId)) === 0)
          await leftByADeadProcess(first, webhookId)
          // The others of the webhook wait too: another process seems to be sending.
          ok(await newAsset(second, 'last'))
          for (const { clock, ctx } of servers) {
            clock.advance(31 * MINUTE)
            wakeWebhooks(ctx)
          }
          const all = await receiver.next(url, 63)
          await Bun.sleep(200)
          expect(receiver.at(url)).toHaveLength(63)
          expect(
            all
              .slice(61)
              .map(({ event }) => event.data.name)
              .toSorted(),
          ).toEqual(['last', 'left'])
        },
        config,
      )
    } finally {
      await receiver.stop()
    }
  })
})

/** Deliveries whose result is not saved. */
const pending = async ({ ctx }: TestServer, webhookId: number): Promise<number> => {
  const [row] = await ctx.db.read.select().from(webhooks).where(eq(webhooks.id, webhookId))
  return row!.pending
}

/** A delivery that a process was sending when it died. Its claim is longer than a real one, which could end while this test waits for a busy machine. */
const leftByADeadProcess = ({ ctx }: TestServer, webhookId: number): Promise<void> =>
  ctx.db.write('test', async (tx) => {
    const [webhook] = await tx
      .update(webhooks)
      .set({ sequence: sql`${webhooks.sequence} + 1`, pending: sql`${webhooks.pending} + 1` })
      .where(eq(webhooks.id, webhookId))
      .returning()
    const now = ctx.clock.now()
    await tx.insert(webhookDeliveries).values({
      webhookId,
      eventId: 'left',
      event: 'asset.created',
      sequence: webhook!.sequence,
      body: JSON.stringify({ id: 'left', data: { name: 'left' } }),
      attempts: [],
      claimedUntil: now + 30 * MINUTE,
      createdAt: now,
    })
  })
