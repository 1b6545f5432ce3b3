/** Notifications in the app, created by other domains in their own writes and by administrators. */

import { domain } from '#domains/domain.ts'

import { composeAtOnce } from './mail/asset-mails.service.ts'
import { mailEndpoints } from './mail/mail.endpoints.ts'
import { removeChoices } from './mail/mail.service.ts'
import { deletePreferences } from './mail/mail.store.ts'
import { notificationEndpoints } from './notifications.endpoints.ts'
import { helloUnread, publishCreated, pushCreated, stopPushing } from './notifications.listeners.ts'
import { cleanUpJob, removeNotifications, withdrawalJob } from './notifications.service.ts'
import { notificationAreas } from './own-data.store.ts'
import { continueSends, sendJob, stopSends } from './sends/sends-worker.ts'
import { sendAdminEndpoints } from './sends/sends.admin.endpoints.ts'
import { sendEndpoints } from './sends/sends.endpoints.ts'

export const notifications = domain({
  name: 'notifications',
  endpoints: [...mailEndpoints, ...notificationEndpoints, ...sendEndpoints, ...sendAdminEndpoints],
  jobs: [sendJob, cleanUpJob, withdrawalJob],
  on: {
    'notification.created': publishCreated,
    'user.deleting': (_ctx, tx, { userId }) => deletePreferences(tx, userId),
  },
  remains: async (ctx, tx, owner, limit) => {
    const removed = await removeNotifications(ctx, tx, owner, limit)
    return removed < limit ? removed + (await removeChoices(ctx, tx, owner, limit - removed)) : removed
  },
  dataAreas: notificationAreas,
  composedMails: { ASSET_NOTICE: composeAtOnce },
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
export {
  assetMail,
  type AssetMailTarget,
  assetMailTargetAt,
  assetMailTargets,
  digestTimes,
  type DigestTime,
  digestTimesOf,
  hasAssetMails,
  spendAssetMails,
} from './mail/asset-mails.service.ts'
export type { Importance, MailRefusal } from './mail/mail.model.ts'
export {
  type Addressee,
  type MailTarget,
  mailTargetsOf,
  noInvitationsUrl,
  refusalsToInvite,
  refusalsToMail,
  unsubscribeUrl,
  zoneOfUser,
} from './mail/mail.service.ts'
export { type Notice, notify } from './notifications.service.ts'
export { countOnSubjects, unreadOnSubject } from './notifications.store.ts'
