/** The operation log: what administrators changed, who did it, and when. */

import { domain } from '#domains/domain.ts'

import { logEndpoints } from './endpoints.ts'

export const operationLog = domain({ name: 'operation-log', endpoints: logEndpoints })

export { type ChainFault, verifyChain } from './rules.ts'
export { loggedActor, signatureOf } from './service.ts'
