/** Backups in the console, and their schedule. */

import { domain } from '#domains/domain.ts'
import { MINUTE } from '#platform/clock.ts'

import { backupEndpoints } from './backups.admin.endpoints.ts'
import { runSchedule, startBackups } from './backups.service.ts'
import { worker } from './backups.tasks.ts'

export const backups = domain({
  name: 'backups',
  endpoints: backupEndpoints,
  jobs: [{ name: 'backups.schedule', every: 5 * MINUTE, run: runSchedule }],
  start: startBackups,
  stop: (ctx) => worker(ctx).stop(),
})

export { backupHealth } from './backups.service.ts'
