/** Health, version and metrics, for operators and monitoring tools. */

import { domain } from '#domains/domain.ts'

import { operationsEndpoints } from './operations.endpoints.ts'

export const operations = domain({ name: 'operations', endpoints: operationsEndpoints })
