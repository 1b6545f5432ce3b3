/** Shapes of the activities of all owners, for administrators. */

import { ownerFields, ownerFilters } from '#domains/admin/index.ts'
import { Id, Line, Model, PageOf, PageQuery, Sort, type Static, Type } from '#http/schema.ts'

import {
  ActivityItem,
  ActivityStatusName,
  ActivityView,
  CreateActivity,
  OwnerType,
  UpdateActivity,
  Visibility,
} from '../register/register.model.ts'

export const ByActivity = Type.Object({ activityId: Id })

export const AdminListQuery = PageQuery({
  keyword: Type.Optional(
    Line(100, 0, { description: 'Searched for in name, description and location', examples: ['lake'] }),
  ),
  status: Type.Optional(ActivityStatusName),
  visibility: Type.Optional(Visibility),
  ownerType: Type.Optional(OwnerType),
  ownerId: Type.Optional({ ...Id, description: 'A user or an organization, or with `ownerType` one of both' }),
  ...ownerFilters,
  sort: Sort(['createdAt']),
})
export type AdminListQuery = Static<typeof AdminListQuery>

export const AdminActivityItem = Model('AdminActivityItem', { ...ActivityItem.properties, ...ownerFields })
export type AdminActivityItem = Static<typeof AdminActivityItem>
export const AdminActivityPage = PageOf(AdminActivityItem)

export const AdminActivityView = Model('AdminActivity', { ...ActivityView.properties, ...ownerFields })
export type AdminActivityView = Static<typeof AdminActivityView>

const { orgId: _, coverFileId: __, ...writable } = CreateActivity.properties
const coverFileId = {
  ...CreateActivity.properties.coverFileId,
  description: 'An unused upload of type `activity` for the same owner, by the user who created the activity',
}

export const AdminCreateActivity = Model('AdminCreateActivity', {
  ...writable,
  coverFileId,
  ownerType: OwnerType,
  ownerId: { ...Id, description: 'The user or the organization that the activity is for' },
})
export type AdminCreateActivity = Static<typeof AdminCreateActivity>

const { orgId: ___, ...changeable } = UpdateActivity.properties

export const AdminUpdateActivity = Model('AdminUpdateActivity', { ...changeable, coverFileId })
export type AdminUpdateActivity = Static<typeof AdminUpdateActivity>
