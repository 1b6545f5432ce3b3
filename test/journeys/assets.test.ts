/** A register of assets from the first category to the day when a member leaves, as the phone and the console use it. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { notifyOfDueLoans } from '#domains/assets/loans/notices.service.ts'
import type { AssetView } from '#domains/assets/register/register.model.ts'
import { DAY } from '#platform/clock.ts'

import { allItems, createInventory, figuresOf, getInventory, scan, setStatus } from '../assets/counting.ts'
import {
  createAsset,
  createLocation,
  deleteAsset,
  getAsset,
  photo,
  scrapAsset,
  transfer,
  transfersOf,
  updateAsset,
} from '../assets/helpers.ts'
import { categoryTree, createCategory, shape } from '../assets/places.ts'
import { csv, dryRun, imported, sendImport, xlsx } from '../assets/sheets.ts'
import { pathOf } from '../files/helpers.ts'
import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { createField, createGlobalTemplate, createTemplate, setFields } from '../metadata/helpers.ts'
import { addMembers, createOrg, leave, type Org, setRole } from '../orgs/helpers.ts'

const { server, admin, owner, manager, member, guest, former, stranger } = useServer({
  people: ['owner', 'manager', 'member', 'guest', 'former', 'stranger'],
})
let org: Org
let orgId: number

beforeAll(async () => {
  org = await createOrg(owner)
  orgId = org.id
  await addMembers(owner, org, manager, member, guest, former)
  await setRole(owner, org, manager, 'ADMIN')
  await setRole(owner, org, guest, 'GUEST')
  await setRole(owner, org, former, 'ADMIN')
  ok(await leave(former, org))
})

const list = async (user: Person, query: Record<string, string | number> = {}): Promise<AssetView[]> =>
  ok(await user.get('/api/assets', { size: 100, ...query })).data.items
const namesOf = async (user: Person, query: Record<string, string | number> = {}) =>
  (await list(user, query)).map(({ name }) => name).toSorted()
const page = (asset: AssetView, accept = 'text/html') =>
  server.request('GET', pathOf(asset.publicUrl), { headers: { accept } })
const inForce = async (user: Person, id: number) => {
  const params = { objectName: 'asset', entityId: id, orgId }
  return ok(await user.call('metadata.orgBindings', { params })).data.items.map(
    ({ name, source }) => `${name} ${source}`,
  )
}
const notices = async (user: Person, event: string) =>
  ok(await user.call('notifications.list', { query: { size: 100 } })).data.items.filter(
    ({ type, data }) => type === 'ASSET' && data['event'] === event,
  )

/** The bytes of an export. */
async function exported(user: Person, query: string): Promise<Uint8Array<ArrayBuffer>> {
  const reply = ok(await user.send('GET', `/api/assets/export?${query}`))
  expect(reply.headers.get('content-disposition')).toMatch(/^attachment; filename="assets-\d{8}\.(?:xlsx|csv)"$/)
  return new Uint8Array(reply.bytes)
}

/** Assets with the ids of their photos, because signed addresses differ from answer to answer. */
const shown = (views: AssetView[]) =>
  views.map(({ photos, ...rest }) => ({ ...rest, photos: photos.map(({ fileId }) => fileId) }))

