/** Addresses to which codes may lead on this server. */

import { type AppContext, perContext } from '#context'
import { getSetting } from '#domains/settings/index.ts'
import { ownAddresses, shortHost } from '#http/addresses.ts'
import type { FieldProblem } from '#http/errors.ts'
import { parseName } from '#lib/host-name.ts'
import { targetProblem, type TargetRules, webAddress } from '#lib/link-target.ts'
import type { MaybePromise } from '#lib/maybe-promise.ts'

import { wrongTarget } from './targets.errors.ts'

const known = perContext(() => ({ setting: [] as readonly string[], hosts: [] as readonly string[] }))

/** The hosts of the setting in their spelling of the DNS. Returns no promise if the settings are cached. */
export function blockedHosts(ctx: AppContext): MaybePromise<readonly string[]> {
  const setting = getSetting(ctx, 'links.blockedHosts')
  return setting instanceof Promise ? setting.then((hosts) => namesOf(ctx, hosts)) : namesOf(ctx, setting)
}

function namesOf(ctx: AppContext, setting: readonly string[]): readonly string[] {
  const last = known(ctx)
  if (last.setting !== setting) Object.assign(last, { setting, hosts: setting.map((host) => parseName(host) ?? host) })
  return last.hosts
}

export async function targetRules(ctx: AppContext): Promise<TargetRules> {
  const { shortUrl } = ctx.config
  return {
    blockedHosts: await blockedHosts(ctx),
    ownAddresses: shortUrl === '' ? ownAddresses(ctx) : [...ownAddresses(ctx), shortUrl],
    shortAddress: shortHost(ctx) === undefined ? undefined : shortUrl,
  }
}

/** The problem of a content to which a code would lead. Other contents than web addresses lead nowhere. */
export function contentTargetProblem(content: string, path: string, rules: TargetRules): FieldProblem | undefined {
  const address = webAddress(content)
  const problem = address === undefined ? undefined : targetProblem(address, rules)
  return problem && wrongTarget(path, problem)
}
