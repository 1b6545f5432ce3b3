import { Enum, Model, Nullable, type Static, Text, Time, Type } from '#http/schema.ts'

const Bytes = Type.Integer({ minimum: 0, examples: [52_428_800] })
const Count = Type.Integer({ minimum: 0 })

/** Limits that each process counts by itself. */
export const PER_PROCESS = [
  'DATABASE_CONNECTIONS',
  'IMAGES',
  'UPLOADS_OF_USER',
  'UNSENT_SOCKET_BYTES',
  'LOG_LINES',
] as const

export const SystemView = Model('System', {
  database: Model('SystemDatabase', {
    kind: Enum(['SQLITE', 'POSTGRESQL']),
    version: Text('16.4', { description: 'Of SQLite or of the PostgreSQL server' }),
    sizeBytes: { ...Bytes, description: 'On SQLite with its log' },
    connections: Nullable(
      Model(
        'SystemConnections',
        { description: 'Of the PostgreSQL server; null on SQLite' },
        {
          open: { ...Count, description: 'Of all programs, to all its databases', examples: [31] },
          most: { ...Count, description: 'That it accepts (`max_connections`)', examples: [100] },
        },
      ),
    ),
  }),
  files: Model('SystemFiles', {
    storage: Enum(['LOCAL', 'OSS'], { description: 'LOCAL: a directory; OSS: an S3 bucket' }),
    count: { ...Count, description: 'Up to a minute old', examples: [1280] },
    bytes: { ...Bytes, description: 'Of the files, up to a minute old' },
    freeDiskBytes: { ...Bytes, description: 'On the file system of the data directory of the process that answered' },
  }),
  jobs: Type.Array(
    Model('SystemJob', {
      name: Text('qrCodes.purgeTrash'),
      everySeconds: Type.Integer({ description: 'From one start to the next', examples: [21_600] }),
      lastSuccessAt: Nullable({ ...Time, description: 'In any process; null if not since their start' }),
    }),
    { description: 'Background work, which one process runs for all' },
  ),
  perProcess: Type.Array(
    Model('SystemLimit', {
      name: Enum(PER_PROCESS),
      most: { ...Count, examples: [25] },
    }),
    { description: 'Limits that each process counts by itself: of the process that answered' },
  ),
  unanswered: Type.Array(Type.String(), {
    description: 'Processes that did not say within 2 seconds when jobs succeeded there',
    examples: [['5f3a9c02']],
  }),
})
export type SystemView = Static<typeof SystemView>
