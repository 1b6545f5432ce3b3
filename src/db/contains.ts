/** Searching for a part of a text, with the same result on both databases. Long lists are searched in slices: search.ts. */

import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { dialect } from './dialect.ts'

// Not LIKE: SQLite compares the pattern at every position of the text, one character after the other, which took 27 times as long
// for a text and a keyword of the same letter. `lower` folds ASCII letters only on SQLite and all letters on PostgreSQL, which takes two
// thirds of a search there. So texts are not folded for keywords without letters that have a case, such as Chinese, and for ASCII by bytes.
function position(text: SQL, part: string): SQL {
  const isCaseless = part.toLowerCase() === part.toUpperCase()
  if (dialect === 'sqlite')
    return isCaseless ? sql`instr(${text}, ${part})` : sql`instr(lower(${text}), lower(${part}))`
  if (isCaseless) return sql`position(${part}::text in ${text})`
  const folded = isAscii(part) ? sql`${text} collate "C"` : text
  return sql`position(lower(${part}::text) in lower(${folded}))`
}

const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length

const elements = sql.raw(dialect === 'sqlite' ? 'json_each' : 'jsonb_array_elements_text')

/** JSON is stored as text on both (see dialect.ts). */
const asJson = sql.raw(dialect === 'sqlite' ? '' : '::jsonb')

/** Whether the text contains `part`, ignoring case. Nothing in `part` is a wildcard. NULL (like false) for NULL. */
export const contains = (column: SQLiteColumn | SQL, part: string): SQL => sql`${position(sql`${column}`, part)} > 0`

/** `part` as it is written inside a JSON text. The JSON is searched for it first, because few rows then have to be parsed. */
const written = (part: string): string => JSON.stringify(part).slice(1, -1)

/** Whether an element of a JSON list of texts contains `part`, as above. */
export const someContains = (column: SQLiteColumn, part: string): SQL =>
  sql`(${contains(column, written(part))} and exists (select 1 from ${elements}(${column}${asJson}) as part where ${position(sql`part.value`, part)} > 0))`

/** Whether an element of a JSON list of texts equals `text`. */
export const hasElement = (column: SQLiteColumn, text: string): SQL =>
  sql`exists (select 1 from ${elements}(${column}${asJson}) as part where part.value = ${text})`

/** Whether a text at any depth of a JSON value contains `part`, as above. Names of keys are not searched. False for NULL. */
export function someTextContains(column: SQLiteColumn, part: string): SQL {
  const text = sql.raw(dialect === 'sqlite' ? 'part.atom' : "(part #>> '{}')")
  const texts =
    dialect === 'sqlite'
      ? sql`json_tree(${column}) as part where part.type = 'text'`
      : sql`jsonb_path_query(${column}::jsonb, 'strict $.** ? (@.type() == "string")') as part where true`
  return sql`(${contains(column, written(part))} and exists (select 1 from ${texts} and ${position(text, part)} > 0))`
}
