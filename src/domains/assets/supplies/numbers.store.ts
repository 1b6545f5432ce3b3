/** Finds supplies by their numbers, and makes numbers for those without one. */

import { and, eq, getTableColumns, inArray, isNull, sql } from 'drizzle-orm'

import { dialect } from '#db/dialect.ts'
import type { OwnerKey } from '#db/owner-key.ts'
import { prepared } from '#db/prepared.ts'
import { supplies, supplyNumbers } from '#db/schema/supplies.ts'
import type { Db, Tx } from '#db/store.ts'

import { numberKey } from '../numbers.rules.ts'
import { suppliesWhere, type SupplyRow } from './supplies.store.ts'

const p = sql.placeholder

/** CROSS JOIN: else SQLite may walk over all supplies of the owner. */
const byNumbers = prepared((db) =>
  db
    .select(getTableColumns(supplies))
    .from(sql`json_each(${p('keys')}) as given`)
    .crossJoin(supplies)
    .where(and(eq(supplies.owner, p('owner')), sql`${supplies.supplyNoKey} = given.value`, isNull(supplies.deletedAt))),
)
/** The owner's undeleted supplies by the keys of their numbers. */
export async function suppliesByNumbers(
  db: Db | Tx,
  owner: OwnerKey,
  keys: readonly string[],
): Promise<Map<string, SupplyRow>> {
  const found = new Map<string, SupplyRow>()
  if (dialect === 'sqlite') {
    const rows = keys.length === 0 ? [] : await byNumbers(db, { owner, keys: JSON.stringify([...new Set(keys)]) })
    for (const row of rows) found.set(row.supplyNoKey, row)
    return found
  }
  for (let at = 0; at < keys.length; at += 1000) {
    const some = keys.slice(at, at + 1000)
    const rows = await db
      .select()
      .from(supplies)
      .where(suppliesWhere(owner, inArray(supplies.supplyNoKey, some)))
    for (const row of rows) found.set(row.supplyNoKey, row)
  }
  return found
}

const numberOf = (sequence: number): string => `S-${String(sequence).padStart(5, '0')}`

/** Takes `count` free numbers. `isGiven`: of keys of numbers that the same write gives to other supplies. */
export async function takeNumbers(
  tx: Tx,
  owner: OwnerKey,
  count: number,
  isGiven: (key: string) => boolean,
): Promise<string[]> {
  if (count === 0) return []
  const [counter] = await tx.select().from(supplyNumbers).where(eq(supplyNumbers.owner, owner))
  const numbers: string[] = []
  let next = counter?.next ?? 1
  while (numbers.length < count) {
    const some = Array.from({ length: Math.max(10, count - numbers.length) }, (_, i) => next + i)
    const taken = await suppliesByNumbers(
      tx,
      owner,
      some.map((sequence) => numberKey(numberOf(sequence))),
    )
    for (const sequence of some) {
      if (numbers.length === count) break
      next = sequence + 1
      const key = numberKey(numberOf(sequence))
      if (!taken.has(key) && !isGiven(key)) numbers.push(numberOf(sequence))
    }
  }
  await tx
    .insert(supplyNumbers)
    .values({ owner, next })
    .onConflictDoUpdate({ target: supplyNumbers.owner, set: { next } })
  return numbers
}
