import { col, index, primaryKey, table } from '../dialect.ts'

/** The breakdowns of the scans of a code on a UTC day, or in a month after 400 days. A row has at most 4 KB. */
export const qrScanDetails = table(
  'qr_scan_details',
  {
    qrCodeId: col.int('qr_code_id').notNull(),
    /** Days since 1970; of a month, its first one. */
    day: col.int('day').notNull(),
    isMonth: col.bool('is_month').notNull().default(false),
    robots: col.int('robots').notNull(),
    /** Distinct visitors of the day; of a month, the sum of its days. */
    visitors: col.int('visitors').notNull(),
    /** Scans by value, for each breakdown. */
    details: col.json<Partial<Record<string, Record<string, number>>>>('details').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.qrCodeId, t.day] }),
    // For the jobs that merge months and delete old rows.
    index('qr_scan_details_age').on(t.isMonth, t.day),
  ],
)

/** The secret of a day, without which the hashes of its visitors say nothing. Deleted within an hour after the day, and in no backup. */
export const qrScanSalts = table('qr_scan_salts', {
  day: col.int('day').primaryKey(),
  salt: col.text('salt').notNull(),
})

/** A hash for each visitor of a code on a day, so that each is counted once. Deleted with the salt of the day, and in no backup. */
export const qrScanVisitors = table(
  'qr_scan_visitors',
  { day: col.int('day').notNull(), qrCodeId: col.int('qr_code_id').notNull(), hash: col.text('hash').notNull() },
  (t) => [primaryKey({ columns: [t.day, t.qrCodeId, t.hash] })],
)
