import { and, eq } from 'drizzle-orm'

import { isOneOf } from '#db/dialect.ts'
import { oidcMemberships } from '#db/schema/oidc.ts'
import type { Db, Tx } from '#db/store.ts'

/** The organizations whose membership this provider gave the user. */
export async function givenTo(db: Db | Tx, userId: number, providerId: number): Promise<number[]> {
  const rows = await db
    .select({ orgId: oidcMemberships.orgId })
    .from(oidcMemberships)
    .where(and(eq(oidcMemberships.userId, userId), eq(oidcMemberships.providerId, providerId)))
  return rows.map(({ orgId }) => orgId)
}

export async function insertGiven(tx: Tx, userId: number, orgId: number, providerId: number): Promise<void> {
  await tx.insert(oidcMemberships).values({ userId, orgId, providerId }).onConflictDoNothing()
}

/** These memberships have ended. */
export async function deleteGiven(tx: Tx, orgId: number, userIds: readonly number[]): Promise<void> {
  await tx
    .delete(oidcMemberships)
    .where(and(eq(oidcMemberships.orgId, orgId), isOneOf(oidcMemberships.userId, userIds)))
}

/** The memberships stay, and SYNC no longer ends them. */
export async function deleteGivenBy(tx: Tx, providerId: number): Promise<void> {
  await tx.delete(oidcMemberships).where(eq(oidcMemberships.providerId, providerId))
}
