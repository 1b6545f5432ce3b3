/**
 * Lists of assets. A list in one of its orders, and a list with one filter by category, location, custodian or status, are paged lists
 * (db/lists.ts), whose pages and totals cost the same at a thousand rows and at a million. Other filters are queries.
 */

import { and, count, eq, gte, inArray, isNull, lt, lte, ne, or, type SQL, sql } from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import { dialect } from '#db/dialect.ts'
import type { OwnerKey } from '#db/owner-key.ts'
import { offsetOf, type Page, type PageInput } from '#db/paging.ts'
import { assets, type AssetStatus } from '#db/schema/assets.ts'
import type { EntityColumn } from '#db/schema/meta.ts'
import { orderOf, searchPage, sectionsOf } from '#db/search.ts'
import type { Builders, Db, SQLiteColumn } from '#db/store.ts'

import type { AssetSort, SortName } from './register/register.model.ts'
import { type AssetRow, assetsWhere, isLive, listed } from './register/register.store.ts'

const select = (db: Builders) => db.select().from(assets).$dynamic()
const live = { deletedAt: null } as const
const byAge = { orders: { createdAt: ['createdAt', 'id'] }, sort: '-createdAt', select } as const

const all = listed.list({ owner: [], where: live, total: 'assets.all', ...byAge })
const ofOwner = listed.list({
  owner: ['owner'],
  where: live,
  total: 'assets.owner',
  orders: {
    createdAt: ['createdAt', 'id'],
    updatedAt: ['updatedAt', 'createdAt', 'id'],
    name: ['name', 'createdAt', 'id'],
    assetNo: ['assetNo', 'createdAt', 'id'],
    status: ['status', 'createdAt', 'id'],
  },
  sort: '-createdAt',
  select,
})
const withCategory = listed.list({ owner: ['owner', 'categoryId'], where: live, ...byAge })
const withLocation = listed.list({ owner: ['owner', 'locationId'], where: live, ...byAge })
const withCustodian = listed.list({ owner: ['owner', 'custodianId'], where: live, ...byAge })
const withStatus = listed.list({ owner: ['owner', 'status'], where: live, ...byAge })
const withoutCategory = listed.list({ owner: ['owner'], where: { ...live, categoryId: null }, ...byAge })
const withoutLocation = listed.list({ owner: ['owner'], where: { ...live, locationId: null }, ...byAge })
const withoutCustodian = listed.list({ owner: ['owner'], where: { ...live, custodianId: null }, ...byAge })

/** Of a column that can be empty: the rows with a value in its order, and the others. */
const dated = {
  purchaseDate: {
    filled: listed.list({
      owner: ['owner'],
      where: live,
      whereNot: { purchaseDate: null },
      orders: { value: ['purchaseDate', 'createdAt', 'id'] },
      sort: 'value',
      select,
    }),
    empty: listed.list({ owner: ['owner'], where: { ...live, purchaseDate: null }, ...byAge }),
  },
  warrantyExpiry: {
    filled: listed.list({
      owner: ['owner'],
      where: live,
      whereNot: { warrantyExpiry: null },
      orders: { value: ['warrantyExpiry', 'createdAt', 'id'] },
      sort: 'value',
      select,
    }),
    empty: listed.list({ owner: ['owner'], where: { ...live, warrantyExpiry: null }, ...byAge }),
  },
  nextMaintenance: {
    filled: listed.list({
      owner: ['owner'],
      where: live,
      whereNot: { nextMaintenance: null },
      orders: { value: ['nextMaintenance', 'createdAt', 'id'] },
      sort: 'value',
      select,
    }),
    empty: listed.list({ owner: ['owner'], where: { ...live, nextMaintenance: null }, ...byAge }),
  },
  purchasePrice: {
    filled: listed.list({
      owner: ['owner'],
      where: live,
      whereNot: { purchasePrice: null },
      orders: { value: ['purchasePrice', 'createdAt', 'id'] },
      sort: 'value',
      select,
    }),
    empty: listed.list({ owner: ['owner'], where: { ...live, purchasePrice: null }, ...byAge }),
  },
}
type EmptyColumn = keyof typeof dated
const canBeEmpty = (name: SortName): name is EmptyColumn => Object.hasOwn(dated, name)

