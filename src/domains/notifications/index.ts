/** Notifications in the app: from other domains, inside their own writes, and from administrators. */

import { domain } from '#domains/domain.ts'

import { notificationEndpoints } from './endpoints.ts'
import { continueSends, sendJob, stopSends } from './sends/runner.ts'
import { deleteAllOf } from './store.ts'

export const notifications = domain({
  name: 'notifications',
  endpoints: notificationEndpoints,
  jobs: [sendJob],
  on: { 'user.deleting': (_ctx, tx, { userId }) => deleteAllOf(tx, userId) },
  start: continueSends,
  stop: stopSends,
})

export { type Notice, notify } from './notify.ts'
