/** Finding the host of addresses in texts, with the same result on both databases. */

import { domainToUnicode } from 'node:url'

import { or, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { contains } from './contains.ts'
import { dialect } from './dialect.ts'

/**
 * Whether the text is an address of the web on this host, or on a sub-domain of it. `host`: as `parseName` returns it. Addresses that
 * were written with other letters than ASCII are found too.
 */
export const isOnHost = (column: SQLiteColumn, host: string): SQL | undefined =>
  or(...[...new Set([host, domainToUnicode(host) || host])].map((name) => isOnName(column, name)))

// The text is searched for the name first, because that excludes most of them. Names of hosts contain no wildcard of LIKE.
const isOnName = (column: SQLiteColumn, name: string): SQL =>
  sql`(${contains(column, name)} and (${hostIn(column)} = ${name} or ${hostIn(column)} like ${`%.${name}`}))`

/** In lower case, without user and port; NULL or empty for other texts. */
function hostIn(column: SQLiteColumn): SQL {
  if (dialect !== 'sqlite') {
    const host = String.raw`'(?i)^\s*https?://(?:[^/?#@\\]*@)?([^/?#:\\]*)'`
    return sql`lower(substring(${column} from ${sql.raw(host)}))`
  }
  const text = sql`ltrim(${column})`
  const before = (part: SQL, mark: string) => sql`substr(${part}, 1, instr(${part} || ${mark}, ${mark}) - 1)`
  const address = sql`replace(replace(replace(substr(${text}, instr(${text}, '://') + 3), '?', '/'), '#', '/'), '\\', '/')`
  const authority = before(address, '/')
  const host = before(sql`substr(${authority}, instr(${authority}, '@') + 1)`, ':')
  return sql`case when ${text} like 'http://%' or ${text} like 'https://%' then lower(${host}) end`
}
