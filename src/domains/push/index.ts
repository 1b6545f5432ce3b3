/** Web Push and UnifiedPush: sends new messages and notifications to devices without a socket. */

import { domain } from '#domains/domain.ts'

import { pushAreas } from './own-data.store.ts'
import { startPush, stopPush, tellOfMessages, tellOfNotification } from './push-worker.ts'
import { pushEndpoints } from './push.endpoints.ts'
import { deleteOfSessions } from './push.store.ts'

export const push = domain({
  name: 'push',
  endpoints: pushEndpoints,
  on: {
    'session.ended': (_ctx, tx, { sessionIds }) => deleteOfSessions(tx, sessionIds),
    'messages.sent': tellOfMessages,
    'notification.created': tellOfNotification,
  },
  dataAreas: pushAreas,
  start: startPush,
  stop: stopPush,
})
