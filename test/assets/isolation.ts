import type { IsolationFixture } from '../contract/isolation-fixture.ts'
import { ok, type Person, type TestServer, until } from '../harness/index.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'
import { createInventory, scan, startedInventory } from './counting.ts'
import { createAsset, photo } from './helpers.ts'
import { createCategory } from './places.ts'
import { imported, sendImport } from './sheets.ts'

const category = async (person: Person, orgId?: number): Promise<number> =>
  (await createCategory(person, 'a category', orgId === undefined ? {} : { orgId })).id

const asset = async (person: Person, orgId?: number, fields: object = {}): Promise<number> =>
  (await createAsset(person, { custodianId: person.id, ...fields, ...(orgId !== undefined && { orgId }) })).id

/** A running inventory, and an asset with a serial number that no other asset of the owner has. */
async function inventory(person: Person, orgId?: number): Promise<number> {
  const { id } = await startedInventory(person, { orgId: orgId ?? null })
  if ((await scan(person, id, { code: SERIAL })).status === 404) await asset(person, orgId, { serialNo: SERIAL })
  return id
}
const SERIAL = 'SN-1'

async function lentAsset(person: Person, orgId?: number, fields: object = {}): Promise<number> {
  const id = await asset(person, orgId, fields)
  ok(await person.call('assets.checkOut', { params: { id }, body: { personName: 'a borrower' } }))
  return id
}

async function importRun(person: Person, orgId?: number, fields: { readonly name?: string } = {}): Promise<number> {
  const { name = 'imported' } = fields
  const rows = [
    ['Name', 'Asset no.'],
    [name, `${name} 5`],
  ]
  return (await imported(person, rows, orgId === undefined ? {} : { orgId })).importId!
}

async function closedInventory(person: Person, orgId?: number): Promise<number> {
  const id = await inventory(person, orgId)
  ok(await person.call('inventories.update', { params: { id }, body: { status: 'CLOSED' } }))
  return id
}

const PLAN = { name: 'a plan', kind: 'SERVICE', every: { days: 7 }, firstDue: '2099-09-01' } as const

async function plan(person: Person, orgId?: number, fields: object = {}): Promise<number> {
  const target = 'assetId' in fields ? {} : { assetId: await asset(person, orgId) }
  const body = { ...PLAN, ...target, ...fields, ...(orgId !== undefined && { orgId }) }
  return ok(await person.call('assetPlans.create', { body })).data.id
}

async function maintenance(person: Person, orgId?: number) {
  const id = await asset(person, orgId)
  const body = { kind: 'SERVICE', doneOn: '2026-09-01' } as const
  const record = ok(await person.call('assetMaintenance.create', { params: { id }, body })).data.id
  return { id, body: {}, params: { recordId: record } }
}

const supply = async (person: Person, orgId?: number, fields: object = {}): Promise<number> => {
  const inOrg = orgId === undefined ? {} : { orgId, selfService: true }
  const body = { name: 'a supply', kind: 'POOL', ...fields, ...inOrg } as const
  const { id } = ok(await person.call('supplies.create', { body })).data
  await movement(person, id, 'IN', { quantity: 10 })
  return id
}
const movement = async (person: Person, id: number, type: 'IN' | 'TAKE', fields: object = {}): Promise<number> =>
  ok(await person.call('supplies.move', { params: { id }, body: { type, quantity: 1, ...fields } })).data.id
const supplyMovement = async (person: Person, orgId?: number): Promise<number> =>
  movement(person, await supply(person, orgId), 'IN')

async function importSupplies(person: Person, name: string, fields: object) {
  const form = new FormData()
  form.set('file', new File([`Name\n${name}\n`], 'supplies.csv'))
  for (const [field, value] of Object.entries(fields)) form.set(field, String(value))
  return ok(await person.send('POST', '/api/supplies/import', { body: form })).data
}
const supplyImport = async (person: Person, orgId?: number, name = 'imported'): Promise<number> =>
  (await importSupplies(person, name, { ...(orgId !== undefined && { orgId }) })).importId
