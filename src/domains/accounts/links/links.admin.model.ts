import { LINK_STATUSES } from '#db/schema/accounts.ts'
import { keywordFilter, timeFilters } from '#domains/admin/index.ts'
import { Enum, Id, Model, PageOf, PageQuery, Sort, type Static, Text, Type } from '#http/schema.ts'

import { LinkView } from './links.model.ts'

export const AdminLinksQuery = PageQuery({
  userId: Type.Optional({ ...Id, description: 'A user on either side' }),
  status: Type.Optional(Enum(LINK_STATUSES)),
  ...timeFilters,
  ...keywordFilter('usernames and nicknames of both sides'),
  sort: Sort(['createdAt']),
})
export type AdminLinksQuery = Static<typeof AdminLinksQuery>

export const ProposeLink = Model('ProposeLink', {
  ownerUserId: { ...Id, description: 'The user who may switch' },
  linkedUserId: { ...Id, description: 'The account they may switch to', examples: [43] },
})
export type ProposeLink = Static<typeof ProposeLink>

export const AdminLinkView = Model('AdminAccountLink', {
  ...LinkView.properties,
  nickname: Type.String({ description: 'Nickname of the linked account', examples: ['Chen Yu'] }),
  ownerNickname: Text('Anna'),
})
export type AdminLinkView = Static<typeof AdminLinkView>
export const AdminLinkPage = PageOf(AdminLinkView)
