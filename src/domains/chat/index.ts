/** Chat: conversations, messages, groups and catching up. */

import { domain } from '#domains/domain.ts'

import { chatConsoleEndpoints } from './console/admin.endpoints.ts'
import { conversationEndpoints } from './conversations/endpoints.ts'
import { directConversation, hideDirect, isAcquainted } from './conversations/service.ts'
import { hasConversations, leaveDirect } from './conversations/store.ts'
import { socketHello, startFeed, stopFeed } from './feed/service.ts'
import { messageEndpoints } from './messages/endpoints.ts'
import { retentionJob, startPurging, stopPurging } from './retention/jobs.ts'
import { syncEndpoints } from './sync/endpoints.ts'

export const chat = domain({
  name: 'chat',
  endpoints: [...conversationEndpoints, ...messageEndpoints, ...syncEndpoints, ...chatConsoleEndpoints],
  jobs: [retentionJob],
  on: {
    'contact.deleted': (_ctx, tx, { userId, otherId }) => hideDirect(tx, userId, otherId),
    'user.deleting': (_ctx, tx, { userId }) => leaveDirect(tx, userId),
  },
  // Everyone else opens files by the messages that have them.
  fileEntities: { MESSAGE: async (_ctx, userId, _id, { uploaderId }) => uploaderId === userId },
  acquaintance: isAcquainted,
  directConversation,
  socketHello,
  userContent: hasConversations,
  async start(ctx) {
    startPurging(ctx)
    await startFeed(ctx)
  },
  async stop(ctx) {
    await stopPurging(ctx)
    await stopFeed(ctx)
  },
})
