/** Shapes of the check-ins of all activities, for administrators. */

import { keywordFilter, ownerFields, timeFilters } from '#domains/admin/index.ts'
import { Id, Model, Nullable, PageOf, PageQuery, Sort, type Static, Text, Type } from '#http/schema.ts'

import { CheckInView, Method } from './check-ins.model.ts'

export const ByRecord = Type.Object({ recordId: Id })

export const AdminRecordsQuery = PageQuery({
  ...keywordFilter('the nicknames of users and the names of activities'),
  activityId: Type.Optional(Id),
  method: Type.Optional(Method),
  userId: Type.Optional({ ...Id, description: 'The user who checked in' }),
  orgId: Type.Optional({ ...Id, description: 'The organization that owns the activity' }),
  ...timeFilters,
  sort: Sort(['createdAt']),
})
export type AdminRecordsQuery = Static<typeof AdminRecordsQuery>

export const AdminCheckIn = Model('AdminCheckIn', {
  ...CheckInView.properties,
  activityName: Text('Lake cleanup'),
  ...ownerFields,
  owner: Nullable({ ...ownerFields.owner, description: 'The user who checked in; null for a guest' }),
  orgId: { ...ownerFields.orgId, description: 'The organization that owns the activity' },
})
export type AdminCheckIn = Static<typeof AdminCheckIn>
export const AdminCheckInPage = PageOf(AdminCheckIn)
