/** Messages to participants with several processes: they share the mails, and one that is killed loses and repeats nothing. */

import { describe, expect, test } from 'bun:test'

import { count, countDistinct, eq } from 'drizzle-orm'

import { notifications } from '#db/schema/notifications.ts'
import { wake } from '#domains/delivery/index.ts'
import { MINUTE } from '#platform/clock.ts'

import { addParticipants, expectOneEach, mailedTo, sent, untilDone } from '../activities/message-helpers.ts'
import { openActivity } from '../activities/registering.ts'
import { startGateways } from '../harness/gateways.ts'
import { until } from '../harness/index.ts'
import { onPostgres, startProcess, withServers } from './several.ts'

const RECIPIENTS = 150

describe.if(onPostgres)('three processes', () => {
  test('hand over the mails of a message once each, also if two of them are killed meanwhile', async () => {
    let open = 0
    let most = 0
    const gateways = await startGateways({
      async onMail() {
        most = Math.max(most, ++open)
        // Long enough that mails of the others come meanwhile.
        await Bun.sleep(5)
        open--
        return undefined
      },
    })
    await withServers(
      1,
      async (several) => {
        const [server] = several.servers
        const children = [await startProcess(several), await startProcess(several)]
        const alice = await server!.person('alice')
        const activity = await openActivity(server!, alice)
        const { addresses } = await addParticipants(server!, activity, RECIPIENTS)
        const created = await sent(alice, activity, { subject: 'From three' })
        for (const [i, child] of children.entries()) {
          await until(() => gateways.mails.length >= 30 * (i + 1))
          await child.stop('SIGKILL')
        }
        expect(await untilAlmostDone(gateways, addresses)).toBeLessThanOrEqual(2 * children.length)
        // Claims of killed processes end after a minute.
        server!.clock.advance(2 * MINUTE)
        wake(server!.ctx, 'EVENT')
        const done = await untilDone(alice, activity, created.id)
        expect(done).toMatchObject({
          recipients: RECIPIENTS,
          app: { sent: RECIPIENTS },
          email: { queued: 0, sent: RECIPIENTS, failed: 0, skipped: 0 },
        })
        expectOneEach(mailedTo(gateways, 'From three'), addresses)
        expect(gateways.mails.length).toBeLessThanOrEqual(RECIPIENTS + 2 * children.length)
        // Two places of each process.
        expect(most).toBeLessThanOrEqual(6)
        const [notified] = await server!.ctx.db.read
          .select({ n: count(), people: countDistinct(notifications.userId) })
          .from(notifications)
          .where(eq(notifications.type, 'ACTIVITY'))
        expect(notified).toEqual({ n: RECIPIENTS, people: RECIPIENTS })
      },
      gateways.config,
    )
    await gateways.stop()
  })
})

/** Waits until only mails that killed processes had claimed can be missing. Returns how many are. */
async function untilAlmostDone(
  gateways: Parameters<typeof mailedTo>[0],
  addresses: readonly string[],
): Promise<number> {
  const missing = () => addresses.length - mailedTo(gateways, 'From three').size
  await until(() => missing() <= 4)
  return missing()
}
