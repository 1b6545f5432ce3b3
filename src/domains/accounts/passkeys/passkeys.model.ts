import { Enum, Id, Line, Model, Nullable, type Static, Text, Time, Type } from '#http/schema.ts'

import { NO_PASSKEYS } from '../accounts.errors.ts'
import { ChallengeId, PasskeyAssertion, PasskeyCreation } from '../assertions/assertions.model.ts'
import { deviceFields } from '../sessions/sessions.model.ts'

const NAME_MAX = 50
const name = { examples: ["Mei's phone"] }

export const PasskeyView = Model('Passkey', {
  id: Id,
  name: Text("Mei's phone"),
  createdAt: Time,
  lastUsedAt: Nullable({ ...Time, description: 'null: it was not used yet' }),
  backedUp: Type.Boolean({ description: 'Whether it is kept in an account of the maker too, for other devices' }),
  userVerified: Type.Boolean({ description: 'Whether it has ever asked for a PIN, a finger or a face' }),
  transports: Type.Array(Text('internal'), { description: 'How a browser reaches it' }),
  suspect: Type.Boolean({ description: 'There may be a copy of it: it opens nothing and can only be removed' }),
})
export type PasskeyView = Static<typeof PasskeyView>

const state = {
  items: Type.Array(PasskeyView, { description: 'Oldest first; at most 20' }),
  required: Type.Boolean({ description: 'Whether they are a second factor that every sign-in of yours asks for' }),
  available: Type.Boolean({ description: 'Whether this server can have passkeys' }),
  reason: Nullable(Enum(NO_PASSKEYS, { description: 'Why it cannot', examples: ['NEEDS_HTTPS'] })),
}
export const Passkeys = Model('Passkeys', state)
export type Passkeys = Static<typeof Passkeys>

export const RequiredPasskeys = Model('RequiredPasskeys', {
  ...state,
  recoveryCodes: Type.Optional(
    Type.Array(Text('h7kqm-3xwzp'), {
      description: 'Only if you had none. The server shows them only here: let the user write them down.',
    }),
  ),
})
export type RequiredPasskeys = Static<typeof RequiredPasskeys>

export const NewPasskey = Model('NewPasskey', {
  ...PasskeyCreation,
  challengeId: ChallengeId,
  name: Type.Optional(Nullable(Line(NAME_MAX, 0, { ...name, description: 'By default that of the device' }))),
})
export type NewPasskey = Static<typeof NewPasskey>

export const PasskeyChange = Model('PasskeyChange', { name: Line(NAME_MAX, 1, name) })

export const PasskeyRequirement = Model('PasskeyRequirement', { required: Type.Boolean({ examples: [false] }) })

export const ByPasskey = Type.Object({ id: Id })

export const PasskeyLogin = Model('PasskeyLogin', { ...PasskeyAssertion.properties, ...deviceFields })
export type PasskeyLogin = Static<typeof PasskeyLogin>
