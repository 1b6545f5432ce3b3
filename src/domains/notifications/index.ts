/** Notifications in the app, created by other domains in their own writes and by administrators. */

import { domain } from '#domains/domain.ts'

import { notificationEndpoints } from './endpoints.ts'
import { helloUnread, publishCreated, pushCreated, stopPushing } from './listeners.ts'
import { sendAdminEndpoints } from './sends/admin.endpoints.ts'
import { sendEndpoints } from './sends/endpoints.ts'
import { continueSends, sendJob, stopSends } from './sends/worker.ts'
import { cleanUpJob, deleteOfDeletedUser, withdrawalJob } from './service.ts'

export const notifications = domain({
  name: 'notifications',
  endpoints: [...notificationEndpoints, ...sendEndpoints, ...sendAdminEndpoints],
  jobs: [sendJob, cleanUpJob, withdrawalJob],
  on: {
    'user.deleting': (_ctx, tx, { userId }) => deleteOfDeletedUser(tx, userId),
    'notification.created': publishCreated,
  },
  socketHello: helloUnread,
  start(ctx) {
    pushCreated(ctx)
    continueSends(ctx)
  },
  async stop(ctx) {
    await stopSends(ctx)
    await stopPushing(ctx)
  },
})

export { notifyMembers } from './sends/service.ts'
export { type Notice, notify } from './service.ts'
export { countOnSubjects, unreadOnSubject } from './store.ts'
