/** Activities: the register, check-in, passes, registration and discovery. */

import { domain } from '#domains/domain.ts'

import { passKeyEndpoints } from './pass-keys/endpoints.ts'
import { rotationJob } from './pass-keys/service.ts'

export const activities = domain({
  name: 'activities',
  endpoints: [...passKeyEndpoints],
  jobs: [rotationJob],
})
