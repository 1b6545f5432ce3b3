/** Exit codes and the sentence that explains an error. The codes are part of the interface: docs/operations.md lists them. */

import { ConfigError } from '#config/read.ts'
import type { StorageTrouble } from '#db/errors.ts'
import { BlobError } from '#platform/blobs/port.ts'
import { BadCertificate } from '#platform/certificate.ts'
import { diskTrouble } from '#platform/disk-trouble.ts'
import { BadKey } from '#platform/keys.ts'
import { DataDirectoryError } from '#platform/lock.ts'

export const EXIT = {
  ok: 0,
  /** A failed check, or an error without a code of its own. */
  failure: 1,
  /** A command or a setting that is not accepted. */
  usage: 2,
  /** The data directory, the database or the port is in use. */
  busy: 3,
  /** The data cannot be used: a corrupt database, a newer schema, a damaged backup. */
  data: 4,
  /** The disk is full, read-only, or cannot be written by this user. */
  storage: 5,
  /** A configured service does not answer or refuses: PostgreSQL, S3 server, mail server, SMS gateway. */
  unreachable: 6,
  /** Of `tessera api`: the server refuses the request (4xx), fails (5xx), or does not answer. */
  refused: 4,
  serverFailed: 5,
  noAnswer: 7,
  /** An administrator has restarted the server in the browser: the service starts it again. */
  restart: 75,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** Ends a command with a sentence for the operator and an exit code for scripts. */
export class Refusal extends Error {
  override name = 'Refusal'
  constructor(
    message: string,
    readonly exitCode: ExitCode,
  ) {
    super(message)
  }
}

export interface Explanation {
  readonly sentence: string
  readonly exitCode: ExitCode
  /** The error was not foreseen: its stack is printed. */
  readonly unexpected: boolean
}

const BY_TROUBLE: Record<StorageTrouble, ExitCode> = {
  full: EXIT.storage,
  readonly: EXIT.storage,
  unopenable: EXIT.storage,
  io: EXIT.storage,
  corrupt: EXIT.data,
  schema: EXIT.data,
  // Not `storage`: a supervisor that started the server again would create an empty database.
  gone: EXIT.data,
  busy: EXIT.busy,
  unreachable: EXIT.unreachable,
}

const BY_DIRECTORY_TROUBLE: Record<DataDirectoryError['kind'], ExitCode> = {
  busy: EXIT.busy,
  storage: EXIT.storage,
  damaged: EXIT.data,
}

const known = (sentence: string, exitCode: ExitCode): Explanation => ({ sentence, exitCode, unexpected: false })

/** `place`: the subject of errors that do not name one (`The data directory /x`). */
export function explain(error: unknown, place: string): Explanation {
  if (error instanceof Refusal) return known(error.message, error.exitCode)
  if (error instanceof ConfigError) return known(error.problems.join('\n'), EXIT.usage)
  if (error instanceof DataDirectoryError) return known(error.message, BY_DIRECTORY_TROUBLE[error.kind])
  if (error instanceof BlobError)
    return known(error.message, error.kind === 'unreachable' ? EXIT.unreachable : EXIT.storage)
  if (error instanceof BadCertificate) return known(error.message, EXIT.usage)
  if (error instanceof BadKey) return known(error.message, EXIT.data)
  const { name, kind, code, syscall, setting = 'TESSERA_PORT', message, exitCode } = error as Record<string, unknown>
  // A rule of the interface was violated: a weak password, a name that is taken.
  if (name === 'AppError' && code === 400) return known(String(message), EXIT.usage)
  // By name: importing db/ here would fix the dialect before the configuration is read.
  if (name === 'StorageError') return known(String(message), BY_TROUBLE[kind as StorageTrouble])
  if (exitCode === EXIT.data || name === 'BackupRefusal') return known(String(message), exitCode as ExitCode)
  if (syscall === 'listen') return listening(String(code), String(setting))
  const trouble = diskTrouble(error, place)
  if (trouble !== undefined) return known(trouble, EXIT.storage)
  return { sentence: String(message ?? error), exitCode: EXIT.failure, unexpected: true }
}

function listening(code: string, setting: string): Explanation {
  switch (code) {
    case 'EADDRINUSE':
      return known(
        `The port is already in use: stop the program that uses it, or choose another port with ${setting}.`,
        EXIT.busy,
      )
    case 'EACCES':
      return known(
        `This user has no permission to listen on that port: choose one above 1023 with ${setting}.`,
        EXIT.usage,
      )
    default:
      return known(`This machine has no such address (${code}): correct TESSERA_HOST.`, EXIT.usage)
  }
}
