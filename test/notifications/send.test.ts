import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { eq } from 'drizzle-orm'

import { users } from '#db/schema/accounts.ts'
import { notificationContents, notifications, notificationSends } from '#db/schema/notifications.ts'
import { bindRole, createRole } from '#domains/access/index.ts'
import { domain } from '#domains/domain.ts'

import { freshDatabase } from '../harness/database.ts'
import { inProcess, type Person, race, startServer, type TestServer } from '../harness/index.ts'
import { counts, list, ok, sendTo, whenSent } from './helpers.ts'

let server: TestServer
let admin: Person
let user: Person

beforeAll(async () => {
  server = await startServer()
  admin = await server.admin()
  user = await server.person()
})
afterAll(() => server.stop())

const text = { title: 'A title', body: 'A body' }

/** Accounts that only exist. */
async function addUsers(on: TestServer, n: number, status: 'ACTIVE' | 'DELETED' = 'ACTIVE'): Promise<number[]> {
  return on.ctx.db.write('test', async (tx) => {
    const rows = Array.from({ length: n }, (_, i) => ({
      nickname: `extra ${i}`,
      status,
      createdAt: tx.stamp,
      updatedAt: tx.stamp,
    }))
    const made: { id: number }[] = []
    for (let i = 0; i < n; i += 500)
      made.push(
        ...(await tx
          .insert(users)
          .values(rows.slice(i, i + 500))
          .returning({ id: users.id })),
      )
    return made.map((row) => row.id)
  })
}

describe('to named users', () => {
  test('they have it at once, each once, and nobody else', async () => {
    const [a, b] = [await server.person(), await server.person()]
    const before = await counts(user)
    const sent = await sendTo(admin, [a.id, b.id, a.id], 'Hello', '**Hello**')
    expect(sent).toEqual({
      id: expect.any(Number),
      title: 'Hello',
      status: 'DONE',
      sent: 2,
      progress: 100,
      createdAt: expect.any(Number),
      finishedAt: sent.createdAt,
    })
    for (const who of [a, b]) {
      expect(await counts(who)).toEqual({ total: 1, unread: 1 })
      expect((await list(who)).items[0]).toMatchObject({ title: 'Hello', body: '**Hello**', bodyPlain: 'Hello' })
    }
    expect(await counts(user)).toEqual(before)
    expect(ok(await admin.get(`/api/notifications/sends/${sent.id}`)).data).toEqual(sent)
  })

  test('one unknown, and nobody gets it', async () => {
    const before = await counts(user)
    const reply = await admin.post('/api/notifications', { ...text, userIds: [user.id, 999_999] })
    expect(reply.status).toBe(400)
    expect(reply.details).toEqual([{ path: 'body.userIds', message: expect.stringContaining('999999') }])
    expect(await counts(user)).toEqual(before)
  })
})

describe('what is refused', () => {
  for (const [what, body] of [
    ['no audience', {}],
    ['all that is not', { all: false }],
    ['two audiences', { all: true, userIds: [1] }],
    ['an organization and everybody', { all: true, orgId: 1 }],
    ['nobody', { userIds: [] }],
    ['1,001 users', { userIds: Array.from({ length: 1001 }, (_, i) => i + 1) }],
    ['ids that are none', { userIds: ['x'] }],
    ['no title', { all: true, title: ' ' }],
    ['a title of 101 characters', { all: true, title: 'x'.repeat(101) }],
    ['a title of two lines', { all: true, title: 'a\nb' }],
    ['no body', { all: true, body: '' }],
    ['100,001 characters', { all: true, body: 'x'.repeat(100_001) }],
  ] as const)
    test(what, async () => {
      const before = await counts(user)
      expect((await admin.post('/api/notifications', { ...text, ...body })).status).toBe(400)
      expect(await counts(user)).toEqual(before)
    })

  test('an organization that does not exist', async () => {
    expect((await admin.post('/api/notifications', { ...text, orgId: 999_999 })).status).toBe(404)
  })

  test('an ordinary user', async () => {
    expect((await user.post('/api/notifications', { ...text, userIds: [user.id] })).status).toBe(403)
    expect((await user.get('/api/notifications/sends/1')).status).toBe(403)
    expect((await admin.get('/api/notifications/sends/999999')).status).toBe(404)
  })

  test.if(inProcess)('an administrator without the permission', async () => {
    const helper = await server.person()
    await server.ctx.db.write('test', async (tx) => {
      const role = { domain: 'PLATFORM', scopeId: 0, code: 'READER', name: 'Reader' } as const
      await createRole(server.ctx, tx, { ...role, points: ['notification:read'] })
      await bindRole(server.ctx, tx, helper.id, 'PLATFORM', 0, 'READER')
    })
    expect((await helper.post('/api/notifications', { ...text, all: true })).status).toBe(403)
    expect((await helper.get('/api/notifications/sends/1')).status).toBe(200)
  })
})

