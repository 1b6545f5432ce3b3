import { sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { col, descending, index, primaryKey, table, uniqueIndex } from '../dialect.ts'
import type { OwnerKey } from '../owner-key.ts'
import { users } from './accounts.ts'
import type { Booking } from './reservations.ts'

export const ASSET_STATUSES = ['IN_USE', 'IDLE', 'REPAIR', 'LOST', 'SCRAPPED'] as const
export type AssetStatus = (typeof ASSET_STATUSES)[number]

/** See db/owner-key.ts. */
const owner = () => col.int('owner').$type<OwnerKey>().notNull()

const isNull = (column: SQLiteColumn) => sql`${column} is null`
const isNotNull = (column: SQLiteColumn) => sql`${column} is not null`

export const assets = table(
  'assets',
  {
    id: col.id(),
    uuid: col.text('uuid').notNull(),
    owner: owner(),
    /** Who registered it. */
    userId: col
      .int('user_id')
      .notNull()
      .references(() => users.id),
    name: col.text('name').notNull(),
    assetNo: col.text('asset_no').notNull(),
    /** `assetNo` as it is compared: normalized, in lower case. */
    assetNoKey: col.text('asset_no_key').notNull(),
    categoryId: col.int('category_id'),
    brand: col.text('brand').notNull().default(''),
    model: col.text('model').notNull().default(''),
    serialNo: col.text('serial_no').notNull().default(''),
    /** `YYYY-MM-DD`, as is `warrantyExpiry`. */
    purchaseDate: col.text('purchase_date'),
    /** In hundredths of the currency. */
    purchasePrice: col.int('purchase_price'),
    supplier: col.text('supplier').notNull().default(''),
    warrantyExpiry: col.text('warranty_expiry'),
    remark: col.text('remark').notNull().default(''),
    status: col.text('status').$type<AssetStatus>().notNull().default('IN_USE'),
    /** A location of the organization that owns the asset. */
    locationId: col.int('location_id'),
    /** A member of the organization, or the user who owns the asset. */
    custodianId: col.int('custodian_id').references(() => users.id),
    /** Files, in the order in which they are shown. */
    photoIds: col.json<number[]>('photo_ids').notNull(),
    /** Degrees (WGS 84); both or neither. */
    latitude: col.real('latitude'),
    longitude: col.real('longitude'),
    /** Names of columns, or `field:<id>`, that the public page shows. */
    publicFields: col.json<string[]>('public_fields').notNull(),
    scrappedAt: col.time('scrapped_at'),
    scrapReason: col.text('scrap_reason').notNull().default(''),
    /** `YYYY-MM-DD`: the earliest due date of its maintenance (`assetMaintenanceDues`). */
    nextMaintenance: col.text('next_maintenance'),
    /** `YYYY-MM-DD`, as is `nextCountOn`: when an inventory found it, and when it is to be counted again. */
    lastCountedOn: col.text('last_counted_on'),
    nextCountOn: col.text('next_count_on'),
    /** Whether members may reserve it. NULL: as its category says. */
    bookable: col.bool('bookable'),
    /** When its status or location last changed. NULL for rows from before this column: not after `updatedAt`. */
    placedAt: col.time('placed_at'),
    version: col.int('version').notNull().default(1),
    deletedAt: col.time('deleted_at'),
    createdAt: col.time('created_at').notNull(),
    updatedAt: col.time('updated_at').notNull(),
  },
  (t) => [
    uniqueIndex('assets_uuid').on(t.uuid),
    uniqueIndex('assets_number').on(t.owner, t.assetNoKey).where(isNull(t.deletedAt)),
    // For administrators, whose lists contain the assets of all owners.
    index('assets_all').on(t.createdAt, t.id).where(isNull(t.deletedAt)),
    index('assets_user').on(t.userId, t.deletedAt, t.createdAt, t.id),
    // The orders of the list. Many assets can have one name or status: see db/lists.ts for `createdAt`.
    index('assets_created').on(t.owner, t.deletedAt, t.createdAt, t.id),
    index('assets_updated').on(t.owner, t.deletedAt, t.updatedAt, t.createdAt, t.id),
    index('assets_name').on(t.owner, t.deletedAt, t.name, t.createdAt, t.id),
    index('assets_no').on(t.owner, t.deletedAt, t.assetNo, t.createdAt, t.id),
    index('assets_status').on(t.owner, t.deletedAt, t.status, t.createdAt, t.id),
    index('assets_price').on(t.owner, t.deletedAt, t.purchasePrice, t.createdAt, t.id),
    index('assets_purchase').on(t.owner, t.deletedAt, t.purchaseDate, t.createdAt, t.id),
    index('assets_warranty').on(t.owner, t.deletedAt, t.warrantyExpiry, t.createdAt, t.id),
    index('assets_maintenance').on(t.owner, t.deletedAt, t.nextMaintenance, t.createdAt, t.id),
    // Filters.
    index('assets_category').on(t.owner, t.deletedAt, t.categoryId, t.createdAt, t.id),
    index('assets_location').on(t.owner, t.deletedAt, t.locationId, t.createdAt, t.id),
    index('assets_custodian').on(t.owner, t.deletedAt, t.custodianId, t.createdAt, t.id),
    index('assets_custodian_user').on(t.custodianId).where(isNotNull(t.custodianId)),
    index('assets_serial').on(t.owner, t.deletedAt, t.serialNo),
    // For members who reserve: all that decides whether an asset can be reserved, by number.
    index('assets_bookable')
      .on(t.owner, t.assetNo, t.id, t.categoryId, t.bookable)
      .where(sql`${t.deletedAt} is null and ${t.status} in ('IN_USE', 'IDLE')`),
    index('assets_count')
      .on(t.owner, t.nextCountOn, t.id)
      .where(sql`${t.deletedAt} is null and ${t.nextCountOn} is not null`),
    // For the job that reminds of them, of all owners.
    index('assets_warranty_end')
      .on(t.warrantyExpiry, t.id)
      .where(sql`${t.deletedAt} is null and ${t.warrantyExpiry} is not null`),
  ],
)

/** The next number for `{seq}` in generated asset numbers. */
export const assetNumbers = table('asset_numbers', {
  owner: col.int('owner').$type<OwnerKey>().primaryKey(),
  next: col.int('next').notNull(),
})

/** Assets that were too many for the write that had to change them; a job continues in small writes. */
export const assetCleanUps = table(
  'asset_clean_ups',
  {
    /** An organization. */
    owner: owner(),
    /** A member who left and is still the custodian of assets; 0 for all assets of an organization that was dissolved. */
    userId: col.int('user_id').notNull(),
  },
  (t) => [primaryKey({ columns: [t.owner, t.userId] })],
)

/** Deleted categories with more assets than one write can take out of them; a job continues in small writes. */
export const assetCategoryCleanUps = table('asset_category_clean_ups', {
  categoryId: col.int('category_id').primaryKey(),
  owner: owner(),
})

/**
 * Undeleted assets with coordinates, by the cells of the map's deepest level (domains/assets/grid.rules.ts): all assets in a cell of any
 * level are next to each other.
 */
export const assetPlaces = table(
  'asset_places',
  {
    owner: owner(),
    cell: col.int('cell').notNull(),
    assetId: col.int('asset_id').notNull(),
    latitude: col.real('latitude').notNull(),
    longitude: col.real('longitude').notNull(),
  },
  (t) => [primaryKey({ columns: [t.owner, t.cell, t.assetId] })],
)

/** How many assets of an owner are in each cell of the map, so that a map of a million assets reads some hundred rows. */
export const assetMapCells = table(
  'asset_map_cells',
  {
    owner: owner(),
    /** A level has 2^level × 2^level cells. */
    level: col.int('level').notNull(),
    cell: col.int('cell').notNull(),
    count: col.int('count').notNull(),
    /** Sums of the coordinates in millionths of a degree, for the centre of a cluster. Integers, which never drift. */
    latitudes: col.real('latitudes').notNull(),
    longitudes: col.real('longitudes').notNull(),
  },
  (t) => [primaryKey({ columns: [t.owner, t.level, t.cell] })],
)

export const DEPRECIATION_METHODS = ['STRAIGHT_LINE', 'DECLINING'] as const

/** How the value of assets falls. Percentages are whole numbers. */
export interface Depreciation {
  readonly method: (typeof DEPRECIATION_METHODS)[number]
  /** The useful life; null with DECLINING only. */
  readonly months: number | null
  readonly residualPercent: number
  /** With DECLINING only. */
  readonly yearlyPercent: number | null
}

export const assetCategories = table(
  'asset_categories',
  {
    id: col.id(),
    /** Scope ORG for an organization, PERSONAL for a user. */
    owner: owner(),
    /** Who created it. */
    userId: col
      .int('user_id')
      .notNull()
      .references(() => users.id),
    parentId: col.int('parent_id'),
    name: col.text('name').notNull(),
    color: col.text('color').notNull().default(''),
    /** Whether every member of the organization sees it in the tree. */
    shared: col.bool('shared').notNull().default(false),
    pinned: col.bool('pinned').notNull().default(false),
    sortOrder: col.int('sort_order').notNull().default(0),
    /** NULL: as the nearest category above it that has one. */
    depreciation: col.json<Depreciation>('depreciation'),
    /** Months from one count of its assets to the next. NULL as above. */
    countEveryMonths: col.int('count_every_months'),
    /** How members may reserve its assets. NULL as above. */
    booking: col.json<Booking>('booking'),
    version: col.int('version').notNull().default(1),
    deletedAt: col.time('deleted_at'),
    createdAt: col.time('created_at').notNull(),
    updatedAt: col.time('updated_at').notNull(),
  },
  (t) => [
    index('asset_categories_tree').on(t.owner, t.deletedAt, t.parentId),
    // For clients that synchronize: also of deleted categories, whose `updatedAt` is the time of deletion.
    index('asset_categories_updated').on(t.owner, t.updatedAt, t.id, t.deletedAt),
    // For the console.
    index('asset_categories_created')
      .on(t.createdAt, t.id)
      .where(sql`${t.deletedAt} is null`),
  ],
)

/** Templates bound to a category, in their order; the first one is the default. */
export const assetCategoryTemplates = table(
  'asset_category_templates',
  {
    categoryId: col
      .int('category_id')
      .notNull()
      .references(() => assetCategories.id),
    templateId: col.int('template_id').notNull(),
    position: col.int('position').notNull(),
    isDefault: col.bool('is_default').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.categoryId, t.templateId] }),
    index('asset_category_templates_template').on(t.templateId),
  ],
)

