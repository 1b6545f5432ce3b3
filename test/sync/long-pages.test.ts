/** Pages with thousands of rows of one write: they are sent while their rows are read. */

import { describe, expect, test } from 'bun:test'

import { and, eq, inArray } from 'drizzle-orm'

import { qrCodes } from '#db/schema/qr-codes.ts'

import { onSqlite } from '../db/fresh.ts'
import { inProcess, ok, type Person, until, useServer } from '../harness/index.ts'
import { addMembers, createOrg, leave } from '../orgs/helpers.ts'
import { newCode, push } from './push-helpers.ts'
import { pullPage, Replica, startedNow } from './replica.ts'

const { server, owner } = useServer({ people: ['owner'] })

const COUNT = 9000

/** Codes of the user or the organization, all with one stamp. */
async function addCodes(userId: number, orgId = 0, count = COUNT): Promise<void> {
  await server.ctx.db.write('test.addCodes', async (tx) => {
    const { stamp } = tx
    for (let at = 0; at < count; at += 500)
      await tx.insert(qrCodes).values(
        Array.from({ length: Math.min(500, count - at) }, (_, i) => ({
          uuid: crypto.randomUUID(),
          userId,
          orgId,
          name: `code ${at + i}`,
          content: `content ${orgId} ${at + i} ${'x'.repeat(300)}`,
          contentType: 'TEXT',
          tags: [],
          style: {},
          createdAt: stamp,
          updatedAt: stamp,
        })),
      )
  })
}

const request = (user: Person, path: string, signal?: AbortSignal): Promise<Response> =>
  fetch(`${server.url}${path}`, {
    headers: { authorization: `Bearer ${user.token}`, 'x-device-id': user.deviceId },
    ...(signal && { signal }),
  })

