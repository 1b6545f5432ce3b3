/** Deletes the rows of deleted users in the tables of this domain: conflicts, receipts, mappings and devices among them. */

import type { AppContext } from '#context'
import { inSlices } from '#db/slices.ts'
import type { Job } from '#domains/domain.ts'
import { HOUR } from '#platform/clock.ts'

import { deletedUsers, deleteSomeOf } from './devices.store.ts'

const USERS = 100

const deleteAllOf = (ctx: AppContext, userId: number): Promise<void> =>
  inSlices(ctx, 'sync.deleteUser', async (tx, limit) => ((await deleteSomeOf(tx, userId, limit)) ? limit : 0))

/** Soon after the account is deleted. The job does the rest if the server stops meanwhile. */
export async function deleteOf(ctx: AppContext, userId: number): Promise<void> {
  try {
    await deleteAllOf(ctx, userId)
  } catch (error) {
    ctx.log.warn('rows of a deleted user could not be deleted', { userId, error })
  }
}

export const deletedUsersJob: Job = {
  name: 'sync.deleteUsers',
  every: HOUR,
  async run(ctx) {
    for (const userId of await deletedUsers(ctx.db.readInWorker, USERS)) await deleteAllOf(ctx, userId)
  },
}
