/** Records scans of many users by one statement, on PostgreSQL only. */

import { type SQL, sql } from 'drizzle-orm'

import { jsonRows } from '#db/json-rows.ts'
import { prepared } from '#db/prepared.ts'
import { qrCodes, qrCodeScans, scanRecordCounts, scanRecords } from '#db/schema/qr-codes.ts'
import { counters } from '#db/schema/settings.ts'
import type { Tx } from '#db/store.ts'
import type { Use } from '#platform/limiter.ts'

import { quarterOf } from '../scan-counts.store.ts'
import type { ScanRow, ScanValues } from './scans.store.ts'

const given = jsonRows('given', {
  nth: 'int',
  userId: 'int',
  content: 'text',
  contentType: 'text',
  source: 'text',
  qrCodeId: 'int',
  title: 'text',
  favorite: 'bool',
  latitude: 'real',
  longitude: 'real',
  address: 'text',
  scannedAt: 'int',
  place: 'int',
  quota: 'int',
  budgetKey: 'text',
  budget: 'int',
  budgetUntil: 'int',
  onceKey: 'text',
  onceUntil: 'int',
  now: 'int',
  stamp: 'int',
  quarter: 'int',
})

const { records, userId } = scanRecordCounts
const { key, expiresAt, windowStart } = counters
const names = (...columns: { readonly name: string }[]) =>
  sql.join(
    columns.map(({ name }) => sql.identifier(name)),
    sql`, `,
  )

/**
 * A user without a row of the quota or budget has used nothing of it yet. Other processes may be making the row at the same time, so the limit must have room
 * for the scans of this many.
 */
const MANY = sql.raw('100')

/**
 * In this order: the scans for which the quota and the budget of the user have room (rows that another write has locked are skipped), with the ids of
 * their records; both are counted; their codes that still exist, locked in one order, so that two processes never wait for each other; those that are
 * the first scan in a minute; the scans of each code.
 */
const PARTS: Readonly<Record<string, SQL>> = {
  given: sql`select * from ${given.rows}`,
  room: sql`select ${given.nth}, nextval('scan_records_id_seq') as id from given
    left join lateral (
      select ${records} as records from ${scanRecordCounts} where ${userId} = ${given.userId} for update skip locked
    ) as kept on true
    left join lateral (
      select ${counters.count} as count, ${expiresAt} as expires_at from ${counters} where ${key} = ${given.budgetKey} for update skip locked
    ) as spent on true
    where case
      when kept.records is not null then ${given.quota} = 0 or kept.records + ${given.place} <= ${given.quota}
      else not exists (select from ${scanRecordCounts} where ${userId} = ${given.userId}) and (${given.quota} = 0 or ${given.place} * ${MANY} <= ${given.quota})
    end and case
      when ${given.budgetKey} is null then true
      when spent.count is not null then case when spent.expires_at > ${given.now} then spent.count else 0 end + ${given.place} <= ${given.budget}
      else not exists (select from ${counters} where ${key} = ${given.budgetKey}) and ${given.place} * ${MANY} <= ${given.budget}
    end`,
  accepted: sql`select given.*, room.id from given inner join room using (nth)`,
  spending: sql`insert into ${counters} (${names(key, counters.count, windowStart, expiresAt)})
    select "budgetKey", count(*), max(now), max("budgetUntil") from accepted where "budgetKey" is not null group by 1 order by 1
    on conflict (${names(key)}) do update set
      count = excluded.count + case when ${expiresAt} > excluded.window_start then ${counters.count} else 0 end,
      window_start = case when ${expiresAt} > excluded.window_start then ${windowStart} else excluded.window_start end,
      expires_at = case when ${expiresAt} > excluded.window_start then ${expiresAt} else excluded.expires_at end`,
  counting: sql`insert into ${scanRecordCounts} (${names(userId, records)}) select "userId", count(*) from accepted group by 1 order by 1
    on conflict (${names(userId)}) do update set records = ${records} + excluded.records`,
  codes: sql`select ${qrCodes.id} from ${qrCodes} where ${qrCodes.id} in (select "qrCodeId" from accepted)
    order by ${qrCodes.id} for no key update`,
  first_scans: sql`insert into ${counters} (${names(key, counters.count, windowStart, expiresAt)})
    select "onceKey", 1, now, "onceUntil" from accepted inner join codes on codes.id = "qrCodeId"
    where "onceKey" is not null order by "onceKey"
    on conflict (${names(key)}) do update set window_start = excluded.window_start, expires_at = excluded.expires_at
    where ${expiresAt} <= excluded.window_start returning ${key} as key`,
  scanned: sql`select codes.id, count(first_scans.key) as n from accepted inner join codes on codes.id = "qrCodeId"
    left join first_scans on first_scans.key = "onceKey" group by codes.id`,
  // Also without a scan that counts: a write that deletes the code and clears it from the records it sees must notice this one.
  adding: sql`update ${qrCodes} set scan_count = ${qrCodes.scanCount} + n from scanned where ${qrCodes.id} = scanned.id`,
  adding_to_days: sql`insert into ${qrCodeScans} (${names(qrCodeScans.qrCodeId, qrCodeScans.startsAt, qrCodeScans.scans)})
    select scanned.id, (select max(quarter) from given), n from scanned where n > 0 order by 1
    on conflict (${names(qrCodeScans.qrCodeId, qrCodeScans.startsAt)}) do update set scans = ${qrCodeScans.scans} + excluded.scans`,
  inserting: sql`insert into ${scanRecords} (${names(
    scanRecords.id,
    scanRecords.userId,
    scanRecords.content,
    scanRecords.contentType,
    scanRecords.source,
    scanRecords.qrCodeId,
    scanRecords.title,
    scanRecords.favorite,
    scanRecords.latitude,
    scanRecords.longitude,
    scanRecords.address,
    scanRecords.scannedAt,
    scanRecords.createdAt,
    scanRecords.updatedAt,
  )})
    select accepted.id, "userId", content, "contentType", source, codes.id, title, favorite, latitude, longitude, address, "scannedAt", stamp, stamp
    from accepted left join codes on codes.id = "qrCodeId"`,
}

