/** Notifications that administrators send: to named users, to an organization, to everyone. */

import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { count, eq } from 'drizzle-orm'

import { users } from '#db/schema/accounts.ts'
import { notificationContents, notifications, notificationSends } from '#db/schema/notifications.ts'
import { bindPlatformRole, createRole } from '#domains/access/index.ts'
import { domain } from '#domains/domain.ts'

import { freshDatabase } from '../harness/database.ts'
import { inProcess, ok, race, startServer, type TestServer, useServer } from '../harness/index.ts'
import { counts, list, sendTo, whenSent } from './helpers.ts'

const { server, admin, user } = useServer({ people: ['user'] })

const text = { title: 'A title', body: 'A body' }

/** Inserts accounts that nobody signs in to. */
async function addUsers(on: TestServer, n: number, status: 'ACTIVE' | 'DELETED' = 'ACTIVE'): Promise<number[]> {
  return on.ctx.db.write('test', async (tx) => {
    const rows = Array.from({ length: n }, (_, i) => ({
      nickname: `extra ${i}`,
      status,
      createdAt: tx.stamp,
      updatedAt: tx.stamp,
    }))
    const ids: number[] = []
    for (let i = 0; i < n; i += 500) {
      const inserted = await tx
        .insert(users)
        .values(rows.slice(i, i + 500))
        .returning({ id: users.id })
      ids.push(...inserted.map((row) => row.id))
    }
    return ids
  })
}

describe('a send to named users', () => {
  test('delivers one notification to each named user before it answers, and none to others', async () => {
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
    for (const person of [a, b]) {
      expect(await counts(person)).toEqual({ total: 1, unread: 1 })
      expect((await list(person)).items[0]).toMatchObject({ title: 'Hello', body: '**Hello**', bodyPlain: 'Hello' })
    }
    expect(await counts(user)).toEqual(before)
    expect(ok(await admin.call('notifications.sendProgress', { params: { id: sent.id } })).data).toEqual(sent)
  })

  test('is refused as a whole with 400 if one of the users does not exist', async () => {
    const before = await counts(user)
    const reply = await admin.call('notifications.send', { body: { ...text, userIds: [user.id, 999_999] } })
    expect(reply.status).toBe(400)
    expect(reply.details).toEqual([{ path: 'body.userIds', message: expect.stringContaining('999999') }])
    expect(await counts(user)).toEqual(before)
  })

  test.if(inProcess)('keeps its content after all recipients have deleted the notification', async () => {
    const { db } = server.ctx
    const contents = async () => (await db.read.select({ n: count() }).from(notificationContents))[0]!.n
    const person = await server.person()
    const before = await contents()
    const sent = await sendTo(admin, [person.id])
    ok(await person.call('notifications.delete', { params: { id: (await list(person)).items[0]!.id } }))
    expect(await contents()).toBe(before + 1)
    expect(ok(await admin.call('notifications.sendProgress', { params: { id: sent.id } })).data.title).toBe('A title')
    expect(await db.read.select().from(notificationSends)).not.toHaveLength(0)
  })
})

