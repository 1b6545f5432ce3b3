/**
 * Changes of assets that follow from a member who leaves or an organization that is dissolved. There can be any number of assets, so
 * the write that causes it changes the first ones, and a job the others.
 */

import type { AppContext } from '#context'
import { finishInSlices } from '#db/slices.ts'
import type { Tx } from '#db/store.ts'
import type { Job } from '#domains/domain.ts'
import { MINUTE } from '#platform/clock.ts'

import * as store from './clean-up.store.ts'
import { updateRows } from './register/register.store.ts'
import { recordTransfers } from './writing.service.ts'

/** Assets that one write changes: about 20 ms on SQLite. */
const ASSETS_PER_WRITE = 200

/** The organization's assets lose a member who left as their custodian. */
export async function endCustody(tx: Tx, orgId: number, userId: number): Promise<void> {
  if ((await clearCustodian(tx, orgId, userId, ASSETS_PER_WRITE)) === ASSETS_PER_WRITE)
    await store.insertCleanUp(tx, { owner: orgId, userId })
}

/** Returns how many assets it has changed. */
async function clearCustodian(tx: Tx, orgId: number, userId: number, limit: number): Promise<number> {
  const rows = await store.assetsInCustody(tx, orgId, userId, limit)
  const after = await updateRows(
    tx,
    rows.map((row) => ({ row, change: { custodianId: null } })),
  )
  const moved = rows
    .map((before, i) => ({ before, after: after[i]! }))
    .filter(({ before }) => before.deletedAt === null)
  await recordTransfers(tx, { userId }, moved, '')
  return rows.length
}

/** Deletes what remains of the deleted assets of an organization that is being dissolved. It has no others. */
export async function purgeOfOrg(tx: Tx, orgId: number): Promise<void> {
  await store.forgetNumbers(tx, orgId)
  if ((await store.purgeAssets(tx, orgId, ASSETS_PER_WRITE)) === ASSETS_PER_WRITE)
    await store.insertCleanUp(tx, { owner: orgId, userId: 0 })
}

export const cleanUp = (ctx: AppContext): Promise<void> =>
  finishInSlices(ctx, 'assets.cleanUp', {
    first: store.firstCleanUp,
    work: (tx, { owner, userId }, limit) =>
      userId === 0 ? store.purgeAssets(tx, owner, limit) : clearCustodian(tx, owner, userId, limit),
    end: store.deleteCleanUp,
  })

export const cleanUpJob: Job = { name: 'assets.cleanUp', every: MINUTE, run: cleanUp }
