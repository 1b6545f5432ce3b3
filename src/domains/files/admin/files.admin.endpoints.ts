import { endpoint, platform } from '#http/endpoint.ts'

import {
  AdminFilePage,
  AdminFilesQuery,
  ByFile,
  Cleanup,
  CleanupResult,
  DeletedFiles,
  DeleteFiles,
  FileStats,
  OrphanPage,
  OrphansQuery,
} from './files.admin.model.ts'
import * as service from './files.admin.service.ts'
import * as orphans from './orphans.service.ts'

const tag = 'Files'
const consequences =
  'Permanently, whatever uses it. Pictures of users, organizations, groups, activities, assets and inventories become empty, messages and ' +
  'metadata values lose the file, and an album photo is deleted with its image.'

export const fileAdminEndpoints = [
  endpoint({
    id: 'admin.files.list',
    method: 'GET',
    path: '/api/admin/files',
    summary: 'List the files of all users and organizations',
    description:
      'Newest first unless `sort` is given. Files of chats (`entityType` MESSAGE) have no addresses, since they are private.',
    tag,
    access: platform('file:read'),
    query: AdminFilesQuery,
    data: AdminFilePage,
    run: ({ ctx, actor, query }) => service.listAllFiles(ctx, actor, query),
  }),
  endpoint({
    id: 'admin.files.delete',
    method: 'DELETE',
    path: '/api/admin/files/:fileId',
    summary: 'Delete any file',
    description: consequences,
    tag,
    access: platform('file:delete'),
    logs: 'FILE_DELETE',
    params: ByFile,
    run: ({ ctx, actor, params }) => service.deleteAnyFile(ctx, actor, params.fileId),
  }),
  endpoint({
    id: 'admin.files.deleteMany',
    method: 'POST',
    path: '/api/admin/files/batch-delete',
    summary: 'Delete several files',
    description: `${consequences} Files that do not exist are listed in \`failed\`, and the others are deleted.`,
    tag,
    access: platform('file:delete'),
    logs: 'FILE_BATCH_DELETE',
    body: DeleteFiles,
    data: DeletedFiles,
    ignoresKey: 'It creates nothing.',
    run: ({ ctx, actor, body, caller }) => service.deleteAnyFiles(ctx, actor, body.ids, caller.locale),
  }),
  endpoint({
    id: 'admin.files.stats',
    method: 'GET',
    path: '/api/admin/files/stats',
    summary: 'Get statistics of files',
    description:
      'They are up to a minute old, and the number of orphaned files can be older if there are very many files.',
    tag,
    access: platform('file:read'),
    data: FileStats,
    run: ({ ctx }) => service.showStats(ctx),
  }),
  endpoint({
    id: 'admin.files.orphaned',
    method: 'GET',
    path: '/api/admin/files/orphaned',
    summary: 'List orphaned files',
    description:
      'Files on local disk that no row refers to, the newest 20,000. Those younger than a day are left out, because they may belong to an ' +
      'upload that is under way. Always empty if files are stored in S3.',
    tag,
    access: platform('file:read'),
    query: OrphansQuery,
    data: OrphanPage,
    run: ({ ctx, query }) => orphans.listOrphans(ctx, query),
  }),
  endpoint({
    id: 'admin.files.cleanUp',
    method: 'POST',
    path: '/api/admin/files/cleanup-orphaned',
    summary: 'Delete orphaned files',
    description:
      'At most 20,000 files a request. Nothing is deleted if files are stored in S3, where only the daily job does it.',
    tag,
    access: platform('file:delete'),
    logs: 'FILE_CLEANUP',
    body: Cleanup,
    data: CleanupResult,
    refuses: {
      400: 'Most of the stored files are orphaned, which is a sign of the wrong database, and `force` is not given.',
    },
    ignoresKey: 'It creates nothing.',
    run: ({ ctx, actor, body }) => service.cleanUpOrphans(ctx, actor, body),
  }),
]
