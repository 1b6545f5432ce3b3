/** Relations between two users, and what the parts of the domain ask about a person. */

import { and, count, eq, gt, inArray, lte, or, type SQL, sql } from 'drizzle-orm'

import { isOneOf } from '#db/dialect.ts'
import { prepared } from '#db/prepared.ts'
import { users } from '#db/schema/accounts.ts'
import {
  contactLookups,
  contactProfiles,
  contactRequests,
  contacts,
  type RequestSource,
  type WhoMayMessage,
  type WhoMayRequest,
} from '#db/schema/contacts.ts'
import { deleteSome } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'
import { inCommonOrganization } from '#domains/orgs/index.ts'

export type ContactRow = typeof contacts.$inferSelect
export type RequestRow = typeof contactRequests.$inferSelect

const p = sql.placeholder

/** A user with the privacy settings. */
export interface PersonRow {
  readonly userId: number
  readonly nickname: string
  readonly avatar: string | null
  readonly signature: string | null
  readonly status: string
  readonly findableByEmail: boolean
  readonly findableByPhone: boolean
  readonly whoMayRequest: WhoMayRequest
  readonly whoMayMessage: WhoMayMessage
  readonly readReceipts: boolean
  readonly presence: boolean
  /** When the present card code was made; 0 if there is none. */
  readonly cardUpdatedAt: number
}

const personById = prepared((db) =>
  db
    .select({
      userId: users.id,
      nickname: users.nickname,
      avatar: users.avatar,
      signature: users.signature,
      status: users.status,
      profile: contactProfiles,
    })
    .from(users)
    .leftJoin(contactProfiles, eq(contactProfiles.userId, users.id))
    .where(eq(users.id, p('id'))),
)

/** Undefined for ids that no user has. Deleted and disabled users are found. */
export async function findPerson(db: Db | Tx, id: number): Promise<PersonRow | undefined> {
  const [row] = await personById(db, { id })
  if (row === undefined) return undefined
  const { profile, ...user } = row
  return {
    ...user,
    findableByEmail: profile?.findableByEmail ?? true,
    findableByPhone: profile?.findableByPhone ?? true,
    whoMayRequest: profile?.whoMayRequest ?? 'EVERYONE',
    whoMayMessage: profile?.whoMayMessage ?? 'CONTACTS',
    readReceipts: profile?.readReceipts ?? true,
    presence: profile?.presence ?? false,
    cardUpdatedAt: profile?.cardUpdatedAt ?? 0,
  }
}

export const findUsers = (db: Db | Tx, ids: readonly number[]) =>
  db
    .select({ userId: users.id, nickname: users.nickname, avatar: users.avatar })
    .from(users)
    .where(inArray(users.id, [...ids]))

const pair = prepared((db) =>
  db
    .select()
    .from(contacts)
    .where(
      or(
        and(eq(contacts.userId, p('userId')), eq(contacts.otherId, p('otherId'))),
        and(eq(contacts.userId, p('otherId')), eq(contacts.otherId, p('userId'))),
      ),
    ),
)

/** Both sides of a relation. */
export interface Sides {
  readonly own: ContactRow | undefined
  readonly theirs: ContactRow | undefined
}

export async function findSides(db: Db | Tx, userId: number, otherId: number): Promise<Sides> {
  const rows = await pair(db, { userId, otherId })
  return { own: rows.find((row) => row.userId === userId), theirs: rows.find((row) => row.userId === otherId) }
}

/**
 * SQL for the business code that refuses a direct message: 4012 if one side has blocked the other, 4011 if neither a contact on both sides nor the
 * setting of the recipient allows it; null if it is allowed.
 */
export function messageRefusal(fromId: SQL, toId: SQL): SQL<4011 | 4012 | null> {
  // Not EXISTS, for which PostgreSQL might read all contacts at once when there are few, and go on with that plan when there are many.
  const side = (ownId: SQL, otherId: SQL, is: SQL) =>
    sql`(select ${is} from ${contacts} as side where side.user_id = ${ownId} and side.other_id = ${otherId}) is true`
  const [blocked, isContact] = [sql.raw('side.blocked'), sql.raw('side.is_contact')]
  const setting = sql`(select who_may_message from ${contactProfiles} as recipient where recipient.user_id = ${toId})`
  return sql`case
    when ${side(fromId, toId, blocked)} or ${side(toId, fromId, blocked)} then 4012
    when ${side(fromId, toId, isContact)} and ${side(toId, fromId, isContact)} then null
    when ${setting} = 'EVERYONE' then null
    when ${setting} = 'ORG_MEMBERS' and ${inCommonOrganization(fromId, toId)} then null
    else 4011 end`
}

