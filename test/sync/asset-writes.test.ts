/** Every operation of assets and metadata that writes, followed by a pull: it shows the assets and categories that changed, and no others. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { assets } from '#domains/assets/index.ts'
import { metadata } from '#domains/metadata/index.ts'
import type { AnyEndpoint } from '#http/endpoint.ts'

import { createAsset, createLocation } from '../assets/helpers.ts'
import { createCategory } from '../assets/places.ts'
import { reservation } from '../assets/reserving.ts'
import { imported } from '../assets/sheets.ts'
import { ok, type Reply, useServer } from '../harness/index.ts'
import { createField, createGlobalField, createGlobalTemplate, createTemplate } from '../metadata/helpers.ts'
import { createOrg, type Org } from '../orgs/helpers.ts'
import { catchUp, caughtUp } from './asset-pushes.ts'
import { Replica } from './replica.ts'

const { admin, alice, bob } = useServer({ people: ['alice', 'bob'] })
let org: Org

beforeAll(async () => {
  org = await createOrg(alice)
})

const entities = ['asset' as const, 'assetCategory' as const]

interface Shown {
  readonly asset?: readonly number[]
  readonly assetCategory?: readonly number[]
  readonly deletedAsset?: readonly number[]
  readonly deletedCategory?: readonly number[]
}

interface Scenario {
  readonly act: () => Promise<Reply<unknown>>
  /** Known after `act` if it creates rows. */
  readonly shows: Shown | (() => Shown)
  /** The same request again is refused, or creates another row. */
  readonly once?: boolean
}
type Prepare = () => Promise<Scenario>

const nothing: Shown = {}
const inOrg = () => ({ orgId: org.id })

/** A request that changes no asset and no category. */
const shows =
  (act: Scenario['act']): Prepare =>
  async () => ({ act, shows: nothing, once: true })

/** A request about a new supply. */
const onSupply =
  (act: (id: number) => Promise<Reply<unknown>>): Prepare =>
  async () => {
    const { id } = ok(await alice.call('supplies.create', { body: { name: 'Chalk' } })).data
    return { act: () => act(id), shows: nothing, once: true }
  }

let lists = 0
function importSupplies(): Promise<Reply<{ importId?: number }>> {
  const form = new FormData()
  form.set('file', new File([`Name,Number\nPaper,P-${++lists}\n`], 'supplies.csv'))
  return alice.send('POST', '/api/supplies/import', { body: form })
}

/** A new row, whose id is in the answer. */
const creates =
  (name: 'asset' | 'assetCategory', act: () => Promise<Reply<{ id: number }>>): Prepare =>
  async () => {
    let id = 0
    const run = async () => {
      const reply = await act()
      id = reply.data.id
      return reply
    }
    return { act: run, shows: () => ({ [name]: [id] }), once: true }
  }

const changesAsset =
  (act: (id: number) => Promise<Reply<unknown>>, more: { once?: boolean; fields?: object } = {}): Prepare =>
  async () => {
    const { id } = await createAsset(alice, more.fields)
    return { act: () => act(id), shows: { asset: [id] }, once: more.once === true }
  }

/** An asset with a plan of maintenance that is due far in the future, and a record for it. */
async function maintained() {
  const { id } = await createAsset(alice)
  const planned = { name: 'Inspection', kind: 'INSPECTION', every: { days: 7 }, firstDue: '2099-09-01' } as const
  const plan = ok(await alice.call('assetPlans.create', { body: { ...planned, assetId: id } })).data
  const body = { kind: 'INSPECTION', doneOn: '2026-09-01', planId: plan.id } as const
  const record = ok(await alice.call('assetMaintenance.create', { params: { id }, body })).data
  return { id, plan, planned, record, body }
}

const ROLL = { media: { key: 'roll-50x30' } } as const
const newProfile = async () =>
  ok(await alice.call('labelProfiles.create', { body: { name: `Printer ${++profiles}`, ...ROLL } })).data.id
let profiles = 0

