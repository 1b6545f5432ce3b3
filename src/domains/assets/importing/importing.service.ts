/**
 * Imports of assets from spreadsheets. The file is read in a process of its own (platform/spreadsheets). Its rows are checked in groups
 * with pauses for other requests, then all of them are written in one write, or none.
 */

import { rm } from 'node:fs/promises'

import { isShared } from '#config/config.ts'
import { type AppContext, perContext } from '#context'
import { outsideRequest } from '#db/around-writes.ts'
import { ownerKey } from '#db/owner-key.ts'
import { inSlices } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import { fieldSet, isEnabled, visibleFields } from '#domains/metadata/index.ts'
import type { Caller, Owner } from '#http/endpoint.ts'
import { AppError, type FieldProblem, notFound } from '#http/errors.ts'
import type { ReceivedFile } from '#http/form.ts'
import {
  BYTES_PER_ROW,
  importPlaces,
  MAX_ERRORS,
  noFile,
  noHeader,
  readRows,
  repeatedColumn,
  rowsHaveErrors,
} from '#http/imports.ts'
import { noPermission } from '#http/permissions.ts'
import { MAX_WAIT_MS, type Work } from '#http/places.ts'
import { invalid, InvalidRequest } from '#http/validate.ts'
import type { Locale } from '#lib/localized.ts'
import { pause } from '#lib/pause.ts'
import { textOf } from '#lib/spreadsheets/cells.ts'
import type { SheetRow } from '#lib/spreadsheets/sheet.ts'
import { DAY, MINUTE, SECOND, serverZone } from '#platform/clock.ts'
import { randomCode } from '#platform/ids.ts'
import { rowsIn } from '#platform/spreadsheets/index.ts'

import { assetCategoryTree } from '../categories/categories.store.ts'
import { columnsFor } from '../sheets.rules.ts'
import * as errors from './importing.errors.ts'
import {
  type ImportAnswer,
  type ImportAssets,
  type ImportJob,
  type ImportResult,
  MAX_COLUMNS,
  MAX_ROWS,
  PREVIEW_ROWS,
} from './importing.model.ts'
import { type FileColumn, type Mapping, matchColumns, parseMapping } from './importing.rules.ts'
import * as store from './importing.store.ts'
import { Names } from './names.service.ts'
import { keyIn, type PreparedRow, type RowOptions, type RowProblem, RowReader } from './preparing.service.ts'
import { writeRows, type Written } from './writing.service.ts'

const LIMITS = { rows: MAX_ROWS + 1, columns: MAX_COLUMNS }
/** Rows that are checked between two pauses, in some milliseconds. */
const GROUP = 25
/** A write of 100,000 rows takes less than a minute. */
const MAX_WRITE_MS = 5 * MINUTE
/** With several processes, each reports its imports so often, and one that has not reported for so long has died. */
const REPORT_EVERY_MS = 10 * SECOND
const ABANDONED_MS = 2 * MINUTE
/** Results of jobs are kept so long. */
const KEEP_MS = 7 * DAY
/** Characters of a cell in an error. */
const MAX_VALUE = 200

const JOB_ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'
const JOB_ID_LENGTH = 24

/** The users whose imports wait or run, with the rows that are written already. */
const importing = perContext(() => new Map<number, { jobId?: string; processed: number }>())

