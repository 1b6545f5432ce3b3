/** A push with ids of other users' rows is answered as if there were no such rows, whatever became of them. */

import { beforeAll, expect, test } from 'bun:test'

import { createCategory as createAssetCategory } from '../assets/places.ts'
import { ok, useServer } from '../harness/index.ts'
import { createOrg } from '../orgs/helpers.ts'
import { push, type Pushed, pushOne, record } from './push-helpers.ts'

const { victim, attacker } = useServer({ people: ['victim', 'attacker'], noAdmin: true })

const UNKNOWN = 999_999_999

const ROWS: Readonly<Record<string, object>> = {
  qrCode: { name: 'theirs', content: 'x' },
  category: { name: 'theirs' },
  scanRecord: { content: 'x', source: 'CAMERA' },
  asset: { name: 'theirs' },
  assetCategory: { name: 'theirs' },
}
const OF_ORGANIZATIONS = ['qrCode', 'asset', 'assetCategory']

/** For each entity the ids of rows of the victim: one that is there, a deleted one, one of an organization, a hidden one; and an unknown id. */
const ids: Record<string, Record<string, number>> = {}
let orgId: number

beforeAll(async () => {
  orgId = (await createOrg(victim)).id
  for (const [entity, data] of Object.entries(ROWS)) {
    const create = async (more: object = {}) =>
      (await pushOne(victim, { entity, data: { ...data, ...more } })).serverId as number
    const [live, gone] = [await create(), await create()]
    const deletion = { entity, serverId: gone, baseVersion: 1, deleted: true }
    expect(await pushOne(victim, deletion)).toMatchObject({ version: 2 })
    ids[entity] = { live, gone, unknown: UNKNOWN }
    if (OF_ORGANIZATIONS.includes(entity)) ids[entity].inOrganization = await create({ orgId })
  }
  const hidden = await createAssetCategory(victim, 'hidden', { orgId, shared: false })
  ids['assetCategory']!['hidden'] = hidden.id
})

/** The answer without the texts that the request itself contained. */
const answers = async (records: readonly Pushed[]) =>
  (await push(attacker, ...records)).map((result) => JSON.stringify({ ...result, localId: '', serverId: 0 }))

for (const entity of Object.keys(ROWS)) {
  test.each<[string, Pushed]>([
    ['a change', { data: { name: 'mine', title: 'mine' } }],
    ['a deletion', { deleted: true }],
    ['a complete row', { data: { ...ROWS[entity], name: 'mine' } }],
  ])(`%s of another user's ${entity} is answered like one of an unknown row`, async (_what, change) => {
    for (const baseVersion of [0, 1, 2]) {
      const records = Object.values(ids[entity]!).map((serverId) =>
        record({ entity, serverId, baseVersion, ...change }),
      )
      const found = await answers(records)
      expect(found).toHaveLength(records.length)
      expect(new Set(found).size, found.join('\n')).toBe(1)
      expect(JSON.parse(found[0]!)).toMatchObject({ status: 'REJECTED', code: 404, version: null })
    }
  })
}

test.each([
  ['qrCode', 'categoryId', 'category'],
  ['category', 'parentId', 'category'],
  ['scanRecord', 'qrCodeId', 'qrCode'],
  ['albumPhoto', 'qrCodeId', 'qrCode'],
  ['albumPhoto', 'fileId', 'asset'],
  ['asset', 'categoryId', 'assetCategory'],
  ['assetCategory', 'parentId', 'assetCategory'],
])("a new %s whose %s is another user's %s is answered like one with an unknown id", async (entity, field, target) => {
  const data = { name: 'mine', content: 'x', source: 'CAMERA' }
  const found = await answers(
    Object.values(ids[target]!).map((id) => record({ entity, data: { ...data, [field]: id } })),
  )
  expect(new Set(found).size, found.join('\n')).toBe(1)
  expect(JSON.parse(found[0]!)).toMatchObject({ status: 'REJECTED', code: 400 })
})

test('a new row for an organization of others is answered like one for an unknown organization', async () => {
  for (const entity of [...OF_ORGANIZATIONS, 'albumPhoto']) {
    const data = { ...ROWS[entity], fileId: 1 }
    const found = await answers([orgId, UNKNOWN].map((org) => record({ entity, data: { ...data, orgId: org } })))
    expect(new Set(found).size, found.join('\n')).toBe(1)
    expect(JSON.parse(found[0]!)).toMatchObject({ status: 'REJECTED', code: 403 })
  }
  const [theirs, unknown] = [
    await attacker.get('/api/sync/pull', { since: 0, orgId }),
    await attacker.get('/api/sync/pull', { since: 0, orgId: UNKNOWN }),
  ]
  expect([theirs.status, theirs.message]).toEqual([unknown.status, unknown.message])
  expect(theirs.status).toBe(403)
})

test("another user's conflict is answered like an unknown one", async () => {
  const { serverId } = await pushOne(victim, { entity: 'category', data: { name: 'contested' } })
  ok(await victim.put(`/api/categories/${serverId}`, { name: 'changed' }))
  const lost = await pushOne(victim, { serverId, baseVersion: 1, updatedAt: 1, data: { name: 'lost' } })
  const replies = [lost.conflictId!, UNKNOWN].map((conflictId) =>
    attacker.post('/api/sync/resolve', { conflictId, acceptServer: false }),
  )
  const [theirs, unknown] = await Promise.all(replies)
  expect([theirs!.status, theirs!.message]).toEqual([404, unknown!.message])
  expect(ok(await victim.get('/api/sync/conflicts')).data.items).toHaveLength(1)
})
