import { afterEach, describe, expect, test } from 'bun:test'

import { setSetting } from '#domains/settings/index.ts'

import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { createCode } from './helpers.ts'
import { csv, importLinks } from './link-files.ts'

describe.if(inProcess)('quotas', () => {
  const { server } = useServer()
  /** A new user in each test. */
  let alice: Person

  afterEach(() => quota(0))

  const quota = (limit: number) => server.ctx.db.write('test', (tx) => setSetting(tx, 'quota.qrCodes', limit))
  const total = async () => ok(await alice.get('/api/qr-codes')).data.total

  test('a quota of 5 QR codes lets exactly 5 of 50 concurrent requests create a code and answers 4022 to the others', async () => {
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

  test('the quota of QR codes counts every item of a batch', async () => {
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

  test('the quota of QR codes counts codes that were created while there was none, and frees the place of a deleted code', async () => {
    alice = await server.person()
    await quota(10)
    await createCode(alice)
    await quota(0)
    for (let i = 0; i < 3; i++) await createCode(alice)
    await quota(5)
    await createCode(alice)
    const more = () => alice.post('/api/qr-codes', { name: 'n', content: 'x' })
    expect((await more()).code).toBe(4022)
    for (let i = 0; i < 3; i++) {
      const [last] = ok(await alice.get('/api/qr-codes', { size: 1, sort: '-createdAt' })).data.items
      ok(await alice.delete(`/api/qr-codes/${last.id}`))
      ok(await more())
      expect((await more()).code).toBe(4022)
    }
    expect(await total()).toBe(5)
  })

  test('an import says in its dry run that the quota does not allow it, unless rows have errors', async () => {
    alice = await server.person()
    await quota(2)
    const file = (rows: readonly string[]) => csv(['target,slug', ...rows].join('\n'))
    const links = ['https://example.com/1', 'https://example.com/2', 'https://example.com/3']
    for (const dryRun of [true, false]) expect((await importLinks(alice, file(links), { dryRun })).code).toBe(4022)
    expect(
      ok(await importLinks(alice, file([...links, 'https://example.com/4,info']), { dryRun: true })).data.errors,
    ).toHaveLength(1)
    for (let i = 0; i < 3; i++) ok(await importLinks(alice, file(links.slice(1)), { dryRun: true }))
    ok(await importLinks(alice, file(links.slice(1))))
    expect(await total()).toBe(2)
  })

  test('a refused or failed creation takes no place in the quota of QR codes', async () => {
    alice = await server.person()
    await quota(3)
    const items = [1, 2].map((n) => ({ name: `n${n}`, content: 'x' }))
    for (let i = 0; i < 5; i++)
      expect((await alice.post('/api/qr-codes', { name: 'n', content: 'x', categoryId: 999_999 })).status).toBe(400)
    ok(await alice.post('/api/qr-codes/batch', { items }))
    for (let i = 0; i < 5; i++) expect((await alice.post('/api/qr-codes/batch', { items })).code).toBe(4022)
    await createCode(alice)
    expect(await total()).toBe(3)
  })

  test('the quota of QR codes is not exceeded by 20 concurrent batches', async () => {
    alice = await server.person()
    await quota(10)
    const items = Array.from({ length: 3 }, () => ({ name: 'n', content: 'x' }))
    const replies = await race(20, () => alice.post('/api/qr-codes/batch', { items }))
    expect(replies.filter((r) => r.status === 200)).toHaveLength(3)
    expect(await total()).toBe(9)
  })

  test('the quota of QR codes does not count codes in the trash, and is checked again when one is restored', async () => {
    alice = await server.person()
    await quota(2)
    const first = await createCode(alice)
    await createCode(alice)
    ok(await alice.delete(`/api/qr-codes/${first.id}`))
    const third = await createCode(alice)
    const refused = await alice.patch(`/api/qr-codes/trash/restore/${first.id}`)
    expect(refused.code).toBe(4022)
    expect((await alice.get(`/api/qr-codes/${first.id}`)).status).toBe(404)
    ok(await alice.delete(`/api/qr-codes/${third.id}`))
    ok(await alice.patch(`/api/qr-codes/trash/restore/${first.id}`))
    expect(await total()).toBe(2)
  })

  test('the quota of QR codes counts the codes of each user separately, and 0 means unlimited', async () => {
    alice = await server.person()
    await quota(1)
    await createCode(alice)
    await createCode(await server.person())
    expect((await alice.post('/api/qr-codes', { name: 'n', content: 'x' })).code).toBe(4022)
    await quota(0)
    await createCode(alice)
    expect(await total()).toBe(2)
  })

  test('the quota of QR codes can be lowered below the number of existing codes, which stay', async () => {
    alice = await server.person()
    const codes = [await createCode(alice), await createCode(alice), await createCode(alice)]
    await quota(1)
    expect(await total()).toBe(3)
    ok(await alice.put(`/api/qr-codes/${codes[0]!.id}`, { name: 'still changeable' }))
    expect((await alice.post('/api/qr-codes', { name: 'n', content: 'x' })).code).toBe(4022)
  })

  test('GET /auth/quotas reports the quota of QR codes and the usage without the trash', async () => {
    alice = await server.person()
    await quota(7)
    await createCode(alice)
    ok(await alice.delete(`/api/qr-codes/${(await createCode(alice)).id}`))
    expect(ok(await alice.get('/api/auth/quotas')).data.qrCodes).toEqual({ used: 1, limit: 7 })
  })
})
