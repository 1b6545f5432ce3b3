/** Connects WatermelonDB's `synchronize()` to a Tessera server: docs/sync-watermelondb.md. */

import { type Database, type DirtyRaw, Q } from '@nozbe/watermelondb'
import type { SyncPullArgs, SyncPushArgs } from '@nozbe/watermelondb/sync'

export interface TableMapping {
  entity: 'qrCode' | 'category' | 'scanRecord' | 'albumPhoto' | 'asset' | 'assetCategory'
  /** String columns whose field is an object or a list: they hold it as JSON. */
  json?: readonly string[]
  /** Columns that hold the id of a row, and the table of that row. */
  references?: Readonly<Record<string, string>>
}

export interface Options {
  /** The address of the server. */
  url: string
  /** `Authorization` and `X-Device-Id`. Called before each request, because tokens expire. */
  headers: () => Record<string, string>
  database: Database
  /** A table for each entity that the app uses, after the tables that it refers to. */
  tables: Readonly<Record<string, TableMapping>>
  /** Called for every pushed record that was refused, met a conflict, or was applied without a reference. */
  report?: (table: string, result: PushResult) => void
}

export interface PushResult {
  localId: string
  serverId: number | null
  status: 'APPLIED' | 'CONFLICT' | 'REJECTED'
  conflictId?: number
  /** Fields that were left out, because the rows that they refer to were deleted. The next pull empties their columns. */
  dropped?: string[]
  code?: number
  message?: string
  details?: { path: string; message: string }[]
}

interface Row extends Record<string, unknown> {
  id: number
  version: number
  localId?: string
}

interface Page {
  serverTime: number
  hasMore: boolean
  resync: boolean
  changes: Record<string, { updated: Row[]; deleted: number[] }>
}

interface PushRecord {
  entity: string
  localId: string
  serverId?: number
  baseVersion: number
  updatedAt: number
  deleted?: true
  data?: Record<string, unknown>
}

/** Facts for which the tables have no place between a push and the next pull, by table. */
interface Notes {
  /** Ids of rows of which a push has told the server id, by server id. */
  pushed: Record<string, Record<number, string>>
  /** Ids of rows that were deleted elsewhere, and have unsent changes here. */
  edited: Record<string, string[]>
  /** `updated_at` of changes that lost against the server, by id: if the row was deleted there, it is deleted here too. */
  lost: Record<string, Record<string, number>>
  /** Versions of rows that came after they had been deleted here: WatermelonDB ignores them. By id. */
  seen: Record<string, Record<string, number>>
}

const NOTES = 'tessera_sync'
const OWN_COLUMNS = ['server_id', 'server_version', 'updated_at']
const PAGE_ROWS = 2000
const PUSH_RECORDS = 1000
/** Characters. The server takes 5 MiB, and a character has at most three bytes. */
const PUSH_LENGTH = 1_500_000

export class SyncError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message)
  }
}

