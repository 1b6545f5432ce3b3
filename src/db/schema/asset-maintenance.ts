/** Plans and records of the maintenance of assets, and when each asset is due. */

import { sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { col, index, primaryKey, table } from '../dialect.ts'
import type { OwnerKey } from '../owner-key.ts'
import { users } from './accounts.ts'
import { assets } from './assets.ts'

/** See db/owner-key.ts. */
const owner = () => col.int('owner').$type<OwnerKey>().notNull()

const isNull = (column: SQLiteColumn) => sql`${column} is null`
const isNotNull = (column: SQLiteColumn) => sql`${column} is not null`

/** The day of the next count of which the keepers were notified. */
export const assetCountReminders = table('asset_count_reminders', {
  assetId: col.int('asset_id').primaryKey(),
  /** `YYYY-MM-DD` */
  day: col.text('day').notNull(),
})

export const MAINTENANCE_KINDS = ['SERVICE', 'REPAIR', 'INSPECTION', 'CALIBRATION', 'UPGRADE'] as const
export type MaintenanceKind = (typeof MAINTENANCE_KINDS)[number]
export const MAINTENANCE_RESULTS = ['PASSED', 'FAILED', 'NONE'] as const
export type MaintenanceResult = (typeof MAINTENANCE_RESULTS)[number]

/** Maintenance that is repeated, of one asset or of each asset of a category and those below it. */
export const assetMaintenancePlans = table(
  'asset_maintenance_plans',
  {
    id: col.id(),
    owner: owner(),
    name: col.text('name').notNull(),
    kind: col.text('kind').$type<MaintenanceKind>().notNull(),
    /** Exactly one of the two. */
    assetId: col.int('asset_id'),
    categoryId: col.int('category_id'),
    /** Exactly one of the two. */
    everyDays: col.int('every_days'),
    everyMonths: col.int('every_months'),
    /** `YYYY-MM-DD` */
    firstDue: col.text('first_due').notNull(),
    /** Users are notified so many days before the due date. */
    leadDays: col.int('lead_days').notNull(),
    assigneeId: col.int('assignee_id').references(() => users.id),
    note: col.text('note').notNull().default(''),
    createdBy: col
      .int('created_by')
      .notNull()
      .references(() => users.id),
    version: col.int('version').notNull().default(1),
    createdAt: col.time('created_at').notNull(),
    updatedAt: col.time('updated_at').notNull(),
  },
  (t) => [
    index('asset_maintenance_plans_owner').on(t.owner, t.id),
    index('asset_maintenance_plans_assignee').on(t.assigneeId).where(isNotNull(t.assigneeId)),
  ],
)

/** Maintenance of an asset that is done. */
export const assetMaintenanceRecords = table(
  'asset_maintenance_records',
  {
    id: col.id(),
    owner: owner(),
    assetId: col
      .int('asset_id')
      .notNull()
      .references(() => assets.id),
    /** The plan that it fulfils, which may have been deleted since. */
    planId: col.int('plan_id'),
    kind: col.text('kind').$type<MaintenanceKind>().notNull(),
    /** `YYYY-MM-DD`, as is `nextDue`, which replaces the date that the plan would give. */
    doneOn: col.text('done_on').notNull(),
    nextDue: col.text('next_due'),
    /** In hundredths of the currency. */
    cost: col.int('cost'),
    supplier: col.text('supplier').notNull().default(''),
    result: col.text('result').$type<MaintenanceResult>().notNull(),
    note: col.text('note').notNull().default(''),
    fileIds: col.json<number[]>('file_ids').notNull(),
    createdBy: col.int('created_by').notNull(),
    version: col.int('version').notNull().default(1),
    createdAt: col.time('created_at').notNull(),
    updatedAt: col.time('updated_at').notNull(),
  },
  (t) => [
    index('asset_maintenance_records_asset').on(t.assetId, t.doneOn, t.id),
    index('asset_maintenance_records_done').on(t.owner, t.doneOn, t.id),
  ],
)

/** When each asset is due by each of its plans. Kept by the writes of assets, plans and records, and by a job for plans of large categories. */
export const assetMaintenanceDues = table(
  'asset_maintenance_dues',
  {
    planId: col.int('plan_id').notNull(),
    assetId: col.int('asset_id').notNull(),
    owner: owner(),
    /** `YYYY-MM-DD`, as is `soonOn`: so many days before as the plan says. */
    dueOn: col.text('due_on').notNull(),
    soonOn: col.text('soon_on').notNull(),
    /** The times of the notifications that it is due soon, and that it is overdue. */
    announcedAt: col.time('announced_at'),
    remindedAt: col.time('reminded_at'),
  },
  (t) => [
    primaryKey({ columns: [t.planId, t.assetId] }),
    index('asset_maintenance_dues_asset').on(t.assetId),
    index('asset_maintenance_dues_list').on(t.owner, t.dueOn, t.assetId, t.planId),
    // For digests.
    index('asset_maintenance_dues_near').on(t.owner, t.soonOn),
    // Only those of which nobody was notified, so that the job reads no others.
    index('asset_maintenance_dues_soon').on(t.soonOn, t.planId).where(isNull(t.announcedAt)),
    index('asset_maintenance_dues_over').on(t.dueOn, t.planId).where(isNull(t.remindedAt)),
  ],
)

/** Categories for whose assets plans came, changed or went. A job goes through them in small writes. */
export const assetMaintenanceWork = table('asset_maintenance_work', {
  categoryId: col.int('category_id').primaryKey(),
  owner: owner(),
  /** The last asset that is up to date, in the order of `assets_category`. */
  createdAt: col.time('created_at').notNull(),
  assetId: col.int('asset_id').notNull(),
})
