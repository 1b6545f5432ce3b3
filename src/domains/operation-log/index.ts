/** The operation log: what administrators changed, who did it, and when. */

import { domain } from '#domains/domain.ts'

import { logEndpoints } from './endpoints.ts'
import { retentionJob } from './retention/jobs.ts'
import { logWitness, signFirstHead } from './service.ts'

export const operationLog = domain({
  name: 'operation-log',
  endpoints: logEndpoints,
  jobs: [retentionJob],
  seed: signFirstHead,
  start: logWitness,
})

export { signaturesOf } from './rules.ts'
export { loggedActor } from './service.ts'
export { type LogReport, verifyLog, type Witness } from './verification/rules.ts'
