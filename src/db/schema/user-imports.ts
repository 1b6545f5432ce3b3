import { col, index, primaryKey, table } from '../dialect.ts'
import { type ContactProvider, users } from './accounts.ts'

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

/** An import whose users are made in parts (people/importing/parts.service.ts), until the last part is written. On SQLite only. */
export const userImports = table('user_imports', {
  id: col.id(),
  /** Without a reference, because the users are made even if the administrator leaves meanwhile. */
  createdBy: col.int('created_by').notNull(),
  /** As in `reset_codes`. */
  isForeign: col.bool('is_foreign').notNull(),
  /** All of its users will be made. Until then, none of them is. */
  isAccepted: col.bool('is_accepted').notNull().default(false),
})

/** Users of an import who are not made yet. */
export const userImportParts = table(
  'user_import_parts',
  {
    id: col.id(),
    importId: col
      .int('import_id')
      .notNull()
      .references(() => userImports.id),
    /** The users with their start codes, sealed. */
    contents: col.text('contents').notNull(),
  },
  (t) => [index('user_import_parts_import').on(t.importId)],
)

export type HeldKind = 'USERNAME' | ContactProvider

/** Usernames and addresses of the users of an import who are not made yet. Nobody else can take them meanwhile. On SQLite only. */
export const heldNames = table(
  'held_names',
  {
    kind: col.text('kind').$type<HeldKind>().notNull(),
    /** As in `users.username_key` or `identities.credential`. */
    name: col.text('name').notNull(),
    importId: col
      .int('import_id')
      .notNull()
      .references(() => userImports.id),
  },
  (t) => [primaryKey({ columns: [t.kind, t.name] }), index('held_names_import').on(t.importId)],
)
