/**
 * A tree kept in one table. Its rows belong to an owner, name their parent, and have a pin and a sort order among their siblings.
 * The owner's id is in every WHERE. Walking up or down the tree is one recursive query, so no decision loads the whole tree.
 *
 * Writes appear to run one after the other (store.ts), so of two moves that together would make a cycle, the second sees the first
 * and is refused.
 */

import { and, asc, count, desc, eq, inArray, isNull, type Placeholder, type SQL, sql } from 'drizzle-orm'
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
export function treeIn(table: TreeTable, options: TreeOptions): Tree<AnyRow> {
  return new TableTree(table, options)
}

type AnyRow = SQLiteTable['$inferSelect']

class TableTree implements Tree<AnyRow> {
  readonly #table: TreeTable
  readonly #options: TreeOptions
  readonly #isLive: SQL | undefined
  readonly #path: ReturnType<typeof pathIn>
  readonly #branch: ReturnType<typeof branchIn>
  readonly #find: ReturnType<typeof findIn>
  readonly #setSortOrder: ReturnType<typeof setSortOrderIn>

  constructor(table: TreeTable, options: TreeOptions) {
    this.#table = table
    this.#options = options
    this.#isLive = options.deletedAt && isNull(options.deletedAt)
    const one = this.#ownedBy(p('ownerId'), eq(table.id, p('id')))
    this.#path = pathIn(table, options)
    this.#branch = branchIn(table, options)
    this.#find = findIn(table, one)
    this.#setSortOrder = setSortOrderIn(table, one)
  }

