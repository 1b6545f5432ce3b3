/** Users: how they sign in, their sessions and devices, their profiles and links, and the first administrator. */

import { domain } from '#domains/domain.ts'
import { lostBy } from '#domains/events.ts'
import { publicImagePath } from '#domains/files/index.ts'

import { jobs } from './accounts.jobs.ts'
import { userAdminEndpoints } from './admin/accounts.admin.endpoints.ts'
import { resetCodeAdminEndpoints } from './admin/reset-codes.admin.endpoints.ts'
import { codeEndpoints } from './codes/codes.endpoints.ts'
import { confirmationEndpoints } from './confirmations/confirmations.endpoints.ts'
import { endAccess } from './credentials/credentials.service.ts'
import { deviceAdminEndpoints } from './devices/devices.admin.endpoints.ts'
import { deviceEndpoints } from './devices/devices.endpoints.ts'
import { enrolmentEndpoints } from './enrolments/enrolments.endpoints.ts'
import { identityEndpoints } from './identities.endpoints.ts'
import { linkAdminEndpoints } from './links/links.admin.endpoints.ts'
import { linkEndpoints } from './links/links.endpoints.ts'
import { loginRecordAdminEndpoints } from './login-records/login-records.admin.endpoints.ts'
import { loginRecordEndpoints } from './login-records/login-records.endpoints.ts'
import { loginEndpoints } from './logins/logins.endpoints.ts'
import { nicknameAdminEndpoints } from './nicknames/nicknames.admin.endpoints.ts'
import { seedNicknames } from './nicknames/nicknames.service.ts'
import { accountAreas, eraseRecords } from './own-data.store.ts'
import { passkeyEndpoints } from './passkeys/passkeys.endpoints.ts'
import { passwordEndpoints } from './password-changes/password-changes.endpoints.ts'
import { profileEndpoints } from './profile/profile.endpoints.ts'
import { deleteResetCode } from './reset-codes/reset-codes.store.ts'
import { flushActivity } from './sessions/authenticate.ts'
import { setupEndpoints } from './setup/setup.endpoints.ts'
import { ensureConfiguredAdministrator } from './setup/setup.service.ts'
import { undoEndpoints } from './undos/undos.endpoints.ts'
import { deleteUndosSince } from './undos/undos.store.ts'
import { clearAvatars, mailContacts, withSecondFactor } from './users/users.store.ts'

export const accounts = domain({
  name: 'accounts',
  endpoints: [
    ...codeEndpoints,
    ...loginEndpoints,
    ...profileEndpoints,
    ...passwordEndpoints,
    ...enrolmentEndpoints,
    ...passkeyEndpoints,
    ...identityEndpoints,
    ...undoEndpoints,
    ...linkEndpoints,
    ...linkAdminEndpoints,
    ...deviceEndpoints,
    ...deviceAdminEndpoints,
    ...confirmationEndpoints,
    ...loginRecordEndpoints,
    ...loginRecordAdminEndpoints,
    ...nicknameAdminEndpoints,
    ...setupEndpoints,
    ...userAdminEndpoints,
    ...resetCodeAdminEndpoints,
  ],
  jobs,
  on: {
    'platformRole.granted': async (ctx, tx, { userId }) => {
      await endAccess(ctx, tx, 'PLATFORM_ROLE_GRANTED', { userId, deviceKey: '' })
      // The holder of an earlier e-mail address must not get into the account of an administrator.
      await deleteUndosSince(tx, userId, 0)
      // The administrator who made the code was allowed to make it for an ordinary user.
      await deleteResetCode(tx, userId)
    },
    async 'files.deleted'(_ctx, tx, { files }) {
      const lost = lostBy(files, 'USER')
      if (lost) await clearAvatars(tx, lost.entityIds, lost.publicKeys.map(publicImagePath))
    },
  },
  // An avatar is public by its address; by its id, its user alone sees the file.
  fileEntities: { USER: async (_ctx, userId, id) => id === userId },
  withSecondFactor,
  dataAreas: accountAreas,
  erase: eraseRecords,
  mailContacts,
  seed: seedNicknames,
  start: ensureConfiguredAdministrator,
  stop: flushActivity,
})

export { confirm, requireConfirmation, requireConfirmationOfAll } from './confirmations/confirmations.service.ts'
export { authenticate, sessionEnd } from './sessions/authenticate.ts'
export { provedEmailsOf, recordExport, tellOfExport } from './login-records/login-records.service.ts'
export { countDevicesSince, isOpenSession } from './sessions/sessions.store.ts'
export { sessionEnded, usernameTaken } from './accounts.errors.ts'
export { notifyAccountHolder, recordLogin } from './login-records/login-records.service.ts'
export { consoleRefusal, isDeviceOnly, isUsernameFree } from './users/users.service.ts'
export { newResetCode, resetCodeHash } from './reset-codes/reset-codes.rules.ts'
export { administratorsAmong, holdersOf, renameUsers, USERS_AT_ONCE, usersByKeys } from './users/many-users.store.ts'
export { type HeldName, holdNames, releaseNames, releaseSome } from './users/held-names.store.ts'
export { createManyUsers, type StartingUser } from './reset-codes/start-codes.service.ts'
export { initialPasswordRefusal } from './passwords/passwords.service.ts'
export { generateNickname, nicknameWordsChanged } from './nicknames/nicknames.service.ts'
export { contactLookUps } from './accounts.model.ts'
export { emailOf, isUsername, normalizeEmail, normalizePhone, usernameKey } from './accounts.rules.ts'
export {
  type Administrator,
  checkSetupLink,
  createAdministrator,
  createSetupLink,
  type Credentials,
  disableTotp,
  hasAdministrator,
  listAdministrators,
  resetPassword,
} from './setup/setup.service.ts'
export {
  deleteIdentity,
  hasProvedEmail,
  hasSecondFactor,
  holdsPlatformRole,
  identitiesOf,
  insertIdentity,
  isProvedUser,
  mailContacts,
  type OwnIdentity,
  proofs,
  userById,
  userByProvedCredential,
  userByUsername,
  userIdsByProvedContact,
  type UserRow,
  withSecondFactor,
} from './users/users.store.ts'
export { canStillSignIn } from './users/users.rules.ts'
export { createUser, isLocalSignInOff } from './users/users.service.ts'
export { insertProved } from './credentials/credentials.service.ts'
export { type Factor, proveFactorAlone } from './second-factor/second-factor.service.ts'
export { endSessions, loginResponse, signIn } from './sessions/sessions.service.ts'
export { findOwn as findOwnSession } from './sessions/sessions.store.ts'
export { deviceFields, LoginResponse } from './sessions/sessions.model.ts'
export { loginEvent, ownEvent } from './login-records/login-records.rules.ts'
export type { LoginEvent } from './login-records/login-records.model.ts'
export { factorFields, type GivenFactor } from './second-factor/second-factor.model.ts'
export { CONFIRM_FIRST, NICKNAME_MAX } from './accounts.model.ts'
