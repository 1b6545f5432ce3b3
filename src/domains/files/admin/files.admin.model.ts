import { FILE_ENTITIES, FILE_TYPES } from '#db/schema/files.ts'
import { keywordFilter, ownerFields, ownerFilters, OwnerView } from '#domains/admin/index.ts'
import { Enum, Id, Model, Nullable, PageOf, PageQuery, Sort, type Static, Text, Time, Type } from '#http/schema.ts'

import { FileView } from '../files.model.ts'

const { storage } = FileView.properties

export const AdminFilesQuery = PageQuery({
  type: Type.Optional(Enum(FILE_TYPES)),
  entityType: Type.Optional(Enum(FILE_ENTITIES)),
  entityId: Type.Optional(Id),
  storage: Type.Optional(storage),
  ...keywordFilter('the name'),
  ...ownerFilters,
  userId: Type.Optional({ ...Id, description: 'The user who uploaded it' }),
  sort: Sort(['createdAt']),
})
export type AdminFilesQuery = Static<typeof AdminFilesQuery>

const Count = Type.Integer({ minimum: 0 })
const Bytes = { ...Count, description: 'Bytes' }

const HIDDEN = 'Null for MESSAGE: files of chats are private'

export const AdminFileView = Model('AdminFile', {
  ...FileView.properties,
  url: Nullable({ ...FileView.properties.url, description: HIDDEN }),
  thumbnailUrl: {
    ...FileView.properties.thumbnailUrl,
    description: `${HIDDEN}. Also null for files without a thumbnail`,
  },
  uploader: OwnerView,
  orgName: ownerFields.orgName,
  references: { ...Count, description: 'Things that have the file: 0 or 1, for MESSAGE the number of messages' },
})
export type AdminFileView = Static<typeof AdminFileView>
export const AdminFilePage = PageOf(AdminFileView)

export const ByFile = Type.Object({ fileId: Id })

export const DeleteFiles = Model('DeleteFiles', { ids: Type.Array(Id, { minItems: 1, maxItems: 500 }) })
export type DeleteFiles = Static<typeof DeleteFiles>

export const DeletedFiles = Model('DeletedFiles', {
  deleted: Count,
  failed: Type.Array(Type.Object({ id: Id, code: Type.Integer({ examples: [404] }), message: Text('Not found') })),
})
export type DeletedFiles = Static<typeof DeletedFiles>

export const OrphansQuery = PageQuery({})

const Orphan = Model('OrphanedFile', {
  key: Text('5e/5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8.k3v9x0', {
    description: 'Path below the folder of files',
  }),
  bytes: Count,
  modifiedAt: Time,
})
export type Orphan = Static<typeof Orphan>
export const OrphanPage = PageOf(Orphan)

export const Cleanup = Model('CleanUpFiles', {
  dryRun: Type.Boolean({ default: false, description: 'Only count what would be deleted' }),
  force: Type.Boolean({ default: false, description: 'Also if most of the stored files are orphaned' }),
})
export type Cleanup = Static<typeof Cleanup>

export const CleanupResult = Model('CleanUpResult', {
  scanned: { ...Count, description: 'All stored files' },
  deleted: { ...Count, description: 'At most 20,000; with `dryRun`, those that would be deleted' },
  bytes: { ...Count, description: 'Of the deleted ones' },
  skipped: { ...Count, description: 'Orphaned files that are still there: beyond 20,000, or not deletable' },
})
export type CleanupResult = Static<typeof CleanupResult>

const Orphans = Type.Object(
  { count: Count, bytes: Bytes },
  {
    description:
      'Stored files on local disk that no row refers to, older than a day, as they were last listed; null while a large folder is listed ' +
      'for the first time',
  },
)
export type Orphans = Static<typeof Orphans>

export const FileStats = Model('FileStats', {
  count: Count,
  bytes: Bytes,
  byType: Type.Array(Type.Object({ type: Enum(FILE_TYPES), count: Count, bytes: Bytes })),
  byStorage: Type.Array(Type.Object({ storage, count: Count, bytes: Bytes })),
  orphaned: Nullable(Orphans),
})
export type FileStats = Static<typeof FileStats>
