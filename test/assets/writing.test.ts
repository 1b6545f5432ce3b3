/** The writes of many assets at once, as imports make them. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import type { Runner } from '#db/query/builders.ts'
import { assets } from '#db/schema/assets.ts'
import type { Tx } from '#db/store.ts'
import { insertAssets, limitsOf, type NewItem, updateAssets } from '#domains/assets/writing.service.ts'
import { setSetting } from '#domains/settings/index.ts'
import { InvalidRequest } from '#http/validate.ts'

import { inProcess, type Person, useServer } from '../harness/index.ts'
import { addMembers, createOrg, type Org } from '../orgs/helpers.ts'
import { createAsset, createLocation, transfersOf } from './helpers.ts'

describe.if(inProcess)('writes of many assets', () => {
  const { server, owner, member } = useServer({ people: ['owner', 'member'], noAdmin: true })
  let org: Org
  let store: number

  beforeAll(async () => {
    org = await createOrg(owner)
    await addMembers(owner, org, member)
    store = await createLocation(owner, org.id, 'Store')
  })

  const inOrg = () => ({ userId: owner.id, orgId: org.id })
  const item = (i: number, change: NewItem['change'] = {}): NewItem => ({ name: `a ${i}`, change, path: `rows.${i}` })
  const many = (count: number, change: (i: number) => NewItem['change'] = () => ({})) =>
    Array.from({ length: count }, (_, i) => item(i, change(i)))

  async function insert(items: readonly NewItem[], options = {}, who = inOrg()) {
    const limits = await limitsOf(server.ctx)
    return server.ctx.db.write('test.insert', (tx) => insertAssets(server.ctx, tx, who, limits, items, options))
  }
  const rowsOf = () => server.ctx.db.read.select().from(assets).where(eq(assets.owner, org.id))
  const problemsOf = async (write: Promise<unknown>) => {
    const error = await write.then(
      () => undefined,
      (caught: unknown) => caught,
    )
    expect(error).toBeInstanceOf(InvalidRequest)
    return (error as InvalidRequest).problems.map(({ path }) => path)
  }

  /** The number of statements of a write. */
  async function statementsOf(write: (tx: Tx) => Promise<unknown>): Promise<number> {
    let count = 0
    await server.ctx.db.write('test.count', async (tx) => {
      const { runner } = tx as unknown as { runner: Runner }
      const { rows } = runner
      runner.rows = ((sql, params) => {
        count += 1
        return rows.call(runner, sql, params)
      }) as Runner['rows']
      await write(tx)
      runner.rows = rows
    })
    return count
  }

  test('1,000 assets are inserted and updated with few statements, in their order', async () => {
    const limits = await limitsOf(server.ctx)
    let inserted: Awaited<ReturnType<typeof insert>> = []
    const items = many(1000, (i) => (i % 2 === 0 ? {} : { assetNo: `B-${i}`, custodianId: owner.id }))
    const inserts = await statementsOf(async (tx) => {
      inserted = await insertAssets(server.ctx, tx, inOrg(), limits, items)
    })
    expect(inserts).toBeLessThan(30)
    expect(inserted.map(({ name }) => name)).toEqual(items.map(({ name }) => name))
    expect(new Set(inserted.map(({ assetNoKey }) => assetNoKey)).size).toBe(1000)
    expect(inserted.filter(({ assetNo }) => assetNo.startsWith('A-'))).toHaveLength(500)
    const updates = await statementsOf(async (tx) => {
      const changes = inserted.map((row, i) => ({
        row,
        change: i < 900 ? { locationId: store, brand: `brand ${i}` } : { brand: '' },
        path: `rows.${i}`,
      }))
      const { rows, transfers } = await updateAssets(server.ctx, tx, inOrg(), changes, { note: 'import' })
      expect(rows.map(({ version }) => version)).toEqual(inserted.map((_, i) => (i < 900 ? 2 : 1)))
      expect(transfers).toHaveLength(900)
    })
    expect(updates).toBeLessThan(30)
    const stored = new Map((await rowsOf()).map((row) => [row.id, row]))
    for (const [i, { id, createdAt }] of inserted.entries())
      expect(stored.get(id)).toMatchObject({
        name: `a ${i}`,
        brand: i < 900 ? `brand ${i}` : '',
        locationId: i < 900 ? store : null,
        createdAt,
      })
    expect(await transfersOf(owner, inserted[0]!.id)).toMatchObject([{ toLocationName: 'Store', note: 'import' }])
  })

  test('one bad item refuses all of them, and every problem is reported at its item', async () => {
    const before = (await rowsOf()).length
    await createAsset(owner, { orgId: org.id, assetNo: 'taken' })
    const paths = await problemsOf(
      insert([
        item(0, { assetNo: 'TAKEN' }),
        item(1, { assetNo: 'twice' }),
        item(2, { assetNo: 'Twice' }),
        item(3, { categoryId: 999_999 }),
        item(4, { custodianId: 999_999 }),
        item(5, { locationId: 999_999 }),
        item(6, { status: 'SCRAPPED' }),
        item(7, { latitude: 1, longitude: null }),
        item(8, { publicFields: ['field:999999'] }),
        item(9),
      ]),
    )
    expect(paths.toSorted()).toEqual([
      'rows.0.assetNo',
      'rows.2.assetNo',
      'rows.3.categoryId',
      'rows.4.custodianId',
      'rows.5.locationId',
      'rows.6.status',
      'rows.7.longitude',
      'rows.8.publicFields.0',
    ])
    expect(await rowsOf()).toHaveLength(before + 1)
  })

  test('updates refuse taken numbers, changes of scrapped assets and unknown references together', async () => {
    const [first, second, scrapped] = await insert(
      [item(0, { assetNo: 'u-1' }), item(1, { assetNo: 'u-2' }), item(2, { status: 'SCRAPPED' })],
      { acceptScrapped: true },
    )
    expect(scrapped).toMatchObject({ status: 'SCRAPPED', scrappedAt: scrapped!.createdAt })
    const changes = [
      { row: first!, change: { assetNo: 'U-2' }, path: 'rows.0' },
      { row: second!, change: { assetNo: '' }, path: 'rows.1' },
      { row: scrapped!, change: { status: 'IDLE' as const, name: 'x' }, path: 'rows.2' },
    ]
    const write = server.ctx.db.write('test.update', (tx) => updateAssets(server.ctx, tx, inOrg(), changes))
    expect((await problemsOf(write)).toSorted()).toEqual(['rows.0.assetNo', 'rows.1.assetNo', 'rows.2.status'])
  })

  test('the quota counts every asset of a write', async () => {
    const user: Person = await server.person()
    const personal = { userId: user.id, orgId: 0 }
    const set = (quota: number) => server.ctx.db.write('test', (tx) => setSetting(tx, 'quota.assets', quota))
    await set(5)
    try {
      await expect(insert(many(6), {}, personal)).rejects.toMatchObject({ code: 4022 })
      expect(await insert(many(3), {}, personal)).toHaveLength(3)
      await expect(insert(many(3), {}, personal)).rejects.toMatchObject({ code: 4022 })
      expect(await insert(many(2), {}, personal)).toHaveLength(2)
    } finally {
      await set(100_000)
    }
  })

  test('generated numbers avoid those that other items of the same write give', async () => {
    const user = await server.person()
    const year = new Date().getFullYear()
    const items = [item(0), item(1, { assetNo: `a-${year}-00001` }), item(2)]
    const rows = await insert(items, {}, { userId: user.id, orgId: 0 })
    expect(rows.map(({ assetNo }) => assetNo)).toEqual([`A-${year}-00002`, `a-${year}-00001`, `A-${year}-00003`])
  })
})
