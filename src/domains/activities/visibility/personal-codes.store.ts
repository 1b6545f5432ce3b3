import { and, eq, gt, isNull, or, sql } from 'drizzle-orm'

import { prepared } from '#db/prepared.ts'
import { activityInvitations as invitations } from '#db/schema/activity-invitations.ts'
import type { Db, Tx } from '#db/store.ts'

const p = sql.placeholder

export type InvitationRow = typeof invitations.$inferSelect

const byCode = prepared((db) =>
  db
    .select()
    .from(invitations)
    .where(and(eq(invitations.activityId, p('activityId')), eq(invitations.code, p('code')))),
)
const byId = prepared((db) =>
  db
    .select()
    .from(invitations)
    .where(and(eq(invitations.id, p('id')), eq(invitations.activityId, p('activityId')))),
)

/** In any state. */
export const findByCode = async (db: Db | Tx, activityId: number, code: string): Promise<InvitationRow | undefined> =>
  (await byCode(db, { activityId, code }))[0]

export const findInvitation = async (db: Db | Tx, activityId: number, id: number): Promise<InvitationRow | undefined> =>
  (await byId(db, { activityId, id }))[0]

/** Whether the invitation was OPEN. It is USED then. */
export async function useInvitation(tx: Tx, id: number, now: number): Promise<boolean> {
  const isOpen = and(
    isNull(invitations.usedAt),
    isNull(invitations.revokedAt),
    or(isNull(invitations.expiresAt), gt(invitations.expiresAt, now)),
  )
  const used = await tx
    .update(invitations)
    .set({ usedAt: now })
    .where(and(eq(invitations.id, id), isOpen))
    .returning({ id: invitations.id })
  return used.length > 0
}

export const setUser = async (tx: Tx, id: number, usedBy: number): Promise<void> =>
  void (await tx.update(invitations).set({ usedBy }).where(eq(invitations.id, id)))

/** The first time counts. */
export const setOpened = async (tx: Tx, id: number): Promise<void> =>
  void (await tx
    .update(invitations)
    .set({ openedAt: tx.stamp })
    .where(and(eq(invitations.id, id), isNull(invitations.openedAt))))
