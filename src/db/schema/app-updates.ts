import { col, index, table, uniqueIndex } from '../dialect.ts'
import { blobs } from './files.ts'

/** Keys of programs that publish the app. They are made and revoked on the command line, also while the server runs. */
export const publisherKeys = table(
  'publisher_keys',
  {
    id: col.id(),
    /** For people: what uses the key. */
    name: col.text('name').notNull(),
    /** SHA-256 of the key, which has 256 random bits and is shown once. */
    keyHash: col.text('key_hash').notNull(),
    createdAt: col.time('created_at').notNull(),
    /** Rows of revoked keys are kept, because publications refer to them. */
    revokedAt: col.time('revoked_at'),
  },
  (t) => [uniqueIndex('publisher_keys_hash').on(t.keyHash)],
)

/** Uploaded app packages. The bytes of a name never change. */
export const appPackages = table(
  'app_packages',
  {
    id: col.id(),
    fileName: col.text('file_name').notNull(),
    blobId: col
      .int('blob_id')
      .notNull()
      .references(() => blobs.id),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [uniqueIndex('app_packages_name').on(t.fileName), index('app_packages_blob').on(t.blobId)],
)

/** One row per publication. Rows are only added, in the order of their version codes. */
export const appUpdates = table(
  'app_updates',
  {
    id: col.id(),
    versionCode: col.int('version_code').notNull(),
    versionName: col.text('version_name').notNull(),
    packageId: col
      .int('package_id')
      .notNull()
      .references(() => appPackages.id),
    /** Markdown, and the HTML that was rendered from it. */
    releaseNotes: col.text('release_notes').notNull(),
    releaseNotesHtml: col.text('release_notes_html').notNull(),
    isMajor: col.bool('is_major').notNull(),
    forceUpdate: col.bool('force_update').notNull(),
    /** The administrator who published it, whose account may have been deleted since; null if a key was used. */
    publishedBy: col.int('published_by'),
    publisherKeyId: col.int('publisher_key_id').references(() => publisherKeys.id),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('app_updates_version').on(t.versionCode),
    index('app_updates_package').on(t.packageId),
    index('app_updates_key').on(t.publisherKeyId),
  ],
)