/** Newest first. */
const DEFAULT_SORT = '-createdAt'

function parsed(sort: AssetSort = DEFAULT_SORT): { readonly name: SortName; readonly isReversed: boolean } {
  const isReversed = sort.startsWith('-')
  return { name: (isReversed ? sort.slice(1) : sort) as SortName, isReversed }
}

export type SortedPage = PageInput & { readonly sort?: AssetSort | undefined }

/** A page of all assets of the owner. Assets without the value of the order come last in both directions. */
export async function assetsPage(db: Db, owner: OwnerKey, { page, size, sort }: SortedPage): Promise<Page<AssetRow>> {
  const { name, isReversed } = parsed(sort)
  const direction = isReversed ? '-' : ''
  if (!canBeEmpty(name)) return ofOwner.page(db, { owner }, { page, size, sort: `${direction}${name}` })
  const { filled, empty } = dated[name]
  if (dialect === 'postgres') {
    // The total of each part would have to be counted.
    const items = await filled.rows(db, { owner }, { page, size, sort: `${direction}value` })
    if (items.length === size) return { items, total: await countAssets(db, owner), page, size }
  }
  return oneAfterTheOther(
    { page, size },
    (part) => filled.page(db, { owner }, { ...part, sort: `${direction}value` }),
    (part) => empty.page(db, { owner }, { ...part, sort: `${direction}createdAt` }),
  )
}

/** A page of two lists that are shown as one. */
async function oneAfterTheOther<Row>(
  page: PageInput,
  first: (page: PageInput) => Promise<Page<Row>>,
  second: (page: PageInput) => Promise<Page<Row>>,
): Promise<Page<Row>> {
  const start = await first(page)
  const missing = page.size - start.items.length
  const skip = Math.max(0, offsetOf(page) - start.total)
  const at = Math.floor(skip / page.size) + 1
  const one = await second({ page: at, size: page.size })
  const items = one.items.slice(skip % page.size)
  if (items.length < missing && skip % page.size > 0)
    items.push(...(await second({ page: at + 1, size: page.size })).items)
  return { ...page, items: [...start.items, ...items.slice(0, missing)], total: start.total + one.total }
}

export const countAssets = async (db: Db, owner: OwnerKey): Promise<number> =>
  (await assetsPage(db, owner, { page: 1, size: 1 })).total

/** Filters of a query whose sub-trees are known. Empty lists of ids select nothing; null selects assets without any. */
export interface Conditions {
  readonly categoryIds?: readonly number[] | null
  readonly locationIds?: readonly number[] | null
  readonly custodianId?: number | null
  readonly statuses?: readonly AssetStatus[]
  readonly warrantyFrom?: string
  readonly warrantyTo?: string
  readonly purchaseFrom?: string
  readonly purchaseTo?: string
  readonly maintenanceTo?: string
  readonly countTo?: string
  /** Whether the next count was to be before this day. */
  readonly countOverdue?: { readonly today: string; readonly is: boolean }
  readonly ids?: readonly number[]
}

const oneOf = (column: typeof assets.categoryId, ids: readonly number[] | null | undefined): SQL | undefined => {
  if (ids === undefined) return undefined
  return ids === null ? isNull(column) : inArray(column, [...ids])
}

/** They stand before each order in the indexes of an owner. */
const isLiveColumns: readonly SQLiteColumn[] = [assets.deletedAt]

