import { INVENTORY_STATES, INVENTORY_STATUSES } from '#db/schema/assets.ts'
import type { Budget } from '#http/budget.ts'
import {
  AnyOf,
  Description,
  Enum,
  Id,
  Line,
  Model,
  Name,
  Named,
  Nullable,
  PageOf,
  PageQuery,
  type Static,
  Text,
  Time,
  Type,
} from '#http/schema.ts'
import { DAY } from '#platform/clock.ts'

import { AssetCondition } from '../loans/loans.model.ts'

/** Inventories of one owner, open and closed ones. Lists filter them without an index. */
export const MAX_INVENTORIES = 2000
/** Expected assets of one inventory. Freezing them takes about a second on SQLite, and holds up other writes. */
export const MAX_EXPECTED = 250_000
const MAX_SCOPE_IDS = 100
const MAX_ASSIGNEES = 100

export const NEW_INVENTORIES: Budget = {
  name: 'inventories',
  counts: { en: 'inventories', zh: '盘点' },
  per: 'user',
  limit: 200,
  windowMs: DAY,
  durable: true,
}
/** Each start stores a row for each expected asset. */
export const FROZEN_ASSETS: Budget = {
  name: 'inventory-assets',
  counts: { en: 'assets in started inventories', zh: '已开始盘点的资产' },
  per: 'user',
  limit: 2_000_000,
  windowMs: DAY,
  durable: true,
  countedByRun: true,
}

const Status = Named('InventoryStatus', Enum(INVENTORY_STATUSES, { examples: ['RUNNING'] }))
const State = Named('InventoryState', Enum(INVENTORY_STATES, { examples: ['FOUND'] }))

const ids = (max: number, description: string) => Type.Array(Id, { maxItems: max, description })
const CATEGORIES = 'Asset categories with their sub-categories; empty: all'
const LOCATIONS = 'Locations with those below them; empty: all. Only in organizations'

const Scope = Model('InventoryScopeInput', {
  categoryIds: Type.Optional(Nullable(ids(MAX_SCOPE_IDS, CATEGORIES))),
  locationIds: Type.Optional(Nullable(ids(MAX_SCOPE_IDS, LOCATIONS))),
})

const writable = {
  name: Name,
  scope: Type.Optional(Nullable(Scope)),
  assigneeIds: Type.Optional(
    Nullable(
      ids(MAX_ASSIGNEES, 'If there are any, only they and holders of `inventory:manage` may scan. Members, or you'),
    ),
  ),
  note: Type.Optional(Nullable(Description)),
}
const NullableOrgId = Type.Optional(Nullable(Id))

export const CreateInventory = Model('CreateInventory', { ...writable, orgId: NullableOrgId })
export type CreateInventory = Static<typeof CreateInventory>

/** Absent fields stay; null clears a field (the name cannot be cleared). */
export const UpdateInventory = Named(
  'UpdateInventory',
  Type.Partial(Type.Object({ ...writable, status: Status, orgId: NullableOrgId })),
)
export type UpdateInventory = Static<typeof UpdateInventory>

export const ListQuery = PageQuery({
  orgId: Type.Optional(Id),
  status: Type.Optional(Status),
  keyword: Type.Optional(Line(100, 0, { description: 'Searched for in name and note', examples: ['autumn'] })),
})
export type ListQuery = Static<typeof ListQuery>

const Figure = Type.Integer({ minimum: 0, examples: [12] })

export const InventoryView = Model('Inventory', {
  id: Id,
  name: Text('Autumn 2026, main building'),
  orgId: Nullable(Id),
  scope: Model('InventoryScope', {
    categoryIds: ids(MAX_SCOPE_IDS, CATEGORIES),
    locationIds: ids(MAX_SCOPE_IDS, LOCATIONS),
  }),
  status: Status,
  assigneeIds: Type.Array(Id),
  note: Text('Start on the top floor'),
  expected: { ...Figure, description: 'Assets in the scope when the inventory started; now, as long as it is a DRAFT' },
  found: { ...Figure, description: 'Expected assets that were scanned, `misplaced` ones included' },
  missing: Figure,
  unexpected: { ...Figure, description: 'Scanned assets that were not expected' },
  misplaced: { ...Figure, description: 'Expected assets that were scanned at another location than recorded' },
  createdBy: Id,
  startedAt: Nullable(Time),
  closedAt: Nullable(Time),
  createdAt: Time,
  updatedAt: Time,
})
export type InventoryView = Static<typeof InventoryView>
export const InventoryPage = PageOf(InventoryView)