async function supplyImportJob(person: Person, name: string): Promise<string> {
  const { jobId } = await importSupplies(person, name, { async: true })
  // A person has one import at a time.
  const isDone = async () => ok(await person.call('supplies.importJob', { params: { jobId } })).data.state === 'DONE'
  await until(isDone, 'the import of supplies is DONE')
  return jobId
}

const labelProfile = async (person: Person, orgId?: number, name = 'a profile'): Promise<number> =>
  ok(
    await person.call('labelProfiles.create', {
      body: { name, media: { key: 'roll-50x30' }, ...(orgId !== undefined && { orgId }) },
    }),
  ).data.id

let mappings = 0
const importMapping = async (person: Person, orgId?: number, name = `a mapping ${++mappings}`): Promise<number> =>
  ok(
    await person.call('importMappings.create', {
      body: {
        name,
        headings: [name],
        options: { mapping: JSON.stringify({ [name]: 'name' }) },
        ...(orgId !== undefined && { orgId }),
      },
    }),
  ).data.id

/** A reservation of an asset, in an organization of the person unless one is given. */
async function reservation(person: Person, orgId?: number, fields: object = {}): Promise<number> {
  const org = orgId ?? (await createOrg(person)).id
  const assetId = await asset(person, org, { name: 'reserved', bookable: true })
  const from = Date.now() + 3_600_000
  const body = { orgId: org, items: [{ assetId }], from, to: from + 3_600_000, ...fields }
  return ok(await person.call('assetReservations.create', { body })).data.id
}

/** The same, by a member, so that it waits for a decision. */
async function requested(person: Person, orgId?: number): Promise<number> {
  const member = await server.person()
  const org = orgId ?? (await createOrg(person)).id
  await addMembers(person, { id: org }, member)
  const assetId = await asset(person, org, { name: 'reserved', bookable: true })
  const from = Date.now() + 3_600_000
  const body = { orgId: org, items: [{ assetId }], from, to: from + 3_600_000 }
  return ok(await member.call('assetReservations.create', { body })).data.id
}

async function pickedUp(person: Person, orgId?: number): Promise<number> {
  const id = await reservation(person, orgId)
  ok(await person.call('assetReservations.pickUp', { params: { id }, body: {} }))
  return id
}

let server: TestServer