describe('things of one person', () => {
  test('a person registers cameras with fields of their own, finds them in many ways, and nobody else sees them', async () => {
    const me = await server.person()
    const weight = await createField(me, {
      name: 'Weight',
      type: 'NUMBER',
      key: 'weight',
      config: { min: 0, unit: 'g' },
    })
    const heavy = await createField(me, {
      name: 'Heavy',
      type: 'COMPUTED',
      config: { formula: '{weight} > 1000', resultType: 'BOOLEAN' },
    })
    const template = await createTemplate(me, { name: 'Cameras' })
    await setFields(me, template.id, [weight.id, heavy.id])
    const equipment = await createCategory(me, 'Equipment')
    const cameras = await createCategory(me, 'Cameras', { parentId: equipment.id, templateIds: [template.id] })
    const picture = await photo(me)
    const first = await createAsset(me, {
      name: 'Field camera',
      brand: 'Leica',
      categoryId: cameras.id,
      photos: [picture],
      purchasePrice: '1999.9',
      purchaseDate: '2026-03-01',
      latitude: 30.25,
      longitude: 120.15,
      values: [
        {
          fieldId: weight.id,
          value: 1250,
        },
      ],
    })
    const second = await createAsset(me, {
      name: 'Pocket camera',
      status: 'IDLE',
      categoryId: cameras.id,
      values: [
        {
          fieldId: weight.id,
          value: 180,
        },
      ],
    })
    await createAsset(me, { name: 'Tripod', categoryId: equipment.id, latitude: -33.86, longitude: 151.21 })

    expect(first).toMatchObject({ purchasePrice: '1999.90', orgId: null, userId: me.id, version: 1 })
    expect(first.assetNo).toMatch(/^A-\d{4}-00001$/)
    expect(second.assetNo).toMatch(/00002$/)
    expect(first.values!.map(({ key, value }) => [key, value])).toEqual(
      expect.arrayContaining([
        ['weight', 1250],
        [heavy.key, true],
      ]),
    )
    expect((await server.request('GET', pathOf(first.photos[0]!.url))).status).toBe(200)
    expect(shape(await categoryTree(me))).toBe('Equipment(Cameras)')

    const found: [Record<string, string | number>, string[]][] = [
      [{ keyword: 'CAMERA' }, ['Field camera', 'Pocket camera']],
      [{ keyword: 'leica' }, ['Field camera']],
      [{ categoryId: equipment.id }, ['Field camera', 'Pocket camera', 'Tripod']],
      [{ categoryId: cameras.id, status: 'IDLE' }, ['Pocket camera']],
      [{ [`field.${weight.id}.min`]: 200 }, ['Field camera']],
      [{ [`field.${heavy.id}`]: 'false' }, ['Pocket camera']],
      [{ purchaseFrom: '2026-03-01', purchaseTo: '2026-03-01' }, ['Field camera']],
    ]
    for (const [query, names] of found) expect([query, await namesOf(me, query)]).toEqual([query, names])
    const map = async (query: object) => ok(await me.call('assets.map', { query })).data
    expect(await map({})).toMatchObject({ total: 2, clusters: [] })
    // Across the date line, with Sydney and without Hangzhou.
    const pacific = await map({ bbox: '150,-50,-150,50', zoom: 4 })
    expect(pacific.items.map(({ name }) => name)).toEqual(['Tripod'])

    for (const other of [stranger, owner, admin]) {
      expect((await getAsset(other, first.id)).status).toBe(404)
      expect((await updateAsset(other, first.id, { name: 'mine' })).status).toBe(404)
      expect(await namesOf(other, { keyword: 'camera' })).toEqual([])
      expect((await other.call('assets.map', { query: {} })).data.total).toBe(0)
      const refused = await other.post('/api/assets', { name: 'x', categoryId: cameras.id })
      expect([refused.status, refused.details[0]?.path]).toEqual([400, 'body.categoryId'])
    }
    expect((await server.request('GET', `/api/assets/${first.id}`)).status).toBe(401)
    const { data } = ok(await admin.call('assets.listAll', { query: { userId: me.id } }))
    expect(data.total).toBe(3)
  })

  test('a label shows nothing until the owner makes fields public, and nothing again after deletion', async () => {
    const me = await server.person()
    const color = await createField(me, { name: 'Colour' })
    const asset = await createAsset(me, {
      name: 'Bicycle',
      remark: 'Key under the mat',
      serialNo: 'SECRET-1',
      values: [
        {
          fieldId: color.id,
          value: 'red',
        },
      ],
    })
    expect(asset.qrContent).toBe(asset.publicUrl)
    expect((await page(asset)).status).toBe(404)
    const scanned = ok(await me.post('/api/scan-records', { content: asset.qrContent })).data.resolved
    expect(scanned).toEqual({ kind: 'ASSET', id: asset.id, title: 'Bicycle' })
    ok(await updateAsset(me, asset.id, { publicFields: ['name', `field:${color.id}`] }))
    const json = ok(await page(asset, 'application/json')).data
    expect(json).toEqual({
      uuid: asset.uuid,
      kind: 'ASSET',
      fields: [
        { key: 'name', label: 'Name', value: 'Bicycle' },
        { key: `field:${color.id}`, label: 'Colour', value: 'red' },
      ],
      found: null,
    })
    const html = (await page(asset)).text
    expect(html).toContain('Bicycle')
    for (const secret of ['Key under', 'SECRET-1', asset.assetNo]) expect(html).not.toContain(secret)
    ok(await deleteAsset(me, asset.id))
    expect((await page(asset)).status).toBe(404)
    expect((await page(asset, 'application/json')).status).toBe(404)
    expect((await deleteAsset(me, asset.id)).status).toBe(404)
  })

  test('a person gives an asset with photo and history to the organization, and own values do not come along', async () => {
    const me = await server.person()
    await addMembers(owner, org, me)
    await setRole(owner, org, me, 'ADMIN')
    const secret = await createField(me, { name: 'Paid with' })
    const asset = await createAsset(me, {
      name: 'Projector',
      photos: [await photo(me)],
      values: [
        {
          fieldId: secret.id,
          value: 'my own money',
        },
      ],
    })
    expect((await transfer(member, asset.id, { toOrgId: orgId })).status).toBe(403)
    expect((await transfer(owner, asset.id, { toOrgId: orgId })).status).toBe(404)
    const given = ok(await transfer(me, asset.id, { toOrgId: orgId, custodianId: member.id, note: 'a gift' })).data
    expect(given.asset).toMatchObject({ id: asset.id, orgId, custodianId: member.id, uuid: asset.uuid })
    expect(given.transfer).toMatchObject({ fromOrgId: null, toOrgId: orgId, toUserId: member.id, note: 'a gift' })
    expect(JSON.stringify(given.asset.values)).not.toContain('my own money')
    expect((await notices(member, 'TRANSFERRED')).map(({ data }) => data['assetId'])).toEqual([asset.id])
    expect(await namesOf(me)).toEqual([])
    expect(await namesOf(member, { orgId, keyword: 'Projector' })).toEqual(['Projector'])
    expect((await server.request('GET', pathOf(given.asset.photos[0]!.url))).status).toBe(200)
    ok(await leave(me, org))
    expect((await getAsset(me, asset.id)).status).toBe(404)
    expect(await transfersOf(member, asset.id)).toHaveLength(1)
  })
})

