/** People: how they sign in, their sessions and devices, what they say about themselves, and the first administrator. */

import type { AnyEndpoint } from '#http/endpoint.ts'

import { codeEndpoints } from './codes/endpoints.ts'
import { deletionEndpoints } from './deletion/endpoints.ts'
import { deviceEndpoints } from './devices/endpoints.ts'
import { identityEndpoints } from './identities/endpoints.ts'
import { linkEndpoints } from './links/endpoints.ts'
import { loginRecordEndpoints } from './login-records/endpoints.ts'
import { loginEndpoints } from './logins/endpoints.ts'
import { passwordEndpoints } from './passwords/endpoints.ts'
import { profileEndpoints } from './profile/endpoints.ts'
import { sessionEndpoints } from './sessions/endpoints.ts'
import { setupEndpoints } from './setup/endpoints.ts'

export const endpoints: readonly AnyEndpoint[] = [
  ...codeEndpoints,
  ...loginEndpoints,
  ...profileEndpoints,
  ...passwordEndpoints,
  ...identityEndpoints,
  ...linkEndpoints,
  ...deletionEndpoints,
  ...sessionEndpoints,
  ...deviceEndpoints,
  ...loginRecordEndpoints,
  ...setupEndpoints,
]

export { jobs } from './jobs.ts'
export { authenticate } from './sessions/authenticate.ts'
export { flushActivity as flush } from './sessions/activity.ts'
export { type OnDeletion, type Note, type Notify, registerDeletion, registerNotifier } from './hooks.ts'
export { ownerStays } from './errors.ts'
export { makeNickname, nicknameWordsChanged, seedNicknames } from './nicknames/service.ts'
/** How e-mails and phone numbers are stored and compared; undefined for what is none. */
export { normalizeEmail } from './credentials.ts'
export { normalizePhone } from './phones.ts'
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
