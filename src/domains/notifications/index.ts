/** What people are told in the app: by other domains in their own writes, and by administrators. */

import type { Job } from '#context'

import { sendJob } from './sends/runner.ts'

export { endpoints } from './endpoints.ts'
export { type Notice, notify } from './notify.ts'
export { type Notified, onNotification } from './listeners.ts'
export { type Organizations, registerOrganizations } from './sends/organizations.ts'
export { deleteAllOf } from './store.ts'
export { continueSends, stopSends } from './sends/runner.ts'

export const jobs: readonly Job[] = [sendJob]
