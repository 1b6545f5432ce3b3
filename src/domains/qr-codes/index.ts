/** QR codes, the categories they are sorted into, what was scanned, and the public pages and pictures of codes. */

import type { AppContext, Job } from '#context'
import type { AnyEndpoint } from '#http/endpoint.ts'

import { categoryEndpoints } from './categories/endpoints.ts'
import { codeEndpoints } from './codes/endpoints.ts'
import { countPersonal } from './list/store.ts'
import { publicEndpoints } from './public/endpoints.ts'
import { renderEndpoints } from './render/endpoints.ts'
import { scanEndpoints } from './scans/endpoints.ts'
import { purgeJob } from './trash/service.ts'
import { countLiveOfOrg, removeTrashOfOrg } from './trash/store.ts'

export const endpoints: readonly AnyEndpoint[] = [
  ...codeEndpoints,
  ...categoryEndpoints,
  ...scanEndpoints,
  ...publicEndpoints,
  ...renderEndpoints,
]
export const jobs: readonly Job[] = [purgeJob]

/** Writes what is only in memory; to be called before the database closes. */
export { flushScans as flush } from './public/scan-counter.ts'
/** Removes for good what has been in the trash for more than 30 days. */
export { purgeTrash } from './trash/service.ts'
/** How many codes of their own a user has, for `registerUsage` of the accounts domain. What is in the trash does not count. */
export const countCodes = (ctx: AppContext, userId: number): Promise<number> => countPersonal(ctx.db.read, userId)
/** What stands in the way of dissolving an organization, and what goes with it: for `registerResource` of the orgs domain. */
export const ofOrganization = { name: 'QR codes', count: countLiveOfOrg, purge: removeTrashOfOrg }
/** How other domains say what their contents (`org-join:…`) point to when they are scanned. */
export { registerResolver, type Resolver } from './scans/resolvers.ts'

/** Copies of people's codes that belong to an organization: for the shares domain. */
export { copyIntoOrg } from './codes/copy.ts'
export { quotaOf } from './codes/quota.ts'
export { removeOrgCode as removeOrgCopy } from './trash/store.ts'
