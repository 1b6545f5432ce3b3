import { and, asc, eq, gt, inArray, isNotNull, isNull, lte, sql } from 'drizzle-orm'

import { isOneOf } from '#db/dialect.ts'
import { note } from '#db/notes.ts'
import { orgExists } from '#db/org-exists.ts'
import { users } from '#db/schema/accounts.ts'
import { type InvitationStatus, type InviteMailState, organizations, orgInvitations } from '#db/schema/orgs.ts'
import { isAmongFirst } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'

export type InvitationRow = typeof orgInvitations.$inferSelect

/** Addresses of one statement. */
const AT_ONCE = 200

/** Marks invitations to these addresses as EXPIRED whose time is over: the unique index counts PENDING rows. */
async function markExpired(tx: Tx, orgId: number, emails: readonly string[], now: number): Promise<void> {
  await tx
    .update(orgInvitations)
    .set({ status: 'EXPIRED' })
    .where(
      and(
        eq(orgInvitations.orgId, orgId),
        isOneOf(orgInvitations.email, emails),
        eq(orgInvitations.status, 'PENDING'),
        lte(orgInvitations.expiresAt, now),
      ),
    )
}

export type NewInvitation = Pick<
  InvitationRow,
  'orgId' | 'inviterId' | 'tokenHash' | 'token' | 'language' | 'message' | 'roleId' | 'expiresAt'
> & { readonly email: string }

/** Of one organization, with different addresses. Returns the ids by address; those that have an open invitation are left out. */
export async function insertInvitations(
  tx: Tx,
  rows: readonly NewInvitation[],
  now: number,
): Promise<Map<string, number>> {
  const inserted = new Map<string, number>()
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    const some = rows.slice(at, at + AT_ONCE)
    const emails = some.map(({ email }) => email)
    await markExpired(tx, some[0]!.orgId, emails, now)
    const found = await tx
      .insert(orgInvitations)
      .values(some.map((row) => ({ ...row, mailState: 'WAITING' as const, createdAt: tx.stamp })))
      .onConflictDoNothing()
      .returning({ id: orgInvitations.id, email: orgInvitations.email })
    for (const { id, email } of found) inserted.set(email!, id)
  }
  return inserted
}

export async function deleteInvitations(tx: Tx, orgId: number, ids: readonly number[]): Promise<void> {
  for (let at = 0; at < ids.length; at += AT_ONCE)
    await tx
      .delete(orgInvitations)
      .where(and(eq(orgInvitations.orgId, orgId), isOneOf(orgInvitations.id, ids.slice(at, at + AT_ONCE))))
}

/** The mails of these invitations are in the outbox, which has the token from now on. */
export async function markQueued(tx: Tx, ids: readonly number[]): Promise<void> {
  for (let at = 0; at < ids.length; at += AT_ONCE)
    await tx
      .update(orgInvitations)
      .set({ mailState: 'QUEUED', token: null })
      .where(inArray(orgInvitations.id, ids.slice(at, at + AT_ONCE)))
}

const expiredIfOpen = sql<InvitationStatus>`case when ${orgInvitations.status} = 'PENDING' then 'EXPIRED' else ${orgInvitations.status} end`

export async function setMailState(tx: Tx, id: number, mailState: InviteMailState): Promise<void> {
  // An invitation that reached nobody must not keep the address from being invited again.
  await tx
    .update(orgInvitations)
    .set({ mailState, ...(mailState !== 'SENT' && { status: expiredIfOpen }) })
    .where(and(eq(orgInvitations.id, id), isNotNull(orgInvitations.email)))
}

const isWaiting = sql`${orgInvitations.mailState} = 'WAITING'`

/** The oldest invitations whose mails wait for the budget, at most `limit`. */
export const waitingInvitations = (db: Db | Tx, limit: number): Promise<InvitationRow[]> =>
  db.select().from(orgInvitations).where(isWaiting).orderBy(asc(orgInvitations.id)).limit(limit)

