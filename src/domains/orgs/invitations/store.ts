import { and, count, desc, eq, gt, lte, or, type SQL, sql } from 'drizzle-orm'

import { type Page, type PageInput, plainPage } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { users } from '#db/schema/accounts.ts'
import { type InvitationStatus, organizations, orgInvitations } from '#db/schema/orgs.ts'
import type { Db, Tx } from '#db/store.ts'

export type InvitationRow = typeof orgInvitations.$inferSelect
export interface ShownInvitation {
  invitation: InvitationRow
  orgName: string
  orgAvatarUrl: string | null
  inviterNickname: string
  inviteeNickname: string
}

const p = sql.placeholder

/** A person's nickname, without joining `users` twice. */
const nicknameOf = (id: typeof orgInvitations.inviterId | typeof orgInvitations.inviteeId): SQL<string> =>
  sql<string>`(select who.nickname from ${users} as who where who.id = ${id})`

const shown = {
  invitation: orgInvitations,
  orgName: organizations.name,
  orgAvatarUrl: organizations.avatarUrl,
  inviterNickname: nicknameOf(orgInvitations.inviterId).as('inviter_nickname'),
  inviteeNickname: nicknameOf(orgInvitations.inviteeId).as('invitee_nickname'),
}

const isOpen = (now: number) => and(eq(orgInvitations.status, 'PENDING'), gt(orgInvitations.expiresAt, now))

function withStatus(status: InvitationStatus | undefined, now: number): SQL | undefined {
  if (status === undefined) return undefined
  if (status === 'PENDING') return isOpen(now)
  if (status !== 'EXPIRED') return eq(orgInvitations.status, status)
  return or(
    eq(orgInvitations.status, 'EXPIRED'),
    and(eq(orgInvitations.status, 'PENDING'), lte(orgInvitations.expiresAt, now)),
  )
}

const pageWhere = (db: Db, where: SQL | undefined, query: PageInput): Promise<Page<ShownInvitation>> =>
  plainPage(
    query,
    (limit, offset) =>
      db
        .select(shown)
        .from(orgInvitations)
        .innerJoin(organizations, eq(organizations.id, orgInvitations.orgId))
        .where(where)
        .orderBy(desc(orgInvitations.id))
        .limit(limit)
        .offset(offset),
    () => db.select({ n: count() }).from(orgInvitations).where(where),
  )

/** An organization's invitations, the newest first; `status` as it is at `now`. */
export const invitationsOfOrg = (
  db: Db,
  orgId: number,
  query: PageInput & { status?: InvitationStatus | undefined },
  now: number,
) => pageWhere(db, and(eq(orgInvitations.orgId, orgId), withStatus(query.status, now)), query)

/** What a user can still answer, the newest first. */
export const openInvitationsOf = (db: Db, userId: number, query: PageInput, now: number) =>
  pageWhere(db, and(eq(orgInvitations.inviteeId, userId), isOpen(now)), query)

export async function findInvitation(db: Db, id: number): Promise<ShownInvitation | undefined> {
  const [row] = await db
    .select(shown)
    .from(orgInvitations)
    .innerJoin(organizations, eq(organizations.id, orgInvitations.orgId))
    .where(eq(orgInvitations.id, id))
  return row
}

const one = prepared((db) =>
  db
    .select()
    .from(orgInvitations)
    .where(eq(orgInvitations.id, p('id'))),
)
export const rowOf = async (tx: Tx, id: number): Promise<InvitationRow | undefined> => (await one(tx, { id }))[0]

const expire = prepared((db) =>
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

/** Undefined when there is an open one. One that ended by itself makes room. */
export async function insertInvitation(
  tx: Tx,
  invitation: { orgId: number; inviterId: number; inviteeId: number; expiresAt: number },
  now: number,
): Promise<number | undefined> {
  await expire(tx, { orgId: invitation.orgId, inviteeId: invitation.inviteeId, now })
  const rows = await tx
    .insert(orgInvitations)
    .values({ ...invitation, createdAt: tx.stamp })
    .onConflictDoNothing()
    .returning({ id: orgInvitations.id })
  return rows[0]?.id
}

/** Settles an open invitation; false when it is not open at `now` (any more). `owner`: whose it must be. */
export async function settle(
  tx: Tx,
  id: number,
  owner: { inviteeId: number } | { orgId: number },
  status: 'ACCEPTED' | 'REJECTED' | 'CANCELLED',
  now: number,
): Promise<boolean> {
  const whose = 'orgId' in owner ? eq(orgInvitations.orgId, owner.orgId) : eq(orgInvitations.inviteeId, owner.inviteeId)
  const rows = await tx
    .update(orgInvitations)
    .set({ status, respondedAt: now })
    .where(and(eq(orgInvitations.id, id), whose, isOpen(now)))
    .returning({ id: orgInvitations.id })
  return rows.length > 0
}
