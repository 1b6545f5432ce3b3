import { Enum, Model, type Static, Text, Time, Type } from '#http/schema.ts'

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

export const PROCESS = Text('5f3a9c01', { description: 'In each line of its log' })

export const PROCESS_STATES = ['UP', 'DRAINING', 'LOST'] as const

export const ProcessList = Model('ProcessList', {
  items: Type.Array(
    Model('ServerProcess', {
      id: PROCESS,
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
