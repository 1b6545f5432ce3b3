import { eq } from 'drizzle-orm'

import { localAuthority } from '#db/schema/local-authority.ts'
import type { Db, Tx } from '#db/store.ts'

export type AuthorityRow = typeof localAuthority.$inferSelect
export type NewAuthority = Omit<AuthorityRow, 'id'>

const ID = 1

export const findAuthority = async (db: Db): Promise<AuthorityRow | undefined> =>
  (await db.select().from(localAuthority).where(eq(localAuthority.id, ID)))[0]

/** Does nothing if there is an authority: of several processes that start, one makes it. */
export async function insertAuthority(tx: Tx, authority: NewAuthority): Promise<void> {
  await tx
    .insert(localAuthority)
    .values({ id: ID, ...authority })
    .onConflictDoNothing()
    .returning({ id: localAuthority.id })
}

export async function replaceAuthority(tx: Tx, authority: NewAuthority): Promise<void> {
  await tx
    .insert(localAuthority)
    .values({ id: ID, ...authority })
    .onConflictDoUpdate({ target: localAuthority.id, set: authority })
    .returning({ id: localAuthority.id })
}
