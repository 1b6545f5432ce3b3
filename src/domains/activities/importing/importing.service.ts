/**
 * Imports of participants from spreadsheets. The file is read in a process of its own (platform/spreadsheets). Its rows are checked with
 * pauses for other requests, then all of them are written in one write, or none.
 */

import { rm } from 'node:fs/promises'

import type { AppContext } from '#context'
import * as access from '#domains/access/index.ts'
import type { Caller } from '#http/endpoint.ts'
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
import { MAX_WAIT_MS } from '#http/places.ts'
import { invalid } from '#http/validate.ts'
import type { Locale } from '#lib/localized.ts'
import { pause } from '#lib/pause.ts'
import { findHeader, HEAD_ROWS } from '#lib/spreadsheets/header.ts'
import { placedProblem, shownCell, shownProblem } from '#lib/spreadsheets/problems.ts'
import type { SheetRow } from '#lib/spreadsheets/sheet.ts'
import { rowsIn } from '#platform/spreadsheets/index.ts'

import type { ActivityRow } from '../activities.store.ts'
import { checkOpen } from '../additions/entries.service.ts'
import { entryAllowance } from '../additions/entry-mails.service.ts'
import { type Asking, manageActivity, MANAGER_POINT, refuseIfDisabled } from '../visibility/visibility.service.ts'
import { type FileColumn, headingsKnownTo, mappingIn, matchColumns } from './columns.rules.ts'
import * as errors from './importing.errors.ts'
import {
  type ImportParticipants,
  MAX_COLUMNS,
  MAX_ROWS,
  type ParticipantsImported,
  PREVIEW_ROWS,
} from './importing.model.ts'
import { type GivenRow, planRows, readRow } from './rows.rules.ts'
import { countsOf, factsOf, writeRows } from './writing.service.ts'

/** All rows are in memory until they are written. 5,000 rows with five answers of the greatest length have 25 million characters. */
const MAX_CHARACTERS = 40_000_000
const LIMITS = { rows: MAX_ROWS + 1, columns: MAX_COLUMNS, characters: MAX_CHARACTERS }

export async function importParticipants(
  ctx: AppContext,
  activityId: number,
  input: ImportParticipants,
  file: ReceivedFile | undefined,
  asking: Asking,
  caller: Caller,
): Promise<ParticipantsImported> {
  const activity = await manageActivity(ctx, activityId, MANAGER_POINT, asking)
  refuseIfDisabled(activity)
  checkOpen(activity)
  if (file === undefined) throw noFile()
  const party = await access.partyOf(ctx, asking.viewer.userId, caller)
  const rowsPath = await ctx.staging.newPath()
  const work = await importPlaces(ctx).openShared('imports', party, file.size / BYTES_PER_ROW)
  try {
    const read = await work.run(() => readRows(ctx, file, rowsPath, { limits: LIMITS }), MAX_WAIT_MS)
    work.rows = Math.max(0, read - 1)
    const questions = activity.registration?.questions ?? []
    return await work.run(async () => {
      const table = await tableOf(rowsPath, input, questions)
      return run(ctx, activity, input, table, caller.locale)
    }, MAX_WAIT_MS)
  } finally {
    await work.close()
    await rm(rowsPath, { force: true }).catch(() => undefined)
  }
}

interface ImportTable {
  readonly header: number
  readonly columns: readonly FileColumn[]
  /** Those below the header. */
  readonly rows: ReadonlyMap<number, SheetRow>
}

/** @throws AppError 400 */
async function tableOf(
  rowsPath: string,
  input: ImportParticipants,
  questions: Parameters<typeof mappingIn>[1],
): Promise<ImportTable> {
  const mapping = input.mapping === undefined ? new Map<string, null>() : mappingIn(input.mapping, questions)
  if ('en' in mapping) throw invalid('body.mapping', mapping.en, mapping.zh)
  const all: SheetRow[] = []
  for await (const rows of rowsIn(rowsPath)) all.push(...rows)
  const header = findHeader(all.slice(0, HEAD_ROWS), [], headingsKnownTo(questions, mapping))
  if (header === undefined) throw noHeader()
  const titles = header.headings.map(({ title }) => title)
  const columns = matchColumns(titles, questions, mapping)
  if ('repeated' in columns) throw repeatedColumn(columns.repeated)
  const below = all.filter(({ number }) => number > header.row)
  return { header: header.row, columns, rows: new Map(below.map((row) => [row.number, row])) }
}

/** Rows that are read between two pauses. */
const GROUP = 100
const NOTHING = { valid: 0, created: 0, updated: 0, unchanged: 0, errors: [], errorCount: 0, preview: [] }

async function run(
  ctx: AppContext,
  activity: ActivityRow,
  { dryRun, overCapacity = false, notify = false }: ImportParticipants,
  { header, columns, rows }: ImportTable,
  locale: Locale,
): Promise<ParticipantsImported> {
  const result: ParticipantsImported = {
    ...NOTHING,
    total: rows.size,
    columns: columns.map((column) => ({ ...column })),
  }
  if (columns.every(({ key }) => key !== 'name' && key !== 'email')) {
    const missing = errors.noNameColumn()
    if (!dryRun) throw missing
    return {
      ...result,
      errors: [{ row: header, column: null, value: null, message: missing.text[locale] }],
      errorCount: 1,
    }
  }
  const given: GivenRow[] = []
  for (const row of rows.values()) {
    given.push(readRow(row, columns))
    if (given.length % GROUP === 0) await pause()
  }
  const { items, problems } = planRows(given, await factsOf(ctx.db.read, activity.id, given, overCapacity))
  if (!dryRun) {
    if (problems.length > 0) throw rowsHaveErrors(problems.length, problems.slice(0, MAX_ERRORS).map(placedProblem))
    const mails = notify ? await entryAllowance(ctx, activity) : undefined
    Object.assign(result, await writeRows(ctx, activity.id, given, { overCapacity, notify, mails }))
  } else Object.assign(result, countsOf(items))
  const shown = (row: number) =>
    columns.flatMap(({ key }, at) => {
      const value = key === null ? '' : shownCell(rows.get(row)!.cells[at])
      return key === null || value === '' ? [] : [{ key, value }]
    })
  return {
    ...result,
    valid: items.length,
    errors: problems.slice(0, MAX_ERRORS).map((one) => shownProblem(one, columns, rows, locale)),
    errorCount: problems.length,
    preview: items.slice(0, PREVIEW_ROWS).map(({ row, action }) => ({ row, action, values: shown(row) })),
  }
}
