/** The fields of a row of the operation log, and the chain of hashes that reveals later changes. Pure. */

import type { LoggedAction, LoggedFields, LoggedTarget } from '#db/schema/operation-log.ts'
import { sha256 } from '#platform/ids.ts'

/** Texts are cut to this length: the log shows that a text was changed, and does not keep a copy of it. */
const MAX_TEXT = 500

/** Names of fields that contain secrets. Settings such as `password.minLength` do not. */
const SECRET = /(?:password|passwordHash|token|secret)$/i

/** `previousHash` of the first row. */
export const FIRST_HASH = ''

/** The fields that the hash of a row covers. The order of the ids follows from the chain. */
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
}

/** JSON with sorted keys, so that equal values have equal texts. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, nested: unknown) =>
    typeof nested === 'object' && nested !== null && !Array.isArray(nested)
      ? Object.fromEntries(Object.entries(nested).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : nested,
  )
}

/** SHA-256 (base64url) of the fields as a JSON array in this order. */
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
    ]),
  )

function loggable(fields: LoggedFields, names: readonly string[]): LoggedFields {
  const secret = names.find((name) => SECRET.test(name))
  if (secret !== undefined) throw new Error(`the field ${secret} must not be written to the operation log`)
  return Object.fromEntries(
    names.map((name) => {
      const value = fields[name] ?? null
      return [name, typeof value === 'string' && value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT - 1)}…` : value]
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

export interface ChainRow extends Link {
  readonly id: number
  readonly hash: string
  readonly signature: string
}

/**
 * - `changed`: the row is not the one that was written.
 * - `order`: a row before it is missing, was added, or was moved.
 * - `signature`: the row is not signed with this server's key.
 */
export type ChainFault = 'changed' | 'order' | 'signature'

export interface ChainReport {
  readonly rows: number
  /** The newest row. */
  readonly head: { readonly id: number; readonly hash: string } | undefined
  /** The first row that is wrong; later rows were not read. */
  readonly fault: { readonly id: number; readonly kind: ChainFault } | undefined
  /** The last of the oldest rows that are signed with another key: the key was replaced after it, or they were rewritten. */
  readonly otherKeyUntil: number | undefined
}

/** Verifies rows in the order of their ids; `sign` gives the signature of a hash. */
export async function verifyChain(
  batches: AsyncIterable<readonly ChainRow[]>,
  sign: (hash: string) => string,
): Promise<ChainReport> {
  let rows = 0
  let head: ChainReport['head']
  let otherKeyUntil: number | undefined
  let isSigned = false
  const report = (kind?: ChainFault): ChainReport => ({
    rows,
    head,
    fault: kind && head && { id: head.id, kind },
    otherKeyUntil,
  })
  for await (const batch of batches)
    for (const row of batch) {
      const previousHash = head?.hash ?? FIRST_HASH
      rows += 1
      head = { id: row.id, hash: row.hash }
      if (hashOf(row) !== row.hash) return report('changed')
      if (row.previousHash !== previousHash) return report('order')
      const wasSigned = isSigned
      isSigned = row.signature === sign(row.hash)
      if (wasSigned && !isSigned) return report('signature')
      if (!isSigned) otherKeyUntil = row.id
    }
  return report(rows > 0 && !isSigned ? 'signature' : undefined)
}
