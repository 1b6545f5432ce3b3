import { Enum, Id, Model, Nullable, PageOf, PageQuery, type Static, Text, Time, Type } from '#http/schema.ts'
import { BACKUP_SOURCES } from '#platform/backup/folder.ts'

/** Seconds for which a download link can be used. The download itself may take longer. */
export const LINK_SECONDS = 60

const Name = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]{0,120}\\.tar\\.(zst|gz)$',
  maxLength: 128,
  examples: ['tessera-20300102-030405.tar.zst'],
})

export const ByName = Type.Object({ name: Name })

const Problem = Nullable(
  Type.String({
    description: "In the caller's language; a technical part may be in English",
    examples: ['The backup could not be made: No space is left on the disk.'],
  }),
)
const Amount = (description: string) => Nullable(Type.Integer({ description, minimum: 0 }))

export const BackupView = Model('Backup', {
  name: Name,
  state: Enum(['UPLOADING', 'RUNNING', 'READY', 'FAILED'], {
    description:
      'UPLOADING: a part of the file has arrived, and the upload can go on. READY: the file is complete. FAILED: there is no file; `problem` ' +
      'says why',
  }),
  source: Enum(BACKUP_SOURCES, {
    description:
      'COMMAND_LINE: made by `tessera backup`, or copied into the folder. UPLOAD: it need not be of this server',
  }),
  createdBy: Nullable(Model('BackupAuthor', { id: Id, name: Text('root', { description: 'The name at that time' }) })),
  createdAt: Time,
  finishedAt: Nullable(Time),
  bytes: Amount('Size of the file, or of the part that has arrived'),
  files: Amount('Uploaded files, app packages and keys in it; null if it is unknown'),
  rows: Amount('Rows of the database in it; null if it is unknown'),
  problem: Problem,
  verification: Model('BackupVerification', {
    state: Enum(['NONE', 'RUNNING', 'GOOD', 'DAMAGED', 'FAILED'], {
      description: 'FAILED: the backup could not be read completely, for example because the disk is full',
    }),
    at: Nullable(Time),
    problem: Problem,
  }),
  progress: Nullable(
    Type.Integer({
      minimum: 0,
      maximum: 100,
      description: 'Percent, while the backup is made or verified',
      examples: [40],
    }),
  ),
})
export type BackupView = Static<typeof BackupView>

export const BackupQuery = PageQuery({})
export type BackupQuery = Static<typeof BackupQuery>

export const BackupList = Model('BackupList', {
  ...PageOf(BackupView).properties,
  folder: Model('BackupFolder', {
    path: Text('/mnt/backup'),
    lockedBy: Nullable(Text('TESSERA_BACKUP_DIR', { description: 'The start value that names it, if one does' })),
    isWithData: Nullable(
      Type.Boolean({
        description: 'It is on the disk of the data directory, as far as the server can see; null if it cannot be read',
      }),
    ),
  }),
  isBusy: Type.Boolean({ description: 'A backup is being made or verified, perhaps by another process of the server' }),
  lastGoodAt: Nullable({
    ...Time,
    description: 'When the newest backup was made that is complete and that no verification found damaged',
  }),
  nextAt: Nullable({ ...Time, description: 'When the next backup by schedule is due; null if the schedule is off' }),
  freeBytes: Nullable(Type.Integer({ description: 'Free space for backups', minimum: 0 })),
  notIncluded: Nullable(
    Text('the bucket files at s3.example.org', {
      description: 'The bucket with the uploaded files, which backups do not include; null if they do',
    }),
  ),
})
export type BackupList = Static<typeof BackupList>

export const CreateBackup = Type.Object({
  format: Enum(['ZST', 'GZ'], {
    default: 'ZST',
    description: 'Compression. GZ is slower and larger, and known to every program',
  }),
})
export type CreateBackup = Static<typeof CreateBackup>

export const DownloadLink = Model('BackupDownloadLink', {
  url: Text(
    'https://qr.example.org/api/admin/backups/tessera-20300102-030405.tar.zst/download?user=1&expires=1900000000&signature=s',
  ),
  expiresAt: Time,
})
export type DownloadLink = Static<typeof DownloadLink>

export const DownloadQuery = Type.Object({
  user: Id,
  expires: Type.Integer({ minimum: 0, description: 'Epoch seconds' }),
  signature: Type.String({ minLength: 1, maxLength: 100, examples: ['3vN0lq2cJ0aUj7t0mYb2xw'] }),
})
export type DownloadQuery = Static<typeof DownloadQuery>
