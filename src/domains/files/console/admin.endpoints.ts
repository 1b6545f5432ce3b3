import { endpoint, platform } from '#http/endpoint.ts'

import { AdminFilePage, AdminFilesQuery, ByFile, DeletedFiles, DeleteFiles } from './model.ts'
import * as service from './service.ts'

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
    description: 'Newest first unless `sort` is given.',
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
    run: ({ ctx, actor, body, caller }) => service.deleteAnyFiles(ctx, actor, body.ids, caller.locale),
  }),
]
