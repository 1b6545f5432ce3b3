/** The requests of a gate: with the session of a user, or with the token of a link that was handed over. */

import { callWith } from '../../../api/client.ts'
import { ApiError } from '../../../api/errors.ts'
import type {
  GatePass,
  GateState,
  PassKey,
  PassKeys,
  PassRevocations,
  PassUse,
  PassVerification,
  RedemptionResults,
} from '../../../api/types.ts'
import { gateSession, type KeptGate } from './gate-sessions.ts'

export type Verification = Omit<PassVerification, 'pass'> & { readonly pass: GatePass | null }

export interface GateServer {
  /** Of the rows in this browser: the user, or the negative id of the gate. */
  readonly userId: number
  readonly activityId: number
  /** @throws ApiError */
  keys(signal: AbortSignal): Promise<readonly PassKey[]>
  revocations(query: Record<string, unknown>, signal: AbortSignal): Promise<PassRevocations>
  verify(body: object, signal: AbortSignal): Promise<Verification | null>
  redeem(items: readonly object[], signal: AbortSignal): Promise<RedemptionResults>
}

/** Of a user. Requests of an expired session must not pile up until the user has signed in again. */
export function gateOfUser(userId: number, activityId: number): GateServer {
  const input = { params: { id: activityId } }
  const options = (signal: AbortSignal) => ({ signal, waitsForSignIn: false })
  return {
    userId,
    activityId,
    keys: async (signal) => ((await callWith('passes.keys', input, options(signal))) as PassKeys).keys,
    revocations: async (query, signal) =>
      (await callWith('passes.revocations', { ...input, query }, options(signal))) as PassRevocations,
    // With `redeem` the whole pass is answered.
    verify: async (body, signal) =>
      (await callWith('passes.verify', { ...input, body }, options(signal))) as Verification | null,
    redeem: async (items, signal) =>
      (await callWith('passes.uploadRedemptions', { ...input, body: { items } }, options(signal))) as RedemptionResults,
  }
}

/** The newest token of a gate: another tab may have opened its link again. */
const withToken = (kept: KeptGate): { headers: Record<string, string> } => ({
  headers: { authorization: `Bearer ${(gateSession(kept.gate.id) ?? kept).token}` },
})

/** Of a link. `onState`: called with each new state of the gate; the server learns how many scans wait. */
export function gateOfLink(kept: KeptGate, onState?: (state: GateState) => void, waiting?: () => number): GateServer {
  const options = (signal: AbortSignal) => ({ signal, ...withToken(kept) })
  return {
    userId: -kept.gate.id,
    activityId: kept.activity.id,
    async keys(signal) {
      const query = waiting && { waiting: waiting() }
      const state = (await callWith('gate.get', { ...(query && { query }) }, options(signal))) as GateState
      onState?.(state)
      return state.keys
    },
    revocations: async (query, signal) =>
      (await callWith('gate.revocations', { query }, options(signal))) as PassRevocations,
    verify: async (body, signal) => (await callWith('gate.verify', { body }, options(signal))) as Verification | null,
    redeem: async (items, signal) =>
      (await callWith('gate.redemptions', { body: { items } }, options(signal))) as RedemptionResults,
  }
}

/** The server of the rows that this browser keeps. @throws ApiError if the link of the gate has been forgotten */
export function gateServerOf(userId: number, activityId: number): GateServer {
  if (userId > 0) return gateOfUser(userId, activityId)
  const kept = gateSession(-userId)
  if (kept === undefined) throw new ApiError(0, 0, '')
  return gateOfLink(kept)
}

export const undoAtGate = async (kept: KeptGate, { id }: PassUse, reason: string | null): Promise<PassUse> =>
  (await callWith('gate.undo', { params: { id }, body: { reason } }, withToken(kept))) as PassUse

export const findAtGate = async (kept: KeptGate, keyword: string, signal: AbortSignal): Promise<readonly GatePass[]> =>
  ((await callWith('gate.passes', { query: { keyword } }, { signal, ...withToken(kept) })) as { items: GatePass[] })
    .items
