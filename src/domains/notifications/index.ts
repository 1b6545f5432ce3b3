/** Notifications in the app, created by other domains in their own writes and by administrators. */

import { domain } from '#domains/domain.ts'

import { notificationEndpoints } from './notifications.endpoints.ts'
import { helloUnread, publishCreated, pushCreated, stopPushing } from './notifications.listeners.ts'
import { cleanUpJob, removeNotifications, withdrawalJob } from './notifications.service.ts'
import { continueSends, sendJob, stopSends } from './sends/sends-worker.ts'
import { sendAdminEndpoints } from './sends/sends.admin.endpoints.ts'
import { sendEndpoints } from './sends/sends.endpoints.ts'

export const notifications = domain({
  name: 'notifications',
  endpoints: [...notificationEndpoints, ...sendEndpoints, ...sendAdminEndpoints],
  jobs: [sendJob, cleanUpJob, withdrawalJob],
  on: { 'notification.created': publishCreated },
  remains: removeNotifications,
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

export { addRecipients, notifyMembers, startMemberSend } from './sends/sends.service.ts'
export { type Notice, notify } from './notifications.service.ts'
export { countOnSubjects, unreadOnSubject } from './notifications.store.ts'
