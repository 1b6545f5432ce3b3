/** Webhooks of several processes: none sends a delivery that another one is sending, and one that was made a moment ago is known to all. */

import { describe, expect, test } from 'bun:test'

import { matchingOf } from '#domains/webhooks/outbox/matching.service.ts'

import { ok, type TestServer, until } from '../harness/index.ts'
import { startReceiver } from '../webhooks/receiver.ts'
import { onPostgres, sendTo, withServers } from './several.ts'

describe.if(onPostgres)('with several processes', () => {
  test('each event is sent once, four at a time at most, and a new webhook is known to all at once', async () => {
    const receiver = startReceiver()
    const config = { privateTargets: [receiver.origin] }
    try {
      await withServers(
        2,
        async ({ servers }) => {
          const [first, second] = servers as [TestServer, TestServer]
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
          ok(await sendTo(first, ann, 'POST', '/api/webhooks', { body: hook }))
          ok(await newAsset(second, 'first'))
          await Promise.all(Array.from({ length: 60 }, (_, i) => newAsset(servers[i % 2]!, `asset ${i}`).then(ok)))
          const got = await receiver.next(url, 61)
          await Bun.sleep(200)
          expect(receiver.at(url)).toHaveLength(61)
          const numbers = got.map(({ event }) => event.sequence as number).toSorted((a, b) => a - b)
          expect(numbers).toEqual(Array.from({ length: 61 }, (_, i) => i + 1))
          expect(new Set(got.map(({ event }) => event.id)).size).toBe(61)
          expect(Math.max(...got.map(({ atOnce }) => atOnce))).toBeLessThanOrEqual(4)
          expect(got[0]!.event.data.name).toBe('first')
        },
        config,
      )
    } finally {
      await receiver.stop()
    }
  })
})
