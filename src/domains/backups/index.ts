/** Backups in the console, and their schedule. */

import { domain } from '#domains/domain.ts'
import { MINUTE } from '#platform/clock.ts'

import { backupEndpoints } from './backups.admin.endpoints.ts'
import { runSchedule, startBackups } from './backups.service.ts'
import { worker } from './backups.tasks.ts'
import { directoryProblem } from './directory/directory.service.ts'
import { movingEndpoints } from './moving/moving.endpoints.ts'
import { restoreEndpoints } from './restores/restores.admin.endpoints.ts'
import { settleRestores } from './restores/restores.service.ts'
import { uploadEndpoints } from './uploads/uploads.admin.endpoints.ts'

export const backups = domain({
  name: 'backups',
  endpoints: [...backupEndpoints, ...uploadEndpoints, ...restoreEndpoints, ...movingEndpoints],
  jobs: [{ name: 'backups.schedule', every: 5 * MINUTE, run: runSchedule }],
  settingChecks: { 'backup.directory': (ctx, value) => directoryProblem(ctx, String(value)) },
  async start(ctx) {
    await startBackups(ctx)
    await settleRestores(ctx)
  },
  stop: (ctx) => worker(ctx).stop(),
})

export { backupHealth } from './backups.service.ts'
export { findTask } from './backups.store.ts'