const newMapping = async () => ok(await alice.call('importMappings.create', { body: mapping() })).data.id
const mapping = () => ({ name: `List ${++profiles}`, headings: ['Name'], options: {} })

const assetWrites: Record<string, Prepare> = {
  'assets.create': creates('asset', () => alice.call('assets.create', { body: { name: 'new' } })),
  'assets.update': changesAsset((id) => alice.call('assets.update', { params: { id }, body: { name: 'renamed' } })),
  async 'assets.delete'() {
    const { id } = await createAsset(alice)
    return {
      act: () => alice.call('assets.delete', { params: { id } }),
      shows: { deletedAsset: [id] },
      once: true,
    }
  },
  'assets.scrap': changesAsset((id) => alice.call('assets.scrap', { params: { id }, body: {} })),
  'assets.scrapAny': changesAsset((id) => admin.call('assets.scrapAny', { params: { id }, body: {} })),
  async 'assets.deleteAny'() {
    const { id } = await createAsset(alice)
    return {
      act: () => admin.call('assets.deleteAny', { params: { id } }),
      shows: { deletedAsset: [id] },
      once: true,
    }
  },
  async 'assets.import'() {
    const [changed, same] = [await createAsset(alice), await createAsset(alice)]
    return {
      async act() {
        const rows = [
          ['Name', 'Asset no.'],
          ['imported', changed.assetNo],
          [same.name, same.assetNo],
        ]
        const data = await imported(alice, rows)
        return { status: 200, data, details: [] } as unknown as Reply<unknown>
      },
      shows: { asset: [changed.id] },
    }
  },
  async 'assets.undoImport'() {
    const { id, assetNo } = await createAsset(alice)
    const { importId } = await imported(alice, [
      ['Name', 'Asset no.'],
      ['imported', assetNo],
    ])
    return {
      act: () => alice.call('assets.undoImport', { params: { id: importId! }, query: {}, body: {} }),
      shows: { asset: [id] },
    }
  },
  async 'assets.transfer'() {
    const { id } = await createAsset(alice)
    return {
      act: () => alice.call('assets.transfer', { params: { id }, body: { toOrgId: org.id } }),
      shows: { asset: [id] },
      once: true,
    }
  },
  'assets.checkOut': changesAsset(
    (id) => alice.call('assets.checkOut', { params: { id }, body: { personName: 'Ms Chen' } }),
    { once: true },
  ),
  async 'assets.checkIn'() {
    const { id } = await createAsset(alice)
    ok(await alice.call('assets.checkOut', { params: { id }, body: { personName: 'Ms Chen' } }))
    return { act: () => alice.call('assets.checkIn', { params: { id }, body: {} }), shows: { asset: [id] }, once: true }
  },
  'assetCategories.create': creates('assetCategory', () =>
    alice.call('assetCategories.create', { body: { name: 'new', ...inOrg() } }),
  ),
  async 'assetCategories.update'() {
    const { id } = await createCategory(alice, 'laptops')
    return {
      act: () => alice.call('assetCategories.update', { params: { id }, body: { name: 'notebooks' } }),
      shows: { assetCategory: [id] },
    }
  },
  async 'assetCategories.move'() {
    const [top, { id }] = [await createCategory(alice, 'top'), await createCategory(alice, 'moved')]
    return {
      act: () => alice.call('assetCategories.move', { params: { id }, body: { parentId: top.id } }),
      shows: { assetCategory: [id] },
    }
  },
  async 'assetCategories.pin'() {
    const { id } = await createCategory(alice, 'pinned')
    return {
      act: () => alice.call('assetCategories.pin', { params: { id }, body: { pinned: true } }),
      shows: { assetCategory: [id] },
    }
  },
  async 'assetCategories.batchPin'() {
    const [a, b] = [await createCategory(alice, 'a'), await createCategory(alice, 'b')]
    ok(await alice.call('assetCategories.pin', { params: { id: b.id }, body: { pinned: true } }))
    return {
      act: () => alice.call('assetCategories.batchPin', { body: { ids: [a.id, b.id], pinned: true } }),
      shows: { assetCategory: [a.id] },
    }
  },
  async 'assetCategories.reorder'() {
    const [a, b] = [await createCategory(alice, 'a'), await createCategory(alice, 'b', { parentId: null })]
    const items = [
      { id: a.id, sortOrder: 5 },
      { id: b.id, sortOrder: 0 },
    ]
    return {
      act: () => alice.call('assetCategories.reorder', { body: { items } }),
      shows: { assetCategory: [a.id] },
    }
  },
  async 'assetCategories.delete'() {
    const { id } = await createCategory(alice, 'deleted')
    const asset = await createAsset(alice, { categoryId: id })
    return {
      act: () => alice.call('assetCategories.delete', { params: { id } }),
      shows: { asset: [asset.id], deletedCategory: [id] },
      once: true,
    }
  },
  async 'assetCategories.deleteAny'() {
    const { id } = await createCategory(alice, 'deleted')
    const below = await createCategory(alice, 'below', { parentId: id })
    const asset = await createAsset(alice, { categoryId: id })
    return {
      act: () => admin.call('assetCategories.deleteAny', { params: { id } }),
      shows: { asset: [asset.id], assetCategory: [below.id], deletedCategory: [id] },
      once: true,
    }
  },
  'inventories.create': shows(() => alice.call('inventories.create', { body: { name: 'count' } })),
  async 'inventories.update'() {
    await createAsset(alice)
    const { id } = ok(await alice.call('inventories.create', { body: { name: 'count' } })).data
    return {
      act: () => alice.call('inventories.update', { params: { id }, body: { status: 'RUNNING' } }),
      shows: nothing,
    }
  },
  async 'inventories.scan'() {
    const locationId = await createLocation(alice, org.id, 'Store')
    const asset = await createAsset(alice, { ...inOrg(), locationId })
    const other = await createLocation(alice, org.id, 'Office')
    const { id } = ok(await alice.call('inventories.create', { body: { name: 'count', ...inOrg() } })).data
    ok(await alice.call('inventories.update', { params: { id }, body: { status: 'RUNNING' } }))
    return {
      act: () =>
        alice.call('inventories.scan', {
          params: { id },
          body: { code: asset.uuid, locationId: other, condition: 'DAMAGED' },
        }),
      shows: nothing,
    }
  },
  async 'inventories.apply'() {
    const category = await createCategory(alice, 'counted')
    const { id } = await createAsset(alice, { categoryId: category.id })
    const body = { name: 'count', scope: { categoryIds: [category.id] } }
    const count = ok(await alice.call('inventories.create', { body })).data
    for (const status of ['RUNNING', 'CLOSED'] as const)
      ok(await alice.call('inventories.update', { params: { id: count.id }, body: { status } }))
    return {
      act: () => alice.call('inventories.apply', { params: { id: count.id }, body: { missing: 'LOST' } }),
      shows: { asset: [id] },
    }
  },
  async 'assetReservations.create'() {
    const { orgId, assetId } = await reservation(alice)
    const from = Date.now() + 24 * 3_600_000
    const body = { orgId, items: [{ assetId }], from, to: from + 1000 }
    return { act: () => alice.call('assetReservations.create', { body }), shows: nothing, once: true }
  },
  async 'assetReservations.update'() {
    const params = { id: (await reservation(alice)).id }
    return { act: () => alice.call('assetReservations.update', { params, body: { purpose: 'new' } }), shows: nothing }
  },
  async 'assetReservations.cancel'() {
    const params = { id: (await reservation(alice)).id }
    return { act: () => alice.call('assetReservations.cancel', { params, body: {} }), shows: nothing }
  },
  async 'assetReservations.approve'() {
    const params = { id: (await reservation(alice, bob)).id }
    return { act: () => alice.call('assetReservations.approve', { params, body: {} }), shows: nothing }
  },
  async 'assetReservations.reject'() {
    const params = { id: (await reservation(alice, bob)).id }
    return { act: () => alice.call('assetReservations.reject', { params, body: { reason: 'no' } }), shows: nothing }
  },
  async 'assetReservations.pickUp'() {
    const { id, assetId } = await reservation(alice)
    const act = () => alice.call('assetReservations.pickUp', { params: { id }, body: {} })
    return { act, shows: { asset: [assetId] }, once: true }
  },
  async 'assetReservations.return'() {
    const { id, assetId } = await reservation(alice)
    ok(await alice.call('assetReservations.pickUp', { params: { id }, body: {} }))
    const act = () => alice.call('assetReservations.return', { params: { id }, body: {} })
    return { act, shows: { asset: [assetId] }, once: true }
  },
  'assetPlans.create': changesAsset(
    (assetId) =>
      alice.call('assetPlans.create', {
        body: { name: 'Inspection', kind: 'INSPECTION', every: { months: 1 }, firstDue: '2099-09-01', assetId },
      }),
    { once: true },
  ),
  async 'assetPlans.update'() {
    const { id, plan } = await maintained()
    const act = () => alice.call('assetPlans.update', { params: { id: plan.id }, body: { every: { days: 8 } } })
    return { act, shows: { asset: [id] } }
  },
  async 'assetPlans.delete'() {
    const { id, plan } = await maintained()
    const act = () => alice.call('assetPlans.delete', { params: { id: plan.id } })
    return { act, shows: { asset: [id] }, once: true }
  },
  async 'assetMaintenance.create'() {
    const { id, body } = await maintained()
    const later = { ...body, doneOn: '2026-10-01' } as const
    const act = () => alice.call('assetMaintenance.create', { params: { id }, body: later })
    return { act, shows: { asset: [id] }, once: true }
  },
  async 'assetMaintenance.update'() {
    const { id, record } = await maintained()
    const params = { id, recordId: record.id }
    const act = () => alice.call('assetMaintenance.update', { params, body: { doneOn: '2026-09-02' } })
    return { act, shows: { asset: [id] } }
  },
  async 'assetMaintenance.delete'() {
    const { id, record } = await maintained()
    const act = () => alice.call('assetMaintenance.delete', { params: { id, recordId: record.id } })
    return { act, shows: { asset: [id] }, once: true }
  },
  async 'assets.labels'() {
    const body = { ids: [(await createAsset(alice)).id], profile: ROLL, format: 'SVG' }
    return { act: () => alice.send('POST', '/api/assets/labels', { body }), shows: nothing }
  },
  async 'assets.countLabels'() {
    const ids = [(await createAsset(alice)).id]
    const act = () => alice.call('assets.countLabels', { body: { ids, profile: ROLL, format: 'SVG' } })
    return { act, shows: nothing }
  },
  'labelProfiles.calibrate': shows(() =>
    alice.send('POST', '/api/label-profiles/calibration', { body: { profile: ROLL, format: 'PDF' } }),
  ),
  'supplies.create': shows(() => alice.call('supplies.create', { body: { name: 'Chalk' } })),
  'supplies.update': onSupply((id) => alice.call('supplies.update', { params: { id }, body: { name: 'Chalks' } })),
  'supplies.delete': onSupply((id) => alice.call('supplies.delete', { params: { id } })),
  'supplies.move': onSupply((id) => alice.call('supplies.move', { params: { id }, body: { type: 'IN', quantity: 1 } })),
  'supplies.moveMany': onSupply((supplyId) =>
    alice.call('supplies.moveMany', { body: { items: [{ supplyId, type: 'IN', quantity: 1 }] } }),
  ),
  'supplies.reverse': onSupply(async (id) => {
    const moved = ok(await alice.call('supplies.move', { params: { id }, body: { type: 'IN', quantity: 1 } })).data
    return alice.call('supplies.reverse', { params: { id: moved.id }, body: {} })
  }),
  'supplies.import': shows(() => importSupplies()),
  async 'supplies.undoImport'() {
    const { importId } = ok(await importSupplies()).data
    return {
      act: () => alice.call('supplies.undoImport', { params: { id: importId! }, body: {} }),
      shows: nothing,
      once: true,
    }
  },
  'labelProfiles.create': shows(() =>
    alice.call('labelProfiles.create', { body: { name: `Printer ${++profiles}`, ...ROLL } }),
  ),
  async 'labelProfiles.update'() {
    const params = { id: await newProfile() }
    return { act: () => alice.call('labelProfiles.update', { params, body: { offsetX: 1 } }), shows: nothing }
  },
  async 'labelProfiles.delete'() {
    const params = { id: await newProfile() }
    return { act: () => alice.call('labelProfiles.delete', { params }), shows: nothing, once: true }
  },
  'importMappings.create': shows(() => alice.call('importMappings.create', { body: mapping() })),
  async 'importMappings.update'() {
    const params = { id: await newMapping() }
    return { act: () => alice.call('importMappings.update', { params, body: { headings: ['Tag'] } }), shows: nothing }
  },
  async 'importMappings.delete'() {
    const params = { id: await newMapping() }
    return { act: () => alice.call('importMappings.delete', { params }), shows: nothing, once: true }
  },
  'assetCalendars.create': shows(() => alice.call('assetCalendars.create', { body: {} })),
  async 'assetCalendars.delete'() {
    ok(await alice.call('assetCalendars.create', { body: inOrg() }))
    return { act: () => alice.call('assetCalendars.delete', { query: inOrg() }), shows: nothing, once: true }
  },
}