describe('roles in an organization', () => {
  test('fields, templates and categories are set up by an administrator, used by members, and hidden from all others', async () => {
    const field = await createField(manager, { name: 'Inspected on', type: 'DATE' }, { orgId })
    const params = { orgId, objectName: 'asset' }
    const path = `/api/orgs/${orgId}/meta/objects/asset/fields`
    for (const user of [member, guest, former, stranger]) {
      expect((await user.post(path, { name: 'mine', type: 'TEXT' })).status).toBe(403)
      expect((await user.put(`${path}/${field.id}`, { name: 'mine' })).status).toBe(403)
      expect((await user.delete(`${path}/${field.id}`)).status).toBe(403)
      const body = { name: 'mine', orgId }
      expect((await user.post('/api/assets/categories', body)).status).toBe(403)
      expect((await user.post('/api/assets', body)).status).toBe(403)
      expect((await user.post('/api/assets/inventories', body)).status).toBe(403)
      expect((await sendImport(user, csv([['Name'], ['x']]), { orgId })).status).toBe(403)
      expect((await user.get('/api/assets/export', { orgId })).status).toBe(403)
    }
    const seen = async (user: Person) => user.call('metadata.orgFields', { params, query: { scope: 'ORG' } })
    expect(ok(await seen(member)).data.items.map(({ name }) => name)).toContain('Inspected on')
    for (const user of [guest, former, stranger]) {
      expect((await seen(user)).status).toBe(403)
      expect((await user.get('/api/assets', { orgId })).status).toBe(403)
      expect((await user.get('/api/assets/categories', { orgId })).status).toBe(403)
      expect((await user.get('/api/assets/map', { orgId })).status).toBe(403)
      expect((await user.get('/api/assets/inventories', { orgId })).status).toBe(403)
    }
  })

  test('members read an asset of the organization without changing it, and others do not learn that it exists', async () => {
    const asset = await createAsset(manager, { orgId, name: 'Beamer' })
    const writes: [string, (user: Person) => Promise<{ status: number }>][] = [
      ['update', (user) => updateAsset(user, asset.id, { name: 'mine' })],
      ['scrap', (user) => scrapAsset(user, asset.id)],
      ['transfer', (user) => transfer(user, asset.id, { custodianId: user.id })],
      ['check-out', (user) => user.post(`/api/assets/${asset.id}/check-out`, { personName: 'x' })],
      ['delete', (user) => deleteAsset(user, asset.id)],
    ]
    expect(ok(await getAsset(member, asset.id)).data.name).toBe('Beamer')
    for (const [name, write] of writes) {
      expect([name, (await write(member)).status]).toEqual([name, 403])
      for (const user of [former, stranger, admin]) expect([name, (await write(user)).status]).toEqual([name, 404])
    }
    for (const user of [former, stranger, admin]) expect((await getAsset(user, asset.id)).status).toBe(404)
    expect([403, 404]).toContain((await getAsset(guest, asset.id)).status)
    const { data } = ok(await getAsset(owner, asset.id))
    expect(data).toEqual({ ...asset, photos: [] })
    for (const user of [owner, manager]) ok(await updateAsset(user, asset.id, { remark: user.username }))
  })

  test('templates are forked into the organization, bound by category and asset, and deleting one leaves the values', async () => {
    const global = await createGlobalTemplate(admin, { name: 'Vehicles' })
    const forkIt = { params: { orgId, id: global.id }, body: { name: 'Our vehicles' } }
    expect((await member.call('metadata.forkIntoOrg', forkIt)).status).toBe(403)
    const fork = ok(await manager.call('metadata.forkIntoOrg', forkIt)).data
    expect(fork).toMatchObject({ scope: 'ORG', orgId, sourceId: global.id, isDefault: false })
    const plate = await createField(manager, { name: 'Plate' }, { orgId })
    await setFields(manager, fork.id, [plate.id], orgId)
    const parent = await createCategory(manager, 'Vehicles', { orgId, templateIds: [fork.id] })
    const child = await createCategory(manager, 'Vans', { orgId, parentId: parent.id })
    const van = await createAsset(manager, {
      orgId,
      name: 'Van 1',
      categoryId: child.id,
      values: [
        {
          fieldId: plate.id,
          value: '浙A·12345',
        },
      ],
    })
    expect(await inForce(member, van.id)).toEqual(['Our vehicles CATEGORY'])
    const own = await createTemplate(manager, { name: 'Leased' }, { orgId })
    const params = { orgId, objectName: 'asset', entityId: van.id }
    ok(await manager.call('metadata.orgBind', { params, body: { templateIds: [own.id] } }))
    expect(await inForce(member, van.id)).toEqual(expect.arrayContaining(['Leased ENTITY', 'Our vehicles CATEGORY']))
    ok(await manager.call('metadata.deleteOrgTemplate', { params: { orgId, id: fork.id } }))
    expect(await inForce(member, van.id)).toEqual(['Leased ENTITY'])
    expect(await namesOf(member, { orgId, [`field.${plate.id}`]: 'a·123' })).toEqual(['Van 1'])
    ok(await manager.call('assetCategories.delete', { params: { id: child.id } }))
    expect(ok(await getAsset(member, van.id)).data).toMatchObject({ categoryId: null, version: van.version + 1 })
  })

  test('the custodian gets a notification and the history keeps the names, until the member leaves', async () => {
    const keeper = await server.person()
    await addMembers(owner, org, keeper)
    const [hall, attic] = [await createLocation(owner, orgId, 'Hall'), await createLocation(owner, orgId, 'Attic')]
    const asset = await createAsset(manager, { orgId, name: 'Ladder', locationId: hall })
    ok(await transfer(manager, asset.id, { custodianId: keeper.id, locationId: attic, note: 'for the roof' }))
    const [notice] = await notices(keeper, 'TRANSFERRED')
    expect(notice).toMatchObject({ data: { assetId: asset.id, orgId, event: 'TRANSFERRED' } })
    expect(notice!.body).toContain('Ladder')
    expect((await transfer(manager, asset.id, { custodianId: keeper.id })).status).toBe(400)
    const refused = await transfer(manager, asset.id, { custodianId: stranger.id })
    expect([refused.status, refused.details[0]?.path]).toEqual([400, 'body.custodianId'])

    ok(await leave(keeper, org))
    expect(ok(await getAsset(member, asset.id)).data.custodianId).toBeNull()
    expect((await getAsset(keeper, asset.id)).status).toBe(404)
    const history = await transfersOf(member, asset.id)
    expect(history.at(-1)).toMatchObject({
      toUserId: keeper.id,
      fromLocationName: 'Hall',
      toLocationName: 'Attic',
      note: 'for the roof',
      operatorId: manager.id,
    })
    expect(history.at(-1)!.toUserName).not.toBeNull()
  })
})

