import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { purgeTrash } from '#domains/qr-codes/index.ts'

import { inProcess, type Person, race, startServer, type TestServer } from '../harness/index.ts'
import { allPages, makeCategory, makeCode, ok } from './helpers.ts'

let server: TestServer
let alice: Person
let mallory: Person

beforeAll(async () => {
  server = await startServer()
  alice = await server.person()
  mallory = await server.person()
})
afterAll(() => server.stop())

const DAY = 86_400_000
const trashOf = async (who: Person) => ok(await who.get('/api/qr-codes/trash')).data

describe('the trash', () => {
  test('a deleted code is gone from everywhere but the trash', async () => {
    const me = await server.person()
    const code = await makeCode(me, { isPublic: true })
    const gone = ok(await me.delete(`/api/qr-codes/${code.id}`))
    expect(gone.data).toBeNull()
    expect((await me.get(`/api/qr-codes/${code.id}`)).status).toBe(404)
    expect((await me.put(`/api/qr-codes/${code.id}`, { name: 'x' })).status).toBe(404)
    expect((await me.delete(`/api/qr-codes/${code.id}`)).status).toBe(404)
    expect((await server.request('GET', `/api/qr-codes/public/${code.uuid}`)).status).toBe(404)
    expect(ok(await me.get('/api/qr-codes')).data.total).toBe(0)
    const { items, total } = await trashOf(me)
    expect(total).toBe(1)
    expect(items[0]).toEqual({ ...code, version: 2, deletedAt: items[0].updatedAt, updatedAt: expect.any(Number) })
  })

  test('the latest first, page by page', async () => {
    const me = await server.person()
    const made = []
    for (let i = 0; i < 5; i++) made.push(await makeCode(me))
    for (const code of [made[1]!, made[4]!, made[0]!, made[2]!]) ok(await me.delete(`/api/qr-codes/${code.id}`))
    const expected = [made[2]!, made[0]!, made[4]!, made[1]!].map((c) => c.id)
    expect((await allPages(me, '/api/qr-codes/trash', 3)).map((c) => c.id)).toEqual(expected)
  })

  test('restoring puts a code back as it was', async () => {
    const categoryId = await makeCategory(alice, 'kept')
    const code = await makeCode(alice, { categoryId, isPublic: true, tags: ['t'] })
    ok(await alice.patch(`/api/qr-codes/${code.id}/pin`, { pinned: true }))
    ok(await alice.delete(`/api/qr-codes/${code.id}`))
    const { data } = ok(await alice.patch(`/api/qr-codes/trash/restore/${code.id}`))
    expect(data).toEqual({ ...code, pinned: true, version: 4, updatedAt: data.updatedAt })
    expect(ok(await alice.get(`/api/qr-codes/${code.id}`)).data).toEqual(data)
    expect((await trashOf(alice)).items.map((c: { id: number }) => c.id)).not.toContain(code.id)
    expect((await alice.patch(`/api/qr-codes/trash/restore/${code.id}`)).status).toBe(404)
  })

  test('a category that is gone meanwhile is cleared', async () => {
    const categoryId = await makeCategory(alice, 'to go')
    const code = await makeCode(alice, { categoryId })
    ok(await alice.delete(`/api/qr-codes/${code.id}`))
    ok(await alice.delete(`/api/categories/${categoryId}`))
    expect(ok(await alice.patch(`/api/qr-codes/trash/restore/${code.id}`)).data.categoryId).toBeNull()
  })

  test('nobody restores or empties what is somebody else’s', async () => {
    const code = await makeCode(alice)
    ok(await alice.delete(`/api/qr-codes/${code.id}`))
    expect((await mallory.patch(`/api/qr-codes/trash/restore/${code.id}`)).status).toBe(404)
    expect(ok(await mallory.delete('/api/qr-codes/trash')).data).toEqual({ deleted: 0 })
    expect((await server.request('DELETE', '/api/qr-codes/trash')).status).toBe(401)
    expect((await server.request('GET', '/api/qr-codes/trash')).status).toBe(401)
    expect((await server.request('PATCH', `/api/qr-codes/trash/restore/${code.id}`)).status).toBe(401)
    expect((await alice.patch('/api/qr-codes/trash/restore/abc')).status).toBe(400)
    ok(await alice.patch(`/api/qr-codes/trash/restore/${code.id}`))
  })

  test('restoring twice at once restores once', async () => {
    const code = await makeCode(alice)
    ok(await alice.delete(`/api/qr-codes/${code.id}`))
    const replies = await race(10, () => alice.patch(`/api/qr-codes/trash/restore/${code.id}`))
    expect(replies.map((r) => r.status).toSorted()).toEqual([200, ...Array<number>(9).fill(404)])
  })

  test('emptying removes all of it, more than a transaction’s worth, and nothing else', async () => {
    const me = await server.person()
    const items = Array.from({ length: 500 }, (_, i) => ({ name: `n${i}`, content: 'x' }))
    const made = [
      ...ok(await me.post('/api/qr-codes/batch', { items })).data.items,
      ...ok(await me.post('/api/qr-codes/batch', { items })).data.items,
    ]
    const kept = made.pop()
    await Promise.all(made.map((code: { id: number }) => me.delete(`/api/qr-codes/${code.id}`)))
    expect((await trashOf(me)).total).toBe(999)
    expect(ok(await me.delete('/api/qr-codes/trash')).data).toEqual({ deleted: 999 })
    expect(await trashOf(me)).toEqual({ items: [], total: 0, page: 1, size: 20 })
    expect(ok(await me.get('/api/qr-codes')).data.items).toEqual([kept])
    expect((await me.patch(`/api/qr-codes/trash/restore/${made[0].id}`)).status).toBe(404)
  })

  test('a scan record outlives the code it led to', async () => {
    const me = await server.person()
    const code = await makeCode(me)
    const scan = ok(await me.post('/api/scan-records', { content: code['publicUrl'] })).data
    expect(scan.qrCodeId).toBe(code.id)
    ok(await me.delete(`/api/qr-codes/${code.id}`))
    ok(await me.delete('/api/qr-codes/trash'))
    expect(ok(await me.get('/api/scan-records')).data.items).toEqual([{ ...scan, qrCodeId: null, resolved: undefined }])
  })
})

describe.if(inProcess)('the job that empties it', () => {
  test('removes what is older than 30 days, of everybody, and nothing younger', async () => {
    const server = await startServer()
    try {
      const people = [await server.person(), await server.person()]
      const old = await Promise.all(people.map((who) => makeCode(who)))
      const live = await Promise.all(people.map((who) => makeCode(who)))
      await Promise.all(people.map((who, i) => who.delete(`/api/qr-codes/${old[i]!.id}`)))
      server.clock.advance(29 * DAY)
      // Access tokens live for seven days only: from here on, look inside.
      await purgeTrash(server.ctx)
      const rows = async () => {
        const { qrCodes } = await import('#db/schema/qr-codes.ts')
        return (await server.ctx.db.read.select({ id: qrCodes.id }).from(qrCodes)).map((row) => row.id).toSorted()
      }
      expect(await rows()).toEqual([...old, ...live].map((c) => c.id).toSorted())
      server.clock.advance(DAY + 1000)
      await purgeTrash(server.ctx)
      expect(await rows()).toEqual(live.map((c) => c.id).toSorted())
    } finally {
      await server.stop()
    }
  })
})
