import { and, eq, inArray, isNull, sql } from 'drizzle-orm'

import { dialect } from '#db/dialect.ts'
import type { OwnerKey } from '#db/owner-key.ts'
import { prepared } from '#db/prepared.ts'
import { assetNumbers, assets } from '#db/schema/assets.ts'
import type { Db, Tx } from '#db/store.ts'

import { type FormatNumber, numberKey, ranges } from './numbers.rules.ts'

/** Of a query, so that it stays far below the limit of PostgreSQL. */
const KEYS_AT_ONCE = 1000

const p = sql.placeholder
const found = { id: assets.id, key: assets.assetNoKey, version: assets.version }
const byKey = prepared((db) =>
  db
    .select(found)
    .from(assets)
    .where(and(eq(assets.owner, p('owner')), eq(assets.assetNoKey, p('key')), isNull(assets.deletedAt))),
)
/** CROSS JOIN: else SQLite walks over all assets of the owner and compares their numbers with the keys. */
const byKeys = prepared((db) =>
  db
    .select(found)
    .from(sql`json_each(${p('keys')}) as given`)
    .crossJoin(assets)
    .where(and(eq(assets.owner, p('owner')), sql`${assets.assetNoKey} = given.value`, isNull(assets.deletedAt))),
)

/** Those of the keys that are numbers of the owner's undeleted assets, with the ids and versions of these assets. */
export async function numbered(
  db: Db | Tx,
  owner: OwnerKey,
  keys: readonly string[],
): Promise<Map<string, { readonly id: number; readonly version: number }>> {
  const rows: { readonly id: number; readonly key: string; readonly version: number }[] = []
  if (keys.length === 1) rows.push(...(await byKey(db, { owner, key: keys[0]! })))
  else if (dialect === 'sqlite') rows.push(...(await byKeys(db, { owner, keys: JSON.stringify(keys) })))
  else
    for (let at = 0; at < keys.length; at += KEYS_AT_ONCE)
      rows.push(
        ...(await db
          .select(found)
          .from(assets)
          .where(
            and(
              eq(assets.owner, owner),
              isNull(assets.deletedAt),
              inArray(assets.assetNoKey, keys.slice(at, at + KEYS_AT_ONCE)),
            ),
          )),
      )
  return new Map(rows.map(({ key, ...asset }) => [key, asset]))
}

/** The ids of the same assets. */
export async function takenNumbers(tx: Tx, owner: OwnerKey, keys: readonly string[]): Promise<Map<string, number>> {
  const assetsOf = await numbered(tx, owner, keys)
  return new Map([...assetsOf].map(([key, { id }]) => [key, id]))
}

const counterOf = prepared((db) =>
  db
    .select()
    .from(assetNumbers)
    .where(eq(assetNumbers.owner, p('owner'))),
)
const setCounter = prepared((db) =>
  db
    .insert(assetNumbers)
    .values({ owner: p('owner'), next: p('next') })
    .onConflictDoUpdate({ target: assetNumbers.owner, set: { next: sql`excluded.next` } }),
)

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
  const [counter] = await counterOf(tx, { owner })
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
  await setCounter(tx, { owner, next })
  return numbers
}
