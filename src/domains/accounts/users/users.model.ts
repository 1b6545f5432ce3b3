import { PROVIDERS } from '#db/schema/accounts.ts'
import { AGREEMENT_TYPES } from '#db/schema/agreements.ts'
import { AvatarFileId } from '#domains/files/index.ts'
import { Enum, Id, Line, Model, Named, Nullable, type Static, Text, Time, Type } from '#http/schema.ts'

import {
  CarrierToken,
  Code,
  Email,
  NewPassword,
  NICKNAME_MAX,
  Phone,
  SIGNATURE_MAX,
  Username,
} from '../accounts.model.ts'

export const IdentityView = Model('Identity', {
  provider: Enum(PROVIDERS),
  credential: Type.String({
    description: 'Phone in E.164, e-mail, or the first characters of a device’s key',
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
    description: 'A password is set, or a phone or e-mail is bound: the account survives the loss of its device',
  }),
  currentOrgId: Nullable(Id),
  createdAt: Time,
}

/** A user as they see themselves. */
export const UserView = Model('User', userFields)
export type UserView = Static<typeof UserView>

const PendingAgreement = Model('PendingAgreement', {
  type: Named('AgreementType', Enum(AGREEMENT_TYPES)),
  version: Type.Integer({ minimum: 1, examples: [1] }),
  title: Text('Terms of service'),
})

export const CurrentUser = Model('CurrentUser', {
  ...userFields,
  pendingAgreements: Type.Array(PendingAgreement, {
    description: 'Current agreements that you have not accepted yet. The server refuses nothing meanwhile.',
  }),
})
export type CurrentUser = Static<typeof CurrentUser>

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

export const ProfileChange = Model('UpdateProfile', {
  ...profileFields,
  avatarFileId: Type.Optional(Nullable(AvatarFileId)),
})
export type ProfileChange = Static<typeof ProfileChange>

export const SetUsername = Model('SetUsername', { username: Username })
export const FirstPassword = Model('SetPassword', { password: NewPassword })

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

const Count = Type.Integer({ minimum: 0 })
const Quota = (description: string) =>
  Type.Object({ used: Count, limit: Type.Integer({ minimum: 0, description: '0 = unlimited' }) }, { description })

export const QuotasQuery = Type.Object({ orgId: Type.Optional(Id) })
export const Quotas = Model('Quotas', {
  storage: Quota('Bytes of your own files'),
  files: Quota('Number of your own files'),
  qrCodes: Quota('Number of your own QR codes'),
  assets: Quota('Number of your own assets'),
  activities: Quota('Number of your own activities'),
  organizations: Quota('Number of organizations that you own'),
  uploadMaxBytes: Type.Integer({ minimum: 1 }),
  uploadTypes: Type.Array(Type.String({ examples: ['image/png'] })),
})
export type Quotas = Static<typeof Quotas>
