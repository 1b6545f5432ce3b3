/** Chat: conversations, messages, groups and catching up. */

import { domain } from '#domains/domain.ts'

export const chat = domain({
  name: 'chat',
  endpoints: [],
})
