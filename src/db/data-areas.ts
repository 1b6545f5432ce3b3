/**
 * Areas of a person's data, as the domains contribute them to data exports. Rows are read in pages by a key, so that an area of any size takes
 * little memory and no query takes long.
 */

import { and, asc, eq, inArray, or, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'

import type { Localized } from '#lib/localized.ts'

import { dialect } from './dialect.ts'
import { orgMembers } from './schema/orgs.ts'
import type { Db } from './store.ts'

/** Values as JSON has them. */
export type DataRow = Readonly<Record<string, unknown>>

export interface DataArea {
  /** The name of its files in the archive: `scan-records`. Unique. */
  readonly name: string
  readonly title: Localized
  /** The keys of its rows, in the order of the columns of the CSV file. */
  readonly columns: readonly string[]
  /** Whether administrators get the rows, or the ids and names of its things. By default they get only the number. */
  readonly forAdministrators?: 'ROWS' | 'NAMES'
  /** The tables that it reads. */
  readonly tables: readonly SQLiteTable[]
  /** All rows of the user, in pages of some hundred. Of other people they have nicknames and texts only. */
  pages(db: Db, userId: number): AsyncIterable<readonly DataRow[]>
}

/** Rows of one query: a millisecond or two on SQLite. */
const PAGE = 250

interface TableArea extends Omit<DataArea, 'columns' | 'tables' | 'pages'> {
  readonly from: SQLiteTable
  readonly joins?: readonly { readonly table: SQLiteTable; readonly on: SQL }[]
  /** By the keys of the rows. */
  readonly columns: Readonly<Record<string, SQLiteColumn | SQL>>
  where(userId: number): SQL | undefined
  /** Unique together, and not null. Ascending. */
  readonly key: readonly [SQLiteColumn, ...SQLiteColumn[]]
  /** By default the row as it was selected. It has the keys of `columns`. */
  readonly show?: (row: DataRow) => DataRow
}

/** An area whose rows are those of a table. */
export function tableArea({ from, joins = [], columns, where, key, show, ...area }: TableArea): DataArea {
  const names = Object.keys(columns)
  const fields = { ...columns, ...Object.fromEntries(key.map((column, i) => [`key${i}`, column])) }
  return {
    ...area,
    columns: names,
    tables: [from, ...joins.map(({ table }) => table)],
    async *pages(db, userId) {
      for (let after: readonly unknown[] | undefined; ;) {
        let query = db
          .select(fields as Record<string, SQLiteColumn>)
          .from(from)
          .$dynamic()
        for (const { table, on } of joins) query = query.leftJoin(table, on) as typeof query
        const rows: DataRow[] = await query
          .where(and(where(userId), after && isAfter(key, after)))
          .orderBy(...key.map((column) => asc(column)))
          .limit(PAGE)
        if (rows.length > 0)
          yield rows.map((row) => {
            const own = Object.fromEntries(names.map((name) => [name, row[name]]))
            return show === undefined ? own : show(own)
          })
        if (rows.length < PAGE) return
        after = key.map((_, i) => rows.at(-1)![`key${i}`])
      }
    },
  }
}

function isAfter(key: readonly SQLiteColumn[], values: readonly unknown[]): SQL {
  const columns = sql.join([...key], sql`, `)
  // PostgreSQL cannot tell the types of parameters in a list.
  const list = sql.join(
    values.map((value) =>
      dialect === 'postgres' ? sql`${value}::${sql.raw(typeof value === 'number' ? 'bigint' : 'text')}` : sql`${value}`,
    ),
    sql`, `,
  )
  return sql`(${columns}) > (${list})`
}

/** The user's own rows of a table with owners (owner-key.ts), and the rows of their organizations that they made. */
export const ownedOrMade = (owner: SQLiteColumn, madeBy: SQLiteColumn, userId: number): SQL | undefined =>
  or(eq(owner, -userId), and(eq(madeBy, userId), isOwnOrganization(owner, userId)))

/** Whether the user is a member of the organization. */
export const isOwnOrganization = (orgId: SQLiteColumn, userId: number): SQL =>
  inArray(orgId, sql`(select ${orgMembers.orgId} from ${orgMembers} where ${eq(orgMembers.userId, userId)})`)

/** The organization of a row with an owner; null for a personal row. */
export const orgIdOf = (owner: SQLiteColumn): SQL<number | null> =>
  sql<number | null>`case when ${owner} > 0 then ${owner} end`
