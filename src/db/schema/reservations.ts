/** Reservations of assets and supplies by members of an organization, and the times in which they keep them from others. */

import { sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { col, index, table, uniqueIndex } from '../dialect.ts'
import { users } from './accounts.ts'

const isNotNull = (column: SQLiteColumn) => sql`${column} is not null`

export const APPROVALS = ['NONE', 'KEEPER'] as const

/** How members may reserve the assets of a category. */
export interface Booking {
  readonly bookable: boolean
  /** KEEPER: somebody has to approve each request. */
  readonly approval: (typeof APPROVALS)[number]
  /** The longest time from its beginning to its end. */
  readonly maxDays: number
  /** It begins at least so long after the request, and at most `aheadDays` after it. */
  readonly leadHours: number
  readonly aheadDays: number
  /** A reservation that nobody picks up ends so long after its beginning. */
  readonly noShowHours: number
  /** Who is asked to approve it; the keepers of the organization if there are none. */
  readonly keeperIds: readonly number[]
}

export const RESERVATION_STATUSES = [
  'REQUESTED',
  'APPROVED',
  'REJECTED',
  'CANCELLED',
  'OUT',
  'RETURNED',
  'EXPIRED',
] as const
export type ReservationStatus = (typeof RESERVATION_STATUSES)[number]
export const ITEM_STATES = ['WAITING', 'OUT', 'RETURNED'] as const
export type ItemState = (typeof ITEM_STATES)[number]

export const assetReservations = table(
  'asset_reservations',
  {
    id: col.id(),
    orgId: col.int('org_id').notNull(),
    status: col.text('status').$type<ReservationStatus>().notNull(),
    startsAt: col.time('starts_at').notNull(),
    endsAt: col.time('ends_at').notNull(),
    /** For whom it is: a member, with the name at that time, or a person without an account. */
    userId: col.int('user_id').references(() => users.id),
    userName: col.text('user_name'),
    personName: col.text('person_name'),
    purpose: col.text('purpose').notNull().default(''),
    /** Of the keeper who approved it or handed the assets out. */
    note: col.text('note').notNull().default(''),
    /** Why it was rejected or cancelled. */
    reason: col.text('reason').notNull().default(''),
    decidedBy: col.int('decided_by'),
    createdBy: col.int('created_by').notNull(),
    /** When it ends unless somebody decides or picks up. NULL if it no longer can. */
    expiresAt: col.time('expires_at'),
    /** When the person is to be reminded of the pick-up. NULL afterwards, or if there is nothing to remind of. */
    announceAt: col.time('announce_at'),
    /** Of the request that created it, for its repetitions. */
    requestId: col.text('request_id'),
    version: col.int('version').notNull().default(1),
    createdAt: col.time('created_at').notNull(),
    updatedAt: col.time('updated_at').notNull(),
  },
  (t) => [
    index('asset_reservations_list').on(t.orgId, t.id),
    index('asset_reservations_status').on(t.orgId, t.status, t.id),
    index('asset_reservations_mine').on(t.orgId, t.userId, t.id).where(isNotNull(t.userId)),
    index('asset_reservations_user').on(t.userId, t.status).where(isNotNull(t.userId)),
    index('asset_reservations_times').on(t.orgId, t.endsAt, t.startsAt, t.id),
    // For administrators, whose list contains the reservations of all organizations.
    index('asset_reservations_all').on(t.createdAt, t.id),
    // For the jobs.
    index('asset_reservations_expiry').on(t.expiresAt, t.id).where(isNotNull(t.expiresAt)),
    index('asset_reservations_announce').on(t.announceAt, t.id).where(isNotNull(t.announceAt)),
    uniqueIndex('asset_reservations_request').on(t.createdBy, t.requestId).where(isNotNull(t.requestId)),
  ],
)

/** The assets and supplies of a reservation. */
export const assetReservationItems = table(
  'asset_reservation_items',
  {
    id: col.id(),
    reservationId: col
      .int('reservation_id')
      .notNull()
      .references(() => assetReservations.id),
    orgId: col.int('org_id').notNull(),
    /** Exactly one of the two. */
    assetId: col.int('asset_id'),
    supplyId: col.int('supply_id'),
    /** 1 for an asset. */
    quantity: col.int('quantity').notNull(),
    /** The category that was asked for; another asset of it may be handed out instead. */
    categoryId: col.int('category_id'),
    /** As they were. */
    name: col.text('name').notNull(),
    assetNo: col.text('asset_no').notNull(),
    state: col.text('state').$type<ItemState>().notNull().default('WAITING'),
    startsAt: col.time('starts_at').notNull(),
    endsAt: col.time('ends_at').notNull(),
    /** `endsAt` while nobody else can have the asset in this time, NULL otherwise: so old items are in no index of times. */
    busyUntil: col.time('busy_until'),
    /** Its loan, after the pick-up. */
    loanId: col.int('loan_id'),
    /** Since when its asset has been scrapped, lost or deleted. NULL again when the person has been notified. */
    lostAt: col.time('lost_at'),
  },
  (t) => [
    index('asset_reservation_items_reservation').on(t.reservationId, t.id),
    index('asset_reservation_items_asset').on(t.assetId, t.reservationId).where(isNotNull(t.assetId)),
    index('asset_reservation_items_supply').on(t.supplyId, t.reservationId).where(isNotNull(t.supplyId)),
    index('asset_reservation_items_busy')
      .on(t.assetId, t.busyUntil, t.startsAt)
      .where(sql`${t.busyUntil} is not null and ${t.assetId} is not null`),
    index('asset_reservation_items_pool')
      .on(t.supplyId, t.busyUntil, t.startsAt)
      .where(sql`${t.busyUntil} is not null and ${t.supplyId} is not null`),
    index('asset_reservation_items_times').on(t.orgId, t.busyUntil, t.startsAt).where(isNotNull(t.busyUntil)),
    index('asset_reservation_items_lost').on(t.lostAt).where(isNotNull(t.lostAt)),
  ],
)
