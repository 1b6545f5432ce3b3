/**
 * Random histories of two inventories and the assets that they are about, against a model of some lines. Changes of assets after the
 * start must not change an inventory, and the figures must equal the items after each step.
 */

import { expect, test } from 'bun:test'

import type { InventoryState } from '#db/schema/assets.ts'

import { ok, useServer } from '../harness/index.ts'
import { createOrg } from '../orgs/helpers.ts'
import {
  addAsset,
  addLocation,
  allItems,
  createInventory,
  figuresOf,
  getInventory,
  scan,
  setStatus,
} from './counting.ts'
import { deleteAsset, scrapAsset, updateAsset } from './helpers.ts'

const STEPS = 300
const { alice } = useServer({ people: ['alice'], noAdmin: true })

interface Asset {
  readonly id: number
  readonly assetNo: string
  readonly uuid: string
  location: number | null
  /** Deleted, so that only inventories that knew it before find it. */
  isDeleted: boolean
  isScrapped: boolean
}
interface Counted {
  readonly expected: ReadonlyMap<number, number | null>
  /** Where each scanned asset was found. */
  readonly scanned: Map<number, number | null>
  isClosed: boolean
}

function stateOf({ expected, scanned }: Counted, id: number): InventoryState {
  if (!expected.has(id)) return 'UNEXPECTED'
  if (!scanned.has(id)) return 'MISSING'
  const [recorded, found] = [expected.get(id)!, scanned.get(id)!]
  return recorded !== null && found !== null && recorded !== found ? 'MISPLACED' : 'FOUND'
}

const idsOf = ({ expected, scanned }: Counted) => [...new Set([...expected.keys(), ...scanned.keys()])]

function figures(counted: Counted) {
  const states = idsOf(counted).map((id) => stateOf(counted, id))
  const count = (...wanted: InventoryState[]) => states.filter((state) => wanted.includes(state)).length
  const expected = counted.expected.size
  const found = count('FOUND', 'MISPLACED')
  return {
    expected,
    found,
    missing: expected - found,
    unexpected: count('UNEXPECTED'),
    misplaced: count('MISPLACED'),
  }
}

test('after random scans and changes of assets, inventories agree with a simple model', async () => {
  const orgId = (await createOrg(alice)).id
  const locations = [null, ...(await Promise.all([1, 2, 3].map(() => addLocation(alice, orgId))))]
  const seed = Number(process.env['SEED'] ?? 7)
  let state = seed
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
  const pick = <T>(list: readonly T[]): T => list[random(list.length)]!
  const assets: Asset[] = []
  const counted = new Map<number, Counted>()

  const add = async () => {
    const location = pick(locations)
    const asset = await addAsset(alice, { locationId: location }, orgId)
    assets.push({ ...asset, location, isDeleted: false, isScrapped: false })
  }
  const begin = async () => {
    const { id } = await createInventory(alice, { orgId })
    ok(await setStatus(alice, id, 'RUNNING'))
    const expected = new Map(
      assets
        .filter(({ isDeleted, isScrapped }) => !isDeleted && !isScrapped)
        .map(({ id: assetId, location }) => [assetId, location]),
    )
    counted.set(id, { expected, scanned: new Map(), isClosed: false })
  }
  const scanOne = async () => {
    const [id, one] = pick([...counted])
    const asset = pick(assets)
    const location = pick([undefined, ...locations])
    const isKnown = !asset.isDeleted || idsOf(one).includes(asset.id)
    const how = asset.isDeleted
      ? pick([{ assetId: asset.id }, { code: asset.uuid }])
      : pick([{ assetId: asset.id }, { code: asset.uuid }, { code: asset.assetNo.toLowerCase() }])
    const reply = await scan(alice, id, { ...how, ...(location !== undefined && { locationId: location }) })
    expect(reply.status).toBe(one.isClosed ? 400 : isKnown ? 200 : 404)
    if (reply.status !== 200) return
    expect(reply.data.repeated).toBe(one.scanned.has(asset.id))
    one.scanned.set(asset.id, location === undefined ? (one.scanned.get(asset.id) ?? null) : location)
    expect(reply.data.result).toBe(stateOf(one, asset.id) as 'FOUND')
  }
  const move = async () => {
    const asset = pick(assets)
    if (asset.isDeleted) return
    asset.location = pick(locations)
    ok(await updateAsset(alice, asset.id, { locationId: asset.location }))
  }
  const remove = async () => {
    const asset = pick(assets)
    if (asset.isDeleted) return
    const change = pick(['delete', 'scrap'] as const)
    if (change === 'delete') asset.isDeleted = true
    else asset.isScrapped = true
    ok(await (change === 'delete' ? deleteAsset : scrapAsset)(alice, asset.id))
  }
  const close = async () => {
    const [id, one] = pick([...counted])
    one.isClosed = true
    ok(await setStatus(alice, id, 'CLOSED'))
    await begin()
  }

  for (let i = 0; i < 12; i++) await add()
  await begin()
  await begin()
  for (let step = 0; step < STEPS; step++) {
    const roll = random(100)
    if (roll < 75) await scanOne()
    else if (roll < 82) await add()
    else if (roll < 92) await move()
    else if (roll < 98) await remove()
    else await close()
    for (const [id, one] of counted)
      expect(figuresOf(await getInventory(alice, id)), `seed ${seed}, step ${step}`).toEqual(figures(one))
  }
  for (const [id, one] of counted) {
    const items = (await allItems(alice, id)).map(({ assetId, state: is }) => [assetId, is])
    expect(items).toEqual(
      idsOf(one)
        .toSorted((a, b) => a - b)
        .map((assetId) => [assetId, stateOf(one, assetId)]),
    )
  }
  expect([...counted.values()].filter(({ isClosed }) => isClosed).length).toBeGreaterThan(1)
})
