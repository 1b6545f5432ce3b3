import { and, count, desc, eq, gt, isNull, lt, lte, or, sql } from 'drizzle-orm'

import type { Changed } from '#context'
import { type Page, type PageInput, pageOf } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { users } from '#db/schema/accounts.ts'
import { apiKeys } from '#db/schema/api-keys.ts'
import { deleteSome } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'
import { topic } from '#platform/bus.ts'

export type KeyRow = typeof apiKeys.$inferSelect

/** Keys ended or changed, or their owner was disabled. Caches drop all keys, because such changes are rare. */
export const apiKeysChanged = topic<Changed<number>>('apiKeys.changed')
const announce = (tx: Tx): void => tx.publish(apiKeysChanged, 'all')

const activeByHash = prepared((db) =>
  db
    .select({ key: apiKeys })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.userId))
    .where(and(eq(apiKeys.keyHash, sql.placeholder('keyHash')), isNull(apiKeys.revokedAt), eq(users.status, 'ACTIVE'))),
)

/** The key, if it was not revoked and its owner is ACTIVE. It may have expired. */
export const findActiveKey = async (db: Db, keyHash: string): Promise<KeyRow | undefined> =>
  (await activeByHash(db, { keyHash }))[0]?.key

export async function insertKey(
  tx: Tx,
  key: Omit<KeyRow, 'id' | 'lastUsedAt' | 'lastAddress' | 'createdAt' | 'revokedAt'>,
) {
  const [row] = await tx
    .insert(apiKeys)
    .values({ ...key, createdAt: tx.stamp })
    .returning()
  return row!
}

const isLive = (now: number) => and(isNull(apiKeys.revokedAt), gt(apiKeys.expiresAt, now))

/** Keys that have not ended, of the user and for the organization. */
export async function countLive(tx: Tx, of: { userId: number } | { orgId: number }, now: number): Promise<number> {
  const whose = 'userId' in of ? eq(apiKeys.userId, of.userId) : eq(apiKeys.orgId, of.orgId)
  const [row] = await tx
    .select({ n: count() })
    .from(apiKeys)
    .where(and(whose, isLive(now)))
  return row!.n
}

/** Newest first, with those that have ended. */
export const keysOfUser = (db: Db, userId: number, page: PageInput): Promise<Page<KeyRow>> =>
  pageOf(db, apiKeys, { where: eq(apiKeys.userId, userId), orderBy: [desc(apiKeys.id)], page })

export const keysOfOrg = (db: Db, orgId: number, page: PageInput): Promise<Page<KeyRow>> =>
  pageOf(db, apiKeys, { where: eq(apiKeys.orgId, orgId), orderBy: [desc(apiKeys.id)], page })

/** Of the user, or for the organization. */
export async function findKey(
  db: Db | Tx,
  id: number,
  of: { userId: number } | { orgId: number } | 'anyone',
): Promise<KeyRow | undefined> {
  const whose =
    of === 'anyone' ? undefined : 'userId' in of ? eq(apiKeys.userId, of.userId) : eq(apiKeys.orgId, of.orgId)
  const [row] = await db
    .select()
    .from(apiKeys)
    .where(and(eq(apiKeys.id, id), whose))
  return row
}

export async function updateKey(
  tx: Tx,
  userId: number,
  id: number,
  change: Partial<Pick<KeyRow, 'name' | 'networks' | 'expiresAt' | 'mcp'>>,
): Promise<KeyRow | undefined> {
  const [row] = await tx
    .update(apiKeys)
    .set(change)
    .where(and(eq(apiKeys.id, id), eq(apiKeys.userId, userId), isNull(apiKeys.revokedAt)))
    .returning()
  announce(tx)
  return row
}

/** False if it was revoked before. */
export async function revokeKey(tx: Tx, id: number, now: number): Promise<boolean> {
  const rows = await tx
    .update(apiKeys)
    .set({ revokedAt: now })
    .where(and(eq(apiKeys.id, id), isNull(apiKeys.revokedAt)))
    .returning({ id: apiKeys.id })
  announce(tx)
  return rows.length > 0
}

/** All keys of the user, or those for one organization. */
export async function revokeKeysOf(tx: Tx, userId: number, now: number, orgId?: number): Promise<void> {
  await tx
    .update(apiKeys)
    .set({ revokedAt: now })
    .where(
      and(
        eq(apiKeys.userId, userId),
        isNull(apiKeys.revokedAt),
        orgId === undefined ? undefined : eq(apiKeys.orgId, orgId),
      ),
    )
  announce(tx)
}

/** The keys go on, but not at once: the status of their owner has changed. */
export const readKeysAnew = (tx: Tx): void => announce(tx)

export async function deleteKeysOf(tx: Tx, of: { userId: number } | { orgId: number }): Promise<void> {
  await tx.delete(apiKeys).where('userId' in of ? eq(apiKeys.userId, of.userId) : eq(apiKeys.orgId, of.orgId))
  announce(tx)
}

const noteUse = prepared((db) =>
  db
    .update(apiKeys)
    .set({
      lastUsedAt: sql`${sql.placeholder('at')}`,
      lastAddress: sql`${sql.placeholder('address')}`,
    })
    .where(
      and(
        eq(apiKeys.id, sql.placeholder('id')),
        or(isNull(apiKeys.lastUsedAt), lt(apiKeys.lastUsedAt, sql.placeholder('at'))),
      ),
    ),
)

export const saveUse = async (tx: Tx, id: number, at: number, address: string): Promise<void> =>
  void (await noteUse(tx, { id, at, address }))

/** Keys that expire before `until`, whose owners were not notified yet. The literals let the partial index be used. */
export const untoldKeys = (db: Db, now: number, until: number, limit: number): Promise<KeyRow[]> =>
  db
    .select()
    .from(apiKeys)
    .where(
      and(isNull(apiKeys.toldAt), isNull(apiKeys.revokedAt), gt(apiKeys.expiresAt, now), lte(apiKeys.expiresAt, until)),
    )
    .orderBy(apiKeys.expiresAt)
    .limit(limit)

/** False if the owner was notified before, or the key has ended meanwhile. */
export async function markTold(tx: Tx, id: number, now: number): Promise<boolean> {
  const rows = await tx
    .update(apiKeys)
    .set({ toldAt: now })
    .where(and(eq(apiKeys.id, id), isNull(apiKeys.toldAt), isNull(apiKeys.revokedAt)))
    .returning({ id: apiKeys.id })
  return rows.length > 0
}

/** Keys that ended before `before`. Returns how many were deleted. */
export const deleteEndedKeys = async (tx: Tx, before: number, limit: number): Promise<number> =>
  (await deleteSome(tx, apiKeys, lt(apiKeys.expiresAt, before), limit)) ||
  (await deleteSome(tx, apiKeys, lt(apiKeys.revokedAt, before), limit))
