/** Assets and stock-takings as webhooks tell of them. */

import { orgOf } from '#db/owner-key.ts'
import type { EventRows } from '#domains/contributions.ts'
import { valuesOf } from '#domains/metadata/index.ts'

import { entitiesOf } from './entities.service.ts'
import { InventoryView } from './inventories/inventories.model.ts'
import { inventoriesByIds } from './inventories/inventories.store.ts'
import { toView } from './inventories/inventories.view.ts'
import { AssetView } from './register/register.model.ts'
import { assetsByIds } from './register/register.store.ts'
import { toViews } from './register/register.view.ts'
import { ownerOfOrg } from './reminders.store.ts'

const assets: EventRows = {
  schema: AssetView,
  name: 'name',
  async rows(ctx, tx, owner, ids) {
    const rows = await assetsByIds(tx, owner, ids)
    const orgId = orgOf(owner)
    // Who may see all values of the owner's assets.
    const userId = orgId === 0 ? -owner : ((await ownerOfOrg(tx, orgId)) ?? 0)
    const values = await valuesOf(ctx, tx, { userId, orgId }, 'asset', await entitiesOf(tx, rows))
    return (await toViews(ctx, tx, rows)).map((view) => ({ ...view, values: values.get(view.id) ?? [] }))
  },
}

const inventories: EventRows = {
  schema: InventoryView,
  name: 'name',
  rows: async (_ctx, tx, owner, ids) => (await inventoriesByIds(tx, owner, ids)).map(toView),
}

export const eventRows = { asset: assets, inventory: inventories }
