import { endpoint, open, platform } from '#http/endpoint.ts'

import {
  BackupList,
  BackupQuery,
  BackupView,
  ByName,
  CreateBackup,
  DownloadLink,
  DownloadQuery,
} from './backups.model.ts'
import {
  createBackup,
  createDownloadLink,
  downloadBackup,
  removeBackup,
  showBackups,
  verifyBackup,
} from './backups.service.ts'

const tag = 'Operations'
const BUSY = 'A backup is being made or verified.'
const NO_FILE = 'The backup has no file: it is still being made, or it failed.'
const RANK = 'You are not SYSTEM_ADMIN.'

export const backupEndpoints = [
  endpoint({
    id: 'backups.list',
    method: 'GET',
    path: '/api/admin/backups',
    summary: 'List backups',
    description:
      'The backups in the folder of the server, the newest first; also those of the command line. While one is made or verified, ask ' +
      'every second or two for its `progress`. A process without `TESSERA_BACKUP_DIR` lists the backups in its own data directory.',
    tag,
    access: platform('system:read'),
    query: BackupQuery,
    data: BackupList,
    run: ({ ctx, query, caller }) => showBackups(ctx, query, caller.locale),
  }),
  endpoint({
    id: 'backups.create',
    method: 'POST',
    path: '/api/admin/backups',
    summary: 'Create a backup',
    description:
      'Contains the database, all files and the keys, like `tessera backup`. It is made in the background, beside all other work; the ' +
      'answer shows it as RUNNING. One backup is made or verified at a time.',
    tag,
    access: platform('setting:update'),
    body: CreateBackup,
    data: BackupView,
    logs: 'BACKUP_CREATE',
    refuses: { 400: `${BUSY} With PostgreSQL also if the program pg_dump is missing on the server.` },
    ignoresKey: 'It starts work outside the database; only one backup runs at a time.',
    run: ({ ctx, actor, body, caller }) => createBackup(ctx, actor, body, caller.locale),
  }),
  endpoint({
    id: 'backups.verify',
    method: 'POST',
    path: '/api/admin/backups/:name/verify',
    summary: 'Verify a backup',
    description:
      'Reads the whole file in the background and compares it with its manifest, like `tessera restore --check`. `verification` of the ' +
      'list has the result.',
    tag,
    access: platform('setting:update'),
    params: ByName,
    data: BackupView,
    logs: 'BACKUP_VERIFY',
    refuses: { 400: `${BUSY} ${NO_FILE}` },
    ignoresKey: 'It starts work outside the database; only one backup runs at a time.',
    run: ({ ctx, actor, params, caller }) => verifyBackup(ctx, actor, params.name, caller.locale),
  }),
  endpoint({
    id: 'backups.downloadLink',
    method: 'POST',
    path: '/api/admin/backups/:name/download-link',
    summary: 'Create a download link of a backup',
    description:
      'For SYSTEM_ADMIN only, because a backup contains everything of everybody, unencrypted. The link works without a token for ' +
      '60 seconds; a download that has begun continues.',
    tag,
    access: platform('setting:update'),
    params: ByName,
    data: DownloadLink,
    logs: 'BACKUP_DOWNLOAD',
    refuses: { 400: NO_FILE, 403: RANK },
    ignoresKey: 'Its answer is a secret.',
    run: ({ ctx, actor, params }) => createDownloadLink(ctx, actor, params.name),
  }),
  endpoint({
    id: 'backups.download',
    method: 'GET',
    path: '/api/admin/backups/:name/download',
    summary: 'Download a backup',
    description: 'With the link that `backups.downloadLink` returns, and only with it. Supports `Range`.',
    tag,
    access: open,
    params: ByName,
    query: DownloadQuery,
    answers: 'application/zstd, application/gzip',
    sendsRanges: true,
    refuses: { 400: NO_FILE, 403: 'The link has expired or was changed, or its user is no longer SYSTEM_ADMIN.' },
    run: ({ ctx, request, params, query }) => downloadBackup(ctx, request, params.name, query),
  }),
  endpoint({
    id: 'backups.delete',
    method: 'DELETE',
    path: '/api/admin/backups/:name',
    summary: 'Delete a backup',
    description: 'For SYSTEM_ADMIN only. Also removes a failed one from the list.',
    tag,
    access: platform('setting:update'),
    params: ByName,
    logs: 'BACKUP_DELETE',
    refuses: { 400: 'The backup is being made or verified.', 403: RANK },
    run: ({ ctx, actor, params }) => removeBackup(ctx, actor, params.name),
  }),
]
