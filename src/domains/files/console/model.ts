import { FILE_ENTITIES, FILE_TYPES } from '#db/schema/files.ts'
import { keywordFilter, ownerFields, ownerFilters, OwnerView } from '#domains/console/index.ts'
import { Enum, Id, Model, Nullable, PageOf, PageQuery, Sort, type Static, Text, Type } from '#http/schema.ts'

import { FileView } from '../model.ts'

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

export const AdminFileView = Model('AdminFile', {
  ...FileView.properties,
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

export const FileStats = Model('FileStats', {
  count: Count,
  bytes: Bytes,
  byType: Type.Array(Type.Object({ type: Enum(FILE_TYPES), count: Count, bytes: Bytes })),
  byStorage: Type.Array(Type.Object({ storage, count: Count, bytes: Bytes })),
  orphaned: Nullable(
    Type.Object(
      { count: Count, bytes: Bytes },
      { description: 'Stored bytes that no row refers to; null while a large storage is listed for the first time' },
    ),
  ),
})
export type FileStats = Static<typeof FileStats>
