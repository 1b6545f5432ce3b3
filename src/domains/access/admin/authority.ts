/** Nobody hands on, changes or takes away more than they hold themselves; SYSTEM_ADMIN holds everything everywhere. */

import type { PermissionDomain } from '#db/schema/access.ts'
import type { Tx } from '#db/store.ts'
import type { Actor } from '#http/endpoint.ts'

import { holdsEverything } from '../roles.ts'
import { aboveYourself } from './errors.ts'
import { covers, type Reach } from './rules.ts'
import { pointsOfRoles, rolesReaching } from './store.ts'

/** As this write sees it, not as the cache does: of two writes at once the second decides by what the first left. */
async function reachOf(tx: Tx, actor: Actor, domain: PermissionDomain, scopeId: number): Promise<Reach> {
  const held = await rolesReaching(tx, actor.userId, domain, scopeId)
  if (held.some((role) => holdsEverything(role.domain, role.code))) return 'everything'
  const ids = held.map((role) => role.id)
  return new Set((await pointsOfRoles(tx, ids)).map((point) => point.id))
}

/** Throws a 403 when the role, or what it would be with `pointIds`, is above the caller. */
export async function checkCovers(
  tx: Tx,
  actor: Actor,
  role: { domain: PermissionDomain; scopeId: number; code: string },
  pointIds: readonly number[],
): Promise<void> {
  const reach = await reachOf(tx, actor, role.domain, role.scopeId)
  if (!covers(reach, { domain: role.domain, code: role.code, pointIds })) throw aboveYourself()
}

/** The same for a role as it is. */
export async function checkCoversRole(
  tx: Tx,
  actor: Actor,
  role: { id: number; domain: PermissionDomain; scopeId: number; code: string },
): Promise<void> {
  const points = await pointsOfRoles(tx, [role.id])
  await checkCovers(
    tx,
    actor,
    role,
    points.map((point) => point.id),
  )
}
