/** How rows change: by the user, by pages of a pull, by results of a push. */

import type { Data, PushRecord, Refusal, Row, Transaction } from './storage.ts'

/** A row as the server shows it. */
export type View = Data & { readonly id: number; readonly version: number; readonly localId?: string }

export interface Result {
  readonly serverId: number | null
  readonly version: number | null
  readonly status: 'APPLIED' | 'CONFLICT' | 'REJECTED'
  readonly dropped?: readonly string[]
  readonly code?: number
  readonly message?: string
  readonly details?: Refusal['details']
  /** Set by the client: the record is sent again when another one has been corrected. */
  readonly waits?: boolean
}

/** A push may have 1,000 records and 5 MiB. New rows that a record refers to come on top of these. */
const BATCH_RECORDS = 500
const BATCH_CHARACTERS = 1_000_000

/** Fields with the id of another row. */
const REFERENCES: Record<string, readonly [field: string, entity: string]> = {
  qrCode: ['categoryId', 'category'],
  category: ['parentId', 'category'],
  scanRecord: ['qrCodeId', 'qrCode'],
  albumPhoto: ['qrCodeId', 'qrCode'],
  asset: ['categoryId', 'assetCategory'],
  assetCategory: ['parentId', 'assetCategory'],
}

/** An id that is unique on this device. */
export const newId = (): string => `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`

export const newRow = (entity: string, localId = newId()): Row => ({
  entity,
  localId,
  serverId: null,
  version: 0,
  server: null,
  isGone: false,
  sent: null,
  edit: null,
  refusal: null,
  editedAt: 0,
})

/** Keeps a row as long as the server has it or an edit is unsent. */
export const save = (tx: Transaction, row: Row): Promise<void> =>
  (row.server === null || row.isGone) && row.sent === null && row.edit === null ? tx.delete(row) : tx.put(row)

/** The row with one more edit by the user. `data` is null for a deletion. */
export function edited(row: Row, data: Data | null, now: number): Row {
  // The server recognizes repeated records by their time, so two edits of a row must not have the same.
  const updatedAt = Math.max(now, row.editedAt + 1)
  const baseVersion = row.edit?.baseVersion ?? row.version
  const edit = { data: data && { ...row.edit?.data, ...data }, baseVersion, updatedAt }
  return { ...row, edit, refusal: null, dropped: [], editedAt: updatedAt }
}

/** The row with a state of the server. An unsent edit stays, with the version that it is based on. */
export async function withView(tx: Transaction, entity: string, { localId, ...server }: View): Promise<Row> {
  // The row is known by its local id only if the answer to the push that created it was lost.
  const known =
    (await tx.byServerId(entity, server.id)) ?? (localId === undefined ? undefined : await tx.get(entity, localId))
  const { id: serverId, version } = server
  return { ...(known ?? newRow(entity, localId)), serverId, version, server, isGone: false, refusal: null }
}

/** The row after the answer to its record. */
export function withResult(row: Row, result: Result): Row {
  const { sent, edit } = row
  if (sent === null || result.status === 'CONFLICT')
    // The server's state is newer, and comes with the next pull. The list of conflicts keeps the lost edit.
    return { ...row, sent: null }
  if (result.status === 'REJECTED') {
    const { code = 0, message = '', details = [], waits } = result
    if (edit === null) return { ...row, sent: null, edit: sent, refusal: waits ? null : { code, message, details } }
    const data = edit.data && { ...sent.data, ...edit.data }
    return { ...row, sent: null, edit: { ...edit, data, baseVersion: sent.baseVersion } }
  }
  const version = result.version ?? 0
  const { serverId, dropped = [] } = result
  const after = { ...row, serverId, dropped, sent: null, edit: edit && { ...edit, baseVersion: version } }
  // A pull can have brought this version, or a later one, before the answer arrived.
  if (version < row.version || (version === row.version && sent.data !== null)) return after
  const without = Object.fromEntries(dropped.map((field) => [field, null]))
  return { ...after, version, server: { ...row.server, ...sent.data, ...without }, isGone: sent.data === null }
}

