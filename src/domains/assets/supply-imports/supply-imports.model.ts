/** Shapes of imports of supplies. */

import {
  Enum,
  Id,
  Line,
  Merged,
  Model,
  Nullable,
  PageOf,
  PageQuery,
  Raw,
  type Static,
  Text,
  Time,
  Type,
} from '#http/schema.ts'
import { ENCODINGS } from '#lib/spreadsheets/sheet.ts'

import { ImportJob, ImportResult, MAX_HEADER_ROW, MODES } from '../importing/importing.model.ts'

/** Rows with content below the header: a supply has one for each place. */
export const MAX_ROWS = 20_000

const flag = (description: string) => Type.Optional(Type.Boolean({ default: false, description }))
const wordMap = (meaning: string, example: string) =>
  Type.Optional(
    Raw(262_144, 0, {
      description: `A JSON object with the id of a ${meaning} for texts of the file, or null to leave the cell empty; at most 1,000`,
      examples: [example],
    }),
  )

export const ImportSupplies = Model('ImportSupplies', {
  dryRun: flag('Checks the file and answers what an import would do, without writing anything'),
  mappingId: Type.Optional({
    ...Id,
    description:
      'A saved mapping for files of supplies, whose options hold as far as the request has no others. It loses what has been deleted since',
  }),
  mapping: Type.Optional(
    Raw(65_536, 0, {
      description: 'A JSON object with the column of supplies for each header, or null to ignore it',
      examples: ['{"Artikel":"name","Menge":"stock","Notiz":null}'],
    }),
  ),
  sheet: Type.Optional(
    Line(100, 0, {
      description: 'The name of the sheet, or its number from 1; the first visible one by default',
      examples: ['1'],
    }),
  ),
  mode: Type.Optional(
    Enum(MODES, {
      default: 'UPSERT',
      description:
        'UPSERT updates supplies whose number is known and creates the others. CREATE and UPDATE refuse the other rows',
    }),
  ),
  headerRow: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_HEADER_ROW, description: 'Found by its names if absent', examples: [1] }),
  ),
  headerRows: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 2, description: 'Found by merged cells if absent', examples: [1] }),
  ),
  encoding: Type.Optional(Enum(ENCODINGS, { description: 'Of CSV; found by the content if absent' })),
  decimal: Type.Optional(
    Enum(['POINT', 'COMMA'], { description: 'The decimal separator in texts; found by the texts if absent' }),
  ),
  roundPrices: flag('Prices with more than two decimals are rounded, half up, instead of being errors'),
  emptyFormulas: Type.Optional(
    Enum(['ERROR', 'EMPTY'], {
      default: 'ERROR',
      description: 'Whether formulas without a stored result are errors, or count as empty cells with a warning',
    }),
  ),
  categoryId: Type.Optional({ ...Id, description: 'The category of new supplies whose row names none' }),
  clearEmpty: flag('Empty cells clear the values of existing supplies. They never change a stock'),
  categoryMap: wordMap('category', '{"Office":"12"}'),
  locationMap: wordMap('location', '{"R 12":"3"}'),
  createCategories: flag('Creates missing categories; requires `asset_category:manage` too'),
  createLocations: flag(
    'Creates missing locations, level by level, at most 1,000; requires `location:create` too. Of an organization only',
  ),
  async: flag('Answers at once with the id of a job, which writes in the background'),
  orgId: Type.Optional(Id),
})
export type ImportSupplies = Static<typeof ImportSupplies>

const { properties } = ImportResult
export const SupplyImportResult = Model('SupplyImportResult', {
  importId: properties.importId,
  total: properties.total,
  valid: properties.valid,
  created: properties.created,
  updated: properties.updated,
  unchanged: properties.unchanged,
  errors: properties.errors,
  errorCount: properties.errorCount,
  warnings: properties.warnings,
  warningCount: properties.warningCount,
  headerRow: properties.headerRow,
  headerRows: properties.headerRows,
  encoding: properties.encoding,
  decimal: properties.decimal,
  savedMapping: properties.savedMapping,
  firstRows: properties.firstRows,
  columns: Type.Array(
    Model('SupplyImportColumn', {
      header: Text('Stock'),
      key: Nullable(Text('stock', { description: 'A column of supplies' })),
      samples: Type.Array(Text('48'), { description: 'The first three texts in it' }),
    }),
  ),
  unmatched: Model('SupplyImportUnmatched', {
    category: properties.unmatched.properties.category,
    location: properties.unmatched.properties.location,
  }),
  preview: properties.preview,
})
export type SupplyImportResult = Static<typeof SupplyImportResult>

export const SupplyImportAnswer = Merged(
  'SupplyImportAnswer',
  { description: 'The result, or with `async` only `jobId`' },
  [
    SupplyImportResult,
    Model('SupplyImportStarted', {
      jobId: Text('4f1ph0c6w8d3z5k2m7q9x1b4', { description: 'For `GET /api/supplies/import/{jobId}`' }),
    }),
  ],
)
export type SupplyImportAnswer = Static<typeof SupplyImportAnswer>

export const SupplyImportJob = Model('SupplyImportJob', {
  ...ImportJob.properties,
  result: Nullable(SupplyImportResult),
})
export type SupplyImportJob = Static<typeof SupplyImportJob>

const count = Type.Integer({ minimum: 0, examples: [3] })
export const SupplyImportRun = Model('SupplyImportRun', {
  id: Id,
  fileName: Text('list.xlsx'),
  userId: Id,
  userName: Text('Chen Jing'),
  createdAt: Time,
  created: count,
  updated: count,
  unchanged: count,
  undoableUntil: Nullable({ ...Time, description: 'Null if it cannot be undone, or was' }),
  undoneAt: Nullable(Time),
})
export type SupplyImportRun = Static<typeof SupplyImportRun>
export const SupplyImportPage = PageOf(SupplyImportRun)
export const ImportsQuery = PageQuery({ orgId: Type.Optional(Id) })

export const UndoSupplyImport = Model('UndoSupplyImport', {
  dryRun: flag('Answers what an undo would do, without writing anything'),
})
export const SupplyImportUndone = Model('SupplyImportUndone', {
  restored: { ...count, description: 'Supplies that got their former values and stock back' },
  deleted: { ...count, description: 'Supplies that the import had created' },
  kept: Type.Array(
    Model('SupplyImportKept', {
      supplyId: Id,
      supplyNo: Text('S-00001'),
      reason: Enum(['CHANGED', 'LENT', 'RESERVED', 'DELETED'], {
        description: 'Changed or moved since the import, lent, reserved, or deleted',
      }),
    }),
    { description: 'The first 1,000 supplies that stay as they are' },
  ),
  keptCount: count,
})
