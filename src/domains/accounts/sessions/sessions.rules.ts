/** Decisions about refresh tokens. Pure. */

import { REPLAY_MS } from '../accounts.model.ts'

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