describe('POST /api/notifications', () => {
  for (const [name, body] of [
    ['without an audience', {}],
    ['with `all: false` and no other audience', { all: false }],
    ['with `all` and `userIds`', { all: true, userIds: [1] }],
    ['with `all` and `orgId`', { all: true, orgId: 1 }],
    ['with an empty list of users', { userIds: [] }],
    ['with 1,001 users', { userIds: Array.from({ length: 1001 }, (_, i) => i + 1) }],
    ['with user ids that are not numbers', { userIds: ['x'] }],
    ['with a blank title', { all: true, title: ' ' }],
    ['with a title of 101 characters', { all: true, title: 'x'.repeat(101) }],
    ['with a title of two lines', { all: true, title: 'a\nb' }],
    ['with an empty body', { all: true, body: '' }],
    ['with a body of 100,001 characters', { all: true, body: 'x'.repeat(100_001) }],
  ] as const)
    test(`${name} answers 400 and sends nothing`, async () => {
      const before = await counts(user)
      expect((await admin.post('/api/notifications', { ...text, ...body })).status).toBe(400)
      expect(await counts(user)).toEqual(before)
    })

  test('answers 404 for an organization that does not exist', async () => {
    expect((await admin.call('notifications.send', { body: { ...text, orgId: 999_999 } })).status).toBe(404)
  })

  test('answers 403 to users without a PLATFORM role, and so does the progress of a send', async () => {
    expect((await user.call('notifications.send', { body: { ...text, userIds: [user.id] } })).status).toBe(403)
    expect((await user.call('notifications.sendProgress', { params: { id: 1 } })).status).toBe(403)
    expect((await admin.call('notifications.sendProgress', { params: { id: 999_999 } })).status).toBe(404)
  })

  test.if(inProcess)(
    'answers 403 to an administrator with only notification:read, and the progress answers 200',
    async () => {
      const helper = await server.person()
      await server.ctx.db.write('test', async (tx) => {
        const role = { domain: 'PLATFORM', scopeId: 0, code: 'READER', name: 'Reader' } as const
        await createRole(tx, { ...role, points: ['notification:read'] })
        await bindPlatformRole(server.ctx, tx, helper.id, 'READER')
      })
      const { id } = await sendTo(admin, [user.id])
      expect((await helper.call('notifications.send', { body: { ...text, all: true } })).status).toBe(403)
      expect((await helper.call('notifications.sendProgress', { params: { id } })).status).toBe(200)
    },
  )
})

describe('a send to everyone', () => {
  test('reaches every user registered before it, and no user registered after it', async () => {
    const early = await server.person()
    const { data } = ok(await admin.call('notifications.send', { body: { ...text, all: true, title: 'To all' } }))
    const late = await server.person()
    const done = await whenSent(admin, data.id)
    expect(done).toMatchObject({ progress: 100, title: 'To all' })
    expect(done.finishedAt).toBeGreaterThanOrEqual(done.createdAt)
    expect((await list(early)).items.map((item) => item.title)).toEqual(['To all'])
    expect(await counts(late)).toEqual({ total: 0, unread: 0 })
    expect((await list(admin)).items[0]!.title).toBe('To all')
  })

  test('ten concurrent sends to everyone each reach a user exactly once', async () => {
    const person = await server.person()
    const sends = await race(10, (i) =>
      admin.call('notifications.send', { body: { ...text, all: true, title: `wave ${i}` } }),
    )
    for (const reply of sends) await whenSent(admin, ok(reply).data.id)
    const titles = (await list(person)).items.map((item) => item.title)
    expect(titles.toSorted()).toEqual(Array.from({ length: 10 }, (_, i) => `wave ${i}`))
    expect(await counts(person)).toEqual({ total: 10, unread: 10 })
  })
})

describe('a send to an organization', () => {
  test('reaches its members and no other user', async () => {
    const [owner, stranger] = [await server.person(), await server.person()]
    const org = ok(await owner.post('/api/orgs', { name: 'Seven' })).data
    const before = await counts(stranger)
    const { data } = ok(
      await admin.call('notifications.send', { body: { ...text, orgId: org.id, title: 'To members' } }),
    )
    expect(await whenSent(admin, data.id)).toMatchObject({ sent: 1, progress: 100 })
    expect((await list(owner, { type: 'SYSTEM' })).items.map((item) => item.title)).toEqual(['To members'])
    expect(await counts(stranger)).toEqual(before)
  })

  test.if(inProcess)('of more members than one batch reaches all of them, and none who register later', async () => {
    let members: number[] = []
    let joined: number[] = []
    const seven = domain({
      name: 'orgs',
      audiences: {
        organization: {
          exists: async (_db, orgId) => orgId === 7,
          count: async () => members.length,
          membersAfter: async (_db, orgId, after, limit) =>
            orgId === 7 ? [...members, ...joined].filter((id) => id > after).slice(0, limit) : [],
        },
      },
    })
    await using own = await startServer({
      domains: (product) => [...product.filter(({ name }) => name !== 'orgs'), seven],
    })
    const root = await own.admin()
    const [a, b, stranger] = [await own.person(), await own.person(), await own.person()]
    members = [...(await addUsers(own, 1200)), a.id, b.id].toSorted((x, y) => x - y)
    expect((await root.call('notifications.send', { body: { ...text, orgId: 8 } })).status).toBe(404)
    const { data } = ok(await root.call('notifications.send', { body: { ...text, orgId: 7, title: 'To seven' } }))
    joined = [(await own.person()).id]
    expect(await whenSent(root, data.id)).toMatchObject({ sent: 1202, progress: 100 })
    for (const person of [a, b]) expect((await list(person)).items.map((item) => item.title)).toEqual(['To seven'])
    expect(await counts(stranger)).toEqual({ total: 0, unread: 0 })
  })
})

