/** Removals: deleting what remains of users and organizations that were deleted, in small writes. */

import { domain } from '#domains/domain.ts'

import { removalJob, stopRemoving } from './removals.service.ts'

export const removals = domain({ name: 'removals', jobs: [removalJob], stop: stopRemoving })

export { removeRemains } from './removals.service.ts'
