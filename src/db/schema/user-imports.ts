import { col, index, table } from '../dialect.ts'
import { users } from './accounts.ts'

/** Start codes of an import, for the administrator who made it: each file can be downloaded once, within minutes. */
export const userImportSheets = table(
  'user_import_sheets',
  {
    id: col.id(),
    userId: col
      .int('user_id')
      .notNull()
      .references(() => users.id),
    /** Names and codes, sealed. */
    contents: col.text('contents').notNull(),
    hasXlsx: col.bool('has_xlsx').notNull().default(true),
    hasPdf: col.bool('has_pdf').notNull().default(true),
    expiresAt: col.time('expires_at').notNull(),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [index('user_import_sheets_expiry').on(t.expiresAt), index('user_import_sheets_user').on(t.userId)],
)
