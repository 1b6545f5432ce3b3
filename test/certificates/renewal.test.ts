/** When the server renews its certificate, and whom it notifies if that fails. */

import { describe, expect, test } from 'bun:test'

import { desc } from 'drizzle-orm'

import { acmeOrders, certificates } from '#db/schema/certificates.ts'
import { DAY, HOUR, MINUTE } from '#platform/clock.ts'

import { inProcess, ok, startServer, type TestServer, until } from '../harness/index.ts'
import { AUTHORITY_CA, startPebble } from '../harness/pebble.ts'

const pebble = await startPebble()

const NAME = 'renewed.example.org'

const start = () =>
  startServer({
    config: {
      domain: [NAME],
      publicUrl: `https://${NAME}:0`,
      acmeDirectory: pebble!.directory,
      acmeCa: AUTHORITY_CA,
      httpPort: pebble!.httpPort,
    },
  })

const newest = async ({ ctx }: TestServer) =>
  (await ctx.db.read.select().from(certificates).orderBy(desc(certificates.id)).limit(1))[0]
const order = async ({ ctx }: TestServer) => (await ctx.db.read.select().from(acmeOrders))[0]!

describe.skipIf(pebble === undefined || !inProcess)('the certificate of a server', () => {
  test('is renewed after two thirds of its time; if that fails, administrators are notified and it is tried again', async () => {
    await using server = await start()
    await until(async () => (await newest(server)) !== undefined)
    const first = (await newest(server))!
    expect(first.names).toEqual([NAME])
    // Two thirds of 90 days, and up to a quarter of an hour.
    expect(first.renewAt - first.notBefore).toBeWithin(60 * DAY - MINUTE, 60 * DAY + HOUR / 4 + MINUTE)
    for (const sealed of [first.key]) expect(sealed).not.toContain('PRIVATE KEY')

    pebble!.names.hidden.add(NAME)
    server.clock.advance(60 * DAY + HOUR)
    await until(async () => (await order(server)).failures === 1)
    const { fault, nextAt } = await order(server)
    expect(fault).toMatchObject({ type: 'connection', name: NAME })
    expect(nextAt).toBeWithin(fault!.at + MINUTE, fault!.at + MINUTE + 1)
    expect((await newest(server))!.id).toBe(first.id)
    // Sessions do not last as long.
    const { data } = ok(await (await server.admin()).call('notifications.list', {}))
    expect(data.items.map(({ title }) => title)).toEqual(['The certificate could not be renewed'])

    pebble!.names.hidden.delete(NAME)
    server.clock.advance(MINUTE)
    await until(async () => (await newest(server))!.id !== first.id)
    const done = await order(server)
    expect([done.failures, done.fault, done.key, done.holder]).toEqual([0, null, null, null])
    // The clock of this test is ahead of that of the authority: no second certificate follows at once.
    expect(done.nextAt).toBeGreaterThan(server.ctx.clock.now() + HOUR - MINUTE)
  })

  test('is renewed in the window that the authority suggests', async () => {
    await using server = await start()
    await until(async () => (await newest(server)) !== undefined)
    const first = (await newest(server))!
    const window = {
      start: new Date(Date.now() - HOUR).toISOString(),
      end: new Date(Date.now() - MINUTE).toISOString(),
    }
    const answer = await pebble!.manage('/set-renewal-info/', {
      method: 'POST',
      body: JSON.stringify({ certificate: first.chain, ariResponse: JSON.stringify({ suggestedWindow: window }) }),
    })
    expect(answer.status).toBe(200)
    server.clock.advance(2 * HOUR)
    await until(async () => (await newest(server))!.id !== first.id)
    expect(first.renewAt).toBeGreaterThan(server.ctx.clock.now())
  })
})
