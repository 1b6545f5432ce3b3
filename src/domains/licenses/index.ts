/** The licences of the software in the program. */

import { domain } from '#domains/domain.ts'

import { licensesEndpoints } from './licenses.endpoints.ts'

export const licenses = domain({ name: 'licenses', endpoints: licensesEndpoints })
