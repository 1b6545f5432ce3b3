import { Id, Model, type Static, Time, Type } from '#http/schema.ts'

const MAX_ASKED = 100

export const PresenceQuery = Type.Object({
  userIds: Type.Array(Id, {
    minItems: 1,
    maxItems: MAX_ASKED,
    uniqueItems: true,
    description: 'Separated by commas',
    examples: [[42]],
  }),
})
export type PresenceQuery = Static<typeof PresenceQuery>

const PersonPresence = Model('PersonPresence', {
  userId: Id,
  online: Type.Boolean({ description: 'Was here in the last two and a half minutes' }),
  lastSeenAt: { ...Time, description: 'To a minute' },
})

export const Presence = Model('Presence', {
  shared: Type.Boolean({ description: 'You have `presence` on. Otherwise nobody is in `items`' }),
  items: Type.Array(PersonPresence, { description: 'In no particular order. Users whom you may not see are left out' }),
})
export type Presence = Static<typeof Presence>
