import { keywordFilter, ownerFields, ownerFilters } from '#domains/admin/index.ts'
import { Id, Model, PageOf, PageQuery, Sort, type Static, Type } from '#http/schema.ts'

import { EntityType, ShareView } from '../shares.model.ts'

export const AdminSharesQuery = PageQuery({
  entityType: Type.Optional(EntityType),
  ...keywordFilter('the name of the copy'),
  ...ownerFilters,
  sort: Sort(['createdAt']),
})
export type AdminSharesQuery = Static<typeof AdminSharesQuery>

const { owner, orgName } = ownerFields
export const AdminShareView = Model('AdminShare', {
  ...ShareView.properties,
  owner: { ...owner, description: 'The user who shared it' },
  orgName,
})
export type AdminShareView = Static<typeof AdminShareView>
export const AdminSharePage = PageOf(AdminShareView)

export const ByShareId = Type.Object({ shareId: Id })
