import { sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import type { Level } from '#lib/qr/spec.ts'

import { col, descending, index, primaryKey, table, uniqueIndex, wholeText } from '../dialect.ts'
import { users } from './accounts.ts'

export interface QrStyle {
  fg?: string
  bg?: string
  level?: Level
  margin?: number
}

export const categories = table(
  'categories',
  {
    id: col.id(),
    userId: col
      .int('user_id')
      .notNull()
      .references(() => users.id),
    parentId: col.int('parent_id'),
    name: col.text('name').notNull(),
    color: col.text('color').notNull().default(''),
    pinned: col.bool('pinned').notNull().default(false),
    sortOrder: col.int('sort_order').notNull().default(0),
    version: col.int('version').notNull().default(1),
    createdAt: col.time('created_at').notNull(),
    updatedAt: col.time('updated_at').notNull(),
  },
  (t) => [
    index('categories_user').on(t.userId, t.parentId),
    // For clients that synchronize.
    index('categories_updated').on(t.userId, t.updatedAt, t.id),
    // For the console.
    index('categories_created').on(t.createdAt, t.id),
  ],
)

/** Deleted categories with more codes than one write can take out of them. A job takes out the rest in small writes, then deletes the row. */
export const categoryCleanUps = table('category_clean_ups', {
  categoryId: col.int('category_id').primaryKey(),
  userId: col.int('user_id').notNull(),
})

/**
 * Conditions of partial indexes. The planner uses such an index only if a query has the same condition with the literal 0, and needs
 * no row for it only if the condition is an equality or its column is in the index.
 */
const isPersonal = (orgId: SQLiteColumn) => sql`${orgId} = 0`
const isOrganizations = (orgId: SQLiteColumn) => sql`${orgId} <> 0`

export const qrCodes = table(
  'qr_codes',
  {
    id: col.id(),
    uuid: col.text('uuid').notNull(),
    userId: col
      .int('user_id')
      .notNull()
      .references(() => users.id),
    /** 0 for a personal code, otherwise the id of the organization that owns it. */
    orgId: col.int('org_id').notNull().default(0),
    name: col.text('name').notNull(),
    content: col.text('content').notNull(),
    contentType: col.text('content_type').notNull(),
    /** No reference: `category_clean_ups` has the categories that no longer exist. */
    categoryId: col.int('category_id'),
    tags: col.json<string[]>('tags').notNull(),
    remark: col.text('remark').notNull().default(''),
    style: col.json<QrStyle>('style').notNull(),
    isPublic: col.bool('is_public').notNull().default(false),
    /** The pictures hold the public link instead of the content. */
    isDynamic: col.bool('is_dynamic').notNull().default(false),
    pinned: col.bool('pinned').notNull().default(false),
    sortOrder: col.int('sort_order').notNull().default(0),
    scanCount: col.int('scan_count').notNull().default(0),
    /** Of its short link. Earlier ones are in `qr_slugs` only. */
    slug: col.text('slug'),
    /** How a scan of the short link, or of the public link, is answered. Null for codes that are not dynamic and have no slug. */
    opens: col.text('opens').$type<'TARGET' | 'PAGE'>(),
    designId: col.int('design_id'),
    /** Of its picture in `qr_pictures`, if it has a design. */
    pictureKey: col.text('picture_key'),
    /** When an administrator blocked it. */
    blockedAt: col.time('blocked_at'),
    version: col.int('version').notNull().default(1),
    deletedAt: col.time('deleted_at'),
    createdAt: col.time('created_at').notNull(),
    updatedAt: col.time('updated_at').notNull(),
  },
  (t) => [
    uniqueIndex('qr_codes_uuid').on(t.uuid),
    // Personal codes in the order of the interface. Covering: a page and its count read only this index.
    index('qr_codes_list').on(t.userId, t.orgId, t.deletedAt, descending(t.pinned), t.sortOrder, t.createdAt, t.id),
    // Counts of one owner by category, type and day, read from the index alone. Also finds the codes of a category.
    index('qr_codes_stats').on(t.userId, t.orgId, t.deletedAt, t.categoryId, t.contentType, t.createdAt),
    // The orders of `sort=`. Each code is in the indexes of its owner only, a user or an organization. See lists.ts for `createdAt`.
    index('qr_codes_created').on(t.userId, t.deletedAt, t.createdAt, t.id).where(isPersonal(t.orgId)),
    index('qr_codes_updated').on(t.userId, t.deletedAt, t.updatedAt, t.createdAt, t.id).where(isPersonal(t.orgId)),
    index('qr_codes_name').on(t.userId, t.deletedAt, t.name, t.createdAt, t.id).where(isPersonal(t.orgId)),
    index('qr_codes_scans').on(t.userId, t.deletedAt, t.scanCount, t.createdAt, t.id).where(isPersonal(t.orgId)),
    index('qr_codes_org_list')
      .on(t.orgId, t.deletedAt, descending(t.pinned), t.sortOrder, t.createdAt, t.id)
      .where(isOrganizations(t.orgId)),
    index('qr_codes_org_created').on(t.orgId, t.deletedAt, t.createdAt, t.id).where(isOrganizations(t.orgId)),
    index('qr_codes_org_updated')
      .on(t.orgId, t.deletedAt, t.updatedAt, t.createdAt, t.id)
      .where(isOrganizations(t.orgId)),
    index('qr_codes_org_name').on(t.orgId, t.deletedAt, t.name, t.createdAt, t.id).where(isOrganizations(t.orgId)),
    // Finds the code whose content was scanned. The content comes second, so that no count reads these wide indexes.
    index('qr_codes_content').on(t.userId, wholeText(t.content), t.deletedAt, t.id).where(isPersonal(t.orgId)),
    index('qr_codes_org_content').on(t.orgId, wholeText(t.content), t.deletedAt, t.id).where(isOrganizations(t.orgId)),
    // The codes of all owners, for the console. Partial, because an index that begins with `deleted_at` would be taken for queries by ids.
    index('qr_codes_all')
      .on(t.createdAt, t.id)
      .where(sql`${t.deletedAt} is null`),
    index('qr_codes_trash')
      .on(t.createdAt, t.id)
      .where(sql`${t.deletedAt} is not null`),
    index('qr_codes_org_scans')
      .on(t.orgId, t.deletedAt, t.scanCount, t.createdAt, t.id)
      .where(isOrganizations(t.orgId)),
  ],
)

export const scanRecords = table(
  'scan_records',
  {
    id: col.id(),
    userId: col
      .int('user_id')
      .notNull()
      .references(() => users.id),
    content: col.text('content').notNull(),
    contentType: col.text('content_type').notNull(),
    source: col.text('source').$type<'CAMERA' | 'IMAGE' | 'MANUAL'>().notNull(),
    qrCodeId: col.int('qr_code_id'),
    title: col.text('title'),
    favorite: col.bool('favorite').notNull().default(false),
    latitude: col.real('latitude'),
    longitude: col.real('longitude'),
    address: col.text('address'),
    scannedAt: col.time('scanned_at').notNull(),
    version: col.int('version').notNull().default(1),
    createdAt: col.time('created_at').notNull(),
    updatedAt: col.time('updated_at').notNull(),
  },
  (t) => [
    // For clients that synchronize.
    index('scan_records_updated').on(t.userId, t.updatedAt, t.id),
    index('scan_records_list').on(t.userId, descending(t.scannedAt), descending(t.createdAt), descending(t.id)),
    index('scan_records_code').on(t.qrCodeId, t.createdAt, t.id),
    // For the console: all records, and those of a user.
    index('scan_records_created').on(t.createdAt, t.id),
    index('scan_records_user_created').on(t.userId, t.createdAt, t.id),
  ],
)

/** How many scan records each user has, so that the write that adds one can tell without counting. Every write that adds or deletes some keeps it. */
export const scanRecordCounts = table('scan_record_counts', {
  userId: col
    .int('user_id')
    .primaryKey()
    .references(() => users.id),
  records: col.int('records').notNull(),
})

/** QR codes that were deleted permanently while scan records still referred to them. A job clears the records in steps, then deletes the row. */
export const scanPurgedCodes = table('scan_purged_codes', {
  qrCodeId: col.int('qr_code_id').primaryKey(),
})

/** Scans of each code in each quarter of an hour: every time zone has an offset of whole quarters, so days are exact in all of them. */
export const qrCodeScans = table(
  'qr_code_scans',
  {
    qrCodeId: col.int('qr_code_id').notNull(),
    startsAt: col.time('starts_at').notNull(),
    scans: col.int('scans').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.qrCodeId, t.startsAt] }),
    // For the job that deletes old counts.
    index('qr_code_scans_age').on(t.startsAt),
  ],
)
