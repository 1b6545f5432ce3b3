/** The fields of a row of the operation log, and the chain of hashes that reveals later changes. Pure. */

import type { LoggedAction, LoggedFields, LoggedTarget } from '#db/schema/operation-log.ts'
import { sha256 } from '#platform/ids.ts'
import type { Seal } from '#platform/seal.ts'

/** Texts are cut to this length: the log shows that a text was changed, and does not keep a copy of it. */
const MAX_TEXT = 500

/** UTF-8 bytes of `before` and `after` together. */
export const MAX_ENTRY_BYTES = 1_000_000

/** Names of fields that contain secrets. Settings such as `password.minLength` do not. */
const SECRET = /(?:password|passwordHash|token|secret)$/i

/** `previousHash` of the first row. */
export const FIRST_HASH = ''

/** The fields that the hash of a row covers. The signature covers the id. */
export interface Link {
  readonly actorId: number
  readonly actorName: string
  readonly action: LoggedAction
  readonly targetType: LoggedTarget
  readonly targetId: number | null
  readonly targetName: string | null
  readonly before: LoggedFields | null
  readonly after: LoggedFields | null
  readonly ipAddress: string
  readonly requestId: string
  readonly createdAt: number
  readonly previousHash: string
  /** The API key by which the actor asked. */
  readonly apiKeyId: number | null
  readonly apiKeyName: string | null
}

/** JSON with sorted keys, so that equal values have equal texts. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, nested: unknown) =>
    typeof nested === 'object' && nested !== null && !Array.isArray(nested)
      ? Object.fromEntries(Object.entries(nested).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : nested,
  )
}

/** SHA-256 (base64url) of the fields as a JSON array in this order; the last two only with an API key. */
export const hashOf = (row: Link): string =>
  sha256(
    canonical([
      row.previousHash,
      row.actorId,
      row.actorName,
      row.action,
      row.targetType,
      row.targetId,
      row.targetName,
      row.before,
      row.after,
      row.ipAddress,
      row.requestId,
      row.createdAt,
      // Rows without a key have the hash that they had in versions without keys.
      ...(row.apiKeyId === null && row.apiKeyName === null ? [] : [row.apiKeyId, row.apiKeyName]),
    ]),
  )

/** Never ends in the half of a character: other programs refuse JSON with a lone surrogate, and could not verify an export. */
const shortened = (text: string): string =>
  text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1).replace(/[\ud800-\udbff]$/, '')}…` : text

function loggable(fields: LoggedFields, names: readonly string[]): LoggedFields {
  const secret = names.find((name) => SECRET.test(name))
  if (secret !== undefined) throw new Error(`the field ${secret} must not be written to the operation log`)
  return Object.fromEntries(
    names.map((name) => {
      const value = fields[name] ?? null
      return [name, typeof value === 'string' ? shortened(value) : value]
    }),
  )
}

/**
 * The fields to log: those that differ, or all fields of a target that is new or deleted. Undefined if both states are given and
 * nothing differs. Throws for fields that contain secrets.
 */
export function changedFields(
  before: LoggedFields | undefined,
  after: LoggedFields | undefined,
): { before: LoggedFields | null; after: LoggedFields | null } | undefined {
  if (before === undefined || after === undefined)
    return {
      before: before === undefined ? null : loggable(before, Object.keys(before)),
      after: after === undefined ? null : loggable(after, Object.keys(after)),
    }
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const changed = names.filter((name) => canonical(before[name] ?? null) !== canonical(after[name] ?? null))
  if (changed.length === 0) return undefined
  return { before: loggable(before, changed), after: loggable(after, changed) }
}

/** The size of both states as JSON, in UTF-8 bytes. */
export const entryBytes = ({ before, after }: Pick<Link, 'before' | 'after'>): number =>
  Buffer.byteLength(JSON.stringify(before)) + Buffer.byteLength(JSON.stringify(after))

/** The newest row, as the head of the log names it. */
export interface Head {
  /** 0 if there are no rows. */
  readonly rowId: number
  readonly hash: string
  /** All rows that were ever written. */
  readonly rowCount: number
  readonly brokenAt: number | null
}

/** The last row that the retention has deleted. */
export interface Checkpoint {
  readonly id: number
  readonly rowId: number
  readonly hash: string
  /** All rows that were ever deleted. */
  readonly rowCount: number
  readonly createdAt: number
}

/** HMACs that nobody can make who only has the database. Each kind has a purpose of its own, so that none can replace another. */
export interface Signatures {
  row(id: number, hash: string): string
  /** Of rows that earlier versions wrote: without the id. */
  earlierRow(hash: string): string
  head(head: Head): string
  checkpoint(checkpoint: Checkpoint): string
}

export const signaturesOf = ({ mac }: Pick<Seal, 'mac'>): Signatures => ({
  row: (id, hash) => mac(`operation log row ${id} ${hash}`),
  earlierRow: (hash) => mac(`operation log ${hash}`),
  head: ({ rowId, hash, rowCount, brokenAt }) =>
    mac(`operation log head ${rowId} ${hash} ${rowCount} ${brokenAt ?? 'whole'}`),
  checkpoint: ({ id, rowId, hash, rowCount, createdAt }) =>
    mac(`operation log checkpoint ${id} ${rowId} ${hash} ${rowCount} ${createdAt}`),
})
