import type { AppContext } from '#context'
import { type PermissionPoint, points } from '#permission-points'
import { sha256 } from '#platform/ids.ts'

import { rolesChanged } from './access.cache.ts'
import { planSeed, pointKey, roleKey } from './access.rules.ts'
import {
  allPoints,
  grantToSystemRole,
  insertPoints,
  insertRole,
  recordSeed,
  seededFrom,
  templateRoles,
} from './access.store.ts'
import { type SystemRole, systemRoles } from './system-roles.ts'

export interface SeedTable {
  readonly points: readonly PermissionPoint[]
  readonly roles: readonly SystemRole[]
}

const current: SeedTable = { points, roles: systemRoles }

/** Leaves out descriptions, so that rewording one does not cause a write at the next start. */
const fingerprintOf = (table: SeedTable): string =>
  sha256([...table.points.map(pointKey), ...table.roles.map((r) => `${roleKey(r)} ${String(r.points)}`)].join('\n'))

/**
 * Adds the points and system roles that the database lacks; a single query if nothing is missing. Existing rows stay as
 * administrators left them: `enabled`, descriptions, names, and the points of roles. A new point of a later version is bound to
 * the system roles that should have it, in every organization.
 */
export async function seed(ctx: AppContext, table: SeedTable = current): Promise<void> {
  const fingerprint = fingerprintOf(table)
  if ((await seededFrom(ctx.db.read)) === fingerprint) return
  await ctx.db.write('access.seed', async (tx) => {
    const plan = planSeed(table, {
      points: new Set((await allPoints(tx)).map(pointKey)),
      roles: new Set((await templateRoles(tx)).map(roleKey)),
    })
    await insertPoints(tx, plan.newPoints)
    for (const { domain, code, name } of plan.newRoles)
      await insertRole(tx, { domain, scopeId: 0, code, name: name.en, isSystem: true })
    const ids = new Map((await allPoints(tx)).map((row) => [pointKey(row), row.id]))
    for (const { role, points: names } of plan.grants)
      await grantToSystemRole(
        tx,
        role,
        names.map((name) => ids.get(`${role.domain} ${name}`)!),
      )
    await recordSeed(tx, fingerprint)
    rolesChanged(tx)
  })
}