const objectName = 'asset'

/** A field with a value in one asset. */
const withValue =
  (
    create: () => Promise<{ id: number }>,
    act: (fieldId: number, assetId: number) => Promise<Reply<unknown>>,
    { once = false, ...fields }: { once?: boolean; orgId?: () => number } = {},
  ): Prepare =>
  async () => {
    const field = await create()
    const owner = fields.orgId === undefined ? {} : { orgId: fields.orgId() }
    const { id } = await createAsset(alice, { ...owner, values: [{ fieldId: field.id, value: '7' }] })
    return { act: () => act(field.id, id), shows: { asset: [id] }, once }
  }

const orgId = () => org.id
const ownField = () => createField(alice)
const orgField = () => createField(alice, {}, { orgId: org.id })
const globalField = () => createGlobalField(admin)
const NUMBER = { type: 'NUMBER' } as const

/** A template that is bound to a category, in which there is an asset with a value. */
const withTemplate =
  (
    create: () => Promise<{ id: number }>,
    act: (templateId: number) => Promise<Reply<unknown>>,
    { isDeleted = false, ...owner }: { isDeleted?: boolean; orgId?: () => number } = {},
  ): Prepare =>
  async () => {
    const template = await create()
    const of = owner.orgId === undefined ? {} : { orgId: owner.orgId() }
    const category = await createCategory(alice, 'with template', { templateIds: [template.id], ...of })
    await createAsset(alice, { categoryId: category.id, ...of })
    return {
      act: () => act(template.id),
      shows: isDeleted ? { assetCategory: [category.id] } : nothing,
      once: isDeleted,
    }
  }