/** Changes of custodian, location and owner. Names are kept as they were. */
export const assetTransfers = table(
  'asset_transfers',
  {
    id: col.id(),
    assetId: col
      .int('asset_id')
      .notNull()
      .references(() => assets.id),
    fromUserId: col.int('from_user_id'),
    fromUserName: col.text('from_user_name'),
    toUserId: col.int('to_user_id'),
    toUserName: col.text('to_user_name'),
    fromLocationId: col.int('from_location_id'),
    fromLocationName: col.text('from_location_name'),
    toLocationId: col.int('to_location_id'),
    toLocationName: col.text('to_location_name'),
    /** Set only if the asset was given to an organization. */
    fromOrgId: col.int('from_org_id'),
    toOrgId: col.int('to_org_id'),
    note: col.text('note').notNull().default(''),
    operatorId: col.int('operator_id').notNull(),
    operatorName: col.text('operator_name').notNull(),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [index('asset_transfers_asset').on(t.assetId, descending(t.id))],
)

export const INVENTORY_STATUSES = ['DRAFT', 'RUNNING', 'CLOSED'] as const
export type InventoryStatus = (typeof INVENTORY_STATUSES)[number]

export interface InventoryScope {
  readonly categoryIds: readonly number[]
  readonly locationIds: readonly number[]
}

export const inventories = table(
  'inventories',
  {
    id: col.id(),
    owner: owner(),
    name: col.text('name').notNull(),
    scope: col.json<InventoryScope>('scope').notNull(),
    status: col.text('status').$type<InventoryStatus>().notNull().default('DRAFT'),
    /** If there are any, only they and holders of `inventory:manage` may scan. */
    assigneeIds: col.json<number[]>('assignee_ids').notNull(),
    note: col.text('note').notNull().default(''),
    /** Counts of the items, kept by the writes themselves. */
    expected: col.int('expected').notNull().default(0),
    found: col.int('found').notNull().default(0),
    unexpected: col.int('unexpected').notNull().default(0),
    misplaced: col.int('misplaced').notNull().default(0),
    createdBy: col
      .int('created_by')
      .notNull()
      .references(() => users.id),
    startedAt: col.time('started_at'),
    closedAt: col.time('closed_at'),
    /** While the dates of the assets that it found are set, after it was closed: the last asset that has them, 0 at first. NULL otherwise. */
    countedUpTo: col.int('counted_up_to'),
    createdAt: col.time('created_at').notNull(),
    updatedAt: col.time('updated_at').notNull(),
  },
  (t) => [
    index('inventories_list').on(t.owner, t.createdAt, t.id),
    index('inventories_counting').on(t.id).where(isNotNull(t.countedUpTo)),
  ],
)

export const INVENTORY_STATES = ['MISSING', 'FOUND', 'MISPLACED', 'UNEXPECTED'] as const
export type InventoryState = (typeof INVENTORY_STATES)[number]
export const CONDITIONS = ['GOOD', 'FAIR', 'DAMAGED', 'UNUSABLE'] as const
export type Condition = (typeof CONDITIONS)[number]

/** The expected assets of a started inventory as they were at its start, and all assets that were scanned. */
export const inventoryItems = table(
  'inventory_items',
  {
    inventoryId: col
      .int('inventory_id')
      .notNull()
      .references(() => inventories.id),
    assetId: col.int('asset_id').notNull(),
    state: col.text('state').$type<InventoryState>().notNull(),
    uuid: col.text('uuid').notNull(),
    name: col.text('name').notNull(),
    assetNo: col.text('asset_no').notNull(),
    expectedLocationId: col.int('expected_location_id'),
    locationId: col.int('location_id'),
    condition: col.text('condition').$type<Condition>(),
    note: col.text('note').notNull().default(''),
    photoFileId: col.int('photo_file_id'),
    scannedBy: col.int('scanned_by'),
    scannedAt: col.time('scanned_at'),
    /** When its result was applied to the asset. */
    appliedAt: col.time('applied_at'),
  },
  (t) => [
    primaryKey({ columns: [t.inventoryId, t.assetId] }),
    index('inventory_items_state').on(t.inventoryId, t.state, t.assetId),
    index('inventory_items_photo')
      .on(t.photoFileId)
      .where(sql`${t.photoFileId} is not null`),
  ],
)

export const assetLoans = table(
  'asset_loans',
  {
    id: col.id(),
    owner: owner(),
    assetId: col
      .int('asset_id')
      .notNull()
      .references(() => assets.id),
    /** The borrower: a member, or a person without an account. */
    userId: col.int('user_id').references(() => users.id),
    personName: col.text('person_name'),
    dueAt: col.time('due_at'),
    note: col.text('note').notNull().default(''),
    /** At its return. */
    condition: col.text('condition').$type<Condition>(),
    returnNote: col.text('return_note').notNull().default(''),
    checkedOutAt: col.time('checked_out_at').notNull(),
    checkedInAt: col.time('checked_in_at'),
    operatorId: col.int('operator_id').notNull(),
    /** Whose assets were picked up by it. */
    reservationId: col.int('reservation_id'),
    /** The time of the notification that the loan is due soon, or of the check-out if it was due soon already. */
    announcedAt: col.time('announced_at'),
    /** The time of the first notification that the loan is overdue. */
    remindedAt: col.time('reminded_at'),
    /** When users are notified next. NULL: never, or the version before this column has written the loan. */
    noticeAt: col.time('notice_at'),
    /** Notifications that it is overdue. */
    overdueNotices: col.int('overdue_notices').notNull().default(0),
  },
  (t) => [
    uniqueIndex('asset_loans_open').on(t.assetId).where(isNull(t.checkedInAt)),
    index('asset_loans_list').on(t.owner, t.id),
    index('asset_loans_asset').on(t.assetId, t.id),
    index('asset_loans_user').on(t.userId).where(isNotNull(t.userId)),
    index('asset_loans_unreturned').on(t.owner, t.id).where(isNull(t.checkedInAt)),
    // Only loans of which nobody has been notified, so that the jobs read no others.
    index('asset_loans_soon')
      .on(t.dueAt)
      .where(sql`${t.checkedInAt} is null and ${t.announcedAt} is null`),
    index('asset_loans_due')
      .on(t.dueAt)
      .where(sql`${t.checkedInAt} is null and ${t.remindedAt} is null`),
    index('asset_loans_notice')
      .on(t.noticeAt)
      .where(sql`${t.checkedInAt} is null and ${t.noticeAt} is not null`),
    index('asset_loans_reservation').on(t.reservationId).where(isNotNull(t.reservationId)),
  ],
)

/** The end of the warranty of which a user has been reminded. A warranty that is extended gets another reminder. */
export const assetWarrantyReminders = table('asset_warranty_reminders', {
  assetId: col.int('asset_id').primaryKey(),
  /** `YYYY-MM-DD` */
  day: col.text('day').notNull(),
})

/** A user's calendar of an owner's assets, which calendar programs read by a secret link. */
export const assetCalendars = table(
  'asset_calendars',
  {
    id: col.id(),
    userId: col
      .int('user_id')
      .notNull()
      .references(() => users.id),
    owner: owner(),
    /** SHA-256 of the secret in the link. */
    secretHash: col.text('secret_hash').notNull(),
    locale: col.text('locale').$type<'en' | 'zh'>().notNull(),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('asset_calendars_user').on(t.userId, t.owner),
    uniqueIndex('asset_calendars_secret').on(t.secretHash),
  ],
)