export async function importAssets(
  ctx: AppContext,
  owner: Owner,
  input: ImportAssets,
  file: ReceivedFile | undefined,
  caller: Caller,
): Promise<ImportAnswer> {
  const { locale } = caller
  if (file === undefined) throw noFile()
  await checkRequest(ctx, owner, input)
  const party = await access.partyOf(ctx, owner.userId, caller)
  const rowsPath = await ctx.staging.newPath()
  const work = await importPlaces(ctx).openShared('imports', party, file.size / BYTES_PER_ROW)
  const progress: { jobId?: string; processed: number } = { processed: 0 }
  importing(ctx).set(owner.userId, progress)
  let inBackground = false
  const end = async (): Promise<void> => {
    importing(ctx).delete(owner.userId)
    await work.close()
    await rm(rowsPath, { force: true }).catch(() => undefined)
  }
  try {
    const request = { limits: LIMITS, ...(input.sheet && { sheet: input.sheet }) }
    const read = await work.run(() => readRows(ctx, file, rowsPath, request), MAX_WAIT_MS)
    work.rows = Math.max(0, read - 1)
    const run = await FileImport.open(ctx, owner, input, rowsPath, work.rows, progress)
    if (input.async !== true || input.dryRun === true) return await work.run(() => run.answer(locale), MAX_WAIT_MS)
    const newId = randomCode(JOB_ALPHABET, JOB_ID_LENGTH)
    const jobId = await ctx.db.write('assets.startImport', async (tx) => {
      await store.insertJob(tx, {
        id: newId,
        owner: ownerKey(owner),
        userId: owner.userId,
        total: run.total,
        aliveAt: ctx.clock.now(),
      })
      return newId
    })
    // Of a request that is repeated after a crash, the job exists, and its import has ended.
    if (jobId !== newId) return { jobId }
    progress.jobId = jobId
    inBackground = true
    outsideRequest(() => void runJob(ctx, work, jobId, run, locale).finally(end))
    return { jobId }
  } finally {
    if (!inBackground) await end()
  }
}

/** @throws AppError 400 or 403 */
async function checkRequest(ctx: AppContext, owner: Owner, input: ImportAssets): Promise<void> {
  const { userId, orgId } = owner
  const mayCreate = () => access.can(ctx, userId, orgId === 0 ? 'APP' : 'ORG', orgId, 'asset_category:manage')
  if (input.createCategories === true && !(await mayCreate())) throw noPermission
  const { categoryId } = input
  if (categoryId === undefined) return
  if ((await assetCategoryTree.find(ctx.db.read, ownerKey(owner), categoryId)) === undefined)
    throw invalid('body.categoryId', 'refers to a category that does not exist', '分类不存在')
}

async function runJob(ctx: AppContext, work: Work, id: string, run: FileImport, locale: Locale): Promise<void> {
  const { userId } = work.party
  let end: Parameters<typeof store.endJob>[3] = { state: 'FAILED', processed: 0, result: null }
  const reporting = isShared(ctx.config) ? setInterval(() => report(ctx, userId, id, run), REPORT_EVERY_MS) : undefined
  try {
    const result = await work.run(async () => {
      await ctx.db.write('assets.runImport', (tx) => store.startJob(tx, userId, id))
      return run.answer(locale)
    })
    end = { state: 'DONE', processed: run.total, result }
  } catch (error) {
    if (error instanceof AppError) end = { ...end, result: run.failedWith(error, locale) }
    else ctx.log.error('an import failed', { error })
  } finally {
    clearInterval(reporting)
  }
  await ctx.db
    .write('assets.endImport', (tx) => store.endJob(tx, userId, id, end))
    .catch((error: unknown) => ctx.log.error('the result of an import could not be stored', { error }))
}

/** @throws AppError 404 */
export async function getJob(ctx: AppContext, userId: number, id: string): Promise<ImportJob> {
  const row = await store.findJob(ctx.db.read, userId, id)
  if (row === undefined) throw notFound()
  const running = importing(ctx).get(userId)
  const { state, total } = row
  const processed = running?.jobId === id && state !== 'DONE' ? running.processed : row.processed
  return { id, state, processed, total, result: row.result as ImportResult | null }
}

/** So that the other processes can show the progress, and notice if this one dies. */
function report(ctx: AppContext, userId: number, id: string, { progress }: FileImport): void {
  const state = { processed: progress.processed, aliveAt: ctx.clock.now() }
  ctx.db
    .write('assets.reportImport', (tx) => store.reportJob(tx, userId, id, state))
    .catch((error: unknown) => ctx.log.warn('the progress of an import could not be stored', { error }))
}

/** At the start, when the imports of an earlier process have ended with it. Other processes may be importing. */
export async function failEarlierJobs(ctx: AppContext): Promise<void> {
  if (isShared(ctx.config)) return failAbandonedJobs(ctx)
  await ctx.db.write('assets.failAbandonedImports', (tx) => store.failAbandoned(tx, Number.MAX_SAFE_INTEGER))
}

