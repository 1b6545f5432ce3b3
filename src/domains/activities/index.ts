/** Activities: the register, check-in, passes, registration and discovery. */

import { domain } from '#domains/domain.ts'

export const activities = domain({
  name: 'activities',
  endpoints: [],
})
