/** Groups and their members: rows of `conversations` and `conversation_members`. A member is a row with a role. */

import { and, asc, count, desc, eq, inArray, isNotNull, isNull, lte, notExists, sql } from 'drizzle-orm'

import { isOneOf } from '#db/dialect.ts'
import { type Page, type PageInput, pageOfQuery } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { chatNumbers, conversationMembers, conversations, type GroupRole } from '#db/schema/chat.ts'
import { organizations, orgMembers, type OrgStatus } from '#db/schema/orgs.ts'
import type { Db, Tx } from '#db/store.ts'
import { updatedAtFor } from '#db/updated-at.ts'

import { NO_DRAFT } from '../drafts.store.ts'
import { MAX_MEMBERS } from './groups.rules.ts'

const p = sql.placeholder
const member = conversationMembers

export type GroupRow = typeof conversations.$inferSelect

/** A group as one of its present or former members sees it. */
export interface Membership {
  readonly group: GroupRow
  /** Null if the user has left. */
  readonly role: GroupRole | null
  /** Null for a group of contacts. */
  readonly orgStatus: OrgStatus | null
}

/** Null also in a group of an organization that was dissolved, which a job is about to end. */
const presentRole = sql<GroupRole | null>`case when ${conversations.orgId} = 0 or ${organizations.id} is not null then ${member.role} end`

const membership = prepared((db) =>
  db
    .select({ group: conversations, role: presentRole, orgStatus: organizations.status })
    .from(member)
    .innerJoin(conversations, eq(conversations.id, member.conversationId))
    .leftJoin(organizations, eq(organizations.id, conversations.orgId))
    .where(and(eq(member.conversationId, p('id')), eq(member.userId, p('userId')), eq(conversations.type, 'GROUP'))),
)

/** Undefined if there is no such group, or if the user was never in it. */
export const findMembership = async (db: Db | Tx, id: number, userId: number): Promise<Membership | undefined> =>
  (await membership(db, { id, userId }))[0]

/** The organization, if the user is a member of it. */
export async function findOrgOfMember(db: Db | Tx, orgId: number, userId: number) {
  const [row] = await db
    .select({ status: organizations.status, memberCount: organizations.memberCount })
    .from(orgMembers)
    .innerJoin(organizations, eq(organizations.id, orgMembers.orgId))
    .where(and(eq(orgMembers.orgId, orgId), eq(orgMembers.userId, userId)))
  return row
}

/** Those of the users who are members of the organization. */
export async function membersOfOrg(db: Db | Tx, orgId: number, userIds: readonly number[]): Promise<Set<number>> {
  const rows = await db
    .select({ userId: orgMembers.userId })
    .from(orgMembers)
    .where(and(eq(orgMembers.orgId, orgId), isOneOf(orgMembers.userId, userIds)))
  return new Set(rows.map((row) => row.userId))
}

/** The members of the organization who are not members of the group, the earliest first. */
export async function orgMembersOutside(tx: Tx, orgId: number, groupId: number, limit: number): Promise<number[]> {
  const inGroup = tx
    .select({ userId: member.userId })
    .from(member)
    .where(and(eq(member.conversationId, groupId), eq(member.userId, orgMembers.userId), isNotNull(member.role)))
  const rows = await tx
    .select({ userId: orgMembers.userId })
    .from(orgMembers)
    .where(and(eq(orgMembers.orgId, orgId), notExists(inGroup)))
    .orderBy(asc(orgMembers.joinedAt), asc(orgMembers.userId))
    .limit(limit)
  return rows.map((row) => row.userId)
}

/** All groups of an organization, and how many of them follow it. */
export async function countOfOrg(tx: Tx, orgId: number): Promise<{ groups: number; following: number }> {
  const rows = await tx
    .select({ followsOrg: conversations.followsOrg, n: count() })
    .from(conversations)
    .where(and(eq(conversations.orgId, orgId), sql`org_id <> 0`))
    .groupBy(conversations.followsOrg)
  return {
    groups: rows.reduce((sum, row) => sum + row.n, 0),
    following: rows.find((row) => row.followsOrg)?.n ?? 0,
  }
}

