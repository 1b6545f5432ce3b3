import { and, eq, inArray, isNull, sql } from 'drizzle-orm'

import { dialect } from '#db/dialect.ts'
import type { OwnerKey } from '#db/owner-key.ts'
import { prepared } from '#db/prepared.ts'
import { assetNumbers, assets } from '#db/schema/assets.ts'
import type { Tx } from '#db/store.ts'

import { type FormatNumber, numberKey, ranges } from './numbers.rules.ts'

/** Of a query, so that it stays far below the limit of PostgreSQL. */
const KEYS_AT_ONCE = 1000

const p = sql.placeholder
const byKey = prepared((db) =>
  db
    .select({ id: assets.id })
    .from(assets)
    .where(and(eq(assets.owner, p('owner')), eq(assets.assetNoKey, p('key')), isNull(assets.deletedAt))),
)

/** Those of the keys that are numbers of the owner's undeleted assets, with the ids of these assets. */
export async function takenNumbers(tx: Tx, owner: OwnerKey, keys: readonly string[]): Promise<Map<string, number>> {
  const taken = new Map<string, number>()
  if (dialect === 'sqlite') {
    // For a list of keys, SQLite walks over all assets of the owner instead of using the index of the numbers.
    for (const key of keys) for (const { id } of await byKey(tx, { owner, key })) taken.set(key, id)
    return taken
  }
  for (let at = 0; at < keys.length; at += KEYS_AT_ONCE) {
    const rows = await tx
      .select({ id: assets.id, key: assets.assetNoKey })
      .from(assets)
      .where(
        and(
          eq(assets.owner, owner),
          isNull(assets.deletedAt),
          inArray(assets.assetNoKey, keys.slice(at, at + KEYS_AT_ONCE)),
        ),
      )
    for (const { id, key } of rows) taken.set(key, id)
  }
  return taken
}

/**
 * Takes `count` free numbers, in the order of their sequence; fewer if too few are free. `given`: keys of numbers that the same write
 * gives to other assets.
 */
export async function takeNumbers(
  tx: Tx,
  owner: OwnerKey,
  format: FormatNumber,
  count: number,
  given: ReadonlySet<string> = new Set(),
): Promise<string[]> {
  if (count === 0) return []
  const [counter] = await tx.select().from(assetNumbers).where(eq(assetNumbers.owner, owner))
  const numbers: string[] = []
  let next = counter?.next ?? 1
  for (const range of ranges(next, count)) {
    const sequences = Array.from({ length: range.count }, (_, i) => range.from + i)
    const keyed = sequences.map((sequence) => ({ sequence, number: format(sequence) }))
    const taken = await takenNumbers(
      tx,
      owner,
      keyed.map(({ number }) => numberKey(number)),
    )
    for (const { sequence, number } of keyed) {
      if (numbers.length === count) break
      next = sequence + 1
      const key = numberKey(number)
      if (!taken.has(key) && !given.has(key)) numbers.push(number)
    }
    if (numbers.length === count) break
  }
  await tx
    .insert(assetNumbers)
    .values({ owner, next })
    .onConflictDoUpdate({ target: assetNumbers.owner, set: { next } })
  return numbers
}
