/** People: how they sign in, their sessions and devices, what they say about themselves, and the first administrator. */
import type { AnyEndpoint } from '../../http/endpoint.ts'
import { deviceEndpoints } from './devices/endpoints.ts'
import { loginRecordEndpoints } from './login-records/endpoints.ts'
import { loginEndpoints } from './logins/endpoints.ts'
import { profileEndpoints } from './profile/endpoints.ts'
import { sessionEndpoints } from './sessions/endpoints.ts'
import { setupEndpoints } from './setup/endpoints.ts'

export const endpoints: readonly AnyEndpoint[] = [
  ...loginEndpoints,
  ...profileEndpoints,
  ...sessionEndpoints,
  ...deviceEndpoints,
  ...loginRecordEndpoints,
  ...setupEndpoints,
]

export { jobs } from './jobs.ts'
export { authenticate } from './sessions/authenticate.ts'
export { flushActivity as flush } from './sessions/activity.ts'
export { type CountUsage, registerUsage } from './profile/quotas.ts'
export {
  type Administrator,
  createAdministrator,
  type Credentials,
  ensureConfiguredAdministrator,
  hasAdministrator,
  listAdministrators,
  resetPassword,
} from './setup/administrators.ts'
export { createSetupLink } from './setup/service.ts'