describe('spreadsheets', () => {
  for (const scope of ['personal', 'shared'] as const)
    test(`mistakes of a spreadsheet of ${scope} assets are named by row and column, and an export can be imported without a change`, async () => {
      const me = await server.person()
      const at: Record<string, number> = scope === 'personal' ? {} : { orgId: (await createOrg(me)).id }
      const query = 'orgId' in at ? `orgId=${at['orgId']}` : ''
      const weight = await createField(me, { name: 'Weight', type: 'NUMBER' }, at)
      await createCategory(me, 'Tools', at)
      const header = ['名称', '资产编号', 'Category', 'Purchase date', 'Weight', 'Colour of the box']
      const good = ['Drill', 'T-1', 'Tools', '2026-03-01', 1.5, 'red']
      const file = xlsx({ Assets: [header, good, ['Saw', 't-1', 'Toys', '31.02.2026', 'heavy', '']] })
      const checked = await dryRun(me, file, at)
      expect(checked).toMatchObject({ total: 2, valid: 1, errorCount: checked.errors.length })
      expect(checked.errors.map(({ row, column }) => [row, column])).toEqual(
        expect.arrayContaining([
          [3, '资产编号'],
          [3, 'Category'],
          [3, 'Purchase date'],
          [3, 'Weight'],
        ]),
      )
      expect(checked.columns.at(-1)).toMatchObject({ header: 'Colour of the box', key: null })
      const refused = await sendImport(me, file, at)
      expect(refused.status).toBe(400)
      expect(refused.details.map(({ path }) => path)).toContain('rows.3.purchaseDate')
      expect(await namesOf(me, at)).toEqual([])

      const saw = ['=Saw', 'T-2', '', '', '', '']
      const corrected = xlsx({ Assets: [header, good, saw] })
      expect(await dryRun(me, corrected, at)).toMatchObject({ valid: 2, created: 2, errors: [] })
      expect(await namesOf(me, at)).toEqual([])
      expect(await imported(me, corrected, at)).toMatchObject({ created: 2, updated: 0, unchanged: 0 })
      const before = shown(await list(me, { ...at, include: 'values' }))
      expect(before.map(({ name }) => name).toSorted()).toEqual(['=Saw', 'Drill'])
      expect(before.find(({ name }) => name === 'Drill')!.values).toContainEqual(
        expect.objectContaining({ fieldId: weight.id, value: 1.5 }),
      )
      for (const format of ['xlsx', 'csv', 'xlsx&lang=zh']) {
        const again = await imported(me, await exported(me, `${query}&format=${format}`), at)
        expect(again).toMatchObject({ total: 2, created: 0, updated: 0, unchanged: 2, errors: [] })
        expect(shown(await list(me, { ...at, include: 'values' }))).toEqual(before)
      }
      const background = ok(await sendImport(me, corrected, { ...at, async: true })).data as { jobId: string }
      const isMine = await me.call('assets.importJob', { params: { jobId: background.jobId } })
      expect(isMine.status).toBe(200)
      expect((await stranger.get(`/api/assets/import/${background.jobId}`)).status).toBe(404)
    })
})

