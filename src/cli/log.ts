/** Verifies the operation log, for `tessera log verify` and for doctor. */

import { statSync } from 'node:fs'

import type { Config } from '#config/config.ts'
import type { LogReport } from '#domains/operation-log/index.ts'
import { signingKey, signingKeyFile } from '#platform/keys.ts'
import { sealOf } from '#platform/seal.ts'

import { checkDatabase } from './data-directory.ts'
import { EXIT, Refusal } from './exit-codes.ts'
import { say } from './terminal.ts'
import type { Run } from './verb.ts'

export interface Expected {
  readonly oldKeyUntil?: number | undefined
  readonly since?: { readonly id: number; readonly hash: string } | undefined
}

/** Without the key, `signingKey` would generate a new one. */
export const hasSigningKey = ({ secret, dataDir }: Config): boolean =>
  secret !== '' || statSync(signingKeyFile(dataDir), { throwIfNoEntry: false }) !== undefined

/** The database must have the schema of this version, and the key must exist. */
export async function verifyStoredLog(config: Config, expected?: Expected): Promise<LogReport> {
  const { withStoredLog } = await import('#db/stored-log.ts')
  const { signaturesOf, verifyLog } = await import('#domains/operation-log/index.ts')
  const sign = signaturesOf(sealOf(await signingKey(config)))
  return withStoredLog(config, (log) => verifyLog(log, sign, expected))
}

export const run: Run = async (call) => {
  const config = call.config()
  const { words, options } = call
  if (words[0] !== 'verify') throw new Refusal(`${words[0]!} is not an action of log: tessera log verify`, EXIT.usage)
  const expected = { since: witnessOf(options.get('since')), oldKeyUntil: rowIdOf(options.get('old-key-until')) }
  await checkDatabase(config)
  if (!hasSigningKey(config))
    throw new Refusal(`${signingKeyFile(config.dataDir)} is missing: it signs the rows.`, EXIT.data)
  const report = await verifyStoredLog(config, expected)
  const { rows, head, checkpoint, otherKeyUntil } = report
  const problem = report.fault?.message ?? otherKeyProblem(expected, otherKeyUntil)
  const row = report.fault?.id ?? null
  if (options.has('json')) {
    const shown = { ok: problem === undefined, rows, head: head ?? null, checkpoint: checkpoint ?? null }
    say(JSON.stringify({ ...shown, problem: problem ?? null, row }, null, 2))
  } else {
    say(`rows        ${rows}${problem === undefined ? '' : ' read'}`)
    say(`head        ${head === undefined ? 'missing' : head.id === 0 ? 'none' : `${head.id}:${head.hash}`}`)
    say(
      `checkpoint  ${checkpoint === undefined ? 'none' : `${checkpoint.id}:${checkpoint.hash}, ${checkpoint.deleted} rows deleted`}`,
    )
    say(problem === undefined ? 'The operation log is complete and unchanged.' : `FAIL  ${problem}`)
  }
  return problem === undefined ? EXIT.ok : EXIT.failure
}

export const otherKey = (until: number): string =>
  `The rows up to ${until} were signed with another key: if nobody has replaced the signing key, they were rewritten or cut off.`

const otherKeyProblem = ({ oldKeyUntil }: Expected, until: number | undefined): string | undefined =>
  until === undefined || oldKeyUntil !== undefined
    ? undefined
    : `${otherKey(until)} If the key was replaced after row ${until}, verify with --old-key-until ${until}.`

function witnessOf(text: string | undefined): Expected['since'] {
  if (text === undefined) return undefined
  const [, id, hash] = /^(\d{1,15}):([\w-]{43})$/.exec(text.trim()) ?? []
  if (id === undefined)
    throw new Refusal(
      '--since takes a row and its hash, as in the line "operation log witness" of the server\'s log: --since 17:mSDw…',
      EXIT.usage,
    )
  return { id: Number(id), hash: hash! }
}

function rowIdOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,15}$/.test(text))
    throw new Refusal('--old-key-until takes the id of a row: --old-key-until 17', EXIT.usage)
  return Number(text)
}
