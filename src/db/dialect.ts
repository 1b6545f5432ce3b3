/**
 * One schema for two databases. `table`, `col` and the index builders create SQLite or PostgreSQL objects, chosen once per
 * process; TypeScript sees the SQLite types only. Everything here must mean the same on both: see docs/adr/0002-two-dialects.md.
 */

import { inArray, type Placeholder, type SQL, sql, type SQLWrapper } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'

import { databaseUrl } from '#config/database-url.ts'

export type Dialect = 'sqlite' | 'postgres'

/** The dialect of this process. It cannot change later because table objects are module constants. */
export const dialect: Dialect = databaseUrl === '' ? 'sqlite' : 'postgres'
const isPg = dialect === 'postgres'

const liteCol = {
  /** Primary key, assigned by the database in increasing order. */
  id: () => lite.integer('id').primaryKey({ autoIncrement: true }),
  /**
   * The same for rows that only wait in their order: an id may come again when all rows from it on are gone. SQLite need not keep the greatest
   * id of the table then, which is more than a third of such an insert: 1.1 of 2.8 µs, and 3.9 of 5.6 if 100 tables have such ids.
   */
  queueId: () => lite.integer('id').primaryKey(),
  /** Integer up to 2^53: a foreign id, a counter. */
  int: (name: string) => lite.integer(name),
  bool: (name: string) => lite.integer(name, { mode: 'boolean' }),
  /** Epoch milliseconds. */
  time: (name: string) => lite.integer(name),
  text: (name: string) => lite.text(name),
  real: (name: string) => lite.real(name),
  json: <T>(name: string) => lite.text(name, { mode: 'json' }).$type<T>(),
}

// Not jsonb: it reorders keys, rounds numbers and rejects \u0000, and Bun.SQL guesses wrongly whether a string is already JSON.
const pgJson = pg.customType<{ data: unknown; driverData: string }>({
  dataType: () => 'text',
  toDriver: (value) => JSON.stringify(value),
  fromDriver: (value) => JSON.parse(value),
})

const pgCol = {
  id: () => pg.bigint('id', { mode: 'number' }).primaryKey().generatedByDefaultAsIdentity(),
  queueId: () => pgCol.id(),
  int: (name: string) => pg.bigint(name, { mode: 'number' }),
  bool: (name: string) => pg.boolean(name),
  time: (name: string) => pg.bigint(name, { mode: 'number' }),
  text: (name: string) => pg.text(name),
  real: (name: string) => pg.doublePrecision(name),
  json: <T>(name: string) => pgJson(name).$type<T>(),
}

// PostgreSQL's builders accept the same calls; with one type, every query is type-checked once.
export const col = (isPg ? pgCol : liteCol) as typeof liteCol
export const table = (isPg ? pg.pgTable : lite.sqliteTable) as typeof lite.sqliteTable
export const index = (isPg ? pg.index : lite.index) as typeof lite.index
export const uniqueIndex = (isPg ? pg.uniqueIndex : lite.uniqueIndex) as typeof lite.uniqueIndex
export const primaryKey = (isPg ? pg.primaryKey : lite.primaryKey) as typeof lite.primaryKey

/** A text in the object of a column of JSON; null if the object has none. */
export const jsonText = (column: lite.SQLiteColumn, key: string): SQL => {
  const name = sql.raw(`'${key}'`)
  return isPg ? sql`((${column})::json ->> ${name})` : sql`(${column} ->> ${name})`
}

/** `column DESC` in an index or an ORDER BY. */
export const descending = (column: lite.SQLiteColumn): SQL => sql`${column} desc`

/** The text in byte order, as SQLite compares texts. An index on it is used only if the query has it too. */
export const inByteOrder = (column: lite.SQLiteColumn): lite.SQLiteColumn | SQL =>
  isPg ? sql`(${column} collate "C")` : column

