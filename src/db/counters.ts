/**
 * Counters that survive a restart and are exact with concurrent requests and several processes: for limits that guard secrets, money
 * or the work of others. Every domain may count here, in its own writes.
 */

import { inArray, lte, sql } from 'drizzle-orm'

import { countAll, type Refusal, type Use } from '#platform/limiter.ts'

import { prepared } from './prepared.ts'
import { counters } from './schema/settings.ts'
import { deleteSome } from './slices.ts'
import type { Db, Tx } from './store.ts'

async function countedAt<U extends Use>(
  db: Db | Tx,
  uses: readonly U[],
  now: number,
): Promise<ReturnType<typeof countAll<U>>> {
  if (uses.length === 0) return []
  const keys = uses.map(({ key }) => key)
  const rows = await db.select().from(counters).where(inArray(counters.key, keys))
  return countAll(uses, (key) => rows.find((row) => row.key === key), now)
}

/** The refusal with which `spend` would answer. It counts nothing, so that those who were refused already cost no write. */
export async function findRefusal<U extends Use>(
  db: Db,
  uses: readonly U[],
  now: number,
): Promise<Refusal<U> | undefined> {
  const result = await countedAt(db, uses, now)
  return 'refusedFor' in result ? result : undefined
}

/** How much of the limits is left at `now`: the least of them. Infinity without uses. */
export async function leftOf(db: Db | Tx, uses: readonly Use[], now: number): Promise<number> {
  if (uses.length === 0) return Infinity
  const keys = uses.map(({ key }) => key)
  const rows = await db.select().from(counters).where(inArray(counters.key, keys))
  const left = uses.map(({ key, limit, windowMs }) => {
    const row = rows.find((one) => one.key === key && one.windowStart + windowMs > now)
    return Math.max(0, limit - (row?.count ?? 0))
  })
  return Math.min(...left)
}

/** Counts all uses at `now`, or none if one of them is refused: then returns the refusal that lasts longest. */
export async function spend<U extends Use>(tx: Tx, uses: readonly U[], now: number): Promise<Refusal<U> | undefined> {
  const result = await countedAt(tx, uses, now)
  if ('refusedFor' in result) return result
  for (const { use, after } of result) {
    const row = { ...after, expiresAt: after.windowStart + use.windowMs }
    await tx
      .insert(counters)
      .values({ key: use.key, ...row })
      .onConflictDoUpdate({ target: counters.key, set: row })
  }
  return undefined
}

/** Those of some hundred uses with different keys that `spendEach` would refuse. It counts nothing. */
export async function refusedAmong(db: Db | Tx, uses: readonly Use[], now: number): Promise<Set<Use>> {
  if (uses.length === 0) return new Set()
  const rows = await countersOf(db, uses)
  return new Set(uses.filter((use) => 'refusedFor' in countAll([use], (key) => rows.get(key), now)))
}

async function countersOf(db: Db | Tx, uses: readonly Use[]) {
  const keys = uses.map(({ key }) => key)
  return new Map((await db.select().from(counters).where(inArray(counters.key, keys))).map((row) => [row.key, row]))
}

/**
 * Counts each use whose own limit allows it, of some thousand with different keys, in few statements. Returns those that are refused.
 */
export async function spendEach(tx: Tx, uses: readonly Use[], now: number): Promise<Set<Use>> {
  const refused = new Set<Use>()
  for (let at = 0; at < uses.length; at += EACH_PER_STATEMENT) {
    const some = uses.slice(at, at + EACH_PER_STATEMENT)
    const rows = await countersOf(tx, some)
    const spent = some.flatMap((use) => {
      const result = countAll([use], (key) => rows.get(key), now)
      if ('refusedFor' in result) refused.add(use)
      else return result.map(({ after }) => ({ key: use.key, ...after, expiresAt: after.windowStart + use.windowMs }))
      return []
    })
    if (spent.length === 0) continue
    await tx
      .insert(counters)
      .values(spent)
      .onConflictDoUpdate({
        target: counters.key,
        set: {
          count: sql`excluded.count`,
          windowStart: sql`excluded.window_start`,
          expiresAt: sql`excluded.expires_at`,
        },
      })
  }
  return refused
}
const EACH_PER_STATEMENT = 200

const p = sql.placeholder
const startWindow = prepared((db) =>
  db
    .insert(counters)
    .values({ key: p('key'), count: 1, windowStart: p('now'), expiresAt: p('end') })
    .onConflictDoUpdate({
      target: counters.key,
      set: { windowStart: sql`excluded.window_start`, expiresAt: sql`excluded.expires_at` },
      setWhere: lte(counters.expiresAt, sql`excluded.window_start`),
    })
    .returning({ key: counters.key }),
)

/** Starts a window of `key` unless one is running. Returns whether it did: for things that count once in a window and are never refused. */
export const takeOnce = async (tx: Tx, key: string, windowMs: number, now: number): Promise<boolean> =>
  (await startWindow(tx, { key, now, end: now + windowMs })).length > 0

/** Deletes at most `limit` counters whose windows have ended. Returns how many it deleted. */
export const deleteExpiredCounters = (tx: Tx, now: number, limit: number): Promise<number> =>
  deleteSome(tx, counters, lte(counters.expiresAt, now), limit)
