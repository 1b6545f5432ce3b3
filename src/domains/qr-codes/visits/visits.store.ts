/**
 * Breakdowns of scans without personal data: a row for each code and UTC day, or for each month after 400 days. Visitors of a day are distinct
 * hashes under a salt of the day; both are deleted after it, and no backup has them (`NOT_BACKED_UP` in db/maintenance.ts).
 */

import { and, asc, eq, gte, inArray, lt, lte, sql } from 'drizzle-orm'

import { isInJson } from '#db/dialect.ts'
import { insertFrom, jsonRows } from '#db/json-rows.ts'
import { prepared } from '#db/prepared.ts'
import { qrScanDetails, qrScanSalts, qrScanVisitors } from '#db/schema/qr-visits.ts'
import { deleteSome } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'
import { DAY } from '#platform/clock.ts'
import { secret } from '#platform/ids.ts'

import { type Counts, type Details, mergeDetails, monthOf } from './visits.rules.ts'

const p = sql.placeholder

/** Visitors of a code that are counted a day. */
export const MAX_VISITORS = 50_000

/** Scans of a code on a UTC day that are added to its row. */
export interface Visited {
  readonly id: number
  readonly day: number
  readonly robots: number
  readonly counts: Counts
  /** As `visitorOf` tells them apart. */
  readonly visitors: ReadonlySet<string>
}

const rowsOfDay = prepared((db) =>
  db
    .select()
    .from(qrScanDetails)
    .where(and(isInJson(qrScanDetails.qrCodeId, p('ids')), eq(qrScanDetails.day, p('day')))),
)

const given = jsonRows('given', { qrCodeId: 'int', day: 'int', robots: 'int', visitors: 'int', details: 'text' })
const write = prepared((db) =>
  insertFrom(db, qrScanDetails, {
    rows: given.rows,
    qrCodeId: given.qrCodeId,
    day: given.day,
    robots: given.robots,
    visitors: given.visitors,
    details: given.details,
  }).onConflictDoUpdate({
    target: [qrScanDetails.qrCodeId, qrScanDetails.day],
    set: { robots: sql`excluded.robots`, visitors: sql`excluded.visitors`, details: sql`excluded.details` },
  }),
)

/** Adds scans of codes, which must exist. `today`: the UTC day, for which a salt is made. */
export async function addVisits(tx: Tx, list: readonly Visited[], today: number): Promise<void> {
  for (const day of new Set(list.map((one) => one.day))) {
    const some = list.filter((one) => one.day === day)
    const rows = new Map((await rowsOfDay(tx, { day, ids: idsOf(some) })).map((row) => [row.qrCodeId, row]))
    const fresh = await addVisitors(tx, day, some, { today, isFull: (id) => rows.get(id)?.visitors === MAX_VISITORS })
    for (const { id, robots, counts } of some) {
      const row = rows.get(id)
      rows.set(id, {
        qrCodeId: id,
        day,
        isMonth: false,
        robots: (row?.robots ?? 0) + robots,
        visitors: row?.visitors ?? 0,
        details: mergeDetails(row?.details ?? {}, counts),
      })
    }
    const changed = [...rows.values()].map(({ details, visitors, ...row }) => ({
      ...row,
      visitors: Math.min(MAX_VISITORS, visitors + (fresh.get(row.qrCodeId) ?? 0)),
      details: JSON.stringify(details),
    }))
    // In one order, so that two processes do not wait for each other.
    await write(tx, given.values(changed.toSorted((a, b) => a.qrCodeId - b.qrCodeId)))
  }
}

const idsOf = (list: readonly Visited[]): string => JSON.stringify([...new Set(list.map(({ id }) => id))])

const givenVisitors = jsonRows('visited', { day: 'int', id: 'int', hash: 'text' })
const insertVisitors = prepared((db) =>
  insertFrom(db, qrScanVisitors, {
    rows: givenVisitors.rows,
    day: givenVisitors.day,
    qrCodeId: givenVisitors.id,
    hash: givenVisitors.hash,
  })
    .onConflictDoNothing()
    .returning({ id: qrScanVisitors.qrCodeId }),
)

/** Returns how many visitors of each code had not been seen on the day. */
async function addVisitors(
  tx: Tx,
  day: number,
  list: readonly Visited[],
  { today, isFull }: { readonly today: number; readonly isFull: (id: number) => boolean },
): Promise<Map<number, number>> {
  const fresh = new Map<number, number>()
  const open = list.filter(({ id, visitors }) => visitors.size > 0 && !isFull(id))
  const salt = open.length > 0 ? await saltOf(tx, day, today) : undefined
  if (salt === undefined) return fresh
  const rows = open.flatMap(({ id, visitors }) =>
    [...visitors].map((visitor) => ({ day, id, hash: hashOf(salt, `${id} ${visitor}`) })),
  )
  for (const { id } of await insertVisitors(tx, givenVisitors.values(rows))) fresh.set(id, (fresh.get(id) ?? 0) + 1)
  return fresh
}

