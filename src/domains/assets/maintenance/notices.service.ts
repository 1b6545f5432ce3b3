/** Notifies of maintenance that is due soon or overdue. */

import type { AppContext } from '#context'
import { orgOf } from '#db/owner-key.ts'
import type { Tx } from '#db/store.ts'
import { notify } from '#domains/notifications/index.ts'
import { isOrgEnabled } from '#domains/orgs/index.ts'
import { addDays, dayAt } from '#lib/days.ts'
import { MINUTE } from '#platform/clock.ts'

import { todayOf } from '../days.service.ts'
import type { PlanRow } from '../dues.store.ts'
import { keepersOf } from '../reminders.service.ts'
import { remindable } from '../reminders.store.ts'
import * as store from './maintenance.store.ts'

/** Assets that a notification names. */
const NAMED = 5
/** Assets whose ids a notification has. */
const LISTED = 50

/**
 * Notifies once of each due date that is near, and once when it has passed. All assets of a plan that are found together are one
 * notification to a user. The dates count as told in the write that inserts the notifications, so a kill repeats or loses none.
 */
export async function notifyOfMaintenance(ctx: AppContext): Promise<void> {
  // Zones differ by at most 14 hours from UTC, so this is the latest day of all owners.
  const latest = addDays(dayAt(ctx.clock.now(), 'UTC'), 1)
  // Overdue dates first: then they are no longer announced as due soon.
  for (const kind of ['OVERDUE', 'SOON'] as const)
    for (const plan of await store.plansToNotify(ctx.db.readInWorker, kind, latest)) {
      await ctx.db.write('assets.notifyOfMaintenance', (tx) => notifyOf(ctx, tx, plan, kind), { maxMs: MINUTE })
      await Bun.sleep(0)
    }
}

async function notifyOf(ctx: AppContext, tx: Tx, { id, owner }: PlanRow, kind: store.NoticeKind): Promise<void> {
  const plan = await store.findPlan(tx, owner, id)
  const orgId = orgOf(owner)
  if (plan === undefined || (orgId !== 0 && !(await isOrgEnabled(tx, orgId)))) return
  const { assigneeId } = plan
  const together = assigneeId !== null && (await remindable(tx, orgId, [assigneeId])).has(assigneeId)
  const today = await todayOf(ctx, tx, owner)
  const groups = await store.takeUntold(tx, plan, kind, { today, together, listed: LISTED })
  if (groups.length === 0) return
  if (together) return send(ctx, tx, plan, kind, [assigneeId], groups)
  const custodians = groups.flatMap(({ custodianId }) => custodianId ?? [])
  const ready = await remindable(tx, orgId, custodians)
  const isReady = ({ custodianId }: store.DueGroup) => custodianId !== null && ready.has(custodianId)
  for (const group of groups.filter(isReady)) await send(ctx, tx, plan, kind, [group.custodianId!], [group])
  const others = groups.filter((group) => !isReady(group))
  if (others.length > 0) await send(ctx, tx, plan, kind, await keepersOf(tx, owner), others)
}

async function send(
  ctx: AppContext,
  tx: Tx,
  plan: PlanRow,
  kind: store.NoticeKind,
  userIds: readonly number[],
  groups: readonly store.DueGroup[],
): Promise<void> {
  const listed = groups.flatMap(({ assets }) => assets).slice(0, LISTED)
  const named = listed.slice(0, NAMED)
  const more = groups.reduce((sum, group) => sum + group.count, 0) - named.length
  const names = named.map(({ name, assetNo, dueOn }) => `${name} (${assetNo}), ${dueOn}`)
  const [only] = listed
  await notify(ctx, tx, {
    userIds,
    type: 'ASSET',
    title:
      kind === 'SOON'
        ? { en: `Maintenance is due soon: ${plan.name}`, zh: `维护即将到期：${plan.name}` }
        : { en: `Maintenance is overdue: ${plan.name}`, zh: `维护已逾期：${plan.name}` },
    body: {
      en: `${names.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`,
      zh: `${names.join('；')}${more > 0 ? `；另有 ${more} 项` : ''}。`,
    },
    data: {
      ...(more === 0 && listed.length === 1 ? { assetId: only!.id } : { assetIds: listed.map((asset) => asset.id) }),
      planId: plan.id,
      orgId: orgOf(plan.owner) || null,
      event: kind === 'SOON' ? 'MAINTENANCE_DUE' : 'MAINTENANCE_OVERDUE',
    },
  })
}
