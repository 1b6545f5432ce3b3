/** Shapes of imports of links. */

import type { Budget } from '#http/budget.ts'
import { MAX_ERRORS } from '#http/imports.ts'
import { Enum, Id, Model, Nullable, Raw, type Static, Text, Type } from '#http/schema.ts'
import { DAY } from '#platform/clock.ts'

/** Rows with content below the header. */
export const MAX_ROWS = 10_000
export const MAX_COLUMNS = 200
export const PREVIEW_ROWS = 20
export const SOURCES = ['TESSERA', 'BITLY', 'DUB', 'SHLINK', 'CSV'] as const
export type Source = (typeof SOURCES)[number]
const MODES = ['CREATE', 'UPDATE', 'UPSERT'] as const

/** Slugs are never given again, not even after their codes are gone, so nobody may take any number of them from others. */
export const SLUGS_FROM_FILES: Budget = {
  name: 'slugs-from-files',
  counts: { en: 'slugs from imported files', zh: '从文件导入的短链接' },
  per: 'user',
  limit: 100_000,
  windowMs: DAY,
  durable: true,
  countedByRun: true,
}

const flag = (isDefault: boolean, description: string) =>
  Type.Optional(Type.Boolean({ default: isDefault, description }))

export const ImportCodes = Model('ImportQrCodes', {
  source: Type.Optional(
    Enum(['AUTO', ...SOURCES], {
      default: 'AUTO',
      description: 'The service that wrote the file; AUTO recognizes it by the columns',
    }),
  ),
  mode: Type.Optional(
    Enum(MODES, {
      default: 'CREATE',
      description:
        'UPDATE finds your codes by the first of `slug`, `shortUrl`, `uuid`, `publicUrl` and `id` that has a value. UPSERT creates the others',
    }),
  ),
  keepSlugs: flag(
    true,
    'A slug that cannot be given to the new code is an error; without it the code gets another one',
  ),
  clearEmpty: flag(false, 'Empty cells clear the values of existing codes'),
  dryRun: flag(false, 'Checks the file and answers what an import would do, without writing anything'),
  mapping: Type.Optional(
    Raw(65_536, 0, {
      description: 'A JSON object with the column of links for each header, or null to ignore it',
      examples: ['{"Ziel":"target","Kürzel":"slug","Notiz":null}'],
    }),
  ),
  categoryId: Type.Optional({ ...Id, description: 'The category of new codes' }),
  orgId: Type.Optional(Id),
})
export type ImportCodes = Static<typeof ImportCodes>

const count = Type.Integer({ minimum: 0, examples: [3] })

export const CodesImported = Model('QrCodeImportResult', {
  source: Enum(SOURCES),
  total: { ...count, description: 'Rows with content' },
  valid: count,
  created: count,
  updated: count,
  unchanged: count,
  errors: Type.Array(
    Model('QrCodeImportError', {
      row: Type.Integer({ minimum: 1, description: 'As the spreadsheet shows it: the header is row 1', examples: [5] }),
      column: Nullable(Text('back_half', { description: 'The header in the file; null if the whole row is meant' })),
      message: Text('is taken'),
    }),
    { description: `At most ${MAX_ERRORS}` },
  ),
  ignoredColumns: Type.Array(Text('password')),
  preview: Type.Array(
    Model('QrCodeImportPreview', {
      row: Type.Integer({ minimum: 1, examples: [2] }),
      action: Enum(['CREATE', 'UPDATE', 'UNCHANGED']),
      name: Text('Spring menu'),
      target: Text('https://example.com/menu'),
      slug: Nullable(Text('spring-menu', { description: 'Null for one that is drawn by lot' })),
    }),
    { description: `The first ${PREVIEW_ROWS} rows` },
  ),
})
export type CodesImported = Static<typeof CodesImported>
