/**
 * Changes of assets that follow from a member who leaves or an organization that is dissolved. There can be any number of assets, so
 * the write that causes it changes the first ones, and a job the others.
 */

import type { AppContext } from '#context'
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
  if (await clearCustodian(tx, orgId, userId)) await store.insertCleanUp(tx, { owner: orgId, userId })
}

/** Returns whether there may be more. */
async function clearCustodian(tx: Tx, orgId: number, userId: number): Promise<boolean> {
  const rows = await store.assetsInCustody(tx, orgId, userId, ASSETS_PER_WRITE)
  const after = await updateRows(
    tx,
    rows.map((row) => ({ row, change: { custodianId: null } })),
  )
  const moved = rows
    .map((before, i) => ({ before, after: after[i]! }))
    .filter(({ before }) => before.deletedAt === null)
  await recordTransfers(tx, { userId }, moved, '')
  return rows.length === ASSETS_PER_WRITE
}

/** Deletes what remains of the deleted assets of an organization that is being dissolved. It has no others. */
export async function purgeOfOrg(tx: Tx, orgId: number): Promise<void> {
  await store.forgetNumbers(tx, orgId)
  if (await purge(tx, orgId)) await store.insertCleanUp(tx, { owner: orgId, userId: 0 })
}

const purge = async (tx: Tx, orgId: number): Promise<boolean> =>
  (await store.purgeAssets(tx, orgId, ASSETS_PER_WRITE)) === ASSETS_PER_WRITE

export async function cleanUp(ctx: AppContext): Promise<void> {
  for (;;) {
    const next = await store.firstCleanUp(ctx.db.read)
    if (next === undefined) return
    await ctx.db.write('assets.cleanUp', async (tx) => {
      const { owner, userId } = next
      const hasMore = userId === 0 ? await purge(tx, owner) : await clearCustodian(tx, owner, userId)
      if (!hasMore) await store.deleteCleanUp(tx, next)
    })
    await Bun.sleep(0)
  }
}

export const cleanUpJob: Job = { name: 'assets.cleanUp', every: MINUTE, run: cleanUp }
