import { sql } from 'drizzle-orm'

import { col, index, primaryKey, table, uniqueIndex } from '../dialect.ts'
import type { OwnerKey } from '../owner-key.ts'

export const FOUND_KINDS = ['ASSET', 'QR_CODE'] as const
/** A thing whose finder can write to its owner. */
export type FoundKind = (typeof FOUND_KINDS)[number]

/** When the public page of a thing shows its card. LOST: while the status of the asset is LOST. */
export const FOUND_WHEN = ['OFF', 'LOST', 'ALWAYS'] as const
export type FoundWhen = (typeof FOUND_WHEN)[number]

export const FOUND_STATUSES = ['OPEN', 'RETURNED', 'CLOSED'] as const
export type FoundStatus = (typeof FOUND_STATUSES)[number]

/** Finder cards: a text and a form on the public page of a thing. A thing without a row has the card OFF. */
export const foundCards = table(
  'found_cards',
  {
    kind: col.text('kind').$type<FoundKind>().notNull(),
    /** An asset or a QR code. */
    targetId: col.int('target_id').notNull(),
    /** That of the thing. */
    owner: col.int('owner').$type<OwnerKey>().notNull(),
    when: col.text('shown_when').$type<FoundWhen>().notNull(),
    text: col.text('text').notNull(),
    allowMessage: col.bool('allow_message').notNull(),
    askPosition: col.bool('ask_position').notNull(),
    /** The language of the user who changed the card last: that of the mails about reports. */
    locale: col.text('locale').$type<'en' | 'zh'>().notNull(),
  },
  (t) => [primaryKey({ columns: [t.kind, t.targetId] }), index('found_cards_owner').on(t.owner)],
)

/** Reports of finders, each with a conversation. */
export const foundReports = table(
  'found_reports',
  {
    id: col.id(),
    /** That of the thing. */
    owner: col.int('owner').$type<OwnerKey>().notNull(),
    kind: col.text('kind').$type<FoundKind>().notNull(),
    targetId: col.int('target_id').notNull(),
    /** The name of the thing when it was reported. */
    title: col.text('title').notNull(),
    status: col.text('status').$type<FoundStatus>().notNull().default('OPEN'),
    /** How the finder wants to be reached, as the finder wrote it. */
    contact: col.text('contact'),
    /** Degrees (WGS 84); both or neither. A job clears them. */
    latitude: col.real('latitude'),
    longitude: col.real('longitude'),
    /** Metres. */
    accuracy: col.real('accuracy'),
    /** SHA-256 of the secret in the link of the finder. */
    secretHash: col.text('secret_hash').notNull(),
    finderMessages: col.int('finder_messages').notNull(),
    ownerMessages: col.int('owner_messages').notNull().default(0),
    /** The conversation ends: 30 days after its last message. */
    endsAt: col.time('ends_at').notNull(),
    createdAt: col.time('created_at').notNull(),
    updatedAt: col.time('updated_at').notNull(),
  },
  (t) => [
    uniqueIndex('found_reports_secret').on(t.secretHash),
    index('found_reports_owner').on(t.owner, t.id),
    index('found_reports_status').on(t.owner, t.status, t.id),
    index('found_reports_target').on(t.kind, t.targetId, t.id),
    // For the jobs that delete old rows of all owners.
    index('found_reports_end').on(t.endsAt),
    index('found_reports_position')
      .on(t.createdAt)
      .where(sql`${t.latitude} is not null`),
  ],
)

export const foundMessages = table(
  'found_messages',
  {
    id: col.id(),
    reportId: col
      .int('report_id')
      .notNull()
      .references(() => foundReports.id),
    fromOwner: col.bool('from_owner').notNull(),
    text: col.text('text').notNull(),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [index('found_messages_report').on(t.reportId, t.id)],
)

/** Deleted things with more reports than one write can delete; a job continues in small writes. */
export const foundCleanUps = table(
  'found_clean_ups',
  {
    kind: col.text('kind').$type<FoundKind>().notNull(),
    targetId: col.int('target_id').notNull(),
  },
  (t) => [primaryKey({ columns: [t.kind, t.targetId] })],
)
