/**
 * Checks, for each write, that the paged lists (lists.ts) learn of every row it changes. It sees the statements of the write and the
 * reports of the store functions. If a statement changed rows of a table with paged lists and not every row was reported, the lists of
 * that table discard their indexes after the commit: a forgotten report makes the next page slower, but never wrong.
 *
 * Reports are matched with rows by number, so a write to such a table has to end in RETURNING; without it the number is unknown and
 * the indexes are discarded. Updates of columns that no list depends on need no report. Rows deleted by a cascade of foreign keys are
 * not seen: tables with paged lists must not be the target of one.
 */

import type { Rows } from './query/builders.ts'

/** A row before and after a change. Without `before` it was inserted, without `after` deleted. */
export interface Change<Row> {
  readonly before?: Row
  readonly after?: Row
}

export interface WatchedTable<Row = unknown> {
  /** SQL names of the columns that decide which lists a row is in, and where. */
  readonly columns: ReadonlySet<string>
  /** Updates the indexes. `reader` is the `read` of the store that was written to. */
  apply(reader: object, changes: readonly Change<Row>[]): void
  discard(reader: object): void
}

const tables = new Map<string, WatchedTable>()

/** To be called once for each table with paged lists, when its module is loaded. */
export function watchTable(name: string, table: WatchedTable): void {
  if (tables.has(name)) throw new Error(`the paged lists of ${name} are declared twice`)
  tables.set(name, table)
}

interface Statement {
  readonly table: WatchedTable
  readonly returnsRows: boolean
}

/** The parsed texts of statements; lists of changing length produce ever new texts, so it is emptied when full. */
const parsed = new Map<string, Statement | null>()
const MAX_PARSED = 1000

function statementOf(sql: string): Statement | null {
  let statement = parsed.get(sql)
  if (statement === undefined) {
    if (parsed.size >= MAX_PARSED) parsed.clear()
    parsed.set(sql, (statement = parse(sql)))
  }
  return statement
}

/** Reads the SQL that drizzle generates, which quotes all names and binds all values. Null if the statement cannot affect a list. */
function parse(sql: string): Statement | null {
  const [, verb, name] = /(insert into|update|delete from) "(\w+)"/.exec(sql) ?? []
  const table = name === undefined ? undefined : tables.get(name)
  if (table === undefined) return null
  const assigned = sql.matchAll(/(?: set |, )"(\w+)" = /g)
  if (verb === 'update' && !assigned.some(([, column]) => table.columns.has(column!))) return null
  return { table, returnsRows: / returning /.test(sql) }
}

/** The changes of one write. */
export class ListChanges {
  readonly #byTable = new Map<WatchedTable, { readonly changes: Change<unknown>[]; unreported: number }>()

  #of(table: WatchedTable) {
    let entry = this.#byTable.get(table)
    if (entry === undefined) this.#byTable.set(table, (entry = { changes: [], unreported: 0 }))
    return entry
  }

  /** To be called after each statement of the write, with the rows it returned. */
  observe(sql: string, rows: Rows): void {
    if (sql.startsWith('select')) return
    const statement = statementOf(sql)
    if (statement) this.#of(statement.table).unreported += statement.returnsRows ? rows.length : Infinity
  }

  report<Row>(table: WatchedTable<Row>, change: Change<Row>): void {
    const entry = this.#of(table as WatchedTable)
    entry.changes.push(change)
    entry.unreported -= 1
  }

  /** To be called after the commit, in the same turn of the event loop. */
  apply(reader: object): void {
    for (const [table, { changes, unreported }] of this.#byTable) {
      if (unreported === 0) table.apply(reader, changes)
      else table.discard(reader)
    }
  }
}
