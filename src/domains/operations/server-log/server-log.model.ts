import { Enum, Line, Model, Nullable, type Static, Text, Time, Type } from '#http/schema.ts'

import { PROCESS } from '../operations.model.ts'

const LEVELS = ['debug', 'info', 'warn', 'error'] as const

export const ServerLogQuery = Type.Object({
  process: Type.Optional(
    Line(64, 1, {
      description: 'Only lines of the process with this id; without it, of all processes',
      examples: ['5f3a9c01'],
    }),
  ),
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
    description: 'Only lines with greater ids. Ignored by a process that has not come that far: its clock was set back',
  }),
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 200 }),
})
export type ServerLogQuery = Static<typeof ServerLogQuery>

export const ServerLog = Model('ServerLog', {
  process: Model(
    'ServerLogProcess',
    {
      description: 'The process that answered',
    },
    { id: PROCESS, host: Text('server-1'), pid: Type.Integer(), startedAt: Time },
  ),
  processes: Type.Array(Model('ServerLogSource', { id: PROCESS, host: Text('server-1') }), {
    description: 'Those of the server, in the order of their start: values for `process`',
  }),
  unanswered: Type.Array(Type.String(), {
    description: 'Processes whose lines are missing: they did not answer within 2 seconds, or have stopped',
    examples: [['5f3a9c02']],
  }),
  level: Enum(LEVELS, { description: 'The lowest level that is written (`TESSERA_LOG_LEVEL`)' }),
  items: Type.Array(
    Model('ServerLogLine', {
      id: Type.Integer({ description: 'Unique in its process', examples: [1_772_800_000_123_000] }),
      process: PROCESS,
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
  lastId: Type.Integer({
    description:
      'The next `since`. With several processes, lines can then come again, if the clocks of their machines differ',
    examples: [1_772_800_000_123_000],
  }),
})
export type ServerLog = Static<typeof ServerLog>
