/** Imports whose rows, names or fields somebody changes after the rows were checked, and before they are written. */

import { afterEach, beforeAll, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { assets } from '#db/schema/assets.ts'

import { inProcess, ok, useServer } from '../harness/index.ts'
import { createField } from '../metadata/helpers.ts'
import { addMembers, createOrg, leave, setRole } from '../orgs/helpers.ts'
import { createAsset, createLocation, getAsset, updateAsset } from './helpers.ts'
import { type Cells, sendImport } from './sheets.ts'

const { server, alice, bob } = useServer({ people: ['alice', 'bob'], noAdmin: true })
let orgId: number
let restore = () => {}

beforeAll(async () => {
  orgId = (await createOrg(alice)).id
  await addMembers(alice, { id: orgId }, bob)
  await setRole(alice, { id: orgId }, bob, 'ADMIN')
})
afterEach(() => restore())

/** Runs `meanwhile` once, right before the write of the next import. */
function beforeTheWrite(meanwhile: () => Promise<unknown>): void {
  const { db } = server.ctx
  const { write } = db
  restore = () => {
    db.write = write
  }
  db.write = async (name, ...rest) => {
    if (name === 'assets.import') {
      restore()
      await meanwhile()
    }
    return write.call(db, name, ...rest) as never
  }
}

const send = (rows: Cells[], fields: object = {}) => sendImport(alice, rows, { orgId, ...fields })
const createCategory = async (name: string) =>
  ok(await alice.call('assetCategories.create', { body: { name, orgId } })).data
const rows: Cells[] = [
  ['Name', 'Asset no.', 'Category', 'Location', 'Custodian'],
  ['first', 'L-1', 'Chairs', 'Hall', 'bob'],
  ['second', 'L-2', 'Chairs', 'Hall', ''],
]
const find = async (keyword: string) => ok(await alice.call('assets.list', { query: { orgId, keyword } })).data.items

test.if(inProcess)('an asset that was changed or created meanwhile is updated as it is now', async () => {
  await createCategory('Chairs')
  await createLocation(alice, orgId, 'Hall')
  const known = await createAsset(alice, { orgId, name: 'known', assetNo: 'L-1' })
  let made = 0
  beforeTheWrite(async () => {
    ok(await updateAsset(bob, known.id, { brand: 'Acme', name: 'other' }))
    made = (await createAsset(bob, { orgId, name: 'made', assetNo: 'L-2', brand: 'Acme' })).id
  })
  expect(ok(await send(rows)).data).toMatchObject({ created: 0, updated: 2 })
  expect(ok(await getAsset(alice, known.id)).data).toMatchObject({ name: 'first', brand: 'Acme', version: 3 })
  expect(ok(await getAsset(alice, made)).data).toMatchObject({ name: 'second', brand: 'Acme' })
  expect(await find('L-2')).toHaveLength(1)
})

test.if(inProcess)('columns that change without the version of an asset stay', async () => {
  const known = await createAsset(alice, { orgId, name: 'counted', assetNo: 'C-1' })
  beforeTheWrite(() =>
    server.ctx.db.write('test.count', (tx) =>
      tx
        .update(assets)
        .set({ lastCountedOn: '2026-01-02' })
        .where(eq(assets.id, known.id))
        .returning({ id: assets.id }),
    ),
  )
  const list = [
    ['Asset no.', 'Name'],
    ['C-1', 'renamed'],
  ]
  expect(ok(await send(list)).data).toMatchObject({ updated: 1 })
  const [row] = await server.ctx.db.read.select().from(assets).where(eq(assets.id, known.id))
  expect(row).toMatchObject({ name: 'renamed', lastCountedOn: '2026-01-02' })
})

test.if(inProcess)(
  'a category, a location, a custodian or a field that is gone meanwhile refuses the import',
  async () => {
    const list = (n: number, category: string, location: string, custodian: string, value = ''): Cells[] => [
      ['Name', 'Asset no.', 'Category', 'Location', 'Custodian', 'Weight'],
      ['one', `G-${n}`, category, location, custodian, value],
    ]
    const field = await createField(alice, { name: 'Weight', type: 'NUMBER' }, { orgId })
    const category = await createCategory('Tables')
    const location = await createLocation(alice, orgId, 'Cellar')
    const meanwhile: [Cells[], () => Promise<unknown>, string | undefined][] = [
      [
        list(1, 'Tables', '', ''),
        () => alice.call('assetCategories.delete', { params: { id: category.id } }),
        'category',
      ],
      [
        list(2, '', 'Cellar', ''),
        () => alice.call('locations.delete', { params: { orgId, locationId: location } }),
        'location',
      ],
      [list(3, '', '', 'bob'), () => leave(bob, { id: orgId }), 'custodian'],
      [
        list(4, '', '', '', '7'),
        () => alice.put(`/api/orgs/${orgId}/meta/objects/asset/fields/${field.id}`, { config: { max: 5 } }),
        `field:${field.id}`,
      ],
    ]
    for (const [file, change, key] of meanwhile) {
      beforeTheWrite(async () => ok((await change()) as never))
      const reply = await send(file)
      expect(reply.status).toBe(400)
      expect(reply.text).toContain(`rows.2.${key}`)
    }
    expect(await find('G-')).toEqual([])
  },
)

test.if(inProcess)('a category that somebody creates meanwhile is taken, and not created twice', async () => {
  const file: Cells[] = [
    ['Name', 'Asset no.', 'Category'],
    ['one', 'M-1', 'Lamps / Desk lamps'],
    ['two', 'M-2', 'Lamps / Desk lamps'],
  ]
  let id = 0
  beforeTheWrite(async () => {
    id = (await createCategory('Lamps')).id
  })
  expect(ok(await send(file, { createCategories: true })).data).toMatchObject({ created: 2 })
  const tree = ok(await alice.call('assetCategories.tree', { query: { orgId } })).data
  const lamps = tree.filter(({ name }) => name === 'Lamps')
  expect(lamps).toMatchObject([{ id, children: [{ name: 'Desk lamps' }] }])
  const [child] = lamps[0]!.children
  expect((await find('M-')).map((asset) => asset.categoryId)).toEqual([child!.id, child!.id])
})
