/** The number of scans of each code in each quarter of an hour. */

import { and, eq, gte, inArray, lt, sql } from 'drizzle-orm'

import { qrCodeScans } from '#db/schema/qr-codes.ts'
import { deleteSome } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'
import type { OffsetSpan } from '#lib/days.ts'
import { DAY, MINUTE } from '#platform/clock.ts'

const QUARTER_MS = 15 * MINUTE

/** The start of the quarter of an hour of a time. */
export const quarterOf = (at: number): number => at - (at % QUARTER_MS)

/** Adds scans of codes, which must exist, to the counts of the quarter of an hour in which `at` is. */
export async function addScanCounts(tx: Tx, counts: readonly (readonly [id: number, count: number])[], at: number) {
  if (counts.length === 0) return
  const startsAt = quarterOf(at)
  await tx
    .insert(qrCodeScans)
    .values(counts.map(([qrCodeId, scans]) => ({ qrCodeId, startsAt, scans })))
    .onConflictDoUpdate({
      target: [qrCodeScans.qrCodeId, qrCodeScans.startsAt],
      set: { scans: sql`${qrCodeScans.scans} + excluded.scans` },
    })
}

/** Scans of a code on each day, by day number since 1970 in the offset of this part of the range. */
export function scansOfCodeByDay(db: Db, qrCodeId: number, { from, to, offset }: OffsetSpan) {
  const day = sql<number>`(${qrCodeScans.startsAt} + ${sql.raw(String(offset))}) / ${sql.raw(String(DAY))}`.mapWith(
    Number,
  )
  return db
    .select({ day, n: sql<number>`sum(${qrCodeScans.scans})`.mapWith(Number) })
    .from(qrCodeScans)
    .where(and(eq(qrCodeScans.qrCodeId, qrCodeId), gte(qrCodeScans.startsAt, from), lt(qrCodeScans.startsAt, to)))
    .groupBy(day)
}

/** Deletes at most `limit` counts of a code. Returns their number. */
export async function deleteScanCounts(tx: Tx, qrCodeId: number, limit: number): Promise<number> {
  const some = await tx
    .select({ startsAt: qrCodeScans.startsAt })
    .from(qrCodeScans)
    .where(eq(qrCodeScans.qrCodeId, qrCodeId))
    .limit(limit)
  if (some.length === 0) return 0
  const times = some.map(({ startsAt }) => startsAt)
  await tx.delete(qrCodeScans).where(and(eq(qrCodeScans.qrCodeId, qrCodeId), inArray(qrCodeScans.startsAt, times)))
  return some.length
}

/** Deletes at most `limit` counts before `before`. Returns how many it deleted. */
export const deleteOldScanCounts = (tx: Tx, before: number, limit: number): Promise<number> =>
  deleteSome(tx, qrCodeScans, lt(qrCodeScans.startsAt, before), limit)
