import { and, asc, desc, eq, gt, gte, inArray, isNotNull, isNull, lt } from 'drizzle-orm'

import { isOneOf } from '#db/dialect.ts'
import type { OwnerKey } from '#db/owner-key.ts'
import { type Page, type PageInput, pageOf } from '#db/paging.ts'
import { assetImportRuns, assetImportSnapshots, type ImportUndo } from '#db/schema/asset-imports.ts'
import { assetCategories, assets, inventories, inventoryItems } from '#db/schema/assets.ts'
import { supplies } from '#db/schema/supplies.ts'
import { deleteSome } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'

export type RunRow = typeof assetImportRuns.$inferSelect

type NewRun = Pick<RunRow, 'owner' | 'userId' | 'userName' | 'fileName'>

export async function insertRun(tx: Tx, run: NewRun): Promise<number> {
  const [row] = await tx
    .insert(assetImportRuns)
    .values({ ...run, categories: [], createdAt: tx.stamp })
    .returning({ id: assetImportRuns.id })
  return row!.id
}

export type RunEnd = Pick<RunRow, 'created' | 'updated' | 'unchanged' | 'undoable' | 'categories' | 'locations'>

export async function endRun(tx: Tx, owner: OwnerKey, id: number, end: RunEnd): Promise<void> {
  await tx
    .update(assetImportRuns)
    .set(end)
    .where(and(eq(assetImportRuns.id, id), eq(assetImportRuns.owner, owner)))
}

export async function markUndone(tx: Tx, owner: OwnerKey, id: number, undo: ImportUndo): Promise<void> {
  await tx
    .update(assetImportRuns)
    .set({ undoneAt: tx.stamp, undo })
    .where(and(eq(assetImportRuns.id, id), eq(assetImportRuns.owner, owner)))
}

export async function findRun(db: Db | Tx, owner: OwnerKey, id: number): Promise<RunRow | undefined> {
  const [row] = await db
    .select()
    .from(assetImportRuns)
    .where(and(eq(assetImportRuns.id, id), eq(assetImportRuns.owner, owner)))
  return row
}

/** Imports of the owner after this one that were undone. */
export async function laterUndone(db: Db | Tx, owner: OwnerKey, importId: number): Promise<number[]> {
  const [run] = await db
    .select({ createdAt: assetImportRuns.createdAt })
    .from(assetImportRuns)
    .where(eq(assetImportRuns.id, importId))
  const rows = await db
    .select({ id: assetImportRuns.id })
    .from(assetImportRuns)
    .where(
      and(
        eq(assetImportRuns.owner, owner),
        gte(assetImportRuns.createdAt, run?.createdAt ?? 0),
        gt(assetImportRuns.id, importId),
        isNotNull(assetImportRuns.undoneAt),
      ),
    )
  return rows.map(({ id }) => id)
}

/** Undefined for an unknown import. */
export async function ownerOfRun(db: Db, id: number): Promise<OwnerKey | undefined> {
  const [row] = await db
    .select({ owner: assetImportRuns.owner })
    .from(assetImportRuns)
    .where(eq(assetImportRuns.id, id))
  return row?.owner
}

/** Newest first. */
export const runsPage = (db: Db, owner: OwnerKey, since: number, page: PageInput): Promise<Page<RunRow>> =>
  pageOf(db, assetImportRuns, {
    where: and(eq(assetImportRuns.owner, owner), gt(assetImportRuns.createdAt, since))!,
    orderBy: [desc(assetImportRuns.createdAt), desc(assetImportRuns.id)],
    page,
  })

export async function insertSnapshot(
  tx: Tx,
  snapshot: Pick<typeof assetImportSnapshots.$inferSelect, 'importId' | 'part' | 'owner' | 'rows'>,
): Promise<void> {
  await tx.insert(assetImportSnapshots).values({ ...snapshot, createdAt: tx.stamp })
}

export async function deleteSnapshots(tx: Tx, owner: OwnerKey, importId: number): Promise<void> {
  await tx
    .delete(assetImportSnapshots)
    .where(and(eq(assetImportSnapshots.importId, importId), eq(assetImportSnapshots.owner, owner)))
}

/** The sealed rows of the parts after this one, in their order, at most `limit`. */
export async function nextSnapshots(db: Db | Tx, owner: OwnerKey, importId: number, after: number, limit: number) {
  return db
    .select({ part: assetImportSnapshots.part, rows: assetImportSnapshots.rows })
    .from(assetImportSnapshots)
    .where(
      and(
        eq(assetImportSnapshots.importId, importId),
        eq(assetImportSnapshots.owner, owner),
        gt(assetImportSnapshots.part, after),
      ),
    )
    .orderBy(asc(assetImportSnapshots.part))
    .limit(limit)
}

/** Of these assets, those that a running inventory counts. */
export async function inRunningInventories(
  db: Db | Tx,
  owner: OwnerKey,
  assetIds: readonly number[],
): Promise<Set<number>> {
  const running = await db
    .select({ id: inventories.id })
    .from(inventories)
    .where(and(eq(inventories.owner, owner), eq(inventories.status, 'RUNNING')))
  if (running.length === 0 || assetIds.length === 0) return new Set()
  const rows = await db
    .select({ assetId: inventoryItems.assetId })
    .from(inventoryItems)
    .where(
      and(
        inArray(
          inventoryItems.inventoryId,
          running.map(({ id }) => id),
        ),
        isOneOf(inventoryItems.assetId, assetIds),
      ),
    )
  return new Set(rows.map(({ assetId }) => assetId))
}

/** The number of a deleted asset, for the list of those that an undo leaves. */
export async function numbersOf(db: Db | Tx, owner: OwnerKey, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .select({ id: assets.id, assetNo: assets.assetNo })
    .from(assets)
    .where(and(eq(assets.owner, owner), isOneOf(assets.id, ids)))
  return new Map(rows.map(({ id, assetNo }) => [id, assetNo]))
}

/** Whether a category is still as an import created it. */
export async function isUnchangedCategory(tx: Tx, owner: OwnerKey, id: number, version: number): Promise<boolean> {
  const [row] = await tx
    .select({ version: assetCategories.version, deletedAt: assetCategories.deletedAt })
    .from(assetCategories)
    .where(and(eq(assetCategories.id, id), eq(assetCategories.owner, owner)))
  return row?.version === version && row.deletedAt === null
}

/** Whether an undeleted asset or supply is in the category. */
export async function isCategoryUsed(tx: Tx, owner: OwnerKey, categoryId: number): Promise<boolean> {
  for (const table of [assets, supplies] as const) {
    const rows = await tx
      .select({ id: table.id })
      .from(table)
      .where(and(eq(table.owner, owner), isNull(table.deletedAt), eq(table.categoryId, categoryId)))
      .limit(1)
    if (rows.length > 0) return true
  }
  return false
}

export const deleteSnapshotsBefore = (tx: Tx, createdAt: number, limit: number): Promise<number> =>
  deleteSome(tx, assetImportSnapshots, lt(assetImportSnapshots.createdAt, createdAt), limit)

export const deleteRunsBefore = (tx: Tx, createdAt: number, limit: number): Promise<number> =>
  deleteSome(tx, assetImportRuns, lt(assetImportRuns.createdAt, createdAt), limit)

/** When the account or the organization ends. */
export async function deleteRunsOf(tx: Tx, owner: OwnerKey): Promise<void> {
  await tx.delete(assetImportSnapshots).where(eq(assetImportSnapshots.owner, owner))
  await tx.delete(assetImportRuns).where(eq(assetImportRuns.owner, owner))
}
