/**
 * Budgets: how often an operation may be called, or how much one call may use of it, by one user or from one address. Records declare
 * them (`budgets`); the server counts them after validation and before `run`. The general rates of requests are counted by address
 * with the same networks.
 */

import type { AppContext } from '#context'
import type { GateSession } from '#db/schema/activity-gates.ts'
import { ipNetworks } from '#lib/ip.ts'
import type { Localized } from '#lib/localized.ts'
import type { MaybePromise } from '#lib/maybe-promise.ts'
import { DAY, MINUTE } from '#platform/clock.ts'
import type { Limiter, Refusal, Use } from '#platform/limiter.ts'

import { type AppError, limited } from './errors.ts'

/** A limit that administrators can change. 0 means that there is none. */
export interface AdjustableLimit {
  readonly initial: number
  read(ctx: AppContext): MaybePromise<number>
}

/** `I`: the validated query and body, from which the cost of a call is computed. */
export interface Budget<I = never> {
  /** Budgets of one name are counted together, whichever operations declare them. */
  readonly name: string
  /** A plural, for messages and the API document: `contact look-ups`. */
  readonly counts: Localized
  /**
   * `address`: an IPv4 address or an IPv6 /64. The /56 and /48 around a /64 have larger limits (`WIDER`). `organization`: `countedByRun` only,
   * which names it.
   */
  readonly per: 'user' | 'address' | 'gate' | 'device of a gate' | 'organization'
  readonly limit: number | AdjustableLimit
  readonly windowMs: number
  /** How much of the limit one call takes, for example the number of contacts in its body; 1 by default. */
  cost?(input: I): number
  /**
   * Counted in the database, so that it survives a restart: for everything that guards secrets or money, or lasts a day. Otherwise counted
   * in memory, or by several processes together (`exactLimiter`).
   */
  readonly durable?: boolean
  /** `run` counts the call itself (`usesOf`, `spend`), in the write that the budget limits. The record only documents the budget. */
  readonly countedByRun?: boolean
}

/** Factors of a limit by address, for an IPv6 /64, /56 and /48: a customer can have many /64s, but not many customers share a /48. */
const WIDER = [1, 3, 5] as const

/** Counts a request from an address in this process. Returns 0, or the seconds to wait. */
export function takeByAddress(limiter: Limiter, name: string, ip: string, limit: number, windowMs: number): number {
  if (!ip.includes(':')) return limiter.take(`${name} ${ip}`, limit, windowMs)
  for (const [i, network] of ipNetworks(ip).entries()) {
    const wait = limiter.take(`${name} ${network}`, limit * WIDER[i]!, windowMs)
    // Refused requests of one network must not use up the limit of its neighbours.
    if (wait > 0) return wait
  }
  return 0
}

/** One use for each network of an address, from the narrowest to the widest. */
export const usesByAddress = (use: Use, ip: string): Use[] =>
  ipNetworks(ip).map((network, i) => ({ ...use, key: `${use.key}${network}`, limit: use.limit * WIDER[i]! }))

/** Wrong guesses of a secret that an address may try. */
export interface GuessLimit {
  readonly name: string
  readonly wrong: number
  readonly windowMs: number
}

/**
 * Compares a guess; `compare` returns undefined if it is wrong. Wrong ones are counted before the answer. Once the limit
 * is reached, right ones are refused too. Right ones are not counted, so that many people behind one address can use theirs at once.
 * @throws AppError of `refuse`, which gets the seconds to wait
 */
export async function guess<T>(
  ctx: AppContext,
  { name, wrong: limit, windowMs }: GuessLimit,
  ip: string,
  refuse: (seconds: number) => AppError,
  compare: () => MaybePromise<T | undefined>,
): Promise<T | undefined> {
  if (!ctx.config.rateLimit) return compare()
  const uses = usesByAddress({ key: `${name} `, limit, windowMs }, ip)
  const wait = Math.max(...uses.map((use) => ctx.exactLimiter.spent(use.key, use.limit)))
  if (wait > 0) throw refuse(wait)
  const found = await compare()
  // Of guesses at the same time, the count decides which were compared in time. Nobody sees the results of the others.
  const cost = found === undefined ? 1 : 0
  const refusal = await ctx.exactLimiter.takeAll(uses.map((use) => ({ ...use, cost })))
  if (refusal) throw refuse(secondsOf(refusal))
  return found
}

export interface BudgetUse extends Use {
  readonly counts: Localized
}

/** The uses that a call of `cost` counts: one, or one for each network of an address. None if rates are not limited. */
export async function usesOf(
  ctx: AppContext,
  { name, counts, per, limit, windowMs }: Budget,
  {
    actor,
    caller,
    orgId,
  }: {
    actor: { readonly userId: number } | undefined
    caller: { readonly ip: string; readonly gate?: GateSession | undefined }
    orgId?: number
  },
  cost = 1,
): Promise<BudgetUse[]> {
  if (cost === 0 || !ctx.config.rateLimit) return []
  const most = typeof limit === 'number' ? limit : await limit.read(ctx)
  if (most === 0) return []
  const use = { key: `${name}:`, limit: most, windowMs, cost }
  const uses = per === 'address' ? usesByAddress(use, caller.ip) : [{ ...use, key: `${name}:${one()}` }]
  return uses.map((one) => ({ ...one, counts }))

  function one(): string {
    if (per === 'user') return `user:${actor?.userId ?? 0}`
    if (per === 'organization') return `org:${orgId}`
    return per === 'gate' ? `gate:${caller.gate?.gate.id}` : `device:${caller.gate?.device.id}`
  }
}

export const secondsOf = ({ refusedFor }: Refusal): number => Math.max(1, Math.ceil(refusedFor / 1000))

/** The 429 of a used-up budget. */
export function budgetUsedUp(refusal: Refusal<BudgetUse>): AppError {
  const { en, zh } = refusal.use.counts
  return limited(`Too many ${en}, try again later`, `${zh}过多，请稍后再试`, secondsOf(refusal))
}

function inWords(windowMs: number): string {
  if (windowMs === DAY) return 'a day'
  return windowMs % DAY === 0 ? `in ${windowMs / DAY} days` : `in ${windowMs / MINUTE} minutes`
}

/** For the API document: `50 contact look-ups a day for each user (by default)`. */
export function budgetInWords({ counts, per, limit, windowMs }: Budget): string {
  const [most, isFixed] = typeof limit === 'number' ? [limit, true] : [limit.initial, false]
  const by = per === 'address' ? 'from each IP address' : `for each ${per}`
  return `${most.toLocaleString('en')} ${counts.en} ${inWords(windowMs)} ${by}${isFixed ? '' : ' (by default)'}`
}
