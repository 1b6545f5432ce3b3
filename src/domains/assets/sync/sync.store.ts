import { and, eq, gt, inArray, isNull, lte, type SQL, sql } from 'drizzle-orm'

import { isInJson, isOneOf, notByIndex } from '#db/dialect.ts'
import type { OwnerKey } from '#db/owner-key.ts'
import { prepared } from '#db/prepared.ts'
import { assetCategories, assets } from '#db/schema/assets.ts'
import type { Db, SQLiteColumn, Tx } from '#db/store.ts'
import type { SyncChange, SyncRange, SyncState } from '#domains/contributions.ts'

import type { CategoryRow } from '../categories/categories.store.ts'
import type { AssetRow } from '../register/register.store.ts'

const p = sql.placeholder

const inRange = (stamp: SQLiteColumn): SQL | undefined => and(gt(stamp, p('after')), lte(stamp, p('until')))

// Both in the order of the index `assets_updated`. PostgreSQL needs `deletedAt` in it although all values are null.
const liveChanges = prepared((db) =>
  db
    .select({ id: assets.id, stamp: assets.updatedAt })
    .from(assets)
    .where(and(eq(assets.owner, p('owner')), isNull(assets.deletedAt), inRange(assets.updatedAt)))
    .orderBy(assets.deletedAt, assets.updatedAt, assets.createdAt, assets.id)
    .limit(p('limit')),
)
const deletions = prepared((db) =>
  db
    .select({ id: assets.id, stamp: assets.deletedAt })
    .from(assets)
    .where(and(eq(assets.owner, p('owner')), inRange(assets.deletedAt)))
    .orderBy(assets.deletedAt, assets.updatedAt, assets.createdAt, assets.id)
    .limit(p('limit')),
)

/** If `limit` divides the assets of a stamp, those that were created first are in the result. */
export async function assetChanges(db: Db, owner: OwnerKey, range: SyncRange, limit: number): Promise<SyncChange[]> {
  const given = { ...range, owner, limit }
  const changes = [
    ...(await liveChanges(db, given)).map((row) => ({ ...row, isDeleted: false })),
    ...(await deletions(db, given)).map((row) => ({ id: row.id, stamp: row.stamp!, isDeleted: true })),
  ]
  return changes.toSorted((a, b) => a.stamp - b.stamp || a.id - b.id).slice(0, limit)
}

/** The owner's undeleted assets among `ids` that have not changed since `until`. */
export const unchangedAssets = (db: Db, owner: OwnerKey, ids: readonly number[], until: number): Promise<AssetRow[]> =>
  db
    .select()
    .from(assets)
    .where(
      and(
        isOneOf(assets.id, ids),
        sql`${notByIndex(assets.owner)} = ${owner}`,
        sql`${notByIndex(assets.deletedAt)} is null`,
        lte(assets.updatedAt, until),
      ),
    )

const states = prepared((db) => {
  const { id, owner, version, updatedAt, deletedAt } = assets
  return db
    .select({ id, owner, version, updatedAt, deletedAt })
    .from(assets)
    .where(isInJson(id, p('ids')))
})

export const assetStates = async (db: Db | Tx, ids: readonly number[]): Promise<SyncState[]> =>
  (await states(db, { ids: JSON.stringify(ids) })).map(stateOf)

/** Of an asset or a category. */
export const stateOf = (
  row: Pick<AssetRow & CategoryRow, 'id' | 'owner' | 'version' | 'updatedAt' | 'deletedAt'>,
): SyncState => ({
  id: row.id,
  owner: row.owner,
  version: row.version,
  updatedAt: row.deletedAt ?? row.updatedAt,
  isDeleted: row.deletedAt !== null,
})

const changedCategories = prepared((db) =>
  db
    .select({ id: assetCategories.id, stamp: assetCategories.updatedAt, deletedAt: assetCategories.deletedAt })
    .from(assetCategories)
    .where(and(eq(assetCategories.owner, p('owner')), inRange(assetCategories.updatedAt)))
    .orderBy(assetCategories.updatedAt, assetCategories.id)
    .limit(p('limit')),
)

export async function categoryChanges(db: Db, owner: OwnerKey, range: SyncRange, limit: number): Promise<SyncChange[]> {
  const rows = await changedCategories(db, { ...range, owner, limit })
  return rows.map(({ id, stamp, deletedAt }) => ({ id, stamp, isDeleted: deletedAt !== null }))
}

/** The owner's undeleted categories among `ids` that have not changed since `until`. */
export const unchangedCategories = (
  db: Db,
  owner: OwnerKey,
  ids: readonly number[],
  until: number,
): Promise<CategoryRow[]> =>
  db
    .select()
    .from(assetCategories)
    .where(
      and(
        isOneOf(assetCategories.id, ids),
        sql`${notByIndex(assetCategories.owner)} = ${owner}`,
        isNull(assetCategories.deletedAt),
        sql`${notByIndex(assetCategories.updatedAt)} <= ${until}`,
      ),
    )

/** Categories of any owners, also deleted ones. */
export const anyCategories = (db: Db | Tx, ids: readonly number[]): Promise<CategoryRow[]> =>
  db
    .select()
    .from(assetCategories)
    .where(inArray(assetCategories.id, [...ids]))

/** Also a deleted one. Undefined if it belongs to another owner. */
export async function findCategory(tx: Tx, owner: OwnerKey, id: number): Promise<CategoryRow | undefined> {
  const [row] = await anyCategories(tx, [id])
  return row?.owner === owner ? row : undefined
}