describe('to everybody', () => {
  test('everybody there is gets one; who comes later gets none', async () => {
    const early = await server.person()
    const { data } = ok(await admin.post('/api/notifications', { ...text, all: true, title: 'To all' }))
    const late = await server.person()
    const done = await whenSent(admin, data.id)
    expect(done).toMatchObject({ progress: 100, title: 'To all' })
    expect(done.finishedAt).toBeGreaterThanOrEqual(done.createdAt)
    expect((await list(early)).items.map((item) => item.title)).toEqual(['To all'])
    expect(await counts(late)).toEqual({ total: 0, unread: 0 })
    expect((await list(admin)).items[0]!.title).toBe('To all')
  })

  test('ten at once', async () => {
    const who = await server.person()
    const sends = await race(10, (i) => admin.post('/api/notifications', { ...text, all: true, title: `wave ${i}` }))
    for (const reply of sends) await whenSent(admin, ok(reply).data.id)
    const titles = (await list(who)).items.map((item) => item.title)
    expect(titles.toSorted()).toEqual(Array.from({ length: 10 }, (_, i) => `wave ${i}`))
    expect(await counts(who)).toEqual({ total: 10, unread: 10 })
  })
})

test('to an organization: its members have it, others do not', async () => {
  const [owner, stranger] = [await server.person(), await server.person()]
  const org = ok(await owner.post('/api/orgs', { name: 'Seven' })).data
  const before = await counts(stranger)
  const { data } = ok(await admin.post('/api/notifications', { ...text, orgId: org.id, title: 'To members' }))
  expect(await whenSent(admin, data.id)).toMatchObject({ sent: 1, progress: 100 })
  expect((await list(owner, { type: 'SYSTEM' })).items.map((item) => item.title)).toEqual(['To members'])
  expect(await counts(stranger)).toEqual(before)
})

