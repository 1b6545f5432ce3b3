import { Enum, Model, type Static, Text, Type } from '#http/schema.ts'

/** Same format as Spring Boot's actuator, which most monitoring tools understand. */
export const HealthStatus = Model('Health', { status: Enum(['UP', 'DOWN']) })

export const InfoView = Model('ServerInfo', {
  name: Text('tessera'),
  version: Type.String({ examples: ['0.1.0'] }),
  runtime: Type.String({ examples: ['bun 1.4.5'] }),
  database: Type.String({ examples: ['sqlite'] }),
  startedAt: Type.Integer(),
  uptimeSeconds: Type.Integer(),
  memoryBytes: Type.Integer({ description: 'Resident memory of the process' }),
  freeDiskBytes: Type.Integer({ description: 'Free space on the file system of the data directory' }),
})
export type InfoView = Static<typeof InfoView>
