/** The announcement of changed sessions: caches drop them, and sockets of ended sessions close. */

import { topic } from '#platform/bus.ts'

/** Why a session ended, as the `session.revoked` frame says it. */
export type SessionEnd = 'LOGOUT' | 'REVOKED' | 'EXPIRED' | 'PASSWORD_CHANGED' | 'DISABLED' | 'DELETED'

export interface ChangedSessions {
  readonly ids: readonly number[]
  /** Undefined: the sessions go on, with another time of expiry for example. */
  readonly ended?: SessionEnd
}

/** Must be published in every write that changes sessions, or the status or token version of their user. */
export const sessionsChanged = topic<ChangedSessions>('accounts.sessions')
