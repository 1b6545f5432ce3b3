/**
 * Empties caches of rows that many writes may change. The statements of each write are compared with the columns that a cache holds, so no use case
 * can forget to publish the topic. Rows deleted by a cascade of foreign keys are not seen.
 */

import { getTableName } from 'drizzle-orm'
import type { AnySQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'

import type { Topic } from '#platform/bus.ts'

export interface Watched {
  /** Updates of one of these columns are announced. Deleted rows of their tables are too. */
  readonly columns: readonly AnySQLiteColumn[]
  /** Tables of which new rows are announced. */
  readonly inserts: readonly SQLiteTable[]
}

interface Watch {
  readonly topic: Topic<'all'>
  /** SQL names of columns, by that of their table. */
  readonly columns: ReadonlyMap<string, ReadonlySet<string>>
  readonly inserts: ReadonlySet<string>
}

const watches: Watch[] = []
/** By the text of the statement; lists of changing length produce ever new texts, so it is emptied when full. */
const known = new Map<string, readonly Topic<'all'>[]>()
const MAX_KNOWN = 1000

/** Declares a topic that each write to these columns publishes. To be called once for each topic, when its module is loaded. */
export function announceWrites(topic: Topic<'all'>, { columns, inserts }: Watched): Topic<'all'> {
  const byTable = Map.groupBy(columns, ({ table }) => getTableName(table))
  watches.push({
    topic,
    columns: new Map([...byTable].map(([table, list]) => [table, new Set(list.map(({ name }) => name))])),
    inserts: new Set(inserts.map((table) => getTableName(table))),
  })
  known.clear()
  return topic
}

const NONE: readonly Topic<'all'>[] = []

/** The topics that a statement of a write publishes. */
export function topicsOf(sql: string): readonly Topic<'all'>[] {
  if (sql.startsWith('select')) return NONE
  let topics = known.get(sql)
  if (topics === undefined) {
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(sql, (topics = parse(sql)))
  }
  return topics
}

/** Reads the SQL that drizzle generates, which quotes all names and binds all values. */
function parse(sql: string): readonly Topic<'all'>[] {
  const [, verb, table] = /(insert into|update|delete from) "(\w+)"/.exec(sql) ?? []
  if (table === undefined) return NONE
  const assigned = new Set([...sql.matchAll(/(?: set |, )"(\w+)" = /g)].map(([, column]) => column!))
  const topics = watches.flatMap(({ topic, columns, inserts }) => {
    const watched = columns.get(table)
    // ON CONFLICT DO UPDATE makes an update of an insert.
    const isHit =
      (verb === 'insert into' && inserts.has(table)) ||
      (watched !== undefined && (verb === 'delete from' || !watched.isDisjointFrom(assigned)))
    return isHit ? [topic] : []
  })
  return topics.length === 0 ? NONE : topics
}
