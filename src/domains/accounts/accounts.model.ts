/** Limits of the accounts domain (spec §8, conventions §4), and what its parts share. Durations are in milliseconds. */

import { limitOf } from '#domains/settings/index.ts'
import type { Budget } from '#http/budget.ts'
import { Documented, Line, Raw } from '#http/schema.ts'
import { DAY, HOUR, MINUTE, SECOND } from '#platform/clock.ts'

/** Stands for the user in rows about someone who is not signed in: a code for signing in, a failed login to an unknown account. */
export const ANONYMOUS_USER_ID = 0

export const MAX_ACTIVE_SESSIONS = 10
/** Lifetime of a refresh token, and of a session since its last refresh. */
export const SESSION_MS = 30 * DAY
/** How long a used refresh token may be sent again: the client may have lost the answer. */
export const REPLAY_MS = 30 * SECOND

export const MAX_FAILURES = 5
export const FAILURE_WINDOW_MS = 5 * MINUTE
export const LOCK_MS = 5 * MINUTE
/** Wrong codes of a second factor lock it for `LOCK_MS`, and each time twice as long, up to this. */
export const MAX_LOCK_MS = DAY
/** Wrong codes are forgotten after this time without another one. */
export const GUESSES_KEPT_MS = 7 * DAY

/** Of each user, and of each network for accounts that do not exist: successes and failures are counted apart. */
export const LOGIN_RECORDS_KEPT = 50
/** Of each user, apart from the records of the server. */
export const REPORTED_RECORDS_KEPT = 20
/** Attempts to sign in to accounts that do not exist, for administrators. */
export const ANONYMOUS_RECORDS_MS = 30 * DAY
export const ANONYMOUS_RECORDS_KEPT = 100_000
export const KNOWN_DEVICES_KEPT = 100
export const SETUP_LINK_MS = 24 * HOUR
/** How long a sign-in or a confirmation counts as proof that the caller is the owner of the account. */
export const CONFIRMATION_MS = 10 * MINUTE
/** How long a new secret of a second factor can be confirmed. */
export const ENROLMENT_MS = 10 * MINUTE
export const RECOVERY_CODES = 10
/** How long a replaced e-mail can be bound again with the link that was sent to it. */
export const UNDO_MS = 72 * HOUR
/** Path of the page of an undo link, without its token. */
export const UNDO_PATH = '/account/undo-email'

/** After this time, an account that only a device can sign in to and that nobody used ends. */
export const UNUSED_ACCOUNT_MS = 30 * DAY

export const NICKNAME_MAX = 50
export const SIGNATURE_MAX = 100
export const DEVICE_NAME_MAX = 100
export const DEVICE_ID_MIN = 16
/** Different characters of a device id. 128 random bits have more in any usual notation; an id that people type has fewer. */
export const DEVICE_ID_DISTINCT = 8
export const DEVICE_ID_MAX = 128
export const PASSWORD_MIN = 6
export const PASSWORD_MAX = 128
/** Characters of the password that the server chooses for a user whom an administrator creates. */
export const INITIAL_PASSWORD_LENGTH = 20
/** For users with any PLATFORM role. */
export const ADMIN_PASSWORD_MIN = 10
export const EMAIL_MAX = 254
/** With any usual spacing; longer input cannot be a phone number. */
export const PHONE_MAX = 40
export const ONECLICK_TOKEN_MAX = 4096

/** Verification codes (conventions §4) and how often they are sent (spec §8). */
export const CODE_DIGITS = 6
export const CODE_MS = 5 * MINUTE
export const CODE_TRIES = 5
export const CODE_AGAIN_MS = MINUTE
export const CODES_A_DAY = { EMAIL: 5, SMS: 10 } as const
/** Of them, for one asking IP address: a stranger at one address must not use up the codes of a credential. */
export const CODES_A_DAY_FROM_IP = { EMAIL: 2, SMS: 9 } as const
/** Of the codes a day, those that only RESET gets: other codes that strangers request must not keep a user from a new password. */
export const CODES_FOR_RESET = 1
/** Per IP address, for all purposes, whether or not a code could be sent. */
export const CODES_A_DAY_BY_IP = 20
/** Per credential; link codes are counted apart from other codes. */
export const LINK_CODES_A_DAY = 5
/** Per requesting user. Requests for unregistered credentials count too, so the limit does not reveal who has an account. */
export const LINK_CODES_A_DAY_BY_USER = 20
export const CODE_WINDOW_MS = DAY

