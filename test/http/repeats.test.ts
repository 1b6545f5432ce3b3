/** `Idempotency-Key`. That every operation honours it is tested in contract/repeat.test.ts. */

import { describe, expect, test } from 'bun:test'

import { eq, sql } from 'drizzle-orm'

import { findRepeatKey, MAX_KEYS, saveRepeatKey } from '#db/repeat-keys.ts'
import { qrCodes, repeatKeys } from '#db/schema/index.ts'
import { DAY, MINUTE } from '#platform/clock.ts'

import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'

const { server, alice, bob } = useServer({ people: ['alice', 'bob'] })

const CREATE = { name: 'Menu', content: 'https://example.org' }
let keys = 0
const newKey = (): string => `key-${++keys}`

const create = (who: Person, key: string, body: object = CREATE, path = '/api/qr-codes') =>
  who.send('POST', path, { body, headers: { 'idempotency-key': key } })
const total = async (who: Person): Promise<number> => ok(await who.get('/api/qr-codes')).data.total

describe('a POST with Idempotency-Key', () => {
  test('answers the first result and creates nothing when it is sent again', async () => {
    const key = newKey()
    const first = ok(await create(alice, key))
    expect(first.headers.get('idempotency-replayed')).toBeNull()
    const before = await total(alice)
    const second = ok(await create(alice, key))
    expect([second.text, second.headers.get('idempotency-replayed')]).toEqual([first.text, 'true'])
    expect(await total(alice)).toBe(before)
  })

  test('answers the first result also when the row has changed since', async () => {
    const key = newKey()
    const first = ok(await create(alice, key))
    ok(await alice.put(`/api/qr-codes/${first.data.id}`, { name: 'Wine list' }))
    expect((await create(alice, key)).text).toBe(first.text)
  })

  test('creates one row if it is sent 50 times at once', async () => {
    const key = newKey()
    const before = await total(alice)
    const replies = await race(50, () => create(alice, key))
    const made = replies.filter(({ status }) => status === 200)
    expect(made.length).toBeGreaterThan(0)
    expect(new Set(made.map(({ data }) => data.id)).size).toBe(1)
    for (const reply of replies.filter(({ status }) => status !== 200))
      expect([reply.status, reply.code, reply.headers.get('retry-after')]).toEqual([409, 409, '1'])
    expect(await total(alice)).toBe(before + 1)
    expect(ok(await create(alice, key)).data.id).toBe(made[0]!.data.id)
  })

  test('answers 409 with code 4023 to another body, query or path with the same key', async () => {
    const key = newKey()
    ok(await create(alice, key))
    const before = await total(alice)
    const other = await create(alice, key, { ...CREATE, name: 'Wine list' })
    expect([other.status, other.code]).toEqual([409, 4023])
    expect(await total(alice)).toBe(before)
    const [one, two] = [1, 2].map((n) => `/api/chats/conversations/${n}/read`)
    expect((await create(alice, newKey(), {}, one)).status).toBe(404)
    expect((await create(alice, newKey(), {}, two)).status).toBe(404)
  })

  test('treats a body with the same values in another order as the same', async () => {
    const key = newKey()
    const { id } = ok(await create(alice, key, { name: 'a', content: 'b' })).data
    expect(ok(await create(alice, key, { content: 'b', name: 'a' })).data.id).toBe(id)
  })

  test('does not know the keys of other users, nor those of other operations', async () => {
    const key = newKey()
    const ofAlice = ok(await create(alice, key)).data.id
    const ofBob = ok(await create(bob, key, { ...CREATE, name: 'of Bob' }))
    expect(ofBob.data.id).not.toBe(ofAlice)
    expect(ofBob.headers.get('idempotency-replayed')).toBeNull()
    const category = ok(await create(alice, key, { name: `category ${key}` }, '/api/categories'))
    expect(category.data.name).toBe(`category ${key}`)
  })

  test('may be tried again with the same key after it was refused', async () => {
    const [who, key] = [await server.person(), newKey()]
    const body = { ...CREATE, categoryId: 999_999_999 }
    expect((await create(who, key, body)).status).toBe(400)
    expect((await create(who, key, body)).status).toBe(400)
    expect(ok(await create(who, key)).headers.get('idempotency-replayed')).toBeNull()
  })

  test('is refused with 400 unless the key has 1 to 128 visible ASCII characters', async () => {
    for (const key of ['a b', 'x'.repeat(129), '\u00e9', 'a\tb'])
      expect([key, (await create(alice, key)).status]).toEqual([key, 400])
    const longest = `${newKey()}${'~'.repeat(120)}`.slice(0, 128)
    ok(await create(alice, longest))
  })

  test('is not kept in operations that ignore it', async () => {
    const key = newKey()
    const path = '/api/auth/totp'
    const first = ok(await create(alice, key, {}, path))
    const second = ok(await create(alice, key, {}, path))
    expect(second.data.secret).not.toBe(first.data.secret)
    expect(second.headers.get('idempotency-replayed')).toBeNull()
  })
})

