/** People: how they sign in, their sessions and devices, what they say about themselves, and the first administrator. */

import { domain } from '#domains/domain.ts'

import { codeEndpoints } from './codes/endpoints.ts'
import { deletionEndpoints } from './deletion/endpoints.ts'
import { deviceEndpoints } from './devices/endpoints.ts'
import { identityEndpoints } from './identities/endpoints.ts'
import { jobs } from './jobs.ts'
import { linkEndpoints } from './links/endpoints.ts'
import { loginRecordEndpoints } from './login-records/endpoints.ts'
import { loginEndpoints } from './logins/endpoints.ts'
import { seedNicknames } from './nicknames/service.ts'
import { passwordEndpoints } from './passwords/endpoints.ts'
import { profileEndpoints } from './profile/endpoints.ts'
import { flushActivity } from './sessions/activity.ts'
import { sessionEndpoints } from './sessions/endpoints.ts'
import { ensureConfiguredAdministrator } from './setup/administrators.ts'
import { setupEndpoints } from './setup/endpoints.ts'

export const accounts = domain({
  name: 'accounts',
  endpoints: [
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
  ],
  jobs,
  seed: seedNicknames,
  start: ensureConfiguredAdministrator,
  stop: flushActivity,
})

export { authenticate } from './sessions/authenticate.ts'
export { makeNickname, nicknameWordsChanged } from './nicknames/service.ts'
/** How e-mails and phone numbers are stored and compared; undefined for what is none. */
export { normalizeEmail } from './credentials.ts'
export { normalizePhone } from './phones.ts'
export {
  type Administrator,
  createAdministrator,
  type Credentials,
  hasAdministrator,
  listAdministrators,
  resetPassword,
} from './setup/administrators.ts'
export { createSetupLink } from './setup/service.ts'
