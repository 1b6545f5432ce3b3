import { keywordFilter, OwnerView, timeFilters } from '#domains/admin/index.ts'
import { Enum, Id, Model, Nullable, PageOf, PageQuery, Sort, type Static, Type } from '#http/schema.ts'

import { ApiKeyView } from '../api-keys.model.ts'

export const AdminKeysQuery = PageQuery({
  userId: Type.Optional(Id),
  orgId: Type.Optional({ ...Id, examples: [7] }),
  status: Type.Optional(Enum(['ACTIVE', 'ENDED'], { description: 'Whether the key is still taken' })),
  ...timeFilters,
  ...keywordFilter('name and first characters of the key, and the username and nickname of its owner'),
  sort: Sort(['createdAt']),
})
export type AdminKeysQuery = Static<typeof AdminKeysQuery>

export const AdminApiKeyView = Model('AdminApiKey', {
  ...ApiKeyView.properties,
  orgName: Nullable(Type.String({ examples: ['City library'] })),
  owner: OwnerView,
})
export type AdminApiKeyView = Static<typeof AdminApiKeyView>
export const AdminApiKeyPage = PageOf(AdminApiKeyView)