/** SQL for whether one of the users has blocked the other. */
export function isBlockedSql(a: SQL, b: SQL): SQL {
  const side = (ownId: SQL, otherId: SQL) =>
    sql`(select side.blocked from ${contacts} as side where side.user_id = ${ownId} and side.other_id = ${otherId}) is true`
  return sql`(${side(a, b)} or ${side(b, a)})`
}

/** SQL for whether the user sends read receipts. */
export const sendsReceipts = (userId: SQL): SQL =>
  sql`((select profile.read_receipts from ${contactProfiles} as profile where profile.user_id = ${userId}) is not false)`

/** Two queries, each by the index of pairs. */
export async function findBlockedAmong(db: Db | Tx, userId: number, otherIds: readonly number[]): Promise<Set<number>> {
  const others = [...otherIds]
  const own = await db
    .select({ id: contacts.otherId })
    .from(contacts)
    .where(and(eq(contacts.userId, userId), inArray(contacts.otherId, others), eq(contacts.blocked, true)))
  const theirs = await db
    .select({ id: contacts.userId })
    .from(contacts)
    .where(and(inArray(contacts.userId, others), eq(contacts.otherId, userId), eq(contacts.blocked, true)))
  return new Set([...own, ...theirs].map(({ id }) => id))
}

const openBetween = prepared((db) =>
  db
    .select()
    .from(contactRequests)
    .where(
      and(
        eq(contactRequests.status, 'PENDING').inlineParams(),
        sql`${contactRequests.expiresAt} > ${p('now')}`,
        or(
          and(eq(contactRequests.fromId, p('userId')), eq(contactRequests.toId, p('otherId'))),
          and(eq(contactRequests.fromId, p('otherId')), eq(contactRequests.toId, p('userId'))),
        ),
      ),
    ),
)

/** The requests between two users that wait for an answer. `received` may be hidden from the user. */
export async function findOpenRequests(
  db: Db | Tx,
  userId: number,
  otherId: number,
  now: number,
): Promise<{ readonly sent: RequestRow | undefined; readonly received: RequestRow | undefined }> {
  const rows = await openBetween(db, { userId, otherId, now })
  return { sent: rows.find((row) => row.fromId === userId), received: rows.find((row) => row.fromId === otherId) }
}

/** How `userId` has found `foundId` since `since` (epoch milliseconds), and when. */
export const findLookups = (db: Db | Tx, userId: number, foundId: number, since: number) =>
  db
    .select({ source: contactLookups.source, foundAt: contactLookups.foundAt })
    .from(contactLookups)
    .where(
      and(eq(contactLookups.userId, userId), eq(contactLookups.foundId, foundId), gt(contactLookups.foundAt, since)),
    )

export async function upsertLookup(
  tx: Tx,
  lookup: { readonly userId: number; readonly foundId: number; readonly source: RequestSource },
  now: number,
): Promise<void> {
  await tx
    .insert(contactLookups)
    .values({ ...lookup, foundAt: now })
    .onConflictDoUpdate({
      target: [contactLookups.userId, contactLookups.foundId, contactLookups.source],
      set: { foundAt: now },
    })
}

/** The user's remarks about these people, for those who have a row. */
export async function findRemarks(
  db: Db | Tx,
  userId: number,
  otherIds: readonly number[],
): Promise<{ otherId: number; remark: string; contactId: number }[]> {
  if (otherIds.length === 0) return []
  return db
    .select({ otherId: contacts.otherId, remark: contacts.remark, contactId: contacts.id })
    .from(contacts)
    .where(and(eq(contacts.userId, userId), isOneOf(contacts.otherId, otherIds)))
}

/** Those of the users who have turned read receipts off. */
export async function withoutReadReceipts(db: Db | Tx, userIds: readonly number[]): Promise<Set<number>> {
  if (userIds.length === 0) return new Set()
  const rows = await db
    .select({ userId: contactProfiles.userId })
    .from(contactProfiles)
    .where(and(isOneOf(contactProfiles.userId, userIds), eq(contactProfiles.readReceipts, false)))
  return new Set(rows.map((row) => row.userId))
}

