import { and, asc, eq, exists, gt, inArray, isNull, lt, ne, or, type SQL, sql } from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import { isOneOf } from '#db/dialect.ts'
import { insertFrom, jsonRows } from '#db/json-rows.ts'
import { pagedTable } from '#db/lists.ts'
import { note } from '#db/notes.ts'
import { orgExists } from '#db/org-exists.ts'
import type { OwnerKey } from '#db/owner-key.ts'
import type { Page, PageInput } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { users } from '#db/schema/accounts.ts'
import { organizations, orgInvitations, orgJoinRequests, orgMembers } from '#db/schema/orgs.ts'
import { isAmongFirst } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'

export interface MemberRow {
  readonly orgId: number
  readonly userId: number
  /** The nickname in the organization, or the user's own if there is none. */
  readonly nickname: string
  readonly avatar: string | null
  readonly joinedAt: number
}

const p = sql.placeholder
/** Whether the organization of a member exists. */
const isInOrg = orgExists(orgMembers.orgId)
const shownNickname = sql<string>`coalesce(${orgMembers.nickname}, ${users.nickname})`
const memberColumns = {
  orgId: orgMembers.orgId,
  userId: orgMembers.userId,
  nickname: shownNickname.as('nickname'),
  avatar: users.avatar,
  joinedAt: orgMembers.joinedAt,
}

const anyPart = prepared((db) => {
  const userId = p('userId')
  const member = db
    .select({ id: orgMembers.orgId })
    .from(orgMembers)
    .where(and(eq(orgMembers.userId, userId), isInOrg))
  const request = db
    .select({ id: orgJoinRequests.id })
    .from(orgJoinRequests)
    .where(and(eq(orgJoinRequests.userId, userId), orgExists(orgJoinRequests.orgId)))
  return db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, userId), or(exists(member), exists(request))))
})

/** Whether the user is a member of an organization or asks to become one. */
export const takesPart = async (db: Db | Tx, userId: number): Promise<boolean> =>
  (await anyPart(db, { userId })).length > 0

/** SQL for `haveCommonOrganization`. */
export const inCommonOrganization = (userId: SQL, otherId: SQL): SQL =>
  // By the primary key, once for each organization of the first user.
  sql`exists (select 1 from ${orgMembers} as m where m.user_id = ${userId}
    and exists (select 1 from ${orgMembers} as o where o.org_id = m.org_id and o.user_id = ${otherId})
    and ${orgExists(sql.raw('m.org_id'))})`

const common = prepared((db) =>
  db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, p('userId')), inCommonOrganization(sql`${p('userId')}`, sql`${p('otherId')}`))),
)

/** Whether both users are members of one organization. */
export const haveCommonOrganization = async (db: Db | Tx, userId: number, otherId: number): Promise<boolean> =>
  (await common(db, { userId, otherId })).length > 0

const memberships = pagedTable(orgMembers, ['orgId', 'joinedAt', 'userId'])

/** Members in the order in which they joined. */
const members = memberships.list({
  owner: ['orgId'],
  total: 'org_members.org',
  orders: { joinedAt: ['joinedAt', 'userId'] },
  sort: 'joinedAt',
  select: (db) =>
    db.select(memberColumns).from(orgMembers).innerJoin(users, eq(users.id, orgMembers.userId)).$dynamic(),
})

export const membersPage = (db: Db, orgId: number, page: PageInput): Promise<Page<MemberRow>> =>
  members.page(db, { orgId }, page)

/** Members whose nickname in the organization contains the keyword. `db` is that of `Store.search`. */
export const searchMembers = (db: Db, orgId: number, page: PageInput, keyword: string): Promise<Page<MemberRow>> =>
  members.search(
    db,
    { orgId },
    page,
    or(contains(orgMembers.nickname, keyword), and(isNull(orgMembers.nickname), contains(users.nickname, keyword))),
  )

const memberById = prepared((db) =>
  db
    .select(memberColumns)
    .from(orgMembers)
    .innerJoin(users, eq(users.id, orgMembers.userId))
    .where(and(eq(orgMembers.orgId, p('orgId')), eq(orgMembers.userId, p('userId')), isInOrg)),
)

export const findMember = async (db: Db | Tx, orgId: number, userId: number): Promise<MemberRow | undefined> =>
  (await memberById(db, { orgId, userId }))[0]

const insert = prepared((db) =>
  db
    .insert(orgMembers)
    .values({ orgId: p('orgId'), userId: p('userId'), joinedAt: p('joinedAt') })
    .onConflictDoNothing()
    .returning(),
)

