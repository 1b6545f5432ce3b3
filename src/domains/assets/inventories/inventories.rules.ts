/** Decisions about inventories: changes of status, the state of an item after a scan, and the figures that follow. Pure. */

import type {
  Condition,
  inventories,
  inventoryItems,
  InventoryScope,
  InventoryState,
  InventoryStatus,
} from '#db/schema/assets.ts'
import { UUID_PATTERN } from '#lib/text.ts'
import type { TreeNode } from '#lib/tree.ts'

import type { ScanAsset, UpdateInventory } from './inventories.model.ts'

export type InventoryRow = typeof inventories.$inferSelect
export type ItemRow = typeof inventoryItems.$inferSelect

const NEXT: Readonly<Record<InventoryStatus, InventoryStatus | undefined>> = {
  DRAFT: 'RUNNING',
  RUNNING: 'CLOSED',
  CLOSED: undefined,
}
/** An inventory goes one step forward, or keeps its status. */
export const mayBecome = (from: InventoryStatus, to: InventoryStatus): boolean => from === to || NEXT[from] === to

type Details = Pick<InventoryRow, 'name' | 'scope' | 'assigneeIds' | 'note'>
export type InventoryChange = Partial<Details & Pick<InventoryRow, 'status'>>

const unique = (ids: readonly number[] | null | undefined): number[] => [...new Set(ids)]

export const scopeOf = (scope: UpdateInventory['scope']): InventoryScope => ({
  categoryIds: unique(scope?.categoryIds),
  locationIds: unique(scope?.locationIds),
})

export const newInventory = (input: UpdateInventory & { readonly name: string }): Details => ({
  name: input.name,
  scope: scopeOf(input.scope),
  assigneeIds: unique(input.assigneeIds),
  note: input.note ?? '',
})

/** The values of a request that the row does not have yet. */
export function changeOf(row: InventoryRow, input: UpdateInventory): InventoryChange {
  const given = {
    ...(input.name !== undefined && { name: input.name }),
    ...(input.scope !== undefined && { scope: scopeOf(input.scope) }),
    ...(input.assigneeIds !== undefined && { assigneeIds: unique(input.assigneeIds) }),
    ...(input.note !== undefined && { note: input.note ?? '' }),
    ...(input.status !== undefined && { status: input.status }),
  }
  return Object.fromEntries(
    Object.entries(given).filter(([name, value]) => !Bun.deepEquals(value, row[name as keyof InventoryChange])),
  )
}

/** The nodes with these ids and everything below them. Ids that no node has select nothing. */
export function branchesOf(nodes: readonly TreeNode[], ids: readonly number[]): Set<number> {
  const wanted = new Set(ids)
  const selected = new Set<number>()
  const parents = new Map(nodes.map(({ id, parentId }) => [id, parentId]))
  for (const { id } of nodes) {
    const seen = new Set<number>()
    for (let at: number | null | undefined = id; at != null && !seen.has(at); at = parents.get(at)) {
      if (wanted.has(at)) selected.add(id)
      seen.add(at)
    }
  }
  return selected
}

/** The categories and locations that a scope selects, with those below them. Undefined: all, also assets without one. */
export interface Branches {
  readonly categoryIds: ReadonlySet<number> | undefined
  readonly locationIds: ReadonlySet<number> | undefined
}

export const branchesOfScope = (
  scope: InventoryScope,
  categories: readonly TreeNode[],
  locations: readonly TreeNode[],
): Branches => ({
  categoryIds: scope.categoryIds.length === 0 ? undefined : branchesOf(categories, scope.categoryIds),
  locationIds: scope.locationIds.length === 0 ? undefined : branchesOf(locations, scope.locationIds),
})

/** A number of assets that are in one category and at one location. */
export interface Group {
  readonly categoryId: number | null
  readonly locationId: number | null
  readonly count: number
}

export const countIn = (groups: readonly Group[], { categoryIds, locationIds }: Branches): number =>
  groups
    .filter(({ categoryId }) => categoryIds === undefined || (categoryId !== null && categoryIds.has(categoryId)))
    .filter(({ locationId }) => locationIds === undefined || (locationId !== null && locationIds.has(locationId)))
    .reduce((sum, { count }) => sum + count, 0)

/** The state of an item that was scanned at this location. Without a recorded location an asset cannot be at a wrong one. */
export function stateAfter(
  item: Pick<ItemRow, 'state' | 'expectedLocationId'> | undefined,
  locationId: number | null,
): Exclude<InventoryState, 'MISSING'> {
  if (item === undefined || item.state === 'UNEXPECTED') return 'UNEXPECTED'
  const { expectedLocationId } = item
  return locationId !== null && expectedLocationId !== null && locationId !== expectedLocationId ? 'MISPLACED' : 'FOUND'
}

/** The details that a scan gives of an item. They replace the old ones. */
export interface Finding {
  readonly locationId: number | null
  readonly condition: Condition | null
  readonly photoFileId: number | null
  readonly note: string
}

export const findingAfter = (item: Finding | undefined, scan: ScanAsset): Finding => ({
  locationId: scan.locationId === undefined ? (item?.locationId ?? null) : scan.locationId,
  condition: scan.condition === undefined ? (item?.condition ?? null) : scan.condition,
  photoFileId: scan.photoFileId === undefined ? (item?.photoFileId ?? null) : scan.photoFileId,
  note: scan.note === undefined ? (item?.note ?? '') : (scan.note ?? ''),
})

export type Figures = Pick<InventoryRow, 'found' | 'unexpected' | 'misplaced'>

const FIGURES: Readonly<Record<InventoryState, Figures>> = {
  MISSING: { found: 0, unexpected: 0, misplaced: 0 },
  FOUND: { found: 1, unexpected: 0, misplaced: 0 },
  MISPLACED: { found: 1, unexpected: 0, misplaced: 1 },
  UNEXPECTED: { found: 0, unexpected: 1, misplaced: 0 },
}

/** How the figures change when an item gets another state. An item that did not exist counted for nothing, like a missing one. */
export function figuresChange(before: InventoryState, after: InventoryState): Figures {
  const [from, to] = [FIGURES[before], FIGURES[after]]
  return {
    found: to.found - from.found,
    unexpected: to.unexpected - from.unexpected,
    misplaced: to.misplaced - from.misplaced,
  }
}

/** The number of items in a state, by the figures of their inventory. Without a state, of all items. */
export function itemCount(row: Figures & { readonly expected: number }, state: InventoryState | undefined): number {
  const { expected, found, unexpected, misplaced } = row
  if (state === undefined) return expected + unexpected
  return { MISSING: expected - found, FOUND: found - misplaced, MISPLACED: misplaced, UNEXPECTED: unexpected }[state]
}

const UUID = new RegExp(`^${UUID_PATTERN}$`, 'i')
const LANDING_PATH = new RegExp(`/s/asset/(${UUID_PATTERN})/?$`, 'i')

/** The UUID in a scanned text that is one, or the address of a landing page, on any host: labels outlive the names of servers. */
export function uuidOf(code: string): string | undefined {
  if (UUID.test(code)) return code.toLowerCase()
  const url = /^https?:\/\/\S+$/i.test(code) ? URL.parse(code) : null
  return url?.pathname.match(LANDING_PATH)?.[1]?.toLowerCase()
}