export type PrivacyChange = Partial<
  Pick<
    PersonRow,
    'findableByEmail' | 'findableByPhone' | 'whoMayRequest' | 'whoMayMessage' | 'readReceipts' | 'presence'
  >
>

/** Changes the given settings; the others keep their values, or get their defaults. */
export async function upsertPrivacy(tx: Tx, userId: number, change: PrivacyChange): Promise<void> {
  if (Object.keys(change).length === 0) return
  // When the user was here is kept no longer than it is shared.
  const set = { ...change, ...(change.presence === false && { seenAt: null }) }
  await tx
    .insert(contactProfiles)
    .values({ userId, ...set })
    .onConflictDoUpdate({ target: contactProfiles.userId, set })
}

const contactCount = prepared((db) =>
  db
    .select({ n: count() })
    .from(contacts)
    .where(and(eq(contacts.userId, p('userId')), eq(contacts.isContact, true))),
)
/** By an index that contains all that is read: 0.2 ms for 10,000 contacts. */
export const countContacts = async (db: Db | Tx, userId: number): Promise<number> =>
  (await contactCount(db, { userId }))[0]!.n

/** Makes `otherId` a contact of the user. An empty remark keeps the one that there is. */
export async function upsertContact(
  tx: Tx,
  { userId, otherId, remark }: { readonly userId: number; readonly otherId: number; readonly remark: string },
): Promise<ContactRow> {
  const [row] = await tx
    .insert(contacts)
    .values({ userId, otherId, remark, isContact: true, tags: [], createdAt: tx.stamp, updatedAt: tx.stamp })
    .onConflictDoUpdate({
      target: [contacts.userId, contacts.otherId],
      set: {
        isContact: true,
        ...(remark !== '' && { remark }),
        // A user who was only blocked becomes a contact now.
        createdAt: sql`case when ${contacts.isContact} then ${contacts.createdAt} else ${sql.param(tx.stamp, contacts.createdAt)} end`,
        updatedAt: tx.stamp,
      },
    })
    .returning()
  return row!
}

/** Blocks a user who may or may not be a contact. */
export async function upsertBlocked(tx: Tx, userId: number, otherId: number): Promise<void> {
  await tx
    .insert(contacts)
    .values({ userId, otherId, isContact: false, blocked: true, tags: [], createdAt: tx.stamp, updatedAt: tx.stamp })
    .onConflictDoUpdate({
      target: [contacts.userId, contacts.otherId],
      set: { blocked: true, updatedAt: tx.stamp },
    })
}

const anyContact = prepared((db) =>
  db
    .select({ id: contacts.id })
    .from(contacts)
    .where(and(eq(contacts.userId, p('userId')), eq(contacts.isContact, true)))
    .limit(1),
)
export const hasContacts = async (db: Db | Tx, userId: number): Promise<boolean> =>
  (await anyContact(db, { userId })).length > 0

/** Deletes what others see of the user. */
export async function deleteAllOf(tx: Tx, userId: number): Promise<void> {
  await tx.delete(contacts).where(eq(contacts.otherId, userId))
  await tx.delete(contactRequests).where(eq(contactRequests.fromId, userId))
  await tx.delete(contactRequests).where(eq(contactRequests.toId, userId))
  await tx.delete(contactLookups).where(eq(contactLookups.foundId, userId))
  await tx.delete(contactProfiles).where(eq(contactProfiles.userId, userId))
}

/** Deletes at most `limit` rows of a user whose account was deleted. Returns their number. */
export async function deleteRestOf(tx: Tx, userId: number, limit: number): Promise<number> {
  const rows = await deleteSome(tx, contacts, eq(contacts.userId, userId), limit)
  return rows >= limit
    ? rows
    : rows + (await deleteSome(tx, contactLookups, eq(contactLookups.userId, userId), limit - rows))
}

/** Deletes at most `limit` look-ups until `before`. Returns how many it deleted. */
export const deleteLookups = (tx: Tx, before: number, limit: number): Promise<number> =>
  deleteSome(tx, contactLookups, lte(contactLookups.foundAt, before), limit)

/** Deletes at most `limit` requests that expired until `before`. Returns how many it deleted. */
export const deleteRequests = (tx: Tx, before: number, limit: number): Promise<number> =>
  deleteSome(tx, contactRequests, lte(contactRequests.expiresAt, before), limit)
