/** Health, version and metrics, for operators and monitoring tools. */

import { domain } from '#domains/domain.ts'

import { healthEndpoints } from './health/health.endpoints.ts'
import { metricsEndpoints } from './metrics.endpoints.ts'
import { operationsEndpoints } from './operations.endpoints.ts'

export const operations = domain({
  name: 'operations',
  endpoints: [...healthEndpoints, ...metricsEndpoints, ...operationsEndpoints],
})
