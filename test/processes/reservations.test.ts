/** Reservations, check-outs and takes of one time while several processes serve them. */

import { describe, expect, test } from 'bun:test'

import { ok, race } from '../harness/index.ts'
import { addMembers } from '../orgs/helpers.ts'
import { onPostgres, sendTo, withServers } from './several.ts'

const HOUR = 3_600_000

describe.if(onPostgres)('with three processes', () => {
  test('no asset is reserved or lent twice by requests at once', async () => {
    await withServers(3, async ({ servers }) => {
      const [first] = servers
      const [owner, ann, ben] = [await first!.person(), await first!.person(), await first!.person()]
      const orgId = ok(await sendTo(first!, owner, 'POST', '/api/orgs', { body: { name: 'School' } })).data.id
      await addMembers(owner, { id: orgId }, ann, ben)
      const post = (i: number, person: typeof ann, path: string, body: object) =>
        sendTo(servers[i % 3]!, person, 'POST', path, { body })
      const booking = { bookable: true, approval: 'NONE' }
      const category = { name: 'Tablets', orgId, booking }
      const categoryId = ok(await post(0, owner, '/api/assets/categories', category)).data.id as number
      const asset = async () =>
        ok(await post(0, owner, '/api/assets', { name: 'Tablet', orgId, categoryId })).data.id as number
      const reserve = (i: number, items: object[], from: number, to: number) =>
        post(i, i % 2 ? ann : ben, '/api/assets/reservations', { orgId, items, from, to })
      const start = Date.now() + HOUR

      // One time.
      const one = await asset()
      const same = await race(20, (i) => reserve(i, [{ assetId: one }], start, start + HOUR))
      expect(same.map(({ status }) => status).toSorted()).toEqual([200, ...Array<number>(19).fill(400)])

      // Overlapping, unequal times.
      const two = await asset()
      const step = HOUR / 3
      const unequal = await race(20, (i) => reserve(i, [{ assetId: two }], start + i * step, start + i * step + HOUR))
      const kept = unequal
        .filter(({ status }) => status === 200)
        .map(({ data }) => data as { from: number; to: number })
      kept.sort((a, b) => a.from - b.from)
      expect(kept.length).toBeGreaterThan(0)
      for (const [i, { from }] of kept.entries()) if (i > 0) expect(from).toBeGreaterThanOrEqual(kept[i - 1]!.to)

      // A check-out and a reservation.
      for (let round = 0; round < 5; round++) {
        const id = await asset()
        const both = await race(2, (i) =>
          i === 0
            ? post(round, owner, `/api/assets/${id}/check-out`, { personName: 'Ms Chen', dueAt: start + 2 * HOUR })
            : reserve(round + 1, [{ assetId: id }], start, start + HOUR),
        )
        expect(both.map(({ status }) => status).toSorted()).toEqual([200, 400])
      }

      // By category: of the tablets above, some are taken.
      const free = async () => {
        const path = `/api/assets/available?orgId=${orgId}&from=${start}&to=${start + HOUR}`
        return ok(await sendTo(servers[0]!, ann, 'GET', path)).data.total as number
      }
      for (let i = 0; i < 10; i++) await asset()
      const all = await free()
      const some = await race(6, (i) => reserve(i, [{ categoryId, quantity: 3 }], start, start + HOUR))
      const given = some.filter(({ status }) => status === 200).length
      expect(given).toBe(Math.floor(all / 3))
      expect(await free()).toBe(all - 3 * given)
      const ids = some.flatMap(({ status, data }) =>
        status === 200 ? (data as { items: { assetId: number }[] }).items.map(({ assetId }) => assetId) : [],
      )
      expect(new Set(ids).size).toBe(ids.length)

      // A POOL.
      const pool = ok(await post(0, owner, '/api/supplies', { name: 'Chairs', kind: 'POOL', orgId })).data.id as number
      ok(await post(0, owner, `/api/supplies/${pool}/movements`, { type: 'IN', quantity: 10 }))
      const chairs = await race(12, (i) =>
        reserve(i, [{ supplyId: pool, quantity: 3 }], start + 9 * HOUR, start + 10 * HOUR),
      )
      expect(chairs.filter(({ status }) => status === 200)).toHaveLength(3)
      for (const { status } of chairs) expect([200, 400]).toContain(status)
    })
  })
})
