/** A phone that keeps rows and works without a network, for journeys. It knows only the published rules of synchronization. */

import { expect } from 'bun:test'

import { ok, type Person, type Reply } from '../harness/index.ts'

export const ENTITIES = ['qrCode', 'category', 'scanRecord', 'albumPhoto', 'asset', 'assetCategory'] as const
export type Entity = (typeof ENTITIES)[number]

export interface Row {
  readonly id: number
  readonly version: number
  readonly updatedAt: number
  readonly orgId: number | null
  readonly localId?: string
  readonly [field: string]: unknown
}

export interface PushedRecord {
  entity: Entity
  localId: string
  serverId?: number
  baseVersion: number
  updatedAt: number
  deleted?: boolean
  data?: Record<string, unknown>
}

export interface Result {
  readonly entity: Entity
  readonly localId: string
  readonly serverId: number | null
  readonly version: number | null
  readonly updatedAt: number | null
  readonly status: 'APPLIED' | 'CONFLICT' | 'REJECTED'
  readonly conflictId?: number
  readonly code?: number
  readonly message?: string
  readonly details?: readonly { readonly path: string; readonly message: string }[]
}

/** Fields that differ between two answers although the row is the same: signed addresses and counters. */
const VOLATILE = new Set([
  'url',
  'thumbnailUrl',
  'imageUrl',
  'scanCount',
  'codeCount',
  'assetCount',
  'localId',
  'photos',
])

let counter = 0

export class Phone {
  /** Rows as the last pull showed them. */
  readonly rows = new Map<Entity, Map<number, Row>>(ENTITIES.map((entity) => [entity, new Map()]))
  /** Changes that no answer has confirmed, in the order in which they were made. */
  pending: PushedRecord[] = []
  since = 0

  constructor(
    public user: Person,
    /** Pulls only the rows of this organization. */
    readonly orgId?: number,
  ) {}

  /** The rows of an entity, by id. */
  all(entity: Entity): Row[] {
    return [...this.rows.get(entity)!.values()].toSorted((a, b) => a.id - b.id)
  }

  row(entity: Entity, id: number): Row {
    const row = this.rows.get(entity)!.get(id)
    if (row === undefined) throw new Error(`the phone has no ${entity} ${id}`)
    return row
  }

  /** The row that this phone created under the local id. */
  own(entity: Entity, localId: string): Row {
    const row = this.all(entity).find((one) => one.localId === localId)
    if (row === undefined) throw new Error(`the phone has no ${entity} ${localId}`)
    return row
  }

  /** Creates a row without a network. Returns its local id. */
  create(entity: Entity, data: Record<string, unknown>, updatedAt = Date.now()): string {
    counter += 1
    const localId = `local-${counter}`
    this.pending.push({ entity, localId, baseVersion: 0, updatedAt, data })
    return localId
  }

  /** Changes a row that the phone has pulled, without a network. */
  edit(entity: Entity, id: number, data: Record<string, unknown>, updatedAt = Date.now()): PushedRecord {
    return this.#change(entity, id, { data, updatedAt })
  }

  remove(entity: Entity, id: number, updatedAt = Date.now()): PushedRecord {
    return this.#change(entity, id, { deleted: true, updatedAt })
  }

  #change(entity: Entity, id: number, change: Pick<PushedRecord, 'data' | 'deleted' | 'updatedAt'>): PushedRecord {
    const { localId, version } = this.row(entity, id)
    const record = { entity, localId: localId ?? `row-${id}`, serverId: id, baseVersion: version, ...change }
    this.pending.push(record)
    return record
  }

  /** Pushes everything that is pending. Records stay pending unless the server has decided about them. */
  async push(): Promise<Reply<{ serverTime: number; results: Result[] }>> {
    const sent = this.pending
    const reply = await this.user.post('/api/sync/push', { records: sent })
    if (reply.status !== 200) return reply
    const { results } = reply.data as { results: Result[] }
    expect(results.map(({ entity, localId }) => [entity, localId])).toEqual(
      sent.map(({ entity, localId }) => [entity, localId]),
    )
    this.pending = sent.filter((_, i) => results[i]!.status === 'REJECTED')
    return reply
  }

  /** Pushes everything and expects success for each record. */
  async pushAll(): Promise<Result[]> {
    const { results } = ok(await this.push()).data
    for (const result of results) expect(result).toMatchObject({ status: 'APPLIED' })
    return results
  }

  /** Pulls all pages. Returns the number of changes that came. */
  async pull(limit = 500): Promise<number> {
    let changes = 0
    for (;;) {
      const query = { since: this.since, limit, ...(this.orgId !== undefined && { orgId: this.orgId }) }
      const { data } = ok(await this.user.get('/api/sync/pull', query))
      expect(Object.keys(data.changes).toSorted()).toEqual([...ENTITIES].toSorted())
      if (data.resync) {
        for (const rows of this.rows.values()) rows.clear()
        expect(changes).toBe(0)
        this.since = 0
        continue
      }
      expect(data.serverTime).toBeGreaterThanOrEqual(this.since)
      for (const entity of ENTITIES) {
        const rows = this.rows.get(entity)!
        const { updated, deleted } = data.changes[entity] as { updated: Row[]; deleted: number[] }
        for (const id of deleted) rows.delete(id)
        for (const row of updated) rows.set(row.id, row)
        changes += updated.length + deleted.length
      }
      this.since = data.serverTime
      if (!data.hasMore) return changes
    }
  }

  /** All rows that the phone has, without the fields that differ from answer to answer. */
  state(): Record<string, unknown[]> {
    return Object.fromEntries(
      ENTITIES.map((entity) => [
        entity,
        this.all(entity).map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !VOLATILE.has(name)))),
      ]),
    )
  }

  /** The phone shows the same as a new phone of its user. */
  async expectCurrent(): Promise<void> {
    await this.pull()
    const fresh = new Phone(this.user, this.orgId)
    await fresh.pull()
    expect(this.state()).toEqual(fresh.state())
  }
}
