/** Memberships of organizations that follow from the groups of a user at a provider. */

import type { AppContext } from '#context'
import { MAPPED_ROLES, type MappedRole, type RoleLine } from '#db/schema/oidc.ts'
import type { Db, Tx } from '#db/store.ts'
import { appendLog, IN_ORDER } from '#domains/operation-log/index.ts'
import { planProvidedMembership, provideMembership, type WantedMembership } from '#domains/orgs/index.ts'
import type { Caller } from '#http/endpoint.ts'
import { AppError } from '#http/errors.ts'

import { listProviders, type ProviderRow, updateRoleMap } from '../providers/providers.store.ts'
import { givenTo, insertGiven } from './roles.store.ts'

/** The highest role of each organization. */
export function rolesOf(roleMap: readonly RoleLine[], groups: readonly string[]): Map<number, MappedRole> {
  const held = new Set(groups)
  const roles = new Map<number, MappedRole>()
  for (const { group, orgId, roleCode } of roleMap) {
    if (!held.has(group)) continue
    const other = roles.get(orgId)
    if (other === undefined || MAPPED_ROLES.indexOf(roleCode) < MAPPED_ROLES.indexOf(other)) roles.set(orgId, roleCode)
  }
  return roles
}

async function wantedBy(
  db: Db | Tx,
  { id, roleMap, roleMode }: ProviderRow,
  userId: number,
  groups: readonly string[],
): Promise<WantedMembership[]> {
  const roles = rolesOf(roleMap, groups)
  const given = new Set(await givenTo(db, userId, id))
  const ending = roleMode === 'SYNC' ? [...given].filter((orgId) => !roles.has(orgId)) : []
  return [
    ...[...roles].map(([orgId, roleCode]) => ({
      orgId,
      userId,
      roleCode,
      mayLower: roleMode === 'SYNC' && given.has(orgId),
    })),
    ...ending.map((orgId) => ({ orgId, userId, roleCode: null, mayLower: true })),
  ]
}

/** Gives, changes and ends memberships, each in a write of its own. A sign-in that changes nothing writes nothing. */
export async function applyRoles(
  ctx: AppContext,
  provider: ProviderRow,
  userId: number,
  groups: readonly string[],
  caller: Pick<Caller, 'ip' | 'requestId'>,
): Promise<void> {
  for (const wanted of await wantedBy(ctx.db.read, provider, userId, groups)) {
    const plan = await planProvidedMembership(ctx.db.read, wanted)
    if (plan === undefined) continue
    const { orgId } = wanted
    const skip = (reason: string) =>
      ctx.log.warn('a membership of a sign-in provider was skipped', { provider: provider.key, orgId, userId, reason })
    if ('skipped' in plan) skip(plan.skipped)
    else
      try {
        await ctx.db.write('oidc.applyRole', (tx) => applyRole(ctx, tx, provider, wanted, caller), IN_ORDER)
      } catch (error) {
        // The organization has become full or disabled meanwhile.
        if (!(error instanceof AppError)) throw error
        skip(error.message)
      }
  }
}

async function applyRole(
  ctx: AppContext,
  tx: Tx,
  provider: ProviderRow,
  wanted: WantedMembership,
  caller: Pick<Caller, 'ip' | 'requestId'>,
): Promise<void> {
  const done = await provideMembership(ctx, tx, wanted)
  if (done === undefined) return
  const { action, entry } = done
  if (action === 'ORG_MEMBER_ADD') await insertGiven(tx, wanted.userId, wanted.orgId, provider.id)
  await appendLog(ctx, tx, { userId: 0, name: `provider ${provider.key}` }, action, caller, entry)
}

/** Inside a write: an organization is dissolved, and its lines go with it. */
export async function forgetOrg(tx: Tx, orgId: number): Promise<void> {
  for (const { id, roleMap } of await listProviders(tx)) {
    const rest = roleMap.filter((line) => line.orgId !== orgId)
    if (rest.length < roleMap.length) await updateRoleMap(tx, id, rest)
  }
}