describe.if(inProcess)('a send to thousands of users', () => {
  /** Ends a server's sends after the first batch that it commits, as a stop at that moment would. */
  const stopAfterOneBatch = domain({
    name: 'stopAfterOneBatch',
    on: {
      'notification.created': (ctx, tx) =>
        tx.afterCommit(() => {
          ctx.lifecycle.draining = true
        }),
    },
  })

  test('continues after each restart without omitting, repeating or notifying deleted accounts', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'tessera-sends-'))
    const database = process.env['TEST_DATABASE_URL'] ? await freshDatabase() : undefined
    const start = () =>
      startServer({
        dataDir,
        config: database === undefined ? {} : { databaseUrl: database.url },
        domains: (product) => [...product, stopAfterOneBatch],
      })
    const sendOf = async (running: TestServer) => (await running.ctx.db.read.select().from(notificationSends))[0]!

    let running = await start()
    const root = await running.admin()
    const active = [root.id, ...(await addUsers(running, 3000))]
    const deleted = await addUsers(running, 700, 'DELETED')
    active.push(...(await addUsers(running, 300)))
    ok(await root.call('notifications.send', { body: { ...text, all: true } }))
    const cursors: number[] = []
    let send = await sendOf(running)
    while (send.status === 'RUNNING') {
      while (!running.ctx.lifecycle.draining) await Bun.sleep(5)
      send = await sendOf(running)
      cursors.push(send.cursor)
      await running.stop()
      running = await start()
    }
    expect(cursors).toEqual(cursors.toSorted((x, y) => x - y))
    expect(new Set(cursors).size).toBe(Math.ceil(active.length / 500))
    const rows = await running.ctx.db.read
      .select({ userId: notifications.userId })
      .from(notifications)
      .innerJoin(notificationSends, eq(notificationSends.contentId, notifications.contentId))
    const recipients = rows.map((row) => row.userId).toSorted((a, b) => a - b)
    expect(recipients).toEqual(active.toSorted((a, b) => a - b))
    expect(recipients.filter((id) => deleted.includes(id))).toEqual([])
    expect(send).toMatchObject({ status: 'DONE', sent: recipients.length })
    await running.stop()
    rmSync(dataDir, { recursive: true, force: true })
    await database?.drop()
  })

  test('is split into writes of at most 500 rows, and other requests are answered in between', async () => {
    await using own = await startServer()
    const root = await own.admin()
    await addUsers(own, 10_000)
    const { id } = ok(await root.call('notifications.send', { body: { ...text, all: true } })).data
    let answered = 0
    let send = ok(await root.call('notifications.sendProgress', { params: { id } })).data
    for (; send.status === 'RUNNING'; answered++)
      send = ok(await root.call('notifications.sendProgress', { params: { id } })).data
    // 21 batches: even a request that waits for five of them leaves time for three more.
    expect(answered).toBeGreaterThanOrEqual(3)
    expect(send.sent).toBe(10_001)
    // All rows of one write have the same `createdAt`, which no other write has.
    const writes = await own.ctx.db.read.select({ n: count() }).from(notifications).groupBy(notifications.createdAt)
    expect(Math.max(...writes.map(({ n }) => n))).toBe(500)
    // The text is stored once for all recipients.
    expect(await own.ctx.db.read.select({ id: notificationContents.id }).from(notificationContents)).toHaveLength(1)
  })
})