const ownTemplate = () => createTemplate(alice)
const orgTemplate = () => createTemplate(alice, {}, { orgId: org.id })
const globalTemplate = () => createGlobalTemplate(admin)
const renamed = { name: 'renamed' }

const metadataWrites: Record<string, Prepare> = {
  'metadata.createObject': shows(() =>
    admin.call('metadata.createObject', { body: { name: `vehicle${Date.now()}`, label: 'Vehicle' } }),
  ),
  /** While metadata is disabled, assets show no values. They come back with it, and nothing in them has changed. */
  'metadata.setObjectStatus': shows(async () => {
    ok(await admin.call('metadata.setObjectStatus', { params: { objectName }, body: { enabled: false } }))
    return admin.call('metadata.setObjectStatus', { params: { objectName }, body: { enabled: true } })
  }),
  'metadata.updateValues': withValue(ownField, (fieldId, entityId) =>
    alice.call('metadata.updateValues', {
      params: { objectName, entityId },
      body: { values: [{ fieldId, value: '8' }] },
    }),
  ),
  'metadata.createField': shows(() =>
    alice.call('metadata.createField', { params: { objectName }, body: { name: 'new', type: 'TEXT' } }),
  ),
  'metadata.createOrgField': shows(() =>
    alice.call('metadata.createOrgField', {
      params: { orgId: org.id, objectName },
      body: { name: 'new', type: 'TEXT' },
    }),
  ),
  'metadata.createAnyField': shows(() =>
    admin.call('metadata.createAnyField', { body: { objectName, scope: 'GLOBAL', name: 'new', type: 'TEXT' } }),
  ),
  'metadata.updateField': withValue(ownField, (id) =>
    alice.call('metadata.updateField', { params: { objectName, id }, body: NUMBER }),
  ),
  'metadata.updateOrgField': withValue(
    orgField,
    (id) => alice.call('metadata.updateOrgField', { params: { orgId: org.id, objectName, id }, body: NUMBER }),
    { orgId },
  ),
  'metadata.updateAnyField': withValue(globalField, (id) =>
    admin.call('metadata.updateAnyField', { params: { id }, body: NUMBER }),
  ),
  'metadata.deleteField': withValue(
    ownField,
    (id) => alice.call('metadata.deleteField', { params: { objectName, id } }),
    { once: true },
  ),
  'metadata.deleteOrgField': withValue(
    orgField,
    (id) => alice.call('metadata.deleteOrgField', { params: { orgId: org.id, objectName, id } }),
    { once: true, orgId },
  ),
  'metadata.deleteAnyField': withValue(globalField, (id) => admin.call('metadata.deleteAnyField', { params: { id } }), {
    once: true,
  }),
  'metadata.createTemplate': shows(() =>
    alice.call('metadata.createTemplate', { params: { objectName }, body: { name: 'new', isDefault: true } }),
  ),
  'metadata.createOrgTemplate': shows(() =>
    alice.call('metadata.createOrgTemplate', {
      params: { orgId: org.id, objectName },
      body: { name: 'new', isDefault: true },
    }),
  ),
  'metadata.createAnyTemplate': shows(() =>
    admin.call('metadata.createAnyTemplate', { body: { objectName, scope: 'GLOBAL', name: 'new' } }),
  ),
  'metadata.updateTemplate': withTemplate(ownTemplate, (id) =>
    alice.call('metadata.updateTemplate', { params: { id }, body: renamed }),
  ),
  'metadata.updateOrgTemplate': withTemplate(
    orgTemplate,
    (id) => alice.call('metadata.updateOrgTemplate', { params: { orgId: org.id, id }, body: renamed }),
    { orgId },
  ),
  'metadata.updateAnyTemplate': withTemplate(globalTemplate, (id) =>
    admin.call('metadata.updateAnyTemplate', { params: { id }, body: renamed }),
  ),
  'metadata.deleteTemplate': withTemplate(
    ownTemplate,
    (id) => alice.call('metadata.deleteTemplate', { params: { id } }),
    { isDeleted: true },
  ),
  'metadata.deleteOrgTemplate': withTemplate(
    orgTemplate,
    (id) => alice.call('metadata.deleteOrgTemplate', { params: { orgId: org.id, id } }),
    { isDeleted: true, orgId },
  ),
  'metadata.deleteAnyTemplate': withTemplate(
    globalTemplate,
    (id) => admin.call('metadata.deleteAnyTemplate', { params: { id } }),
    { isDeleted: true },
  ),
  'metadata.forkTemplate': withTemplate(globalTemplate, (id) =>
    alice.call('metadata.forkTemplate', { params: { id }, body: {} }),
  ),
  'metadata.forkIntoOrg': withTemplate(globalTemplate, (id) =>
    alice.call('metadata.forkIntoOrg', { params: { orgId: org.id, id }, body: {} }),
  ),
  'metadata.setTemplateFields': withTemplate(ownTemplate, async (id) => {
    const field = await createField(alice)
    return alice.call('metadata.setTemplateFields', { params: { id }, body: { items: [{ fieldId: field.id }] } })
  }),
  'metadata.setOrgTemplateFields': withTemplate(
    orgTemplate,
    async (id) => {
      const items = [{ fieldId: (await createField(alice, {}, { orgId: org.id })).id }]
      return alice.call('metadata.setOrgTemplateFields', { params: { orgId: org.id, id }, body: { items } })
    },
    { orgId },
  ),
  'metadata.setAnyTemplateFields': withTemplate(globalTemplate, async (id) => {
    const items = [{ fieldId: (await createGlobalField(admin)).id }]
    return admin.call('metadata.setAnyTemplateFields', { params: { id }, body: { items } })
  }),
  async 'metadata.bind'() {
    const [asset, template] = [await createAsset(alice), await createTemplate(alice)]
    const params = { objectName, entityId: asset.id }
    return {
      act: () => alice.call('metadata.bind', { params, body: { templateIds: [template.id] } }),
      shows: nothing,
    }
  },
  async 'metadata.unbind'() {
    const [asset, template] = [await createAsset(alice), await createTemplate(alice)]
    const params = { objectName, entityId: asset.id }
    ok(await alice.call('metadata.bind', { params, body: { templateIds: [template.id] } }))
    return {
      act: () => alice.call('metadata.unbind', { params: { ...params, templateId: template.id } }),
      shows: nothing,
      once: true,
    }
  },
  async 'metadata.orgBind'() {
    const [asset, template] = [await createAsset(alice, inOrg()), await orgTemplate()]
    const params = { orgId: org.id, objectName, entityId: asset.id }
    return {
      act: () => alice.call('metadata.orgBind', { params, body: { templateIds: [template.id] } }),
      shows: nothing,
    }
  },
  async 'metadata.orgUnbind'() {
    const [asset, template] = [await createAsset(alice, inOrg()), await orgTemplate()]
    const params = { orgId: org.id, objectName, entityId: asset.id }
    ok(await alice.call('metadata.orgBind', { params, body: { templateIds: [template.id] } }))
    return {
      act: () => alice.call('metadata.orgUnbind', { params: { ...params, templateId: template.id } }),
      shows: nothing,
      once: true,
    }
  },
}

