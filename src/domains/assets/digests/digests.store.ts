import { and, asc, eq, inArray, lt, sql } from 'drizzle-orm'

import { assetDigestRuns as runs, assetDigests as digests } from '#db/schema/asset-digests.ts'
import { organizations, orgMembers } from '#db/schema/orgs.ts'
import type { Db, Tx } from '#db/store.ts'

/** The only row of `runs`. */
const ID = 1

/** Until when digests are queued; undefined before the first run. */
export async function queuedUpTo(db: Db): Promise<number | undefined> {
  return (await db.select({ upTo: runs.upTo }).from(runs).where(eq(runs.id, ID)))[0]?.upTo
}

/** Never moves back. */
export async function saveUpTo(tx: Tx, upTo: number): Promise<void> {
  await tx
    .insert(runs)
    .values({ id: ID, upTo })
    .onConflictDoUpdate({ target: runs.id, set: { upTo }, setWhere: lt(runs.upTo, upTo) })
}

/** Those of some hundred users who had a digest of their day or a later one already. */
export async function servedAmong(db: Db, days: ReadonlyMap<number, string>): Promise<ReadonlySet<number>> {
  const rows = await db
    .select()
    .from(digests)
    .where(inArray(digests.userId, [...days.keys()]))
  return new Set(rows.filter(({ userId, day }) => day >= days.get(userId)!).map(({ userId }) => userId))
}

/**
 * Takes the digests of some users for the write `tx`, in the order of ids, so that writes of several processes wait for each other. Returns the
 * users whose digest nobody else has taken: of each user and day exactly one write gets it.
 */
export async function takeDigests(
  tx: Tx,
  takes: readonly { readonly userId: number; readonly day: string }[],
): Promise<ReadonlySet<number>> {
  if (takes.length === 0) return new Set()
  const rows = await tx
    .insert(digests)
    .values(takes.toSorted((a, b) => a.userId - b.userId))
    .onConflictDoUpdate({
      target: digests.userId,
      set: { day: sql`excluded.day` },
      setWhere: lt(digests.day, sql`excluded.day`),
    })
    .returning({ userId: digests.userId })
  return new Set(rows.map(({ userId }) => userId))
}

export const deleteDigestOf = async (tx: Tx, userId: number): Promise<void> =>
  void (await tx.delete(digests).where(eq(digests.userId, userId)))

/** Organizations of the user that are not disabled, at most `limit`. */
export const activeOrgsOf = (db: Db, userId: number, limit: number) =>
  db
    .select({ orgId: organizations.id, timeZone: organizations.timeZone, ownerId: organizations.ownerId })
    .from(orgMembers)
    .innerJoin(organizations, eq(organizations.id, orgMembers.orgId))
    .where(and(eq(orgMembers.userId, userId), eq(organizations.status, 'ACTIVE')))
    .orderBy(asc(orgMembers.joinedAt), asc(orgMembers.orgId))
    .limit(limit)
