import { endpoint, platform } from '#http/endpoint.ts'

import { ByName } from '../backups.model.ts'
import { previewRestore } from './preview.service.ts'
import { ByRestore, Preview, RestoreList, Started, StartRestore, StartUndo } from './restores.model.ts'
import { discardOldData, listRestores, startRestore, startUndo } from './restores.service.ts'

const tag = 'Operations'
const RANK = 'You are not SYSTEM_ADMIN.'
const PROOF = `${RANK} Code 4031: confirm first that you are the owner of the account.`
const BUSY = 'A backup is being made, verified or restored.'

export const restoreEndpoints = [
  endpoint({
    id: 'restores.preview',
    method: 'POST',
    path: '/api/admin/backups/:name/preview',
    summary: 'Preview the restore of a backup',
    description:
      'Compares a verified backup with this server and says why it may not be possible to restore it. Changes nothing. For SYSTEM_ADMIN only.',
    tag,
    access: platform('setting:update'),
    params: ByName,
    data: Preview,
    refuses: { 400: 'The backup has no file, or was not verified.', 403: RANK },
    ignoresKey: 'It changes nothing.',
    run: ({ ctx, actor, params, caller }) => previewRestore(ctx, actor, params.name, caller.locale),
  }),
  endpoint({
    id: 'restores.start',
    method: 'POST',
    path: '/api/admin/backups/:name/restore',
    summary: 'Restore a backup',
    description:
      'For SYSTEM_ADMIN only, after a sign-in or confirmation within the last ten minutes. The server stops, replaces database, files and keys, ' +
      'and starts again by itself, on the same port. Meanwhile it answers everything with 503, and `/actuator/health` with the step. The old ' +
      'data stays in the data directory until it is deleted. If the restore fails, nothing has changed and the list of restores says why.',
    tag,
    access: platform('setting:update'),
    params: ByName,
    body: StartRestore,
    data: Started,
    logs: 'BACKUP_RESTORE',
    checksSecret: true,
    refuses: { 400: `${BUSY} Or the preview has refusals, or the backup was not verified.`, 403: PROOF },
    run: ({ ctx, actor, params, body, caller }) => startRestore(ctx, actor, params.name, body, caller),
  }),
  endpoint({
    id: 'restores.list',
    method: 'GET',
    path: '/api/admin/restores',
    summary: 'List restores',
    description: 'The last 20, the newest first, and older ones whose replaced data is still there.',
    tag,
    access: platform('system:read'),
    data: RestoreList,
    run: ({ ctx, caller }) => listRestores(ctx, caller.locale),
  }),
  endpoint({
    id: 'restores.undo',
    method: 'POST',
    path: '/api/admin/restores/:id/undo',
    summary: 'Restore the data from before a restore',
    description:
      'Brings the data back that the restore has replaced, in the same way. The data of now can come back by another undo. For SYSTEM_ADMIN ' +
      'only, after a sign-in or confirmation within the last ten minutes.',
    tag,
    access: platform('setting:update'),
    params: ByRestore,
    body: StartUndo,
    data: Started,
    logs: 'BACKUP_UNDO',
    checksSecret: true,
    refuses: { 400: `${BUSY} Or the replaced data was deleted.`, 403: PROOF },
    run: ({ ctx, actor, params, body, caller }) => startUndo(ctx, actor, params.id, body, caller),
  }),
  endpoint({
    id: 'restores.delete',
    method: 'DELETE',
    path: '/api/admin/restores/:id',
    summary: 'Delete the data that a restore has replaced',
    description: 'Frees its space. The restore cannot be undone then. For SYSTEM_ADMIN only.',
    tag,
    access: platform('setting:update'),
    params: ByRestore,
    logs: 'BACKUP_DISCARD',
    refuses: { 400: 'The replaced data was deleted, or a restore is running.', 403: RANK },
    run: ({ ctx, actor, params }) => discardOldData(ctx, actor, params.id),
  }),
]
