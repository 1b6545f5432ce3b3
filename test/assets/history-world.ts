/** The two registers of a random history, their model, and the comparison of both. */

import { expect } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { AssetView } from '#domains/assets/register/register.model.ts'

import { freshDatabase } from '../harness/database.ts'
import { ok, type Person, type Reply, startServer, type TestServer } from '../harness/index.ts'
import { createField, listFields } from '../metadata/helpers.ts'
import { addMembers, createOrg, setRole } from '../orgs/helpers.ts'
import { allItems, figuresOf as figures, getInventory } from './counting.ts'
import { createLocation, getAsset, transfersOf } from './helpers.ts'
import {
  type Asset,
  branchOf,
  type Category,
  figuresOf,
  inForce,
  type Place,
  randomOf,
  statesOf,
} from './history-model.ts'
import { categoryTree, flat } from './places.ts'

export const OPTIONS = ['red', 'green', 'blue']
/** Some words differ in their case only. */
export const WORDS = ['Drill', 'drill', 'Laptop 14"', '显示器', "'=1+1", 'Ähre']

export const seed = Number(process.env['SEED'] ?? 20_260_101)
export const { random, pick, chance } = randomOf(seed)

export let server: TestServer
let dataDir: string
let database: Awaited<ReturnType<typeof freshDatabase>> | undefined
export let alice: Person
/** Administrator of the organization. */
export let bob: Person
export let mine: Place
export let ours: Place
export let brandField: number
export let globalDefault: number
export const assets: Asset[] = []
export const outcomes = new Map<string, number>()
export const trace: string[] = []

/** Uses the data and the port of the last server. */
async function start(port = 0): Promise<void> {
  const config = { port, ...(database && { databaseUrl: database.url }) }
  server = await startServer({ dataDir, noAdmin: true, config })
}

export async function setUp(): Promise<void> {
  dataDir = mkdtempSync(join(tmpdir(), 'tessera-history-'))
  if (process.env['TEST_DATABASE_URL']) database = await freshDatabase()
  await start()
  alice = await server.person('alice')
  bob = await server.person('bob')
  const org = await createOrg(alice)
  await addMembers(alice, org, bob)
  await setRole(alice, org, bob, 'ADMIN')
  const locations = [null]
  for (const name of ['Hall', 'Store', 'Attic']) locations.push((await createLocation(alice, org.id, name)) as never)
  mine = await place(undefined, [null], [null, alice.id])
  ours = await place(org.id, locations, [null, alice.id, bob.id])
  brandField = (await listFields(alice)).find(({ entityColumn }) => entityColumn === 'brand')!.id
  const templates = ok(await alice.call('metadata.templates', { params: { objectName: 'asset' }, query: {} })).data
    .items
  globalDefault = templates.find(({ scope, isDefault }) => scope === 'GLOBAL' && isDefault)!.id
}

export async function tearDown(): Promise<void> {
  await server.stop()
  await database?.drop()
  rmSync(dataDir, { recursive: true, force: true })
}

async function place(
  orgId: number | undefined,
  locations: (number | null)[],
  custodians: (number | null)[],
): Promise<Place> {
  const key = orgId === undefined ? 'mine' : 'ours'
  const at = orgId === undefined ? {} : { orgId }
  const { id: text } = await createField(alice, { name: `${key} text` }, at)
  const { id: number } = await createField(alice, { name: `${key} number`, type: 'NUMBER', key }, at)
  const { id: option } = await createField(
    alice,
    { name: `${key} option`, type: 'SELECT', config: { options: OPTIONS } },
    at,
  )
  const config = { formula: `{${key}} * 2` }
  const { id: computed } = await createField(alice, { name: `${key} double`, type: 'COMPUTED', config }, at)
  const fields = { text, number, option, computed }
  return { orgId, fields, locations, custodians, categories: new Map(), templates: [], inventories: [] }
}

export const inOrg = ({ orgId }: Place): Record<string, number> => (orgId === undefined ? {} : { orgId })
/** A user who may do everything in this place. */
export const someone = ({ orgId }: Place): Person => (orgId === undefined ? alice : pick([alice, bob]))
export const living = (at: Place) => assets.filter(({ place: where, isDeleted }) => where === at && !isDeleted)
export const isTaken = (at: Place, number: string, except?: Asset) =>
  living(at).some((a) => a !== except && a.assetNo.toLowerCase() === number.toLowerCase())

