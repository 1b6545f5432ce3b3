import { and, asc, count, desc, eq, gt, isNotNull, isNull, lte, or, type SQL } from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import { isAnyOf, isOneOf } from '#db/dialect.ts'
import { type Page, pageOf } from '#db/paging.ts'
import { activities } from '#db/schema/activities.ts'
import { activityInvitations as invitations } from '#db/schema/activity-invitations.ts'
import { deleteSome } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'

import { type InvitationState, PERSONAL_CODE_LENGTH } from '../visibility/personal-codes.rules.ts'
import type { InvitationRow } from '../visibility/personal-codes.store.ts'
import { normalizeInviteCode } from '../visibility/visibility.rules.ts'
import type { InvitationsQuery } from './invitations.model.ts'

/** Rows that one statement reads or inserts. */
const CHUNK = 200

export type NewInvitationRow = Omit<typeof invitations.$inferInsert, 'id' | 'createdAt'>

/** In their order. */
export async function insertInvitations(tx: Tx, rows: readonly NewInvitationRow[]): Promise<InvitationRow[]> {
  const inserted: InvitationRow[] = []
  for (let at = 0; at < rows.length; at += CHUNK) {
    const some = rows.slice(at, at + CHUNK).map((row) => ({ ...row, createdAt: tx.stamp }))
    inserted.push(...(await tx.insert(invitations).values(some).returning()))
  }
  return inserted.toSorted((a, b) => a.id - b.id)
}

export async function countInvitations(tx: Tx, activityId: number): Promise<number> {
  const [row] = await tx.select({ n: count() }).from(invitations).where(eq(invitations.activityId, activityId))
  return row!.n
}

const hasState = (state: InvitationState, now: number): SQL | undefined => {
  if (state === 'USED') return isNotNull(invitations.usedAt)
  const isUnused = isNull(invitations.usedAt)
  if (state === 'REVOKED') return and(isUnused, isNotNull(invitations.revokedAt))
  const isLive = and(isUnused, isNull(invitations.revokedAt))
  return state === 'EXPIRED'
    ? and(isLive, lte(invitations.expiresAt, now))
    : and(isLive, or(isNull(invitations.expiresAt), gt(invitations.expiresAt, now)))
}

/** Those of the addresses that have an OPEN invitation. */
export async function openAmong(
  tx: Tx,
  activityId: number,
  emails: readonly string[],
  now: number,
): Promise<ReadonlySet<string>> {
  const open = new Set<string>()
  for (let at = 0; at < emails.length; at += CHUNK) {
    const some = isOneOf(invitations.email, emails.slice(at, at + CHUNK))
    const rows = await tx
      .select({ email: invitations.email })
      .from(invitations)
      .where(and(eq(invitations.activityId, activityId), some, isNotNull(invitations.email), hasState('OPEN', now)))
    for (const { email } of rows) open.add(email!)
  }
  return open
}

/** Those that a request with this id has made, in their order. */
export const findByRequest = (
  tx: Tx,
  activityId: number,
  createdBy: number,
  requestId: string,
): Promise<InvitationRow[]> =>
  tx
    .select()
    .from(invitations)
    .where(
      and(
        eq(invitations.activityId, activityId),
        eq(invitations.createdBy, createdBy),
        eq(invitations.requestId, requestId),
        isNotNull(invitations.requestId),
      ),
    )
    .orderBy(asc(invitations.id))

/** Newest first. An activity has at most 20,000. */
export const invitationsPage = (
  db: Db,
  activityId: number,
  { state, keyword, ...page }: InvitationsQuery,
  now: number,
): Promise<Page<InvitationRow>> =>
  pageOf(db, invitations, {
    where: and(
      eq(invitations.activityId, activityId),
      state && hasState(state, now),
      keyword
        ? or(
            contains(invitations.email, keyword),
            contains(invitations.name, keyword),
            contains(invitations.code, normalizeInviteCode(keyword).slice(0, PERSONAL_CODE_LENGTH)),
          )
        : undefined,
    ),
    orderBy: [desc(invitations.id)],
    page,
  })

/** Of any activity. */
export async function findAnyInvitation(db: Db | Tx, id: number): Promise<InvitationRow | undefined> {
  return (await db.select().from(invitations).where(eq(invitations.id, id)))[0]
}

export async function updateInvitation(
  tx: Tx,
  id: number,
  change: Partial<Pick<InvitationRow, 'revokedAt' | 'mailState' | 'mailReason' | 'sentAt' | 'requestId'>>,
): Promise<InvitationRow> {
  const [row] = await tx.update(invitations).set(change).where(eq(invitations.id, id)).returning()
  return row!
}

/** The next activity, by id, with invitations that have addresses. */
export async function nextWithAddresses(db: Db, after: number) {
  const { id, endTime, endedAt, deletedAt, registration } = activities
  const [row] = await db
    .select({ id, endTime, endedAt, deletedAt, registration })
    .from(invitations)
    .innerJoin(activities, eq(activities.id, invitations.activityId))
    .where(and(gt(invitations.activityId, after), isNotNull(invitations.email).inlineParams()))
    .orderBy(asc(invitations.activityId))
    .limit(1)
  return row
}

/** Deletes the addresses, names and words of at most `limit` invitations of an activity. Returns their number. */
export async function eraseAddresses(tx: Tx, activityId: number, limit: number): Promise<number> {
  const some = tx
    .select({ id: invitations.id })
    .from(invitations)
    .where(and(eq(invitations.activityId, activityId), isNotNull(invitations.email)))
    .limit(limit)
  const erased = await tx
    .update(invitations)
    .set({ email: null, name: null, text: '' })
    .where(isAnyOf(invitations.id, some))
    .returning({ id: invitations.id })
  return erased.length
}

/** Deletes at most `limit` of an activity. Returns how many it deleted. */
export const removeInvitations = (tx: Tx, activityId: number, limit: number): Promise<number> =>
  deleteSome(tx, invitations, eq(invitations.activityId, activityId), limit)
