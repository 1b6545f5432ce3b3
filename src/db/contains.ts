/** Searching for a part of a text, with the same result on both databases. */

import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { likeEscape } from '#lib/text.ts'

import { dialect } from './dialect.ts'

// SQLite's LIKE ignores case for ASCII letters only; PostgreSQL's ILIKE for all letters.
const like = sql.raw(dialect === 'sqlite' ? 'like' : 'ilike')
const elements = sql.raw(dialect === 'sqlite' ? 'json_each' : 'jsonb_array_elements_text')

/** JSON is stored as text on both (see dialect.ts). */
const asJson = sql.raw(dialect === 'sqlite' ? '' : '::jsonb')

const patternOf = (part: string): string => `%${likeEscape(part)}%`

/** Whether the text contains `part`, ignoring case. `part` is matched literally (wildcards are escaped). False for NULL. */
export const contains = (column: SQLiteColumn, part: string): SQL =>
  sql`${column} ${like} ${patternOf(part)} escape '\\'`

/** Whether an element of a JSON list of texts contains `part`, as above. */
export const someContains = (column: SQLiteColumn, part: string): SQL =>
  sql`exists (select 1 from ${elements}(${column}${asJson}) as part where part.value ${like} ${patternOf(part)} escape '\\')`
