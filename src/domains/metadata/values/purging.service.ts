/**
 * Deletes the values of entities, users and organizations that were deleted permanently. They can have any number of values, so the
 * write that deletes them only notes it (`meta_purges`), and a job deletes the values in small writes. Until then nobody finds these
 * values, because nobody finds their entity.
 */

import type { AppContext } from '#context'
import type { OwnerKey } from '#db/owner-key.ts'
import { finishInSlices } from '#db/slices.ts'
import type { Tx } from '#db/store.ts'
import type { Job } from '#domains/domain.ts'
import { releaseFile } from '#domains/files/index.ts'
import { MINUTE } from '#platform/clock.ts'

import * as store from './purging.store.ts'
import { isFileField } from './values.rules.ts'

/** Deletes the values of entities that are deleted permanently. */
export async function purgeEntities(tx: Tx, objectName: string, ids: readonly number[]): Promise<void> {
  const found = await store.entitiesWithValues(tx, objectName, ids)
  await store.insertPurges(
    tx,
    found.map((target) => ({ objectName, target })),
  )
}

/** Deletes the values of everything that an owner has, and those in fields of the owner. */
export const purgeOwner = (tx: Tx, owner: OwnerKey): Promise<void> =>
  store.insertPurges(tx, [{ objectName: store.OWNER, target: owner }])

export const purgeValues = (ctx: AppContext): Promise<void> =>
  finishInSlices(ctx, 'metadata.purgeValues', {
    first: store.firstPurge,
    async work(tx, purge, limit) {
      const deleted = await store.deleteSome(tx, purge, limit)
      for (const row of deleted) if (isFileField(row)) await releaseFile(ctx, tx, row.number!)
      return deleted.length
    },
    end: store.deletePurge,
  })

export const purgeValuesJob: Job = { name: 'metadata.purgeValues', every: MINUTE, run: purgeValues }
