/** Check-ins of all activities, for administrators. */

import type { AppContext } from '#context'
import { orgOf } from '#db/owner-key.ts'
import type { Page } from '#db/paging.ts'
import { adminPage, hasFilters, ownersOf } from '#domains/admin/index.ts'
import type { Actor, LoggedActor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'

import type { AdminCheckIn, AdminRecordsQuery } from './check-ins.admin.model.ts'
import * as store from './check-ins.admin.store.ts'
import { toView } from './check-ins.service.ts'

export async function listAllRecords(
  ctx: AppContext,
  actor: Actor,
  query: AdminRecordsQuery,
): Promise<Page<AdminCheckIn>> {
  const { items, ...rest } = hasFilters(query)
    ? await adminPage(ctx, actor.userId, store.filtered(query), query)
    : await store.allPage(ctx.db.read, query)
  const ownedBy = await ownersOf(ctx.db.read, items.map(ownedRow))
  return {
    ...rest,
    items: items.map((row) => {
      const { owner, ...org } = ownedBy(ownedRow(row))
      return { ...toView(row), activityName: row.activityName, owner: row.userId === null ? null : owner, ...org }
    }),
  }
}

const ownedRow = ({ userId, owner }: store.AdminRow) => ({ userId: userId ?? 0, orgId: orgOf(owner) })

export async function deleteAnyRecord(actor: LoggedActor, id: number): Promise<void> {
  await actor.write('checkIns.deleteAny', async (tx) => {
    const row = await store.findRecord(tx, id)
    if (row === undefined || !(await store.deleteRecord(tx, id))) throw notFound()
    const { activityId, userId, method, sequence, checkedInAt } = row
    const before = { activityId, userId, method, sequence, checkedInAt }
    return { result: undefined, logged: { targetId: id, targetName: row.activityName, before } }
  })
}
