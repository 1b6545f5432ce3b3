import type { Budget } from '#http/budget.ts'
import { Id, Line, Model, type Static, Type } from '#http/schema.ts'
import { MINUTE } from '#platform/clock.ts'

import { Message } from '../messages/messages.model.ts'

export const SEARCHES: Budget = {
  name: 'message-searches',
  counts: { en: 'searches of messages', zh: '消息搜索' },
  per: 'user',
  limit: 60,
  windowMs: MINUTE,
}

export const SearchQuery = Type.Object({
  q: Line(100, 1, {
    description:
      'Words, all of which a message must contain; in Chinese, Japanese, Korean and Thai two characters or more',
    examples: ['会议 nine'],
  }),
  conversationId: Type.Optional({ ...Id, description: 'Only messages of this conversation' }),
  beforeId: Type.Optional({ ...Id, description: 'Only messages with a lower id: the last one of the page before' }),
  limit: Type.Integer({ minimum: 1, maximum: 50, default: 20 }),
})
export type SearchQuery = Static<typeof SearchQuery>

export const FoundMessages = Model('FoundMessages', { items: Type.Array(Message), hasMore: Type.Boolean() })
export type FoundMessages = Static<typeof FoundMessages>
