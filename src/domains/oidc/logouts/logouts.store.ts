import { lte } from 'drizzle-orm'

import { oidcLogoutTokens } from '#db/schema/oidc.ts'
import { deleteSome } from '#db/slices.ts'
import type { Tx } from '#db/store.ts'

/** False if the token was used before. */
export async function useToken(tx: Tx, hash: string, expiresAt: number): Promise<boolean> {
  const rows = await tx
    .insert(oidcLogoutTokens)
    .values({ hash, expiresAt })
    .onConflictDoNothing()
    .returning({ hash: oidcLogoutTokens.hash })
  return rows.length > 0
}

export const deleteExpiredTokens = (tx: Tx, now: number, limit: number): Promise<number> =>
  deleteSome(tx, oidcLogoutTokens, lte(oidcLogoutTokens.expiresAt, now), limit)
