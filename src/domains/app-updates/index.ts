/** Versions of the app: their packages, their publication, and the programs that may publish. */

import { domain } from '#domains/domain.ts'

import { appUpdateEndpoints } from './app-updates.endpoints.ts'

export const appUpdates = domain({ name: 'app-updates', endpoints: appUpdateEndpoints })

export { AppUpdateView } from './app-updates.model.ts'
export { findLatest, refusePublisherKey } from './app-updates.service.ts'
