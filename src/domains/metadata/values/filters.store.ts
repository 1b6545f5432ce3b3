import { and, eq, gte, inArray, lte, type SQL, sql } from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import type { OwnerKey } from '#db/owner-key.ts'
import { type EntityColumn, metaValues } from '#db/schema/meta.ts'
import type { Db, SQLiteColumn } from '#db/store.ts'
import { dayName } from '#lib/days.ts'

import type { Condition } from '../types/types.rules.ts'
import { type FieldFilter, needsSearch } from './filters.rules.ts'

/** Where the query of a list finds the entities. */
export interface FilteredTable {
  readonly owner: OwnerKey
  readonly entityId: SQLiteColumn
  readonly columns: Readonly<Record<EntityColumn, SQLiteColumn>>
  /** The list is searched in slices, also for another reason than `needsSearch`. */
  readonly isSearch?: boolean
}

/**
 * The entities that meet all filters, without those by COMPUTED fields. A list reads the ids of the matching values by their index. A
 * search in slices asks for each of its rows instead, because every slice would read all the ids again.
 */
export function whereFields(filters: readonly FieldFilter[], from: FilteredTable): SQL | undefined {
  const byRow = from.isSearch === true || needsSearch(filters)
  return and(
    ...filters.map((filter) => {
      const { field, condition } = filter
      if (field.type === 'COMPUTED') return undefined
      if (field.entityColumn !== null)
        return columnMeets(field.entityColumn, from.columns[field.entityColumn], condition)
      const isWanted = condition.kind !== 'filled' || condition.is
      const found = byRow ? hasValue(filter, from) : isAmongValues(filter, from)
      return isWanted ? found : sql`not ${found}`
    }),
  )
}

/** Whether at most `limit` values meet the filter, which is one by an index. Reads no more than that. */
export async function meetsAtMost(
  db: Db,
  { field, condition }: FieldFilter,
  owner: OwnerKey,
  limit: number,
): Promise<boolean> {
  const rows = await db
    .select({ id: metaValues.entityId })
    .from(metaValues)
    .where(and(eq(metaValues.fieldId, field.id), eq(metaValues.owner, owner), valueMeets(condition)))
    .limit(1)
    .offset(limit)
  return rows.length === 0
}

const isAmongValues = ({ field, condition }: FieldFilter, { owner, entityId }: FilteredTable): SQL =>
  sql`${entityId} in (select ${metaValues.entityId} from ${metaValues} where ${and(
    eq(metaValues.fieldId, field.id),
    eq(metaValues.owner, owner),
    valueMeets(condition),
  )})`

const hasValue = ({ field, condition }: FieldFilter, { owner, entityId }: FilteredTable): SQL =>
  sql`exists (select 1 from ${metaValues} where ${and(
    eq(metaValues.objectName, field.objectName),
    eq(metaValues.entityId, entityId),
    eq(metaValues.fieldId, field.id),
    sql`+${metaValues.owner} = ${owner}`,
    valueMeets(condition),
  )})`

/** Undefined if every stored value meets it. */
export function valueMeets(condition: Condition): SQL | undefined {
  switch (condition.kind) {
    case 'range':
      return inRange(metaValues.number, condition.min, condition.max)
    case 'options':
      return inArray(metaValues.key, [...condition.keys])
    case 'contains':
      return contains(metaValues.text, condition.text)
    case 'equals':
      return eq(metaValues.text, condition.text)
    case 'filled':
      return undefined
  }
}

const inRange = (column: SQLiteColumn, min: number | string | undefined, max: number | string | undefined) =>
  and(min === undefined ? undefined : gte(column, min), max === undefined ? undefined : lte(column, max))

/** Only texts, dates and the price can be in fixed columns. */
function columnMeets(name: EntityColumn, column: SQLiteColumn, condition: Condition): SQL | undefined {
  if (condition.kind === 'contains') return contains(column, condition.text)
  if (condition.kind !== 'range') throw new Error(`no filter of kind ${condition.kind} for a fixed column`)
  const { min, max } = condition
  if (name === 'purchasePrice')
    return inRange(column, min && Math.ceil(hundredths(min)), max && Math.floor(hundredths(max)))
  return inRange(column, min === undefined ? min : dayName(min), max === undefined ? max : dayName(max))
}

/** A price as the column holds it; a product that misses an integer by a rounding error is that integer. */
const hundredths = (price: number): number => Number((price * 100).toFixed(6))