/** A value for one of the fields that alice can fill here. Her own fields can be filled in the organization, too. */
export function someValue(at: Place): [fieldId: number, value: unknown] {
  const { text, number, option } = at.fields
  return pick<() => [number, unknown]>([
    () => [text, pick([...WORDS, null])],
    () => [number, pick([0, 1, 2.5, -3, null])],
    () => [option, pick([...OPTIONS, null])],
    () => [mine.fields.text, pick([...WORDS, null])],
    () => [brandField, pick([...WORDS, null])],
  ])()
}

/** Changes the model. Returns whether something changed. */
export function setValue(asset: Asset, fieldId: number, value: unknown): boolean {
  const before = fieldId === brandField ? asset.brand : (asset.values.get(fieldId) ?? null)
  const after = fieldId === brandField ? (value ?? '') : value
  if (before === after) return false
  if (fieldId === brandField) asset.brand = after as string
  else if (value === null) asset.values.delete(fieldId)
  else asset.values.set(fieldId, value)
  return true
}

/** The parts of an answer about an asset that the model knows. */
function expected(asset: Asset) {
  const { id, name, assetNo, brand, categoryId, locationId, custodianId, status, position, version } = asset
  const number = asset.values.get(asset.place.fields.number)
  const values = new Map(asset.values)
  if (brand !== '') values.set(brandField, brand)
  if (number !== undefined) values.set(asset.place.fields.computed, (number as number) * 2)
  return {
    id,
    name,
    assetNo,
    brand,
    categoryId,
    locationId,
    custodianId,
    status,
    version,
    orgId: asset.place.orgId ?? null,
    latitude: position?.[0] ?? null,
    longitude: position?.[1] ?? null,
    isOnLoan: asset.isOnLoan,
    values: [...values].toSorted(([a], [b]) => a - b),
  }
}

function seen(view: AssetView): ReturnType<typeof expected> {
  const { id, name, assetNo, brand, categoryId, locationId, custodianId, status, version } = view
  return {
    id,
    name,
    assetNo,
    brand,
    categoryId,
    locationId,
    custodianId,
    status,
    version,
    orgId: view.orgId,
    latitude: view.latitude,
    longitude: view.longitude,
    isOnLoan: view.loan !== null,
    values: view.values!.map(({ fieldId, value }): [number, unknown] => [fieldId, value]).toSorted(([a], [b]) => a - b),
  }
}

/** `isChanged`: whether the asset was written since the model last saw it. */
export function check(asset: Asset, view: AssetView, isChanged: boolean): void {
  expect(seen(view), context()).toEqual(expected(asset))
  if (isChanged) expect(view.updatedAt, context()).toBeGreaterThan(asset.updatedAt)
  else expect(view.updatedAt, context()).toBe(asset.updatedAt)
  asset.updatedAt = view.updatedAt
}

export const context = () => `SEED=${seed}\n${trace.slice(-12).join('\n')}`

/** One request: the status must be as the model says. Returns whether it succeeded. */
export function answered(name: string, reply: Reply<unknown>, status: number): boolean {
  trace.push(`${name} → ${reply.status} ${reply.status === 200 ? '' : reply.text.slice(0, 200)}`)
  expect(`${reply.status}`, context()).toBe(`${status}`)
  outcomes.set(`${name} ${status}`, (outcomes.get(`${name} ${status}`) ?? 0) + 1)
  return status === 200
}

/** After a request about one asset: looks at it, whether it was accepted or not. */
export async function verify(asset: Asset, isChanged: boolean): Promise<void> {
  const reply = await getAsset(alice, asset.id)
  if (asset.isDeleted) return void expect(reply.status, context()).toBe(404)
  if (isChanged) asset.version += 1
  check(asset, ok(reply).data, isChanged)
}

export function newAsset(at: Place, view: AssetView): Asset {
  const { id, uuid, publicUrl, assetNo, name, version, updatedAt } = view
  const asset: Asset = {
    id,
    uuid,
    publicUrl,
    place: at,
    name,
    assetNo,
    version,
    updatedAt,
    brand: '',
    categoryId: null,
    locationId: null,
    custodianId: null,
    status: 'IN_USE',
    position: null,
    values: new Map(),
    bound: [],
    transfers: 0,
    isOnLoan: false,
    countedOn: null,
    isDeleted: false,
  }
  assets.push(asset)
  return asset
}

export async function restart(): Promise<void> {
  const port = Number(new URL(server.url).port)
  await server.stop()
  await start(port)
  server.clock.advance(ahead)
}

let ahead = 0
export function advance(ms: number): void {
  ahead += ms
  server.clock.advance(ms)
}

