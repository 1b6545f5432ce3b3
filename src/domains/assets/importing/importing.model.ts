/** Shapes of imports. */

import { IMPORT_KINDS } from '#db/schema/asset-imports.ts'
import { MAX_ERRORS } from '#http/imports.ts'
import {
  AnyText,
  Enum,
  Id,
  Line,
  Merged,
  Model,
  Named,
  Nullable,
  PageOf,
  PageQuery,
  Raw,
  RowVersion,
  type Static,
  Text,
  Time,
  Type,
  Untyped,
} from '#http/schema.ts'
import { ENCODINGS } from '#lib/spreadsheets/sheet.ts'

/** Rows with content below the header. */
export const MAX_ROWS = 100_000
export const MAX_COLUMNS = 200
export const PREVIEW_ROWS = 10
export const MAX_HEADER_ROW = 100
/** In an answer. */
export const MAX_WARNINGS = 1000
export const MODES = ['UPSERT', 'CREATE', 'UPDATE'] as const
const EMPTY_FORMULAS = ['ERROR', 'EMPTY'] as const
const DATE_ORDERS = ['YMD', 'DMY', 'MDY'] as const
const GIVEN_ORDERS = [...DATE_ORDERS, 'AUTO'] as const
const DECIMALS = ['POINT', 'COMMA'] as const

const wordMap = (meaning: string, example: string) =>
  Type.Optional(
    Raw(262_144, 0, {
      description:
        `A JSON object with the ${meaning} for texts of the file, or null to leave the cell empty. Texts are compared without case, ` +
        'spaces and width; at most 1,000',
      examples: [example],
    }),
  )
const flag = (description: string) => Type.Optional(Type.Boolean({ default: false, description }))

/** How a file is read, as requests and saved mappings have it. */
const options = {
  mapping: Type.Optional(
    Raw(65_536, 0, {
      description:
        'A JSON object with the column of assets for each header, or null to ignore it. Other headers are recognized by their names',
      examples: ['{"Gerät":"name","Nummer":"assetNo","Notiz":null}'],
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
        'UPSERT updates assets whose number is known and creates the others. CREATE and UPDATE refuse the other rows',
    }),
  ),
  headerRow: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_HEADER_ROW,
      description: 'The row of the header, as the spreadsheet counts; found by its names of columns if absent',
      examples: [1],
    }),
  ),
  headerRows: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 2,
      description: 'Whether the header has a row of groups above its names; found by merged cells if absent',
      examples: [1],
    }),
  ),
  encoding: Type.Optional(Enum(ENCODINGS, { description: 'Of CSV; found by the content if absent' })),
  emptyFormulas: Type.Optional(
    Enum(EMPTY_FORMULAS, {
      default: 'ERROR',
      description: 'Whether formulas without a stored result are errors, or count as empty cells with a warning',
    }),
  ),
  categoryId: Type.Optional({ ...Id, description: 'The category of new assets whose row names none' }),
  clearEmpty: flag('Empty cells clear the values of existing assets'),
  dateOrder: Type.Optional(
    Enum(GIVEN_ORDERS, {
      default: 'YMD',
      description:
        'The order of day, month and year in texts such as 3/4/2026. AUTO finds it for each column by a number above 12',
    }),
  ),
  decimal: Type.Optional(
    Enum(DECIMALS, { description: 'The decimal separator in texts such as 1.849,78; found by the texts if absent' }),
  ),
  roundPrices: flag('Prices with more than two decimals are rounded, half up, instead of being errors'),
  statusMap: wordMap('status', '{"Ready to Deploy":"IDLE","n/a":null}'),
  custodianMap: wordMap('id of a member', '{"J. Smith":"42"}'),
  categoryMap: wordMap('id of a category', '{"Notebooks":"12"}'),
  locationMap: wordMap('id of a location', '{"R 12":"3"}'),
  unknownCustodian: Type.Optional(
    Enum(['ERROR', 'EMPTY', 'REMARK'], {
      default: 'ERROR',
      description:
        'Whether a custodian who is not a member is an error, left empty, or added to the remark as `Custodian: <text>`; with a warning',
    }),
  ),
  matchSerial: flag(
    'A row without a number updates the only asset with its serial number; with the mode CREATE it is an error',
  ),
  emptyNames: Type.Optional(
    Enum(['ERROR', 'MODEL'], {
      default: 'ERROR',
      description: 'With MODEL, a new asset without a name takes its model, else its category, else its number',
    }),
  ),
  createCategories: flag('Creates missing categories; requires `asset_category:manage` too'),
  createLocations: flag(
    'Creates missing locations, level by level, at most 1,000; requires `location:create` too. Of an organization only',
  ),
  splitQuantity: flag(
    'A new row becomes as many assets as its quantity says, 1 to 1,000. The first one has the number and serial number of the row, the ' +
      'others have generated numbers. At most 100,000 assets of a file',
  ),
}

