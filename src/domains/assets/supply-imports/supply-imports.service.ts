/**
 * Imports of supplies from spreadsheets, with the readers of imports of assets. The rows are checked in groups with pauses for other requests, then
 * all of them are written in one write, or none. The stock that a row names is booked as a count.
 */

import type { AppContext } from '#context'
import { spend } from '#db/counters.ts'
import { ownerKey } from '#db/owner-key.ts'
import type { Db, Tx } from '#db/store.ts'
import { type BudgetUse, budgetUsedUp, usesOf } from '#http/budget.ts'
import type { Caller, Owner } from '#http/endpoint.ts'
import { type AppError, badRequest, type FieldProblem } from '#http/errors.ts'
import type { ReceivedFile } from '#http/form.ts'
import { MAX_ERRORS, noHeader, repeatedColumn, rowsHaveErrors, tooManyRows } from '#http/imports.ts'
import { invalid, InvalidRequest } from '#http/validate.ts'
import type { Locale } from '#lib/localized.ts'
import { pause } from '#lib/pause.ts'
import { textOf, wordKey } from '#lib/spreadsheets/cells.ts'
import { findHeader, type Header } from '#lib/spreadsheets/header.ts'
import type { Mapping } from '#lib/spreadsheets/mapping.ts'
import { placedProblem, type RowProblem, shownCell, shownProblem } from '#lib/spreadsheets/problems.ts'
import type { SheetRow } from '#lib/spreadsheets/sheet.ts'
import { MINUTE } from '#platform/clock.ts'
import type { ReadSheet } from '#platform/spreadsheets/port.ts'

import { createMissing } from '../importing/creating.service.ts'
import { charactersIn, firstRows, headOf, lastRow, MAX_KEPT_CHARACTERS, rowsBelow } from '../importing/head.service.ts'
import { noHeaderThere, onlyForCsv } from '../importing/importing.errors.ts'
import { MAX_WARNINGS, PREVIEW_ROWS } from '../importing/importing.model.ts'
import { getJob, importFile, type OpenImport, type Progress } from '../importing/jobs.service.ts'
import { headingsKey, withMapping } from '../importing/mappings.service.ts'
import { mappingFor, savedHeadings } from '../importing/mappings.store.ts'
import { readMaps } from '../importing/maps.service.ts'
import { Names } from '../importing/names.service.ts'
import { type Decimal, decimalIn } from '../importing/values.rules.ts'
import { priceText } from '../register/register.rules.ts'
import { ORG_MOVEMENTS, OWN_MOVEMENTS } from '../supplies/movements.model.ts'
import type { SupplyColumn } from '../supplies/sheets.rules.ts'
import { UNITS } from '../supplies/supplies.model.ts'
import { type PreparedRow, type RowOptions, RowReader } from './reading.service.ts'
import {
  type ImportSupplies,
  MAX_ROWS,
  type SupplyImportAnswer,
  type SupplyImportJob,
  type SupplyImportResult,
} from './supply-imports.model.ts'
import { type FileColumn, isKnownHeading, mappingIn, matchColumns, quantityIn } from './supply-imports.rules.ts'
import { placedRows, preparedRows, writeRows } from './writing.service.ts'

const MAX_WRITE_MS = 5 * MINUTE
const SAMPLES = 3
const MAX_SAMPLE = 60

const noNameColumn = () =>
  badRequest(
    'The sheet has no column for the name, which new supplies need: choose which of its columns is the name',
    '表格缺少名称列，无法新增物料，请选择哪一列是名称',
  )
const noNumberColumn = () =>
  badRequest(
    'The sheet has no column for the number, by which supplies are updated: choose which of its columns is the number',
    '表格缺少编号列，无法更新物料，请选择哪一列是编号',
  )

