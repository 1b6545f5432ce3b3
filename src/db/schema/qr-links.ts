import { sql } from 'drizzle-orm'

import { col, index, table } from '../dialect.ts'
import { qrCodes } from './qr-codes.ts'

/** A condition under which a scan is led to another target. All of its conditions must hold. */
export interface LinkRule {
  target: string
  /** Epoch milliseconds; `from` inclusive, `to` exclusive. */
  from?: number
  to?: number
  /** 1–7, Monday first. */
  weekdays?: number[]
  /** `HH:MM`. */
  hours?: { from: string; to: string }
  timeZone?: string
  devices?: string[]
  languages?: string[]
  countries?: string[]
  firstScans?: number
}

/** Every slug that was ever given, so that none is given twice: one whose code was deleted permanently leads nowhere and stays taken. */
export const qrSlugs = table(
  'qr_slugs',
  {
    slug: col.text('slug').primaryKey(),
    /** The code that it leads to. Null for labels, and after the code was deleted permanently. */
    qrCodeId: col.int('qr_code_id'),
    /** Who was given it: 0 for the organization of a personal code. */
    userId: col.int('user_id').notNull(),
    orgId: col.int('org_id').notNull().default(0),
    /** Chosen by the owner, which is limited, and not drawn by lot. */
    isCustom: col.bool('is_custom').notNull().default(false),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [
    index('qr_slugs_code').on(t.qrCodeId, t.createdAt),
    index('qr_slugs_custom')
      .on(t.userId, t.orgId)
      .where(sql`${t.isCustom}`),
    index('qr_slugs_org_custom')
      .on(t.orgId)
      .where(sql`${t.isCustom}`),
  ],
)

/** How the short link of a code leads. A code without a row leads to its content, under no condition. */
export const qrLinks = table('qr_links', {
  qrCodeId: col
    .int('qr_code_id')
    .primaryKey()
    .references(() => qrCodes.id),
  forwardQuery: col.bool('forward_query').notNull().default(false),
  warn: col.bool('warn').notNull().default(false),
  rules: col.json<LinkRule[]>('rules').notNull(),
  /** For each rule: scans that it still holds for, or null without `firstScans`. */
  rulesLeft: col.json<(number | null)[]>('rules_left').notNull(),
  fallbackUrl: col.text('fallback_url'),
  expiresAt: col.time('expires_at'),
  maxScans: col.int('max_scans'),
  scansLeft: col.int('scans_left'),
  passwordHash: col.text('password_hash'),
  /** Scans that another service counted before the code was imported. */
  earlierScans: col.int('earlier_scans').notNull().default(0),
})
