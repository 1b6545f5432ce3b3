/** Numbers of the interface (spec §8, conventions §4). Times in milliseconds. */

import { DAY, HOUR, MINUTE, SECOND } from '#platform/clock.ts'

export const MAX_ACTIVE_SESSIONS = 10
/** Life of a refresh token, and of a session since its last refresh. */
export const SESSION_MS = 30 * DAY
/** How long a refresh token may be shown again after its exchange: a phone that lost the answer. */
export const REPLAY_MS = 30 * SECOND

export const MAX_FAILURES = 5
export const FAILURE_WINDOW_MS = 5 * MINUTE
export const LOCK_MS = 5 * MINUTE

export const LOGIN_RECORDS_KEPT = 50
export const SETUP_LINK_MS = 24 * HOUR

export const NICKNAME_MAX = 50
export const SIGNATURE_MAX = 100
export const DEVICE_NAME_MAX = 100
export const DEVICE_ID_MIN = 16
export const DEVICE_ID_MAX = 128
export const PASSWORD_MIN = 6
export const PASSWORD_MAX = 128
/** For anyone who holds a PLATFORM role. */
export const ADMIN_PASSWORD_MIN = 10
export const EMAIL_MAX = 254

/** Verification codes (conventions §4) and how often they are sent (spec §8). */
export const CODE_DIGITS = 6
export const CODE_MS = 5 * MINUTE
export const CODE_TRIES = 5
export const CODE_AGAIN_MS = MINUTE
export const CODES_A_DAY = { EMAIL: 5, SMS: 10 } as const
/** From one address, whatever they are for and whether or not there is anybody to send them to. */
export const CODES_A_DAY_BY_IP = 20
/** To one credential; counted apart from other codes. */
export const LINK_CODES_A_DAY = 5
/** Asked for by one account, also for people who do not exist: nobody can find out by it who has an account. */
export const LINK_CODES_A_DAY_BY_USER = 20
export const CODE_WINDOW_MS = DAY
/** Longer is no phone number, however it is spaced. */
export const PHONE_MAX = 40
export const ONECLICK_TOKEN_MAX = 4096