export const ImportAssets = Model('ImportAssets', {
  dryRun: flag('Checks the file and answers what an import would do, without writing anything'),
  mappingId: Type.Optional({
    ...Id,
    description:
      'A saved mapping, whose options hold as far as the request has no others. It loses what has been deleted since',
  }),
  ...options,
  async: flag('Answers at once with the id of a job, which writes in the background'),
  orgId: Type.Optional(Id),
})
export type ImportAssets = Static<typeof ImportAssets>

const count = Type.Integer({ minimum: 0, examples: [3] })
const Key = Text('assetNo', { description: 'A column of assets, or `field:` and the id of a field' })
const CellValue = Untyped(Type.Union([Text('Projector'), Type.Number(), Type.Boolean(), Type.Null()]), {
  description: 'A string, number, boolean or null',
  examples: ['Projector'],
})

const words = Type.Array(
  Model('AssetImportWord', {
    text: Text('Ready to Deploy'),
    rows: { ...count, description: 'Rows with this text' },
    suggestion: Nullable(Text('IDLE', { description: 'The value for the map of the request that was probably meant' })),
  }),
  { description: 'Texts that mean nothing here; at most 200' },
)

export const ImportResult = Model('AssetImportResult', {
  importId: Type.Optional({ ...Id, description: 'In the history; absent for a dry run' }),
  total: { ...count, description: 'Rows with content' },
  valid: count,
  created: count,
  updated: count,
  unchanged: count,
  errors: Type.Array(
    Model('AssetImportError', {
      row: Type.Integer({ minimum: 1, description: 'As the spreadsheet shows it: the header is row 1', examples: [5] }),
      column: Nullable(
        Text('Purchase date', { description: 'The header in the file; null if the whole row is meant' }),
      ),
      value: Nullable(Text('31.02.2026')),
      message: Text('must be a day that exists, as YYYY-MM-DD'),
    }),
    { description: `At most ${MAX_ERRORS}` },
  ),
  errorCount: count,
  warnings: Type.Array(
    Model('AssetImportWarning', {
      row: Type.Integer({ minimum: 1, examples: [5] }),
      column: Nullable(Text('Purchase date')),
      value: Nullable(Text('合计')),
      message: Text('is a row of sums and was skipped'),
    }),
    {
      description: `Cells and rows that were read otherwise than they are written, or left out; at most ${MAX_WARNINGS}`,
    },
  ),
  warningCount: count,
  headerRow: Type.Integer({ minimum: 0, description: 'As the spreadsheet counts', examples: [1] }),
  headerRows: Type.Integer({ minimum: 1, maximum: 2, examples: [1] }),
  encoding: Nullable(
    Model('AssetImportEncoding', {
      used: Enum(ENCODINGS),
      certain: Type.Boolean({ description: 'False if another encoding is plausible' }),
      other: Nullable(Enum(ENCODINGS)),
    }),
  ),
  decimal: Enum(DECIMALS, { description: 'The decimal separator of texts' }),
  savedMapping: Nullable(
    Model(
      'AssetImportSavedMapping',
      { description: 'The saved mapping with the same headings, the latest of several. It is not applied by itself' },
      { id: Id, name: Text('Export of Snipe-IT') },
    ),
  ),
  unmatched: Model('AssetImportUnmatched', {
    status: words,
    custodian: words,
    category: words,
    location: words,
  }),
  firstRows: Type.Array(Type.Array(Text('Name')), {
    description:
      'The texts of the first 12 rows of the sheet, also of empty ones: at most 40 columns with 60 characters each',
  }),
  columns: Type.Array(
    Model('AssetImportColumn', {
      header: Text('Purchase date'),
      key: Nullable(Key),
      suggestion: Type.Optional(Key),
      dateOrder: Type.Optional(
        Enum(DATE_ORDERS, { description: 'Of columns of days; absent if AUTO does not find it' }),
      ),
      ambiguousDates: Type.Boolean({
        description: 'Whether it has days such as 3/4/2026 and none that shows their order',
        examples: [false],
      }),
      samples: Type.Array(Text('2024-02-29'), { description: 'The first three texts in it' }),
    }),
  ),
  preview: Type.Array(
    Model('AssetImportPreview', {
      row: Type.Integer({ minimum: 1, examples: [2] }),
      action: Enum(['CREATE', 'UPDATE', 'UNCHANGED']),
      values: Type.Array(
        Model('AssetImportValue', {
          key: Key,
          value: CellValue,
          text: Text('3/8/2026', { description: 'In the file; empty if the value comes from other columns' }),
        }),
      ),
    }),
    { description: `The first ${PREVIEW_ROWS} rows` },
  ),
})
export type ImportResult = Static<typeof ImportResult>

