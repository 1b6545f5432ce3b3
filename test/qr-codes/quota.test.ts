import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'

import { setSetting } from '#domains/settings/index.ts'

import { inProcess, type Person, race, startServer, type TestServer } from '../harness/index.ts'
import { makeCode, ok } from './helpers.ts'

describe.if(inProcess)('the quota of QR codes', () => {
  let server: TestServer
  let alice: Person

  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.stop())
  afterEach(() => quota(0))

  const quota = (limit: number) =>
    server.ctx.db.write('test', (tx) => setSetting(server.ctx, tx, 'quota.qrCodes', limit))
  const total = async () => ok(await alice.get('/api/qr-codes')).data.total

  test('50 at once against a quota of 5: exactly 5 codes, the others 4022', async () => {
    alice = await server.person()
    await quota(5)
    const replies = await race(50, (i) => alice.post('/api/qr-codes', { name: `n${i}`, content: 'x' }))
    expect(replies.filter((r) => r.status === 200)).toHaveLength(5)
    for (const reply of replies.filter((r) => r.status !== 200)) {
      expect(reply.status).toBe(429)
      expect(reply.code).toBe(4022)
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect(await total()).toBe(5)
  })

  test('a batch counts as all its items', async () => {
    alice = await server.person()
    await quota(5)
    const batch = (n: number) =>
      alice.post('/api/qr-codes/batch', { items: Array.from({ length: n }, () => ({ name: 'n', content: 'x' })) })
    expect((await batch(6)).code).toBe(4022)
    expect(await total()).toBe(0)
    ok(await batch(3))
    expect((await batch(3)).code).toBe(4022)
    ok(await batch(2))
    expect((await batch(1)).code).toBe(4022)
    expect(await total()).toBe(5)
  })

  test('20 batches at once never pass it', async () => {
    alice = await server.person()
    await quota(10)
    const items = Array.from({ length: 3 }, () => ({ name: 'n', content: 'x' }))
    const replies = await race(20, () => alice.post('/api/qr-codes/batch', { items }))
    expect(replies.filter((r) => r.status === 200)).toHaveLength(3)
    expect(await total()).toBe(9)
  })

  test('what is in the trash does not count, so restoring asks again', async () => {
    alice = await server.person()
    await quota(2)
    const first = await makeCode(alice)
    await makeCode(alice)
    ok(await alice.delete(`/api/qr-codes/${first.id}`))
    const third = await makeCode(alice)
    const refused = await alice.patch(`/api/qr-codes/trash/restore/${first.id}`)
    expect(refused.code).toBe(4022)
    expect((await alice.get(`/api/qr-codes/${first.id}`)).status).toBe(404)
    ok(await alice.delete(`/api/qr-codes/${third.id}`))
    ok(await alice.patch(`/api/qr-codes/trash/restore/${first.id}`))
    expect(await total()).toBe(2)
  })

  test('is each one’s own, and 0 is no limit', async () => {
    alice = await server.person()
    await quota(1)
    await makeCode(alice)
    await makeCode(await server.person())
    expect((await alice.post('/api/qr-codes', { name: 'n', content: 'x' })).code).toBe(4022)
    await quota(0)
    await makeCode(alice)
    expect(await total()).toBe(2)
  })

  test('a quota below what somebody has takes nothing away', async () => {
    alice = await server.person()
    const codes = [await makeCode(alice), await makeCode(alice), await makeCode(alice)]
    await quota(1)
    expect(await total()).toBe(3)
    ok(await alice.put(`/api/qr-codes/${codes[0]!.id}`, { name: 'still mine to change' }))
    expect((await alice.post('/api/qr-codes', { name: 'n', content: 'x' })).code).toBe(4022)
  })

  test('quotas tell what is used', async () => {
    alice = await server.person()
    await quota(7)
    await makeCode(alice)
    ok(await alice.delete(`/api/qr-codes/${(await makeCode(alice)).id}`))
    expect(ok(await alice.get('/api/auth/quotas')).data.qrCodes).toEqual({ used: 1, limit: 7 })
  })
})
