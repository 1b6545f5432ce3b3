/** The list of assets, and its filters, which the map and the export have too. */

import type { AppContext } from '#context'
import { type OwnerKey, ownerKey } from '#db/owner-key.ts'
import { MAX_ROWS_IN_TURN, type Page, readerFor } from '#db/paging.ts'
import type { Db, HeavyReads, SQL } from '#db/store.ts'
import {
  computedMatch,
  type FieldFilter,
  fieldFilters,
  meetsAtMost,
  needsSearch,
  whereFields,
} from '#domains/metadata/index.ts'
import { locationTree } from '#domains/orgs/index.ts'
import { addressOf } from '#http/caller.ts'
import type { Caller, Owner } from '#http/endpoint.ts'
import { invalidAll } from '#http/validate.ts'

import { assetCategoryTree } from './categories/categories.store.ts'
import { todayOf } from './days.service.ts'
import { valuesOfAssets } from './entities.service.ts'
import * as store from './listing.store.ts'
import type { AssetView, Filters, ListQuery } from './register/register.model.ts'
import { filterProblems } from './register/register.rules.ts'
import { type AssetRow, assetsWhere } from './register/register.store.ts'
import { toViews } from './register/register.view.ts'

/** `request`: for the filters by field, whose names no schema can list. */
export async function listAssets(
  ctx: AppContext,
  owner: Owner,
  query: ListQuery,
  { request, caller }: { readonly request: Request; readonly caller: Caller },
): Promise<Page<AssetView>> {
  const { items, ...page } = await rowsPage(ctx, owner, query, fieldParameters(request))
  const views = await toViews(ctx, ctx.db.read, items)
  if (!query.include?.includes('values')) return { ...page, items: views }
  const values = await valuesOfAssets(ctx, ctx.db.read, owner, items, caller.locale)
  return { ...page, items: views.map((view) => ({ ...view, values: values.get(view.id) ?? [] })) }
}

/** The parameters of a query that filter by fields. */
export const fieldParameters = (request: Request): Record<string, string> =>
  Object.fromEntries([...addressOf(request).searchParams].filter(([name]) => name.startsWith('field.')))

async function rowsPage(
  ctx: AppContext,
  owner: Owner,
  query: ListQuery,
  parameters: Readonly<Record<string, string>>,
): Promise<Page<AssetRow>> {
  const key = ownerKey(owner)
  const found = await listConditions(ctx, owner, query, parameters)
  const { conditions, where, isSearch, keep } = found
  if (isSearch) return ctx.db.search(owner.userId, (db) => store.searchAssets(db, key, { where, keep }, query))
  if (where === undefined) return store.assetsPage(ctx.db.read, key, query)
  const paged = conditions && store.pageWithOneFilter(ctx.db.read, key, conditions, query)
  if (paged !== undefined) return paged
  const { read } = ctx.db
  const { byValue, isOneRange } = found
  if (byValue.length > 0) {
    const few = await Promise.all(byValue.map((filter) => meetsAtMost(read, filter, key, MAX_ROWS_IN_TURN)))
    if (few.includes(true)) {
      const reader = few.includes(false) ? await assetsReader(ctx, key) : read
      return store.filteredPage(reader, store.assetsAmong(key, where), query)
    }
  } else if (isOneRange && (await store.matchesAtMost(read, assetsWhere(key, where), MAX_ROWS_IN_TURN)))
    return store.filteredPage(read, assetsWhere(key, where), query)
  return store.filteredPage(await assetsReader(ctx, key), assetsWhere(key, where), query)
}

/** Where to run queries that look at all assets of an owner. */
export const assetsReader = async (ctx: AppContext, owner: OwnerKey, reads: HeavyReads = ctx.db): Promise<Db> =>
  readerFor(reads, await store.countAssets(ctx.db.read, owner))

export interface ListConditions {
  /** To which the caller adds the owner (`assetsWhere`). Undefined for all assets. */
  readonly where: SQL | undefined
  /** The filters that find assets by an index of values: it may be better to begin with one. */
  readonly byValue: readonly FieldFilter[]
  /** Whether `where` is one range of a column that has an index. */
  readonly isOneRange: boolean
  /** Whether rows have to be read to know whether they match (`searchAssets`), because no index answers the condition. */
  readonly isSearch: boolean
  /** Filters by COMPUTED fields, for the rows that meet `where`. */
  readonly keep: store.Keep | undefined
  /** If there are no other filters than these. */
  readonly conditions: store.Conditions | undefined
}