export const ImportStarted = Model('AssetImportStarted', {
  jobId: Text('4f1ph0c6w8d3z5k2m7q9x1b4', { description: 'For `GET /api/assets/import/{jobId}`' }),
})
export const ImportAnswer = Merged('AssetImportAnswer', { description: 'The result, or with `async` only `jobId`' }, [
  ImportResult,
  ImportStarted,
])
export type ImportAnswer = Static<typeof ImportAnswer>

export const ByJobId = Type.Object({ jobId: Line(64, 1, { examples: ['4f1ph0c6w8d3z5k2m7q9x1b4'] }) })
export const ImportJob = Model('AssetImportJob', {
  id: Text('4f1ph0c6w8d3z5k2m7q9x1b4'),
  state: Enum(['QUEUED', 'RUNNING', 'DONE', 'FAILED']),
  processed: { ...count, description: 'Rows that have been written; all of them are kept, or none' },
  total: count,
  result: Nullable(ImportResult),
})
export type ImportJob = Static<typeof ImportJob>

export const AssetImportRun = Model('AssetImportRun', {
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
export type AssetImportRun = Static<typeof AssetImportRun>
export const AssetImportRunPage = PageOf(AssetImportRun)
export const ImportsQuery = PageQuery({ orgId: Type.Optional(Id) })

export const UndoImport = Model('UndoAssetImport', {
  dryRun: flag('Answers what an undo would do, without writing anything'),
})

const KEPT = ['CHANGED', 'ON_LOAN', 'RESERVED', 'IN_INVENTORY', 'DELETED'] as const

export const ImportUndone = Model('AssetImportUndone', {
  restored: { ...count, description: 'Assets that got their former values back' },
  deleted: { ...count, description: 'Assets that the import had created' },
  kept: Type.Array(
    Model('AssetImportKept', {
      assetId: Id,
      assetNo: Text('A-1'),
      reason: Enum(KEPT, { description: 'CHANGED since the import, lent, in a running inventory, or deleted' }),
    }),
    { description: 'The first 1,000 assets that stay as they are' },
  ),
  keptCount: count,
})

/** Of a user or an organization. */
export const MAX_MAPPINGS = 50
/** Characters of its options, as JSON. */
export const MAX_OPTIONS = 131_072
/** Longer ones are cut when a file is read. */
const MAX_HEADING_TEXT = 200

const MappingName = Line(100, 1, { examples: ['Export of Snipe-IT'] })
const EXAMPLE = { mapping: '{"Asset Tag":"assetNo","Model":"name"}', statusMap: '{"Ready to Deploy":"IDLE"}' }
export const MappingOptions = Model('AssetImportOptions', { examples: [EXAMPLE] }, options)
export type MappingOptions = Static<typeof MappingOptions>
const Kind = Enum(IMPORT_KINDS, { description: 'The kind of things in the rows of the files', examples: ['ASSET'] })

/** The options that imports of supplies have too. */
const SUPPLY_OPTIONS = [
  'mapping',
  'sheet',
  'mode',
  'headerRow',
  'headerRows',
  'encoding',
  'decimal',
  'roundPrices',
  'emptyFormulas',
  'categoryId',
  'clearEmpty',
  'categoryMap',
  'locationMap',
  'createCategories',
  'createLocations',
] as const satisfies readonly (keyof MappingOptions)[]
export const OF_SUPPLIES: ReadonlySet<keyof MappingOptions> = new Set(SUPPLY_OPTIONS)
const Headings = Type.Array(AnyText(MAX_HEADING_TEXT), {
  minItems: 1,
  maxItems: MAX_COLUMNS,
  description: 'The headers of the file, as `columns` of a dry run has them. Files with the same ones find the mapping',
  examples: [['Asset Tag', 'Model']],
})

export const CreateMapping = Model('CreateAssetImportMapping', {
  kind: Type.Optional({ ...Kind, default: 'ASSET' }),
  name: MappingName,
  headings: Headings,
  options: MappingOptions,
  orgId: Type.Optional(Nullable(Id)),
})
export type CreateMapping = Static<typeof CreateMapping>
export const UpdateMapping = Named(
  'UpdateAssetImportMapping',
  Type.Partial(
    Type.Object({
      name: { ...MappingName, examples: ['Monthly export of Snipe-IT'] },
      headings: Headings,
      options: MappingOptions,
      orgId: Nullable(Id),
    }),
  ),
)
export type UpdateMapping = Static<typeof UpdateMapping>

export const MappingView = Model('AssetImportMapping', {
  id: Id,
  orgId: Nullable(Id),
  kind: Kind,
  name: MappingName,
  headings: Type.Array(Text('Asset Tag')),
  options: MappingOptions,
  createdBy: Id,
  version: RowVersion,
  createdAt: Time,
  updatedAt: Time,
})
export type MappingView = Static<typeof MappingView>
export const MappingPage = PageOf(MappingView)
export const MappingsQuery = PageQuery({ kind: Type.Optional({ ...Kind, default: 'ASSET' }), orgId: Type.Optional(Id) })
