/**
 * Random histories of a personal register and that of an organization, compared with a simple model: every answer, the asset that a step
 * changed, and from time to time everything that can be seen. The test's name and every failure show the seed. To repeat a history, or
 * to run a long one:
 *
 *     SEED=20260101 STEPS=10000 bun test --timeout 600000 test/assets/history.test.ts
 */

import { afterAll, beforeAll, expect, test } from 'bun:test'

import { MINUTE } from '#platform/clock.ts'

import { inProcess, ok } from '../harness/index.ts'
import { createTemplate, setFields } from '../metadata/helpers.ts'
import { figuresOf as figures, setStatus } from './counting.ts'
import { type Asset, branchOf, childrenOf, depthOf, figuresOf, heightOf, type Place, stateOf } from './history-model.ts'
import {
  advance,
  alice,
  answered,
  assets,
  bob,
  brandField,
  chance,
  check,
  checkCategory,
  compare,
  compareTemplates,
  context,
  globalDefault,
  inOrg,
  isTaken,
  living,
  mine,
  newAsset,
  ours,
  outcomes,
  pick,
  random,
  restart,
  seed,
  setUp,
  setValue,
  someone,
  someValue,
  tearDown,
  trace,
  verify,
  WORDS,
} from './history-world.ts'
import { categoryTree, flat } from './places.ts'
import { csv, sendImport } from './sheets.ts'

/** PostgreSQL takes several times as long for a step. */
const STEPS = Number(process.env['STEPS'] ?? (inProcess && !process.env['TEST_DATABASE_URL'] ? 2000 : 1000))
/** Steps between two comparisons of everything. */
const COMPARE_EVERY = 250
/** Steps between two restarts of the server, if it is in this process. */
const RESTART_EVERY = 1000
/** The largest number of assets of a place. */
const MAX_ASSETS = 60

beforeAll(setUp)
afterAll(tearDown)

/** A body of POST or PUT, with its effects on the model. `isBad`: the register must refuse it. */
function someFields(at: Place, asset: Asset | undefined) {
  const body: Record<string, unknown> = {}
  const effects: ((target: Asset) => boolean)[] = []
  let isBad = false
  const set = <K extends keyof Asset>(key: K, value: Asset[K], change = () => {}) => {
    body[key] = value
    effects.push((target) => {
      if (Bun.deepEquals(target[key], value)) return false
      target[key] = value
      change()
      return true
    })
  }
  if (chance(30)) set('name', pick(WORDS))
  if (chance(20)) {
    const number = pick(['N-1', 'n-1', 'N-2', 'N-3', `N-${random(1000)}`])
    isBad ||= isTaken(at, number, asset)
    set('assetNo', number)
  }
  if (chance(40)) {
    const elsewhere = at === mine ? ours : mine
    const id = chance(10) ? pick([...elsewhere.categories.keys(), 999_999_999]) : pick([null, ...at.categories.keys()])
    isBad ||= id !== null && !at.categories.has(id)
    set('categoryId', id)
  }
  if (at.orgId !== undefined && chance(30)) set('locationId', pick(at.locations))
  if (chance(20)) set('custodianId', pick(at.custodians))
  if (chance(15)) {
    const status = pick(['IN_USE', 'IDLE', 'REPAIR', 'LOST'] as const)
    isBad ||= asset?.status === 'SCRAPPED'
    set('status', status)
  }
  if (chance(20)) {
    const position = pick([null, [30.25, 120.15], [-33.9, 151.2], [30.2501, 120.1502]] as const)
    body['latitude'] = position?.[0] ?? null
    body['longitude'] = position?.[1] ?? null
    effects.push((target) => {
      if (Bun.deepEquals(target.position, position)) return false
      target.position = position
      return true
    })
  }
  if (chance(40)) {
    const given = new Map([someValue(at), someValue(at)])
    body['values'] = [...given].map(([fieldId, value]) => ({ fieldId, value }))
    effects.push((target) => [...given].map(([fieldId, value]) => setValue(target, fieldId, value)).includes(true))
  }
  /** Returns whether something changed. */
  const apply = (target: Asset): boolean => {
    const { locationId, custodianId } = target
    const changed = effects.map((effect) => effect(target)).includes(true)
    if (asset && (target.locationId !== locationId || target.custodianId !== custodianId)) target.transfers += 1
    return changed
  }
  return { body, isBad, apply }
}