/** @throws AppError 400, 403, 404, 415 or 429 */
export async function importSupplies(
  ctx: AppContext,
  owner: Owner,
  given: ImportSupplies,
  file: ReceivedFile | undefined,
  caller: Caller,
): Promise<SupplyImportAnswer> {
  const input = await withMapping(ctx, owner, 'SUPPLY', given)
  return importFile<SupplyImportResult>(ctx, owner, {
    kind: 'SUPPLY',
    input,
    file,
    caller,
    maxRows: MAX_ROWS,
    open: async (rowsPath, read, progress) => {
      const budget = owner.orgId === 0 ? OWN_MOVEMENTS : ORG_MOVEMENTS
      const uses = await usesOf(ctx, budget, { actor: owner, caller, orgId: owner.orgId }, read.rows)
      const run = new SupplyFile(ctx, owner, input, rowsPath, read, file!.name, caller.locale, uses, progress)
      await run.open()
      return run
    },
  })
}

/** @throws AppError 404 */
export async function getSupplyImport(ctx: AppContext, userId: number, id: string): Promise<SupplyImportJob> {
  const { result, ...job } = await getJob(ctx, userId, 'SUPPLY', id)
  return { ...job, result: result as SupplyImportResult | null }
}

class SupplyFile implements OpenImport<SupplyImportResult> {
  #header!: Header
  #columns: readonly FileColumn[] = []
  #options!: RowOptions
  /** Incomplete until the rows have been checked. */
  #result!: SupplyImportResult
  /** A dry run reports it with the columns, so that clients can map another one. */
  #missingKey: AppError | undefined
  /** The reader that has checked the rows, with the names that it knows. */
  #checker!: RowReader
  /** Undefined if they are too long to be kept in memory. */
  #checked: PreparedRow[] | undefined
  #characters = 0

  constructor(
    readonly ctx: AppContext,
    readonly owner: Owner,
    readonly input: ImportSupplies,
    readonly rowsPath: string,
    readonly read: ReadSheet,
    readonly fileName: string,
    readonly locale: Locale,
    readonly uses: readonly BudgetUse[],
    readonly progress: Progress,
  ) {}

  get total(): number {
    return this.#result.total
  }

