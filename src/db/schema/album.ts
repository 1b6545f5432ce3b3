import { sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { col, index, table } from '../dialect.ts'
import { users } from './accounts.ts'

/** A JSON object of any shape. */
export type Watermark = Record<string, unknown>

/** Conditions of partial indexes, see qr-codes.ts. */
const isPersonal = (orgId: SQLiteColumn) => sql`${orgId} = 0`
const isOrganizations = (orgId: SQLiteColumn) => sql`${orgId} <> 0`

/**
 * Photos of personal albums and of organizations' albums. The image of a photo is the one file that belongs to it (`files.entityType` PHOTO),
 * and never changes. Devices that synchronize can change the rest.
 */
export const albumPhotos = table(
  'album_photos',
  {
    id: col.id(),
    userId: col
      .int('user_id')
      .notNull()
      .references(() => users.id),
    /** 0 for a personal photo, otherwise the organization that owns it. */
    orgId: col.int('org_id').notNull().default(0),
    /** A code of the same owner. No reference: `album_purged_codes` has the codes that no longer exist. */
    qrCodeId: col.int('qr_code_id'),
    takenAt: col.time('taken_at'),
    /** Degrees; both or neither. */
    latitude: col.real('latitude'),
    longitude: col.real('longitude'),
    address: col.text('address'),
    /** As given: time, place, text, operator and anything else that the camera app drew on the picture. */
    watermark: col.json<Watermark>('watermark'),
    /** `takenAt`, otherwise `createdAt`: the order of lists. */
    sortTime: col.time('sort_time').notNull(),
    version: col.int('version').notNull().default(1),
    createdAt: col.time('created_at').notNull(),
    updatedAt: col.time('updated_at').notNull(),
  },
  // Both orders of each list. Many photos can have one `sortTime`: see lists.ts for `createdAt`.
  (t) => [
    index('album_photos_personal').on(t.userId, t.sortTime, t.createdAt, t.id).where(isPersonal(t.orgId)),
    index('album_photos_personal_created').on(t.userId, t.createdAt, t.id).where(isPersonal(t.orgId)),
    index('album_photos_org').on(t.orgId, t.sortTime, t.createdAt, t.id).where(isOrganizations(t.orgId)),
    index('album_photos_org_created').on(t.orgId, t.createdAt, t.id).where(isOrganizations(t.orgId)),
    index('album_photos_created').on(t.createdAt, t.id),
    // For clients that synchronize.
    index('album_photos_updated').on(t.userId, t.updatedAt, t.id).where(isPersonal(t.orgId)),
    index('album_photos_org_updated').on(t.orgId, t.updatedAt, t.id).where(isOrganizations(t.orgId)),
    index('album_photos_code')
      .on(t.qrCodeId, t.sortTime, t.createdAt, t.id)
      .where(sql`${t.qrCodeId} is not null`),
    index('album_photos_code_created')
      .on(t.qrCodeId, t.createdAt, t.id)
      .where(sql`${t.qrCodeId} is not null`),
  ],
)

/** QR codes that were deleted permanently while photos still referred to them. A job clears the photos in steps, then deletes the row. */
export const albumPurgedCodes = table('album_purged_codes', {
  qrCodeId: col.int('qr_code_id').primaryKey(),
})
