import { and, asc, desc, eq, gt, gte, inArray, isNotNull, isNull, lt, max, sql } from 'drizzle-orm'

import { dialect, isInJson } from '#db/dialect.ts'
import type { OwnerKey } from '#db/owner-key.ts'
import { type Page, type PageInput, pageOf } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { supplies, supplyImports, supplyImportSnapshots, supplyMovements } from '#db/schema/supplies.ts'
import { deleteSome } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'

export type RunRow = typeof supplyImports.$inferSelect

export async function insertRun(tx: Tx, run: Omit<RunRow, 'id' | 'undoneAt' | 'undo' | 'createdAt'>): Promise<number> {
  const [row] = await tx
    .insert(supplyImports)
    .values({ ...run, undo: null, createdAt: tx.stamp })
    .returning({ id: supplyImports.id })
  return row!.id
}

export async function findRun(db: Db | Tx, owner: OwnerKey, id: number): Promise<RunRow | undefined> {
  const rows = await db
    .select()
    .from(supplyImports)
    .where(and(eq(supplyImports.id, id), eq(supplyImports.owner, owner)))
  return rows[0]
}

/** Undefined for an unknown import. */
export async function ownerOfRun(db: Db, id: number): Promise<OwnerKey | undefined> {
  const [row] = await db.select({ owner: supplyImports.owner }).from(supplyImports).where(eq(supplyImports.id, id))
  return row?.owner
}

/** Newest first. */
export const runsPage = (db: Db, owner: OwnerKey, since: number, page: PageInput): Promise<Page<RunRow>> =>
  pageOf(db, supplyImports, {
    where: and(eq(supplyImports.owner, owner), gt(supplyImports.createdAt, since))!,
    orderBy: [desc(supplyImports.createdAt), desc(supplyImports.id)],
    page,
  })

export async function markUndone(tx: Tx, id: number, undo: NonNullable<RunRow['undo']>): Promise<void> {
  await tx.update(supplyImports).set({ undoneAt: tx.stamp, undo }).where(eq(supplyImports.id, id))
  await tx.delete(supplyImportSnapshots).where(eq(supplyImportSnapshots.importId, id))
}

export async function insertSnapshot(
  tx: Tx,
  snapshot: Pick<typeof supplyImportSnapshots.$inferSelect, 'importId' | 'part' | 'owner' | 'rows'>,
): Promise<void> {
  await tx.insert(supplyImportSnapshots).values({ ...snapshot, createdAt: tx.stamp })
}

/** The sealed rows of the part after this one. */
export async function nextSnapshot(db: Db | Tx, owner: OwnerKey, importId: number, after: number) {
  const { part, rows } = supplyImportSnapshots
  const [row] = await db
    .select({ part, rows })
    .from(supplyImportSnapshots)
    .where(
      and(
        eq(supplyImportSnapshots.importId, importId),
        eq(supplyImportSnapshots.owner, owner),
        gt(supplyImportSnapshots.part, after),
      ),
    )
    .orderBy(asc(part))
    .limit(1)
  return row
}

export type Version = Pick<typeof supplies.$inferSelect, 'id' | 'version'>

const p = sql.placeholder
const versions = prepared((db) => {
  const keyed = db.select({ id: supplies.id, version: supplies.version, key: supplies.supplyNoKey })
  const isOwn = and(eq(supplies.owner, p('owner')), isNull(supplies.deletedAt))
  // CROSS JOIN: else SQLite may walk over all supplies of the owner.
  return dialect === 'sqlite'
    ? keyed
        .from(sql`json_each(${p('keys')}) as given`)
        .crossJoin(supplies)
        .where(and(isOwn, sql`${supplies.supplyNoKey} = given.value`))
    : keyed.from(supplies).where(and(isOwn, isInJson(supplies.supplyNoKey, p('keys'))))
})
/** The ids and versions of the owner's undeleted supplies by the keys of their numbers. */
export async function versionsByNumbers(
  db: Db | Tx,
  owner: OwnerKey,
  keys: readonly string[],
): Promise<Map<string, Version>> {
  const rows = await versions(db, { owner, keys: JSON.stringify(keys) })
  return new Map(rows.map(({ key, ...version }) => [key, version]))
}

/** Imports of the owner after this one that were undone. */
export async function laterUndone(db: Db | Tx, owner: OwnerKey, { id, createdAt }: RunRow): Promise<number[]> {
  const runs = supplyImports
  const rows = await db
    .select({ id: runs.id })
    .from(runs)
    .where(and(eq(runs.owner, owner), gte(runs.createdAt, createdAt), gt(runs.id, id), isNotNull(runs.undoneAt)))
  return rows.map((row) => row.id)
}

/** The id of the last movement of a supply before another one; 0 if there is none. */
export async function movementBefore(db: Db | Tx, supplyId: number, movementId: number): Promise<number> {
  const [row] = await lastBefore(db, { supplyId, movementId })
  return Number(row?.last ?? 0)
}
const lastBefore = prepared((db) =>
  db
    .select({ last: max(supplyMovements.id) })
    .from(supplyMovements)
    .where(and(eq(supplyMovements.supplyId, p('supplyId')), lt(supplyMovements.id, p('movementId')))),
)

const lastOf = prepared((db) =>
  db
    .select({ supplyId: supplyMovements.supplyId, last: max(supplyMovements.id) })
    .from(supplyMovements)
    .where(isInJson(supplyMovements.supplyId, p('ids')))
    .groupBy(supplyMovements.supplyId),
)
/** The ids of the last movements of supplies. */
export async function lastMovements(db: Db | Tx, supplyIds: readonly number[]): Promise<Map<number, number>> {
  const rows = await lastOf(db, { ids: JSON.stringify(supplyIds) })
  return new Map(rows.map(({ supplyId, last }) => [supplyId, Number(last)]))
}

export const deleteSnapshotsBefore = (tx: Tx, time: number, limit: number): Promise<number> =>
  deleteSome(tx, supplyImportSnapshots, lt(supplyImportSnapshots.createdAt, time), limit)
export const deleteRunsBefore = (tx: Tx, time: number, limit: number): Promise<number> =>
  deleteSome(tx, supplyImports, lt(supplyImports.createdAt, time), limit)

/** Deletes at most `limit` rows of an owner that was deleted: imports, after the former values that they keep. Returns the number of rows. */
export async function purgeImports(tx: Tx, owner: OwnerKey, limit: number): Promise<number> {
  const some = await tx
    .select({ id: supplyImports.id })
    .from(supplyImports)
    .where(eq(supplyImports.owner, owner))
    .limit(limit)
  const ids = some.map(({ id }) => id)
  if (ids.length === 0) return 0
  const rows = await deleteSome(tx, supplyImportSnapshots, inArray(supplyImportSnapshots.importId, ids), limit)
  const bare = ids.slice(0, limit - rows)
  if (bare.length > 0) await tx.delete(supplyImports).where(inArray(supplyImports.id, bare))
  return rows + bare.length
}