/** False if the user is already a member. The caller also increments the member count. */
export async function insertMember(tx: Tx, orgId: number, userId: number): Promise<boolean> {
  const [row] = await insert(tx, { orgId, userId, joinedAt: tx.stamp })
  if (row === undefined) return false
  memberships.inserted(tx, row)
  return true
}

const newMember = jsonRows('given', { orgId: 'int', userId: 'int', joinedAt: 'int' })
const insertMany = prepared((db) =>
  insertFrom(db, orgMembers, {
    rows: newMember.rows,
    orgId: newMember.orgId,
    userId: newMember.userId,
    joinedAt: newMember.joinedAt,
  })
    .onConflictDoNothing()
    .returning(),
)

/** Some hundred new members. Returns the users who were none before. The caller also counts them. */
export async function insertMembers(tx: Tx, orgId: number, userIds: readonly number[]): Promise<number[]> {
  const rows = await insertMany(tx, newMember.values(userIds.map((userId) => ({ orgId, userId, joinedAt: tx.stamp }))))
  for (const row of rows) memberships.inserted(tx, row)
  return rows.map(({ userId }) => userId)
}

const remove = prepared((db) =>
  db
    .delete(orgMembers)
    .where(and(eq(orgMembers.orgId, p('orgId')), eq(orgMembers.userId, p('userId')), isInOrg))
    .returning(),
)
const clearCurrent = prepared((db) =>
  db
    .update(users)
    .set({ currentOrgId: null })
    .where(and(eq(users.id, p('userId')), eq(users.currentOrgId, p('orgId')))),
)

/** False if the user is not a member. The caller also decrements the member count. */
export async function deleteMember(tx: Tx, orgId: number, userId: number): Promise<boolean> {
  const [row] = await remove(tx, { orgId, userId })
  if (row === undefined) return false
  memberships.deleted(tx, row)
  await clearCurrent(tx, { orgId, userId })
  return true
}

/** Deletes at most `limit` memberships of an organization that was dissolved. Returns the users. */
export async function deleteSomeMembers(tx: Tx, orgId: number, limit: number): Promise<number[]> {
  const rows = await tx
    .delete(orgMembers)
    .where(isAmongFirst(tx, orgMembers, { where: eq(orgMembers.orgId, orgId), limit }))
    .returning()
  for (const row of rows) memberships.deleted(tx, row)
  const userIds = rows.map(({ userId }) => userId)
  await tx
    .update(users)
    .set({ currentOrgId: null })
    .where(and(isOneOf(users.id, userIds), eq(users.currentOrgId, orgId)))
  return userIds
}

const incrementIf = (condition?: SQL) =>
  prepared((db) =>
    db
      .update(organizations)
      .set({ memberCount: sql`${organizations.memberCount} + 1` })
      .where(and(eq(organizations.id, p('id')), lt(organizations.memberCount, organizations.memberLimit), condition))
      .returning({ id: organizations.id }),
  )
const increment = incrementIf()
const incrementActive = incrementIf(eq(organizations.status, 'ACTIVE'))
const decrement = prepared((db) =>
  db
    .update(organizations)
    .set({ memberCount: sql`${organizations.memberCount} - 1` })
    .where(and(eq(organizations.id, p('id')), ne(organizations.ownerId, p('userId')), gt(organizations.memberCount, 0)))
    .returning({ id: organizations.id }),
)

/** False if the member limit is reached, or if the organization is missing or, unless `evenIfDisabled`, disabled. */
export const incrementMemberCount = async (tx: Tx, id: number, evenIfDisabled: boolean): Promise<boolean> =>
  (await (evenIfDisabled ? increment : incrementActive)(tx, { id })).length > 0

/** `userId`: the member who leaves. False if that is the owner. */
export const decrementMemberCount = async (tx: Tx, id: number, userId: number): Promise<boolean> =>
  (await decrement(tx, { id, userId })).length > 0

export async function setNickname(tx: Tx, orgId: number, userId: number, nickname: string | null): Promise<void> {
  await tx
    .update(orgMembers)
    .set({ nickname })
    .where(and(eq(orgMembers.orgId, orgId), eq(orgMembers.userId, userId)))
}

