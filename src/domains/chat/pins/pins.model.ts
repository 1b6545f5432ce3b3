import type { Budget } from '#http/budget.ts'
import { Model, Type } from '#http/schema.ts'
import { MINUTE } from '#platform/clock.ts'

import { Message } from '../messages/messages.model.ts'

/** Pinned messages of a conversation. */
export const MAX_PINS = 3
/** Each change is delivered to all members. */
export const PINS: Budget = {
  name: 'pins',
  counts: { en: 'pinned messages', zh: '消息置顶' },
  per: 'user',
  limit: 60,
  windowMs: MINUTE,
}

export const PinnedMessages = Model('PinnedMessages', {
  items: Type.Array(Message, { description: 'The latest pinned first' }),
})
