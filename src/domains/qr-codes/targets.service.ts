/** Addresses to which codes may lead on this server. */

import { type AppContext, perContext } from '#context'
import { getSetting } from '#domains/settings/index.ts'
import { ownAddresses, shortHost } from '#http/addresses.ts'
import type { FieldProblem } from '#http/errors.ts'
import { parseName } from '#lib/host-name.ts'
import { ownAddress, targetProblem, type TargetRules, webAddress } from '#lib/link-target.ts'
import type { MaybePromise } from '#lib/maybe-promise.ts'

import { wrongTarget } from './targets.errors.ts'

interface Known extends TargetRules {
  readonly setting: readonly string[]
  readonly addresses: string
}

const known = perContext((): { rules?: Known } => ({}))

/** Returns no promise if the settings are cached. */
export function targetRules(ctx: AppContext): MaybePromise<TargetRules> {
  const setting = getSetting(ctx, 'links.blockedHosts')
  return setting instanceof Promise ? setting.then((hosts) => rulesOf(ctx, hosts)) : rulesOf(ctx, setting)
}

/** They are read with each scan, and change with the settings and addresses only. */
function rulesOf(ctx: AppContext, setting: readonly string[]): TargetRules {
  const { shortUrl } = ctx.config
  const list = shortUrl === '' ? ownAddresses(ctx) : [...ownAddresses(ctx), shortUrl]
  const addresses = list.join(' ')
  const last = known(ctx).rules
  if (last !== undefined && last.setting === setting && last.addresses === addresses) return last
  const rules: Known = {
    setting,
    addresses,
    blockedHosts: setting.map((host) => parseName(host) ?? host),
    ownAddresses: list.map(ownAddress),
    shortAddress: shortHost(ctx) === undefined ? undefined : ownAddress(shortUrl),
  }
  known(ctx).rules = rules
  return rules
}

/** The problem of a content to which a code would lead. Other contents than web addresses lead nowhere. */
export function contentTargetProblem(content: string, path: string, rules: TargetRules): FieldProblem | undefined {
  const address = webAddress(content)
  const problem = address === undefined ? undefined : targetProblem(address, rules)
  return problem && wrongTarget(path, problem)
}
