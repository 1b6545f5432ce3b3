/** Decisions about sessions and refresh tokens. Pure. */

import { MAX_ACTIVE_SESSIONS, REPLAY_MS } from '../limits.ts'

/**
 * Which sessions must end so that at most `MAX_ACTIVE_SESSIONS` remain: the least recently used. `spared` never ends: the new
 * session, and the one that asked for it.
 */
export function superfluous(
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

/**
 * What a refresh token is good for. Tokens of the session's present generation begin the next one (`rotate`). One of the
 * generation before, within `REPLAY_MS` of its exchange, comes from a client that lost the answer or asked twice: it gets another
 * token of the present generation (`repeat`). Anything older was stolen, or its successor was (`stolen`).
 */
export function judgeRefresh(
  session: { generation: number; rotatedAt: number },
  tokenGeneration: number,
  now: number,
): 'rotate' | 'repeat' | 'stolen' {
  if (tokenGeneration === session.generation) return 'rotate'
  const isJustRotated = tokenGeneration === session.generation - 1 && now - session.rotatedAt <= REPLAY_MS
  return isJustRotated ? 'repeat' : 'stolen'
}
