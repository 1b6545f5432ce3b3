import { and, eq, getTableColumns, sql } from 'drizzle-orm'

import { isOneOf } from '#db/dialect.ts'
import type { OwnerKey } from '#db/owner-key.ts'
import { prepared } from '#db/prepared.ts'
import { foundCards, type FoundKind } from '#db/schema/found.ts'
import { organizations, type OrgStatus } from '#db/schema/orgs.ts'
import { deleteSome } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'

type Row = typeof foundCards.$inferSelect
/** `orgStatus` is null for the card of a personal thing. */
export type CardRow = Row & { readonly orgStatus: OrgStatus | null }

const byThing = prepared((db) =>
  db
    .select({ ...getTableColumns(foundCards), orgStatus: organizations.status })
    .from(foundCards)
    .leftJoin(organizations, eq(organizations.id, foundCards.owner))
    .where(and(eq(foundCards.kind, sql.placeholder('kind')), eq(foundCards.targetId, sql.placeholder('targetId')))),
)

/** Undefined if the card of the thing was never changed. */
export const findCard = async (db: Db | Tx, kind: FoundKind, targetId: number): Promise<CardRow | undefined> =>
  (await byThing(db, { kind, targetId }))[0]

export async function saveCard(tx: Tx, card: Row): Promise<void> {
  await tx
    .insert(foundCards)
    .values(card)
    .onConflictDoUpdate({ target: [foundCards.kind, foundCards.targetId], set: card })
}

/** The card follows a thing to its new owner. */
export async function giveCard(tx: Tx, kind: FoundKind, targetId: number, owner: OwnerKey): Promise<void> {
  await tx
    .update(foundCards)
    .set({ owner })
    .where(and(eq(foundCards.kind, kind), eq(foundCards.targetId, targetId)))
}

/** Deletes at most `limit` cards of an owner. Returns how many. */
export const deleteCardsOf = (tx: Tx, owner: OwnerKey, limit: number): Promise<number> =>
  deleteSome(tx, foundCards, eq(foundCards.owner, owner), limit)

export async function deleteCards(tx: Tx, kind: FoundKind, ids: readonly number[]): Promise<void> {
  await tx.delete(foundCards).where(and(eq(foundCards.kind, kind), isOneOf(foundCards.targetId, ids)))
}