const recordAll = prepared((db) => {
  const parts = Object.entries(PARTS).map(([name, part]) => db.$with(name).as(part as never))
  return db
    .with(...parts)
    .select({
      nth: sql`accepted.nth`.mapWith(Number),
      id: sql`accepted.id`.mapWith(Number),
      qrCodeId: sql<number | null>`codes.id`.mapWith(Number),
    })
    .from(sql`accepted left join codes on codes.id = "qrCodeId"`)
})

export interface Recording {
  readonly userId: number
  readonly values: (stamp: number) => ScanValues
  /** Records that the user may have; 0 = unlimited. */
  readonly quota: number
  /** The budget that the scan is counted in. */
  readonly use: Use | undefined
  /** The counter that lets a session count once in `onceMs` for the code. */
  readonly onceKey: string | undefined
}

/**
 * Records scans as one statement. Returns them in the same order; those for which there may be no room are undefined and
 * not recorded. A code that was deleted meanwhile is null in the record.
 */
export async function recordScans(
  tx: Tx,
  list: readonly Recording[],
  { now, onceMs }: { readonly now: number; readonly onceMs: number },
): Promise<(ScanRow | undefined)[]> {
  const { stamp } = tx
  const places = new Map<number, number>()
  const keys = new Set<string>()
  const values = list.map((one) => one.values(stamp))
  const rows = list.map(({ userId, quota, use, onceKey }, nth) => {
    const place = (places.get(userId) ?? 0) + 1
    places.set(userId, place)
    const isFirst = onceKey !== undefined && !keys.has(onceKey)
    if (isFirst) keys.add(onceKey)
    const budget = use && { budgetKey: use.key, budget: use.limit, budgetUntil: now + use.windowMs }
    const limits = { place, quota, ...budget }
    const once = isFirst ? { onceKey, onceUntil: now + onceMs } : {}
    return { ...values[nth]!, ...limits, ...once, nth, userId, now, stamp, quarter: quarterOf(stamp) }
  })
  const recorded = new Map((await recordAll(tx, given.values(rows))).map((row) => [row.nth, row]))
  return list.map(({ userId }, nth) => {
    const row = recorded.get(nth)
    return row && { ...values[nth]!, userId, id: row.id, qrCodeId: row.qrCodeId, version: 1 }
  })
}
