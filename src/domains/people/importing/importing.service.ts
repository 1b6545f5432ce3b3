/**
 * Imports of users from spreadsheets. The file is read in a process of its own (platform/spreadsheets). Its rows are checked with pauses for other
 * requests, then all of them are written, or none (writing.service.ts).
 */

import { rm } from 'node:fs/promises'

import type { AppContext } from '#context'
import * as access from '#domains/access/index.ts'
import { normalizePhone } from '#domains/accounts/index.ts'
import type { Caller, LoggedActor } from '#http/endpoint.ts'
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
import { notForApiKeys } from '#http/key-access.ts'
import { MAX_WAIT_MS } from '#http/places.ts'
import { invalid } from '#http/validate.ts'
import type { Locale } from '#lib/localized.ts'
import { restingPause } from '#lib/pause.ts'
import { findHeader, HEAD_ROWS } from '#lib/spreadsheets/header.ts'
import { placedProblem, shownCell, shownProblem } from '#lib/spreadsheets/problems.ts'
import type { SheetRow } from '#lib/spreadsheets/sheet.ts'
import { rowsIn } from '#platform/spreadsheets/index.ts'

import { type FileColumn, headingsKnownTo, mappingIn, matchColumns } from './columns.rules.ts'
import { noUsernameColumn } from './importing.errors.ts'
import { type ImportUsers, MAX_COLUMNS, MAX_ROWS, PREVIEW_ROWS, type UsersImported } from './importing.model.ts'
import { type GivenRow, GROUP, planRows, readRow } from './rows.rules.ts'
import { countsOf, factsOf, mailAllowance, writeRows } from './writing.service.ts'

/** All rows are in memory until they are written. */
const LIMITS = { rows: MAX_ROWS + 1, columns: MAX_COLUMNS, characters: 10_000_000 }

/** @throws AppError 400, 403, 415, 429 */
export async function importUsers(
  ctx: AppContext,
  actor: LoggedActor,
  input: ImportUsers,
  file: ReceivedFile | undefined,
  caller: Caller,
): Promise<UsersImported> {
  if (file === undefined) throw noFile()
  // Its caller would get the codes with which passwords are set. No key makes a password.
  if (actor.key !== undefined && (input.way ?? 'START_CODE') === 'START_CODE') throw notForApiKeys
  if (input.way === 'INVITE') mailAllowance(ctx)
  const party = await access.partyOf(ctx, actor.userId, caller)
  const rowsPath = await ctx.staging.newPath()
  const work = await importPlaces(ctx).openShared('imports', party, file.size / BYTES_PER_ROW)
  try {
    const read = await work.run(() => readRows(ctx, file, rowsPath, { limits: LIMITS }), MAX_WAIT_MS)
    work.rows = Math.max(0, read - 1)
    return await work.run(
      async () => run(ctx, actor, input, await tableOf(rowsPath, input), caller.locale),
      MAX_WAIT_MS,
    )
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
async function tableOf(rowsPath: string, input: ImportUsers): Promise<ImportTable> {
  const mapping = input.mapping ? mappingIn(input.mapping) : new Map<string, null>()
  if ('en' in mapping) throw invalid('body.mapping', mapping.en, mapping.zh)
  const all: SheetRow[] = []
  const pause = restingPause()
  for await (const rows of rowsIn(rowsPath)) {
    all.push(...rows)
    await pause()
  }
  const header = findHeader(all.slice(0, HEAD_ROWS), [], headingsKnownTo(mapping))
  if (header === undefined) throw noHeader()
  const columns = matchColumns(
    header.headings.map(({ title }) => title),
    mapping,
  )
  if ('repeated' in columns) throw repeatedColumn(columns.repeated)
  const below = all.filter(({ number }) => number > header.row)
  return { header: header.row, columns, rows: new Map(below.map((row) => [row.number, row])) }
}

const NOTHING = {
  valid: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  errors: [],
  errorCount: 0,
  preview: [],
  sheetUrl: null,
}

async function run(
  ctx: AppContext,
  actor: LoggedActor,
  input: ImportUsers,
  { header, columns, rows }: ImportTable,
  locale: Locale,
): Promise<UsersImported> {
  const result: UsersImported = { ...NOTHING, total: rows.size, columns: columns.map((column) => ({ ...column })) }
  if (columns.every(({ key }) => key !== 'username')) {
    const missing = noUsernameColumn()
    if (!input.dryRun) throw missing
    await nothingWritten(actor)
    const error = { row: header, column: null, value: null, message: missing.text[locale] }
    return { ...result, errors: [error], errorCount: 1 }
  }
  const given: GivenRow[] = []
  const pause = restingPause()
  for (const row of rows.values()) {
    given.push(await readRow(row, columns, input.way ?? 'START_CODE', normalizePhone))
    if (given.length % GROUP === 0) await pause()
  }
  const facts = await factsOf(ctx, ctx.db.read, actor, given, input)
  const { items, problems } = await planRows(given, input.mode ?? 'CREATE', facts, pause)
  if (input.dryRun) await nothingWritten(actor)
  else if (problems.length > 0) throw rowsHaveErrors(problems.length, problems.slice(0, MAX_ERRORS).map(placedProblem))
  const written = input.dryRun ? countsOf(items) : await writeRows({ ctx, actor, rows: given, input, locale })
  const shown = (row: number) =>
    columns.flatMap(({ key }, at) => {
      const value = key === null ? '' : shownCell(rows.get(row)!.cells[at])
      return key === null || value === '' ? [] : [{ key, value }]
    })
  return {
    ...result,
    ...written,
    valid: items.length,
    errors: problems.slice(0, MAX_ERRORS).map((one) => shownProblem(one, columns, rows, locale)),
    errorCount: problems.length,
    preview: items.slice(0, PREVIEW_ROWS).map(({ given: { row }, action }) => ({ row, action, values: shown(row) })),
  }
}

/** Leaves no row in the operation log. */
const nothingWritten = (actor: LoggedActor): Promise<void> =>
  actor.write('people.checkImport', async () => ({ result: undefined, logged: 'unchanged' }))