/** Ends at most `limit` waiting invitations that are closed, or were made before `before`. Returns how many. */
export async function giveUpWaiting(tx: Tx, before: number, limit: number): Promise<number> {
  const isOver = sql`(${orgInvitations.status} <> 'PENDING' or ${orgInvitations.createdAt} < ${before})`
  const rows = await tx
    .update(orgInvitations)
    .set({
      mailState: 'SKIPPED',
      token: null,
      status: expiredIfOpen,
    })
    .where(isAmongFirst(tx, orgInvitations, { where: and(isWaiting, isOver), limit }))
    .returning({ id: orgInvitations.id })
  return rows.length
}

export async function findById(db: Db | Tx, id: number): Promise<InvitationRow | undefined> {
  const [row] = await db.select().from(orgInvitations).where(eq(orgInvitations.id, id))
  return row
}

export interface OpenInvitation {
  readonly invitation: InvitationRow
  readonly org: typeof organizations.$inferSelect
  readonly inviter: string
}

/** The invitation of this token, whatever became of it. */
export async function findByToken(db: Db | Tx, tokenHash: string): Promise<OpenInvitation | undefined> {
  const [row] = await db
    .select({ invitation: orgInvitations, org: organizations, inviter: users.nickname })
    .from(orgInvitations)
    .innerJoin(organizations, eq(organizations.id, orgInvitations.orgId))
    .innerJoin(users, eq(users.id, orgInvitations.inviterId))
    .where(
      and(
        eq(orgInvitations.tokenHash, tokenHash),
        isNotNull(orgInvitations.tokenHash),
        orgExists(orgInvitations.orgId),
      ),
    )
  return row
}

/** Closes an open invitation by mail. True for exactly one of several callers. */
export async function closeByMail(
  tx: Tx,
  id: number,
  answer: { readonly status: 'ACCEPTED'; readonly inviteeId: number } | { readonly status: 'REJECTED' },
  now: number,
): Promise<boolean> {
  const rows = await tx
    .update(orgInvitations)
    .set({ ...answer, respondedAt: now })
    .where(and(eq(orgInvitations.id, id), eq(orgInvitations.status, 'PENDING'), gt(orgInvitations.expiresAt, now)))
    .returning({ orgId: orgInvitations.orgId })
  for (const { orgId } of rows) note(tx, { type: 'invitation.answered', owner: orgId, id })
  return rows.length > 0
}

/** Invitations by mail whose time was over at `before`. */
const isLongOver = (before: number) => and(isNotNull(orgInvitations.email), lte(orgInvitations.expiresAt, before))

/** Deletes at most `limit` invitations that nobody accepted and whose time was over at `before`. Returns how many. */
export async function deleteUnaccepted(tx: Tx, before: number, limit: number): Promise<number> {
  const where = and(isLongOver(before), isNull(orgInvitations.inviteeId))
  const rows = await tx
    .delete(orgInvitations)
    .where(isAmongFirst(tx, orgInvitations, { where, limit }))
    .returning({ id: orgInvitations.id })
  return rows.length
}

/** Deletes the addresses of at most `limit` invitations whose time was over at `before`. Returns how many. */
export async function forgetOldAddresses(tx: Tx, before: number, limit: number): Promise<number> {
  const rows = await tx
    .update(orgInvitations)
    .set({ email: null, message: '' })
    .where(isAmongFirst(tx, orgInvitations, { where: isLongOver(before), limit }))
    .returning({ id: orgInvitations.id })
  return rows.length
}

/** Deletes the addresses of invitations that the user accepted. */
export async function forgetAddresses(tx: Tx, userId: number): Promise<void> {
  await tx
    .update(orgInvitations)
    .set({ email: null, message: '' })
    .where(and(eq(orgInvitations.inviteeId, userId), isNotNull(orgInvitations.email)))
}
