/** Health, version and metrics, for operators and monitoring tools. */

import { domain } from '#domains/domain.ts'

import { operationsEndpoints } from './endpoints.ts'

export const operations = domain({ name: 'operations', endpoints: operationsEndpoints })
