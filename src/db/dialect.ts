/**
 * One schema for two databases. `table`, `col` and the index builders make SQLite or PostgreSQL objects, chosen once per
 * process; TypeScript sees the SQLite types only. Everything here must mean the same on both: see docs/adr/0002-two-dialects.md.
 */

import { type SQL, sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'

import { databaseUrl } from '#config/database-url.ts'

export type Dialect = 'sqlite' | 'postgres'

/** The dialect of this process. It is fixed at start because table objects are module constants. */
export const dialect: Dialect = databaseUrl === '' ? 'sqlite' : 'postgres'
const isPg = dialect === 'postgres'

const liteCol = {
  /** Primary key, assigned by the database, growing. */
  id: () => lite.integer('id').primaryKey({ autoIncrement: true }),
  /** Integer up to 2^53 (a foreign id, a counter). */
  int: (name: string) => lite.integer(name),
  bool: (name: string) => lite.integer(name, { mode: 'boolean' }),
  /** A moment, epoch milliseconds. */
  time: (name: string) => lite.integer(name),
  text: (name: string) => lite.text(name),
  real: (name: string) => lite.real(name),
  json: <T>(name: string) => lite.text(name, { mode: 'json' }).$type<T>(),
}

// Not jsonb: that reorders keys, rounds numbers and refuses \u0000, and Bun.SQL guesses wrongly whether a string is JSON already.
const pgJson = pg.customType<{ data: unknown; driverData: string }>({
  dataType: () => 'text',
  toDriver: (value) => JSON.stringify(value),
  fromDriver: (value) => JSON.parse(value),
})

const pgCol = {
  id: () => pg.bigint('id', { mode: 'number' }).primaryKey().generatedByDefaultAsIdentity(),
  int: (name: string) => pg.bigint(name, { mode: 'number' }),
  bool: (name: string) => pg.boolean(name),
  time: (name: string) => pg.bigint(name, { mode: 'number' }),
  text: (name: string) => pg.text(name),
  real: (name: string) => pg.doublePrecision(name),
  json: <T>(name: string) => pgJson(name).$type<T>(),
}

// PostgreSQL's builders answer the same calls; one type keeps every query type-checked once.
export const col = (isPg ? pgCol : liteCol) as typeof liteCol
export const table = (isPg ? pg.pgTable : lite.sqliteTable) as typeof lite.sqliteTable
export const index = (isPg ? pg.index : lite.index) as typeof lite.index
export const uniqueIndex = (isPg ? pg.uniqueIndex : lite.uniqueIndex) as typeof lite.uniqueIndex
export const primaryKey = (isPg ? pg.primaryKey : lite.primaryKey) as typeof lite.primaryKey

/** `column DESC` inside an index or an ORDER BY, the same on both. */
export const descending = (column: lite.SQLiteColumn): SQL => sql`${column} desc`

/** The text without case, in the order of its bytes: what an index for searching by the beginning holds. Same in index and WHERE. */
export const lowered = (column: lite.SQLiteColumn): SQL =>
  isPg ? sql`(lower(${column}) collate "C")` : sql`(lower(${column}))`