const deleteRequest = prepared((db) =>
  db.delete(orgJoinRequests).where(and(eq(orgJoinRequests.orgId, p('orgId')), eq(orgJoinRequests.userId, p('userId')))),
)
const acceptInvitation = prepared((db) =>
  db
    .update(orgInvitations)
    .set({ status: 'ACCEPTED', respondedAt: p('now') as never })
    .where(
      and(
        eq(orgInvitations.orgId, p('orgId')),
        eq(orgInvitations.inviteeId, p('userId')),
        eq(orgInvitations.status, 'PENDING'),
        sql`${orgInvitations.expiresAt} > ${p('at')}`,
      ),
    )
    .returning({ id: orgInvitations.id }),
)

/** Deletes the join request of a new member and marks an open invitation as accepted. `now` in epoch milliseconds. */
export async function closePending(tx: Tx, orgId: number, userId: number, now: number): Promise<void> {
  await deleteRequest(tx, { orgId, userId })
  const accepted = await acceptInvitation(tx, { orgId, userId, now, at: now })
  for (const { id } of accepted) note(tx, { type: 'invitation.answered', owner: orgId, id })
}

/** Ids of the organizations that a user is a member of. */
export async function orgIdsOf(db: Db | Tx, userId: number): Promise<number[]> {
  const rows = await db
    .select({ orgId: orgMembers.orgId })
    .from(orgMembers)
    .where(and(eq(orgMembers.userId, userId), isInOrg))
  return rows.map((row) => row.orgId)
}

/** Deletes all join requests of a user and cancels all pending invitations to them. `now` in epoch milliseconds. */
export async function cancelAllPending(tx: Tx, userId: number, now: number): Promise<void> {
  await tx.delete(orgJoinRequests).where(eq(orgJoinRequests.userId, userId))
  await tx
    .update(orgInvitations)
    .set({ status: 'CANCELLED', respondedAt: now })
    .where(and(eq(orgInvitations.inviteeId, userId), eq(orgInvitations.status, 'PENDING')))
}

const activeUser = prepared((db) =>
  db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, p('userId')), eq(users.status, 'ACTIVE'))),
)

/** Whether the user exists and is neither deleted nor disabled. */
export const isActiveUser = async (db: Db | Tx, userId: number): Promise<boolean> =>
  (await activeUser(db, { userId })).length > 0

export async function nicknameOf(db: Db | Tx, userId: number): Promise<string> {
  const [row] = await db.select({ nickname: users.nickname }).from(users).where(eq(users.id, userId))
  return row?.nickname ?? ''
}

/** User ids of at most `limit` members above `afterUserId`, ascending. */
export async function membersAfter(db: Db | Tx, orgId: number, afterUserId: number, limit: number): Promise<number[]> {
  const rows = await db
    .select({ userId: orgMembers.userId })
    .from(orgMembers)
    .where(and(eq(orgMembers.orgId, orgId), gt(orgMembers.userId, afterUserId), isInOrg))
    .orderBy(asc(orgMembers.userId))
    .limit(limit)
  return rows.map((row) => row.userId)
}

export interface FoundPerson {
  readonly id: number
  readonly nickname: string
  readonly usernameKey: string | null
}

/** The owner of personal things, or the members of an organization, among the users with these ids. */
export const peopleByIds = (db: Db | Tx, owner: OwnerKey, ids: readonly number[]): Promise<FoundPerson[]> =>
  people(db, owner, inArray(users.id, [...ids]))

/** The same among the users with one of these ids, usernames (in lower case) or nicknames. */
export const peopleByNames = (
  db: Db | Tx,
  owner: OwnerKey,
  by: {
    readonly ids: readonly number[]
    readonly usernameKeys: readonly string[]
    readonly nicknames: readonly string[]
  },
): Promise<FoundPerson[]> =>
  people(
    db,
    owner,
    or(
      inArray(users.id, [...by.ids]),
      inArray(users.usernameKey, [...by.usernameKeys]),
      inArray(owner < 0 ? sql`${users.nickname}` : shownNickname, [...by.nicknames]),
    ),
  )

const people = (db: Db | Tx, owner: OwnerKey, where: SQL | undefined): Promise<FoundPerson[]> =>
  owner < 0
    ? db
        .select({ id: users.id, nickname: users.nickname, usernameKey: users.usernameKey })
        .from(users)
        .where(and(eq(users.id, -owner), where))
    : db
        .select({ id: orgMembers.userId, nickname: memberColumns.nickname, usernameKey: users.usernameKey })
        .from(orgMembers)
        .innerJoin(users, eq(users.id, orgMembers.userId))
        .where(and(eq(orgMembers.orgId, owner), isInOrg, where))
