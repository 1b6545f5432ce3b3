/** Pulls as tests look at them: ids and rows by entity. */

import { expect } from 'bun:test'

import type { SyncEntityName } from '#db/schema/sync.ts'
import type { AnyEndpoint } from '#http/endpoint.ts'

import type { Person } from '../harness/index.ts'
import { pullPage } from './replica.ts'

/** A row as pulls show it. */
export interface Row {
  readonly id: number
  readonly version: number
  readonly updatedAt: number
  readonly [field: string]: unknown
}

export interface Pulled {
  readonly serverTime: number
  readonly changes: Record<SyncEntityName, { updated: Row[]; deleted: number[] }>
}

/** All pages of the changes since a stamp. */
export async function pull(user: Person, since: number): Promise<Pulled> {
  const changes: Partial<Pulled['changes']> = {}
  for (let from = since; ;) {
    const page = await pullPage(user, from)
    expect(page.resync).toBe(false)
    for (const [name, { updated, deleted }] of Object.entries(page.changes as unknown as Pulled['changes'])) {
      const all = (changes[name as SyncEntityName] ??= { updated: [], deleted: [] })
      all.updated.push(...updated)
      all.deleted.push(...deleted)
    }
    from = page.serverTime
    if (!page.hasMore) return { serverTime: from, changes: changes as Pulled['changes'] }
  }
}

/** The ids of the entities that a pull shows; entities without changes are left out. */
export const changesOf = (changes: Pulled['changes']) =>
  Object.fromEntries(
    Object.entries(changes)
      .filter(([, { updated, deleted }]) => updated.length + deleted.length > 0)
      .map(([name, { updated, deleted }]) => [name, { updated: updated.map((row) => row.id), deleted }]),
  )

/** The ids of the operations that change something, sorted. */
export const writesOf = (endpoints: readonly AnyEndpoint[]): string[] =>
  endpoints.flatMap(({ id, method }) => (method === 'GET' ? [] : [id])).toSorted()
