/** Limits that keep one account from filling the disk or the memory of the server by pushes. */

import { describe, expect, test } from 'bun:test'

import { spend } from '#db/counters.ts'
import { CONFLICT_SPACE } from '#domains/sync/conflicts/conflicts.model.ts'
import { usesOf } from '#http/budget.ts'
import { DAY } from '#platform/clock.ts'

import { inProcess, ok, race, until, useServer } from '../harness/index.ts'
import { createCategory } from '../qr-codes/helpers.ts'
import { conflictsOf, newCategory, push, record } from './push-helpers.ts'

describe.if(inProcess)('limits of pushes by one user', () => {
  const { server, alice, bob } = useServer({ people: ['alice', 'bob'], noAdmin: true, rateLimit: true })

  test('conflicts of one user take at most 64 MB in 90 days, and records beyond it are rejected with 4022', async () => {
    const id = await createCategory(alice, 'contested')
    ok(await alice.call('categories.update', { params: { id }, body: { name: 'changed' } }))
    const lost = (kilobytes: number) =>
      record({ serverId: id, baseVersion: 1, updatedAt: 1, data: { name: 'lost', note: 'x'.repeat(kilobytes * 1024) } })
    const { ctx, clock } = server
    const actor = { userId: alice.id }
    const uses = await usesOf(ctx, CONFLICT_SPACE, { actor, caller: { ip: '' } }, 65_536 - 150)
    await ctx.db.write('test.conflicts', (tx) => spend(tx, uses, clock.now()))
    const results = await push(alice, lost(100), lost(100), lost(1))
    // They have one row, so they are judged one after the other.
    expect(results.map(({ status, code }) => [status, code])).toEqual([
      ['CONFLICT', undefined],
      ['REJECTED', 4022],
      ['CONFLICT', undefined],
    ])
    expect(await conflictsOf(alice)).toHaveLength(2)
    clock.advance(91 * DAY)
    try {
      const again = { headers: { 'x-device-id': alice.deviceId } }
      const body = { account: alice.username, password: alice.password }
      const { data } = ok(await server.call('auth.login', { body, ...again }))
      alice.token = data.accessToken
      expect((await push(alice, lost(100)))[0]).toMatchObject({ status: 'CONFLICT' })
    } finally {
      clock.advance(-91 * DAY)
    }
  })

  test('pushes of one user that wait have at most 16 MB, and further ones are answered with 429', async () => {
    const large = () => newCategory('large', {}, { note: 'x'.repeat(4 * 1024 * 1024) })
    // A push that takes long, so that the others wait for it: they come from the same device.
    const assets = Array.from({ length: 500 }, (_, i) => record({ entity: 'asset', data: { name: `asset ${i}` } }))
    const running = push(bob, ...assets)
    await until(async () => ok(await bob.get('/api/assets')).data.total > 0)
    const replies = await race(6, () => bob.post('/api/sync/push', { records: [large()] }))
    await running
    const refused = replies.filter(({ status }) => status === 429)
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 429]))
    expect(refused[0]!.code).toBe(4022)
    expect(Number(refused[0]!.headers.get('retry-after'))).toBeGreaterThan(0)
    // Nothing stays counted.
    expect((await push(bob, newCategory('small')))[0]).toMatchObject({ status: 'APPLIED' })
    for (let i = 0; i < 5; i += 1)
      expect((await push(bob, large()))[0]).toMatchObject({ status: 'REJECTED', code: 400 })
  })
})