/** The filters of a query, for the list, the map and the export. `parameters`: those of `fieldParameters`. @throws AppError 400 */
export async function listConditions(
  ctx: AppContext,
  owner: Owner,
  query: Filters,
  parameters: Readonly<Record<string, string>>,
): Promise<ListConditions> {
  const conditions = await conditionsOf(ctx, owner, query)
  const fields = await fieldFilters(ctx, owner, 'asset', parameters)
  const keyword = query.keyword || undefined
  const isSearch = keyword !== undefined || needsSearch(fields)
  const table = { owner: ownerKey(owner), entityId: store.idColumn, columns: store.entityColumns, isSearch }
  const indexed = fields.filter(
    ({ field, condition }) =>
      field.entityColumn === null && field.type !== 'COMPUTED' && (condition.kind !== 'filled' || condition.is),
  )
  const isComputed = fields.some(({ field }) => field.type === 'COMPUTED')
  const keep: store.Keep = async (db, rows) => {
    const ids = rows.map((row) => row.id)
    const matching = await computedMatch(ctx, db, owner, 'asset', fields, ids)
    return matching === undefined ? rows : rows.filter((row) => matching.has(row.id))
  }
  return {
    where: store.conditionsWhere(conditions, keyword, whereFields(fields, table)),
    byValue: indexed,
    isOneRange: isOneRange(conditions, fields),
    isSearch,
    keep: isComputed ? keep : undefined,
    conditions: isSearch || fields.length > 0 ? undefined : conditions,
  }
}

const isOneRange = (conditions: store.Conditions, fields: readonly FieldFilter[]): boolean => {
  const columns = Object.keys(conditions).map((name) => name.replace(/(From|To)$/, ''))
  const ranges = new Set([...columns, ...fields.map(({ field }) => field.entityColumn ?? 'value')])
  const [only, ...others] = ranges
  return others.length === 0 && RANGES.has(only ?? '')
}
/** Filters and columns with an index of their own. */
const RANGES = new Set([
  'warranty',
  'purchase',
  'maintenance',
  'count',
  'countOverdue',
  'warrantyExpiry',
  'purchaseDate',
  'purchasePrice',
])

/** The filters with the ids of sub-trees. Categories and locations of other owners select nothing. @throws AppError 400 */
export async function conditionsOf(ctx: AppContext, owner: Owner, query: Filters): Promise<store.Conditions> {
  const problems = filterProblems(query)
  if (problems.length > 0) throw invalidAll(problems)
  const db = ctx.db.read
  return conditionsIn(query, {
    categories: (id) => assetCategoryTree.branchIds(db, ownerKey(owner), id),
    locations: (id) => locationTree.branchIds(db, owner.orgId, id),
    today: () => todayOf(ctx, db, ownerKey(owner)),
  })
}

type BranchOf = (id: number) => Promise<readonly number[]>

/** The same for valid filters, with the functions that find the node with this id and all below it. */
export async function conditionsIn(
  query: Filters,
  branches: { readonly categories: BranchOf; readonly locations: BranchOf; readonly today: () => Promise<string> },
): Promise<store.Conditions> {
  const { categoryId, locationId, custodianId, status, warrantyFrom, warrantyTo, purchaseFrom, purchaseTo, ids } = query
  const { maintenanceTo, countTo, overdueCount } = query
  return {
    ...(categoryId !== undefined && { categoryIds: categoryId === 0 ? null : await branches.categories(categoryId) }),
    ...(locationId !== undefined && { locationIds: locationId === 0 ? null : await branches.locations(locationId) }),
    ...(custodianId !== undefined && { custodianId: custodianId || null }),
    ...(status !== undefined && { statuses: [...new Set(status)] }),
    ...(warrantyFrom && { warrantyFrom }),
    ...(warrantyTo && { warrantyTo }),
    ...(purchaseFrom && { purchaseFrom }),
    ...(purchaseTo && { purchaseTo }),
    ...(maintenanceTo && { maintenanceTo }),
    ...(countTo && { countTo }),
    ...(overdueCount !== undefined && { countOverdue: { today: await branches.today(), is: overdueCount } }),
    ...(ids !== undefined && { ids }),
  }
}