/** Skipped assets of one answer. */
export const MAX_SKIPPED = 1000
const keep = <T extends string>(action: T, description: string) =>
  Type.Optional(Enum([action, 'KEEP'], { default: 'KEEP', description, examples: ['KEEP'] }))

export const ApplyInventory = Model('ApplyInventory', {
  missing: keep('LOST', 'LOST: missing assets get this status'),
  misplaced: keep('MOVE', 'MOVE: misplaced assets move to where they were scanned, with a row in their history'),
  found: keep('RESTORE', 'RESTORE: found assets that are LOST get the status IN_USE'),
  dryRun: Type.Optional(Type.Boolean({ description: 'Only count: nothing changes' })),
  orgId: NullableOrgId,
})
export type ApplyInventory = Static<typeof ApplyInventory>

export const ApplyResult = Model('InventoryApplication', {
  changed: { ...Figure, description: 'Assets that this request has changed, or would change' },
  skipped: Type.Array(
    Model('SkippedAsset', {
      assetId: Id,
      reason: Enum(['CHANGED', 'ON_LOAN', 'SCRAPPED', 'DELETED'], {
        description: 'CHANGED: its status or location changed after the inventory was closed',
      }),
    }),
    { description: `The first ${MAX_SKIPPED}` },
  ),
  skippedCount: Figure,
  total: {
    ...Figure,
    description: 'Assets that the choices are about: changed, skipped, and those that are as they should be',
  },
})
export type ApplyResult = Static<typeof ApplyResult>

/** A UUID or a serial number has fewer characters, an address of a landing page may have more. */
const MAX_CODE = 2000

export const ScanAsset = AnyOf('ScanInventory', ['code', 'assetId'], {
  code: Type.Optional(
    Nullable(
      Line(MAX_CODE, 1, {
        description:
          'An asset number, a UUID, the address of a landing page, or a serial number that only one asset has',
        examples: ['A-2026-00042'],
      }),
    ),
  ),
  assetId: Type.Optional(Nullable({ ...Id, description: 'Used instead of `code` if both are given' })),
  locationId: Type.Optional(Nullable({ ...Id, description: 'Where the asset was found' })),
  condition: Type.Optional(Nullable(AssetCondition)),
  photoFileId: Type.Optional(
    Nullable({
      ...Id,
      description:
        'An image that you have uploaded with type `asset`, and in an organization with its `orgId`. It replaces the photo of an earlier scan',
    }),
  ),
  note: Type.Optional(Nullable(Description)),
  orgId: NullableOrgId,
})
export type ScanAsset = Static<typeof ScanAsset>

const Uuid = Type.String({ format: 'uuid', examples: ['7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f'] })

export const ScanResult = Model('InventoryScan', {
  result: Enum(['FOUND', 'MISPLACED', 'UNEXPECTED'], { examples: ['FOUND'] }),
  repeated: Type.Boolean({ description: 'Whether the asset had been scanned before. It counts once' }),
  asset: Model('ScannedAsset', {
    id: Id,
    uuid: Uuid,
    name: Text('Projector'),
    assetNo: Text('A-2026-00042'),
    locationId: Nullable(Id),
  }),
  inventory: InventoryView,
})
export type ScanResult = Static<typeof ScanResult>

export const ItemsQuery = PageQuery({ orgId: Type.Optional(Id), state: Type.Optional(State) })
export type ItemsQuery = Static<typeof ItemsQuery>

export const ItemView = Model('InventoryItem', {
  assetId: Id,
  uuid: Uuid,
  name: { ...Text('Projector'), description: 'At the start, or at the first scan of an unexpected asset' },
  assetNo: Text('A-2026-00042'),
  state: State,
  expectedLocationId: Nullable(Id),
  locationId: Nullable(Id),
  condition: Nullable(AssetCondition),
  note: Text('A key of the keyboard is missing'),
  photoFileId: Nullable(Id),
  scannedBy: Nullable(Id),
  scannedAt: Nullable(Time),
})
export type ItemView = Static<typeof ItemView>
export const ItemPage = PageOf(ItemView)
