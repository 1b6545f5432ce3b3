/** Kiosks and rotating codes at several processes, whose clocks differ by seconds. */

import { describe, expect, test } from 'bun:test'

import { HOUR, SECOND } from '#platform/clock.ts'

import { openActivity } from '../activities/check-in-helpers.ts'
import { ok, race, type TestServer } from '../harness/index.ts'
import { onPostgres, sendTo, withServers } from './several.ts'

const SECONDS = 300

describe.if(onPostgres)('with two processes', () => {
  test('an activity has one kiosk, the code of each process is good at the other, and ending it ends it at both', async () => {
    await withServers(2, async ({ servers }) => {
      const [first, second] = servers as [TestServer, TestServer]
      const [owner, guest] = [await first.person(), await first.person()]
      const activity = await openActivity(first, owner, {
        checkInConfig: { rotatingSeconds: SECONDS, maxPerUser: 0 },
        startTime: first.clock.now() - HOUR,
      })
      const path = `/api/activities/${activity.id}`
      const urls = await race(
        10,
        async (i) => ok(await sendTo(servers[i % 2]!, owner, 'POST', `${path}/kiosk`)).data.url,
      )
      expect(new Set(urls).size).toBe(1)
      const secret = String(urls[0]).split('/').at(-1)!
      const codeAt = async ({ url }: TestServer): Promise<string> =>
        ((await (await fetch(`${url}/public/kiosk/${secret}`)).json()) as { data: { content: string } }).data.content
      const checkInAt = (at: TestServer, code: string) =>
        sendTo(at, guest, 'POST', `${path}/check-in`, { body: { code } })
      // The second process, whose clock is ahead, begins its next step a second before the first does.
      const toNext = SECONDS * SECOND - (second.clock.now() % (SECONDS * SECOND))
      for (const { clock } of servers) clock.advance(toNext + SECOND)
      const [early, late] = [await codeAt(first), await codeAt(second)]
      expect(late).not.toBe(early)
      for (const server of servers) for (const code of [early, late]) ok(await checkInAt(server, code))
      // In the middle of a step they show the same.
      for (const { clock } of servers) clock.advance((SECONDS * SECOND) / 2)
      expect(await codeAt(first)).toBe(await codeAt(second))
      for (const { clock } of servers) clock.advance(2 * SECONDS * SECOND)
      for (const server of servers) expect((await checkInAt(server, early)).status).toBe(400)
      ok(await sendTo(second, owner, 'DELETE', `${path}/kiosk`))
      for (const { url } of servers) expect((await fetch(`${url}/public/kiosk/${secret}`)).status).toBe(404)
    })
  })
})
