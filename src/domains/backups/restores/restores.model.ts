import { Enum, Id, Model, Nullable, type Static, Text, Time, Type } from '#http/schema.ts'
import { COUNTED_TABLES } from '#platform/backup/folder.ts'

const Bytes = (description: string) => Type.Integer({ description, minimum: 0, examples: [52_428_800] })
const Count = (description: string) => Type.Integer({ description, minimum: 0, examples: [120] })

export const REFUSALS = [
  'NEWER',
  'OTHER_KIND',
  'SECRET',
  'SPACE',
  'PROCESSES',
  'DATABASE_NOT_EMPTY',
  'SHARED_FILES',
] as const

export const Preview = Model('RestorePreview', {
  madeAt: Time,
  version: Text('0.1.0', { description: 'Of the program that has written the backup' }),
  schema: Nullable(
    Enum(['SAME', 'OLDER', 'NEWER'], {
      description:
        'OLDER: the database is migrated after the restore. null for PostgreSQL, where it is known only when the dump is loaded',
    }),
  ),
  database: Enum(['SAME_KIND', 'OTHER_KIND'], { description: 'Whether both are SQLite or both PostgreSQL' }),
  host: Nullable(Text('server-1', { description: 'The machine; null if an earlier version has written the backup' })),
  publicUrl: Nullable(Text('https://qr.example.org', { description: 'The address at that time; null likewise' })),
  rows: Type.Array(
    Model('RestoredRows', {
      what: Enum(COUNTED_TABLES),
      here: Count('Rows of this server'),
      backup: Count('Rows of the backup'),
    }),
  ),
  files: Model('RestoredFiles', {
    here: Count('Uploaded files of this server'),
    backup: Count('Uploaded files of the backup'),
    bytes: Bytes('Size of all files in the backup, with app packages and keys'),
  }),
  newestChange: Model('NewestChanges', {
    here: Nullable({ ...Time, description: 'When the newest row was made' }),
    backup: Nullable(Time),
  }),
  administrators: Type.Array(Text('root'), {
    description: 'Names of the system administrators in the backup, at most 20',
  }),
  secretFits: Type.Boolean({
    description:
      'Whether the server can read what is encrypted in the backup, and check its operation log, with the key that it will have',
  }),
  spaceNeeded: Bytes('On the disk of the data directory'),
  spaceFree: Bytes('There'),
  refusals: Type.Array(
    Model('RestoreRefusal', { code: Enum(REFUSALS), sentence: Text('There is not enough free space.') }),
    { description: 'Why the backup cannot be restored here now; empty if it can' },
  ),
})
export type Preview = Static<typeof Preview>

const Password = Type.Optional(
  Nullable(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Of the caller: confirms the restore, like `POST /api/auth/confirm`',
      examples: ['correct horse battery'],
    }),
  ),
)
const KeepSessions = Type.Boolean({
  default: false,
  description: 'Sessions of the data that comes in go on. Otherwise everybody has to sign in again',
})

export const StartRestore = Type.Object({
  confirm: Type.String({
    maxLength: 200,
    description: 'The name of the backup',
    examples: ['tessera-20300102-030405.tar.zst'],
  }),
  password: Password,
  keepSessions: KeepSessions,
  keepServerValues: Type.Boolean({
    default: true,
    description:
      'Keeps the address and the certificate that were set in the browser, the folder of backups, and the mail server, if there is one, of this ' +
      'machine. Values of the start are always kept',
  }),
})
export type StartRestore = Static<typeof StartRestore>

export const StartUndo = Type.Object({ password: Password, keepSessions: KeepSessions })
export type StartUndo = Static<typeof StartUndo>

const RestoreId = Type.String({
  pattern: '^[0-9]{8}-[0-9]{6}(-[0-9]{1,3})?$',
  maxLength: 20,
  examples: ['20300102-030405'],
})

export const ByRestore = Type.Object({ id: RestoreId })

export const Started = Model('StartedRestore', { id: RestoreId, startedAt: Time })
export type Started = Static<typeof Started>

export const RestoreView = Model('Restore', {
  id: RestoreId,
  kind: Enum(['RESTORE', 'UNDO'], { description: 'UNDO: the data that another restore had replaced came back' }),
  name: Nullable(
    Text('tessera-20300102-030405.tar.zst', {
      description: 'The backup; with UNDO the id of the restore. null for restores of the command line',
    }),
  ),
  startedBy: Nullable(
    Model('RestoreAuthor', {
      id: Nullable({ ...Id, description: 'A user of the data that was replaced. null: the user of the setup link' }),
      name: Text('root'),
    }),
  ),
  startedAt: Time,
  state: Enum(['RUNNING', 'DONE', 'FAILED'], { description: 'FAILED: the data was not replaced; `problem` says why' }),
  problem: Nullable(Text('The data was not replaced: the backup is damaged.')),
  undo: Type.Boolean({ description: 'The replaced data is still there, and can come back or be deleted' }),
})
export type RestoreView = Static<typeof RestoreView>

export const RestoreList = Model('RestoreList', { items: Type.Array(RestoreView) })
export type RestoreList = Static<typeof RestoreList>
