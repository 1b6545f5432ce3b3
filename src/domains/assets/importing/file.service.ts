/** The import of one file whose rows have been read: its columns, its check, and its write. */

import type { AppContext } from '#context'
import { ownerKey } from '#db/owner-key.ts'
import type { Db, Tx } from '#db/store.ts'
import { fieldSet } from '#domains/metadata/index.ts'
import type { Owner } from '#http/endpoint.ts'
import type { AppError, FieldProblem } from '#http/errors.ts'
import { MAX_ERRORS, noHeader, repeatedColumn, rowsHaveErrors, tooManyRows } from '#http/imports.ts'
import { invalid, InvalidRequest } from '#http/validate.ts'
import type { Locale } from '#lib/localized.ts'
import { pause } from '#lib/pause.ts'
import { textOf, wordKey } from '#lib/spreadsheets/cells.ts'
import { findHeader, type Header } from '#lib/spreadsheets/header.ts'
import { type Mapping, parseMapping } from '#lib/spreadsheets/mapping.ts'
import { placedProblem, type RowProblem, shownCell, shownProblem } from '#lib/spreadsheets/problems.ts'
import type { SheetFacts, SheetRow } from '#lib/spreadsheets/sheet.ts'
import { MINUTE, serverZone } from '#platform/clock.ts'
import type { ReadSheet } from '#platform/spreadsheets/port.ts'

import { type AssetChange, priceText } from '../register/register.rules.ts'
import { cellAt, CellReader, type RowOptions, type WordMaps } from './cells.service.ts'
import { CheckedRows } from './checked.service.ts'
import { firstRows, headOf, lastRow, rowsBelow } from './head.service.ts'
import { isKnownHeading, matchColumns } from './headings.rules.ts'
import * as errors from './importing.errors.ts'
import { type ImportAssets, type ImportResult, MAX_ROWS, MAX_WARNINGS, PREVIEW_ROWS } from './importing.model.ts'
import type { FileColumn, ImportColumn } from './importing.rules.ts'
import { headingsKey } from './mappings.service.ts'
import { mappingFor, savedHeadings } from './mappings.store.ts'
import { readMaps } from './maps.service.ts'
import { columnsOf, fieldsOf, Names } from './names.service.ts'
import { keyIn, type PreparedRow, RowReader } from './preparing.service.ts'
import { Survey } from './survey.rules.ts'
import { type ImportOfRows, writeRows, type Written } from './writing.service.ts'

/** A write of 100,000 rows takes less than a minute. */
const MAX_WRITE_MS = 5 * MINUTE

/** The refusal of a sheet without a column that its mode needs: the number of known assets, or the name of new ones. */
function missingColumn(columns: readonly FileColumn[], { mode, emptyNames }: ImportAssets): AppError | undefined {
  const has = (...keys: string[]) => columns.some(({ column }) => column !== undefined && keys.includes(column.key))
  if (mode === 'UPDATE') return has('assetNo') ? undefined : errors.noNumberColumn()
  if (has('name') || (mode !== 'CREATE' && has('assetNo'))) return undefined
  return emptyNames === 'MODEL' && has('model', 'category', 'assetNo') ? undefined : errors.noNameColumn()
}

/** The import of one file whose rows have been read. */
export class FileImport {
  /** Before the first row was checked. */
  #result: ImportResult

