/** Assets and stock-takings as webhooks tell of them. */

import type { AppContext } from '#context'
import { orgOf, type OwnerKey } from '#db/owner-key.ts'
import type { Tx } from '#db/store.ts'
import type { EventRow, EventRows } from '#domains/contributions.ts'
import { valuesOf } from '#domains/metadata/index.ts'

import { entitiesOf, toEventRow } from './entities.service.ts'
import { InventoryView } from './inventories/inventories.model.ts'
import { inventoriesByIds } from './inventories/inventories.store.ts'
import { toView } from './inventories/inventories.view.ts'
import { AssetView } from './register/register.model.ts'
import { type AssetRow, assetsByIds } from './register/register.store.ts'
import { toViews } from './register/register.view.ts'

const assets: EventRows = {
  schema: AssetView,
  name: 'name',
  rows: async (ctx, tx, owner, ids) => show(ctx, tx, owner, await assetsByIds(tx, owner, ids)),
  show: (ctx, tx, owner, rows) => show(ctx, tx, owner, rows as readonly AssetRow[]),
}

async function show(ctx: AppContext, tx: Tx, owner: OwnerKey, rows: readonly AssetRow[]): Promise<EventRow[]> {
  if (rows.length === 1) return [await toEventRow(ctx, tx, rows[0]!)]
  const orgId = orgOf(owner)
  // The viewer of an organization's assets has no fields of their own: values in these are only for the user who defined them.
  const viewer = { userId: orgId === 0 ? -owner : 0, orgId, everyone: true } as const
  const values = await valuesOf(ctx, tx, viewer, 'asset', await entitiesOf(tx, rows))
  return (await toViews(ctx, tx, rows)).map((view) => ({ ...view, values: values.get(view.id) ?? [] }))
}

const inventories: EventRows = {
  schema: InventoryView,
  name: 'name',
  rows: async (_ctx, tx, owner, ids) => (await inventoriesByIds(tx, owner, ids)).map(toView),
}

export const eventRows = { asset: assets, inventory: inventories }
