import { AGREEMENT_TYPES } from '#db/schema/agreements.ts'
import { AvatarFileId } from '#domains/files/index.ts'
import { Enum, Id, Model, Named, Nullable, type Static, Text, Type } from '#http/schema.ts'

import { NewPassword, Username } from '../accounts.model.ts'
import { profileFields, userFields } from '../users/users.model.ts'

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
  mailAvailable: Type.Boolean({ description: 'Whether this server has a mail server. Without one nobody gets mails' }),
})
export type CurrentUser = Static<typeof CurrentUser>

export const ProfileChange = Model('UpdateProfile', {
  ...profileFields,
  avatarFileId: Type.Optional(Nullable(AvatarFileId)),
})
export type ProfileChange = Static<typeof ProfileChange>

export const SetUsername = Model('SetUsername', { username: Username })
export const FirstPassword = Model('SetPassword', { password: NewPassword })

const Count = Type.Integer({ minimum: 0 })
const Quota = (description: string) =>
  Type.Object({ used: Count, limit: Type.Integer({ minimum: 0, description: '0 = unlimited' }) }, { description })

export const Content = Enum(['KEEP', 'DELETE'], {
  description:
    'DELETE: also what belongs to the user alone: QR codes with their links, trash, scan records, photos, files, assets, drafts, activities (live ones are ' +
    'cancelled first), login records. Nobody finds it from now on, and it is deleted within 24 hours. Messages and what organizations own stay',
  examples: ['KEEP'],
})
export const DeleteAccount = Model('DeleteAccount', { content: Type.Optional({ ...Content, default: 'KEEP' }) })
export type DeleteAccount = Static<typeof DeleteAccount>

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
  backupDays: Nullable(
    Type.Integer({
      minimum: 1,
      description: 'For how many days backups by schedule still have deleted data; null without a schedule',
    }),
  ),
})
export type Quotas = Static<typeof Quotas>
