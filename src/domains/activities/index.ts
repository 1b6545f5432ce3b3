/** Activities: the register, check-in, passes, registration and discovery. */

import { domain } from '#domains/domain.ts'

import { passKeyEndpoints } from './pass-keys/endpoints.ts'
import { rotationJob } from './pass-keys/service.ts'
import { activityEndpoints } from './register/endpoints.ts'
import { cancelActivities, mayRead } from './register/service.ts'
import { countOwned, hasActivities } from './register/store.ts'

export const activities = domain({
  name: 'activities',
  endpoints: [...activityEndpoints, ...passKeyEndpoints],
  jobs: [rotationJob],
  fileEntities: { ACTIVITY: mayRead },
  userContent: hasActivities,
  orgResources: [{ name: 'activities', count: countOwned }],
  on: {
    'user.deleting': (_ctx, tx, { userId }) => cancelActivities(tx, userId),
  },
})
