/** A person's data: exports of all of it, and the deletion of the content of deleted accounts. */

import { domain } from '#domains/domain.ts'
import { dropBytes } from '#domains/files/index.ts'
import { MINUTE } from '#platform/clock.ts'

import { beginErasure, eraseAll, stopErasing } from './erasures/erasures.service.ts'
import { exportAdminEndpoints } from './exports/exports.admin.endpoints.ts'
import { exportEndpoints } from './exports/exports.endpoints.ts'
import { deleteExportsOf } from './exports/exports.store.ts'
import { keepExports, resumeExports, stopExports } from './exports/running.service.ts'

export const ownData = domain({
  name: 'ownData',
  endpoints: [...exportEndpoints, ...exportAdminEndpoints],
  jobs: [
    { name: 'ownData.keepExports', every: MINUTE, run: keepExports },
    { name: 'ownData.erase', every: MINUTE, run: eraseAll },
  ],
  on: {
    async 'user.deleting'(ctx, tx, { userId, content }) {
      for (const blobId of await deleteExportsOf(tx, userId)) await dropBytes(ctx, tx, blobId)
      if (content === 'DELETE') await beginErasure(ctx, tx, userId)
    },
  },
  start: resumeExports,
  async stop(ctx) {
    await stopExports(ctx)
    await stopErasing(ctx)
  },
})
