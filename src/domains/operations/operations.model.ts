import { Enum, Line, Model, Nullable, type Static, Text, Time, Type } from '#http/schema.ts'

export const InfoView = Model('ServerInfo', {
  name: Text('tessera'),
  version: Type.String({ examples: ['0.1.0'] }),
  runtime: Type.String({ examples: ['bun 1.4.5'] }),
  database: Type.String({ examples: ['sqlite'] }),
  startedAt: Type.Integer(),
  uptimeSeconds: Type.Integer(),
  memoryBytes: Type.Integer({ description: 'Resident memory of the process' }),
  freeDiskBytes: Type.Integer({ description: 'Free space on the file system of the data directory' }),
  hasLocalAddress: Type.Boolean({
    description: 'The public URL is an address of this machine. Links and QR codes work on no other device',
  }),
  sendsMail: Type.Boolean({ description: 'A mail server is configured. Otherwise mails are only written to the log' }),
  sendsSms: Type.Boolean({ description: 'An SMS gateway is configured. Otherwise SMS are only written to the log' }),
})
export type InfoView = Static<typeof InfoView>

export const PROCESS_STATES = ['UP', 'DRAINING', 'LOST'] as const

export const ProcessList = Model('ProcessList', {
  items: Type.Array(
    Model('ServerProcess', {
      id: Text('5f3a9c01', { description: 'In each line of its log' }),
      version: Text('0.1.0'),
      host: Text('server-1'),
      startedAt: Time,
      lastSeenAt: { ...Time, description: 'When it last reported itself' },
      listening: Type.Boolean({ description: 'Its port is open, and it is not stopping' }),
      sockets: Type.Integer({ description: 'Open WebSockets', examples: [120] }),
      requestsPerSecond: Type.Number({
        description: 'Since its last report; of the only process, since the last call of this operation',
        examples: [85.2],
      }),
      memoryBytes: Type.Integer({ description: 'Resident memory', examples: [180_355_072] }),
      hasJobs: Type.Boolean({ description: 'It runs the jobs of all processes' }),
      state: Enum(PROCESS_STATES, { description: 'DRAINING: it is stopping' }),
    }),
  ),
})
export type ProcessList = Static<typeof ProcessList>

const LEVELS = ['debug', 'info', 'warn', 'error'] as const

export const ServerLogQuery = Type.Object({
  level: Enum(LEVELS, { default: 'debug', description: 'The lowest level' }),
  text: Type.Optional(
    Line(200, 1, { description: 'Part of the message or the details, in any case', examples: ['qr-codes'] }),
  ),
  requestId: Type.Optional(
    Line(64, 1, {
      description: 'The id that errors show to users, and the header `X-Request-Id`',
      examples: ['8a575617-12e'],
    }),
  ),
  since: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 0,
    description: 'Only lines with greater ids. Ignored if this process has not come that far: it was restarted',
  }),
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 200 }),
})
export type ServerLogQuery = Static<typeof ServerLogQuery>

export const ServerLog = Model('ServerLog', {
  process: Model(
    'ServerLogProcess',
    {
      description:
        'The process that answered; of several, each has lines of its own. If it is another one than before, ask again without `since`',
    },
    { host: Text('server-1'), pid: Type.Integer(), startedAt: Time },
  ),
  level: Enum(LEVELS, { description: 'The lowest level that is written (`TESSERA_LOG_LEVEL`)' }),
  items: Type.Array(
    Model('ServerLogLine', {
      id: Type.Integer({ examples: [42] }),
      time: Time,
      level: Enum(LEVELS),
      message: Text('GET /api/qr-codes 200'),
      details: Text('ms=1.2 ip=203.0.113.7 user=7', {
        description: 'Fields of the line; the stack of an error on further lines',
      }),
      requestId: Nullable(Text('8a575617-12e')),
    }),
    { description: 'The newest that match, in the order of their ids' },
  ),
  hasMore: Type.Boolean({ description: 'Older lines match too' }),
  lastId: Type.Integer({ description: 'The newest line, whether it matches or not: the next `since`', examples: [42] }),
})
export type ServerLog = Static<typeof ServerLog>
