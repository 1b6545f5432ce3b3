import type { PageInput } from '#db/paging.ts'
import { keywordFilter, OwnerView, timeFilters } from '#domains/admin/index.ts'
import { Id, Model, Nullable, PageOf, PageQuery, Sort, type Static, Time, Type } from '#http/schema.ts'

import {
  changeable,
  MemberLimit,
  OrgName,
  OrgResources,
  PendingTransfer,
  Policy,
  publicFields,
  Status,
  TimeZone,
  Visibility,
} from '../organizations/organizations.model.ts'

export const ByOrg = Type.Object({ orgId: Id })

export const AnyOrgsQuery = PageQuery({
  ...keywordFilter('name and organization code'),
  status: Type.Optional(Status),
  visibility: Type.Optional(Visibility),
  joinPolicy: Type.Optional(Policy),
  userId: Type.Optional({ ...Id, description: 'The owner' }),
  ...timeFilters,
  sort: Sort(['createdAt', 'name', 'memberCount']),
})
export type AnyOrgsQuery = Static<typeof AnyOrgsQuery>
export type OrgFilters = Omit<AnyOrgsQuery, keyof PageInput>

export const CreateAnyOrg = Model('CreateAnyOrganization', {
  name: OrgName,
  ownerId: { ...Id, description: 'The user who becomes the owner' },
  ...changeable,
})
export type CreateAnyOrg = Static<typeof CreateAnyOrg>

/** Only the fields present change; null clears description, avatar and time zone. */
export const UpdateAnyOrg = Model('UpdateAnyOrganization', {
  name: Type.Optional(OrgName),
  status: Type.Optional(Status),
  ...changeable,
})
export type UpdateAnyOrg = Static<typeof UpdateAnyOrg>

export const TransferAnyOrg = Model('TransferAnyOrganization', {
  userId: { ...Id, description: 'The new owner, who must be a member' },
})

const fields = {
  ...publicFields,
  status: Status,
  memberLimit: MemberLimit,
  timeZone: TimeZone,
  ownerId: Id,
  owner: OwnerView,
  pendingTransfer: Nullable({
    ...PendingTransfer,
    description: 'The open offer of ownership; null if there is none',
  }),
  updatedAt: Time,
}

export const AnyOrg = Model('AdminOrganization', fields)
export type AnyOrg = Static<typeof AnyOrg>
export const AnyOrgPage = PageOf(AnyOrg)

export const AnyOrgDetail = Model('AdminOrganizationDetail', { ...fields, resources: OrgResources })
export type AnyOrgDetail = Static<typeof AnyOrgDetail>
