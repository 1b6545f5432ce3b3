/** Decisions about sessions and refresh tokens. Pure. */

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

/**
 * How to answer a refresh token. A token of the session's current generation starts the next one (`rotate`). A token of the
 * previous generation, within `REPLAY_MS` of its exchange, comes from a client that lost the answer or asked twice: it gets another
 * token of the current generation (`repeat`). With any older token, it or its successor was stolen (`stolen`).
 */
export function classifyRefresh(
  session: { generation: number; rotatedAt: number },
  tokenGeneration: number,
  now: number,
): 'rotate' | 'repeat' | 'stolen' {
  if (tokenGeneration === session.generation) return 'rotate'
  const isJustRotated = tokenGeneration === session.generation - 1 && now - session.rotatedAt <= REPLAY_MS
  return isJustRotated ? 'repeat' : 'stolen'
}
