import { Model, type Static, Time, Type } from '#http/schema.ts'

export const MAX_HOURS = 72
export const DEFAULT_HOURS = 24

export const MakeResetCode = Model('MakeResetCode', {
  hours: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_HOURS,
      default: DEFAULT_HOURS,
      description: 'How long the code can be used',
    }),
  ),
})

export const ResetCode = Model('ResetCode', {
  code: Type.String({ description: 'Shown this once: only its hash is stored', examples: ['K7WP-Q2MX-9DRT-4HNB'] }),
  expiresAt: Time,
})
export type ResetCode = Static<typeof ResetCode>

export const SessionsEnded = Model('SessionsEnded', {
  ended: Type.Integer({ minimum: 0, description: 'Sessions that were active', examples: [3] }),
})
export type SessionsEnded = Static<typeof SessionsEnded>