/** The data with the server's id of the row that it refers to, if the server has that row: it may be deleted before the edit is sent. */
export async function withServerId(tx: Transaction, entity: string, data: Data): Promise<Data> {
  const [field = '', target = ''] = REFERENCES[entity] ?? []
  const id = data[field]
  const row = typeof id === 'string' ? await tx.get(target, id) : undefined
  return row?.serverId == null ? data : { ...data, [field]: row.serverId }
}

/** The row that the edit refers to by a local id. */
const referredBy = async (tx: Transaction, { entity, edit }: Row): Promise<Row | undefined> => {
  const [field, target] = REFERENCES[entity] ?? []
  const id = field && edit?.data?.[field]
  return target && typeof id === 'string' ? await tx.get(target, id) : undefined
}

/** The record of a row that is sent. Rows that the server knows are referred to by its ids. */
function recordOf({ entity, localId, serverId, isGone, server, edit }: Row, referred: Row | undefined): PushRecord {
  const { data, baseVersion, updatedAt } = edit!
  const record = { entity, localId, ...(serverId !== null && { serverId }), baseVersion, updatedAt }
  if (data === null) return { ...record, deleted: true }
  const reference = referred?.serverId != null && { [REFERENCES[entity]![0]]: referred.serverId }
  // A row that was deleted needs all its fields to come back.
  return { ...record, data: { ...(isGone && server), ...data, ...reference } }
}

/**
 * Marks the oldest edits as sent and returns their records. A new row is in the same batch as the rows that refer to it, or in an earlier one.
 * Rows that refer to a refused new row wait until the user has changed it.
 */
export async function takeBatch(tx: Transaction): Promise<PushRecord[]> {
  const records: PushRecord[] = []
  const isTaken = new Map<string, boolean>()
  let characters = 0
  async function take(row: Row): Promise<boolean> {
    const key = keyOf(row)
    const known = isTaken.get(key)
    if (known !== undefined) return known
    isTaken.set(key, row.edit !== null && row.refusal === null)
    const referred = await referredBy(tx, row)
    if (referred?.serverId === null && !(await take(referred))) isTaken.set(key, false)
    if (!isTaken.get(key)) return false
    const record = recordOf(row, referred)
    records.push(record)
    characters += JSON.stringify(record).length
    await tx.put({ ...row, sent: row.edit, edit: null })
    return true
  }
  for (const row of (await tx.edited()).sort((a, b) => a.edit!.updatedAt - b.edit!.updatedAt))
    if (records.length < BATCH_RECORDS && characters < BATCH_CHARACTERS) await take(row)
  return records
}

const keyOf = ({ entity, localId }: { entity: string; localId: string }): string => `${entity}/${localId}`

/** The results, with those marked that are REJECTED only because they refer to another record that is. */
export function withWaiting(records: readonly PushRecord[], results: readonly Result[]): Result[] {
  const refused = new Set(records.filter((_, i) => results[i]!.status === 'REJECTED').map(keyOf))
  return records.map(({ entity, data }, i) => {
    const [field = '', target = ''] = REFERENCES[entity] ?? []
    return { ...results[i]!, waits: refused.has(`${target}/${String(data?.[field])}`) }
  })
}

/** Results for a batch that was refused as a whole: the records that the error names are refused, and the others are sent without them. */
export function refusals(records: readonly PushRecord[], error: Omit<Refusal, 'code'> & { status: number }): Result[] {
  const { status: code, message, details } = error
  const isNamed = records.map((_, i) => details.some(({ path }) => path.startsWith(`body.records.${i}.`)))
  const waits = (i: number) => isNamed.includes(true) && !isNamed[i]
  return records.map((_, i) => ({
    status: 'REJECTED',
    serverId: null,
    version: null,
    code,
    message,
    details,
    waits: waits(i),
  }))
}