const writesOf = (endpoints: readonly AnyEndpoint[]): string[] =>
  endpoints.filter(({ method }) => method !== 'GET').map(({ id }) => id)

test('the tables below have every operation of assets and metadata that writes', () => {
  expect(Object.keys(assetWrites).toSorted()).toEqual(writesOf(assets.endpoints).toSorted())
  expect(Object.keys(metadataWrites).toSorted()).toEqual(writesOf(metadata.endpoints).toSorted())
})

describe('a pull after', () => {
  for (const [id, prepare] of Object.entries({ ...assetWrites, ...metadataWrites }))
    test(`${id} shows the assets and categories that it changed`, async () => {
      const { act, shows: expected, once } = await prepare()
      const device = await caughtUp(new Replica(alice, { entities }))
      ok(await act())
      const {
        asset = [],
        assetCategory = [],
        deletedAsset = [],
        deletedCategory = [],
      } = typeof expected === 'function' ? expected() : expected
      const changes = await catchUp(device)
      const idsOf = (rows: readonly { id: number }[]) => rows.map((row) => row.id)
      expect({
        asset: idsOf(changes.asset.updated),
        deletedAsset: changes.asset.deleted,
        assetCategory: idsOf(changes.assetCategory.updated),
        deletedCategory: changes.assetCategory.deleted,
      }).toEqual({
        asset: [...asset],
        deletedAsset: [...deletedAsset],
        assetCategory: [...assetCategory],
        deletedCategory: [...deletedCategory],
      })
      expect(device.state()).toEqual((await caughtUp(new Replica(alice, { entities }))).state())
      if (once) return
      ok(await act())
      const again = await catchUp(device)
      expect(again.asset.updated).toEqual([])
      expect(again.assetCategory.updated).toEqual([])
    })
})