/** The two functions that `synchronize()` asks for. It also needs `sendCreatedAsUpdated: true`. */
export function tesseraSync({ url, headers, database, tables, report }: Options) {
  const names = Object.keys(tables)
  const columnsOf = (table: string) => database.schema.tables[table]?.columnArray ?? []
  for (const table of names)
    for (const own of OWN_COLUMNS)
      if (!columnsOf(table).some(({ name }) => name === own)) throw new Error(`${table} needs a column ${own}`)

  async function pullChanges({ lastPulledAt, migration }: SyncPullArgs) {
    const notes = await readNotes()
    const rows = byTable(names, () => new Map<number, Row>())
    const gone = byTable(names, () => new Set<number>())
    // Rows that were pulled before lack the values of new columns.
    let isWhole = migration !== null
    let since = isWhole ? 0 : (lastPulledAt ?? 0)
    for (let hasMore = true; hasMore;) {
      const entities = names.map((table) => tables[table]!.entity).join()
      const page: Page = await send('GET', `pull?since=${since}&limit=${PAGE_ROWS}&entities=${entities}`)
      hasMore = page.hasMore || page.resync
      since = page.resync ? 0 : page.serverTime
      if (page.resync) isWhole = true
      for (const table of names) {
        if (page.resync) rows[table]!.clear()
        const { updated, deleted } = page.changes[tables[table]!.entity]!
        for (const id of deleted) {
          gone[table]!.add(id)
          rows[table]!.delete(id)
        }
        for (const row of updated) {
          rows[table]!.set(row.id, row)
          gone[table]!.delete(row.id)
        }
      }
    }

    const idOf = await findIds(rows, gone, notes)
    const changes: Changes = {}
    for (const table of names) {
      const updated = [...rows[table]!.values()].map((row) => toRaw(table, row, idOf))
      const versions = new Map(updated.map((raw) => [raw['id'], raw['server_version']]))
      const still = (notes.edited[table] ?? []).filter((id) => !versions.has(id))
      const deleted = new Set([...[...gone[table]!].map((id) => idOf(table, id)), ...still])
      // WatermelonDB would delete rows with unsent changes without a word. They are pushed, and the server decides.
      const unsent = (await findLocal(table, 'id', [...deleted])).filter((raw) => isUnsent(raw, notes.lost[table]))
      notes.edited[table] = unsent.map(({ id }) => id)
      for (const id of notes.edited[table]) deleted.delete(id)
      changes[table] = { created: [], updated, deleted: [...deleted] }
      const deletedHere = await database.adapter.getDeletedRecords(table)
      const seen = deletedHere.map((id) => [id, versions.get(id) ?? notes.seen[table]?.[id]])
      notes.seen[table] = Object.fromEntries(seen)
    }
    await database.localStorage.set(NOTES, notes)
    const experimentalStrategy = isWhole && {
      default: 'incremental',
      override: byTable(names, () => 'replacement'),
    }
    return { changes, timestamp: since, ...(experimentalStrategy && { experimentalStrategy }) }
  }

  async function pushChanges(args: SyncPushArgs) {
    const changes = args.changes as Changes
    const before = await readNotes()
    const notes: Notes = { pushed: {}, edited: before.edited, lost: {}, seen: before.seen }
    const records: { table: string; record: PushRecord }[] = []
    for (const table of names) {
      const { created = [], updated = [] } = changes[table] ?? {}
      const edited = new Set(before.edited[table])
      for (const raw of [...created, ...updated])
        records.push({ table, record: toRecord(table, raw, edited.has(raw['id'])) })
    }
    // Rows are deleted before those that they refer to.
    for (const table of names.toReversed())
      for (const raw of await findLocal(table, 'id', changes[table]?.deleted ?? [])) {
        const baseVersion = before.seen[table]?.[raw['id']] ?? raw['server_version'] ?? 0
        const { data: _, ...record } = toRecord(table, raw)
        records.push({ table, record: { ...record, baseVersion, updatedAt: Date.now(), deleted: true } })
      }

    const experimentalRejectedIds = byTable<string[]>(names, () => [])
    for (const batch of batches(records)) {
      const { results } = await send<{ results: PushResult[] }>('POST', 'push', {
        records: batch.map(({ record }) => record),
      })
      for (const [i, result] of results.entries()) {
        const { table, record } = batch[i]!
        const { status, serverId, conflictId } = result
        if (serverId !== null && !record.deleted) (notes.pushed[table] ??= {})[serverId] = record.localId
        const isDone = status === 'APPLIED' || (record.deleted && result.code === 404)
        if (!isDone) experimentalRejectedIds[table]!.push(record.localId)
        if (!isDone && (status === 'CONFLICT' || result.code === 404))
          (notes.lost[table] ??= {})[record.localId] = record.updatedAt
        // The row comes with the next pull. WatermelonDB merges it, and the next push is about the new version.
        if (status === 'CONFLICT') await send('POST', 'resolve', { conflictId, acceptServer: true })
        if (status !== 'APPLIED' || conflictId !== undefined || result.dropped) report?.(table, result)
      }
      await database.localStorage.set(NOTES, notes)
    }
    return { experimentalRejectedIds }
  }

  /** The fields of a row as columns. Those without a column are left out. */
  function toRaw(table: string, row: Row, idOf: IdOf): DirtyRaw {
    const raw: DirtyRaw = { id: idOf(table, row.id) }
    for (const { name } of columnsOf(table)) {
      const value = row[fieldOf(name)]
      const target = tables[table]!.references?.[name]
      if (target) raw[name] = typeof value === 'number' ? idOf(target, value) : null
      else if (value !== undefined) raw[name] = tables[table]!.json?.includes(name) ? JSON.stringify(value) : value
    }
    return { ...raw, server_id: row.id, server_version: row.version }
  }

  /** The fields that were changed, or all fields of a row that the server does not know or has deleted. */
  function toRecord(table: string, raw: DirtyRaw, isDeleted = false): PushRecord {
    const { entity, json, references } = tables[table]!
    const isNew = !raw['server_version']
    // A conflict resolver can change columns without naming them.
    const isWhole = isNew || isDeleted || (raw['_status'] === 'updated' && raw['_changed'] === '')
    const changed = new Set<string>(raw['_changed'].split(','))
    const data: Record<string, unknown> = {}
    for (const { name } of columnsOf(table)) {
      const value: unknown = raw[name]
      const isEmpty = value === null || value === ''
      if (OWN_COLUMNS.includes(name) || (isNew && isEmpty) || (!isWhole && !changed.has(name))) continue
      if (references?.[name]) data[fieldOf(name)] = isEmpty ? null : (serverIdIn(String(value)) ?? value)
      else data[fieldOf(name)] = json?.includes(name) && !isEmpty ? JSON.parse(String(value)) : value
    }
    const localId: string = raw['id']
    const serverId: number | undefined = raw['server_id'] || serverIdIn(localId)
    const baseVersion: number = raw['server_version'] || 0
    return { entity, localId, ...(serverId && { serverId }), baseVersion, updatedAt: raw['updated_at'], data }
  }

  /** Rows that this device created keep the ids that they had here; others have their server ids after an `s`. */
  async function findIds(rows: ByTable<Map<number, Row>>, gone: ByTable<Set<number>>, notes: Notes): Promise<IdOf> {
    const unknown = byTable(names, (table) => new Set(gone[table]))
    for (const table of names)
      for (const [column, target] of Object.entries(tables[table]!.references ?? {}))
        for (const row of rows[table]!.values()) {
          const id = row[fieldOf(column)]
          if (typeof id === 'number' && !rows[target]!.has(id)) unknown[target]!.add(id)
        }
    const local = byTable(names, () => new Map<number, string>())
    for (const table of names)
      for (const raw of await findLocal(table, 'server_id', [...unknown[table]!]))
        local[table]!.set(raw['server_id'], raw['id'])
    return (table, id) =>
      rows[table]!.get(id)?.localId ?? notes.pushed[table]?.[id] ?? local[table]!.get(id) ?? `s${id}`
  }

  /** Local rows, also deleted ones. */
  async function findLocal(table: string, column: string, values: (string | number)[]): Promise<DirtyRaw[]> {
    const found: DirtyRaw[] = []
    for (let i = 0; i < values.length; i += 1000) {
      const description = Q.buildQueryDescription([Q.where(column, Q.oneOf(values.slice(i, i + 1000) as string[]))])
      found.push(...(await database.adapter.unsafeQueryRaw({ table, description, associations: [] })))
    }
    return found
  }

  async function readNotes(): Promise<Notes> {
    return { pushed: {}, edited: {}, lost: {}, seen: {}, ...(await database.localStorage.get<Notes>(NOTES)) }
  }

  async function send<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(`${url}/api/sync/${path}`, {
      method,
      headers: { ...headers(), 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const answer = (await response.json()) as { data: T; message: string }
    if (!response.ok) throw new SyncError(response.status, answer.message)
    return answer.data
  }

  return { pullChanges, pushChanges }
}

type ByTable<T> = Record<string, T>
type Changes = ByTable<{ created: DirtyRaw[]; updated: DirtyRaw[]; deleted: string[] }>
type IdOf = (table: string, serverId: number) => string

function byTable<T>(names: readonly string[], make: (table: string) => T): ByTable<T> {
  return Object.fromEntries(names.map((table) => [table, make(table)]))
}

/** `category_id` → `categoryId`. */
function fieldOf(column: string): string {
  return column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** Whether a row has changes that the server has not judged. */
function isUnsent(raw: DirtyRaw, lost: Record<string, number> = {}): boolean {
  return ['created', 'updated'].includes(raw['_status']) && raw['updated_at'] !== lost[raw['id']]
}

function serverIdIn(id: string): number | undefined {
  return /^s\d{1,15}$/.test(id) ? Number(id.slice(1)) : undefined
}

function* batches<T>(records: readonly T[]): Generator<T[]> {
  let batch: T[] = []
  let length = 0
  for (const record of records) {
    const size = JSON.stringify(record).length
    if (batch.length === PUSH_RECORDS || (batch.length > 0 && length + size > PUSH_LENGTH)) {
      yield batch
      batch = []
      length = 0
    }
    batch.push(record)
    length += size
  }
  if (batch.length > 0) yield batch
}