describe.if(inProcess)('long pages', () => {
  test('all rows of one write come on one page, which is complete and in order', async () => {
    const user = await server.person()
    await addCodes(user.id)
    const page = await pullPage(user, 0, { limit: 10, entities: ['qrCode', 'category'] })
    expect(page).toMatchObject({ hasMore: false, resync: false, changes: { category: { updated: [], deleted: [] } } })
    const { updated, deleted } = page.changes.qrCode!
    expect([updated.length, deleted.length]).toEqual([COUNT, 0])
    expect(new Set(updated.map(({ id }) => id)).size).toBe(COUNT)
    expect(updated.map(({ id }) => id)).toEqual(updated.map(({ id }) => id).toSorted((a, b) => a - b))
    expect(await pullPage(user, page.serverTime)).toMatchObject({
      hasMore: false,
      changes: { qrCode: { updated: [] } },
    })
  })

  test('rows that change while a long page is sent come on the next one', async () => {
    const user = await server.person()
    await addCodes(user.id)
    const { ctx } = server
    const reply = await request(user, '/api/sync/pull?since=0&limit=10')
    const rows = await ctx.db.read.select({ id: qrCodes.id }).from(qrCodes).where(eq(qrCodes.userId, user.id))
    const last = rows.slice(-20).map(({ id }) => id)
    await ctx.db.write('test.change', async (tx) => {
      await tx
        .update(qrCodes)
        .set({ name: 'changed', version: 2, updatedAt: tx.stamp })
        .where(inArray(qrCodes.id, last))
    })
    const { data } = (await reply.json()) as { data: Awaited<ReturnType<typeof pullPage>> }
    const sent = new Set(data.changes.qrCode!.updated.map(({ id }) => id))
    const next = await pullPage(user, data.serverTime)
    for (const { id } of next.changes.qrCode!.updated) sent.add(id)
    expect(sent.size).toBe(COUNT)
    expect(next.changes.qrCode!.updated).toHaveLength(20)
  })

  test('a user gets one long page at a time, and the next one after the client has disconnected', async () => {
    const user = await server.person()
    await addCodes(user.id)
    const stopping = new AbortController()
    const first = await request(user, '/api/sync/pull?since=0', stopping.signal)
    expect(first.status).toBe(200)
    const second = await user.get('/api/sync/pull', { since: 0 })
    expect(second.status).toBe(429)
    expect(second.code).toBe(4022)
    // Other users are not affected.
    ok(await owner.get('/api/sync/pull', { since: 0 }))
    stopping.abort()
    await until(async () => (await user.get('/api/sync/pull', { since: 0 })).status === 200)
  })

  test('nine users who read nothing of their long pages keep nobody waiting, and get all of it later', async () => {
    const org = await createOrg(owner)
    await addCodes(owner.id, org.id)
    const users = await Promise.all(Array.from({ length: 10 }, () => server.person()))
    await addMembers(owner, org, ...users)
    const path = `/api/sync/pull?since=0&orgId=${org.id}&entities=qrCode`
    const [other, ...stalled] = users as [Person, ...Person[]]
    const replies = await Promise.all(stalled.map((user) => request(user, path)))
    expect(replies.map(({ status }) => status)).toEqual(stalled.map(() => 200))
    for (let i = 0; i < 2; i++) {
      const { data } = ok(await other.get(path))
      expect(data.changes.qrCode.updated).toHaveLength(COUNT)
    }
    for (const reply of replies) {
      const { data } = (await reply.json()) as { data: Awaited<ReturnType<typeof pullPage>> }
      expect(data.changes.qrCode!.updated).toHaveLength(COUNT)
    }
  })

  test('the ids of a large organization that the user has left come on one page', async () => {
    const user = await server.person()
    const org = await createOrg(owner)
    await addCodes(owner.id, org.id)
    await addCodes(owner.id, org.id, 600)
    await addMembers(owner, org, user)
    const replica = await startedNow(user)
    expect(replica.ids('qrCode')).toHaveLength(COUNT + 600)
    ok(await leave(user, org))
    const page = await replica.page(5)
    expect(page.changes.qrCode!.deleted).toHaveLength(COUNT + 600)
    expect(replica.ids('qrCode')).toEqual([])
  })

  test('a chunk of a joined organization has all rows of one write', async () => {
    const user = await server.person()
    const org = await createOrg(owner)
    await addCodes(owner.id, org.id, 300)
    await addCodes(owner.id, org.id)
    await addCodes(owner.id, org.id, 300)
    const replica = new Replica(user)
    await replica.pull()
    await addMembers(owner, org, user)
    const sizes: number[] = []
    for (;;) {
      const page = await replica.page(10)
      sizes.push(page.changes.qrCode!.updated.length)
      if (!page.hasMore) break
    }
    expect(sizes).toEqual([COUNT + 300, 300])
    const { db } = server.ctx
    const rows = await db.read
      .select({ id: qrCodes.id })
      .from(qrCodes)
      .where(and(eq(qrCodes.orgId, org.id)))
    expect(replica.ids('qrCode')).toEqual(rows.map(({ id }) => id).toSorted((a, b) => a - b))
  })
})

test('a push of 1,000 records takes fewer stamps, and pages of every size have all of its rows', async () => {
  const user = await server.person()
  const replicas = [1, 7, 333, 2000].map((limit) => ({ limit, replica: new Replica(user, { entities: ['qrCode'] }) }))
  await Promise.all(replicas.map(({ replica }) => replica.pull()))
  const records = Array.from({ length: 1000 }, (_, i) => newCode(`pushed ${i}`))
  const running = push(user, ...records)
  // Pages that end in the middle of the push.
  for (const { replica } of replicas) await replica.page(3)
  const results = await running
  const stamps = new Set(results.map(({ updatedAt }) => updatedAt))
  if (onSqlite) expect(stamps.size).toBeLessThan(1000)
  for (const { limit, replica } of replicas) {
    await replica.pull(limit)
    expect(replica.ids('qrCode')).toEqual(results.map(({ serverId }) => serverId!).toSorted((a, b) => a - b))
  }
})
