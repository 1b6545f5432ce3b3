import { dual, endpoint } from '#http/endpoint.ts'
import { EXPORT_LIMITS } from '#http/exports.ts'
import { ById, ExportZone, InOrg, Type } from '#http/schema.ts'
import { zoneOf } from '#http/validate.ts'

import { applyInventory } from './apply.service.ts'
import { exportInventory } from './export.service.ts'
import {
  ApplyInventory,
  ApplyResult,
  CreateInventory,
  FROZEN_ASSETS,
  InventoryPage,
  InventoryView,
  ItemPage,
  ItemsQuery,
  ListQuery,
  NEW_INVENTORIES,
  ScanAsset,
  ScanResult,
  UpdateInventory,
} from './inventories.model.ts'
import * as service from './inventories.service.ts'
import { organizationOfInventory } from './inventories.store.ts'

const tag = 'Inventories'

export const inventoryEndpoints = [
  endpoint({
    id: 'inventories.list',
    method: 'GET',
    path: '/api/assets/inventories',
    summary: 'List inventories',
    description: 'The newest first. `orgId` lists the inventories of that organization.',
    tag,
    access: dual('asset:read'),
    query: ListQuery,
    data: InventoryPage,
    run: ({ ctx, owner, query }) => service.listInventories(ctx, owner, query),
  }),
  endpoint({
    id: 'inventories.create',
    method: 'POST',
    path: '/api/assets/inventories',
    summary: 'Create an inventory',
    description: 'It is a DRAFT at first. The assets that it expects are recorded when you start it.',
    tag,
    access: dual('inventory:manage'),
    query: InOrg,
    body: CreateInventory,
    data: InventoryView,
    budgets: [NEW_INVENTORIES],
    refuses: { 404: 'The organization does not exist.' },
    run: ({ ctx, owner, body }) => service.createInventory(ctx, owner, body),
  }),
  endpoint({
    id: 'inventories.get',
    method: 'GET',
    path: '/api/assets/inventories/:id',
    summary: 'Get an inventory',
    tag,
    access: dual('asset:read', organizationOfInventory),
    params: ById,
    query: InOrg,
    data: InventoryView,
    run: ({ ctx, owner, params }) => service.getInventory(ctx, owner, params.id),
  }),
  endpoint({
    id: 'inventories.update',
    method: 'PUT',
    path: '/api/assets/inventories/:id',
    summary: 'Update, start or close an inventory',
    description:
      'A DRAFT becomes RUNNING, then CLOSED. When it starts, the assets in its scope are recorded as expected: all except scrapped ones. ' +
      'Later changes of assets do not change the inventory. The scope can change in a DRAFT only, and a CLOSED inventory not at all. Absent ' +
      'fields stay; null clears a field (the name cannot be cleared).',
    tag,
    access: dual('inventory:manage', organizationOfInventory),
    params: ById,
    query: InOrg,
    body: UpdateInventory,
    data: InventoryView,
    budgets: [FROZEN_ASSETS],
    run: ({ ctx, owner, params, body }) => service.updateInventory(ctx, owner, params.id, body),
  }),
  endpoint({
    id: 'inventories.apply',
    method: 'POST',
    path: '/api/assets/inventories/:id/apply',
    summary: 'Apply the result of a closed inventory to its assets',
    description:
      'Needs `asset:update` too. Assets whose status or location changed after the inventory was closed, and those that are on loan, scrapped or ' +
      'deleted, are skipped; unexpected ones never change. A repetition changes nothing twice, and finishes a request that was interrupted. ' +
      'While one request applies an inventory, others get 429.',
    tag,
    access: dual('inventory:manage', organizationOfInventory),
    params: ById,
    query: InOrg,
    body: ApplyInventory,
    data: ApplyResult,
    ignoresKey: 'A repetition changes nothing twice.',
    run: ({ ctx, owner, params, body }) => applyInventory(ctx, owner, params.id, body),
  }),
  endpoint({
    id: 'inventories.scan',
    method: 'POST',
    path: '/api/assets/inventories/:id/scan',
    summary: 'Record that an asset was scanned for an inventory',
    description:
      'An asset counts once, however often it is scanned: details that you give replace those of an earlier scan, and the others stay. The asset ' +
      'itself does not change. 400 unless the inventory is RUNNING; 403 if it has assignees and you are neither one of them nor hold ' +
      '`inventory:manage`.',
    tag,
    access: dual('inventory:scan', organizationOfInventory),
    params: ById,
    query: InOrg,
    body: ScanAsset,
    data: ScanResult,
    run: ({ ctx, owner, params, body }) => service.scanAsset(ctx, owner, params.id, body),
  }),
  endpoint({
    id: 'inventories.items',
    method: 'GET',
    path: '/api/assets/inventories/:id/items',
    summary: 'List the assets of an inventory',
    description:
      'Expected assets as they were at the start, and unexpected ones that were scanned, in the order of their ids.',
    tag,
    access: dual('asset:read', organizationOfInventory),
    params: ById,
    query: ItemsQuery,
    data: ItemPage,
    run: ({ ctx, owner, params, query }) => service.listItems(ctx, owner, params.id, query),
  }),
  endpoint({
    id: 'inventories.export',
    method: 'GET',
    path: '/api/assets/inventories/:id/export',
    summary: 'Export the result of an inventory as a workbook',
    description: `A row for each asset of the inventory, in the language of \`Accept-Language\`. ${EXPORT_LIMITS}`,
    tag,
    access: dual('asset:read', organizationOfInventory),
    params: ById,
    query: Type.Object({ ...InOrg.properties, tz: ExportZone }),
    answers: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    run: ({ ctx, owner, caller, params, query }) => exportInventory(ctx, owner, params.id, zoneOf(query), caller),
  }),
]