/** The text in lower case, in byte order: for prefix searches. An index on it is used only if the WHERE clause uses it too. */
export const lowered = (column: lite.SQLiteColumn): SQL => loweredText(sql`${column}`)
/** The same for an expression. */
export const loweredText = (text: SQL): SQL => (isPg ? sql`(lower(${text}) collate "C")` : sql`(lower(${text}))`)

/** A column of long texts in an index that finds a whole text. PostgreSQL cannot index texts of more than 2,700 bytes. */
export const wholeText = (column: lite.SQLiteColumn): lite.SQLiteColumn | SQL => (isPg ? sql`(md5(${column}))` : column)
/** Whether the text equals `value`, by an index on `wholeText`. */
export const isWholeText = (column: lite.SQLiteColumn, value: string | Placeholder): SQL =>
  isPg ? sql`(md5(${column})) = md5(${value}::text) and ${column} = ${value}` : sql`${column} = ${value}`

/**
 * Whether the column is one of the values in a JSON list. PostgreSQL looks them up by the first part if an index has the column. In a table that has
 * grown since its last ANALYZE, it may take another condition for more selective, such as `deleted_at IS NULL` or the activity of a registration, and
 * read all rows that meet that. It would compare each with the whole list, by a loop: 700 to 1,200 ms for 500 of 10,000 new rows. The second part makes
 * that one look into a hash: 34 ms. PostgreSQL evaluates it first because it is cheaper, and cannot turn it into a join.
 */
function isListed(column: lite.SQLiteColumn, json: Placeholder | string): SQL {
  const value = sql.raw(column.dataType === 'string' ? 'value' : 'value::bigint')
  const values = sql`(select ${value} from json_array_elements_text(${json}::text::json))`
  return sql`(${column} = any(array${values}) and case when ${column} in ${values} then 1 else 0 end = 1)`
}

/**
 * Whether the column is one of the integers or texts in a placeholder, whose value is a JSON text of them. Unlike a list of parameters it has one
 * text for any number of values, so the query can be prepared.
 */
export const isInJson = (column: lite.SQLiteColumn, json: Placeholder): SQL =>
  isPg ? isListed(column, json) : sql`${column} in (select value from json_each(${json}))`

/** So few values are compared faster than a hash is made. */
const FEW = 30

/**
 * Whether the column is one of these values, which may be some hundred. For lists of parameters, PostgreSQL keeps a plan from the sixth list of the same
 * length on, and that plan cannot have a hash.
 */
export const isOneOf = <Value extends number | string>(
  column: lite.SQLiteColumn & { readonly _: { readonly data: Value } },
  values: readonly Value[],
): SQL =>
  isPg && values.length > FEW ? isListed(column, JSON.stringify(values.map(wellFormed))) : inArray(column, [...values])

/** PostgreSQL refuses JSON with half of a character; in a parameter it would be replaced. */
const wellFormed = (value: number | string) => (typeof value === 'string' ? value.toWellFormed() : value)

/**
 * Whether the column is one of the values of a query with a LIMIT, to change those rows. With IN, PostgreSQL reads the whole table from some
 * thousand values on: 1,000 ms for 5,000 of a million rows instead of 20.
 */
export const isAnyOf = (column: lite.SQLiteColumn | SQL, values: SQLWrapper): SQL =>
  isPg ? sql`${column} = any(array${values})` : sql`${column} in ${values}`

/**
 * A column that the planner must not look up. Without statistics, SQLite's takes every index that begins with columns of `=` for one that finds
 * ten rows, and reads a million of them instead of a few hundred by their ids. PostgreSQL's does the same as soon as it keeps the plan of a
 * prepared query, which is for a user with few rows: 100 changes of one with 100,000 codes took 15 ms. It has no plus for booleans and texts.
 */
export const notByIndex = (column: lite.SQLiteColumn): SQL =>
  isPg && column.dataType === 'boolean'
    ? sql`${column}`
    : isPg && column.dataType === 'string'
      ? sql`(${column} || '')`
      : sql`+${column}`
