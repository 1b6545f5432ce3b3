import { Enum, Model, type Static, Text, Type } from '#http/schema.ts'

/** Spring Boot's words, which monitors of many makes know. */
export const HealthStatus = Model('Health', { status: Enum(['UP', 'DOWN']) })

export const InfoView = Model('ServerInfo', {
  name: Text('tessera'),
  version: Type.String({ examples: ['0.1.0'] }),
  runtime: Type.String({ examples: ['bun 1.4.5'] }),
  database: Type.String({ examples: ['sqlite'] }),
  startedAt: Type.Integer(),
  uptimeSeconds: Type.Integer(),
  memoryBytes: Type.Integer({ description: 'Resident memory of the process' }),
  freeDiskBytes: Type.Integer({ description: 'Free space where the data directory lies' }),
})
export type InfoView = Static<typeof InfoView>