/** 128 bits: two of 50,000 visitors never have the same. */
const hashOf = (salt: string, visitor: string): string =>
  new Bun.CryptoHasher('sha256', salt).update(visitor).digest().subarray(0, 16).toString('base64url')

const findSalt = prepared((db) =>
  db
    .select({ salt: qrScanSalts.salt })
    .from(qrScanSalts)
    .where(eq(qrScanSalts.day, p('day'))),
)
const insertSalt = prepared((db) =>
  db
    .insert(qrScanSalts)
    .values({ day: p('day'), salt: p('salt') })
    .onConflictDoNothing(),
)

/** The salt of a day, which the first write of the day makes for all processes. Undefined after it was deleted. */
async function saltOf(tx: Tx, day: number, today: number): Promise<string | undefined> {
  const [found] = await findSalt(tx, { day })
  if (found !== undefined || day < today) return found?.salt
  await insertSalt(tx, { day, salt: secret() })
  return (await findSalt(tx, { day }))[0]?.salt
}

/** Deletes at most `limit` hashes of days before `today`, and their salts first. Returns how many. */
export async function deleteOldVisitors(tx: Tx, today: number, limit: number): Promise<number> {
  // Overwritten, because SQLite leaves the content of deleted rows in its file.
  await tx
    .update(qrScanSalts)
    .set({ salt: '0'.repeat(43) })
    .where(lt(qrScanSalts.day, today))
  await tx.delete(qrScanSalts).where(lt(qrScanSalts.day, today))
  return deleteSome(tx, qrScanVisitors, lt(qrScanVisitors.day, today), limit)
}

/** The rows of a code whose days or months touch the days from `first` to `last`, the oldest first. */
export const detailsOfCode = (db: Db, qrCodeId: number, first: number, last: number) =>
  db
    .select()
    .from(qrScanDetails)
    .where(and(eq(qrScanDetails.qrCodeId, qrCodeId), gte(qrScanDetails.day, first), lte(qrScanDetails.day, last)))
    .orderBy(asc(qrScanDetails.day))

/** Deletes at most `limit` rows of a code that is deleted permanently. Returns how many. */
export async function deleteVisits(tx: Tx, qrCodeId: number, limit: number): Promise<number> {
  const today = Math.floor(tx.stamp / DAY)
  const ofCode = and(inArray(qrScanVisitors.day, [today - 1, today]), eq(qrScanVisitors.qrCodeId, qrCodeId))!
  const rows = await deleteSome(tx, qrScanDetails, eq(qrScanDetails.qrCodeId, qrCodeId), limit)
  return rows < limit ? rows + (await deleteSome(tx, qrScanVisitors, ofCode, limit - rows)) : rows
}

/** Merges at most `limit` rows of days before `before`, the first day of a month, into rows of months. Returns how many. */
export async function mergeMonths(tx: Tx, before: number, limit: number): Promise<number> {
  const days = await tx
    .select()
    .from(qrScanDetails)
    .where(and(eq(qrScanDetails.isMonth, false), lt(qrScanDetails.day, before)))
    .orderBy(asc(qrScanDetails.day), asc(qrScanDetails.qrCodeId))
    .limit(limit)
  const months = new Map<string, (typeof days)[number]>()
  for (const row of days) {
    const day = monthOf(row.day)
    const key = `${row.qrCodeId} ${day}`
    const [stored] = months.has(key)
      ? [months.get(key)!]
      : await tx
          .select()
          .from(qrScanDetails)
          .where(
            and(eq(qrScanDetails.qrCodeId, row.qrCodeId), eq(qrScanDetails.day, day), eq(qrScanDetails.isMonth, true)),
          )
    months.set(key, {
      qrCodeId: row.qrCodeId,
      day,
      isMonth: true,
      robots: (stored?.robots ?? 0) + row.robots,
      visitors: (stored?.visitors ?? 0) + row.visitors,
      details: mergeDetails(stored?.details ?? {}, row.details as Details),
    })
    await tx
      .delete(qrScanDetails)
      .where(
        and(eq(qrScanDetails.qrCodeId, row.qrCodeId), eq(qrScanDetails.day, row.day), eq(qrScanDetails.isMonth, false)),
      )
  }
  for (const month of months.values())
    await tx
      .insert(qrScanDetails)
      .values(month)
      .onConflictDoUpdate({
        target: [qrScanDetails.qrCodeId, qrScanDetails.day],
        set: { robots: month.robots, visitors: month.visitors, details: month.details, isMonth: true },
      })
  return days.length
}

/** Deletes at most `limit` rows of days before `before`. Returns how many. */
export async function deleteOldDetails(tx: Tx, before: number, limit: number): Promise<number> {
  let left = limit
  // One after the other, by the index that begins with the kind.
  for (const isMonth of [true, false])
    if (left > 0)
      left -= await deleteSome(
        tx,
        qrScanDetails,
        and(eq(qrScanDetails.isMonth, isMonth), lt(qrScanDetails.day, before))!,
        left,
      )
  return limit - left
}
