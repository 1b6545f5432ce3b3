/** Whether an owner may have more rows: for tables with a quota, in the write that adds the rows. */

import { eq, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'

import { dialect } from './dialect.ts'
import { type KeptTotal, lockTotal } from './list-totals.ts'
import type { OwnerKey } from './owner-key.ts'
import { prepared } from './prepared.ts'
import { organizations } from './schema/orgs.ts'
import type { Tx } from './store.ts'

const organizationById = prepared((db) =>
  db
    .select({ id: organizations.id })
    .from(organizations)
    .where(eq(organizations.id, sql.placeholder('id'))),
)

/** Whether the organization still exists: it may have been dissolved since the gate checked access to it. Users always do. */
export const ownerExists = async (tx: Tx, owner: OwnerKey): Promise<boolean> =>
  owner < 0 || (await organizationById(tx, { id: owner })).length > 0

/**
 * On SQLite: for each owner, at least as many rows as they have, which is the last count plus all rows added since. Deleted rows and rolled back
 * writes are not subtracted, so the number can only be too high, and is then counted again before anyone is refused. On PostgreSQL: the kept total.
 */
export class OwnerCounts {
  readonly #atMost = new LRUCache<OwnerKey, number>({ max: 10_000 })
  readonly #listOf: (owner: OwnerKey) => readonly [list: KeptTotal, owner: number]
  readonly #count: (tx: Tx, owner: OwnerKey) => Promise<number>

  /** `listOf`: the list of all rows of an owner, one of those with a quota in migration 0035. */
  constructor(
    listOf: (owner: OwnerKey) => readonly [list: KeptTotal, owner: number],
    count: (tx: Tx, owner: OwnerKey) => Promise<number>,
  ) {
    this.#listOf = listOf
    this.#count = count
  }

  /**
   * Notes that the write adds `adding` rows. Returns false if the owner would then have more than `quota`; 0 means unlimited. In a
   * write this is exact, because no other write comes between the check and the insert. Every write that adds rows must call it.
   */
  async add(tx: Tx, owner: OwnerKey, adding: number, quota: number): Promise<boolean> {
    if (quota === 0) {
      // Rows that are added without a quota are not in the number.
      this.#atMost.delete(owner)
      return true
    }
    if (dialect === 'postgres') return (await lockTotal(tx, ...this.#listOf(owner))) + adding <= quota
    let before = this.#atMost.get(owner)
    if (before === undefined || before + adding > quota) before = await this.#count(tx, owner)
    if (before + adding > quota) return false
    this.#atMost.set(owner, before + adding)
    return true
  }
}
