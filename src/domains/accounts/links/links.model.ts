import { LINK_STATUSES } from '#db/schema/accounts.ts'
import { Enum, Id, Line, Model, Nullable, OneOf, type Static, Text, Time, Type } from '#http/schema.ts'

import { Code, EMAIL_MAX, Password } from '../accounts.model.ts'

const byPassword = { verifyType: ['PASSWORD'], linkedUserId: true, password: true } as const
const byCode = { verifyType: ['PHONE_CODE', 'EMAIL_CODE'], credential: true, code: true } as const
export const LinkRequest = OneOf('LinkRequest', [byPassword, byCode], {
  verifyType: Enum(['PASSWORD', 'PHONE_CODE', 'EMAIL_CODE'], { default: 'PASSWORD' }),
  linkedUserId: Type.Optional(Nullable(Id)),
  password: Type.Optional(Nullable(Password)),
  credential: Type.Optional(
    Nullable(Line(EMAIL_MAX, 0, { description: 'Phone or e-mail of the other account', examples: ['13800138000'] })),
  ),
  code: Type.Optional(Nullable(Code)),
})
export type LinkRequest = Static<typeof LinkRequest>

export const LinkView = Model('AccountLink', {
  id: Id,
  ownerUserId: Type.Integer({ minimum: 1, description: 'The account that can switch' }),
  linkedUserId: Type.Integer({ minimum: 1, description: 'The account it can switch to' }),
  nickname: Type.String({ description: 'Nickname of the other account', examples: ['Chen Yu'] }),
  avatarUrl: Nullable(Text('https://example.com/yu.png')),
  status: Enum(LINK_STATUSES, {
    description:
      'PENDING: proposed by an administrator, and not accepted by the user of the linked account. It opens nothing',
    examples: ['ACTIVE'],
  }),
  createdAt: Time,
})
export type LinkView = Static<typeof LinkView>

export const Direction = Enum(['OUTGOING', 'INCOMING'], {
  default: 'OUTGOING',
  description:
    'OUTGOING: accounts that you can switch to; INCOMING: accounts that can switch to yours, or that could if you accept',
})

export const ByLink = Type.Object({ linkId: Id })
export const ByTarget = Type.Object({ targetUserId: Id })
