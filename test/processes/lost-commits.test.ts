/** The connection to PostgreSQL breaks between a COMMIT and its answer: users are served nothing stale, and devices miss no row. */

import { describe, expect, test } from 'bun:test'

import { ok, type TestServer } from '../harness/index.ts'
import { type PostgresProxy, startPostgresProxy } from '../harness/postgres-proxy.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'
import { startedNow } from '../sync/replica.ts'
import { onPostgres, withServers } from './several.ts'

/** Runs `use` with a server behind a proxy. `shared`: it shares its database with another one, to which nobody talks. */
async function withProxy(
  shared: boolean,
  use: (server: TestServer, proxy: PostgresProxy) => Promise<void>,
): Promise<void> {
  let proxy: PostgresProxy | undefined
  await withServers(shared ? 1 : 0, async ({ config, start }) => {
    proxy = await startPostgresProxy(config.databaseUrl!)
    await use(await start({ databaseUrl: proxy.databaseUrl, ...(shared ? {} : { sharedFiles: '' }) }), proxy)
  })
  await proxy?.stop()
}

for (const shared of [false, true])
  describe.if(onPostgres)(`a COMMIT without an answer, ${shared ? 'shared' : 'alone'}`, () => {
    test('immediately refuses a session or membership that it ended, and closes the socket', async () => {
      await withProxy(shared, async (server, proxy) => {
        const [owner, member] = [await server.person(), await server.person()]
        const org = await createOrg(owner)
        await addMembers(owner, org, member)
        const readMembers = async () => (await member.call('orgs.members', { params: { orgId: org.id } })).status
        const socket = await owner.socket()
        // Both are in the caches.
        expect(await readMembers()).toBe(200)
        expect((await owner.get('/api/auth/userinfo')).status).toBe(200)

        proxy.commits = 'lose'
        const params = { orgId: org.id, userId: member.id }
        expect((await owner.call('orgs.removeMember', { params })).status).toBe(503)
        proxy.commits = 'pass'
        expect(await readMembers()).toBe(403)

        proxy.commits = 'lose'
        expect((await owner.post('/api/auth/logout')).status).toBe(503)
        proxy.commits = 'pass'
        expect((await owner.get('/api/auth/userinfo')).status).toBe(401)
        expect((await socket.closed).code).toBe(4401)
        expect(proxy.broken).toBeGreaterThanOrEqual(2)
      })
    })

    test('refuses a session that it ends later from then on, and closes the socket', async () => {
      await withProxy(shared, async (server, proxy) => {
        const person = await server.person()
        const socket = await person.socket()
        proxy.commits = 'hold'
        expect((await person.post('/api/auth/logout')).status).toBe(503)
        proxy.commits = 'pass'
        // It is in the cache again.
        expect((await person.get('/api/auth/userinfo')).status).toBe(200)
        await proxy.deliver()
        expect((await person.get('/api/auth/userinfo')).status).toBe(401)
        expect((await socket.closed).code).toBe(4401)
      })
    })

    test('is followed by a pull that has the row which it writes later', async () => {
      await withProxy(shared, async (server, proxy) => {
        const [person, other] = [await server.person(), await server.person()]
        // The first code of a user takes more than one transaction.
        const early = ok(await person.call('qrCodes.create', { body: { name: 'early', content: 'x' } })).data
        const device = await startedNow(person)
        proxy.commits = 'hold'
        const body = { name: 'late', content: 'https://example.org/late' }
        expect((await person.call('qrCodes.create', { body })).status).toBe(503)
        proxy.commits = 'pass'
        ok(await other.call('scanRecords.create', { body: { content: 'a later stamp' } }))
        await device.pull()
        await proxy.deliver()
        const [late] = ok(await person.get('/api/qr-codes', { sort: '-createdAt' })).data.items
        expect(late.name).toBe('late')
        await device.pull()
        expect(device.ids('qrCode')).toEqual([early.id, late.id])
      })
    })
  })
