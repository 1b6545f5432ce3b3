/** Parts that all lists of the console share. */

import { domain } from '#domains/domain.ts'

export const adminConsole = domain({ name: 'console', endpoints: [] })

export { keywordFilter, ownerFields, ownerFilters, OwnerView, timeFilters } from './model.ts'
export { consolePage, type Owned, type OwnedRow, ownersOf } from './service.ts'
export { type ConsoleList, usersByIds, within } from './store.ts'
