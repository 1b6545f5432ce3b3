/** A client that pulls: it keeps the rows that it gets, and checks the rules that hold for every page. */

import { expect } from 'bun:test'

import { SYNC_ENTITIES, type SyncEntityName } from '#db/schema/sync.ts'
import type { PullPage, PullQuery } from '#domains/sync/pull/pull.model.ts'

import { send } from '../harness/client.ts'
import { ok, type Person, type TestServer } from '../harness/index.ts'
import { person } from '../harness/people.ts'

export type Row = {
  readonly id: number
  readonly version: number
  readonly updatedAt: number
  readonly localId?: string
}

export type Query = Partial<Omit<PullQuery, 'entities'>> & { readonly entities?: SyncEntityName[] }

export const pullPage = async (user: Person, since: number, query: Query = {}): Promise<PullPage> =>
  ok(await user.call('sync.pull', { query: { since, ...query } })).data

const UNSTABLE = new Set(['localId', 'scanCount', 'codeCount', 'assetCount', 'url', 'thumbnailUrl', 'imageUrl'])

export class Replica {
  since = 0
  readonly rows = new Map<SyncEntityName, Map<number, Row>>()

  constructor(
    readonly user: Person,
    readonly query: Query = {},
  ) {
    for (const entity of query.entities ?? SYNC_ENTITIES) this.rows.set(entity, new Map())
  }

  /** Applies one page, or throws it away as if its answer had been lost. */
  async page(limit?: number, isLost = false): Promise<PullPage> {
    const page = await pullPage(this.user, this.since, { ...this.query, ...(limit !== undefined && { limit }) })
    if (isLost) return page
    expect(page.resync).toBe(false)
    expect(page.serverTime).toBeGreaterThanOrEqual(this.since)
    expect(Object.keys(page.changes).toSorted()).toEqual([...this.rows.keys()].toSorted())
    for (const [entity, known] of this.rows) {
      const { updated, deleted } = page.changes[entity]!
      if (this.since === 0) expect(deleted).toEqual([])
      const ids = new Set(updated.map(({ id }) => id))
      expect(ids.size).toBe(updated.length)
      expect(deleted.filter((id) => ids.has(id))).toEqual([])
      expect(updated.map(({ updatedAt }) => updatedAt)).toEqual(
        updated.map((row) => row.updatedAt).toSorted((a, b) => a - b),
      )
      for (const row of updated) {
        expect(row.updatedAt).toBeLessThanOrEqual(page.serverTime)
        known.set(row.id, row)
      }
      for (const id of deleted) known.delete(id)
    }
    this.since = page.serverTime
    return page
  }

  /** Pulls until `hasMore` is false. Returns the number of pages. */
  async pull(limit?: number): Promise<number> {
    for (let pages = 1; ; pages++) {
      const { hasMore } = await this.page(limit)
      if (!hasMore) return pages
      if (pages > 5000) throw new Error('pulling does not end')
    }
  }

  ids(entity: SyncEntityName): number[] {
    return [...this.rows.get(entity)!.keys()].toSorted((a, b) => a - b)
  }

  /** The rows without local ids, counters and signed addresses, which differ although the row has not changed. */
  state(): Record<string, unknown> {
    const stateOf = (rows: ReadonlyMap<number, Row>) =>
      [...rows.values()]
        .toSorted((a, b) => a.id - b.id)
        .map((row) => Object.fromEntries(Object.entries(row).filter(([key]) => !UNSTABLE.has(key))))
    return Object.fromEntries([...this.rows].map(([entity, rows]) => [entity, stateOf(rows)]))
  }
}

/** A device that starts now: everything that the user can see. */
export async function startedNow(user: Person, query: Query = {}): Promise<Replica> {
  const replica = new Replica(user, query)
  await replica.pull(2000)
  return replica
}

/** The same user on another device. */
export async function secondDevice({ url }: TestServer, user: Person): Promise<Person> {
  const deviceId = `second-device-${crypto.randomUUID()}`
  const body = { account: user.username, password: user.password }
  const headers = { 'x-device-id': deviceId, 'x-device-name': 'Tablet' }
  const login = await send(url, 'POST', '/api/auth/login', { body, headers })
  return person(url, login, user.username, user.password, deviceId)
}
