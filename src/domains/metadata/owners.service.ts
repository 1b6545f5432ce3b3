/** Fields and templates of users and organizations that come to an end. */

import type { AppContext } from '#context'
import { inSlices } from '#db/slices.ts'

import { purgeSome, removedOwners } from './owners.store.ts'

const OWNERS_PER_QUERY = 100

/**
 * Deletes the fields and templates of removed owners in small writes. An owner with values that are not deleted yet is left to the next
 * run.
 */
export async function purgeRemovedOwners(ctx: AppContext): Promise<void> {
  let after = Number.MIN_SAFE_INTEGER
  for (;;) {
    const owners = await removedOwners(ctx.db.read, after, OWNERS_PER_QUERY)
    for (const owner of owners)
      await inSlices(ctx, 'metadata.purgeOwner', async (tx, limit) => ((await purgeSome(tx, owner)) ? limit : 0))
    if (owners.length < OWNERS_PER_QUERY || ctx.lifecycle.draining) return
    after = owners.at(-1)!
  }
}
