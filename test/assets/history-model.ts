/** A simple model of a register, for random histories: what users should see of assets, categories, templates and inventories. */

import type { AssetStatus, InventoryState } from '#db/schema/assets.ts'

/** The fields of metadata that the assets of a place can have. */
export interface Fields {
  readonly text: number
  readonly number: number
  readonly option: number
  /** Twice the number. */
  readonly computed: number
}

export interface Asset {
  readonly id: number
  readonly uuid: string
  readonly publicUrl: string
  place: Place
  name: string
  assetNo: string
  brand: string
  categoryId: number | null
  locationId: number | null
  custodianId: number | null
  status: AssetStatus
  position: readonly [latitude: number, longitude: number] | null
  /** By id of the field; without columns and computed values. */
  readonly values: Map<number, unknown>
  /** Templates bound to the asset itself, in their order. */
  bound: number[]
  transfers: number
  isOnLoan: boolean
  /** The day on which an inventory that had found it was closed last. */
  countedOn: string | null
  isDeleted: boolean
  version: number
  updatedAt: number
}

export interface Category {
  readonly id: number
  parentId: number | null
  templateIds: number[]
  version: number
  updatedAt: number
}

export interface Template {
  readonly id: number
  isDefault: boolean
}

export interface Inventory {
  readonly id: number
  /** Where each expected asset was recorded at the start. */
  readonly expected: ReadonlyMap<number, number | null>
  /** Where each scanned asset was found. */
  readonly scanned: Map<number, number | null>
  isClosed: boolean
}

/** The personal assets of a user, or those of an organization. */
export interface Place {
  readonly orgId: number | undefined
  readonly fields: Fields
  readonly locations: readonly (number | null)[]
  readonly custodians: readonly (number | null)[]
  readonly categories: Map<number, Category>
  templates: Template[]
  readonly inventories: Inventory[]
}

/** Mulberry32. */
export function randomOf(seed: number) {
  let state = seed
  const random = (below: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % below
  }
  const pick = <T>(values: readonly T[]): T => values[random(values.length)]!
  return { random, pick, chance: (percent: number) => random(100) < percent }
}

export const depthOf = ({ categories }: Place, id: number | null): number =>
  id === null ? 0 : 1 + depthOf({ categories } as Place, categories.get(id)!.parentId)

export const childrenOf = ({ categories }: Place, id: number): Category[] =>
  [...categories.values()].filter(({ parentId }) => parentId === id)

/** Levels of the category and those below it. */
export const heightOf = (place: Place, id: number): number =>
  1 + Math.max(0, ...childrenOf(place, id).map((child) => heightOf(place, child.id)))

/** The category and those below it. */
export const branchOf = (place: Place, id: number): number[] => [
  id,
  ...childrenOf(place, id).flatMap((child) => branchOf(place, child.id)),
]

/** The templates in force for an asset. `globalDefault`: in force where the place has no default of its own. */
export function inForce(asset: Asset, globalDefault: number): string[] {
  const { templates, categories } = asset.place
  const isDefault = (id: number) =>
    id === globalDefault || templates.some((template) => template.id === id && template.isDefault)
  let category = asset.categoryId === null ? undefined : categories.get(asset.categoryId)
  while (category !== undefined && category.templateIds.length === 0 && category.parentId !== null)
    category = categories.get(category.parentId)
  const bound = asset.bound.map((id) => ({ id, source: 'ENTITY', isFirst: isDefault(id) }))
  const ofCategory = (category?.templateIds ?? []).map((id, i) => ({ id, source: 'CATEGORY', isFirst: i === 0 }))
  const all = [...bound, ...ofCategory.filter(({ id }) => !asset.bound.includes(id))]
  const ordered = [...all.filter(({ isFirst }) => isFirst), ...all.filter(({ isFirst }) => !isFirst)]
  const fallback = templates.find((template) => template.isDefault)?.id ?? globalDefault
  return ordered.length === 0 ? [`${fallback} DEFAULT`] : ordered.map(({ id, source }) => `${id} ${source}`)
}

export function stateOf({ expected, scanned }: Inventory, id: number): InventoryState {
  if (!expected.has(id)) return 'UNEXPECTED'
  if (!scanned.has(id)) return 'MISSING'
  const [recorded, found] = [expected.get(id)!, scanned.get(id)!]
  return recorded !== null && found !== null && recorded !== found ? 'MISPLACED' : 'FOUND'
}

export const statesOf = (inventory: Inventory): string[] =>
  [...new Set([...inventory.expected.keys(), ...inventory.scanned.keys()])]
    .toSorted((a, b) => a - b)
    .map((id) => `${id} ${stateOf(inventory, id)}`)

export function figuresOf(inventory: Inventory) {
  const states = statesOf(inventory).map((line) => line.split(' ')[1])
  const count = (wanted: InventoryState) => states.filter((state) => state === wanted).length
  const misplaced = count('MISPLACED')
  const found = count('FOUND') + misplaced
  const expected = inventory.expected.size
  return { expected, found, missing: expected - found, unexpected: count('UNEXPECTED'), misplaced }
}
