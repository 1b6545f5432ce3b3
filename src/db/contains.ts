/** Searching texts by a part of them, the same on both databases. */

import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { likeEscape } from '#lib/text.ts'

import { dialect } from './dialect.ts'

// SQLite's LIKE minds no case of ASCII letters, PostgreSQL's ILIKE of any.
const like = sql.raw(dialect === 'sqlite' ? 'like' : 'ilike')
const elements = sql.raw(dialect === 'sqlite' ? 'json_each' : 'jsonb_array_elements_text')

/** JSON is kept as text on both (see dialect.ts). */
const asJson = sql.raw(dialect === 'sqlite' ? '' : '::jsonb')

const patternOf = (part: string): string => `%${likeEscape(part)}%`

/** Whether the text has `part` in it, whatever the case. Nothing in `part` is special. NULL contains nothing. */
export const contains = (column: SQLiteColumn, part: string): SQL =>
  sql`${column} ${like} ${patternOf(part)} escape '\\'`

/** The same for a JSON list of texts: whether one of them has `part` in it. */
export const someContains = (column: SQLiteColumn, part: string): SQL =>
  sql`exists (select 1 from ${elements}(${column}${asJson}) as part where part.value ${like} ${patternOf(part)} escape '\\')`