/** Fails the imports of processes that have died. A process without others does so when it starts again. */
export async function failAbandonedJobs(ctx: AppContext): Promise<void> {
  if (!isShared(ctx.config)) return
  const aliveSince = ctx.clock.now() - ABANDONED_MS
  await ctx.db.write('assets.failAbandonedImports', (tx) => store.failAbandoned(tx, aliveSince))
}

export const deleteOldJobs = (ctx: AppContext): Promise<void> =>
  inSlices(ctx, 'assets.deleteOldImports', (tx, limit) => store.deleteJobsBefore(tx, ctx.clock.now() - KEEP_MS, limit))

/** The refusal of a sheet without a column that its mode needs: the number of known assets, or the name of new ones. */
function missingColumn(columns: readonly FileColumn[], mode: ImportAssets['mode']): AppError | undefined {
  const has = (key: string) => columns.some(({ column }) => column?.key === key)
  if (mode === 'UPDATE') return has('assetNo') ? undefined : errors.noNumberColumn()
  return has('name') || (mode !== 'CREATE' && has('assetNo')) ? undefined : errors.noNameColumn()
}

/** The import of one file whose rows have been read. */
class FileImport {
  /** Before the first row was checked. */
  #result: ImportResult

  private constructor(
    readonly ctx: AppContext,
    readonly owner: Owner,
    readonly input: ImportAssets,
    readonly rowsPath: string,
    readonly total: number,
    readonly header: number,
    readonly columns: readonly FileColumn[],
    readonly progress: { processed: number },
    /** A dry run reports it with the columns, so that clients can map another one. */
    readonly missing: AppError | undefined,
  ) {
    this.#result = {
      ...EMPTY_RESULT,
      total,
      columns: columns.map(({ header: title, column, suggestion }) => ({
        header: title,
        key: column?.key ?? null,
        ...(suggestion !== undefined && { suggestion }),
      })),
    }
  }

  /** Decides the columns. @throws AppError 400 */
  static async open(
    ctx: AppContext,
    owner: Owner,
    input: ImportAssets,
    rowsPath: string,
    total: number,
    progress: { processed: number },
  ): Promise<FileImport> {
    const header = (await rowsIn(rowsPath).next()).value?.[0]
    if (header === undefined) throw noHeader()
    const titles = header.cells.map((cell) => textOf(cell).slice(0, MAX_VALUE))
    const columns = columnsFor(await fieldsOf(ctx.db.read, owner))
    const mapping = input.mapping === undefined ? new Map<string, null>() : parseMapping(input.mapping, columns)
    if ('en' in mapping) throw invalid('body.mapping', mapping.en, mapping.zh)
    const found = matchColumns(titles, columns, mapping as Mapping)
    if ('repeated' in found) throw repeatedColumn(found.repeated)
    const missing = missingColumn(found, input.mode)
    if (missing !== undefined && input.dryRun !== true) throw missing
    return new FileImport(ctx, owner, input, rowsPath, total, header.number, found, progress, missing)
  }

  async answer(locale: Locale): Promise<ImportResult> {
    if (this.missing !== undefined) {
      const message = this.missing.text[locale]
      const error = { row: this.header, column: null, value: null, message }
      return { ...this.#result, errors: [error], errorCount: 1 }
    }
    const result = await this.#check(locale)
    if (this.input.dryRun === true) return result
    if (result.errorCount > 0) throw this.#refusal(result)
    const { created, updated, unchanged } = await this.#write()
    return { ...result, created, updated, unchanged }
  }

  /** The result of an import that was refused. */
  failedWith(error: AppError, locale: Locale): ImportResult {
    if (this.#result.errorCount > 0) return this.#result
    const problems = error instanceof InvalidRequest ? error.problems : [{ path: 'rows', text: error.text }]
    const found = problems.map(({ path, text }) => ({ row: Number(path.split('.')[1] ?? 1), key: keyIn(path), text }))
    return { ...this.#result, ...this.#errorsOf(found, new Map(), locale), errorCount: found.length }
  }

  get #options(): RowOptions {
    const { mode = 'UPSERT', clearEmpty = false, dateOrder = 'YMD', categoryId = null } = this.input
    return { mode, clearEmpty, dateOrder, categoryId, zone: serverZone() }
  }

  async #reader(db: Db | Tx): Promise<RowReader> {
    const { ctx, owner, columns, input } = this
    const names = await Names.load(ctx, db, owner)
    const fields = await fieldSet(db, await fieldsOf(db, owner))
    return new RowReader(ctx, db, owner, columns, fields, names, this.#options, input.createCategories === true)
  }

  /** The rows below the header, in groups. */
  async *#groups(): AsyncGenerator<SheetRow[]> {
    for await (const rows of rowsIn(this.rowsPath)) {
      const below = rows.filter(({ number }) => number > this.header)
      for (let at = 0; at < below.length; at += GROUP) yield below.slice(at, at + GROUP)
    }
  }

  /** Reads all rows without writing anything. */
  async #check(locale: Locale): Promise<ImportResult> {
    const reader = await this.#reader(this.ctx.db.read)
    const result = { ...this.#result, errors: [...this.#result.errors], preview: [...this.#result.preview] }
    for await (const rows of this.#groups()) {
      const { items, problems } = await reader.prepare(rows)
      result.valid += items.length
      for (const { action } of items) result[COUNTERS[action]] += 1
      result.errorCount += problems.length
      const byNumber = new Map(rows.map((row) => [row.number, row]))
      const left = MAX_ERRORS - result.errors.length
      if (left > 0) result.errors.push(...this.#errorsOf(problems.slice(0, left), byNumber, locale).errors)
      if (result.preview.length < PREVIEW_ROWS)
        result.preview.push(...items.slice(0, PREVIEW_ROWS - result.preview.length).map((item) => this.#preview(item)))
      await pause()
    }
    this.#missing = reader.missingCategories
    return (this.#result = result)
  }

  /** The paths of categories that rows name and that do not exist. */
  #missing: ReadonlySet<string> = new Set()
  readonly #problems: FieldProblem[] = []

  #errorsOf(problems: readonly RowProblem[], rows: ReadonlyMap<number, SheetRow>, locale: Locale) {
    return {
      errors: problems.map(({ row, key, text }) => {
        if (this.#problems.length < MAX_ERRORS)
          this.#problems.push({ path: `rows.${row}${key === null ? '' : `.${key}`}`, text })
        const at = key === null ? -1 : this.columns.findIndex(({ column }) => column?.key === key)
        const cell = at < 0 ? null : (rows.get(row)?.cells[at] ?? null)
        return {
          row,
          column: at < 0 ? null : this.columns[at]!.header,
          value: cell === null ? null : textOf(cell).slice(0, MAX_VALUE),
          message: text[locale],
        }
      }),
    }
  }

  #refusal({ errorCount }: ImportResult): AppError {
    return rowsHaveErrors(errorCount, this.#problems)
  }

  #preview({ row, action }: PreparedRow): ImportResult['preview'][number] {
    const values = this.columns.flatMap(({ column }, i) => {
      const cell = row.cells[i] ?? null
      if (column === undefined || cell === null || cell === '') return []
      return [{ key: column.key, value: typeof cell === 'object' ? textOf(cell) : cell }]
    })
    return { row: row.number, action, values }
  }

  async #write(): Promise<Written> {
    const { ctx, owner } = this
    return writeRows(ctx, owner, {
      missingCategories: this.#missing,
      reader: (tx) => this.#reader(tx),
      groups: () => this.#groups(),
      maxMs: MAX_WRITE_MS,
      report: (rows) => void (this.progress.processed = rows),
    })
  }
}

const EMPTY_RESULT = { valid: 0, created: 0, updated: 0, unchanged: 0, errors: [], errorCount: 0, preview: [] }
const COUNTERS = { CREATE: 'created', UPDATE: 'updated', UNCHANGED: 'unchanged' } as const

const fieldsOf = async (db: Db | Tx, owner: Owner) =>
  (await isEnabled(db, 'asset')) ? visibleFields(db, 'asset', owner) : []
