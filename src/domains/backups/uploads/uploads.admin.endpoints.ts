import { endpoint, platform } from '#http/endpoint.ts'

import { BackupView, ByName } from '../backups.model.ts'
import { receiveBackup, showBackup } from './uploads.service.ts'

const tag = 'Operations'

/** Bytes: no limit but the free space. */
const LARGEST = 2 ** 50

export const uploadEndpoints = [
  endpoint({
    id: 'backups.get',
    method: 'GET',
    path: '/api/admin/backups/:name',
    summary: 'Get a backup',
    description:
      'HEAD answers with the number of bytes that the server has as `Content-Length`: an upload that was cut goes on there.',
    tag,
    access: platform('system:read'),
    params: ByName,
    data: BackupView,
    answers: 'application/json',
    run: ({ ctx, params, request, caller }) => showBackup(ctx, params.name, request, caller.locale),
  }),
  endpoint({
    id: 'backups.upload',
    method: 'PUT',
    path: '/api/admin/backups/:name',
    summary: 'Upload a backup',
    description:
      'For SYSTEM_ADMIN only. The body is the file; `Content-Length` is needed. With `Content-Range: bytes START-END/TOTAL` it is a part, and ' +
      'START must be the size that HEAD reports. Without it the upload begins again. A complete backup is verified in the background, unless ' +
      'another one is being made or verified, and can be restored after that.',
    tag,
    access: platform('setting:update'),
    params: ByName,
    data: BackupView,
    logs: 'BACKUP_UPLOAD',
    refuses: {
      400:
        'There is a backup of this name; the body is no backup, or incomplete; the range does not begin at the size that the server has, which ' +
        'the message names; or the backup is being uploaded by another request.',
      403: 'You are not SYSTEM_ADMIN.',
      413: 'The backup would leave less than 1 GB free on the disk.',
    },
    streamsBody: true,
    maxBody: LARGEST,
    run: ({ ctx, actor, params, request, caller }) => receiveBackup(ctx, actor, params.name, request, caller.locale),
  }),
]
