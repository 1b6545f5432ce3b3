/** Supplies: things of which an owner keeps a number, where they are, who has some of them, and every change of the number. */

import { sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { col, index, primaryKey, table, uniqueIndex } from '../dialect.ts'
import type { OwnerKey } from '../owner-key.ts'
import { users } from './accounts.ts'

/** See db/owner-key.ts. */
const owner = () => col.int('owner').$type<OwnerKey>().notNull()

const isNull = (column: SQLiteColumn) => sql`${column} is null`
const isNotNull = (column: SQLiteColumn) => sql`${column} is not null`

/** CONSUMABLE: is used up. POOL: is lent and comes back. */
export const SUPPLY_KINDS = ['CONSUMABLE', 'POOL'] as const
export type SupplyKind = (typeof SUPPLY_KINDS)[number]
export const MOVEMENT_TYPES = ['IN', 'TAKE', 'RETURN', 'MOVE', 'COUNT', 'WRITE_OFF'] as const
export type MovementType = (typeof MOVEMENT_TYPES)[number]

export const supplies = table(
  'supplies',
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
    supplyNo: col.text('supply_no').notNull(),
    /** `supplyNo` as it is compared: see `numberKey` of assets. */
    supplyNoKey: col.text('supply_no_key').notNull(),
    kind: col.text('kind').$type<SupplyKind>().notNull(),
    /** A category of assets. */
    categoryId: col.int('category_id'),
    unit: col.text('unit').notNull(),
    /** Of one, in hundredths of the currency. */
    price: col.int('price'),
    supplier: col.text('supplier').notNull().default(''),
    remark: col.text('remark').notNull().default(''),
    photoIds: col.json<number[]>('photo_ids').notNull(),
    /** It is low when there are fewer. */
    minimum: col.int('minimum'),
    /** How many there should be after an order. */
    target: col.int('target'),
    /** Users to notify when it is low. */
    keeperIds: col.json<number[]>('keeper_ids').notNull(),
    /** Members may take some for themselves. */
    selfService: col.bool('self_service').notNull().default(false),
    maxPerTake: col.int('max_per_take').notNull().default(10),
    /** How many are there: the sum of `supplyPlaces`. Never below 0. */
    stock: col.int('stock').notNull().default(0),
    /** Of a POOL, how many people have: the sum of `supplyLoans`. */
    lent: col.int('lent').notNull().default(0),
    /** Since when it has been low; null if it is not. */
    lowSince: col.time('low_since'),
    version: col.int('version').notNull().default(1),
    deletedAt: col.time('deleted_at'),
    createdAt: col.time('created_at').notNull(),
    updatedAt: col.time('updated_at').notNull(),
  },
  (t) => [
    uniqueIndex('supplies_uuid').on(t.uuid),
    uniqueIndex('supplies_number').on(t.owner, t.supplyNoKey).where(isNull(t.deletedAt)),
    // For administrators, whose lists contain the supplies of all owners.
    index('supplies_all').on(t.createdAt, t.id).where(isNull(t.deletedAt)),
    index('supplies_user').on(t.userId),
    index('supplies_name').on(t.owner, t.deletedAt, t.name, t.createdAt, t.id),
    index('supplies_no').on(t.owner, t.deletedAt, t.supplyNo, t.createdAt, t.id),
    index('supplies_stock').on(t.owner, t.deletedAt, t.stock, t.createdAt, t.id),
    index('supplies_updated').on(t.owner, t.deletedAt, t.updatedAt, t.createdAt, t.id),
    index('supplies_category').on(t.owner, t.categoryId),
    index('supplies_low')
      .on(t.owner, t.id)
      .where(sql`${t.deletedAt} is null and ${t.lowSince} is not null`),
  ],
)

/** How many of a supply are at a place. Places without any have no row. */
export const supplyPlaces = table(
  'supply_places',
  {
    supplyId: col
      .int('supply_id')
      .notNull()
      .references(() => supplies.id),
    /** A location of the organization; 0: none is known. */
    locationId: col.int('location_id').notNull(),
    quantity: col.int('quantity').notNull(),
  },
  (t) => [primaryKey({ columns: [t.supplyId, t.locationId] }), index('supply_places_location').on(t.locationId)],
)

