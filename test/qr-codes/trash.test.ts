import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { purgeTrash } from '#domains/qr-codes/index.ts'

import { inProcess, ok, type Person, race, startServer, useServer } from '../harness/index.ts'
import { allPages, createCategory, createCode } from './helpers.ts'

const { server, alice, mallory } = useServer({ people: ['alice', 'mallory'] })

const DAY = 86_400_000
const trashOf = async (who: Person) => ok(await who.get('/api/qr-codes/trash')).data

describe('deleting and restoring', () => {
  test('the trash contains deleted codes, which are found nowhere else', async () => {
    const me = await server.person()
    const code = await createCode(me, { isPublic: true })
    expect(ok(await me.delete(`/api/qr-codes/${code.id}`)).data).toBeNull()
    expect((await me.get(`/api/qr-codes/${code.id}`)).status).toBe(404)
    expect((await me.put(`/api/qr-codes/${code.id}`, { name: 'x' })).status).toBe(404)
    expect((await me.delete(`/api/qr-codes/${code.id}`)).status).toBe(404)
    expect((await server.request('GET', `/api/qr-codes/public/${code.uuid}`)).status).toBe(404)
    expect(ok(await me.get('/api/qr-codes')).data.total).toBe(0)
    const { items, total } = await trashOf(me)
    expect(total).toBe(1)
    expect(items[0]).toEqual({ ...code, version: 2, deletedAt: items[0].updatedAt, updatedAt: expect.any(Number) })
  })

  test('the trash lists the codes that were deleted last first, in pages', async () => {
    const me = await server.person()
    const made = []
    for (let i = 0; i < 5; i++) made.push(await createCode(me))
    for (const code of [made[1]!, made[4]!, made[0]!, made[2]!]) ok(await me.delete(`/api/qr-codes/${code.id}`))
    const expected = [made[2]!, made[0]!, made[4]!, made[1]!].map((c) => c.id)
    expect((await allPages(me, '/api/qr-codes/trash', 3)).map((c) => c.id)).toEqual(expected)
  })

  test('restoring a code gives it back unchanged, with a new version', async () => {
    const categoryId = await createCategory(alice, 'kept')
    const code = await createCode(alice, { categoryId, isPublic: true, tags: ['t'] })
    ok(await alice.patch(`/api/qr-codes/${code.id}/pin`, { pinned: true }))
    ok(await alice.delete(`/api/qr-codes/${code.id}`))
    const { data } = ok(await alice.patch(`/api/qr-codes/trash/restore/${code.id}`))
    expect(data).toEqual({ ...code, pinned: true, version: 4, updatedAt: data.updatedAt })
    expect(ok(await alice.get(`/api/qr-codes/${code.id}`)).data).toEqual(data)
    expect((await trashOf(alice)).items.map((c: { id: number }) => c.id)).not.toContain(code.id)
    expect((await alice.patch(`/api/qr-codes/trash/restore/${code.id}`)).status).toBe(404)
  })

  test('one code in the trash is deleted permanently, once and only by its owner, and not a code outside the trash', async () => {
    const me = await server.person()
    const [kept, gone] = [await createCode(me), await createCode(me)]
    for (const { id } of [kept, gone]) ok(await me.delete(`/api/qr-codes/${id}`))
    const remove = (who: Person, id: number) => who.call('qrCodes.deleteTrashed', { params: { id } })
    expect((await remove(mallory, gone.id)).status).toBe(404)
    const statuses = (await race(10, () => remove(me, gone.id))).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, ...Array<number>(9).fill(404)])
    expect((await trashOf(me)).items.map((code: { id: number }) => code.id)).toEqual([kept.id])
    const live = await createCode(me)
    expect((await remove(me, live.id)).status).toBe(404)
    expect((await me.get(`/api/qr-codes/${live.id}`)).status).toBe(200)
  })

  test('restoring a code clears its category if that has been deleted', async () => {
    const categoryId = await createCategory(alice, 'temporary')
    const code = await createCode(alice, { categoryId })
    ok(await alice.delete(`/api/qr-codes/${code.id}`))
    ok(await alice.delete(`/api/categories/${categoryId}`))
    expect(ok(await alice.patch(`/api/qr-codes/trash/restore/${code.id}`)).data.categoryId).toBeNull()
  })

  test('the trash of another user can be neither restored nor emptied, and answers 401 without a token', async () => {
    const code = await createCode(alice)
    ok(await alice.delete(`/api/qr-codes/${code.id}`))
    expect((await mallory.patch(`/api/qr-codes/trash/restore/${code.id}`)).status).toBe(404)
    expect(ok(await mallory.delete('/api/qr-codes/trash')).data).toEqual({ deleted: 0 })
    expect((await server.request('DELETE', '/api/qr-codes/trash')).status).toBe(401)
    expect((await server.request('GET', '/api/qr-codes/trash')).status).toBe(401)
    expect((await server.request('PATCH', `/api/qr-codes/trash/restore/${code.id}`)).status).toBe(401)
    expect((await alice.patch('/api/qr-codes/trash/restore/abc')).status).toBe(400)
    ok(await alice.patch(`/api/qr-codes/trash/restore/${code.id}`))
  })

  test('exactly one of ten concurrent requests restores a code', async () => {
    const code = await createCode(alice)
    ok(await alice.delete(`/api/qr-codes/${code.id}`))
    const replies = await race(10, () => alice.patch(`/api/qr-codes/trash/restore/${code.id}`))
    expect(replies.map((r) => r.status).toSorted()).toEqual([200, ...Array<number>(9).fill(404)])
  })

  test('the trash is emptied completely, even if it takes several transactions, and other codes stay', async () => {
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
    expect(ok(await me.get('/api/qr-codes')).data.items).toEqual([{ ...kept, warnings: undefined }])
    expect((await me.patch(`/api/qr-codes/trash/restore/${made[0].id}`)).status).toBe(404)
  })

  test('the trash keeps the scan records of codes that are deleted permanently, without the link', async () => {
    const me = await server.person()
    const code = await createCode(me)
    const scan = ok(await me.post('/api/scan-records', { content: code['publicUrl'] })).data
    expect(scan.qrCodeId).toBe(code.id)
    ok(await me.delete(`/api/qr-codes/${code.id}`))
    ok(await me.delete('/api/qr-codes/trash'))
    expect(ok(await me.get('/api/scan-records')).data.items).toEqual([{ ...scan, qrCodeId: null, resolved: undefined }])
  })
})

