/** Chat: conversations, messages, groups and catching up. */

import { domain } from '#domains/domain.ts'

import { messageEndpoints } from './messages/endpoints.ts'
import { hasCardOf } from './messages/store.ts'

export const chat = domain({
  name: 'chat',
  endpoints: [...messageEndpoints],
  // Everyone else opens files by the messages that have them.
  fileEntities: { MESSAGE: async (_ctx, userId, _id, { uploaderId }) => uploaderId === userId },
  acquaintance: hasCardOf,
})
