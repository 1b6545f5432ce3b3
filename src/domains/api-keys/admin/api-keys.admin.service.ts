/** API keys of all users, for administrators. */

import type { AppContext } from '#context'
import type { Page } from '#db/paging.ts'
import { requireMayChangeUser } from '#domains/access/index.ts'
import { adminPage, ownersOf } from '#domains/admin/index.ts'
import type { Actor, Caller, LoggedActor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'

import { endKey, toKeyView } from '../api-keys.service.ts'
import { findKey } from '../api-keys.store.ts'
import type { AdminApiKeyView, AdminKeysQuery } from './api-keys.admin.model.ts'
import { allKeys } from './api-keys.admin.store.ts'

export async function listAllKeys(
  ctx: AppContext,
  { userId }: Actor,
  query: AdminKeysQuery,
): Promise<Page<AdminApiKeyView>> {
  const { items, ...page } = await adminPage(ctx, userId, allKeys(query, ctx.clock.now()), query)
  const ownedBy = await ownersOf(
    ctx.db.read,
    items.map(({ key }) => key),
  )
  return {
    ...page,
    items: items.map(({ key }) => {
      const { owner, orgName } = ownedBy(key)
      return { ...toKeyView(key), orgName, owner }
    }),
  }
}

/** Ending a key that has ended changes nothing. @throws AppError 403 for the key of an administrator, unless the caller is SYSTEM_ADMIN */
export async function revokeAnyKey(ctx: AppContext, actor: LoggedActor, id: number, caller: Caller): Promise<void> {
  await actor.write('apiKeys.revokeAny', async (tx) => {
    const key = await findKey(tx, id, 'anyone')
    if (key === undefined) throw notFound()
    const { userId, name, prefix, domain, orgId, points } = key
    if (userId !== actor.userId) await requireMayChangeUser(tx, actor, userId)
    if (!(await endKey(ctx, tx, actor, key, caller))) return { result: undefined, logged: 'unchanged' as const }
    const before = { userId, prefix, domain, orgId: orgId === 0 ? null : orgId, points }
    return { result: undefined, logged: { targetId: id, targetName: name, before } }
  })
}
