import { Enum, Id, Model, Nullable, type Static, Text, Time, Type } from '#http/schema.ts'

export const PROVIDERS = ['PHONE', 'EMAIL', 'DEVICE'] as const

export const IdentityView = Model('Identity', {
  provider: Enum(PROVIDERS),
  credential: Type.String({
    description: 'Phone as E.164, e-mail, or the beginning of a device’s key',
    examples: ['lin@example.org'],
  }),
  verified: Type.Boolean(),
  createdAt: Time,
})

/** A person as they see themselves. */
export const UserView = Model('User', {
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
    description: 'A password is set, or a phone or e-mail is bound: the account survives the loss of its device',
  }),
  currentOrgId: Nullable(Id),
  createdAt: Time,
})
export type UserView = Static<typeof UserView>
