import type { Budget } from '#http/budget.ts'
import { Id, Raw, Type } from '#http/schema.ts'
import { MINUTE } from '#platform/clock.ts'

/** Different emoji of one message. */
export const MAX_EMOJI = 20
/** Each reaction is delivered to all members. */
export const REACTIONS: Budget = {
  name: 'reactions',
  counts: { en: 'reactions', zh: '表情回应' },
  per: 'user',
  limit: 60,
  windowMs: MINUTE,
}

export const ByEmoji = Type.Object({
  id: Id,
  emoji: Raw(64, 1, { description: 'One emoji, percent-encoded', examples: ['👍'] }),
})