describe.if(inProcess)('keys', () => {
  const rows = (userId: number) => server.ctx.db.read.select().from(repeatKeys).where(eq(repeatKeys.userId, userId))

  test('contain neither the key nor the request nor the answer in clear', async () => {
    const who = await server.person()
    const key = `secret-key-${newKey()}`
    ok(await create(who, key, { ...CREATE, name: 'a private name' }))
    const stored = JSON.stringify(await rows(who.id))
    for (const text of [key, 'private', 'example']) expect(stored).not.toContain(text)
  })

  test('end after 24 hours by the clock of the server, and a job deletes them', async () => {
    const who = await server.person()
    const key = newKey()
    const { id } = ok(await create(who, key)).data
    const [row] = await rows(who.id)
    expect(await findRepeatKey(server.ctx.db.read, who.id, row!.key, row!.createdAt + DAY - 1)).toBeDefined()
    expect(await findRepeatKey(server.ctx.db.read, who.id, row!.key, row!.createdAt + DAY)).toBeUndefined()
    server.clock.advance(DAY - MINUTE)
    expect(ok(await create(who, key)).data.id).toBe(id)
    server.clock.advance(2 * MINUTE)
    const later = ok(await create(who, key))
    expect([later.data.id === id, later.headers.get('idempotency-replayed')]).toEqual([false, null])
    server.clock.advance(2 * DAY)
    for (const domain of (await import('#app')).domains)
      if (domain.name === 'accounts') for (const job of domain.jobs) await job.run(server.ctx)
    expect(await rows(who.id)).toEqual([])
  })

  test('are limited to 10,000 for each user, the oldest are deleted, and larger answers leave room for fewer', async () => {
    const who = await server.person()
    const key = (n: number) => `stored ${n}`
    // Not expired, or the job that cleans up would delete them meanwhile.
    const start = server.clock.now()
    const add = (from: number, to: number, content: string) =>
      server.ctx.db.write(
        'test.keys',
        async (tx) => {
          for (let n = from; n <= to; n++)
            await saveRepeatKey(tx, { userId: who.id, key: key(n), fingerprint: '', content, createdAt: start + n })
        },
        { maxMs: 10 * MINUTE },
      )
    await add(1, MAX_KEYS, 'x')
    expect(await rows(who.id)).toHaveLength(MAX_KEYS)
    ok(await create(who, newKey()))
    await add(MAX_KEYS + 1, MAX_KEYS + 2, 'x')
    const left = (await rows(who.id)).map((row) => row.createdAt - start).toSorted((a, b) => a - b)
    expect([left.length, left[0]]).toEqual([MAX_KEYS, 4])
    await add(MAX_KEYS + 3, MAX_KEYS + 3, 'x'.repeat(4096 * 1000))
    expect(await rows(who.id)).toHaveLength(MAX_KEYS - 999)
  })

  test('are deleted with the account', async () => {
    const who = await server.person()
    ok(await create(who, newKey()))
    expect(await rows(who.id)).toHaveLength(1)
    ok(await who.post('/api/auth/account/delete'))
    expect(await rows(who.id)).toEqual([])
  })

  test('are not stored for a request without the header', async () => {
    const who = await server.person()
    ok(await who.post('/api/qr-codes', CREATE))
    expect(await rows(who.id)).toEqual([])
  })

  test('let a repeat continue a request that failed after its first write', async () => {
    const who = await server.person()
    const key = newKey()
    const count = async () => {
      const [row] = await server.ctx.db.read
        .select({ n: sql<number>`count(*)` })
        .from(qrCodes)
        .where(eq(qrCodes.userId, who.id))
      return Number(row!.n)
    }
    const { db } = server.ctx
    const write = db.write.bind(db)
    // The write of the answer fails as if the server were killed.
    db.write = (name, ...rest) =>
      name === 'http.keepAnswer' ? Promise.reject(new Error('killed')) : write(name, ...rest)
    expect((await create(who, key)).status).toBe(500)
    db.write = write
    expect(await count()).toBe(1)
    const again = ok(await create(who, key))
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect([await count(), (await total(who)) === 1]).toEqual([1, true])
  })
})