  async find(db: Db | Tx, ownerId: number, id: number): Promise<AnyRow | undefined> {
    return (await this.#find(db, { ownerId, id }))[0]
  }

  async findMany(db: Db | Tx, ownerId: number, ids: readonly number[]): Promise<AnyRow[]> {
    return db
      .select()
      .from(this.#table)
      .where(this.#ownedBy(ownerId, inArray(this.#table.id, [...ids])))
  }

  async all(db: Db | Tx, ownerId: number): Promise<AnyRow[]> {
    return db
      .select()
      .from(this.#table)
      .where(this.#ownedBy(ownerId))
      .orderBy(...treeOrder(this.#table))
  }

  count(db: Db | Tx, ownerId: number): Promise<number> {
    return this.#countWhere(db, this.#ownedBy(ownerId))
  }

  countChildren(db: Db | Tx, ownerId: number, id: number): Promise<number> {
    return this.#countWhere(db, this.#ownedBy(ownerId, eq(this.#table.parentId, id)))
  }

  async branchIds(db: Db | Tx, ownerId: number, id: number): Promise<number[]> {
    return (await this.#branch(db, { ownerId, id })).map((row) => row.id)
  }

  async checkParent(tx: Tx, ownerId: number, parentId: number | null): Promise<TreeProblem | undefined> {
    const parentPath = await this.#pathOf(tx, ownerId, parentId)
    return parentPath === undefined ? 'PARENT_NOT_FOUND' : fitsBelow(parentPath, { height: 1 }, this.#options.maxDepth)
  }

  async checkMove(tx: Tx, ownerId: number, id: number, parentId: number | null): Promise<TreeProblem | undefined> {
    const levels = (await this.#branch(tx, { ownerId, id })).map((row) => row.level)
    if (levels.length === 0) return 'NODE_NOT_FOUND'
    const parentPath = await this.#pathOf(tx, ownerId, parentId)
    if (parentPath === undefined) return 'PARENT_NOT_FOUND'
    return fitsBelow(parentPath, { id, height: Math.max(...levels) }, this.#options.maxDepth)
  }

  async move(tx: Tx, ownerId: number, id: number, parentId: number | null): Promise<TreeProblem | undefined> {
    const problem = await this.checkMove(tx, ownerId, id, parentId)
    if (problem === undefined)
      await tx
        .update(this.#table)
        .set({ parentId, ...this.#changedBy({ parentId }, tx.stamp) })
        .where(this.#ownedBy(ownerId, eq(this.#table.id, id)))
    return problem
  }

  async pin(tx: Tx, ownerId: number, ids: readonly number[], pinned: boolean): Promise<number> {
    const found = await tx
      .update(this.#table)
      .set({ pinned, ...this.#changedBy({ pinned }, tx.stamp) })
      .where(this.#ownedBy(ownerId, inArray(this.#table.id, [...ids])))
      .returning({ id: this.#table.id })
    return found.length
  }

  async reorder(tx: Tx, ownerId: number, items: readonly OrderItem[]): Promise<TreeProblem | undefined> {
    const found = await this.findMany(
      tx,
      ownerId,
      items.map((item) => item.id),
    )
    if (found.length !== items.length) return 'NODE_NOT_FOUND'
    if (new Set(found.map((row) => row['parentId'])).size > 1) return 'NOT_SIBLINGS'
    const before = new Map(found.map((row) => [row['id'], row['sortOrder']]))
    // In the order of the ids: on PostgreSQL, reorders that lock the same rows in different orders deadlock.
    for (const { id, sortOrder } of items.toSorted((a, b) => a.id - b.id))
      if (before.get(id) !== sortOrder) await this.#setSortOrder(tx, { ownerId, id, sortOrder, now: tx.stamp })
    return undefined
  }

  #ownedBy(ownerId: number | Placeholder, ...more: SQL[]): SQL | undefined {
    return and(eq(this.#options.owner, ownerId), this.#isLive, ...more)
  }

  async #countWhere(db: Db | Tx, where: SQL | undefined): Promise<number> {
    const [row] = await db.select({ n: count() }).from(this.#table).where(where)
    return row!.n
  }

  /** Undefined if the owner has no such node; empty for the top level. */
  async #pathOf(tx: Tx, ownerId: number, id: number | null): Promise<number[] | undefined> {
    if (id === null) return []
    const ids = await this.#path(tx, { ownerId, id })
    return ids.length === 0 ? undefined : ids.map((row) => row.id)
  }

  /** The columns that rise if a value of `change` differs from the row. */
  #changedBy(change: Record<string, unknown>, stamp: number) {
    return {
      updatedAt: updatedAtFor(this.#table, change, stamp),
      ...(this.#table.version && { version: versionFor(this.#table, change) }),
    }
  }
}

/** For the recursive queries: the column of the owner, and the condition that leaves out deleted rows. `alias`: `node.` or nothing. */
const namesIn = ({ owner, deletedAt }: TreeOptions) => ({
  owner: sql.identifier(owner.name),
  live: (alias: string) => (deletedAt ? sql` and ${sql.raw(alias)}${sql.identifier(deletedAt.name)} is null` : sql``),
})

/** The ids from a node up to the top level. UNION instead of UNION ALL, because it ends even if there is a cycle. */
function pathIn(table: TreeTable, options: TreeOptions) {
  const { owner, live } = namesIn(options)
  return prepared((db) =>
    db.select({ id: sql`id`.mapWith(Number) }).from(sql`(
      with recursive path (id, parent_id) as (
        select id, parent_id from ${table} where ${owner} = ${p('ownerId')} and id = ${p('id')}${live('')}
        union
        select node.id, node.parent_id from path
          join ${table} as node on node.${owner} = ${p('ownerId')} and node.id = path.parent_id${live('node.')}
      ) select id from path) as path`),
  )
}

/** A node and everything below it, with levels from 1. The limit of the level ends it even if there is a cycle. */
function branchIn(table: TreeTable, options: TreeOptions) {
  const { owner, live } = namesIn(options)
  return prepared((db) =>
    db.select({ id: sql`id`.mapWith(Number), level: sql`level`.mapWith(Number) }).from(sql`(
      with recursive branch (id, level) as (
        select id, 1 from ${table} where ${owner} = ${p('ownerId')} and id = ${p('id')}${live('')}
        union all
        select node.id, branch.level + 1 from branch
          join ${table} as node on node.${owner} = ${p('ownerId')} and node.parent_id = branch.id${live('node.')}
          where branch.level < ${sql.raw(String(options.maxDepth))}
      ) select id, level from branch) as branch`),
  )
}

const findIn = (table: TreeTable, one: SQL | undefined) =>
  prepared((db) =>
    db
      .select()
      .from(table as SQLiteTable)
      .where(one),
  )

const setSortOrderIn = (table: TreeTable, one: SQL | undefined) =>
  prepared((db) =>
    db
      .update(table)
      .set({
        sortOrder: sql`${p('sortOrder')}`,
        updatedAt: sql`${p('now')}`,
        ...(table.version && { version: sql`${table.version} + 1` }),
      })
      .where(one),
  )