export const isolation: IsolationFixture = {
  async make({ server: of, victim, mark }) {
    server = of
    const assetParent = await createCategory(victim, mark)
    const assetCategory = await createCategory(victim, mark)
    const fields = { name: mark, assetNo: mark, serialNo: mark, brand: mark, supplier: mark, remark: mark }
    const maintained = await asset(victim, undefined, { ...fields, photos: [await photo(victim)] })
    const done = { kind: 'SERVICE', doneOn: '2026-09-01', supplier: mark, note: mark } as const
    const supplied = await supply(victim, undefined, { name: mark, supplier: mark, remark: mark })
    return {
      plan: await plan(victim, undefined, { name: mark, note: mark, assetId: maintained }),
      record: ok(await victim.call('assetMaintenance.create', { params: { id: maintained }, body: done })).data.id,
      assetParent: assetParent.id,
      assetCategory: assetCategory.id,
      asset: maintained,
      assetToScrap: await asset(victim, undefined, { name: mark, assetNo: `${mark} 2` }),
      assetToDelete: await asset(victim, undefined, { name: mark, assetNo: `${mark} 3` }),
      lentAsset: await lentAsset(victim, undefined, { name: mark, assetNo: `${mark} 4` }),
      assetPhoto: await photo(victim),
      reservation: await reservation(victim, undefined, { purpose: mark }),
      labelProfile: await labelProfile(victim, undefined, mark),
      importMapping: await importMapping(victim, undefined, mark),
      supply: supplied,
      supplyMovement: await movement(victim, supplied, 'TAKE', { personName: mark, note: mark }),
      supplyImport: await supplyImport(victim, undefined, mark),
      inventory: (await createInventory(victim, { name: mark, note: mark })).id,
      importRun: await importRun(victim, undefined, { name: mark }),
      supplyImportJob: await supplyImportJob(victim, mark),
      importJob: (
        ok(
          await sendImport(
            victim,
            [
              ['Name', 'Asset no.'],
              [mark, `${mark} 4`],
            ],
            { async: true },
          ),
        ).data as { jobId: string }
      ).jobId,
    }
  },
  paths: [
    [/^\/api\/assets\/categories\/:/, 'assetCategory'],
    [/^\/api\/admin\/asset-categories\/:/, 'assetParent'],
    [/^\/api\/assets\/inventories\/:/, 'inventory'],
    [/^\/api\/assets\/maintenance\/plans\/:/, 'plan'],
    [/^\/api\/assets\/reservations\/:/, 'reservation'],
    [/^\/api\/assets\/import\/:/, 'importJob'],
    [/^\/api\/supplies\/import\/:/, 'supplyImportJob'],
    [/^\/api\/assets\/import-mappings\/:/, 'importMapping'],
    [/^\/api\/assets\/imports\/:/, 'importRun'],
    [/^\/api\/admin\/assets\/:/, 'assetToDelete'],
    [/^\/api\/assets\/:\w+\/scrap/, 'assetToScrap'],
    [/^\/api\/assets\/:\w+\/check-in/, 'lentAsset'],
    [/^\/api\/assets\/:/, 'asset'],
    [/^\/api\/label-profiles\/:/, 'labelProfile'],
    [/^\/api\/supplies\/movements\/:/, 'supplyMovement'],
    [/^\/api\/supplies\/imports\/:/, 'supplyImport'],
    [/^\/api\/supplies\/:/, 'supply'],
  ],
  fields: { photos: 'assetPhoto', assetId: 'asset', photoFileId: 'albumFile' },
  fieldsIn: [
    [/^\/api\/assets\/.*maintenance/, { recordId: 'record', planId: 'plan' }],
    [/^\/api\/assets\/categories/, { parentId: 'assetParent' }],
    [/^\/api\/assets\/labels/, { ids: 'asset', profileId: 'labelProfile' }],
    [/^\/api\/assets/, { categoryId: 'assetCategory' }],
    [/^\/api\/supplies/, { categoryId: 'assetCategory', supplyId: 'supply' }],
  ],
  lists: [[/^\/api\/assets\/categories/, 'assetCategory']],
  bodies: [
    [/\/scan$/, { code: SERIAL }],
    [/\/maintenance\/plans/, { every: { days: 7 }, firstDue: '2099-09-01' }],
    [/:id\/maintenance$/, { doneOn: '2026-09-01' }],
    [/^\/api\/supplies\/:id\/movements$/, { type: 'TAKE', quantity: 1 }],
    [/\/check-out$/, { personName: 'a borrower' }],
  ],
  dual: {
    assetCategory: category,
    asset,
    assetToScrap: asset,
    lentAsset,
    inventory,
    importRun,
    importMapping,
    labelProfile,
    supply,
    supplyMovement,
    supplyImport,
    plan,
    reservation,
    'assetReservations.approve': requested,
    'assetReservations.reject': requested,
    'assetReservations.return': pickedUp,
    'inventories.apply': closedInventory,
    'assetMaintenance.update': maintenance,
    'assetMaintenance.delete': maintenance,
  },
  // Members change and cancel their own ones only.
  callersOwn: ['assetReservations.update', 'assetReservations.cancel'],
  reads: (owned) => [
    '/api/assets/categories',
    '/api/assets?size=100',
    `/api/assets/${owned['asset']}`,
    `/api/assets/${owned['asset']}/transfers`,
    `/api/assets/${owned['asset']}/maintenance`,
    '/api/assets/maintenance/plans',
    '/api/assets/maintenance/due',
    '/api/assets/reports/depreciation',
    '/api/assets/loans?size=100',
    '/api/assets/imports?size=100',
    '/api/assets/import-mappings?size=100',
    '/api/label-profiles?size=100',
    '/api/supplies?size=100',
    `/api/supplies/${owned['supply']}`,
    `/api/supplies/${owned['supply']}/loans`,
    '/api/supplies/movements?size=100',
    '/api/supplies/imports?size=100',
    '/api/assets/inventories?size=100',
    `/api/assets/inventories/${owned['inventory']}/items?size=100`,
  ],
}
