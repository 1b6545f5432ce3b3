/** Leads scans of public codes to their targets, and counts them. */

import { type AppContext, perContext } from '#context'
import { spend } from '#db/counters.ts'
import { type Gathered, GatheredWrites } from '#db/gathered-writes.ts'
import type { Tx } from '#db/store.ts'
import { countryOf, hasCountries } from '#domains/delivery/index.ts'
import { ownAddresses } from '#http/addresses.ts'
import { secondsOf, usesByAddress } from '#http/budget.ts'
import { addressOf } from '#http/caller.ts'
import type { Caller } from '#http/endpoint.ts'
import { locationOf, type TargetRules } from '#lib/link-target.ts'
import { isRobot } from '#lib/robots.ts'
import { deviceOf, firstLanguage } from '#lib/visitor.ts'
import { HOUR } from '#platform/clock.ts'

import { countScan } from '../codes/scan-counter.ts'
import { targetRules } from '../targets.service.ts'
import { isOptedOut, referrerOf, type Visit } from '../visits/visits.rules.ts'
import { decide, type Decision, type LedCode, type Link, type Scan, takenBy } from './links.rules.ts'
import { passwordHashOf } from './links.service.ts'
import { findLink, isOwnerProved, takeScans } from './links.store.ts'
import { trustOf } from './trust.service.ts'

/** A public code, as a scan reads it. */
export interface Lead extends LedCode {
  readonly id: number
  /** Whether its owner is one of those whose codes lead straight with `links.direct` = PROVED; undefined until it is asked for. */
  isProved?: boolean
}

export interface Visitor {
  readonly request: Request
  readonly caller: Caller
  /** That was sent; undefined with GET. */
  readonly password?: string | undefined
}

/** The answer to the visitor. `location`: as the header has it. */
export type Led =
  | { readonly kind: 'REDIRECT' | 'WARNING'; readonly location: string }
  | {
      readonly kind:
        'PAGE' | 'INFO' | 'BLOCKED' | 'HOST_BLOCKED' | 'EXPIRED' | 'EXHAUSTED' | 'PASSWORD' | 'WRONG_PASSWORD'
    }
  | { readonly kind: 'TOO_MANY'; readonly seconds: number }

/** A scan. Waits for a commit only if the link has a limit of scans, or a password was sent. */
export async function lead(ctx: AppContext, code: Lead, visitor: Visitor): Promise<Led> {
  const { request, caller, password } = visitor
  const isHead = request.method === 'HEAD'
  const targets = await targetRules(ctx)
  const scan = scanOf(ctx, visitor)
  let decision = decide(code, scan, targets)
  // A link that is over says so, whatever password was sent.
  if (decision.result === 'PASSWORD' && password !== undefined) {
    const refusal = await guessPassword(ctx, code.id, code.link.passwordHash!, password, caller.ip)
    if (refusal !== undefined) return refusal
    scan.hasPassword = true
    decision = decide(code, scan, targets)
  }
  if (takenBy(code.link, decision, scan.isRobot) !== undefined)
    decision = await takingOf(ctx).add({ code, scan, targets })
  const led = await ledBy(ctx, code, decision, request)
  if (!isHead && COUNTED.has(led.kind)) {
    const rule = decision.result === 'TARGET' ? decision.rule : null
    countScan(ctx, code.id, visitOf(ctx, visitor, { ...scan, rule }))
  }
  return led
}

/** The information is for robots, which are counted apart. */
const COUNTED: ReadonlySet<Led['kind']> = new Set<Led['kind']>(['REDIRECT', 'WARNING', 'PAGE', 'INFO'])

const scanOf = (ctx: AppContext, { request, caller }: Visitor): { -readonly [K in keyof Scan]: Scan[K] } => ({
  at: ctx.clock.now(),
  device: deviceOf(caller.userAgent),
  language: firstLanguage(request.headers.get('accept-language')),
  country: hasCountries(ctx) ? countryOf(ctx, caller.ip) : null,
  isRobot: request.method === 'HEAD' || isRobot(request.headers),
  hasPassword: false,
})

