/** Notifies the keepers of a supply of which too few are left. */

import type { AppContext } from '#context'
import { orgOf } from '#db/owner-key.ts'
import type { Tx } from '#db/store.ts'
import { notify } from '#domains/notifications/index.ts'

import { keepersOf } from '../reminders.service.ts'
import { remindable } from '../reminders.store.ts'
import type { SupplyRow } from './supplies.store.ts'

/** Once when the stock falls below the minimum; the caller has noted it in the row. */
export async function notifyOfLow(ctx: AppContext, tx: Tx, supply: SupplyRow): Promise<void> {
  const { id, name, supplyNo, unit, stock, minimum } = supply
  const orgId = orgOf(supply.owner)
  const named = await remindable(tx, orgId, supply.keeperIds)
  const userIds = named.size > 0 ? [...named] : await keepersOf(tx, supply.owner)
  await notify(ctx, tx, {
    userIds,
    type: 'ASSET',
    title: { en: `Few are left: ${name}`, zh: `库存不足：${name}` },
    body: {
      en: `${name} (${supplyNo}): ${stock} ${unit} left, at least ${minimum} should be there.`,
      zh: `${name}（${supplyNo}）：剩余 ${stock} ${unit}，最低库存为 ${minimum} ${unit}。`,
    },
    data: { supplyId: id, orgId: orgId || null, event: 'SUPPLY_LOW' },
  })
}
