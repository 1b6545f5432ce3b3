/** The permission points as administrators see and change them. None is ever deleted: what is not wanted is disabled. */

import type { AppContext } from '#context'
import { mapPage } from '#db/paging.ts'
import type { Actor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'

import { rolesChanged } from '../service.ts'
import { pointExists } from './errors.ts'
import type { CreatePermission, PermissionsQuery, PermissionView, UpdatePermission } from './model.ts'
import { findPermission, insertPermission, permissionsPage, updatePermission } from './store.ts'
import { toPermissionView } from './view.ts'

export const listPermissions = async (ctx: AppContext, query: PermissionsQuery) =>
  mapPage(await permissionsPage(ctx.db.read, query), toPermissionView)

/** The roles that hold everything hold it at once. */
export async function createPermission(
  ctx: AppContext,
  _actor: Actor,
  input: CreatePermission,
): Promise<PermissionView> {
  const { domain, resource, action } = input
  const row = await ctx.db.write('rbac.createPermission', async (tx) => {
    const made = await insertPermission(tx, { domain, resource, action, description: input.description ?? '' })
    if (made === undefined) throw pointExists()
    rolesChanged(ctx, tx)
    return made
  })
  return toPermissionView(row)
}

export async function changePermission(
  ctx: AppContext,
  _actor: Actor,
  id: number,
  input: UpdatePermission,
): Promise<PermissionView> {
  const row = await ctx.db.write('rbac.changePermission', async (tx) => {
    const before = await findPermission(tx, id)
    if (before === undefined) throw notFound()
    const after = {
      ...before,
      enabled: input.enabled ?? before.enabled,
      description: input.description === undefined ? before.description : (input.description ?? ''),
    }
    await updatePermission(tx, id, { enabled: after.enabled, description: after.description })
    if (after.enabled !== before.enabled) rolesChanged(ctx, tx)
    return after
  })
  return toPermissionView(row)
}