export function checkCategory(
  category: Category,
  view: { version: number; updatedAt: number },
  isChanged: boolean,
): void {
  expect(view, context()).toMatchObject({ parentId: category.parentId, templateIds: category.templateIds })
  if (isChanged) category.version += 1
  expect(view.version, context()).toBe(category.version)
  if (isChanged) expect(view.updatedAt, context()).toBeGreaterThan(category.updatedAt)
  else expect(view.updatedAt, context()).toBe(category.updatedAt)
  category.updatedAt = view.updatedAt
}

export async function compareTemplates(asset: Asset): Promise<void> {
  const params = { objectName: 'asset', entityId: asset.id }
  const { orgId } = asset.place
  const { data } = ok(
    orgId === undefined
      ? await alice.call('metadata.bindings', { params })
      : await alice.call('metadata.orgBindings', { params: { ...params, orgId } }),
  )
  expect(
    data.items.map(({ templateId, source }) => `${templateId} ${source}`),
    context(),
  ).toEqual(inForce(asset, globalDefault))
}

async function list(at: Place, query: Record<string, string | number> = {}): Promise<AssetView[]> {
  const { data } = ok(await alice.get('/api/assets', { size: 100, include: 'values', ...inOrg(at), ...query }))
  expect(data.total, context()).toBe(data.items.length)
  return data.items
}

/** Compares everything that can be seen of a place with the model. */
export async function compare(at: Place): Promise<void> {
  const all = living(at).toSorted((a, b) => b.id - a.id)
  const views = await list(at, { sort: '-createdAt' })
  expect(views.length, context()).toBe(all.length)
  for (const view of views)
    check(
      all.find(({ id }) => id === view.id)!,
      view,
      false,
    )
  expect(new Set(views.map(({ assetNo }) => assetNo.toLowerCase())).size).toBe(all.length)

  const { number, text, option } = at.fields
  const filtered = async (query: Record<string, string | number>, keep: (asset: Asset) => boolean) =>
    expect(
      (await list(at, query)).map(({ id }) => id).toSorted((a, b) => b - a),
      `${JSON.stringify(query)} ${context()}`,
    ).toEqual(all.filter(keep).map(({ id }) => id))
  await filtered({ [`field.${number}.min`]: 1 }, ({ values }) => ((values.get(number) as number) ?? 0) >= 1)
  await filtered({ [`field.${option}`]: 'red,blue' }, ({ values }) => /red|blue/.test(String(values.get(option))))
  await filtered({ [`field.${text}`]: 'DRILL' }, ({ values }) => /drill/i.test(String(values.get(text))))
  await filtered({ [`field.${at.fields.computed}.max`]: 2 }, ({ values }) => ((values.get(number) as number) ?? 9) <= 1)
  await filtered({ status: 'IDLE,SCRAPPED' }, ({ status }) => status === 'IDLE' || status === 'SCRAPPED')
  await filtered({ custodianId: 0 }, ({ custodianId }) => custodianId === null)
  const found = (asset: Asset) => `${asset.name} ${asset.brand} ${asset.assetNo}`.toLowerCase().includes('drill')
  await filtered({ keyword: 'dRILL' }, found)
  for (const id of [...at.categories.keys()].slice(0, 3)) {
    const branch = branchOf(at, id)
    await filtered({ categoryId: id }, ({ categoryId }) => branch.includes(categoryId!))
  }
  const map = ok(await alice.get('/api/assets/map', { zoom: 1, ...inOrg(at) })).data
  expect(map.total, context()).toBe(all.filter(({ position }) => position !== null).length)

  const nodes = flat(await categoryTree(alice, at.orgId))
  expect(nodes.map(({ id }) => id).toSorted(), context()).toEqual([...at.categories.keys()].toSorted())
  for (const node of nodes) {
    checkCategory(at.categories.get(node.id)!, node, false)
    expect(node.assetCount, context()).toBe(all.filter(({ categoryId }) => categoryId === node.id).length)
  }
  for (const inventory of at.inventories.slice(-5)) {
    expect(figures(await getInventory(alice, inventory.id)), context()).toEqual(figuresOf(inventory))
    const items = await allItems(alice, inventory.id)
    expect(
      items.map(({ assetId, state }) => `${assetId} ${state}`),
      context(),
    ).toEqual(statesOf(inventory))
  }
  for (const asset of all.filter(() => chance(15))) {
    await compareTemplates(asset)
    expect(await transfersOf(alice, asset.id), context()).toHaveLength(asset.transfers)
  }
}
