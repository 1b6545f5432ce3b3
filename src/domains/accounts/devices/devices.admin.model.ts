import { SESSION_STATUSES } from '#db/schema/accounts.ts'
import { keywordFilter, timeFilters } from '#domains/admin/index.ts'
import { Enum, Id, Model, Nullable, PageOf, PageQuery, Sort, type Static, Text, Type } from '#http/schema.ts'

import { SessionView } from './devices.model.ts'

export const AdminSessionsQuery = PageQuery({
  userId: Type.Optional(Id),
  status: Enum(SESSION_STATUSES, { default: 'ACTIVE' }),
  ...timeFilters,
  ...keywordFilter('device name, IP address, city, and the username and nickname of the user'),
  sort: Sort(['createdAt']),
})
export type AdminSessionsQuery = Static<typeof AdminSessionsQuery>

export const AdminSessionView = Model('AdminSession', {
  ...SessionView.properties,
  deviceId: Type.String({
    description: 'The first characters of the key of the device, to tell devices apart',
    examples: ['9b1c6e0f…'],
  }),
  userId: Id,
  username: Nullable(Text('anna')),
  nickname: Text('Anna'),
  ipAddress: Type.String({ description: 'Where the user signed in from', examples: ['203.0.113.7'] }),
  city: Text('Hangzhou'),
  loginType: Text('login'),
})
export type AdminSessionView = Static<typeof AdminSessionView>
export const AdminSessionPage = PageOf(AdminSessionView)