export const groupsOfOrg = (tx: Tx, orgId: number): Promise<GroupRow[]> =>
  tx
    .select()
    .from(conversations)
    .where(and(eq(conversations.orgId, orgId), sql`org_id <> 0`))
    .orderBy(asc(conversations.id))

/** The groups of a user; with `orgId` those of that organization. */
export const groupsOf = (
  tx: Tx,
  userId: number,
  orgId?: number,
): Promise<{ group: GroupRow; role: GroupRole | null }[]> =>
  tx
    .select({ group: conversations, role: member.role })
    .from(member)
    .innerJoin(conversations, eq(conversations.id, member.conversationId))
    .where(
      and(
        eq(member.userId, userId),
        sql`role is not null`,
        orgId === undefined ? undefined : eq(conversations.orgId, orgId),
      ),
    )
    .orderBy(asc(conversations.id))

/** Those of the users who are in at least `limit` groups. */
export async function inManyGroups(tx: Tx, userIds: readonly number[], limit: number): Promise<number[]> {
  const rows = await tx
    .select({ userId: member.userId })
    .from(member)
    .where(and(isOneOf(member.userId, userIds), sql`role is not null`))
    .groupBy(member.userId)
    .having(sql`count(*) >= ${limit}`)
  return rows.map((row) => row.userId)
}

export async function countOwned(tx: Tx, userId: number): Promise<number> {
  const [row] = await tx
    .select({ n: count() })
    .from(member)
    .where(and(eq(member.userId, userId), eq(member.role, 'OWNER'), sql`role is not null`))
  return row!.n
}

/** The member count is 0 until members are added. */
export async function insertGroup(
  tx: Tx,
  group: Pick<GroupRow, 'name' | 'orgId' | 'followsOrg'>,
  now: number,
): Promise<GroupRow> {
  const [row] = await tx
    .insert(conversations)
    .values({ ...group, type: 'GROUP', memberCount: 0, createdAt: now, updatedAt: tx.stamp })
    .returning()
  return row!
}

export async function updateGroup(
  tx: Tx,
  id: number,
  change: Partial<
    Pick<GroupRow, 'name' | 'avatarFileId' | 'membersMentionAll' | 'membersPin' | 'orgId' | 'followsOrg'>
  >,
): Promise<GroupRow> {
  const [row] = await tx
    .update(conversations)
    .set({ ...change, updatedAt: updatedAtFor(conversations, change, tx.stamp) })
    .where(eq(conversations.id, id))
    .returning()
  return row!
}

/** Clears the pictures of those of the groups that have one of these files. Returns the ids of these groups. */
export async function clearAvatars(tx: Tx, ids: readonly number[], fileIds: readonly number[]): Promise<number[]> {
  const rows = await tx
    .update(conversations)
    .set({ avatarFileId: null, updatedAt: tx.stamp })
    .where(and(inArray(conversations.id, [...ids]), inArray(conversations.avatarFileId, [...fileIds])))
    .returning({ id: conversations.id })
  return rows.map((row) => row.id)
}

const lastNumber = prepared((db) => db.select({ last: chatNumbers.last }).from(chatNumbers))

/** The highest number that was taken. */
export const lastNumberOf = async (tx: Tx): Promise<number> => (await lastNumber(tx))[0]?.last ?? 0

/** Rows of one INSERT: few enough parameters for both databases. */
const ROWS_PER_INSERT = 100

/**
 * Makes users members. They see the messages above the highest number so far. Returns those who were not members before, in the order of
 * `userIds`. False if the group would have more than MAX_MEMBERS.
 */
export async function addMembers(
  tx: Tx,
  groupId: number,
  userIds: readonly number[],
  role: GroupRole,
  now: number,
): Promise<number[] | false> {
  const seen = await lastNumberOf(tx)
  const start = {
    role,
    joinedAt: tx.stamp,
    clearedUpTo: seen,
    joinedAfter: seen,
    leftAfter: null,
    unread: 0,
    mentionedAt: 0,
    lastMessageId: null,
    lastNumber: seen,
    sortAt: now,
    hidden: false,
    updatedAt: tx.stamp,
  }
  const added = new Set<number>()
  for (let i = 0; i < userIds.length; i += ROWS_PER_INSERT) {
    const rows = await tx
      .insert(member)
      .values(userIds.slice(i, i + ROWS_PER_INSERT).map((userId) => ({ conversationId: groupId, userId, ...start })))
      .onConflictDoUpdate({ target: [member.conversationId, member.userId], set: start, setWhere: isNull(member.role) })
      .returning({ userId: member.userId })
    for (const { userId } of rows) added.add(userId)
  }
  if (added.size > 0 && !(await changeCount(tx, groupId, added.size))) return false
  return userIds.filter((userId) => added.has(userId))
}

