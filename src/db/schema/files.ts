import { sql } from 'drizzle-orm'

import { col, descending, index, primaryKey, table, uniqueIndex } from '../dialect.ts'
import { users } from './accounts.ts'

export const FILE_TYPES = ['avatar', 'album', 'asset', 'qr_code', 'activity', 'org', 'other'] as const
export type FileType = (typeof FILE_TYPES)[number]

/** The kinds of things that a file can belong to. */
export const FILE_ENTITIES = [
  'PHOTO',
  'USER',
  'ORG',
  'GROUP',
  'ACTIVITY',
  'ASSET',
  'QR_CODE',
  'MESSAGE',
  'PASS_TEMPLATE',
  'META_VALUE',
  'INVENTORY',
  'MAINTENANCE',
  'SUPPLY',
  'QR_DESIGN',
] as const
export type FileEntity = (typeof FILE_ENTITIES)[number]

/** When and where a photo was taken, by its EXIF data. */
export interface Capture {
  /** Epoch milliseconds. */
  readonly takenAt: number | null
  readonly latitude: number | null
  readonly longitude: number | null
}

/**
 * Bytes in the blob store that rows refer to; the same bytes are stored once. The row whose last reference goes is deleted in the same
 * write, and its bytes after the commit. Bytes are stored before their row, so a crash leaves only bytes without a row.
 */
export const blobs = table(
  'blobs',
  {
    id: col.id(),
    /** Hex. */
    sha256: col.text('sha256').notNull(),
    /** In the blob store, see platform/blobs/port.ts. */
    key: col.text('key').notNull(),
    size: col.int('size').notNull(),
    refs: col.int('refs').notNull(),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [uniqueIndex('blobs_sha256').on(t.sha256)],
)

export const files = table(
  'files',
  {
    id: col.id(),
    uploaderId: col
      .int('uploader_id')
      .notNull()
      .references(() => users.id),
    /** 0 for a personal file, otherwise the organization that it counts for. */
    orgId: col.int('org_id').notNull().default(0),
    type: col.text('type').$type<FileType>().notNull(),
    name: col.text('name').notNull(),
    mime: col.text('mime').notNull(),
    /** Of the stored bytes, as are `mime`, `width` and `height`. */
    size: col.int('size').notNull(),
    /** In pixels, for images. */
    width: col.int('width'),
    height: col.int('height'),
    /** Milliseconds, of recordings in Opus. */
    durationMs: col.int('duration_ms'),
    blobId: col
      .int('blob_id')
      .notNull()
      .references(() => blobs.id),
    thumbnailBlobId: col.int('thumbnail_blob_id').references(() => blobs.id),
    /** Null as long as the file belongs to nothing. */
    entityType: col.text('entity_type').$type<FileEntity>(),
    /** For MESSAGE, the first message that had the file; `message_files` has all of them. */
    entityId: col.int('entity_id'),
    /** Unguessable part of `/public/images/{key}`, if the image is public. */
    publicKey: col.text('public_key'),
    capture: col.json<Capture>('capture'),
    /** Makes an upload that is repeated after a lost answer return the first file. */
    requestId: col.text('request_id'),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [
    index('files_uploader').on(t.uploaderId, t.orgId, descending(t.id)),
    index('files_org')
      .on(t.orgId, descending(t.id))
      .where(sql`${t.orgId} <> 0`),
    index('files_entity')
      .on(t.entityType, t.entityId)
      .where(sql`${t.entityType} is not null`),
    index('files_created').on(t.createdAt, t.id),
    index('files_blob').on(t.blobId),
    index('files_thumbnail').on(t.thumbnailBlobId),
    uniqueIndex('files_request')
      .on(t.uploaderId, t.requestId)
      .where(sql`${t.requestId} is not null`),
    uniqueIndex('files_public')
      .on(t.publicKey)
      .where(sql`${t.publicKey} is not null`),
  ],
)

/** Bytes and number of the files of each user and each organization, and of uploads under way. Kept by the writes themselves. */
export const storageUsage = table(
  'storage_usage',
  {
    /** 0 for an organization. */
    userId: col.int('user_id').notNull(),
    /** 0 for the personal files of a user. */
    orgId: col.int('org_id').notNull(),
    bytes: col.int('bytes').notNull(),
    files: col.int('files').notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.userId, t.orgId] })],
)

/** Uploads that were asked for (`POST /api/files/sts-token`) and not finished. */
export const fileUploads = table(
  'file_uploads',
  {
    /** Unguessable. */
    id: col.text('id').primaryKey(),
    userId: col
      .int('user_id')
      .notNull()
      .references(() => users.id),
    orgId: col.int('org_id').notNull().default(0),
    type: col.text('type').$type<FileType>().notNull(),
    name: col.text('name').notNull(),
    /** Announced and reserved bytes. */
    size: col.int('size').notNull(),
    /** Announced, in hex. */
    sha256: col.text('sha256'),
    /** Where the bytes are until the callback: a key of the blob store. Null until then on local disk. */
    key: col.text('key'),
    /** The file, once the upload is finished. */
    fileId: col.int('file_id'),
    expiresAt: col.time('expires_at').notNull(),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [index('file_uploads_expiry').on(t.expiresAt), index('file_uploads_user').on(t.userId)],
)
