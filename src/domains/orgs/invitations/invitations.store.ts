import { and, asc, count, desc, eq, gt, gte, inArray, lt, lte, ne, not, or, type SQL, sql } from 'drizzle-orm'

import { lowered } from '#db/dialect.ts'
import { note } from '#db/notes.ts'
import { orgExists } from '#db/org-exists.ts'
import { type Page, type PageInput, pageOfQuery } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { roles } from '#db/schema/access.ts'
import { users } from '#db/schema/accounts.ts'
import { type InvitationStatus, organizations, orgInvitations } from '#db/schema/orgs.ts'
import type { Db, Tx } from '#db/store.ts'
import { isReplaced } from '#domains/access/index.ts'

export type InvitationRow = typeof orgInvitations.$inferSelect
export interface InvitationWithNames {
  invitation: InvitationRow
  orgName: string
  orgAvatar: string | null
  inviterNickname: string
  inviteeNickname: string | null
  roleCode: string | null
  roleName: string | null
}

const p = sql.placeholder

/** A subquery instead of joining `users` twice. */
const nicknameOf = (id: typeof orgInvitations.inviterId | typeof orgInvitations.inviteeId): SQL<string | null> =>
  sql<string | null>`(select who.nickname from ${users} as who where who.id = ${id})`

const withNames = {
  invitation: orgInvitations,
  orgName: organizations.name,
  orgAvatar: organizations.avatar,
  inviterNickname: (nicknameOf(orgInvitations.inviterId) as SQL<string>).as('inviter_nickname'),
  inviteeNickname: nicknameOf(orgInvitations.inviteeId).as('invitee_nickname'),
  roleCode: roles.code,
  roleName: roles.name,
}
/** The role that was chosen, unless it was deleted. */
const chosenRole = and(eq(roles.id, orgInvitations.roleId), eq(roles.scopeId, orgInvitations.orgId), not(isReplaced))

const isOpen = (now: number) => and(eq(orgInvitations.status, 'PENDING'), gt(orgInvitations.expiresAt, now))

/** The rows that have this status at `now`: see `invitationStatusAt` in orgs.rules.ts. */
function hasStatus(status: InvitationStatus | undefined, now: number): SQL | undefined {
  if (status === undefined) return undefined
  if (status === 'PENDING') return isOpen(now)
  if (status !== 'EXPIRED') return eq(orgInvitations.status, status)
  return or(
    eq(orgInvitations.status, 'EXPIRED'),
    and(eq(orgInvitations.status, 'PENDING'), lte(orgInvitations.expiresAt, now)),
  )
}

const invitationsPage = (db: Db, where: SQL | undefined, page: PageInput): Promise<Page<InvitationWithNames>> =>
  pageOfQuery(
    page,
    db
      .select(withNames)
      .from(orgInvitations)
      .innerJoin(organizations, eq(organizations.id, orgInvitations.orgId))
      .leftJoin(roles, chosenRole)
      .where(where)
      .orderBy(desc(orgInvitations.id)),
    db.select({ n: count() }).from(orgInvitations).where(where),
  )

/** The invitations of an organization, the newest first. `status` is the one they have at `now`. */
export const invitationsOfOrg = (
  db: Db,
  orgId: number,
  query: PageInput & { status?: InvitationStatus | undefined },
  now: number,
) => invitationsPage(db, and(eq(orgInvitations.orgId, orgId), hasStatus(query.status, now)), query)

/** The invitations that a user can still answer, the newest first. */
export const openInvitationsOfUser = (db: Db, userId: number, query: PageInput, now: number) =>
  invitationsPage(db, and(eq(orgInvitations.inviteeId, userId), isOpen(now), orgExists(orgInvitations.orgId)), query)

export async function findInvitation(db: Db | Tx, id: number): Promise<InvitationWithNames | undefined> {
  const [row] = await db
    .select(withNames)
    .from(orgInvitations)
    .innerJoin(organizations, eq(organizations.id, orgInvitations.orgId))
    .leftJoin(roles, chosenRole)
    .where(eq(orgInvitations.id, id))
  return row
}

const rowById = prepared((db) =>
  db
    .select()
    .from(orgInvitations)
    .where(and(eq(orgInvitations.id, p('id')), orgExists(orgInvitations.orgId))),
)
export const findInvitationRow = async (tx: Tx, id: number): Promise<InvitationRow | undefined> =>
  (await rowById(tx, { id }))[0]