/** False if the group would have more than MAX_MEMBERS. */
async function changeCount(tx: Tx, groupId: number, by: number): Promise<boolean> {
  const after = sql<number>`${conversations.memberCount} + ${by}`
  const rows = await tx
    .update(conversations)
    .set({ memberCount: after })
    .where(and(eq(conversations.id, groupId), by > 0 ? lte(after, MAX_MEMBERS) : undefined))
    .returning({ id: conversations.id })
  return rows.length > 0
}

/** Ends the memberships of these users, or of all members. They keep the history up to the highest number so far. */
export async function endMemberships(tx: Tx, groupId: number, userIds?: readonly number[]): Promise<void> {
  const ended = await tx
    .update(member)
    .set({ role: null, leftAfter: await lastNumberOf(tx), ...NO_DRAFT, updatedAt: tx.stamp })
    .where(
      and(eq(member.conversationId, groupId), sql`role is not null`, userIds && inArray(member.userId, [...userIds])),
    )
    .returning({ userId: member.userId })
  if (ended.length > 0) await changeCount(tx, groupId, -ended.length)
}

/** The role of a member; null for former members and others. */
export async function roleOf(db: Db | Tx, groupId: number, userId: number): Promise<GroupRole | null> {
  const [row] = await db
    .select({ role: member.role })
    .from(member)
    .where(and(eq(member.conversationId, groupId), eq(member.userId, userId)))
  return row?.role ?? null
}

export async function setRole(tx: Tx, groupId: number, userId: number, role: GroupRole): Promise<void> {
  const change = { role }
  await tx
    .update(member)
    .set({ role, updatedAt: updatedAtFor(member, change, tx.stamp) })
    .where(and(eq(member.conversationId, groupId), eq(member.userId, userId), isNotNull(member.role)))
}

/** Who inherits a group without an owner: the administrator, or else the member, who has been in it longest. */
export async function findHeir(tx: Tx, groupId: number): Promise<number | undefined> {
  const [row] = await tx
    .select({ userId: member.userId })
    .from(member)
    .where(and(eq(member.conversationId, groupId), sql`role is not null`))
    .orderBy(desc(sql`case when ${member.role} = 'ADMIN' then 1 else 0 end`), asc(member.joinedAt), asc(member.userId))
    .limit(1)
  return row?.userId
}

export interface GroupMemberRow {
  readonly userId: number
  readonly role: GroupRole | null
  readonly joinedAt: number
}

const memberColumns = { userId: member.userId, role: member.role, joinedAt: member.joinedAt }

/** The earliest joined first. A group has few enough members for OFFSET. */
export function membersPage(db: Db, groupId: number, page: PageInput): Promise<Page<GroupMemberRow>> {
  const where = and(eq(member.conversationId, groupId), sql`role is not null`)
  return pageOfQuery(
    page,
    db.select(memberColumns).from(member).where(where).orderBy(asc(member.joinedAt), asc(member.userId)),
    db.select({ n: count() }).from(member).where(where),
  )
}

export async function findGroupMember(db: Db, groupId: number, userId: number): Promise<GroupMemberRow | undefined> {
  const [row] = await db
    .select(memberColumns)
    .from(member)
    .where(and(eq(member.conversationId, groupId), eq(member.userId, userId), isNotNull(member.role)))
  return row
}

/** The ids of all members. */
export async function memberIds(db: Db | Tx, groupId: number): Promise<number[]> {
  const rows = await db
    .select({ userId: member.userId })
    .from(member)
    .where(and(eq(member.conversationId, groupId), sql`role is not null`))
  return rows.map((row) => row.userId)
}