  /** Decides the columns. @throws AppError 400 */
  async open(): Promise<void> {
    const { ctx, owner, input } = this
    const head = await headOf(this.rowsPath)
    await this.#findColumns(head)
    this.#missingKey = this.#missingColumn()
    if (this.#missingKey !== undefined && input.dryRun !== true) throw this.#missingKey
    const total = this.read.rows - head.filter(({ number }) => number <= lastRow(this.#header)).length
    if (total > MAX_ROWS) throw tooManyRows(MAX_ROWS)
    const maps = await readMaps(ctx, owner, {
      ...(input.categoryMap !== undefined && { categoryMap: input.categoryMap }),
      ...(input.locationMap !== undefined && { locationMap: input.locationMap }),
    })
    this.#options = {
      mode: input.mode ?? 'UPSERT',
      clearEmpty: input.clearEmpty === true,
      decimal: input.decimal ?? 'POINT',
      roundPrices: input.roundPrices === true,
      emptyFormulas: input.emptyFormulas === 'EMPTY',
      categoryId: input.categoryId ?? null,
      unit: UNITS[this.locale],
      categoryMap: maps.category,
      locationMap: maps.location,
      createCategories: input.createCategories === true,
      createLocations: input.createLocations === true,
    }
    const headings = headingsKey(this.#columns.map(({ header }) => header))
    this.#result = {
      total,
      valid: 0,
      created: 0,
      updated: 0,
      unchanged: 0,
      errors: [],
      errorCount: 0,
      warnings: [],
      warningCount: 0,
      headerRow: this.#header.row,
      headerRows: this.#header.rows,
      encoding: this.read.encoding ?? null,
      decimal: this.#options.decimal,
      savedMapping: (await mappingFor(ctx.db.read, ownerKey(owner), 'SUPPLY', headings)) ?? null,
      firstRows: firstRows(head),
      columns: this.#columns.map((column) => ({ ...column, samples: [] })),
      unmatched: { category: [], location: [] },
      preview: [],
    }
  }

  async answer(): Promise<SupplyImportResult> {
    const { input } = this
    const { samples, decimal } = await this.#survey()
    if (input.decimal === undefined) this.#options = { ...this.#options, decimal }
    const result = this.#result
    result.decimal = this.#options.decimal
    for (const [i, column] of result.columns.entries()) column.samples = samples[i]!
    if (this.#missingKey !== undefined) {
      const { text } = this.#missingKey
      return {
        ...result,
        errors: [{ row: result.headerRow, column: null, value: null, message: text[this.locale] }],
        errorCount: 1,
      }
    }
    const problems = await this.#check(result)
    if (input.dryRun === true) return result
    if (result.errorCount > 0) throw rowsHaveErrors(result.errorCount, problems)
    return { ...result, importId: await this.#write(result) }
  }

  failedWith(error: AppError): SupplyImportResult {
    if (this.#result.errorCount > 0) return this.#result
    const problems = error instanceof InvalidRequest ? error.problems : [{ path: 'rows', text: error.text }]
    const errors = problems.map(({ path, text }) => {
      const [, row, key] = path.split('.')
      return this.#noteOf({ row: Number(row ?? 1), key: key ?? null, text }, new Map())
    })
    return { ...this.#result, errors, errorCount: errors.length }
  }

  async #findColumns(head: readonly SheetRow[]): Promise<void> {
    const { ctx, owner, input, read } = this
    const mapping = input.mapping === undefined ? new Map<string, null>() : mappingIn(input.mapping)
    if ('en' in mapping) throw invalid('body.mapping', mapping.en, mapping.zh)
    if (input.encoding !== undefined && read.encoding === undefined) throw onlyForCsv()
    const saved = new Set((await savedHeadings(ctx.db.read, ownerKey(owner), 'SUPPLY')).map(wordKey))
    const isKnown = (heading: string) =>
      isKnownHeading(heading, mapping as Mapping<SupplyColumn>) ||
      (heading.trim() !== '' && saved.has(wordKey(heading)))
    const header = findHeader(head, read.merges ?? [], isKnown, {
      row: input.headerRow,
      rows: input.headerRows as 1 | 2 | undefined,
    })
    if (header === undefined) throw head.length === 0 ? noHeader() : noHeaderThere()
    const found = matchColumns(header.headings, mapping as Mapping<SupplyColumn>)
    if ('repeated' in found) throw repeatedColumn(found.repeated)
    this.#header = header
    this.#columns = found
  }

  #missingColumn() {
    const has = (key: string) => this.#columns.some((column) => column.key === key)
    if (this.input.mode === 'UPDATE') return has('supplyNo') ? undefined : noNumberColumn()
    return has('name') || (this.input.mode !== 'CREATE' && has('supplyNo')) ? undefined : noNameColumn()
  }

  /** The first texts of each column, and the decimal separator, which only all rows show. */
  async #survey(): Promise<{ samples: string[][]; decimal: Decimal }> {
    const samples = this.#columns.map((): string[] => [])
    const decimals = new Set<Decimal>()
    const price = this.#columns.findIndex(({ key }) => key === 'price')
    for await (const rows of this.#groups()) {
      for (const { cells } of rows) {
        for (const [i, some] of samples.entries()) {
          const shown = some.length < SAMPLES ? textOf(cells[i] ?? null) : ''
          if (shown !== '') some.push(shown.slice(0, MAX_SAMPLE))
        }
        const cell = price < 0 ? null : cells[price]
        const proved = typeof cell === 'string' ? decimalIn(cell) : undefined
        if (proved !== undefined) decimals.add(proved)
      }
      await pause()
    }
    return { samples, decimal: decimals.size === 1 && decimals.has('COMMA') ? 'COMMA' : 'POINT' }
  }

  #groups(): AsyncGenerator<SheetRow[]> {
    return rowsBelow(this.rowsPath, this.#header)
  }

  async #reader(db: Db | Tx): Promise<RowReader> {
    return new RowReader(db, this.owner, this.#columns, await Names.load(this.ctx, db, this.owner), this.#options)
  }

  /** Reads all rows without writing anything. Returns the problems as errors of requests have them. */
  async #check(result: SupplyImportResult): Promise<FieldProblem[]> {
    const reader = (this.#checker = await this.#reader(this.ctx.db.read))
    const found: FieldProblem[] = []
    for await (const rows of this.#groups()) {
      const { items, problems, warnings } = await reader.prepare(rows)
      result.valid += items.length
      for (const { action } of items) result[COUNTERS[action]] += 1
      this.#keep(items)
      const byNumber = new Map(rows.map((row) => [row.number, row]))
      const note = (one: RowProblem) => this.#noteOf(one, byNumber)
      result.errorCount += problems.length
      const shown = problems.slice(0, MAX_ERRORS - result.errors.length)
      result.errors.push(...shown.map(note))
      found.push(...shown.map(placedProblem))
      result.warningCount += warnings.length
      result.warnings.push(...warnings.slice(0, MAX_WARNINGS - result.warnings.length).map(note))
      for (const item of items.slice(0, PREVIEW_ROWS - result.preview.length))
        result.preview.push({ row: item.row.number, action: item.action, values: this.#valuesOf(item) })
      await pause()
    }
    const { categories, locations } = reader.names
    const { category, location } = reader.unmatched.all({ category: categories.paths, location: locations.paths })
    result.unmatched = { category, location }
    return found
  }

  /** Keeps rows for the write, without their cells, which only the preview shows. */
  #keep(items: readonly PreparedRow[]): void {
    this.#characters += charactersIn(items.map(({ row }) => row))
    const isKept = this.input.dryRun !== true && this.#characters <= MAX_KEPT_CHARACTERS
    if (!isKept) this.#checked = undefined
    else (this.#checked ??= []).push(...items.map((item) => ({ ...item, row: { number: item.row.number, cells: [] } })))
  }

  /** The filled cells of a row. Numbers as they will be written, because their texts depend on the decimal separator. */
  #valuesOf({ row, change }: PreparedRow) {
    const { decimal } = this.#options
    return this.#columns.flatMap(({ key }, i) => {
      const cell = row.cells[i] ?? null
      if (key === null || cell === null || cell === '') return []
      const isQuantity = key === 'stock' || key === 'minimum'
      const number = isQuantity
        ? quantityIn(cell, decimal)
        : key === 'price'
          ? priceText(change.price ?? null)
          : undefined
      const value = number ?? (typeof cell === 'object' ? textOf(cell) : cell)
      return [{ key, value, text: shownCell(cell) }]
    })
  }

  /** An error or a warning as answers have it. */
  #noteOf(problem: RowProblem, rows: ReadonlyMap<number, SheetRow>) {
    return shownProblem(problem, this.#columns, rows, this.locale)
  }

  #write({ created, updated, unchanged }: SupplyImportResult): Promise<number> {
    const { ctx, owner, fileName } = this
    return ctx.db.write(
      'supplies.import',
      async (tx) => {
        const refusal = await spend(tx, this.uses, ctx.clock.now())
        if (refusal !== undefined) throw budgetUsedUp(refusal)
        const counts = { created, updated, unchanged }
        const checked = (await this.#checker.areCurrent(tx)) ? this.#checked : undefined
        const made = await createMissing(ctx, tx, owner, this.#checker.missing)
        const reader = await this.#reader(tx)
        const { unit } = this.#options
        const { numbers } = this.#checker
        // Others wait for the write, so it prepares the rows only if something has changed since they were checked.
        const items = checked === undefined ? preparedRows(reader, this.#groups()) : placedRows(checked, reader.names)
        const report = (rows: number) => void (this.progress.processed = rows)
        return writeRows(ctx, tx, owner, { items, numbers, unit, fileName, counts, made, report })
      },
      { maxMs: MAX_WRITE_MS },
    )
  }
}

const COUNTERS = { CREATE: 'created', UPDATE: 'updated', UNCHANGED: 'unchanged' } as const
