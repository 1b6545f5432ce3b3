import { sql } from 'drizzle-orm'

import { col, descending, index, table, uniqueIndex } from '../dialect.ts'
import { users } from './accounts.ts'
import { files } from './files.ts'
import { qrCodes } from './qr-codes.ts'

/** Photos of personal albums and of organizations' albums. A photo is evidence: it is added and deleted, and not changed. */
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
    fileId: col
      .int('file_id')
      .notNull()
      .references(() => files.id),
    qrCodeId: col.int('qr_code_id').references(() => qrCodes.id, { onDelete: 'set null' }),
    takenAt: col.time('taken_at'),
    /** Degrees; both or neither. */
    latitude: col.real('latitude'),
    longitude: col.real('longitude'),
    address: col.text('address').notNull().default(''),
    /** As given: time, place, text, operator and anything else that the camera app drew on the picture. */
    watermark: col.json<Record<string, unknown>>('watermark'),
    /** `takenAt`, otherwise `createdAt`: the order of lists. */
    sortTime: col.time('sort_time').notNull(),
    version: col.int('version').notNull().default(1),
    createdAt: col.time('created_at').notNull(),
    updatedAt: col.time('updated_at').notNull(),
  },
  (t) => [
    uniqueIndex('album_photos_file').on(t.fileId),
    index('album_photos_personal')
      .on(t.userId, descending(t.sortTime), descending(t.id))
      .where(sql`${t.orgId} = 0`),
    index('album_photos_org')
      .on(t.orgId, descending(t.sortTime), descending(t.id))
      .where(sql`${t.orgId} <> 0`),
    index('album_photos_code').on(t.qrCodeId, descending(t.sortTime), descending(t.id)),
  ],
)
