/** Background work: ends uploads that expired, and deletes bytes that no row refers to. */

import type { Job } from '#domains/domain.ts'
import { DAY, MINUTE } from '#platform/clock.ts'

import { deleteOrphanBytes } from './bytes/service.ts'
import { expireUploads } from './uploads/service.ts'

export const jobs: readonly Job[] = [
  { name: 'files.expireUploads', every: 5 * MINUTE, run: expireUploads },
  { name: 'files.deleteOrphanBytes', every: DAY, run: async (ctx) => void (await deleteOrphanBytes(ctx)) },
]