describe('stocktaking', () => {
  test('several phones count at once, and the result stays whatever happens to the assets later', async () => {
    const [hall, attic] = [await createLocation(owner, orgId, 'Room 1'), await createLocation(owner, orgId, 'Room 2')]
    const category = await createCategory(manager, 'Counted', { orgId })
    const things = await race(6, (i) =>
      createAsset(manager, {
        orgId,
        name: `thing ${i}`,
        categoryId: category.id,
        locationId: hall,
        serialNo: `SN-${i}`,
      }),
    )
    const extra = await createAsset(manager, { orgId, name: 'extra', locationId: hall })
    const scrapped = await createAsset(manager, { orgId, name: 'scrapped', categoryId: category.id })
    ok(await scrapAsset(manager, scrapped.id, 'broken'))
    const { id } = await createInventory(manager, {
      orgId,
      scope: { categoryIds: [category.id] },
      assigneeIds: [member.id],
    })
    expect((await scan(member, id, { assetId: things[0]!.id })).status).toBe(400)
    expect((await setStatus(member, id, 'RUNNING')).status).toBe(403)
    expect(figuresOf(ok(await setStatus(manager, id, 'RUNNING')).data)).toMatchObject({ expected: 6, missing: 6 })
    for (const user of [guest, former, stranger])
      expect([403, 404]).toContain((await scan(user, id, { assetId: things[0]!.id })).status)

    // Two phones meet at the first asset; each asset counts once.
    const codes = [
      { code: things[0]!.assetNo.toLowerCase() },
      { code: things[0]!.publicUrl },
      { code: things[1]!.uuid },
      { code: `https://old.example.org/s/asset/${things[2]!.uuid}` },
      { assetId: things[3]!.id, locationId: attic },
      { code: 'SN-4', condition: 'DAMAGED', note: 'a leg is loose', photoFileId: await photo(member, orgId) },
      { assetId: extra.id },
    ]
    const replies = await Promise.all(codes.map((body) => scan(member, id, body)))
    const results = replies.map((reply) => ok(reply).data.result)
    expect(results).toEqual(['FOUND', 'FOUND', 'FOUND', 'FOUND', 'MISPLACED', 'FOUND', 'UNEXPECTED'])
    expect(replies.filter((reply) => reply.data.repeated)).toHaveLength(1)
    const personal = await createAsset(member, { name: 'my own' })
    expect((await scan(member, id, { code: personal.uuid })).status).toBe(404)
    const result = { expected: 6, found: 5, missing: 1, unexpected: 1, misplaced: 1 }
    expect(figuresOf(await getInventory(member, id))).toEqual(result)
    expect(ok(await getAsset(member, things[3]!.id)).data).toMatchObject({ locationId: hall, version: 1 })

    ok(await deleteAsset(manager, things[1]!.id))
    ok(await updateAsset(manager, things[2]!.id, { name: 'renamed', categoryId: null }))
    const [mine] = await allItems(member, id)
    ok(await setStatus(manager, id, 'CLOSED'))
    ok(await transfer(manager, things[3]!.id, { locationId: attic }))
    expect((await scan(member, id, { assetId: things[5]!.id })).status).toBe(400)
    expect((await setStatus(manager, id, 'RUNNING')).status).toBe(400)
    expect(figuresOf(await getInventory(member, id))).toEqual(result)
    const items = await allItems(member, id)
    expect(items[0]).toEqual(mine!)
    expect(items.map(({ name, state }) => `${name} ${state}`).toSorted()).toEqual([
      'extra UNEXPECTED',
      ...['FOUND', 'FOUND', 'FOUND', 'MISPLACED', 'FOUND', 'MISSING'].map((state, i) => `thing ${i} ${state}`),
    ])
    expect(items.find(({ name }) => name === 'thing 4')).toMatchObject({ condition: 'DAMAGED', scannedBy: member.id })
    const sheet = await manager.send('GET', `/api/assets/inventories/${id}/export`)
    expect(sheet.headers.get('content-type')).toContain('spreadsheetml')
    expect((await stranger.send('GET', `/api/assets/inventories/${id}/export`)).status).toBe(404)
  })
})