/** Without the owner, which every query adds. */
export const conditionsWhere = (given: Conditions, keyword?: string, more?: SQL): SQL | undefined =>
  and(
    more,
    keyword ? containsKeyword(keyword) : undefined,
    oneOf(assets.categoryId, given.categoryIds),
    oneOf(assets.locationId, given.locationIds),
    oneOf(assets.custodianId, given.custodianId == null ? given.custodianId : [given.custodianId]),
    given.statuses && inArray(assets.status, [...given.statuses]),
    given.warrantyFrom === undefined ? undefined : gte(assets.warrantyExpiry, given.warrantyFrom),
    given.warrantyTo === undefined ? undefined : lte(assets.warrantyExpiry, given.warrantyTo),
    given.purchaseFrom === undefined ? undefined : gte(assets.purchaseDate, given.purchaseFrom),
    given.purchaseTo === undefined ? undefined : lte(assets.purchaseDate, given.purchaseTo),
    given.maintenanceTo === undefined ? undefined : lte(assets.nextMaintenance, given.maintenanceTo),
    given.countTo === undefined ? undefined : lte(assets.nextCountOn, given.countTo),
    given.countOverdue && countOverdue(given.countOverdue),
    given.ids && inArray(assets.id, [...given.ids]),
  )

function countOverdue({ today, is }: NonNullable<Conditions['countOverdue']>): SQL {
  if (is) return and(lt(assets.nextCountOn, today), ne(assets.status, 'SCRAPPED'))!
  return or(isNull(assets.nextCountOn), gte(assets.nextCountOn, today), eq(assets.status, 'SCRAPPED'))!
}

const containsKeyword = (keyword: string): SQL | undefined =>
  or(
    ...[assets.name, assets.assetNo, assets.serialNo, assets.brand, assets.model, assets.remark].map((column) =>
      contains(column, keyword),
    ),
  )

/** Whether at most `limit` assets meet a condition that is one range of an index. Reads no more than that. */
export async function matchesAtMost(db: Db, where: SQL, limit: number): Promise<boolean> {
  const rows = await db.select({ id: assets.id }).from(assets).where(where).limit(1).offset(limit)
  return rows.length === 0
}

/**
 * The same assets as `assetsWhere`, for a condition that few meet. Without statistics, SQLite would read all assets of the owner and
 * look for each in the list of ids; with the plus it has to begin with that list.
 */
export const assetsAmong = (owner: OwnerKey, where?: SQL): SQL =>
  dialect === 'sqlite'
    ? and(sql`+${assets.owner} = ${owner}`, sql`+${assets.deletedAt} is null`, where)!
    : assetsWhere(owner, where)

/** The page if a paged list has exactly these rows in this order, otherwise undefined. */
export function pageWithOneFilter(
  db: Db,
  owner: OwnerKey,
  given: Conditions,
  { page, size, sort = DEFAULT_SORT }: SortedPage,
): Promise<Page<AssetRow>> | undefined {
  const { categoryIds, locationIds, custodianId, statuses } = given
  if (Object.values(given).filter((value) => value !== undefined).length !== 1) return undefined
  if (sort !== 'createdAt' && sort !== '-createdAt') return undefined
  const input = { page, size, sort } as const
  if (categoryIds === null) return withoutCategory.page(db, { owner }, input)
  if (locationIds === null) return withoutLocation.page(db, { owner }, input)
  if (custodianId === null) return withoutCustodian.page(db, { owner }, input)
  if (categoryIds?.length === 1) return withCategory.page(db, { owner, categoryId: categoryIds[0]! }, input)
  if (locationIds?.length === 1) return withLocation.page(db, { owner, locationId: locationIds[0]! }, input)
  if (custodianId !== undefined) return withCustodian.page(db, { owner, custodianId }, input)
  if (statuses?.length === 1) return withStatus.page(db, { owner, status: statuses[0]! }, input)
  return undefined
}

export const idColumn: SQLiteColumn = assets.id

