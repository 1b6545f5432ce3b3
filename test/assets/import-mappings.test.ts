import { beforeAll, describe, expect, test } from 'bun:test'

import { ok, type Person, race, useServer } from '../harness/index.ts'
import { createField } from '../metadata/helpers.ts'
import { addMembers, createOrg, type Org, setRole } from '../orgs/helpers.ts'
import { createCategory } from './places.ts'
import { type Cells, dryRun, imported, sendImport } from './sheets.ts'

const server = useServer({ people: ['alice', 'bob', 'carol', 'owner', 'manager', 'member', 'outsider'], noAdmin: true })
const { alice, bob, carol, owner, manager, member, outsider } = server
let org: Org

beforeAll(async () => {
  org = await createOrg(owner)
  await addMembers(owner, org, manager, member)
  await setRole(owner, org, manager, 'ADMIN')
})

const save = (person: Person, body: object) => person.call('importMappings.create', { body: body as never })
const saved = async (person: Person, body: object) => ok(await save(person, body)).data
const update = (person: Person, id: number, body: object) =>
  person.call('importMappings.update', { params: { id }, body: body as never })
const remove = (person: Person, id: number) => person.call('importMappings.delete', { params: { id } } as never)
const list = async (person: Person, query: object = {}) =>
  ok(await person.call('importMappings.list', { query: { size: 100, ...query } as never })).data

const HEADINGS = ['Bezeichnung', 'Inv-Nr.', 'Zustand']
const LIST: Cells[] = [HEADINGS, ['Beamer', 'D-1', 'läuft'], ['Tisch', 'D-2', 'kaputt']]
const OPTIONS = {
  mapping: JSON.stringify({ Bezeichnung: 'name', 'Inv-Nr.': 'assetNo', Zustand: 'status' }),
  statusMap: JSON.stringify({ läuft: 'IN_USE', kaputt: 'REPAIR' }),
  decimal: 'COMMA',
}

describe('a saved mapping', () => {
  test('is named by dry runs of files with the same headings, and applied only with its id', async () => {
    const mapping = await saved(alice, { name: 'Inventarliste', headings: HEADINGS, options: OPTIONS })
    expect(mapping).toMatchObject({
      name: 'Inventarliste',
      headings: HEADINGS,
      options: OPTIONS,
      createdBy: alice.id,
      orgId: null,
      version: 1,
    })
    const named = await dryRun(alice, LIST)
    expect(named).toMatchObject({ savedMapping: { id: mapping.id, name: 'Inventarliste' }, created: 0 })
    const result = await dryRun(alice, LIST, { mappingId: mapping.id })
    expect(result).toMatchObject({ created: 2, errorCount: 0, decimal: 'COMMA' })
    expect(result.preview.map(({ values }) => values.map(({ value }) => value))).toEqual([
      ['Beamer', 'D-1', 'IN_USE'],
      ['Tisch', 'D-2', 'REPAIR'],
    ])
    expect(await imported(alice, LIST, { mappingId: mapping.id })).toMatchObject({
      created: 2,
      savedMapping: { id: mapping.id },
    })
    // Others, and files with another column, know nothing of it.
    expect((await dryRun(bob, LIST)).savedMapping).toBeNull()
    const more = LIST.map((row, i) => [...row, i === 0 ? 'Ort' : ''])
    expect((await dryRun(alice, more)).savedMapping).toBeNull()
    // Neither their order nor case and spaces count.
    const turned = LIST.map(([name, number, state]) => [state!, number!, name!])
    turned[0] = ['ZUSTAND', 'Inv Nr', 'Bezeichnung ']
    expect((await dryRun(alice, turned)).savedMapping).toMatchObject({ id: mapping.id })
  })

  test('makes its headings known below a title, before it is chosen', async () => {
    await saved(bob, { name: 'Titles', headings: HEADINGS, options: { mapping: OPTIONS.mapping } })
    const titled = [['Inventar der Schule', 'Stand heute'], ['', ''], ...LIST]
    expect(await dryRun(bob, titled)).toMatchObject({ headerRow: 3, savedMapping: { name: 'Titles' }, total: 2 })
    expect(await dryRun(carol, titled)).toMatchObject({ headerRow: 1, savedMapping: null })
  })

  test('gives way to the parameters of the request', async () => {
    const { id } = await saved(carol, { name: 'Words', headings: HEADINGS, options: OPTIONS })
    const statusMap = JSON.stringify({ läuft: 'IDLE', kaputt: 'LOST' })
    const { preview, decimal } = await dryRun(carol, LIST, { mappingId: id, statusMap, decimal: 'POINT' })
    expect(preview.map(({ values }) => values[2]!.value)).toEqual(['IDLE', 'LOST'])
    expect(decimal).toBe('POINT')
  })

  test('loses what was deleted since: categories, fields and former members', async () => {
    const category = await createCategory(owner, 'Projectors', { orgId: org.id })
    const field = await createField(owner, { name: 'Farbe' }, { orgId: org.id })
    const options = {
      mapping: JSON.stringify({ Bezeichnung: 'name', Zustand: `field:${field.id}` }),
      categoryMap: JSON.stringify({ Beamer: category.id, other: null }),
      categoryId: category.id,
    }
    const { id } = await saved(owner, { name: 'Old', headings: HEADINGS, options, orgId: org.id })
    const scope = { orgId: org.id, mappingId: id }
    expect((await dryRun(owner, LIST, scope)).columns.map(({ key }) => key)).toEqual([
      'name',
      null,
      `field:${field.id}`,
    ])
    ok(await owner.call('assetCategories.delete', { params: { id: category.id } } as never))
    ok(
      await owner.call('metadata.deleteOrgField', {
        params: { orgId: org.id, objectName: 'asset', id: field.id },
      } as never),
    )
    const result = await dryRun(owner, LIST, scope)
    expect(result).toMatchObject({ errorCount: 0, created: 2 })
    expect(result.columns.map(({ key }) => key)).toEqual(['name', null, null])
  })

  test('changes as a whole or in parts, and not at all without a difference', async () => {
    const { id } = await saved(alice, { name: 'Parts', headings: ['a'], options: { decimal: 'COMMA' } })
    const renamed = ok(await update(alice, id, { name: 'Pieces' })).data
    expect(renamed).toMatchObject({ name: 'Pieces', headings: ['a'], options: { decimal: 'COMMA' }, version: 2 })
    expect(ok(await update(alice, id, { name: 'Pieces' })).data).toMatchObject({
      version: 2,
      updatedAt: renamed.updatedAt,
    })
    expect(ok(await update(alice, id, { options: { mode: 'CREATE' }, headings: ['b'] })).data).toMatchObject({
      options: { mode: 'CREATE' },
      headings: ['b'],
      version: 3,
    })
    ok(await remove(alice, id))
    expect((await remove(alice, id)).status).toBe(404)
    expect((await sendImport(alice, LIST, { dryRun: true, mappingId: id })).details).toMatchObject([
      { path: 'body.mappingId' },
    ])
  })

  test('is refused with options that a request could not have', async () => {
    const refused = async (options: object, more: object = {}) => {
      const answer = await save(bob, { name: 'bad', headings: ['a'], options, ...more })
      return [answer.status, answer.details?.[0]?.path]
    }
    expect(await refused({ mapping: '[]' })).toEqual([400, 'body.options.mapping'])
    expect(await refused({ mapping: '{"a":"nothing"}' })).toEqual([400, 'body.options.mapping'])
    expect(await refused({ statusMap: '{"a":"RUSTY"}' })).toEqual([400, 'body.options.statusMap'])
    expect(await refused({ categoryMap: '{"a":999999}' })).toEqual([400, 'body.options.categoryMap'])
    expect(await refused({ categoryId: 999_999 })).toEqual([400, 'body.options.categoryId'])
    expect(await refused({ decimal: 'DOT' })).toEqual([400, 'body.options.decimal'])
    expect(await refused({ headerRow: 0 })).toEqual([400, 'body.options.headerRow'])
    expect(await refused({}, { headings: [] })).toEqual([400, 'body.headings'])
    expect(await refused({}, { headings: Array.from({ length: 201 }, String) })).toEqual([400, 'body.headings'])
    expect(await refused({}, { name: ' ' })).toEqual([400, 'body.name'])
    const words = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`${'x'.repeat(140)}${i}`, null]))
    expect(await refused({ statusMap: JSON.stringify(words) })).toEqual([400, 'body.options'])
    expect((await list(bob)).items.filter(({ name }) => name === 'bad')).toEqual([])
  })

  test('with headings of any characters is stored', async () => {
    const headings = ['a\0b', '\ud800', '<b>x</b>', 'é'.repeat(200)]
    const mapping = await saved(bob, { name: 'Odd', headings, options: {} })
    expect(mapping.headings).toEqual(['ab', '\ufffd', '<b>x</b>', 'é'.repeat(200)])
  })
})

