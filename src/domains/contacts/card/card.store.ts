import { and, eq, sql } from 'drizzle-orm'

import { prepared } from '#db/prepared.ts'
import { users } from '#db/schema/accounts.ts'
import { contactProfiles } from '#db/schema/contacts.ts'
import type { Db, Tx } from '#db/store.ts'

export interface Card {
  readonly code: string
  readonly updatedAt: number
}

const toCard = (row: { cardCode: string | null; cardUpdatedAt: number | null } | undefined): Card | undefined =>
  row?.cardCode == null ? undefined : { code: row.cardCode, updatedAt: row.cardUpdatedAt! }

const columns = { cardCode: contactProfiles.cardCode, cardUpdatedAt: contactProfiles.cardUpdatedAt }

export async function findCard(db: Db | Tx, userId: number): Promise<Card | undefined> {
  const [row] = await db.select(columns).from(contactProfiles).where(eq(contactProfiles.userId, userId))
  return toCard(row)
}

/** Gives the user a card with this code, in place of the one that there may be. */
export async function replaceCard(tx: Tx, userId: number, { code, updatedAt }: Card): Promise<void> {
  const change = { cardCode: code, cardUpdatedAt: updatedAt }
  await tx
    .insert(contactProfiles)
    .values({ userId, ...change })
    .onConflictDoUpdate({ target: contactProfiles.userId, set: change })
}

const byCode = prepared((db) =>
  db
    .select({ userId: users.id })
    .from(contactProfiles)
    .innerJoin(users, eq(users.id, contactProfiles.userId))
    .where(and(eq(contactProfiles.cardCode, sql.placeholder('code')), eq(users.status, 'ACTIVE'))),
)

/** The id of the active user whose card has this code. */
export const findByCode = async (db: Db | Tx, code: string): Promise<number | undefined> =>
  (await byCode(db, { code }))[0]?.userId
