/** Synchronization of devices that work offline: pulls of changes, pushes of offline records, and their conflicts. */

import { domain } from '#domains/domain.ts'

import { conflictEndpoints } from './conflicts/conflicts.endpoints.ts'
import { oldPushesJobs } from './conflicts/conflicts.jobs.ts'
import { deviceEndpoints } from './devices/devices.endpoints.ts'
import { deletedUsersJob, deleteOf } from './devices/devices.jobs.ts'
import { flushDevices } from './devices/devices.service.ts'
import { syncAreas } from './own-data.store.ts'
import { pullEndpoints } from './pull/pull.endpoints.ts'
import { tombstonesJob } from './pull/pull.jobs.ts'
import { pushEndpoints } from './push/push.endpoints.ts'

export const sync = domain({
  name: 'sync',
  endpoints: [...pullEndpoints, ...pushEndpoints, ...conflictEndpoints, ...deviceEndpoints],
  jobs: [...oldPushesJobs, deletedUsersJob, tombstonesJob],
  on: { 'user.deleting': (ctx, tx, { userId }) => tx.afterCommit(() => void deleteOf(ctx, userId)) },
  dataAreas: syncAreas,
  stop: flushDevices,
})