/** `known`: facts that decided where the scan leads. */
const visitOf = (
  ctx: AppContext,
  { request, caller: { ip, userAgent } }: Visitor,
  known: Pick<Visit, 'isRobot' | 'device' | 'language' | 'country' | 'rule'>,
): Visit => ({
  ...known,
  isOptedOut: isOptedOut(request.headers),
  ip,
  userAgent,
  referrer: referrerOf(request.headers.get('referer'), (host) => isOwn(ctx, request, host)),
})

/** Short links may be at an address of their own, to which the request was sent then. */
const isOwn = (ctx: AppContext, request: Request, host: string): boolean =>
  addressOf(request).hostname === host || ownAddresses(ctx).some((address) => URL.parse(address)?.hostname === host)

async function ledBy(ctx: AppContext, code: Lead, decision: Decision, request: Request): Promise<Led> {
  if (decision.result !== 'TARGET' && decision.result !== 'FALLBACK') return { kind: decision.result }
  const { link } = code
  const location = locationOf(decision.target, link.forwardQuery ? addressOf(request).searchParams : undefined)
  const trust = await trustOf(ctx)
  if (trust === 'PROOF') code.isProved ??= await isOwnerProved(ctx.db.read, code.id)
  const isTrusted = trust === 'ALL' || (trust === 'PROOF' && code.isProved === true)
  // The owner asked for the warning before the target, not before the page that says that it is over.
  return { kind: !isTrusted || (link.warn && decision.result === 'TARGET') ? 'WARNING' : 'REDIRECT', location }
}

interface Taking {
  readonly code: Lead
  readonly scan: Scan
  readonly targets: TargetRules
}

/** Scans of links with limits take their share together, so that hundreds at once cost a few commits. */
const takingOf = perContext((ctx) => new GatheredWrites<Taking, Decision>(ctx.db, 'qrCodes.takeScans', takeAll, {}))

/** Each scan is decided by what the ones before it have left. */
async function takeAll(tx: Tx, list: readonly Taking[]): Promise<readonly Gathered<Decision>[]> {
  const results = new Map<Taking, Gathered<Decision>>()
  // In one order, so that two processes do not wait for each other.
  const byCode = [...Map.groupBy(list, ({ code }) => code.id)].toSorted(([a], [b]) => a - b)
  for (const [id, takings] of byCode) {
    const before: Link = await findLink(tx, id)
    const link = { ...before }
    let isTaken = false
    for (const taking of takings) {
      const { code, scan, targets } = taking
      const decision = decide({ ...code, link }, scan, targets)
      const taken = takenBy(link, decision, scan.isRobot)
      isTaken ||= taken !== undefined
      Object.assign(link, taken)
      results.set(taking, { value: decision })
    }
    // A scan of another process has come between: these are decided again.
    if (isTaken && !(await takeScans(tx, id, before, link))) for (const taking of takings) results.set(taking, 'later')
  }
  return list.map((taking) => results.get(taking)!)
}

/** Wrong passwords in an hour. */
const WRONG_BY_ADDRESS = 20
const WRONG_BY_ALL = 200

/** Undefined if the password is right. Wrong ones are counted in the database, also where requests are not limited. */
async function guessPassword(
  ctx: AppContext,
  id: number,
  passwordHash: string,
  password: string,
  ip: string,
): Promise<Led | undefined> {
  const isRight = passwordHashOf(ctx, id, password) === passwordHash
  const cost = isRight ? 0 : 1
  // The table must not contain addresses of visitors.
  const byAddress = usesByAddress({ key: '', limit: WRONG_BY_ADDRESS, windowMs: HOUR, cost }, ip).map((use) => ({
    ...use,
    key: ctx.seal.mac(JSON.stringify(['link password of', id, use.key])),
  }))
  const all = { key: `link password ${id}`, limit: WRONG_BY_ALL, windowMs: HOUR, cost }
  const refusal = await ctx.db.write('qrCodes.guessPassword', (tx) => spend(tx, [...byAddress, all], ctx.clock.now()))
  if (refusal !== undefined) return { kind: 'TOO_MANY', seconds: secondsOf(refusal) }
  return isRight ? undefined : { kind: 'WRONG_PASSWORD' }
}
