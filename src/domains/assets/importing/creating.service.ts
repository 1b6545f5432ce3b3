/** The categories and locations that an import creates because its rows name them, and that its undo removes. */

import type { AppContext } from '#context'
import { ownerExists } from '#db/owner-counts.ts'
import { ownerKey } from '#db/owner-key.ts'
import type { Tx } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import {
  deleteUnusedLocation,
  insertPlainLocation,
  locationTree,
  MAX_LOCATION_DEPTH,
  MAX_LOCATIONS,
} from '#domains/orgs/index.ts'
import type { Owner } from '#http/endpoint.ts'
import { badRequest, notFound } from '#http/errors.ts'
import { textProblem } from '#http/normalize.ts'
import { noPermission } from '#http/permissions.ts'
import type { Localized } from '#lib/localized.ts'

import { MAX_CATEGORIES, MAX_DEPTH } from '../categories/categories.model.ts'
import { categoryPaths, removeCategory } from '../categories/categories.service.ts'
import { assetCategoryTree, insertCategory } from '../categories/categories.store.ts'
import { levelsOf, pathKey } from '../sheets.rules.ts'
import { locationPaths } from '../sheets.store.ts'
import * as errors from './importing.errors.ts'
import type { Names } from './names.service.ts'
import * as store from './runs.store.ts'

/** Stands for a category or a location that the import is going to create. */
export const NEW = -1
/** Locations that one file can create. */
const MAX_NEW_LOCATIONS = 1000
const MAX_NAME = 100

/** @throws AppError 403 if the user may not create what the import is to create */
export async function checkMayCreate(
  ctx: AppContext,
  { userId, orgId }: Owner,
  input: { readonly createCategories?: boolean; readonly createLocations?: boolean },
): Promise<void> {
  const mayManage = () => access.can(ctx, userId, orgId === 0 ? 'APP' : 'ORG', orgId, 'asset_category:manage')
  if (input.createCategories === true && !(await mayManage())) throw noPermission
  // Personal things have no locations, so nothing would be created.
  const mayCreate = async () => orgId === 0 || (await access.can(ctx, userId, 'ORG', orgId, 'location:create'))
  if (input.createLocations === true && !(await mayCreate())) throw noPermission
}

/** The paths that the rows of one file name and that do not exist. */
export class Missing {
  readonly categories = new Set<string>()
  readonly locations = new Set<string>()
  readonly #newLevels = new Set<string>()

  constructor(readonly names: Names) {}

  /** Notes a category that the import is going to create. Returns why it cannot. */
  newCategory(path: string): Localized | undefined {
    if (!isPath(path, MAX_DEPTH)) return errors.badCategoryPath
    this.categories.add(path)
    return undefined
  }

  /** The same with a location, and the levels that it needs. */
  newLocation(path: string): Localized | undefined {
    if (!isPath(path, MAX_LOCATION_DEPTH)) return errors.badLocationPath
    const { locations } = this.names
    const levels = levelsOf(path).map(({ key }) => key)
    if (levels.some((key) => locations.find(key, null) === 'ambiguous')) return errors.ambiguousPath
    const missing = levels.filter((key) => locations.find(key, null) === undefined && !this.#newLevels.has(key))
    const room = Math.min(MAX_NEW_LOCATIONS, MAX_LOCATIONS - locations.paths.size)
    if (this.#newLevels.size + missing.length > room) return errors.tooManyLocations(room)
    for (const key of missing) this.#newLevels.add(key)
    this.locations.add(path)
    return undefined
  }
}

function isPath(path: string, maxDepth: number): boolean {
  // A cell can have 50,000 slashes, so the levels are counted before they are joined.
  const names = path.split('/').map((name) => name.trim())
  return (
    names.length <= maxDepth && names.every((name) => name !== '' && textProblem(name, 'line', MAX_NAME) === undefined)
  )
}

/** The categories and locations of an import as it created them. Earlier versions created no locations. */
export interface Created {
  readonly categories: readonly { readonly id: number; readonly version: number }[]
  readonly locations: readonly { readonly id: number; readonly updatedAt: number }[] | null
}

/** Creates the categories and locations that the rows name and that do not exist. @throws AppError 400 */
export async function createMissing(
  ctx: AppContext,
  tx: Tx,
  owner: Owner,
  { categories, locations }: Pick<Missing, 'categories' | 'locations'>,
) {
  return {
    categories: await createCategories(ctx, tx, owner, categories),
    locations: await createLocations(tx, owner, locations),
  }
}

/** Creates the categories of these paths, which were checked, with those above them, and returns them. @throws AppError 400 */
async function createCategories(ctx: AppContext, tx: Tx, owner: Owner, paths: ReadonlySet<string>) {
  if (paths.size === 0) return []
  const key = ownerKey(owner)
  let count = await assetCategoryTree.count(tx, key)
  const made = await createPaths(paths, await categoryPaths(ctx, tx, owner), async (name, parentId) => {
    if (++count > MAX_CATEGORIES) throw tooMany()
    return insertCategory(tx, key, { userId: owner.userId, name, color: '', parentId, shared: owner.orgId !== 0 })
  })
  return made.map(({ id, version }) => ({ id, version }))
}

const tooMany = () =>
  badRequest(`There can be at most ${MAX_CATEGORIES} categories`, `最多创建 ${MAX_CATEGORIES} 个分类`)

/** The same with locations. */
async function createLocations(tx: Tx, owner: Owner, paths: ReadonlySet<string>) {
  if (paths.size === 0) return []
  if (!(await ownerExists(tx, ownerKey(owner)))) throw notFound()
  let count = await locationTree.count(tx, owner.orgId)
  const made = await createPaths(paths, await locationPaths(tx, ownerKey(owner)), (name, parentId) =>
    insertPlainLocation(tx, owner.orgId, { name, parentId, count: count++ }),
  )
  return made.map(({ id, updatedAt }) => ({ id, updatedAt }))
}

/** Inserts the missing levels of each path, from the top, and returns their rows. */
async function createPaths<Row extends { readonly id: number }>(
  paths: ReadonlySet<string>,
  present: ReadonlyMap<number, string>,
  insert: (name: string, parentId: number | null) => Promise<Row>,
): Promise<Row[]> {
  const made: Row[] = []
  const ids = new Map([...present].map(([id, path]) => [pathKey(path), id]))
  for (const path of paths) {
    let parentId: number | null = null
    for (const { key, name } of levelsOf(path)) {
      let id = ids.get(key)
      if (id === undefined) {
        const row = await insert(name, parentId)
        made.push(row)
        ids.set(key, (id = row.id))
      }
      parentId = id
    }
  }
  return made
}

/** Deletes what the import created, as far as it is empty and as it was. */
export async function removeCreated(
  ctx: AppContext,
  tx: Tx,
  owner: Owner,
  { categories, locations }: Created,
): Promise<void> {
  for (const category of categories.toReversed()) await dropCategory(tx, owner, category)
  for (const location of locations?.toReversed() ?? []) await deleteUnusedLocation(ctx, tx, owner.orgId, location)
}

async function dropCategory(tx: Tx, owner: Owner, { id, version }: Created['categories'][number]): Promise<void> {
  const key = ownerKey(owner)
  if (!(await store.isUnchangedCategory(tx, key, id, version))) return
  if ((await assetCategoryTree.countChildren(tx, key, id)) > 0) return
  if (!(await store.isCategoryUsed(tx, key, id))) await removeCategory(tx, owner, id)
}
