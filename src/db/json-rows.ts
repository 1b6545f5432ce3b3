/**
 * Rows as one parameter, a JSON text, so that one prepared statement reads or writes any number of them. On PostgreSQL a statement costs a round
 * trip, whatever it does.
 *
 *     const given = jsonRows('given', { id: 'int', name: 'text' })
 *     const rename = prepared((db) => db.update(users).set({ name: given.name }).from(given.rows).where(eq(users.id, given.id)))
 *     await rename(tx, given.values([{ id: 1, name: 'Ann' }]))
 */

import { getTableColumns, getTableName, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'

import { dialect } from './dialect.ts'
import { prepared } from './prepared.ts'
import type { Builders } from './store.ts'

/** `json`: an object or a list. Contents of JSON columns are texts: PostgreSQL cannot read all JSON, for example "\u0000". */
type Kind = 'int' | 'real' | 'text' | 'bool' | 'json'

const PG_TYPES: Readonly<Record<Kind, string>> = {
  int: 'bigint',
  real: 'double precision',
  text: 'text',
  bool: 'boolean',
  json: 'json',
}

type JsonRows<Name extends string> = Readonly<Record<Name, SQL>> & {
  /** To be selected `from`. */
  readonly rows: SQL
  readonly values: Values<Name>
}

/** Makes the values for the statement. Columns without a value are NULL. */
type Values<Name extends string> = (
  list: readonly Readonly<Partial<Record<Name, unknown>>>[],
) => Readonly<Record<string, string>>

/** Rows with the name `name`, which is also that of the placeholder, and their columns. */
export function jsonRows<Name extends string>(name: string, kinds: Readonly<Record<Name, Kind>>): JsonRows<Name> {
  const names = Object.keys(kinds) as Name[]
  const columns = Object.fromEntries(names.map((column) => [column, sql.raw(`"${name}"."${column}"`)]))
  const json = sql.placeholder(name)
  if (dialect === 'postgres') {
    const types = names.map((column) => `"${column}" ${PG_TYPES[kinds[column]]}`).join(', ')
    const rows = sql`json_to_recordset(${json}::text::json) as ${sql.raw(`"${name}"(${types})`)}`
    const values: Values<Name> = (list) => ({ [name]: JSON.stringify(list) })
    return { ...columns, rows, values } as JsonRows<Name>
  }
  // Lists are shorter than objects. Without LIMIT, SQLite would read the JSON of a row again for each use of a column.
  const selected = names.map((column, i) => `value ${kinds[column] === 'json' ? '->' : '->>'} ${i} as "${column}"`)
  const rows = sql`(select ${sql.raw(selected.join(', '))} from json_each(${json}) limit -1) as ${sql.raw(`"${name}"`)}`
  const values: Values<Name> = (list) => ({
    [name]: JSON.stringify(list.map((row) => names.map((column) => row[column]))),
  })
  return { ...columns, rows, values } as JsonRows<Name>
}

/**
 * Whole rows of a table: `jsonRows` with all of its columns, but those in `without`. Building an INSERT of 25 rows takes drizzle longer than it takes SQLite
 * to run it.
 */
export function wholeRows<Table extends SQLiteTable, Without extends keyof Table['$inferSelect'] & string = never>(
  name: string,
  of: Table,
  without: readonly Without[] = [],
) {
  type Row = Omit<Table['$inferSelect'], Without>
  const columns = Object.entries(getTableColumns(of)).filter(([column]) => !without.includes(column as Without))
  const json = columns.flatMap(([column, { columnType }]) => (JSON_TYPES.includes(columnType) ? [column] : []))
  const kinds = Object.fromEntries(columns.map(([column, definition]) => [column, kindOf(definition)]))
  const { values, ...rows } = jsonRows<keyof Row & string>(name, kinds as Record<keyof Row & string, Kind>)
  const withTexts = (row: Row): Row => {
    const texts = json.map((column) => [column, jsonText(row[column as keyof Row])])
    return { ...row, ...Object.fromEntries(texts) }
  }
  return {
    ...rows,
    values: (list: readonly Row[]) => values((json.length === 0 ? list : list.map(withTexts)) as never),
  }
}

const JSON_TYPES = ['SQLiteTextJson', 'PgCustomColumn']
const jsonText = (value: unknown) => (value === null ? null : JSON.stringify(value))

function kindOf({ columnType, dataType }: SQLiteColumn): Kind {
  if (JSON_TYPES.includes(columnType)) return 'text'
  if (dataType === 'boolean') return 'bool'
  if (dataType === 'string') return 'text'
  return columnType === 'SQLiteReal' || columnType === 'PgDoublePrecision' ? 'real' : 'int'
}

/**
 * Inserts a row for each of `rows`, with these columns; the other columns of the table get their defaults, or NULL. Without `id`, new ids ascend in the
 * order of the rows.
 */
export function insertFrom<Table extends SQLiteTable>(
  db: Builders,
  into: Table,
  { rows, ...given }: { readonly rows: SQL } & Readonly<Partial<Record<keyof Table['_']['columns'], SQL>>>,
) {
  const columns = Object.entries(getTableColumns(into)).map(([name, column]) => {
    const { default: otherwise = null } = column
    const value = (given as Readonly<Record<string, SQL>>)[name]
    if (value === undefined && name === 'id' && dialect === 'postgres')
      return sql`nextval('${sql.raw(getTableName(into))}_id_seq')`
    return value ?? sql`${sql.param(otherwise, column)}`.inlineParams()
  })
  // SQLite takes ON CONFLICT for a part of a join that has no WHERE.
  return db.insert(into).select(sql`select ${sql.join(columns, sql`, `)} from ${rows} where true`)
}

/** The elements of a list of texts in a column of kind `json`, one row each with the column `value`. */
export const jsonTexts = (json: SQL, name: string): SQL =>
  dialect === 'sqlite'
    ? sql`json_each(${json}) as ${sql.raw(name)}`
    : sql`json_array_elements_text(${json}) as ${sql.raw(name)}(value)`

/** The number that the object in a column of kind `json` has for an id; 0 if there is none. */
export const jsonInt = (json: SQL, id: SQL): SQL =>
  dialect === 'sqlite'
    ? sql`coalesce(${json} ->> ('$."' || ${id} || '"'), 0)`
    : sql`coalesce((${json} ->> (${id})::text)::bigint, 0)`

type Statement = (db: Builders) => PromiseLike<unknown>
type Prepared<Last extends Statement> = ReturnType<typeof prepared<ReturnType<Last>>>

/**
 * Statements that change different tables and do not see one another's changes, with the same values. Returns the rows of the last one. On PostgreSQL
 * they are one statement, and the first ones must not have a RETURNING.
 */
export function together<Last extends Statement>(
  ...statements: readonly [...first: Statement[], last: Last]
): Prepared<Last> {
  const last = statements.at(-1) as Last
  const first = statements.slice(0, -1)
  if (dialect === 'sqlite') {
    const each = first.map((statement) => prepared(statement))
    const runLast = prepared(last) as Prepared<Last>
    return async (tx, values) => {
      for (const run of each) await run(tx, values)
      return runLast(tx, values)
    }
  }
  return prepared((db) => {
    const parts = first.map((statement, i) => db.$with(`part_${i}`).as(statement(db) as never))
    return last(db.with(...parts) as Builders)
  }) as Prepared<Last>
}
