/** A standby without the last commits takes the place of the primary while two servers run. */

import { describe, expect, test } from 'bun:test'

import { registerWriters } from '../chat/writers.ts'
import { startPostgres } from '../db/postgres-server.ts'
import { ok, type Person, until } from '../harness/index.ts'
import { startPostgresProxy } from '../harness/postgres-proxy.ts'
import { pullPage } from '../sync/replica.ts'
import { onPostgres, sendTo, withServers } from './several.ts'

interface Server {
  readonly url: string
}

const create = async (server: Server, who: Person, name: string): Promise<number> =>
  ok(await sendTo(server, who, 'POST', '/api/qr-codes', { body: { name, content: 'x' } })).data.id

async function sendMessage(server: Server, who: Person, to: Person, text: string): Promise<number> {
  const body = { toUserId: to.id, clientMsgId: text.replace(' ', '-'), type: 'TEXT', content: { text } }
  return ok(await sendTo(server, who, 'POST', '/api/chats/messages', { body })).data.messages[0].id
}

describe.if(onPostgres)('a failover that loses commits', () => {
  test('is answered with the state of the standby by all servers, and devices that are ahead of it miss nothing new', async () => {
    const primary = await startPostgres()
    const standby = primary && (await startPostgres({ primary }))
    if (primary === undefined || standby === undefined) return
    await using stack = new AsyncDisposableStack()
    stack.defer(() => primary.remove())
    stack.defer(() => standby.remove())
    const proxy = await startPostgresProxy(primary.databaseUrl)
    stack.defer(() => proxy.stop())
    await withServers(
      2,
      async ({ servers }) => {
        const [first, second] = [servers[0]!, servers[1]!]
        const [ann, bob] = (await registerWriters(first.url, 2)) as [Person, Person]
        const names = async (server: Server) =>
          ok(await sendTo(server, ann, 'GET', '/api/qr-codes')).data.items.map(({ name }: { name: string }) => name)
        const chatSince = async (server: Server, afterId: number) =>
          ok(await sendTo(server, bob, 'GET', `/api/chats/sync?afterId=${afterId}`)).data
        await create(first, ann, 'kept')
        const kept = await sendMessage(first, ann, bob, 'kept')

        // The standby has everything so far, and gets nothing more.
        await until(async () => Number((await standby.run('SELECT count(*) FROM messages'))[0]![0]) === 1)
        await standby.run(`ALTER SYSTEM SET primary_conninfo = ''`, 'SELECT pg_reload_conf()')
        await until(async () => (await standby.run('SELECT 1 FROM pg_stat_wal_receiver')).length === 0)
        await create(second, ann, 'lost')
        for (let n = 0; n < 5; n++) await sendMessage(second, ann, bob, `lost ${n}`)
        const { cursor } = await chatSince(first, 0)
        expect(cursor).toBe(kept + 5)
        const { serverTime } = await pullPage(ann, 0)
        for (const server of [first, second]) expect((await names(server)).toSorted()).toEqual(['kept', 'lost'])
        await until(() => Date.now() > serverTime + 1100)

        await primary.kill()
        await standby.promote()
        proxy.leadTo(standby.databaseUrl)
        for (const server of [first, second])
          await until(async () => (await sendTo(server, ann, 'GET', '/api/qr-codes')).status === 200)
        for (const server of [first, second]) expect(await names(server)).toEqual(['kept'])
        expect((await pullPage(ann, serverTime)).resync).toBe(true)

        // A phone that has the lost messages gets the next ones too.
        const next = await sendMessage(first, ann, bob, 'new')
        for (const server of [first, second]) {
          const { messages } = await chatSince(server, cursor)
          expect(messages.map(({ id }: { id: number }) => id)).toEqual([next])
        }
        expect(await create(second, ann, 'new')).toBeGreaterThan(0)
      },
      { databaseUrl: proxy.databaseUrl },
    )
  })
})
