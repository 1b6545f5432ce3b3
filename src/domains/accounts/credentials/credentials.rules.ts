/**
 * The access that ends when a credential of an account changes. A thief may have set up further ways into the account: all of them must
 * end when the owner reacts. Pure: `endAccess` in credentials.service.ts reads this table.
 */

import type { SessionEnd } from '#http/sessions.ts'

export interface Ended {
  /** Why the sessions of the account end. Those of linked accounts are always REVOKED. */
  readonly reason: SessionEnd
  /**
   * Sessions of the account, each with its refresh tokens. `device`: the one on the device of the change; `others`: all but that one;
   * `linked`: those that account links opened, with the sessions that were opened from them.
   */
  readonly sessions: 'all' | 'others' | 'device' | 'linked' | 'none'
  /**
   * DEVICE identities, with which a device signs in by itself. `others`: of all devices but the one that asked for the change. They
   * stay if the user could no longer sign in without them, except with `all`.
   */
  readonly deviceIdentities: 'all' | 'others' | 'device' | 'none'
  /**
   * Identities of providers that a signed-in user linked. `others`: on all devices but the one that asked for the change,
   * unless the user could no longer sign in without them. Those that came with the account stay: the provider vouches for them.
   */
  readonly linkedIdentities: 'all' | 'others' | 'none'
  /** Account links by which others can switch to the account, and those by which it can switch to others. */
  readonly links: 'both' | 'incoming' | 'none'
  /**
   * Sessions of linked accounts that this account opened by switching. `others`: on all devices but the one that asked for the change.
   * `link`: the sessions of one linked account.
   */
  readonly opened: 'all' | 'others' | 'device' | 'link' | 'none'
  /** Known devices: the next sign-in on a forgotten one is reported to the user as a new device. */
  readonly knownDevices: 'all' | 'device' | 'none'
  /** Secret links by which others read something without signing in, such as the calendar of assets. */
  readonly secretLinks: boolean
  /** Passkeys. `others`: those that were not made on the device that asked for the change. */
  readonly passkeys: 'all' | 'others' | 'none'
  /** The trust in devices, which are spared the second factor. */
  readonly trust: 'all' | 'device' | 'none'
  /** API keys of the account. `revoked`: they end; `paused`: they are refused while the status of the account says so. */
  readonly apiKeys: 'revoked' | 'paused' | 'none'
  /** Unused verification codes that the user requested, or that were sent to the account, and a start code or reset code. */
  readonly codes: boolean
  /** The failure lock: it is opened for the new password. */
  readonly lock: boolean
}

const NEW_PASSWORD: Ended = {
  reason: 'PASSWORD_CHANGED',
  sessions: 'all',
  deviceIdentities: 'others',
  linkedIdentities: 'others',
  links: 'incoming',
  opened: 'others',
  knownDevices: 'none',
  secretLinks: true,
  passkeys: 'others',
  trust: 'all',
  apiKeys: 'revoked',
  codes: true,
  lock: true,
}

const NOTHING: Ended = {
  reason: 'REVOKED',
  sessions: 'none',
  deviceIdentities: 'none',
  linkedIdentities: 'none',
  links: 'none',
  opened: 'none',
  knownDevices: 'none',
  secretLinks: false,
  passkeys: 'none',
  trust: 'none',
  apiKeys: 'none',
  codes: false,
  lock: false,
}

export const ENDED = {
  /** By a signed-in user, on the device of their session. */
  PASSWORD_CHANGED: NEW_PASSWORD,
  /** With a code, on the device that the request names, if any. */
  PASSWORD_RESET: NEW_PASSWORD,
  /** On the command line, so on none of the user's devices. */
  PASSWORD_REPLACED_BY_OPERATOR: NEW_PASSWORD,
  /** The first password of an account: a further way in, which takes nothing from the others (spec §4.1). */
  PASSWORD_SET: NOTHING,
  /**
   * By a signed-in user, on the device of their session. Every other session was opened without the second factor. Device ids, links and
   * codes open nothing without it, so they stay. Secret links do.
   */
  TOTP_ENABLED: { ...NOTHING, sessions: 'others', opened: 'others', secretLinks: true, trust: 'all' },
  /** With a code, so by the user. */
  TOTP_DISABLED: { ...NOTHING, trust: 'all' },
  /** By a signed-in user who confirmed. The same as with TOTP. */
  PASSKEYS_REQUIRED: { ...NOTHING, sessions: 'others', opened: 'others', secretLinks: true, trust: 'all' },
  PASSKEYS_OPTIONAL: { ...NOTHING, trust: 'all' },
  PASSKEY_REMOVED: { ...NOTHING, trust: 'all' },
  /** On the command line: the person who has the lost phone may be signed in. */
  TOTP_REMOVED_BY_OPERATOR: {
    ...NOTHING,
    sessions: 'all',
    opened: 'all',
    secretLinks: true,
    passkeys: 'all',
    trust: 'all',
    apiKeys: 'revoked',
    codes: true,
    lock: true,
  },
  /** A code proved the only e-mail of an account that anyone may have registered with it: nothing of theirs stays. */
  CLAIM_PROVED: { ...NEW_PASSWORD, reason: 'REVOKED', linkedIdentities: 'all', links: 'both', opened: 'all' },
  /** Another user proved the e-mail that was the only name of an account for its password. */
  CLAIM_LOST: { ...NEW_PASSWORD, reason: 'REVOKED', linkedIdentities: 'all', links: 'both', opened: 'all' },
  /** The undo link of a replaced e-mail was used: any device may be the thief's. */
  // `restoreEmail` removes the passkeys that the thief may have made. Older ones are the owner's.
  EMAIL_RESTORED: { ...NEW_PASSWORD, reason: 'REVOKED', deviceIdentities: 'all', opened: 'all', passkeys: 'none' },
  DEVICE_REMOVED: {
    ...NOTHING,
    sessions: 'device',
    deviceIdentities: 'device',
    opened: 'device',
    knownDevices: 'device',
    trust: 'device',
  },
  /** The device may still sign in by itself. */
  SESSION_REVOKED: { ...NOTHING, sessions: 'device', opened: 'device', knownDevices: 'device', trust: 'device' },
  /** An administrator ended all sessions of the user. The devices may still sign in by themselves. */
  SESSIONS_REVOKED: { ...NOTHING, sessions: 'all', opened: 'all', trust: 'all' },
  /**
   * The user became an administrator. Users who can switch to the account have to prove again that they own it. Proposed links end too,
   * as none may lead to an administrator.
   */
  PLATFORM_ROLE_GRANTED: { ...NOTHING, sessions: 'linked', links: 'incoming', trust: 'all' },
  /** Either side, or an administrator, removed an account link. */
  LINK_REMOVED: { ...NOTHING, opened: 'link' },
  /** By an administrator. Account links and device ids open nothing while the account is disabled, and are usable again after that. */
  ACCOUNT_DISABLED: {
    ...NOTHING,
    reason: 'DISABLED',
    sessions: 'all',
    opened: 'all',
    secretLinks: true,
    apiKeys: 'paused',
    codes: true,
  },
  ACCOUNT_DELETED: {
    reason: 'DELETED',
    sessions: 'all',
    deviceIdentities: 'all',
    linkedIdentities: 'all',
    links: 'both',
    opened: 'all',
    knownDevices: 'all',
    secretLinks: true,
    passkeys: 'all',
    trust: 'all',
    apiKeys: 'revoked',
    codes: true,
    lock: true,
  },
} as const satisfies Record<string, Ended>

export type CredentialChange = keyof typeof ENDED
