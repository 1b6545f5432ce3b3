/**
 * A tree kept in one table. Its rows belong to an owner, name their parent, and have a pin and a sort order among their siblings.
 * The owner's id is in every WHERE. Walking up or down the tree is one recursive query, so no decision loads the whole tree.
 *
 * Writes appear to run one after the other (store.ts), so of two moves that together would make a cycle, the second sees the first
 * and is refused.
 */

import { and, asc, count, desc, eq, inArray, isNull, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'

import { fitsBelow, type OrderItem, type TreeProblem } from '#lib/tree.ts'

import { prepared } from './prepared.ts'
import type { Db, Tx } from './store.ts'
import { updatedAtFor, versionFor } from './updated-at.ts'

/** The columns that a tree needs. The recursive queries spell out two of them: `id` and `parent_id`. */
interface TreeTable extends SQLiteTable {
  readonly id: SQLiteColumn
  readonly parentId: SQLiteColumn
  readonly pinned: SQLiteColumn
  readonly sortOrder: SQLiteColumn
  readonly createdAt: SQLiteColumn
  readonly updatedAt: SQLiteColumn
  /** Rises with every change, if the table has it. */
  readonly version?: SQLiteColumn
  readonly $inferSelect: { id: number; parentId: number | null; pinned: boolean; sortOrder: number }
}

export interface Tree<Row> {
  find(db: Db | Tx, ownerId: number, id: number): Promise<Row | undefined>
  /** Rows of the owner with these ids, in no particular order. */
  findMany(db: Db | Tx, ownerId: number, ids: readonly number[]): Promise<Row[]>
  /** All rows of the owner: pinned ones first, then by sort order, then the oldest first. */
  all(db: Db | Tx, ownerId: number): Promise<Row[]>
  count(db: Db | Tx, ownerId: number): Promise<number>
  countChildren(db: Db | Tx, ownerId: number, id: number): Promise<number>
  /** Ids of the node and of everything below it; empty if the owner has no such node. */
  branchIds(db: Db | Tx, ownerId: number, id: number): Promise<number[]>
  /** Returns why no new node may be inserted below `parentId`, if so. */
  checkParent(tx: Tx, ownerId: number, parentId: number | null): Promise<TreeProblem | undefined>
  /** Returns why the node and everything below it may not be moved below `parentId`, if so. */
  checkMove(tx: Tx, ownerId: number, id: number, parentId: number | null): Promise<TreeProblem | undefined>
  /** Moves a node with everything below it. Changes nothing if it returns a problem. */
  move(tx: Tx, ownerId: number, id: number, parentId: number | null): Promise<TreeProblem | undefined>
  /** Returns the number of rows found: fewer than `ids` if the owner does not have them all. */
  pin(tx: Tx, ownerId: number, ids: readonly number[], pinned: boolean): Promise<number>
  /** Sets the sort order of siblings. Changes nothing if it returns a problem. */
  reorder(tx: Tx, ownerId: number, items: readonly OrderItem[]): Promise<TreeProblem | undefined>
}

/** The display order of a tree's rows, made total by the id. */
export const treeOrder = (table: TreeTable): SQL[] => [
  desc(table.pinned),
  asc(table.sortOrder),
  asc(table.createdAt),
  asc(table.id),
]

const p = sql.placeholder

interface TreeOptions {
  /** The column with the id of the owner. */
  readonly owner: SQLiteColumn
  /** The number of levels that a tree may have. */
  readonly maxDepth: number
  /** The column with the time of deletion, if deleted rows stay in the table: they are then not in the tree. */
  readonly deletedAt?: SQLiteColumn
}

export function treeIn<T extends TreeTable>(table: T, options: TreeOptions): Tree<T['$inferSelect']>
export function treeIn(
  table: TreeTable,
  { owner, maxDepth, deletedAt }: TreeOptions,
): Tree<SQLiteTable['$inferSelect']> {
  const isLive = deletedAt && isNull(deletedAt)
  const ownedBy = (ownerId: number, ...more: SQL[]) => and(eq(owner, ownerId), isLive, ...more)
  const one = and(eq(owner, p('ownerId')), isLive, eq(table.id, p('id')))
  const ownerName = sql.identifier(owner.name)
  const live = (alias: string) =>
    deletedAt ? sql` and ${sql.raw(alias)}${sql.identifier(deletedAt.name)} is null` : sql``
  /** The columns that rise if a value of `change` differs from the row. */
  const changedBy = (change: Record<string, unknown>, stamp: number) => ({
    updatedAt: updatedAtFor(table, change, stamp),
    ...(table.version && { version: versionFor(table, change) }),
  })

  // The ids from a node up to the top level. UNION instead of UNION ALL, because it ends even if there is a cycle.
  const path = prepared((db) =>
    db.select({ id: sql`id`.mapWith(Number) }).from(sql`(
      with recursive path (id, parent_id) as (
        select id, parent_id from ${table} where ${ownerName} = ${p('ownerId')} and id = ${p('id')}${live('')}
        union
        select node.id, node.parent_id from path
          join ${table} as node on node.${ownerName} = ${p('ownerId')} and node.id = path.parent_id${live('node.')}
      ) select id from path) as path`),
  )
  // A node and everything below it, with levels from 1. The limit of the level ends it even if there is a cycle.
  const branch = prepared((db) =>
    db.select({ id: sql`id`.mapWith(Number), level: sql`level`.mapWith(Number) }).from(sql`(
      with recursive branch (id, level) as (
        select id, 1 from ${table} where ${ownerName} = ${p('ownerId')} and id = ${p('id')}${live('')}
        union all
        select node.id, branch.level + 1 from branch
          join ${table} as node on node.${ownerName} = ${p('ownerId')} and node.parent_id = branch.id${live('node.')}
          where branch.level < ${sql.raw(String(maxDepth))}
      ) select id, level from branch) as branch`),
  )
  const find = prepared((db) => db.select().from(table).where(one))
  const setSortOrder = prepared((db) =>
    db
      .update(table)
      .set({
        sortOrder: sql`${p('sortOrder')}`,
        updatedAt: sql`${p('now')}`,
        ...(table.version && { version: sql`${table.version} + 1` }),
      })
      .where(one),
  )
  const countWhere = async (db: Db | Tx, where: SQL | undefined): Promise<number> => {
    const [row] = await db.select({ n: count() }).from(table).where(where)
    return row!.n
  }
  const findMany = (db: Db | Tx, ownerId: number, ids: readonly number[]) =>
    db
      .select()
      .from(table)
      .where(ownedBy(ownerId, inArray(table.id, [...ids])))
  /** Undefined if the owner has no such node; empty for the top level. */
  async function pathOf(tx: Tx, ownerId: number, id: number | null): Promise<number[] | undefined> {
    if (id === null) return []
    const ids = await path(tx, { ownerId, id })
    return ids.length === 0 ? undefined : ids.map((row) => row.id)
  }
  async function checkMove(tx: Tx, ownerId: number, id: number, parentId: number | null) {
    const levels = (await branch(tx, { ownerId, id })).map((row) => row.level)
    if (levels.length === 0) return 'NODE_NOT_FOUND'
    const parentPath = await pathOf(tx, ownerId, parentId)
    if (parentPath === undefined) return 'PARENT_NOT_FOUND'
    return fitsBelow(parentPath, { id, height: Math.max(...levels) }, maxDepth)
  }

  return {
    async find(db, ownerId, id) {
      return (await find(db, { ownerId, id }))[0]
    },
    findMany,
    all: (db, ownerId) =>
      db
        .select()
        .from(table)
        .where(ownedBy(ownerId))
        .orderBy(...treeOrder(table)),
    count: (db, ownerId) => countWhere(db, ownedBy(ownerId)),
    countChildren: (db, ownerId, id) => countWhere(db, ownedBy(ownerId, eq(table.parentId, id))),
    async branchIds(db, ownerId, id) {
      return (await branch(db, { ownerId, id })).map((row) => row.id)
    },
    async checkParent(tx, ownerId, parentId) {
      const parentPath = await pathOf(tx, ownerId, parentId)
      return parentPath === undefined ? 'PARENT_NOT_FOUND' : fitsBelow(parentPath, { height: 1 }, maxDepth)
    },
    checkMove,
    async move(tx, ownerId, id, parentId) {
      const problem = await checkMove(tx, ownerId, id, parentId)
      if (problem === undefined)
        await tx
          .update(table)
          .set({ parentId, ...changedBy({ parentId }, tx.stamp) })
          .where(ownedBy(ownerId, eq(table.id, id)))
      return problem
    },
    async pin(tx, ownerId, ids, pinned) {
      const found = await tx
        .update(table)
        .set({ pinned, ...changedBy({ pinned }, tx.stamp) })
        .where(ownedBy(ownerId, inArray(table.id, [...ids])))
        .returning({ id: table.id })
      return found.length
    },
    async reorder(tx, ownerId, items) {
      const found = await findMany(
        tx,
        ownerId,
        items.map((item) => item.id),
      )
      if (found.length !== items.length) return 'NODE_NOT_FOUND'
      if (new Set(found.map((row) => row['parentId'])).size > 1) return 'NOT_SIBLINGS'
      const before = new Map(found.map((row) => [row.id, row['sortOrder']]))
      // In the order of the ids: on PostgreSQL, reorders that lock the same rows in different orders deadlock.
      for (const { id, sortOrder } of items.toSorted((a, b) => a.id - b.id))
        if (before.get(id) !== sortOrder) await setSortOrder(tx, { ownerId, id, sortOrder, now: tx.stamp })
      return undefined
    },
  }
}