type Step = (at: Place, asset: Asset) => Promise<void>

const steps: Record<string, Step> = {
  async create(at) {
    if (living(at).length >= MAX_ASSETS) return
    const { body, isBad, apply } = someFields(at, undefined)
    const given = { name: 'asset', ...body, ...inOrg(at) } as { name: string }
    const reply = await alice.call('assets.create', { body: given })
    if (!answered('create', reply, isBad ? 400 : 200)) return
    expect(isTaken(at, reply.data.assetNo), context()).toBe(false)
    const asset = newAsset(at, reply.data)
    apply(asset)
    expect(reply.data.version).toBe(1)
    check(asset, reply.data, false)
  },
  async update(at, asset) {
    const { body, isBad, apply } = someFields(at, asset)
    const reply = await alice.call('assets.update', { params: { id: asset.id }, body })
    const isDone = answered('update', reply, asset.isDeleted ? 404 : isBad ? 400 : 200)
    await verify(asset, isDone && apply(asset))
  },
  async setValues(at, asset) {
    const given = new Map([someValue(at), someValue(at), someValue(at)])
    const isBad = chance(10)
    const values = [...given].map(([fieldId, value]) => ({ fieldId, value }))
    if (isBad) values.push({ fieldId: at.fields.computed, value: 1 })
    const params = { objectName: 'asset', entityId: asset.id }
    const reply = await alice.call('metadata.updateValues', { params, body: { values, ...inOrg(at) } })
    const isDone = answered('setValues', reply, asset.isDeleted ? 404 : isBad ? 400 : 200)
    await verify(asset, isDone && values.map((v) => setValue(asset, v.fieldId, v.value)).includes(true))
  },
  async transfer(at, asset) {
    const custodianId = pick([undefined, ...at.custodians])
    const locationId = at.orgId === undefined ? undefined : pick([undefined, ...at.locations])
    const isChange =
      (custodianId !== undefined && custodianId !== asset.custodianId) ||
      (locationId !== undefined && locationId !== asset.locationId)
    const body = { ...(custodianId !== undefined && { custodianId }), ...(locationId !== undefined && { locationId }) }
    const reply = await someone(at).call('assets.transfer', { params: { id: asset.id }, body })
    const isBad = !isChange || asset.status === 'SCRAPPED'
    const isDone = answered('transfer', reply, asset.isDeleted ? 404 : isBad ? 400 : 200)
    if (isDone) {
      Object.assign(asset, body)
      asset.transfers += 1
    }
    await verify(asset, isDone)
  },
  async give(at, asset) {
    if (at !== mine || !chance(60)) return
    const reply = await alice.call('assets.transfer', { params: { id: asset.id }, body: { toOrgId: ours.orgId! } })
    const isBad = asset.status === 'SCRAPPED' || isTaken(ours, asset.assetNo)
    const isDone = answered('give', reply, asset.isDeleted ? 404 : isBad ? 400 : 200)
    if (isDone) {
      const bound = asset.bound.filter((id) => id === globalDefault)
      Object.assign(asset, { place: ours, categoryId: null, locationId: null, custodianId: null, bound })
      asset.values.clear()
      asset.transfers += 1
    }
    await verify(asset, isDone)
  },
  async scrap(at, asset) {
    const isChange = asset.status !== 'SCRAPPED'
    const reply = await someone(at).call('assets.scrap', { params: { id: asset.id }, body: {} })
    const isDone = answered('scrap', reply, asset.isDeleted ? 404 : 200)
    if (isDone) asset.status = 'SCRAPPED'
    await verify(asset, isDone && isChange)
  },
  async delete(at, asset) {
    const reply = await someone(at).call('assets.delete', { params: { id: asset.id } })
    const isDone = answered('delete', reply, asset.isDeleted ? 404 : asset.isOnLoan ? 400 : 200)
    if (isDone) asset.isDeleted = true
    await verify(asset, false)
  },
  async lend(at, asset) {
    const isReturn = asset.isOnLoan !== chance(10)
    const { id } = asset
    if (isReturn) {
      const locationId = at.orgId === undefined ? undefined : pick([undefined, ...at.locations])
      const body = locationId === undefined ? {} : { locationId }
      const reply = await someone(at).call('assets.checkIn', { params: { id }, body })
      const isDone = answered('checkIn', reply, asset.isDeleted ? 404 : asset.isOnLoan ? 200 : 400)
      if (isDone) {
        asset.isOnLoan = false
        if (locationId !== undefined && locationId !== asset.locationId) asset.transfers += 1
        if (locationId !== undefined) asset.locationId = locationId
      }
      return verify(asset, isDone)
    }
    const isBad = asset.isOnLoan || asset.status === 'SCRAPPED'
    const reply = await someone(at).call('assets.checkOut', { params: { id }, body: { personName: 'Ms Chen' } })
    const isDone = answered('checkOut', reply, asset.isDeleted ? 404 : isBad ? 400 : 200)
    if (isDone) asset.isOnLoan = true
    await verify(asset, isDone)
  },
  async bind(at, asset) {
    const { id } = pick([...at.templates, { id: globalDefault }])
    const params = { objectName: 'asset', entityId: asset.id }
    const body = { templateIds: [id] }
    const { orgId } = at
    const isBound = asset.bound.includes(id)
    if (isBound && chance(70)) {
      const reply =
        orgId === undefined
          ? await alice.call('metadata.unbind', { params: { ...params, templateId: id } })
          : await alice.call('metadata.orgUnbind', { params: { ...params, orgId, templateId: id } })
      if (answered('unbind', reply, asset.isDeleted ? 404 : 200)) asset.bound = asset.bound.filter((b) => b !== id)
    } else {
      const reply =
        orgId === undefined
          ? await alice.call('metadata.bind', { params, body })
          : await alice.call('metadata.orgBind', { params: { ...params, orgId }, body })
      if (answered('bind', reply, asset.isDeleted ? 404 : 200) && !isBound) asset.bound.push(id)
    }
    await verify(asset, false)
    if (!asset.isDeleted) await compareTemplates(asset)
  },
  async createCategory(at) {
    if (at.categories.size > 15) return
    const parentId = pick([null, ...at.categories.keys()])
    const templateIds = at.templates.map(({ id }) => id).filter(() => chance(40))
    const body = { name: pick(WORDS), parentId, templateIds, ...inOrg(at) }
    const reply = await someone(at).call('assetCategories.create', { body })
    if (!answered('createCategory', reply, depthOf(at, parentId) < 5 ? 200 : 400)) return
    const { id, version, updatedAt } = reply.data
    at.categories.set(id, { id, parentId, templateIds, version, updatedAt })
  },
  async updateCategory(at) {
    const category = pick([...at.categories.values()])
    if (category === undefined) return
    const templateIds = at.templates.map(({ id }) => id).filter(() => chance(40))
    if (chance(50)) templateIds.reverse()
    const body = { templateIds, defaultTemplateId: templateIds[0] ?? null }
    const reply = await someone(at).call('assetCategories.update', { params: { id: category.id }, body })
    answered('updateCategory', reply, 200)
    const isChanged = !Bun.deepEquals(category.templateIds, templateIds)
    category.templateIds = templateIds
    checkCategory(category, reply.data, isChanged)
  },
  async moveCategory(at) {
    const category = pick([...at.categories.values()])
    if (category === undefined) return
    const parentId = pick([null, ...at.categories.keys()])
    const isCycle = parentId !== null && branchOf(at, category.id).includes(parentId)
    const isBad = isCycle || depthOf(at, parentId) + heightOf(at, category.id) > 5
    const call = someone(at).call('assetCategories.move', { params: { id: category.id }, body: { parentId } })
    const reply = await call
    if (!answered('moveCategory', reply, isBad ? 400 : 200)) return
    const isChanged = category.parentId !== parentId
    category.parentId = parentId
    checkCategory(category, reply.data, isChanged)
  },
  async deleteCategory(at) {
    const category = pick([...at.categories.values()])
    if (category === undefined || !chance(50)) return
    const { id } = category
    const reply = await someone(at).call('assetCategories.delete', { params: { id } })
    if (!answered('deleteCategory', reply, childrenOf(at, id).length > 0 ? 400 : 200)) return
    at.categories.delete(id)
    for (const asset of living(at).filter(({ categoryId }) => categoryId === id)) {
      asset.categoryId = null
      await verify(asset, true)
    }
  },
  async createTemplate(at) {
    if (at.templates.length > 5) return
    const isDefault = chance(30)
    const { id } = await createTemplate(someone(at), { isDefault }, at.orgId === undefined ? {} : { orgId: at.orgId })
    if (isDefault) for (const template of at.templates) template.isDefault = false
    at.templates.push({ id, isDefault })
    await setFields(someone(at), id, [at.fields.text, brandField], at.orgId)
    trace.push(`createTemplate ${id}`)
  },
  async deleteTemplate(at) {
    const template = pick(at.templates)
    if (template === undefined || !chance(50)) return
    const { id } = template
    const reply =
      at.orgId === undefined
        ? await alice.call('metadata.deleteTemplate', { params: { id } })
        : await bob.call('metadata.deleteOrgTemplate', { params: { orgId: at.orgId, id } })
    answered('deleteTemplate', reply, 200)
    at.templates = at.templates.filter((other) => other !== template)
    for (const asset of assets) asset.bound = asset.bound.filter((bound) => bound !== id)
    const nodes = new Map(flat(await categoryTree(alice, at.orgId)).map((node) => [node.id, node]))
    for (const category of at.categories.values()) {
      if (!category.templateIds.includes(id)) continue
      category.templateIds = category.templateIds.filter((other) => other !== id)
      checkCategory(category, nodes.get(category.id)!, true)
    }
  },
  async startInventory(at) {
    if (at.inventories.filter(({ isClosed }) => !isClosed).length >= 3) return
    const categoryId = chance(40) ? pick([...at.categories.keys()]) : undefined
    const categories = categoryId === undefined ? undefined : branchOf(at, categoryId)
    const locations = chance(30) ? at.locations.slice(1, 3) : []
    const scope = { categoryIds: categoryId === undefined ? [] : [categoryId], locationIds: locations as number[] }
    const counted = living(at)
      .filter(({ status }) => status !== 'SCRAPPED')
      .filter((asset) => categories === undefined || categories.includes(asset.categoryId!))
      .filter((asset) => locations.length === 0 || locations.includes(asset.locationId))
    const body = { name: pick(WORDS), scope, ...inOrg(at) }
    const draft = await someone(at).call('inventories.create', { body })
    answered('createInventory', draft, 200)
    expect(draft.data.expected, context()).toBe(counted.length)
    answered('startInventory', await setStatus(someone(at), draft.data.id, 'RUNNING'), 200)
    const known = new Map(counted.map(({ id, locationId }) => [id, locationId]))
    at.inventories.push({ id: draft.data.id, expected: known, scanned: new Map(), isClosed: false })
  },
  async scan(at, candidate) {
    const running = at.inventories.filter(({ isClosed }) => !isClosed)
    const inventory = pick(chance(90) ? running : at.inventories)
    if (inventory === undefined) return
    const again = assets.filter(({ id, place }) => place === at && inventory.scanned.has(id))
    const asset = again.length > 0 && chance(40) ? pick(again) : candidate
    const isKnown = !asset.isDeleted || inventory.expected.has(asset.id) || inventory.scanned.has(asset.id)
    const number = asset.isDeleted ? [] : [{ code: asset.assetNo.toLowerCase() }]
    const codes = [{ assetId: asset.id }, { code: asset.uuid.toUpperCase() }, { code: asset.publicUrl }, ...number]
    const locationId = at.orgId === undefined ? undefined : pick([undefined, ...at.locations])
    const body = { ...pick(codes), ...(locationId !== undefined && { locationId }) }
    const reply = await someone(at).call('inventories.scan', { params: { id: inventory.id }, body })
    if (!answered('scan', reply, inventory.isClosed ? 400 : isKnown ? 200 : 404)) return
    expect(reply.data.repeated, context()).toBe(inventory.scanned.has(asset.id))
    const { id, scanned } = { id: asset.id, scanned: inventory.scanned }
    scanned.set(id, locationId === undefined ? (scanned.get(id) ?? null) : locationId)
    expect(reply.data.result, context()).toBe(stateOf(inventory, id) as 'FOUND')
    expect(figures(reply.data.inventory), context()).toEqual(figuresOf(inventory))
  },
  async closeInventory(at) {
    const inventory = at.inventories.at(-1 - random(3))
    if (inventory === undefined || !chance(20)) return
    const reply = await setStatus(someone(at), inventory.id, 'CLOSED')
    answered('closeInventory', reply, 200)
    if (inventory.isClosed) return
    inventory.isClosed = true
    // The assets that it found get the day of the count. The clock of the test may pass midnight.
    const day = new Date(ok(reply).data.closedAt!).toISOString().slice(0, 10)
    for (const asset of assets) {
      const isFound = inventory.scanned.has(asset.id) && stateOf(inventory, asset.id) !== 'UNEXPECTED'
      if (asset.place !== at || asset.isDeleted || asset.countedOn === day || !isFound) continue
      asset.countedOn = day
      await verify(asset, true)
    }
  },
  async import(at) {
    if (!chance(40) || living(at).length + 3 > MAX_ASSETS) return
    const known = living(at).filter(() => chance(10))
    const rows = known.map((asset) => ({ asset, name: pick([asset.name, ...WORDS]), value: pick(['', 1, 7]) }))
    const isBad = chance(30)
    const header = ['Asset no.', 'Name', 'Brand', 'N']
    const file = csv([
      header,
      ...rows.map(({ asset, name, value }) => [asset.assetNo, name, '', value]),
      ['', 'imported', 'ACME', isBad ? 'many' : 5],
    ])
    const mapping = JSON.stringify({ N: `field:${at.fields.number}` })
    const reply = await sendImport(alice, file, { mapping, ...inOrg(at) })
    if (!answered('import', reply, isBad ? 400 : 200)) return
    let updated = 0
    for (const { asset, name, value } of rows) {
      const isRenamed = asset.name !== name
      asset.name = name
      const isChanged = (value !== '' && setValue(asset, at.fields.number, value)) || isRenamed
      if (isChanged) updated += 1
      await verify(asset, isChanged)
    }
    expect(reply.data, context()).toMatchObject({ created: 1, updated, unchanged: rows.length - updated })
    const query = { size: 1, include: ['values'], ...inOrg(at) } as never
    const view = ok(await alice.call('assets.list', { query })).data.items[0]!
    const created = newAsset(at, view)
    Object.assign(created, { name: 'imported', brand: 'ACME' })
    setValue(created, at.fields.number, 5)
    check(created, view, false)
  },
}
/** The steps of a round: the frequent ones several times. */
const FREQUENT = [
  'create',
  'create',
  'create',
  'update',
  'update',
  'setValues',
  'setValues',
  'transfer',
  'scan',
  'scan',
]
const names = [...Object.keys(steps), ...FREQUENT]
test(`${STEPS} random steps in two registers of assets are answered as the model says (SEED=${seed})`, async () => {
  for (let step = 1; step <= STEPS; step++) {
    const at = pick([mine, ours])
    const candidates = assets.filter((asset) => asset.place === at && (!asset.isDeleted || random(20) === 0))
    const name = candidates.length === 0 ? 'create' : pick(names)
    await steps[name]!(at, pick(candidates))
    if (step % COMPARE_EVERY === 0 || step === STEPS) for (const each of [mine, ours]) await compare(each)
    if (inProcess && step % RESTART_EVERY === 0) await restart()
    // Some operations have a budget for an hour. A session lasts seven days.
    if (inProcess && step % 100 === 0) advance(10 * MINUTE)
  }
  // A history in which an operation never succeeds would prove nothing about it.
  const missing = [
    ...FREQUENT,
    'give',
    'scrap',
    'delete',
    'checkOut',
    'checkIn',
    'bind',
    'moveCategory',
    'import',
  ].filter((name) => !outcomes.has(`${name} 200`))
  expect(missing).toEqual([])
})
