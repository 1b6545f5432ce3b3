/** The front page: what people see when they open the address of the server. */

import { domain } from '#domains/domain.ts'

import { frontEndpoints } from './front.endpoints.ts'

export const front = domain({ name: 'front', endpoints: frontEndpoints })
