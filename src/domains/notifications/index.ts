/** Notifications in the app, created by other domains in their own writes and by administrators. */

import { domain } from '#domains/domain.ts'

import { notificationEndpoints } from './endpoints.ts'
import { sendEndpoints } from './sends/endpoints.ts'
import { continueSends, sendJob, stopSends } from './sends/worker.ts'
import { deleteAllOfUser } from './store.ts'

export const notifications = domain({
  name: 'notifications',
  endpoints: [...notificationEndpoints, ...sendEndpoints],
  jobs: [sendJob],
  on: { 'user.deleting': (_ctx, tx, { userId }) => deleteAllOfUser(tx, userId) },
  start: continueSends,
  stop: stopSends,
})

export { notifyMembers } from './sends/service.ts'
export { type Notice, notify } from './service.ts'