/** The fixed columns that fields of metadata stand for. */
export const entityColumns: Readonly<Record<EntityColumn, SQLiteColumn>> = {
  brand: assets.brand,
  model: assets.model,
  serialNo: assets.serialNo,
  supplier: assets.supplier,
  remark: assets.remark,
  purchaseDate: assets.purchaseDate,
  warrantyExpiry: assets.warrantyExpiry,
  purchasePrice: assets.purchasePrice,
}

const keyColumns = (name: SortName) =>
  name === 'createdAt' ? [assets.createdAt, assets.id] : [assets[name], assets.createdAt, assets.id]

/** The owner's assets that meet the condition. Rows without the value of the order are read apart, so that each part has an index. */
export async function filteredPage(
  db: Db,
  where: SQL,
  input: SortedPage,
  nulls = isLiveColumns,
): Promise<Page<AssetRow>> {
  const { name, isReversed } = parsed(input.sort)
  const { page, size } = input
  const items: AssetRow[] = []
  let total = 0
  for (const { scope, ...by } of sectionsOf({ scope: where, order: keyColumns(name), isReversed, nulls })) {
    const [counted] = await db.select({ n: count() }).from(assets).where(scope)
    const skip = Math.max(0, offsetOf(input) - total)
    const missing = size - items.length
    if (missing > 0 && skip < counted!.n)
      items.push(
        ...(await db
          .select()
          .from(assets)
          .where(scope)
          .orderBy(...orderOf(by, isReversed))
          .limit(missing)
          .offset(skip)),
      )
    total += counted!.n
  }
  return { items, total, page, size }
}

/** A condition that SQL cannot express: the rows of a slice that meet it. */
export type Keep = (db: Db, rows: readonly AssetRow[]) => Promise<readonly AssetRow[]>

/** As `filteredPage`, for conditions that no index answers. `db` is that of `Store.search`. */
export function searchAssets(
  db: Db,
  owner: OwnerKey,
  { where, keep }: { readonly where: SQL | undefined; readonly keep?: Keep | undefined },
  { page, size, sort }: SortedPage,
): Promise<Page<AssetRow>> {
  const { name, isReversed } = parsed(sort)
  const order = keyColumns(name)
  const scope = assetsWhere(owner)
  const search = { table: assets, scope, order, isReversed, nulls: isLiveColumns, where, select, ...(keep && { keep }) }
  return searchPage(db, search, { page, size })
}

type AgeSorted = PageInput & { readonly sort?: 'createdAt' | '-createdAt' | undefined }

/** All owners' assets, for the console. */
export const allAssetsPage = (db: Db, page: AgeSorted): Promise<Page<AssetRow>> => all.page(db, {}, page)

export const filteredOfAll = (db: Db, where: SQL | undefined, page: AgeSorted): Promise<Page<AssetRow>> =>
  filteredPage(db, and(isLive, where)!, page, [])

export const searchAll = (db: Db, where: SQL | undefined, page: AgeSorted): Promise<Page<AssetRow>> =>
  all.search(db, {}, page, where)

/** The ids of the owner's assets that meet the condition: by id, or in an order, with assets without its value last. */
export async function assetIds(
  db: Db,
  owner: OwnerKey,
  where: SQL | undefined,
  sort: AssetSort | undefined,
  limit: number,
): Promise<number[]> {
  const rows = await db
    .select({ id: assets.id })
    .from(assets)
    .where(assetsWhere(owner, where))
    .orderBy(...exportOrder(sort))
    .limit(limit)
  return rows.map(({ id }) => id)
}

function exportOrder(sort: AssetSort | undefined): SQL[] {
  if (sort === undefined) return [sql`${assets.id}`]
  const isReversed = sort.startsWith('-')
  const column = assets[(isReversed ? sort.slice(1) : sort) as SortName]
  const direction = sql.raw(isReversed ? 'desc' : 'asc')
  return [
    sql`case when ${column} is null then 1 else 0 end`,
    ...[column, assets.createdAt, assets.id].map((by) => sql`${by} ${direction}`),
  ]
}