describe.if(inProcess)('to many', () => {
  test('an organization: its members of that moment and no one else', async () => {
    let members: number[] = []
    let joined: number[] = []
    const seven = domain({
      name: 'orgs',
      audiences: {
        organization: {
          exists: async (_db, orgId) => orgId === 7,
          membersAfter: async (_db, orgId, after, limit) =>
            orgId === 7 ? [...members, ...joined].filter((id) => id > after).slice(0, limit) : [],
        },
      },
    })
    await using server = await startServer({
      domains: (product) => [...product.filter(({ name }) => name !== 'orgs'), seven],
    })
    const admin = await server.admin()
    const [a, b, stranger] = [await server.person(), await server.person(), await server.person()]
    members = [...(await addUsers(server, 1200)), a.id, b.id].toSorted((x, y) => x - y)
    expect((await admin.post('/api/notifications', { ...text, orgId: 8 })).status).toBe(404)
    const sending = admin.post('/api/notifications', { ...text, orgId: 7, title: 'To seven' })
    const { data } = ok(await sending)
    joined = [(await server.person()).id]
    expect(await whenSent(admin, data.id)).toMatchObject({ sent: 1202, progress: 100 })
    for (const who of [a, b]) expect((await list(who)).items.map((item) => item.title)).toEqual(['To seven'])
    expect(await counts(stranger)).toEqual({ total: 0, unread: 0 })
  })

  test('a restart in the middle: nobody is left out, nobody gets two, deleted accounts get none', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'tessera-sends-'))
    const database = process.env['TEST_DATABASE_URL'] ? await freshDatabase() : undefined
    const config = database === undefined ? {} : { databaseUrl: database.url }
    let running = await startServer({ dataDir, config })
    const extra = await addUsers(running, 3000)
    const gone = await addUsers(running, 700, 'DELETED')
    const last = await addUsers(running, 300)
    let root = await running.admin()
    const { data } = ok(await root.post('/api/notifications', { ...text, all: true }))
    const seen: number[] = []
    let stops = 0
    for (let done = false; !done; stops++) {
      // `stop` waits for the write under way only.
      await running.stop()
      running = await startServer({ dataDir, config })
      root = await running.admin()
      const { data: now } = ok(await root.get(`/api/notifications/sends/${data.id}`))
      seen.push(now.progress)
      done = now.status === 'DONE'
    }
    expect(stops).toBeGreaterThan(1)
    expect(seen).toEqual(seen.toSorted((a, b) => a - b))
    const rows = await running.ctx.db.read
      .select({ userId: notifications.userId })
      .from(notifications)
      .innerJoin(notificationSends, eq(notificationSends.contentId, notifications.contentId))
    const got = rows.map((row) => row.userId).toSorted((a, b) => a - b)
    expect(got).toEqual([...new Set(got)])
    for (const id of [root.id, ...extra, ...last]) expect(got).toContain(id)
    for (const id of gone) expect(got).not.toContain(id)
    expect(ok(await root.get(`/api/notifications/sends/${data.id}`)).data).toMatchObject({
      status: 'DONE',
      sent: got.length,
      progress: 100,
    })
    await running.stop()
    rmSync(dataDir, { recursive: true, force: true })
    await database?.drop()
  })

  test('others are served while it runs', async () => {
    const own = await startServer()
    const root = await own.admin()
    await addUsers(own, 20_000)
    const { data } = ok(await root.post('/api/notifications', { ...text, all: true }))
    let slowest = 0
    let asked = 0
    for (let status = 'RUNNING'; status === 'RUNNING'; asked++) {
      const before = performance.now()
      status = ok(await root.get(`/api/notifications/sends/${data.id}`)).data.status
      slowest = Math.max(slowest, performance.now() - before)
    }
    console.log(`20,000 recipients: ${asked} questions meanwhile, the slowest answer after ${slowest.toFixed(0)} ms`)
    expect(asked).toBeGreaterThan(20)
    expect(slowest).toBeLessThan(1000)
    expect(ok(await root.get(`/api/notifications/sends/${data.id}`)).data.sent).toBe(20_001)
    // The text is there once, however many read it.
    expect(await own.ctx.db.read.select({ id: notificationContents.id }).from(notificationContents)).toHaveLength(1)
    await own.stop()
  })
})

test.if(inProcess)('the text of a send outlives its readers', async () => {
  const { db } = server.ctx
  const ids = async () =>
    (await db.read.select({ id: notificationContents.id }).from(notificationContents)).map((c) => c.id)
  const who = await server.person()
  const before = await ids()
  const sent = await sendTo(admin, [who.id])
  ok(await who.delete(`/api/notifications/${(await list(who)).items[0]!.id}`))
  expect((await ids()).length).toBe(before.length + 1)
  expect(ok(await admin.get(`/api/notifications/sends/${sent.id}`)).data.title).toBe('A title')
  expect(await db.read.select().from(notificationSends)).not.toHaveLength(0)
})