describe('of several people', () => {
  test('an organization has its own, for those who import', async () => {
    const mapping = await saved(manager, { name: 'Shared', headings: ['x', 'y'], options: {}, orgId: org.id })
    expect(mapping).toMatchObject({ orgId: org.id, createdBy: manager.id })
    expect((await list(owner, { orgId: org.id })).items.map(({ name }) => name)).toContain('Shared')
    expect((await list(manager)).items).toEqual([])
    ok(await update(owner, mapping.id, { name: 'Shared by all' }))
    expect((await member.call('importMappings.list', { query: { orgId: org.id } })).status).toBe(403)
    expect((await save(member, { name: 'mine', headings: ['x'], options: {}, orgId: org.id })).status).toBe(403)
    expect((await update(member, mapping.id, { name: 'stolen' })).status).toBe(403)
    expect((await update(outsider, mapping.id, { name: 'stolen' })).status).toBe(404)
    expect((await remove(outsider, mapping.id)).status).toBe(404)
    const foreign = await sendImport(outsider, LIST, { dryRun: true, mappingId: mapping.id })
    expect(foreign).toMatchObject({ status: 400, details: [{ path: 'body.mappingId' }] })
    ok(await remove(manager, mapping.id))
  })

  test('a name belongs to one of them, whatever its case, also when ten save it at once', async () => {
    const answers = await race(10, (i) =>
      save(outsider, { name: i % 2 === 0 ? 'Twin' : 'TWIN', headings: ['t'], options: {} }),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const refused = answers.filter(({ status }) => status === 400)
    expect(refused).toHaveLength(9)
    expect(refused[0]!.details).toMatchObject([{ path: 'body.name' }])
    const other = await saved(outsider, { name: 'Other', headings: ['t'], options: {} })
    expect((await update(outsider, other.id, { name: 'twin' })).status).toBe(400)
    // Others may have it too.
    await saved(manager, { name: 'Twin', headings: ['t'], options: {} })
  })

  test('an owner has 50 of them, also when ten save the last one at once', async () => {
    const { total } = await list(member)
    for (let i = total; i < 49; i += 1) await saved(member, { name: `m ${i}`, headings: ['m'], options: {} })
    const answers = await race(10, (i) => save(member, { name: `last ${i}`, headings: ['m'], options: {} }))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect((await list(member)).total).toBe(50)
    expect((await list(member)).items.map(({ name }) => name).slice(0, 2)).toEqual([
      expect.stringContaining('last'),
      'm 0',
    ])
  })
})
