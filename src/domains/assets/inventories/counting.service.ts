/** The dates of counts: those that a closed inventory gives, and the notices of those that are near. */

import type { AppContext } from '#context'
import { orgOf, type OwnerKey } from '#db/owner-key.ts'
import { finishInSlices } from '#db/slices.ts'
import type { Tx } from '#db/store.ts'
import { notify } from '#domains/notifications/index.ts'
import { isOrgEnabled } from '#domains/orgs/index.ts'
import { addDays, addMonths, dayAt } from '#lib/days.ts'
import { MINUTE } from '#platform/clock.ts'

import { todayOf, zoneOfOwner } from '../days.service.ts'
import { assetsByIds, updateRows } from '../register/register.store.ts'
import { keepersOf } from '../reminders.service.ts'
import * as counting from './counting.store.ts'
import type { InventoryRow } from './inventories.rules.ts'

/** An inventory can have found 250,000 assets, so each write takes some. A job continues after a stop. */
export const setCounted = (ctx: AppContext): Promise<void> =>
  finishInSlices(
    ctx,
    'inventories.setCounted',
    { first: counting.firstCounting, work: countSome, end: (tx, { id }) => counting.setCountedUpTo(tx, id, null) },
    { firstRows: 100, maxRows: 1000 },
  )

async function countSome(tx: Tx, { id, owner }: InventoryRow, limit: number): Promise<number> {
  const inventory = await counting.findCounting(tx, id)
  if (inventory === undefined) return 0
  const { countedUpTo, closedAt } = inventory
  const ids = await counting.foundAssets(tx, id, countedUpTo!, limit)
  if (ids.length === 0) return 0
  const day = dayAt(closedAt!, await zoneOfOwner(tx, owner))
  const monthsOf = await counting.intervals(tx, owner)
  const rows = await assetsByIds(tx, owner, ids)
  await updateRows(
    tx,
    rows
      // A later inventory may have been closed before this one was done.
      .filter(({ lastCountedOn }) => lastCountedOn === null || lastCountedOn <= day)
      .map((row) => {
        const months = monthsOf(row.categoryId)
        return {
          row,
          change: { lastCountedOn: day, nextCountOn: months === undefined ? null : addMonths(day, months) },
        }
      }),
  )
  await counting.setCountedUpTo(tx, id, ids.at(-1)!)
  return ids.length
}

/** Keepers are notified so many days before. */
const DAYS_AHEAD = 14
/** Categories that a notification names. */
const NAMED = 5

/** Notifies the keepers of an owner once of each count that is near: how many assets of which category. */
export async function notifyOfCounts(ctx: AppContext): Promise<void> {
  // Zones differ by at most 14 hours from UTC, so this is the latest day of all owners.
  const latest = addDays(dayAt(ctx.clock.now(), 'UTC'), DAYS_AHEAD + 1)
  for (const owner of await counting.ownersToNotify(ctx.db.readInWorker, latest)) {
    await ctx.db.write('assets.notifyOfCounts', (tx) => notifyOf(ctx, tx, owner), { maxMs: MINUTE })
    await Bun.sleep(0)
  }
}

async function notifyOf(ctx: AppContext, tx: Tx, owner: OwnerKey): Promise<void> {
  const orgId = orgOf(owner)
  if (orgId !== 0 && !(await isOrgEnabled(tx, orgId))) return
  const groups = await counting.takeUntold(tx, owner, addDays(await todayOf(ctx, tx, owner), DAYS_AHEAD))
  if (groups.length === 0) return
  const named = groups.slice(0, NAMED)
  const more = groups.slice(NAMED).reduce((sum, { n }) => sum + n, 0)
  const text = (none: string, and: (n: number) => string, between: string, end: string) =>
    [...named.map(({ name, n }) => `${name ?? none}: ${n}`), ...(more > 0 ? [and(more)] : [])].join(between) + end
  await notify(ctx, tx, {
    userIds: await keepersOf(tx, owner),
    type: 'ASSET',
    title: { en: 'Assets are to be counted soon', zh: '资产即将需要盘点' },
    body: {
      en: text('Without a category', (n) => `others: ${n}`, '; ', '.'),
      zh: text('未分类', (n) => `其他：${n}`, '；', '。'),
    },
    data: { orgId: orgId || null, event: 'COUNT_DUE' },
  })
}
