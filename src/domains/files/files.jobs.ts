/** Background work: ends uploads that expired, and deletes bytes that no row refers to. */

import type { Job } from '#domains/domain.ts'
import { DAY, MINUTE } from '#platform/clock.ts'

import { deleteOrphanBytes } from './clean-up.service.ts'
import { isSettled } from './ownership.service.ts'
import { expireUploads } from './uploads/uploads.service.ts'

export const jobs: readonly Job[] = [
  { name: 'files.expireUploads', every: 5 * MINUTE, run: expireUploads },
  {
    name: 'files.deleteOrphanBytes',
    every: DAY,
    async run(ctx) {
      if (await isSettled(ctx)) await deleteOrphanBytes(ctx)
    },
  },
]