  private constructor(
    readonly ctx: AppContext,
    readonly owner: Owner,
    readonly input: ImportAssets,
    readonly rowsPath: string,
    readonly total: number,
    readonly header: Header,
    readonly columns: readonly FileColumn[],
    readonly progress: { processed: number },
    /** A dry run reports it with the columns, so that clients can map another one. */
    readonly missing: AppError | undefined,
    readonly maps: WordMaps,
    readonly fileName: string,
    savedMapping: ImportResult['savedMapping'],
    head: readonly SheetRow[],
    facts: SheetFacts,
  ) {
    this.#result = {
      ...EMPTY_RESULT,
      total,
      headerRow: header.row,
      headerRows: header.rows,
      encoding: facts.encoding ?? null,
      savedMapping,
      firstRows: firstRows(head),
      columns: columns.map(({ header: title, column, suggestion }) => ({
        header: title,
        key: column?.key ?? null,
        ...(suggestion !== undefined && { suggestion }),
        ambiguousDates: false,
        samples: [],
      })),
    }
  }

  /** Decides the columns. @throws AppError 400 */
  static async open(
    ctx: AppContext,
    owner: Owner,
    input: ImportAssets,
    rowsPath: string,
    read: ReadSheet,
    progress: { processed: number },
    fileName: string,
  ): Promise<FileImport> {
    const names = await columnsOf(ctx.db.read, owner)
    const mapping =
      input.mapping === undefined ? new Map<string, null>() : parseMapping(input.mapping, (key) => names.byKey.has(key))
    if ('en' in mapping) throw invalid('body.mapping', mapping.en, mapping.zh)
    if (input.encoding !== undefined && read.encoding === undefined) throw errors.onlyForCsv()
    const head = await headOf(rowsPath)
    const saved = new Set((await savedHeadings(ctx.db.read, ownerKey(owner), 'ASSET')).map(wordKey))
    const isKnown = (heading: string) =>
      isKnownHeading(names, mapping as Mapping, heading) || (heading.trim() !== '' && saved.has(wordKey(heading)))
    const header = findHeader(head, read.merges ?? [], isKnown, {
      row: input.headerRow,
      rows: input.headerRows as 1 | 2 | undefined,
    })
    if (header === undefined) throw head.length === 0 ? noHeader() : errors.noHeaderThere()
    const total = read.rows - head.filter(({ number }) => number <= lastRow(header)).length
    if (total > MAX_ROWS) throw tooManyRows(MAX_ROWS)
    const found = matchColumns(header.headings, names, mapping as Mapping)
    if ('repeated' in found) throw repeatedColumn(found.repeated)
    const missing = missingColumn(found, input)
    if (missing !== undefined && input.dryRun !== true) throw missing
    const maps = await readMaps(ctx, owner, input)
    const headings = headingsKey(header.headings.map(({ title }) => title))
    const savedMapping = await mappingFor(ctx.db.read, ownerKey(owner), 'ASSET', headings)
    return new FileImport(
      ctx,
      owner,
      input,
      rowsPath,
      total,
      header,
      found,
      progress,
      missing,
      maps,
      fileName,
      savedMapping ?? null,
      head,
      read,
    )
  }

  async answer(locale: Locale): Promise<ImportResult> {
    await this.#survey()
    if (this.missing !== undefined) {
      const message = this.missing.text[locale]
      const error = { row: this.header.row, column: null, value: null, message }
      return { ...this.#result, errors: [error], errorCount: 1 }
    }
    const result = await this.#check(locale)
    if (this.input.dryRun === true) return result
    if (result.errorCount > 0) throw this.#refusal(result)
    return { ...result, ...(await this.#write()) }
  }

  /** The result of an import that was refused. */
  failedWith(error: AppError, locale: Locale): ImportResult {
    if (this.#result.errorCount > 0) return this.#result
    const problems = error instanceof InvalidRequest ? error.problems : [{ path: 'rows', text: error.text }]
    const found = problems.map(({ path, text }) => ({ row: Number(path.split('.')[1] ?? 1), key: keyIn(path), text }))
    return { ...this.#result, ...this.#errorsOf(found, new Map(), locale), errorCount: found.length }
  }

  /** Reads all rows once, because only all of them show the decimal separator and the order of days. */
  async #survey(): Promise<void> {
    const survey = new Survey(this.columns)
    for await (const rows of this.#groups()) {
      survey.take(rows)
      await pause()
    }
    const { decimal = survey.decimal, dateOrder = 'YMD' } = this.input
    this.#dateOrders = survey.orders(dateOrder)
    this.#result = {
      ...this.#result,
      decimal,
      columns: this.#result.columns.map((column, at) => {
        const order = this.#dateOrders.get(at)
        return {
          ...column,
          ...(order !== undefined && order !== 'UNKNOWN' && { dateOrder: order }),
          ambiguousDates: survey.areAmbiguous(at),
          samples: [...survey.samples[at]!],
        }
      }),
    }
  }

  #dateOrders: RowOptions['dateOrders'] = new Map()

  get #options(): RowOptions {
    const { mode = 'UPSERT', clearEmpty = false, dateOrder = 'YMD', categoryId = null, ...input } = this.input
    return {
      mode,
      clearEmpty,
      categoryId,
      dateOrders: this.#dateOrders,
      dateOrder: dateOrder === 'AUTO' ? 'YMD' : dateOrder,
      decimal: this.#result.decimal,
      maps: this.maps,
      unknownCustodian: input.unknownCustodian ?? 'ERROR',
      matchSerial: input.matchSerial === true,
      namesFromModel: input.emptyNames === 'MODEL',
      roundPrices: input.roundPrices === true,
      zone: serverZone(),
      emptyFormulas: input.emptyFormulas === 'EMPTY',
      createCategories: input.createCategories === true,
      createLocations: input.createLocations === true,
      splitQuantity: input.splitQuantity === true,
    }
  }

  async #reader(db: Db | Tx): Promise<RowReader> {
    const { ctx, owner, columns } = this
    const names = await Names.load(ctx, db, owner)
    const fields = await fieldSet(db, await fieldsOf(db, owner))
    const cells = new CellReader(owner, columns, names, this.#options)
    return new RowReader(ctx, db, owner, fields, cells)
  }

  #groups(): AsyncGenerator<SheetRow[]> {
    return rowsBelow(this.rowsPath, this.header)
  }

  /** Reads all rows without writing anything. */
  async #check(locale: Locale): Promise<ImportResult> {
    const { ctx, owner } = this
    const fields = await fieldsOf(ctx.db.read, owner)
    const reader = await this.#reader(ctx.db.read)
    let checked = this.input.dryRun ? undefined : CheckedRows.forFile(ctx, owner, reader, fields)
    const { errors: none, preview, warnings } = this.#result
    const result = { ...this.#result, errors: [...none], preview: [...preview], warnings: [...warnings] }
    for await (const rows of this.#groups()) {
      const { items, problems, warnings: found } = await reader.prepare(rows)
      result.valid += items.length
      if (checked?.take(items) === false) checked = undefined
      for (const {
        imported: { action, pieces },
      } of items)
        result[COUNTERS[action]] += pieces
      result.errorCount += problems.length
      const byNumber = new Map(rows.map((row) => [row.number, row]))
      const left = MAX_ERRORS - result.errors.length
      if (left > 0) result.errors.push(...this.#errorsOf(problems.slice(0, left), byNumber, locale).errors)
      result.warningCount += found.length
      result.warnings.push(
        ...found
          .slice(0, MAX_WARNINGS - result.warnings.length)
          .map((warning) => this.#noteOf(warning, byNumber, locale)),
      )
      if (result.preview.length < PREVIEW_ROWS)
        result.preview.push(...items.slice(0, PREVIEW_ROWS - result.preview.length).map((item) => this.#preview(item)))
      await pause()
    }
    this.#missing = reader.cells.missing
    this.#checked = checked
    const { categories, locations } = reader.cells.names
    const unmatched = reader.cells.unmatched.all({ category: categories.paths, location: locations.paths })
    return (this.#result = { ...result, unmatched })
  }

  /** The paths of categories and locations that rows name and that do not exist. */
  #missing: ImportOfRows['missing'] = { categories: new Set(), locations: new Set() }
  #checked: CheckedRows | undefined
  readonly #problems: FieldProblem[] = []

  #errorsOf(problems: readonly RowProblem[], rows: ReadonlyMap<number, SheetRow>, locale: Locale) {
    return {
      errors: problems.map((problem) => {
        if (this.#problems.length < MAX_ERRORS) this.#problems.push(placedProblem(problem))
        return this.#noteOf(problem, rows, locale)
      }),
    }
  }

  /** An error or a warning as answers have it. */
  #noteOf(problem: RowProblem, rows: ReadonlyMap<number, SheetRow>, locale: Locale) {
    const columns = this.columns.map(({ header, column }) => ({ header, key: column?.key ?? null }))
    return shownProblem(problem, columns, rows, locale)
  }

  #refusal({ errorCount }: ImportResult): AppError {
    return rowsHaveErrors(errorCount, this.#problems)
  }

  #preview({ row, imported: { action, change }, values: fields }: PreparedRow): ImportResult['preview'][number] {
    const values = this.columns.flatMap(({ column }, i) => {
      const cell = cellAt(row, i, column?.key)
      if (column === undefined || cell === null || cell === '') return []
      const { key } = column
      const shown = typeof cell === 'object' ? textOf(cell) : cell
      const text = shownCell(row.cells[i])
      return [{ key, value: writtenValue(column, change, fields.get(key)) ?? shown, text }]
    })
    const seen = new Set(values.map(({ key }) => key))
    const derived = DERIVED.flatMap((key) =>
      change[key] && !seen.has(key) ? [{ key, value: change[key], text: '' }] : [],
    )
    return { row: row.number, action, values: [...values, ...derived] }
  }

  async #write(): Promise<Written> {
    const { ctx, owner } = this
    return writeRows(ctx, owner, {
      fileName: this.fileName,
      missing: this.#missing,
      checked: this.#checked,
      reader: (tx) => this.#reader(tx),
      groups: () => this.#groups(),
      maxMs: MAX_WRITE_MS,
      report: (rows) => void (this.progress.processed = rows),
    })
  }
}

export const EMPTY_RESULT = {
  valid: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  errors: [],
  errorCount: 0,
  warnings: [],
  warningCount: 0,
  headerRow: 1,
  headerRows: 1,
  encoding: null,
  decimal: 'POINT' as const,
  savedMapping: null,
  unmatched: { status: [], custodian: [], category: [], location: [] },
  firstRows: [],
  preview: [],
}
/** Columns that a row without a cell for them can get from others: from the model, from months, from a custodian who is not a member. */
const DERIVED = ['name', 'warrantyExpiry', 'remark'] as const
const COUNTERS = { CREATE: 'created', UPDATE: 'updated', UNCHANGED: 'unchanged' } as const

/** The value of a column as it will be written; undefined for things that are named by texts. */
function writtenValue({ key, field }: ImportColumn, change: AssetChange, value: unknown) {
  if (field !== undefined)
    return typeof value === 'object' ? undefined : (value as string | number | boolean | undefined)
  if (key === 'purchasePrice') return priceText(change.purchasePrice ?? null) ?? undefined
  const written = change[key as keyof AssetChange]
  return typeof written === 'string' || typeof written === 'number' ? written : undefined
}
