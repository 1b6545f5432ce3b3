/** Health, version, metrics and parts of the server, for operators and monitoring tools, and the upkeep of the database. */

import { foldListChanges } from '#db/list-totals.ts'
import { domain } from '#domains/domain.ts'
import { servedHere } from '#http/tls.ts'
import { SECOND } from '#platform/clock.ts'

import { healthEndpoints } from './health/health.endpoints.ts'
import { metricsEndpoints } from './metrics.endpoints.ts'
import { operationsEndpoints } from './operations.endpoints.ts'
import { figuresOf } from './operations.service.ts'
import { answerOthers } from './others.service.ts'
import { serverLogEndpoints } from './server-log/server-log.endpoints.ts'
import type { ServerLogQuery } from './server-log/server-log.model.ts'
import { logForOthers } from './server-log/server-log.service.ts'
import { systemEndpoints } from './system/system.endpoints.ts'
import { successesHere } from './system/system.service.ts'

export const operations = domain({
  name: 'operations',
  endpoints: [
    ...healthEndpoints,
    ...metricsEndpoints,
    ...operationsEndpoints,
    ...serverLogEndpoints,
    ...systemEndpoints,
  ],
  jobs: [{ name: 'operations.foldListChanges', every: 10 * SECOND, run: foldListChanges }],
  start(ctx) {
    ctx.processes.report(() => figuresOf(ctx))
    answerOthers(ctx, {
      log: (filter: ServerLogQuery) => logForOthers(ctx, filter),
      jobs: () => successesHere(ctx),
      certificate: () => servedHere(ctx),
    })
  },
})

export { idOf, knownProcesses } from './operations.service.ts'
export { askOthers } from './others.service.ts'
