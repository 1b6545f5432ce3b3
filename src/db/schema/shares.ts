import { col, descending, index, table, uniqueIndex } from '../dialect.ts'
import { users } from './accounts.ts'
import { albumPhotos } from './album.ts'
import { qrCodes } from './qr-codes.ts'

export type ShareEntity = 'QR_CODE' | 'ALBUM_PHOTO'

/** The originals of an organization's share copies. A row is deleted with its copy, whichever way that is deleted. */
export const orgShares = table(
  'org_shares',
  {
    id: col.id(),
    /** Without a reference, as in `org_members`. */
    orgId: col.int('org_id').notNull(),
    entityType: col.text('entity_type').$type<ShareEntity>().notNull(),
    /** The id of the original, which may have been changed or deleted since. */
    sourceId: col.int('source_id').notNull(),
    /** The copy, if it is a QR code. */
    qrCodeId: col.int('qr_code_id').references(() => qrCodes.id, { onDelete: 'cascade' }),
    /** The copy, if it is an album photo. */
    photoId: col.int('photo_id').references(() => albumPhotos.id, { onDelete: 'cascade' }),
    sharedBy: col
      .int('shared_by')
      .notNull()
      .references(() => users.id),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('org_shares_qr_code').on(t.qrCodeId),
    uniqueIndex('org_shares_photo').on(t.photoId),
    index('org_shares_list').on(t.orgId, descending(t.id)),
    index('org_shares_source').on(t.orgId, t.entityType, t.sourceId),
  ],
)
