import { and, eq, lte } from 'drizzle-orm'

import { orgTransfers } from '#db/schema/orgs.ts'
import type { Tx } from '#db/store.ts'

/** Also finds an offer that has expired. */
export async function findOffer(tx: Tx, orgId: number) {
  return (await tx.select().from(orgTransfers).where(eq(orgTransfers.orgId, orgId)))[0]
}

/** False if the organization has an offer that is open at `now`. */
export async function insertOffer(
  tx: Tx,
  offer: { orgId: number; candidateId: number; expiresAt: number },
  now: number,
): Promise<boolean> {
  await tx.delete(orgTransfers).where(and(eq(orgTransfers.orgId, offer.orgId), lte(orgTransfers.expiresAt, now)))
  const rows = await tx
    .insert(orgTransfers)
    .values({ ...offer, createdAt: tx.stamp })
    .onConflictDoNothing()
    .returning({ orgId: orgTransfers.orgId })
  return rows.length > 0
}

/** Ends the organization's offer, if there is one and it is to `candidateId`. False if there is none. */
export async function deleteOffer(tx: Tx, orgId: number, candidateId?: number): Promise<boolean> {
  const isTo = candidateId === undefined ? undefined : eq(orgTransfers.candidateId, candidateId)
  const rows = await tx
    .delete(orgTransfers)
    .where(and(eq(orgTransfers.orgId, orgId), isTo))
    .returning({ orgId: orgTransfers.orgId })
  return rows.length > 0
}
