import type { Budget } from '#http/budget.ts'
import { Deferred, Model, type Static, Type } from '#http/schema.ts'
import { MINUTE } from '#platform/clock.ts'

/** Each edit is delivered to all members. */
export const EDITS: Budget = {
  name: 'message-edits',
  counts: { en: 'edits of messages', zh: '消息编辑' },
  per: 'user',
  limit: 60,
  windowMs: MINUTE,
}

// A wrong content has a business code of its own, so the service checks it.
export const EditMessage = Model(
  'EditMessage',
  { examples: [{ content: { text: 'Yes' } }] },
  {
    content: Type.Optional(Deferred(Type.Unknown({ description: 'Of a TEXT: `text`, `mentions`? (ids of members)' }))),
  },
)
export type EditMessage = Static<typeof EditMessage>
