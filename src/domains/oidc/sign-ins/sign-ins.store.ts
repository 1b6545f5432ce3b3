import { and, eq, gt, lt, lte, sql } from 'drizzle-orm'

import { oidcStates, oidcTickets } from '#db/schema/oidc.ts'
import { deleteSome } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'

export type StateRow = typeof oidcStates.$inferSelect
export type TicketRow = typeof oidcTickets.$inferSelect

const openState = (hash: string, now: number) => and(eq(oidcStates.hash, hash), gt(oidcStates.expiresAt, now))
const openTicket = (hash: string, now: number) => and(eq(oidcTickets.hash, hash), gt(oidcTickets.expiresAt, now))

export async function insertState(tx: Tx, state: StateRow): Promise<void> {
  await tx.insert(oidcStates).values(state)
}

export async function findState(db: Db, hash: string, now: number): Promise<StateRow | undefined> {
  return (await db.select().from(oidcStates).where(openState(hash, now)))[0]
}

/** Returned to exactly one of several callers. */
export async function takeState(tx: Tx, hash: string, now: number): Promise<StateRow | undefined> {
  return (await tx.delete(oidcStates).where(openState(hash, now)).returning())[0]
}

export async function insertTicket(tx: Tx, ticket: Omit<TicketRow, 'tries'>): Promise<void> {
  await tx.insert(oidcTickets).values(ticket)
}

export async function findTicket(db: Db, hash: string, now: number): Promise<TicketRow | undefined> {
  return (await db.select().from(oidcTickets).where(openTicket(hash, now)))[0]
}

/** Returned to exactly one of several callers. */
export async function takeTicket(tx: Tx, hash: string, now: number): Promise<TicketRow | undefined> {
  return (await tx.delete(oidcTickets).where(openTicket(hash, now)).returning())[0]
}

/**
 * A second factor is asked for: the ticket lives until `expiresAt`, and `cost` of its tries are used. False if it has fewer than that left of
 * `most`, or has ended.
 */
export async function countTry(
  tx: Tx,
  hash: string,
  { now, expiresAt, cost, most }: { now: number; expiresAt: number; cost: 0 | 1; most: number },
): Promise<boolean> {
  const rows = await tx
    .update(oidcTickets)
    .set({ tries: sql`${oidcTickets.tries} + ${cost}`, expiresAt })
    .where(and(openTicket(hash, now), lt(oidcTickets.tries, most)))
    .returning({ tries: oidcTickets.tries })
  return rows.length > 0
}

export async function deleteTicketsOf(tx: Tx, userId: number): Promise<void> {
  await tx.delete(oidcTickets).where(eq(oidcTickets.userId, userId))
}

export const deleteExpiredStates = (tx: Tx, now: number, limit: number): Promise<number> =>
  deleteSome(tx, oidcStates, lte(oidcStates.expiresAt, now), limit)
export const deleteExpiredTickets = (tx: Tx, now: number, limit: number): Promise<number> =>
  deleteSome(tx, oidcTickets, lte(oidcTickets.expiresAt, now), limit)
