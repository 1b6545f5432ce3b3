import { aliasedTable, and, asc, eq, inArray, isNotNull, sql } from 'drizzle-orm'

import { dialect } from '#db/dialect.ts'
import { users } from '#db/schema/accounts.ts'
import { contactProfiles as profiles, contacts } from '#db/schema/contacts.ts'
import type { Db, Tx } from '#db/store.ts'

export async function sharesPresence(db: Db, userId: number): Promise<boolean> {
  const rows = await db.select({ presence: profiles.presence }).from(profiles).where(eq(profiles.userId, userId))
  return rows[0]?.presence === true
}

const theirs = aliasedTable(contacts, 'theirs')

/** When those of the users were last here whom the viewer, who shares presence, may see. */
export const findSeen = (db: Db, viewerId: number, userIds: readonly number[]) =>
  db
    .select({ userId: profiles.userId, seenAt: sql<number>`${profiles.seenAt}`.mapWith(Number) })
    .from(profiles)
    .innerJoin(users, and(eq(users.id, profiles.userId), eq(users.status, 'ACTIVE')))
    .innerJoin(
      contacts,
      and(
        eq(contacts.userId, viewerId),
        eq(contacts.otherId, profiles.userId),
        eq(contacts.isContact, true),
        eq(contacts.blocked, false),
      ),
    )
    .innerJoin(
      theirs,
      and(
        eq(theirs.userId, profiles.userId),
        eq(theirs.otherId, viewerId),
        eq(theirs.isContact, true),
        eq(theirs.blocked, false),
      ),
    )
    .where(and(inArray(profiles.userId, [...userIds]), eq(profiles.presence, true), isNotNull(profiles.seenAt)))

const due = (userIds: readonly number[], before: number) =>
  and(
    inArray(profiles.userId, [...userIds]),
    eq(profiles.presence, true),
    sql`coalesce(${profiles.seenAt}, 0) <= ${before}`,
  )

/** Those of the users who share presence and whose rows are from `before` or earlier. */
export async function findDue(db: Db, userIds: readonly number[], before: number): Promise<number[]> {
  const rows = await db.select({ userId: profiles.userId }).from(profiles).where(due(userIds, before))
  return rows.map((row) => row.userId)
}

/** The rows are locked in the order of their ids, because several processes can write those of one user. */
export async function saveSeen(tx: Tx, userIds: readonly number[], before: number, now: number): Promise<void> {
  const rows = await tx
    .select({ userId: profiles.userId })
    .from(profiles)
    .where(due(userIds, before))
    .orderBy(dialect === 'sqlite' ? asc(profiles.userId) : sql`${profiles.userId} for update`)
  if (rows.length === 0) return
  await tx
    .update(profiles)
    .set({ seenAt: now })
    .where(
      inArray(
        profiles.userId,
        rows.map((row) => row.userId),
      ),
    )
}
