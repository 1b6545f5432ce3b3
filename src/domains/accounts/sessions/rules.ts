/** Decisions about sessions and refresh tokens. Pure. */

import type { LoginType } from '../login-records/model.ts'
import { MAX_ACTIVE_SESSIONS, REPLAY_MS } from '../model.ts'

/**
 * Ids of the sessions to end so that at most `MAX_ACTIVE_SESSIONS` remain: the least recently used ones. Sessions in `spared` are
 * never ended: the new session, and the one that requested it.
 */
export function sessionsToEnd(
  sessions: readonly { id: number; lastActiveAt: number }[],
  spared: readonly number[],
): number[] {
  const excess = sessions.length - MAX_ACTIVE_SESSIONS
  if (excess <= 0) return []
  return sessions
    .filter(({ id }) => !spared.includes(id))
    .toSorted((a, b) => a.lastActiveAt - b.lastActiveAt || a.id - b.id)
    .slice(0, excess)
    .map(({ id }) => id)
}

/** Refresh tokens that replace one another, in generations: those of the device itself, or those of a session switch. */
export interface Chain {
  readonly bySwitch: boolean
  readonly generation: number
  /** Start of this generation. */
  readonly rotatedAt: number
}

export const chainOf = (
  session: { generation: number; rotatedAt: number; switchGeneration: number; switchRotatedAt: number },
  bySwitch: boolean,
): Chain =>
  bySwitch
    ? { bySwitch, generation: session.switchGeneration, rotatedAt: session.switchRotatedAt }
    : { bySwitch, generation: session.generation, rotatedAt: session.rotatedAt }

/**
 * How to answer a refresh token. A token of the chain's current generation starts the next one (`rotate`). A token of the
 * previous generation, within `REPLAY_MS` of its exchange, comes from a client that lost the answer or asked twice: it gets another
 * token of the current generation (`repeat`). With any older token, it or its successor was stolen (`stolen`).
 */
export function classifyRefresh(
  chain: Pick<Chain, 'generation' | 'rotatedAt'>,
  tokenGeneration: number,
  now: number,
): 'rotate' | 'repeat' | 'stolen' {
  if (tokenGeneration === chain.generation) return 'rotate'
  const isJustRotated = tokenGeneration === chain.generation - 1 && now - chain.rotatedAt <= REPLAY_MS
  return isJustRotated ? 'repeat' : 'stolen'
}

/** How a signed-in user can prove again that they are the owner of the account. */
export type ConfirmationType = 'PASSWORD' | 'PHONE_CODE' | 'EMAIL_CODE'

export function waysToConfirm(
  user: { passwordHash: string | null },
  identities: readonly { provider: string; verified: boolean }[],
): ConfirmationType[] {
  const verified = (provider: string) => identities.some((i) => i.provider === provider && i.verified)
  const ways: [ConfirmationType, boolean][] = [
    ['PASSWORD', user.passwordHash !== null],
    ['PHONE_CODE', verified('PHONE')],
    ['EMAIL_CODE', verified('EMAIL')],
  ]
  return ways.flatMap(([way, isPossible]) => (isPossible ? [way] : []))
}

/**
 * Whether this login proves who the user is. Each request carries the device id, so a thief of a session has it, too: it proves
 * something only if the user has nothing else (`ways`: the other ways to confirm). A switch by an account link proves nothing.
 */
export function provesUser(loginType: LoginType, ways: readonly ConfirmationType[]): boolean {
  if (loginType === 'device_login') return ways.length === 0
  return loginType !== 'account_switch'
}
