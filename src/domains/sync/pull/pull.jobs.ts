/** Deletes tombstones that no client needs, and those of owners that have too many. */

import type { AppContext } from '#context'
import type { OwnerKey } from '#db/owner-key.ts'
import { inSlices } from '#db/slices.ts'
import type { Job } from '#domains/domain.ts'
import { DAY, HOUR } from '#platform/clock.ts'

import { KEPT_MS } from '../sync.rules.ts'
import * as store from './pull.store.ts'

/** Tombstones of one owner. Clients of owners with more must pull everything again if they are behind the oldest that are left. */
const MAX_TOMBSTONES = 100_000
/** Tombstones are kept a little longer than promised, because a pull that has found its client up to date may still be reading them. */
const GRACE_MS = DAY

export async function deleteTombstones(ctx: AppContext, max = MAX_TOMBSTONES): Promise<void> {
  const before = ctx.clock.now() - KEPT_MS - GRACE_MS
  const deleteAll = (which: { readonly owner?: OwnerKey; readonly before: number }) =>
    inSlices(ctx, 'sync.deleteTombstones', (tx, limit) => store.deleteSomeTombstones(tx, which, limit))
  await deleteAll({ before })
  await ctx.db.write('sync.deleteHorizons', (tx) => store.deleteHorizons(tx, before))
  // Of the last run: a pull that has read the horizons before it has ended since.
  for (const { owner, stamp } of await store.horizonsAfter(ctx.db.read, 0))
    await deleteAll({ owner, before: stamp + 1 })
  for (const { owner, n } of await store.ownersWithMany(ctx.db.readInWorker, max)) {
    const stamp = await store.stampAt(ctx.db.readInWorker, owner, n - max)
    if (stamp !== undefined) await ctx.db.write('sync.saveHorizon', (tx) => store.saveHorizon(tx, owner, stamp))
  }
}

export const tombstonesJob: Job = {
  name: 'sync.deleteTombstones',
  every: 6 * HOUR,
  run: (ctx) => deleteTombstones(ctx),
}
