/** Health, version and metrics: for the person who runs the server, and for monitoring. */

import { domain } from '#domains/domain.ts'

import { operationsEndpoints } from './endpoints.ts'

export const operations = domain({ name: 'operations', endpoints: operationsEndpoints })
