/** Imports of assets: those that run in the background, their history with the former values, and saved mappings. */

import { col, index, primaryKey, table, uniqueIndex } from '../dialect.ts'
import type { OwnerKey } from '../owner-key.ts'
import { users } from './accounts.ts'

/** See db/owner-key.ts. */
const owner = () => col.int('owner').$type<OwnerKey>().notNull()

/** Imports of large files that run in the background. */
/** The rows of the file. */
export const IMPORT_KINDS = ['ASSET', 'SUPPLY'] as const
export type ImportKind = (typeof IMPORT_KINDS)[number]

export const assetImports = table(
  'asset_imports',
  {
    /** Unguessable. */
    id: col.text('id').primaryKey(),
    owner: owner(),
    kind: col.text('kind').$type<ImportKind>().notNull().default('ASSET'),
    userId: col
      .int('user_id')
      .notNull()
      .references(() => users.id),
    state: col.text('state').$type<'QUEUED' | 'RUNNING' | 'DONE' | 'FAILED'>().notNull(),
    processed: col.int('processed').notNull().default(0),
    total: col.int('total').notNull().default(0),
    result: col.json<unknown>('result'),
    /** When the process that runs it last reported. */
    aliveAt: col.time('alive_at').notNull().default(0),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [index('asset_imports_user').on(t.userId, t.createdAt)],
)

/** The result of an undo. */
export interface ImportUndo {
  readonly restored: number
  readonly deleted: number
  readonly kept: readonly { readonly assetId: number; readonly assetNo: string; readonly reason: ImportKept }[]
  readonly keptCount: number
}
export type ImportKept = 'CHANGED' | 'ON_LOAN' | 'RESERVED' | 'IN_INVENTORY' | 'DELETED'

/** The history of imports. */
export const assetImportRuns = table(
  'asset_import_runs',
  {
    id: col.id(),
    owner: owner(),
    userId: col.int('user_id').notNull(),
    /** As it was. */
    userName: col.text('user_name').notNull(),
    fileName: col.text('file_name').notNull(),
    created: col.int('created').notNull().default(0),
    updated: col.int('updated').notNull().default(0),
    unchanged: col.int('unchanged').notNull().default(0),
    /** Whether the former values of its rows were kept. */
    undoable: col.bool('undoable').notNull().default(false),
    /** Categories that it created, in this order. */
    categories: col.json<{ readonly id: number; readonly version: number }[]>('categories').notNull(),
    /** Locations that it created, in this order; null for those of an earlier version, which created none. */
    locations: col.json<{ readonly id: number; readonly updatedAt: number }[]>('locations'),
    undoneAt: col.time('undone_at'),
    undo: col.json<ImportUndo>('undo'),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [
    index('asset_import_runs_list').on(t.owner, t.createdAt, t.id),
    index('asset_import_runs_old').on(t.createdAt),
  ],
)

/** The former values of the rows of an import, sealed, for an undo. */
export const assetImportSnapshots = table(
  'asset_import_snapshots',
  {
    importId: col.int('import_id').notNull(),
    part: col.int('part').notNull(),
    owner: owner(),
    rows: col.text('rows').notNull(),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.importId, t.part] }),
    index('asset_import_snapshots_old').on(t.createdAt),
    index('asset_import_snapshots_owner').on(t.owner),
  ],
)

/** How a list is read that comes again and again. */
export const assetImportMappings = table(
  'asset_import_mappings',
  {
    id: col.id(),
    owner: owner(),
    kind: col.text('kind').$type<ImportKind>().notNull().default('ASSET'),
    name: col.text('name').notNull(),
    /** The name without case and width, which no other mapping of the owner has. */
    nameKey: col.text('name_key').notNull(),
    headings: col.json<string[]>('headings').notNull(),
    /** A hash of the headings without their order, by which they are compared. */
    headingsKey: col.text('headings_key').notNull(),
    /** Parameters of imports, as requests have them. */
    options: col.json<Record<string, unknown>>('options').notNull(),
    createdBy: col.int('created_by').notNull(),
    version: col.int('version').notNull().default(1),
    createdAt: col.time('created_at').notNull(),
    updatedAt: col.time('updated_at').notNull(),
  },
  (t) => [
    uniqueIndex('asset_import_mappings_name').on(t.owner, t.nameKey),
    index('asset_import_mappings_headings').on(t.owner, t.headingsKey, t.updatedAt),
  ],
)
