import { Enum, Model, Nullable, type Static, Text, Time, Type } from '#http/schema.ts'

/** Same format as Spring Boot's actuator, which most monitoring tools understand. */
const Status = Enum(['UP', 'DOWN'])
export const HealthView = Model('Health', {
  status: Status,
  components: Type.Optional(
    Model(
      'HealthComponents',
      { description: 'For administrators only' },
      {
        database: Model('DatabaseHealth', {
          status: Status,
          kind: Text('sqlite'),
          responseMs: Nullable(Type.Number({ description: 'Time of a query; null if it failed', examples: [0.4] })),
        }),
        disk: Model('DiskHealth', {
          status: Status,
          freeBytes: Nullable(
            Type.Integer({ description: 'Free space for the data directory; null if it is unknown' }),
          ),
          minimumBytes: Type.Integer({ description: 'With less, the server is DOWN', examples: [16_777_216] }),
        }),
        files: Model('FilesHealth', {
          status: Status,
          storage: Enum(['LOCAL', 'OSS'], {
            description: 'Where files are stored. DOWN does not make the server DOWN',
          }),
          problem: Nullable(
            Type.String({
              description: 'Why files cannot be stored, read or deleted',
              examples: ['The bucket files at s3.example.org did not answer in time.'],
            }),
          ),
        }),
        outbox: Model('OutboxHealth', {
          status: Enum(['UP', 'DELAYED', 'DOWN'], {
            description: 'DELAYED: a message has been waiting for ten minutes',
          }),
          waiting: Nullable(Type.Integer({ description: 'Mails and SMS that have not been sent yet' })),
          retrying: Nullable(
            Type.Integer({ description: 'Those among them that could not be sent at the first attempt' }),
          ),
          oldestSeconds: Nullable(Type.Integer({ description: 'Age of the oldest; null if none is waiting' })),
        }),
        backup: Model('BackupHealth', {
          status: Enum(['UP', 'OVERDUE', 'DOWN'], {
            description:
              'OVERDUE: the schedule is on, and the newest good backup is older than two of its intervals. DOWN: the folder of ' +
              'backups cannot be read. Neither makes the server DOWN',
          }),
          schedule: Enum(['OFF', 'DAILY', 'WEEKLY']),
          lastGoodAt: Nullable({
            ...Time,
            description: 'When the newest backup was made that is complete and that no verification found damaged',
          }),
        }),
        certificate: Type.Optional(
          Model(
            'CertificateHealth',
            { description: 'Only with HTTPS. It does not make the server DOWN' },
            {
              status: Enum(['VALID', 'EXPIRING', 'EXPIRED'], { description: 'EXPIRING: it should have been renewed' }),
              daysLeft: Type.Integer({ minimum: 0 }),
            },
          ),
        ),
        server: Model('ServerHealth', {
          status: Status,
          draining: Type.Boolean({ description: 'The server is stopping' }),
          version: Text('0.1.0'),
          uptimeSeconds: Type.Integer(),
        }),
      },
    ),
  ),
})
export type HealthView = Static<typeof HealthView>

export const LiveView = Model('Live', { status: Enum(['UP']) })

const NOT_READY = ['DRAINING', 'DATABASE', 'BEHIND', 'STORAGE'] as const
export type NotReady = (typeof NOT_READY)[number]

export const ReadyView = Model('Ready', {
  status: Status,
  reason: Type.Optional(
    Enum(NOT_READY, {
      description:
        'Why requests should go elsewhere. DRAINING: the server will stop. DATABASE: the database does not answer or refuses writes. BEHIND: ' +
        'the changes of other processes were not read for 5 seconds. STORAGE: the disk of the data directory is full or cannot be written',
    }),
  ),
})
export type ReadyView = Static<typeof ReadyView>
