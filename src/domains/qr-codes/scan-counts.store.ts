/** The number of scans of each code in each quarter of an hour. */

import { and, eq, gte, inArray, lt, sql } from 'drizzle-orm'

import { insertFrom, jsonRows } from '#db/json-rows.ts'
import { prepared } from '#db/prepared.ts'
import { qrCodeScans } from '#db/schema/qr-codes.ts'
import { deleteSome } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'
import type { OffsetSpan } from '#lib/days.ts'
import { HOUR, MINUTE } from '#platform/clock.ts'

const QUARTER_MS = 15 * MINUTE

/** The start of the quarter of an hour of a time. */
export const quarterOf = (at: number): number => at - (at % QUARTER_MS)

const given = jsonRows('given', { qrCodeId: 'int', startsAt: 'int', scans: 'int' })
const add = prepared((db) =>
  insertFrom(db, qrCodeScans, {
    rows: given.rows,
    qrCodeId: given.qrCodeId,
    startsAt: given.startsAt,
    scans: given.scans,
  }).onConflictDoUpdate({
    target: [qrCodeScans.qrCodeId, qrCodeScans.startsAt],
    set: { scans: sql`${qrCodeScans.scans} + excluded.scans` },
  }),
)

/** Adds scans of codes, which must exist, to their counts. `startsAt`: that of the quarter of an hour, once for each code. */
export async function addScanCounts(
  tx: Tx,
  counts: readonly { readonly qrCodeId: number; readonly startsAt: number; readonly scans: number }[],
): Promise<void> {
  if (counts.length > 0) await add(tx, given.values(counts))
}

/** Scans of a code in each hour, by hour number since 1970 in the offset of this part of the range. */
export function scansOfCodeByHour(db: Db, qrCodeId: number, { from, to, offset }: OffsetSpan) {
  const hour = sql<number>`(${qrCodeScans.startsAt} + ${sql.raw(String(offset))}) / ${sql.raw(String(HOUR))}`.mapWith(
    Number,
  )
  return db
    .select({ hour, n: sql<number>`sum(${qrCodeScans.scans})`.mapWith(Number) })
    .from(qrCodeScans)
    .where(and(eq(qrCodeScans.qrCodeId, qrCodeId), gte(qrCodeScans.startsAt, from), lt(qrCodeScans.startsAt, to)))
    .groupBy(hour)
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