describe('the end of an asset', () => {
  test('a loan that becomes overdue is listed and notified, and the asset cannot be deleted until it is returned', async () => {
    const asset = await createAsset(manager, { orgId, name: 'Camera 7' })
    const now = inProcess ? server.clock.now() : Date.now()
    const checkOut = { params: { id: asset.id }, body: { userId: member.id, dueAt: now + 2 * DAY } }
    ok(await manager.call('assets.checkOut', checkOut))
    expect((await owner.call('assets.checkOut', checkOut)).status).toBe(400)
    expect(ok(await getAsset(member, asset.id)).data).toMatchObject({ loan: { userId: member.id }, custodianId: null })
    const overdue = async () =>
      ok(await member.call('assets.loans', { query: { orgId, overdue: true } })).data.items.map(
        ({ assetId }) => assetId,
      )
    expect(await overdue()).toEqual([])
    if (inProcess) {
      server.clock.advance(2 * DAY + 1000)
      await notifyOfDueLoans(server.ctx)
      expect(await overdue()).toEqual([asset.id])
      const told = await notices(member, 'LOAN_OVERDUE')
      expect(told.map(({ data }) => data['assetId'])).toEqual([asset.id])
    }
    expect((await deleteAsset(manager, asset.id)).status).toBe(400)
    const checkIn = { params: { id: asset.id }, body: { condition: 'GOOD' } } as const
    expect((await member.call('assets.checkIn', checkIn)).status).toBe(403)
    ok(await manager.call('assets.checkIn', checkIn))
    expect(await overdue()).toEqual([])
    ok(await deleteAsset(manager, asset.id))
    expect((await createAsset(manager, { orgId, assetNo: asset.assetNo })).assetNo).toBe(asset.assetNo)
  })

  test('a scrapped asset stays in the register and is final, also if an administrator of the platform scrapped it', async () => {
    const mine = await createAsset(manager, { orgId, name: 'Printer' })
    ok(await scrapAsset(manager, mine.id, 'burnt'))
    const theirs = await createAsset(stranger, { name: 'Fax' })
    const params = { id: theirs.id }
    expect((await stranger.put(`/api/admin/assets/${theirs.id}/scrap`, {})).status).toBe(403)
    ok(await admin.call('assets.scrapAny', { params, body: { reason: 'stolen goods' } }))
    expect(ok(await getAsset(stranger, theirs.id)).data).toMatchObject({
      status: 'SCRAPPED',
      scrapReason: 'stolen goods',
    })
    for (const [user, { id }] of [
      [manager, mine],
      [stranger, theirs],
    ] as const) {
      expect((await updateAsset(user, id, { status: 'IN_USE' })).status).toBe(400)
      expect((await transfer(user, id, { custodianId: user.id })).status).toBe(400)
      expect((await user.post(`/api/assets/${id}/check-out`, { personName: 'x' })).status).toBe(400)
      const { version } = ok(await scrapAsset(user, id, 'again')).data
      expect(version).toBe(2)
    }
    expect(await namesOf(member, { orgId, status: 'SCRAPPED', keyword: 'Printer' })).toEqual(['Printer'])
    ok(await admin.call('assets.deleteAny', { params }))
    expect((await getAsset(stranger, theirs.id)).status).toBe(404)
  })
})
