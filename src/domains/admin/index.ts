/** Parts that all lists of the console share, and operations about no domain in particular. */

import { domain } from '#domains/domain.ts'

import { markdownEndpoints } from './markdown.admin.endpoints.ts'
import { statisticsEndpoints } from './statistics/statistics.admin.endpoints.ts'

export const admin = domain({ name: 'admin', endpoints: [...statisticsEndpoints, ...markdownEndpoints] })

export { keywordFilter, ownerFields, ownerFilters, OwnerView, timeFilters } from './admin.model.ts'
export { adminPage, hasFilters, type Owned, type OwnedRow, ownersOf } from './admin.service.ts'
export { type AdminList, usersByIds, within } from './admin.store.ts'
