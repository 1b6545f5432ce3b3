/** Who holds which role, as administrators see and change it. */

import type { AppContext } from '#context'
import { mapPage } from '#db/paging.ts'
import type { Tx } from '#db/store.ts'
import type { Actor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'

import { accessCache } from '../cache.ts'
import { OWNER } from '../roles.ts'
import { insertUserRole } from '../store.ts'
import { checkCoversRole } from './authority.ts'
import { initialStays, noSuchRole, notAMember, ownerByTransferOnly, templateOnly } from './errors.ts'
import type { UserRolesQuery, UserRoleView } from './model.ts'
import * as store from './store.ts'
import { toUserRoleView } from './view.ts'

export async function listUserRoles(ctx: AppContext, userId: number, query: UserRolesQuery) {
  if ((await store.userStatus(ctx.db.read, userId)) === undefined) throw notFound()
  return mapPage(await store.userRolesPage(ctx.db.read, userId, query), toUserRoleView)
}

/** Harmless when held already. */
export async function grantRole(ctx: AppContext, actor: Actor, userId: number, roleId: number): Promise<UserRoleView> {
  const row = await ctx.db.write('rbac.grantRole', async (tx) => {
    const status = await store.userStatus(tx, userId)
    if (status === undefined || status === 'DELETED') throw notFound()
    const role = await store.findRoleRow(tx, roleId)
    if (role === undefined) throw noSuchRole()
    await checkMayBeHeld(tx, role, userId)
    await checkCoversRole(tx, actor, role)
    await insertUserRole(tx, userId, roleId, false)
    tx.afterCommit(() => accessCache(ctx).forgetUser(userId))
    return (await store.findUserRole(tx, userId, roleId))!
  })
  return toUserRoleView(row)
}

async function checkMayBeHeld(tx: Tx, role: store.RoleRow, userId: number): Promise<void> {
  if (role.domain !== 'ORG') return
  if (role.scopeId === 0) throw templateOnly()
  if (role.code === OWNER) throw ownerByTransferOnly()
  if (!(await store.isMember(tx, role.scopeId, userId))) throw notAMember()
}

export async function revokeRole(ctx: AppContext, actor: Actor, userId: number, roleId: number): Promise<void> {
  await ctx.db.write('rbac.revokeRole', async (tx) => {
    const binding = await store.findUserRole(tx, userId, roleId)
    if (binding === undefined) throw notFound()
    if (binding.isInitial) throw initialStays()
    if (binding.domain === 'ORG' && binding.code === OWNER) throw ownerByTransferOnly()
    await checkCoversRole(tx, actor, { ...binding, id: roleId })
    if (!(await store.deleteUserRole(tx, userId, roleId))) throw notFound()
    tx.afterCommit(() => accessCache(ctx).forgetUser(userId))
  })
}
