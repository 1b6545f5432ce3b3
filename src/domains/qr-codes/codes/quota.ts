import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { getSetting } from '#domains/settings/index.ts'
import { notFound } from '#http/errors.ts'

import type { Owner } from '../owner.ts'
import { quotaReached } from './errors.ts'
import { hasAtLeast, organizationExists } from './store.ts'

/** How many codes an owner may have; 0 = unlimited. Read before a write: nothing but the database is awaited inside one. */
export const quotaOf = (ctx: AppContext): number | Promise<number> => getSetting(ctx, 'quota.qrCodes')

/**
 * Refuses `adding` more codes when the owner would then have more than `quota`, or is an organization that is no more. What is in the
 * trash does not count, so restoring asks too. Inside a write it is exact: no other write comes between the look and the insert.
 */
export async function checkRoom(tx: Tx, owner: Owner, quota: number, adding: number): Promise<void> {
  // The gate looked before the write: the organization may have been dissolved since.
  if (owner.orgId !== 0 && !(await organizationExists(tx, owner.orgId))) throw notFound()
  if (quota > 0 && (await hasAtLeast(tx, owner, quota - adding + 1))) throw quotaReached(quota)
}