const markExpired = prepared((db) =>
  db
    .update(orgInvitations)
    .set({ status: 'EXPIRED' })
    .where(
      and(
        eq(orgInvitations.orgId, p('orgId')),
        eq(orgInvitations.inviteeId, p('inviteeId')),
        eq(orgInvitations.status, 'PENDING'),
        lte(orgInvitations.expiresAt, p('now')),
      ),
    ),
)

/** Returns the id of the new invitation, or undefined if the invitee has an open one from this organization. */
export async function insertInvitation(
  tx: Tx,
  invitation: { orgId: number; inviterId: number; inviteeId: number; expiresAt: number; roleId: number | null },
  now: number,
): Promise<number | undefined> {
  // The unique index counts PENDING rows, also those that have expired meanwhile.
  await markExpired(tx, { orgId: invitation.orgId, inviteeId: invitation.inviteeId, now })
  const rows = await tx
    .insert(orgInvitations)
    .values({ ...invitation, createdAt: tx.stamp })
    .onConflictDoNothing()
    .returning({ id: orgInvitations.id })
  return rows[0]?.id
}

/** Closes an invitation of that invitee or organization. False if it is not open at `now`. */
export async function closeInvitation(
  tx: Tx,
  id: number,
  owner: { inviteeId: number } | { orgId: number },
  status: 'ACCEPTED' | 'REJECTED' | 'CANCELLED',
  now: number,
): Promise<boolean> {
  const ownedBy =
    'orgId' in owner ? eq(orgInvitations.orgId, owner.orgId) : eq(orgInvitations.inviteeId, owner.inviteeId)
  const rows = await tx
    .update(orgInvitations)
    .set({ status, respondedAt: now })
    .where(and(eq(orgInvitations.id, id), ownedBy, isOpen(now)))
    .returning({ id: orgInvitations.id, orgId: orgInvitations.orgId })
  if (status !== 'CANCELLED') for (const { orgId } of rows) note(tx, { type: 'invitation.answered', owner: orgId, id })
  return rows.length > 0
}

interface FoundUser {
  id: number
  nickname: string
  avatar: string | null
}
const publicColumns = { id: users.id, nickname: users.nickname, avatar: users.avatar }
const isActive = eq(users.status, 'ACTIVE')
const isOther = and(isActive, ne(users.id, p('callerId')))

/** Upper bound of a prefix search: `prefix + LAST_CHARACTER` sorts after every string that starts with `prefix`. */
const LAST_CHARACTER = '\u{10ffff}'

const byNickname = prepared((db) =>
  db
    .select(publicColumns)
    .from(users)
    .where(
      and(
        gte(lowered(users.nickname), sql`lower(${p('from')})`),
        lt(lowered(users.nickname), sql`lower(${p('to')})`),
        isOther,
      ),
    )
    .orderBy(lowered(users.nickname), asc(users.id))
    .limit(p('limit')),
)
const byUsername = prepared((db) =>
  db
    .select(publicColumns)
    .from(users)
    .where(and(eq(users.usernameKey, p('key')), isOther)),
)
const byId = prepared((db) =>
  db
    .select(publicColumns)
    .from(users)
    .where(and(eq(users.id, p('userId')), isOther)),
)

/**
 * Active users other than the caller: `contactOf`, the user found by their contact, and those whose nickname starts with `q` or
 * whose whole username is `q`. Case is ignored. Each of the three queries uses an index.
 */
export async function searchUsers(
  db: Db,
  callerId: number,
  { q, contactOf, limit }: { q: string; contactOf: number | undefined; limit: number },
): Promise<FoundUser[]> {
  const found = [
    ...(await byUsername(db, { key: q.toLowerCase(), callerId })),
    ...(contactOf === undefined ? [] : await byId(db, { userId: contactOf, callerId })),
    ...(await byNickname(db, { from: q, to: q + LAST_CHARACTER, callerId, limit })),
  ]
  return [...new Map(found.map((user) => [user.id, user])).values()].slice(0, limit)
}

/** Those of `ids` that are active users. */
export async function activeUserIds(db: Db, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const rows = await db
    .select({ id: users.id })
    .from(users)
    .where(and(inArray(users.id, [...ids]), isActive))
  return new Set(rows.map((row) => row.id))
}