describe.if(inProcess)('purging', () => {
  test('after 30 days a code in the trash is neither listed, counted nor restorable, even before the job has run', async () => {
    const server = await startServer()
    try {
      const me = await server.person()
      const signInAgain = async () => {
        const body = { account: me.username, password: me.password }
        me.token = ok(await server.request('POST', '/api/auth/login', { deviceId: me.deviceId, body })).data.accessToken
      }
      const [early, late] = [await createCode(me), await createCode(me)]
      ok(await me.delete(`/api/qr-codes/${early.id}`))
      server.clock.advance(DAY)
      ok(await me.delete(`/api/qr-codes/${late.id}`))
      server.clock.advance(29 * DAY - 60_000)
      await signInAgain()
      expect((await trashOf(me)).total).toBe(2)
      server.clock.advance(120_000)
      expect((await trashOf(me)).items.map((c: { id: number }) => c.id)).toEqual([late.id])
      expect(ok(await me.get('/api/qr-codes/stats')).data.trashCount).toBe(1)
      expect((await me.patch(`/api/qr-codes/trash/restore/${early.id}`)).status).toBe(404)
      ok(await me.patch(`/api/qr-codes/trash/restore/${late.id}`))
    } finally {
      await server.stop()
    }
  })

  test('the job that purges the trash deletes codes of all users that were deleted more than 30 days ago, and no others', async () => {
    const server = await startServer()
    try {
      const people = [await server.person(), await server.person()]
      const old = await Promise.all(people.map((who) => createCode(who)))
      const live = await Promise.all(people.map((who) => createCode(who)))
      await Promise.all(people.map((who, i) => who.delete(`/api/qr-codes/${old[i]!.id}`)))
      server.clock.advance(29 * DAY)
      // Access tokens are valid for seven days only, so the database is read directly from here on.
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

  test('the job reads and deletes any number of codes, also those that were created at the same time', async () => {
    const server = await startServer()
    try {
      const { qrCodes } = await import('#db/schema/qr-codes.ts')
      const me = await server.person()
      const { id } = await createCode(me)
      const [row] = await server.ctx.db.read.select().from(qrCodes).where(eq(qrCodes.id, id))
      const [count, at] = [2100, server.clock.now()]
      await server.ctx.db.write('test.addTrash', async (tx) => {
        for (let i = 0; i < count; i++) {
          const { id: _, ...copy } = row!
          // Every third one is too young, and every seventh is not in the trash.
          const deletedAt = i % 7 === 0 ? null : i % 3 === 0 ? at : at - 31 * DAY
          await tx.insert(qrCodes).values({ ...copy, uuid: crypto.randomUUID(), deletedAt })
        }
      })
      await purgeTrash(server.ctx)
      const left = await server.ctx.db.read.select({ deletedAt: qrCodes.deletedAt }).from(qrCodes)
      const live = left.filter(({ deletedAt }) => deletedAt === null).length
      expect([live, left.length - live]).toEqual([1 + count / 7, count / 3 - count / 21])
    } finally {
      await server.stop()
    }
  })
})
