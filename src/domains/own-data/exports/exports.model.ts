/** Shapes of data exports in requests and answers, and their limits. Durations are in milliseconds. */

import { Enum, Id, Model, Nullable, type Static, Text, Time, Type } from '#http/schema.ts'
import { DAY, HOUR, MINUTE, SECOND } from '#platform/clock.ts'

/** How long the file of an export is kept. */
export const KEPT_MS = 48 * HOUR
/** How long an export is listed after its file was deleted, or after it failed. */
export const LISTED_MS = 30 * DAY
/** A user, or an administrator for a user, starts one in this time. */
export const EVERY_MS = DAY
/** In all processes of a server. */
export const AT_ONCE = 2
/** Bytes that must be free on the disk of the data directory. */
export const MIN_FREE_BYTES = 1024 ** 3
export const LINK_MS = 10 * MINUTE
/** A process that has not renewed its export for so long has died. */
export const LEASE_MS = MINUTE
export const RENEW_MS = 5 * SECOND
/** An export that was begun so often fails: it may be what ends the process. */
export const MAX_ATTEMPTS = 5

export const StartExport = Model('StartDataExport', {
  files: Type.Optional(
    Type.Boolean({ default: true, description: 'Whether the archive contains the bytes of your files' }),
  ),
  language: Type.Optional(
    Enum(['en', 'zh'], { description: 'Of the page in the archive; by default that of the request', examples: ['en'] }),
  ),
})
export type StartExport = Static<typeof StartExport>

export const StartUserExport = Model('StartUserDataExport', { language: StartExport.properties.language })

export const ExportJob = Model('DataExport', {
  id: Type.String({ examples: ['k3v9x2m8q1w7c5b4n6z0a1s2'] }),
  status: Enum(['RUNNING', 'READY', 'FAILED', 'EXPIRED'], {
    description: 'RUNNING also while it waits for its turn; EXPIRED: the file was deleted',
    examples: ['READY'],
  }),
  bytes: Nullable(Type.Integer({ minimum: 0, description: 'Size of the archive; null until it is READY' })),
  progress: Type.Integer({ minimum: 0, maximum: 100, description: 'Percent', examples: [40] }),
  createdAt: Time,
  expiresAt: Nullable({ ...Time, description: 'When the file will be deleted; null until it is READY' }),
})
export type ExportJob = Static<typeof ExportJob>

export const LatestExport = Nullable(ExportJob)

export const ById = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 40, examples: ['k3v9x2m8q1w7c5b4n6z0a1s2'] }),
})
export const ByUserId = Type.Object({ userId: Id })

export const ExportLink = Model('DataExportLink', {
  url: Text(
    'https://qr.example.org/api/auth/export/k3v9x2m8q1w7c5b4n6z0a1s2/download?user=1&session=2&expires=1900000000&signature=s',
  ),
  expiresAt: Time,
})
export type ExportLink = Static<typeof ExportLink>

export const LinkQuery = Type.Object({
  user: Id,
  session: Id,
  expires: Type.Integer({ minimum: 0, description: 'Epoch seconds' }),
  signature: Type.String({ minLength: 1, maxLength: 100, examples: ['3vN0lq2cJ0aUj7t0mYb2xw'] }),
})
export type LinkQuery = Static<typeof LinkQuery>
