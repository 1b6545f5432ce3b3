/** The number of free assets is a sum that triggers keep: here it is compared with one that is counted, after every kind of change. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { ReadDb } from '#db/engine/write.ts'
import { sumOfTotals } from '#db/list-totals.ts'
import { migrate } from '#db/migrate.ts'
import { listTotals } from '#db/schema/list-totals.ts'
import { availablePage } from '#domains/assets/reservations/available.store.ts'

import { migrations as embedded } from '../../migrations/index.ts'
import { onSqlite, withPlace } from '../db/fresh.ts'
import { plansOf } from '../db/plans.ts'
import { inProcess, ok, useServer } from '../harness/index.ts'
import { createOrg } from '../orgs/helpers.ts'
import { createAsset } from './helpers.ts'
import { addCategory, reserve } from './reserving.ts'
import { imported } from './sheets.ts'

const HOUR = 3_600_000
const { server, alice } = useServer({ people: ['alice'], noAdmin: true })
let orgId: number

beforeAll(async () => {
  orgId = (await createOrg(alice)).id
})

const span = () => ({ from: Date.now() + HOUR, to: Date.now() + 2 * HOUR })
/** In tests, the server refuses to answer with another total than the counted one. */
const free = async (categoryId?: number) => {
  const query = { orgId, ...span(), size: 100, ...(categoryId !== undefined && { categoryId }) }
  const { total, items } = ok(await alice.call('assets.available', { query })).data
  expect(items).toHaveLength(total)
  return total
}
const change = async (id: number, body: object) => ok(await alice.call('assets.update', { params: { id }, body }))

test('the number of free assets follows their status, category, choice, import, loans, reservations and end', async () => {
  const yes = await addCategory(alice, orgId, { bookable: true, approval: 'NONE' })
  const below = await addCategory(alice, orgId, null, yes)
  const no = await addCategory(alice, orgId, null)
  const ids: number[] = []
  for (const [categoryId, bookable] of [
    [yes, null],
    [below, null],
    [no, null],
    [no, true],
    [yes, false],
    [null, true],
    [null, null],
  ] as const)
    ids.push((await createAsset(alice, { orgId, categoryId, bookable })).id)
  const [first, second, third] = ids as [number, number, number]
  const counts = async () => [await free(), await free(yes), await free(below), await free(no)]
  expect(await counts()).toEqual([4, 2, 1, 1])
  await change(first, { status: 'LOST' })
  expect(await counts()).toEqual([3, 1, 1, 1])
  await change(first, { status: 'IDLE', categoryId: below })
  expect(await counts()).toEqual([4, 2, 2, 1])
  await change(third, { bookable: true })
  expect(await counts()).toEqual([5, 2, 2, 2])
  await change(third, { bookable: false })
  await change(second, { categoryId: null })
  expect(await counts()).toEqual([3, 1, 1, 1])
  await change(second, { categoryId: below, bookable: null })
  ok(await alice.call('assetCategories.update', { params: { id: no }, body: { booking: { bookable: true } } }))
  ok(await alice.call('assetCategories.update', { params: { id: below }, body: { booking: { bookable: false } } }))
  expect(await counts()).toEqual([2, 0, 0, 1])
  ok(await alice.call('assetCategories.update', { params: { id: below }, body: { booking: null } }))
  const lent = ok(await alice.call('assets.checkOut', { params: { id: first }, body: { personName: 'Ms Chen' } })).data
  ok(await reserve(alice, { orgId, items: [{ assetId: second }], ...span() }))
  expect(await counts()).toEqual([2, 0, 0, 1])
  ok(await alice.call('assets.checkIn', { params: { id: first }, body: {} }))
  expect([lent.assetId, ...(await counts())]).toEqual([first, 3, 1, 1, 1])
  await imported(alice, [['Name', 'Status', 'Category'], ...Array.from({ length: 20 }, () => ['x', 'Idle', ''])], {
    orgId,
    categoryId: yes,
  })
  expect(await counts()).toEqual([23, 21, 1, 1])
  ok(await alice.call('assets.scrap', { params: { id: ids[3]! }, body: { reason: 'broken' } }))
  ok(await alice.call('assets.delete', { params: { id: ids[5]! } }))
  expect(await counts()).toEqual([21, 21, 1, 0])
})

test('assets that are there when the sums begin are counted', async () => {
  await withPlace(async (place) => {
    const all = embedded[onSqlite ? 'sqlite' : 'postgres']
    const before = all.findIndex(({ name }) => name.startsWith('0158_'))
    await migrate({ ...place, migrations: all.slice(0, before) })
    await place.raw(`insert into users (id, nickname, status, created_at, updated_at) values (1, 'A', 'ACTIVE', 0, 0)`)
    const rows = [
      [`'IDLE'`, '5', 'null', 'null'],
      [`'IN_USE'`, '5', 'true', 'null'],
      [`'IDLE'`, 'null', 'true', 'null'],
      [`'IDLE'`, '5', 'false', 'null'],
      [`'LOST'`, '5', 'true', 'null'],
      [`'IDLE'`, '5', 'true', '1'],
    ].map(
      ([status, category, bookable, deleted], i) =>
        `('u${i}', 7, 1, 'A', 'n${i}', 'n${i}', ${category}, ${status}, ${bookable}, '[]', '[]', ${deleted}, 0, 0)`,
    )
    await place.raw(
      `insert into assets (uuid, owner, user_id, name, asset_no, asset_no_key, category_id, status, bookable, photo_ids, public_fields, deleted_at, created_at, updated_at)
        values ${rows.join(', ')}`,
    )
    const { read } = await place.open()
    const totals = {
      yes: sumOfTotals('assets.bookable', [7]).mapWith(Number),
      of: sumOfTotals('assets.bookable_of', [5, 6]).mapWith(Number),
      inheriting: sumOfTotals('assets.inheriting', [5]).mapWith(Number),
    }
    expect(await read.select(totals).from(listTotals).limit(1)).toEqual([{ yes: 2, of: 1, inheriting: 1 }])
  })
})

describe.if(inProcess && onSqlite)('on SQLite', () => {
  test('a page is read from the index of numbers, and the total from sums and the busy assets', async () => {
    // Without the comparison with a counted total.
    const read = new ReadDb((server.ctx.db.read as ReadDb).runner)
    const question = { ...span(), now: Date.now() }
    const run = () =>
      availablePage(read, { orgId, bookableIds: [1, 2], categoryIds: [2, 3] }, question, { page: 1, size: 20 })
    const plans = await plansOf(read, run)
    const lines = plans.flatMap(({ plan }) => plan).filter((line) => /\bassets\b/.test(line))
    expect(lines).toContain('SEARCH assets USING INDEX assets_bookable (owner=?)')
    expect(lines.filter((line) => line.includes('SCAN'))).toEqual([])
    expect(lines.filter((line) => !/PRIMARY KEY|assets_bookable/.test(line))).toEqual([])
  })
})
