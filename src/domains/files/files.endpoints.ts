import { app, endpoint } from '#http/endpoint.ts'
import { ById } from '#http/schema.ts'

import { FileView } from './files.model.ts'
import * as service from './files.service.ts'

const tag = 'Files'

export const fileEndpoints = [
  endpoint({
    id: 'files.get',
    method: 'GET',
    path: '/api/files/:id',
    summary: 'Get a file',
    description: 'With new addresses of its bytes.',
    tag,
    access: app('file:read'),
    params: ById,
    data: FileView,
    run: ({ ctx, actor, params }) => service.getFile(ctx, actor, params.id),
  }),
  endpoint({
    id: 'files.delete',
    method: 'DELETE',
    path: '/api/files/:id',
    summary: 'Delete a file that nothing uses',
    tag,
    access: app('file:delete'),
    params: ById,
    refuses: { 403: 'Another member of the organization uploaded the file, or the organization is disabled.' },
    run: ({ ctx, actor, params }) => service.deleteUnusedFile(ctx, actor, params.id),
  }),
]
