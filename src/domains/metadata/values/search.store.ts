import { and, asc, count, desc, eq, gt, type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'

import type { OwnerKey } from '#db/owner-key.ts'
import { type Page, type PageInput, pageOfQuery } from '#db/paging.ts'
import { metaValues } from '#db/schema/meta.ts'
import { searchPage } from '#db/search.ts'
import { SLICE_ROWS } from '#db/slices.ts'
import type { Db } from '#db/store.ts'
import type { EntityTable, MetaObject } from '#domains/contributions.ts'

import { type Condition, orderOf } from '../types/types.rules.ts'
import { valueMeets } from './filters.store.ts'
import type { FieldRow } from './values.model.ts'

/** The stored values of a field that belong to entities of the owner. */
export interface StoredSearch {
  readonly field: FieldRow
  readonly owner: OwnerKey
  readonly object: MetaObject
  /** Undefined for all values. */
  readonly condition: Condition | undefined
  readonly isReversed: boolean
}

interface FoundRow {
  readonly entityId: number
}

const valuesIn = ({ field, owner }: StoredSearch): SQL | undefined =>
  and(eq(metaValues.fieldId, field.id), eq(metaValues.owner, owner))

const matching = (search: StoredSearch): SQL | undefined =>
  and(valuesIn(search), search.condition && valueMeets(search.condition), search.object.isLive(metaValues.entityId))

/** The number of values that meet the condition, but at most `limit`. */
export async function countUpTo(db: Db, search: StoredSearch, limit: number): Promise<number> {
  const rows = db
    .select({ id: metaValues.entityId })
    .from(metaValues)
    .where(and(valuesIn(search), search.condition && valueMeets(search.condition)))
    .limit(limit)
  const [row] = await db.select({ n: count() }).from(rows.as('rows') as unknown as SQLiteTable)
  return row!.n
}

/** By value, then by entity, which an index has in this order. Each entity has at most one row. */
export function valuesPage(db: Db, search: StoredSearch, page: PageInput): Promise<Page<FoundRow>> {
  const direction = search.isReversed ? desc : asc
  const where = matching(search)
  return pageOfQuery(
    page,
    db
      .select({ entityId: metaValues.entityId })
      .from(metaValues)
      .where(where)
      .orderBy(direction(metaValues[orderOf(search.field.type)!]), direction(metaValues.entityId)),
    db.select({ n: count() }).from(metaValues).where(where),
  )
}

/** The same for values of several rows, by the first option in alphabetical order. */
export function optionsPage(db: Db, search: StoredSearch, page: PageInput): Promise<Page<FoundRow>> {
  const direction = search.isReversed ? desc : asc
  const where = matching(search)
  const first = sql`min(${metaValues.key})`
  return pageOfQuery(
    page,
    db
      .select({ entityId: metaValues.entityId })
      .from(metaValues)
      .where(where)
      .groupBy(metaValues.entityId)
      .orderBy(direction(first), direction(metaValues.entityId)),
    db
      .select({ n: sql`count(distinct ${metaValues.entityId})`.mapWith(Number) })
      .from(metaValues)
      .where(where),
  )
}

/** Texts that contain another one. `db` is that of a search. */
export const searchTexts = (db: Db, search: StoredSearch, page: PageInput): Promise<Page<FoundRow>> =>
  searchPage<FoundRow>(
    db,
    {
      table: metaValues,
      scope: valuesIn(search),
      order: [metaValues.key, metaValues.entityId],
      isReversed: search.isReversed,
      where: and(search.condition && valueMeets(search.condition), search.object.isLive(metaValues.entityId)),
      select: (from) => from.select({ entityId: metaValues.entityId }).from(metaValues).$dynamic() as never,
    },
    page,
  )

/** A row of a slice: the id, and the columns of the order. */
interface SliceRow {
  readonly id: number
  readonly key: readonly unknown[]
}

/** The next entities of the owner after the one with this key, in the order of the table. */
export async function entitiesAfter(
  db: Db,
  { table, id, order, where }: EntityTable,
  owner: OwnerKey,
  after: readonly unknown[] | undefined,
): Promise<SliceRow[]> {
  const comma = sql`, `
  const tuple = (parts: readonly unknown[]): SQL =>
    sql.join(
      parts.map((part) => sql`${part}`),
      comma,
    )
  const rest =
    after === undefined
      ? undefined
      : order.length === 1
        ? gt(order[0]!, after[0])
        : sql`(${tuple(order)}) > (${tuple(after)})`
  const rows = await db
    .select({ id, ...Object.fromEntries(order.map((column, i) => [`key${i}`, column])) })
    .from(table)
    .where(and(where(owner), rest))
    .orderBy(...order.map((column) => asc(column)))
    .limit(SLICE_ROWS)
  return rows.map((row) => ({
    id: (row as { id: number }).id,
    key: order.map((_, i) => (row as Record<string, unknown>)[`key${i}`]),
  }))
}
