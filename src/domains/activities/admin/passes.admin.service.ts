/** Passes of all activities, for administrators. */

import type { AppContext } from '#context'
import { orgOf } from '#db/owner-key.ts'
import type { Page } from '#db/paging.ts'
import type { Db } from '#db/store.ts'
import { adminPage, hasFilters, ownersOf } from '#domains/admin/index.ts'
import type { Actor, LoggedActor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'

import { statusOf } from '../passes/passes.rules.ts'
import { tellHolder } from '../passes/passes.service.ts'
import { revokePass } from '../passes/passes.store.ts'
import { viewOf } from '../passes/passes.view.ts'
import { purgePass } from '../purging.service.ts'
import type { AdminPassesQuery, AdminPassView } from './passes.admin.model.ts'
import * as store from './passes.admin.store.ts'

export async function listAllPasses(
  ctx: AppContext,
  actor: Actor,
  query: AdminPassesQuery,
): Promise<Page<AdminPassView>> {
  const { items, ...rest } = hasFilters(query)
    ? await adminPage(ctx, actor.userId, store.filtered(query, ctx.clock.now()), query)
    : await store.allPage(ctx.db.read, query)
  return { ...rest, items: await toViews(ctx, ctx.db.read, items) }
}

/** Without the links of the passes: they let anyone in, and administrators are no managers of the activity. */
async function toViews(ctx: AppContext, db: Db, rows: readonly store.AdminRow[]): Promise<AdminPassView[]> {
  const ownedBy = await ownersOf(db, rows.map(ownedRow))
  return rows.map((row) => {
    const { owner, ...organization } = ownedBy(ownedRow(row))
    return {
      ...viewOf(ctx, row, null),
      uuid: null,
      publicUrl: null,
      activityName: row.activityName,
      owner: row.holderUserId === null ? null : owner,
      ...organization,
    }
  })
}

/** There is no user 0. */
const ownedRow = ({ holderUserId, owner }: store.AdminRow) => ({ userId: holderUserId ?? 0, orgId: orgOf(owner) })

/** Final and at once, also if the organization is disabled. Revoking again changes nothing. */
export async function revokeAnyPass(
  ctx: AppContext,
  actor: LoggedActor,
  id: number,
  reason: string | null | undefined,
): Promise<AdminPassView> {
  const row = await actor.write('passes.revokeAny', async (tx) => {
    const before = await store.findAnyPass(tx, id)
    if (before === undefined) throw notFound()
    const revoked = await revokePass(tx, id, reason ?? '')
    if (revoked === undefined) return { result: before, logged: 'unchanged' }
    const activity = { id: before.activityId, name: before.activityName, owner: before.owner }
    await tellHolder(ctx, tx, activity, revoked, 'REVOKED')
    const now = ctx.clock.now()
    const logged = {
      targetId: id,
      targetName: before.holderName,
      before: { status: statusOf(before, now), revokeReason: null },
      after: { status: 'REVOKED', revokeReason: reason || null },
    }
    return { result: { ...before, ...revoked }, logged }
  })
  const [view] = await toViews(ctx, ctx.db.read, [row])
  return view!
}

/** Whatever its state. The uses of the pass no longer count, and gates refuse it. */
export async function deleteAnyPass(ctx: AppContext, actor: LoggedActor, id: number): Promise<void> {
  await actor.write('passes.deleteAny', async (tx) => {
    const row = await store.findAnyPass(tx, id)
    if (row === undefined || !(await purgePass(tx, id))) throw notFound()
    const { activityId, holderUserId, maxUses, usedCount } = row
    const before = { activityId, holderUserId, status: statusOf(row, ctx.clock.now()), maxUses, usedCount }
    return { result: undefined, logged: { targetId: id, targetName: row.holderName, before } }
  })
}
