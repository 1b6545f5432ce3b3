import { PROVIDERS } from '#db/schema/accounts.ts'
import { Enum, Id, Line, Model, Nullable, type Static, Text, Time, Type } from '#http/schema.ts'

import { CarrierToken, Code, Email, NICKNAME_MAX, Phone, SIGNATURE_MAX } from '../accounts.model.ts'

export const IdentityView = Model('Identity', {
  provider: Enum(PROVIDERS),
  credential: Type.String({
    description: 'Phone in E.164, e-mail, the first characters of a device’s key, or the name of an OpenID provider',
    examples: ['lin@example.org'],
  }),
  verified: Type.Boolean(),
  createdAt: Time,
})

/** Fields of a user that the user and administrators see. */
export const userFields = {
  id: Id,
  username: Nullable(Type.String({ examples: ['lin.mei'] })),
  nickname: Type.String({ examples: ['User204817'] }),
  signature: Nullable(Text('Paper, tiles and tea')),
  avatarUrl: Nullable(Text('https://example.com/mei.png')),
  email: Nullable(Type.String({ examples: ['lin@example.org'] })),
  phone: Nullable(Type.String({ examples: ['+8613800138000'] })),
  identities: Type.Array(IdentityView),
  hasPassword: Type.Boolean(),
  hasRecoverableCredential: Type.Boolean({
    description:
      'A password is set, a phone or e-mail is bound, or a provider is linked: the account survives the loss of its device',
  }),
  currentOrgId: Nullable(Id),
  createdAt: Time,
}

/** A user as they see themselves. */
export const UserView = Model('User', userFields)
export type UserView = Static<typeof UserView>

/** Fields of a profile that its user and administrators change. */
export const profileFields = {
  nickname: Type.Optional(
    Nullable(
      Line(NICKNAME_MAX, 0, {
        description: 'null leaves it unchanged, an empty string replaces it by a generated one',
        examples: ['Lin Mei'],
      }),
    ),
  ),
  signature: Type.Optional(
    Nullable(
      Line(SIGNATURE_MAX, 0, {
        description: 'null leaves it unchanged, an empty string clears it',
        examples: ['Paper, tiles and tea'],
      }),
    ),
  ),
  avatarUrl: Type.Optional(
    Nullable(
      Line(500, 0, {
        pattern: '^$|^https?://[^\\s"<>]+$|^/[^/\\s"<>][^\\s"<>]*$',
        description: 'http, https or a path on this server; null or an empty string clears it',
        examples: ['https://example.com/mei.png'],
      }),
    ),
  ),
}

export const PhoneBind = Model('PhoneBind', { phone: Phone, code: Code })
export const EmailBind = Model('EmailBind', { email: Email, code: Code })
export const MobileToken = Model('MobileToken', { token: CarrierToken })

export const Unbound = Model('UnbindResult', {
  hint: Nullable(
    Type.String({
      description: 'Advice to bind something, if only the device is left to sign in to the account',
      examples: ['Bind a phone or an e-mail, or set a password'],
    }),
  ),
  user: UserView,
})
export type Unbound = Static<typeof Unbound>
