/** Users: how they sign in, their sessions and devices, their profiles and links, and the first administrator. */

import { domain } from '#domains/domain.ts'
import { lostBy } from '#domains/events.ts'
import { publicImagePath } from '#domains/files/index.ts'

import { codeEndpoints } from './codes/endpoints.ts'
import { confirmationEndpoints } from './confirmations/endpoints.ts'
import { userConsoleEndpoints } from './console/admin.endpoints.ts'
import { endAccess } from './credentials/service.ts'
import { enrolmentEndpoints } from './enrolments/endpoints.ts'
import { identityEndpoints } from './identities/endpoints.ts'
import { jobs } from './jobs.ts'
import { linkAdminEndpoints } from './links/console/admin.endpoints.ts'
import { linkEndpoints } from './links/endpoints.ts'
import { loginRecordAdminEndpoints } from './login-records/admin.endpoints.ts'
import { loginRecordEndpoints } from './login-records/endpoints.ts'
import { loginEndpoints } from './logins/endpoints.ts'
import { nicknameAdminEndpoints } from './nicknames/console/admin.endpoints.ts'
import { seedNicknames } from './nicknames/service.ts'
import { passwordEndpoints } from './passwords/endpoints.ts'
import { flushActivity } from './sessions/authenticate.ts'
import { sessionAdminEndpoints } from './sessions/console/admin.endpoints.ts'
import { sessionEndpoints } from './sessions/endpoints.ts'
import { setupEndpoints } from './setup/endpoints.ts'
import { ensureConfiguredAdministrator } from './setup/service.ts'
import { hasTotp } from './totp/store.ts'
import { undoEndpoints } from './undos/endpoints.ts'
import { deleteUndosSince } from './undos/store.ts'
import { userEndpoints } from './users/endpoints.ts'
import { clearAvatars } from './users/store.ts'

export const accounts = domain({
  name: 'accounts',
  endpoints: [
    ...codeEndpoints,
    ...loginEndpoints,
    ...userEndpoints,
    ...passwordEndpoints,
    ...enrolmentEndpoints,
    ...identityEndpoints,
    ...undoEndpoints,
    ...linkEndpoints,
    ...linkAdminEndpoints,
    ...sessionEndpoints,
    ...sessionAdminEndpoints,
    ...confirmationEndpoints,
    ...loginRecordEndpoints,
    ...loginRecordAdminEndpoints,
    ...nicknameAdminEndpoints,
    ...setupEndpoints,
    ...userConsoleEndpoints,
  ],
  jobs,
  on: {
    'platformRole.granted': async (ctx, tx, { userId }) => {
      await endAccess(ctx, tx, 'PLATFORM_ROLE_GRANTED', { userId, deviceKey: '' })
      // The holder of an earlier e-mail address must not get into the account of an administrator.
      await deleteUndosSince(tx, userId, 0)
    },
    async 'files.deleted'(_ctx, tx, { files }) {
      const lost = lostBy(files, 'USER')
      if (lost) await clearAvatars(tx, lost.entityIds, lost.publicKeys.map(publicImagePath))
    },
  },
  // An avatar is public by its address; by its id, its user alone sees the file.
  fileEntities: { USER: async (_ctx, userId, id) => id === userId },
  hasSecondFactor: hasTotp,
  seed: seedNicknames,
  start: ensureConfiguredAdministrator,
  stop: flushActivity,
})

export { authenticate, consoleRefusal, sessionEnd } from './sessions/authenticate.ts'
export { generateNickname, nicknameWordsChanged } from './nicknames/service.ts'
export { contactLookUps } from './model.ts'
export { normalizeEmail, normalizePhone } from './rules.ts'
export {
  type Administrator,
  createAdministrator,
  createSetupLink,
  type Credentials,
  disableTotp,
  hasAdministrator,
  listAdministrators,
  resetPassword,
} from './setup/service.ts'
export { userIdsByProvedContact } from './users/store.ts'
