/** Versions of the app: their packages, their publication, and the programs that may publish. */

import { domain } from '#domains/domain.ts'

import { appUpdateEndpoints } from './endpoints.ts'

export const appUpdates = domain({ name: 'app-updates', endpoints: appUpdateEndpoints })

export { AppUpdateView } from './model.ts'
export { findLatest, refusePublisherKey } from './service.ts'