/** Of all ways to get an account without an administrator. Only the calls that create one count. */
export const NEW_ACCOUNTS: Budget = {
  name: 'accounts',
  counts: { en: 'new accounts', zh: '新账号' },
  per: 'address',
  limit: limitOf('budget.accountsPerAddress'),
  windowMs: DAY,
  durable: true,
  countedByRun: true,
}

/**
 * Look-ups of users by e-mail address or phone number, whether or not a user has it. Each answer shows which, so without a limit an
 * address book could be turned into a list of users. `cost`: the number of contacts in a call.
 */
export const contactLookUps = <I>(cost: (input: I) => number): Budget<I>[] => {
  const shared = {
    name: 'contacts',
    counts: { en: 'look-ups of e-mail addresses and phone numbers', zh: '邮箱或手机号查询' },
    windowMs: DAY,
    durable: true,
    cost,
  }
  return [
    { ...shared, per: 'user', limit: limitOf('budget.contactsPerUser') },
    { ...shared, per: 'address', limit: limitOf('budget.contactsPerAddress') },
  ]
}

/**
 * Starts with a letter, so it can be neither a phone number nor (without `@`) an e-mail. Each of `_ . -` must
 * be followed by a letter or digit, because `root.` and `ro__ot` are easily read as other names.
 */
export const USERNAME_PATTERN = '^[A-Za-z](?:[A-Za-z0-9]|[_.-](?=[A-Za-z0-9])){2,31}$'
const usernameFormat = {
  description: '3 to 32 letters, digits and, between them, single _ . -; the first is a letter',
  examples: ['lin.mei'],
}
/** The service checks it, so that empty and too long usernames get the same answer as other invalid ones. */
export const Username = Documented(Line(200, 0, usernameFormat), {
  minLength: 3,
  maxLength: 32,
  pattern: USERNAME_PATTERN,
})

export const Phone = Documented(
  Line(PHONE_MAX, 1, {
    description:
      'A mainland number of 11 digits, or + and the country code. Spaces, dots, dashes and brackets are ignored',
    examples: ['13800138000'],
  }),
  { pattern: '^((\\+?86)?1[3-9][0-9]{9}|\\+[1-9][0-9]{6,14})$' },
)
export const Email = Documented(Line(EMAIL_MAX, 1, { examples: ['lin@example.org'] }), { format: 'email' })
/** Codes of another length are accepted here and then answered like a wrong code. */
export const Code = Line(20, 1, { examples: ['204817'] })
/** A password to check: any that may ever have been accepted. */
export const Password = Raw(PASSWORD_MAX, 1, { examples: ['correct horse battery'] })
export const NewPassword = Raw(PASSWORD_MAX, PASSWORD_MIN, { examples: ['correct horse battery'] })
/** Codes of another length are accepted here and then answered like a wrong code. */
export const Totp = Line(20, 1, {
  description: 'Six digits of the authenticator app, or a recovery code. Each can be used once.',
  examples: ['204817'],
})
export const CarrierToken = Raw(ONECLICK_TOKEN_MAX, 1, {
  description: 'From the carrier’s SDK in the app',
  examples: ['eyJ0eXAiOiJKV1QifQ.c2lnbmF0dXJl'],
})

/** Why operations that need a recent proof answer 403. */
export const CONFIRM_FIRST =
  'Code 4031: administrators, users with a second factor, and everyone if the settings say so, must have signed in or confirmed within the last 10 minutes.'
