/** The operation log: what administrators changed, who did it, and when. */

import { domain } from '#domains/domain.ts'

import { logEndpoints } from './operation-log.endpoints.ts'
import { logWitness, signFirstHead } from './operation-log.service.ts'
import { logAreas } from './own-data.store.ts'
import { retentionJob } from './retention.jobs.ts'

export const operationLog = domain({
  name: 'operation-log',
  endpoints: logEndpoints,
  jobs: [retentionJob],
  dataAreas: logAreas,
  seed: signFirstHead,
  start: logWitness,
})

export { signaturesOf } from './operation-log.rules.ts'
export { appendLog, IN_ORDER, loggedActor } from './operation-log.service.ts'
export { type LogReport, verifyLog, type Witness } from './verification.rules.ts'
