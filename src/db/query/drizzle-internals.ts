/**
 * Everything we use of drizzle that its documentation does not promise, in one file: see docs/adr/0012-drizzle-internals.md.
 * `test/db/drizzle-internals.test.ts` fails with a clear message when an upgrade changes any of it.
 */

import { Column, is, noopDecoder, type Query } from 'drizzle-orm'
import { PgDatabase, PgDialect, PgSession } from 'drizzle-orm/pg-core'
import { BaseSQLiteDatabase, SQLiteSession, SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import * as drizzleUtils from 'drizzle-orm/utils'

import { dialect } from '../dialect.ts'

export interface Decoder {
  mapFromDriverValue(value: unknown): unknown
}

/** One selected value. `path` has two parts in a join (`[table, column]`); `field` is a Column, SQL, aliased SQL or subquery. */
export interface SelectedField {
  readonly path: string[]
  readonly field: unknown
}

/** By table name: false for a table that an outer join may leave without a row. */
export type JoinedTables = Record<string, boolean> | undefined

/** The object that drizzle's builders expect from `session.prepareQuery`. SQLite's call `all` or `run`, PostgreSQL's `execute`. */
export interface PreparedQuery {
  /** Assigned by the select builders after `prepareQuery` has returned. */
  joinsNotNullableMap: JoinedTables
  all(values?: Record<string, unknown>): unknown
  run(values?: Record<string, unknown>): unknown
  execute(values?: Record<string, unknown>): unknown
  setToken(): this
}

/** Makes the query of a builder that was created with `target`. `fields` is undefined when the statement returns nothing. */
export type Prepare<Target> = (
  target: Target,
  query: Query,
  fields: readonly SelectedField[] | undefined,
) => PreparedQuery

/** The decoder of a selected value; undefined when it decodes every value to itself. */
export function decoderOf(field: unknown): Decoder | undefined {
  if (is(field, Column))
    return field.mapFromDriverValue === Column.prototype.mapFromDriverValue ? undefined : (field as Decoder)
  const { decoder, sql, _ } = field as {
    decoder?: Decoder
    sql?: { decoder: Decoder }
    _?: { sql: { decoder: Decoder } }
  }
  const found = decoder ?? sql?.decoder ?? _?.sql.decoder
  return found === noopDecoder ? undefined : found
}

/** Maps one row with nested paths (joins). The function is exported but missing from drizzle's types. */
export const { mapResultRow } = drizzleUtils as unknown as {
  mapResultRow(fields: readonly SelectedField[], row: unknown[], joined: JoinedTables): unknown
}

/** The query of a finished builder, as the builder's `Prepare` function made it. */
export const preparedQueryOf = (builder: unknown): PreparedQuery =>
  // SQLite's builders ignore the name. PostgreSQL's need one; it never reaches the server.
  (builder as { prepare(name: string): PreparedQuery }).prepare('')

const noTransaction = (): never => {
  throw new Error('drizzle transactions commit early on bun:sqlite: use ctx.db.write')
}

/** A class of drizzle's builders for the dialect of this process; each query is made by `prepare` from the constructor's argument. */
export function builderClass<Target>(prepare: Prepare<Target>): new (target: Target) => object {
  return dialect === 'sqlite' ? sqliteBuilderClass(prepare) : pgBuilderClass(prepare)
}

function sqliteBuilderClass<Target>(prepare: Prepare<Target>): new (target: Target) => object {
  const sqliteDialect = new SQLiteSyncDialect()

  class Session extends SQLiteSession<'sync', unknown, Record<string, never>, Record<string, never>> {
    constructor(readonly target: Target) {
      super(sqliteDialect)
    }
    override prepareQuery(query: Query, fields: unknown): never {
      return prepare(this.target, query, fields as SelectedField[] | undefined) as never
    }
    override transaction = noTransaction
  }

  return class extends BaseSQLiteDatabase<'sync', unknown, Record<string, never>> {
    constructor(target: Target) {
      super('sync', sqliteDialect, new Session(target), undefined)
    }
  }
}

function pgBuilderClass<Target>(prepare: Prepare<Target>): new (target: Target) => object {
  const pgDialect = new PgDialect()

  class Session extends PgSession {
    constructor(readonly target: Target) {
      super(pgDialect)
    }
    override prepareQuery(query: Query, fields: unknown): never {
      return prepare(this.target, query, fields as SelectedField[] | undefined) as never
    }
    override transaction = noTransaction
  }

  return class extends PgDatabase<never, Record<string, never>> {
    constructor(target: Target) {
      super(pgDialect, new Session(target), undefined)
    }
  }
}
