import { eq, or } from 'drizzle-orm'

import { accountLinks } from '#db/schema/accounts.ts'
import type { Tx } from '#db/store.ts'

/** Deletes the account links by which others can switch to the user, and with `both` those by which the user can switch to others. */
export async function deleteLinks(tx: Tx, userId: number, which: 'both' | 'incoming'): Promise<void> {
  const incoming = eq(accountLinks.linkedUserId, userId)
  await tx.delete(accountLinks).where(which === 'both' ? or(eq(accountLinks.ownerUserId, userId), incoming) : incoming)
}
