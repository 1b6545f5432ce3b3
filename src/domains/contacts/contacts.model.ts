/** Shared by the parts of the domain: limits, budgets, and the fields by which other people are shown. */

import { getSetting } from '#domains/settings/index.ts'
import type { Budget, GuessLimit } from '#http/budget.ts'
import { Id, Line, Nullable, Text, Type } from '#http/schema.ts'
import { DAY, MINUTE } from '#platform/clock.ts'

/** For so long a user who was found by search or by a card may be named in requests and messages. */
export const LOOKUP_MS = DAY
/** For so long after a rejection the sender cannot ask the same person again. */
export const REJECTED_MS = DAY
/** Requests are deleted so long after they expire, whether or not they were answered. */
export const REQUESTS_KEPT_MS = 180 * DAY

export const MESSAGE_MAX = 200
export const REMARK_MAX = 50
export const MAX_TAGS = 20
export const TAG_MAX = 30

/** 80 random bits in the alphabet of organization codes. */
export const CARD_CODE_LENGTH = 16
export const CARD_PREFIX = 'user:'
export const WRONG_CODES: GuessLimit = { name: 'card code', wrong: 20, windowMs: MINUTE }

/** Requests that a user sends, including those that are accepted at once. Also counted if rates are not limited. */
export const REQUESTS: Budget = {
  name: 'contact requests',
  counts: { en: 'contact requests', zh: '联系人申请' },
  per: 'user',
  limit: { initial: 20, read: (ctx) => getSetting(ctx, 'chat.requestsPerDay') },
  windowMs: DAY,
  durable: true,
  countedByRun: true,
}

/** Another person, as everybody sees them. */
export const personFields = {
  userId: Id,
  nickname: Text('Lin Mei'),
  avatarUrl: Nullable(Text('https://example.com/mei.png')),
}
export const Signature = Nullable(Text('Paper, tiles and tea'))

export const Remark = Line(REMARK_MAX, 0, {
  description: 'Your own name for this person',
  examples: ['Mei from the library'],
})

export const CardCode = Line(64, 1, {
  description: 'With or without `user:`; case, spaces and dashes are ignored',
  examples: ['K7WPQ2MXA3BCDE45'],
})
export const ByContact = Type.Object({ contactId: Id })
