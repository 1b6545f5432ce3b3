import { sql } from 'drizzle-orm'

import { col, primaryKey, table, uniqueIndex } from '../dialect.ts'
import { users } from './accounts.ts'

/** Terms of service and privacy policy. */
export const AGREEMENT_TYPES = ['SERVICE', 'PRIVACY'] as const
export type AgreementType = (typeof AGREEMENT_TYPES)[number]

/**
 * All published versions. Rows are only added: triggers refuse DELETE, and UPDATE of every column except `active` and `activatedAt`.
 */
export const agreements = table(
  'agreements',
  {
    id: col.id(),
    type: col.text('type').$type<AgreementType>().notNull(),
    /** Counts from 1 for each type. */
    version: col.int('version').notNull(),
    title: col.text('title').notNull(),
    /** Markdown. */
    content: col.text('content').notNull(),
    /** Rendered from `content` at publication. */
    contentHtml: col.text('content_html').notNull(),
    active: col.bool('active').notNull(),
    publishedBy: col
      .int('published_by')
      .notNull()
      .references(() => users.id),
    createdAt: col.time('created_at').notNull(),
    /** When it became active for the last time. */
    activatedAt: col.time('activated_at').notNull(),
  },
  (t) => [
    uniqueIndex('agreements_version').on(t.type, t.version),
    uniqueIndex('agreements_active').on(t.type).where(sql.raw('active')),
  ],
)

/** One row for each user and version that the user has accepted. Rows stay after the account is deleted. */
export const agreementAcceptances = table(
  'agreement_acceptances',
  {
    userId: col
      .int('user_id')
      .notNull()
      .references(() => users.id),
    agreementId: col
      .int('agreement_id')
      .notNull()
      .references(() => agreements.id),
    /** The first time. */
    acceptedAt: col.time('accepted_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.agreementId] })],
)