/** How many of a POOL somebody has. People without any have no row. */
export const supplyLoans = table(
  'supply_loans',
  {
    supplyId: col
      .int('supply_id')
      .notNull()
      .references(() => supplies.id),
    /** 0 for people without an account, who are known by their names. */
    userId: col.int('user_id').notNull(),
    /** As names are compared; empty if `userId` is given. */
    nameKey: col.text('name_key').notNull(),
    /** As it was written first. */
    personName: col.text('person_name').notNull(),
    quantity: col.int('quantity').notNull(),
    /** When the last of them is to come back. */
    dueAt: col.time('due_at'),
    /** The latest time that a keeper has given for some that no reservation handed out. */
    givenDueAt: col.time('given_due_at'),
  },
  (t) => [
    primaryKey({ columns: [t.supplyId, t.userId, t.nameKey] }),
    index('supply_loans_user')
      .on(t.userId, t.supplyId)
      .where(sql`${t.userId} <> 0`),
  ],
)

/** Every change of a stock. Rows are never changed, except that the names of accounts that ended are removed. */
export const supplyMovements = table(
  'supply_movements',
  {
    id: col.id(),
    owner: owner(),
    supplyId: col
      .int('supply_id')
      .notNull()
      .references(() => supplies.id),
    type: col.text('type').$type<MovementType>().notNull(),
    quantity: col.int('quantity').notNull(),
    /** How many more there are after it. */
    difference: col.int('difference').notNull(),
    stockAfter: col.int('stock_after').notNull(),
    locationId: col.int('location_id'),
    toLocationId: col.int('to_location_id'),
    /** Who took or returned them, and the name at that time. */
    userId: col.int('user_id'),
    personName: col.text('person_name').notNull().default(''),
    /** Of one, in hundredths of the currency. */
    price: col.int('price'),
    note: col.text('note').notNull().default(''),
    dueAt: col.time('due_at'),
    operatorId: col.int('operator_id').notNull(),
    operatorName: col.text('operator_name').notNull(),
    /** The movement whose opposite this one is. */
    reverses: col.int('reverses'),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [
    index('supply_movements_owner').on(t.owner, t.id),
    index('supply_movements_supply').on(t.supplyId, t.id),
    // Filters of the list.
    index('supply_movements_type').on(t.owner, t.type, t.id),
    index('supply_movements_supply_type').on(t.supplyId, t.type, t.id),
    index('supply_movements_time').on(t.owner, t.createdAt, t.id),
    index('supply_movements_user').on(t.owner, t.userId, t.id).where(isNotNull(t.userId)),
    // For accounts that end: those whose names are still there.
    index('supply_movements_person')
      .on(t.userId)
      .where(sql`${t.userId} is not null and ${t.personName} <> ''`),
    index('supply_movements_operator')
      .on(t.operatorId)
      .where(sql`${t.operatorName} <> ''`),
    uniqueIndex('supply_movements_reverses').on(t.reverses).where(isNotNull(t.reverses)),
  ],
)

/** The movements that a request with a `requestId` made, kept for 7 days for its repetitions. */
export const supplyRequests = table(
  'supply_requests',
  {
    userId: col.int('user_id').notNull(),
    requestId: col.text('request_id').notNull(),
    movementIds: col.json<number[]>('movement_ids').notNull(),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.requestId] }), index('supply_requests_age').on(t.createdAt)],
)

/** The next number that a supply without one gets. */
export const supplyNumbers = table('supply_numbers', {
  owner: col.int('owner').$type<OwnerKey>().primaryKey(),
  next: col.int('next').notNull(),
})

/** The result of the undo of an import. */
export interface SupplyImportUndo {
  readonly restored: number
  readonly deleted: number
  readonly kept: readonly {
    readonly supplyId: number
    readonly supplyNo: string
    readonly reason: 'CHANGED' | 'LENT' | 'RESERVED' | 'DELETED'
  }[]
  readonly keptCount: number
}

/** Imports of supplies of the last 90 days. */
export const supplyImports = table(
  'supply_imports',
  {
    id: col.id(),
    owner: owner(),
    userId: col.int('user_id').notNull(),
    userName: col.text('user_name').notNull(),
    fileName: col.text('file_name').notNull(),
    created: col.int('created').notNull(),
    updated: col.int('updated').notNull(),
    unchanged: col.int('unchanged').notNull(),
    undoneAt: col.time('undone_at'),
    /** The first answer, for repetitions. */
    undo: col.json<SupplyImportUndo>('undo'),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [index('supply_imports_owner').on(t.owner, t.createdAt, t.id), index('supply_imports_age').on(t.createdAt)],
)

/** The former values of supplies that an import changed, sealed, for a day. */
export const supplyImportSnapshots = table(
  'supply_import_snapshots',
  {
    importId: col.int('import_id').notNull(),
    part: col.int('part').notNull(),
    owner: owner(),
    rows: col.text('rows').notNull(),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.importId, t.part] }), index('supply_import_snapshots_age').on(t.createdAt)],
)
