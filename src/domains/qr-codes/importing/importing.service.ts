/**
 * Imports of links from other services and from our own export. The file is read in a process of its own (platform/spreadsheets). Its rows
 * are checked in groups with pauses for other requests, then all of them are written in one write, or none.
 */

import { rm } from 'node:fs/promises'

import type { AppContext } from '#context'
import * as access from '#domains/access/index.ts'
import type { Caller, Owner } from '#http/endpoint.ts'
import type { ReceivedFile } from '#http/form.ts'
import { BYTES_PER_ROW, importPlaces, MAX_ERRORS, noFile, noHeader, readRows, rowsHaveErrors } from '#http/imports.ts'
import { noPermission } from '#http/permissions.ts'
import { MAX_WAIT_MS } from '#http/places.ts'
import { invalid, invalidAll } from '#http/validate.ts'
import { pause } from '#lib/pause.ts'
import { textOf } from '#lib/spreadsheets/cells.ts'
import { placedProblem } from '#lib/spreadsheets/problems.ts'
import type { SheetRow } from '#lib/spreadsheets/sheet.ts'
import { serverZone } from '#platform/clock.ts'
import { rowsIn } from '#platform/spreadsheets/index.ts'

import { categoryTree } from '../categories/categories.store.ts'
import { noSuchCategory } from '../codes/codes.errors.ts'
import { type Checked, RowChecker } from './checking.service.ts'
import { type Columns, columnsOf, mappingIn } from './columns.rules.ts'
import * as errors from './importing.errors.ts'
import {
  type CodesImported,
  type ImportCodes,
  MAX_COLUMNS,
  MAX_ROWS,
  PREVIEW_ROWS,
  type Source,
} from './importing.model.ts'
import { type RowProblem } from './rows.rules.ts'
import { requireRoom, writeRows } from './writing.service.ts'

/** All rows are in memory until they are written. 10,000 contents of the greatest length have 30 million characters. */
const MAX_CHARACTERS = 40_000_000
const LIMITS = { rows: MAX_ROWS + 1, columns: MAX_COLUMNS, characters: MAX_CHARACTERS }
const MAX_HEADER = 200

export async function importCodes(
  ctx: AppContext,
  owner: Owner,
  input: ImportCodes,
  file: ReceivedFile | undefined,
  caller: Caller,
): Promise<CodesImported> {
  if (file === undefined) throw noFile()
  const { userId, orgId } = owner
  // The endpoint asks for the permission to create.
  if (!(await access.can(ctx, userId, orgId === 0 ? 'APP' : 'ORG', orgId, 'qr_code:update'))) throw noPermission
  const { categoryId } = input
  const isOwn = async (id: number) => orgId === 0 && (await categoryTree.find(ctx.db.read, userId, id)) !== undefined
  if (categoryId !== undefined && !(await isOwn(categoryId))) throw invalidAll([noSuchCategory('body.categoryId')])
  const party = await access.partyOf(ctx, userId, caller)
  const rowsPath = await ctx.staging.newPath()
  const work = await importPlaces(ctx).openShared('imports', party, file.size / BYTES_PER_ROW)
  try {
    const read = await work.run(() => readRows(ctx, file, rowsPath, { limits: LIMITS, acceptsJson: true }), MAX_WAIT_MS)
    work.rows = Math.max(0, read - 1)
    return await work.run(() => run(ctx, owner, input, rowsPath, caller), MAX_WAIT_MS)
  } finally {
    await work.close()
    await rm(rowsPath, { force: true }).catch(() => undefined)
  }
}

async function run(
  ctx: AppContext,
  owner: Owner,
  input: ImportCodes,
  rowsPath: string,
  caller: Caller,
): Promise<CodesImported> {
  const groups = rowsIn(rowsPath)
  const first = (await groups.next()).value
  const header = first?.[0]
  if (header === undefined) throw noHeader()
  const columns = headerColumns(header, input)
  const { mode = 'CREATE', clearEmpty = false, keepSlugs = true } = input
  const options = { mode, clearEmpty, keepSlugs, zone: serverZone(), categoryId: input.categoryId ?? null }
  const checker = await RowChecker.open(ctx, owner, columns, options)
  const checked: Checked[] = []
  const problems: RowProblem[] = []
  const take = async (rows: readonly SheetRow[]) => {
    const group = await checker.check(rows)
    checked.push(...group.items)
    problems.push(...group.problems)
  }
  await take(first!.slice(1))
  for await (const rows of groups) {
    await pause()
    await take(rows)
  }
  const unreadable = await checker.unreadable()
  problems.push(...unreadable)
  const failed = new Set(unreadable.map(({ row }) => row))
  const items = checked.filter(({ row }) => !failed.has(row))
  const result: CodesImported = {
    source: columns.source,
    total: checker.total,
    valid: items.length,
    ...countsOf(items),
    errors: problems.slice(0, MAX_ERRORS).map(({ row, key, text }) => ({
      row,
      column: headerOf(columns, key),
      message: text[caller.locale],
    })),
    ignoredColumns: [...columns.ignored],
    preview: items.slice(0, PREVIEW_ROWS).map(({ row, action, shown }) => ({ row, action, ...shown })),
  }
  if (input.dryRun === true) {
    if (problems.length === 0) await requireRoom(ctx, owner, result.created)
    return result
  }
  if (problems.length > 0) throw rowsHaveErrors(problems.length, problems.slice(0, MAX_ERRORS).map(placedProblem))
  await writeRows(ctx, owner, await checker.withDesigns(items), { keepSlugs, caller })
  return result
}

const countsOf = (items: readonly Checked[]) => {
  const count = (action: Checked['action']) => items.filter((item) => item.action === action).length
  return { created: count('CREATE'), updated: count('UPDATE'), unchanged: count('UNCHANGED') }
}

/** @throws AppError 400 */
function headerColumns(header: SheetRow, input: ImportCodes): Columns {
  const mapping = input.mapping === undefined ? new Map<string, null>() : mappingIn(input.mapping)
  if ('en' in mapping) throw invalid('body.mapping', mapping.en, mapping.zh)
  const { source = 'AUTO', mode = 'CREATE' } = input
  const headers = header.cells.map((cell) => textOf(cell).slice(0, MAX_HEADER))
  const columns = columnsOf(headers, mapping, source === 'AUTO' ? undefined : (source satisfies Source))
  const isFound = (['slug', 'shortUrl', 'uuid', 'publicUrl', 'id'] as const).some((key) => columns.at.has(key))
  if (mode === 'UPDATE' ? !isFound : !columns.at.has('target') && !(mode === 'UPSERT' && isFound))
    throw mode === 'UPDATE' ? errors.noIdentityColumn() : errors.noTargetColumn()
  return columns
}

const headerOf = ({ at, headers }: Columns, key: RowProblem['key']): string | null => {
  const first = key === null ? undefined : at.get(key)?.[0]
  return first === undefined ? null : headers[first]!
}
