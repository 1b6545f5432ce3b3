/**
 * Imports of files, in the request or in the background. The file is read in a process of its own (platform/spreadsheets). Its rows are checked in
 * groups with pauses for other requests, then all of them are written in one write, or none.
 */

import { rm } from 'node:fs/promises'

import { isShared } from '#config/config.ts'
import { type AppContext, perContext } from '#context'
import { outsideRequest } from '#db/around-writes.ts'
import { ownerKey } from '#db/owner-key.ts'
import type { ImportKind } from '#db/schema/asset-imports.ts'
import { inSlices } from '#db/slices.ts'
import { partyOf } from '#domains/access/index.ts'
import type { Caller, Owner } from '#http/endpoint.ts'
import { AppError, notFound } from '#http/errors.ts'
import type { ReceivedFile } from '#http/form.ts'
import { BYTES_PER_ROW, importPlaces, noFile, readTable } from '#http/imports.ts'
import { MAX_WAIT_MS, type Work } from '#http/places.ts'
import { DAY, MINUTE, SECOND } from '#platform/clock.ts'
import { randomCode } from '#platform/ids.ts'
import type { ReadSheet } from '#platform/spreadsheets/port.ts'

import { assetCategoryTree } from '../categories/categories.store.ts'
import { checkMayCreate } from './creating.service.ts'
import { noSuchCategory } from './importing.errors.ts'
import { type ImportAssets, MAX_COLUMNS, MAX_HEADER_ROW } from './importing.model.ts'
import * as store from './importing.store.ts'

/** With several processes, each reports its imports so often, and one that has not reported for so long has died. */
const REPORT_EVERY_MS = 10 * SECOND
const ABANDONED_MS = 2 * MINUTE
/** Results of jobs are kept so long. */
const KEEP_MS = 7 * DAY

const JOB_ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'
const JOB_ID_LENGTH = 24

/** The users whose imports wait or run, with the rows that are written already. */
const importing = perContext(() => new Map<number, Progress>())

/** Of an import: its job, if it is in the background, and the rows that are written. */
export interface Progress {
  jobId?: string
  processed: number
}

/** The import of one file whose rows have been read. */
export interface OpenImport<Result extends object> {
  /** Rows below the header. */
  readonly total: number
  answer(): Promise<Result>
  /** The result of an import that was refused. */
  failedWith(error: AppError): Result
}

interface Given<Result extends object> {
  readonly kind: ImportKind
  readonly input: Pick<
    ImportAssets,
    'sheet' | 'encoding' | 'async' | 'dryRun' | 'categoryId' | 'createCategories' | 'createLocations'
  >
  readonly file: ReceivedFile | undefined
  readonly caller: Caller
  /** Rows below the header. */
  readonly maxRows: number
  open(rowsPath: string, read: ReadSheet, progress: Progress): Promise<OpenImport<Result>>
}

/** The result, or the job that finds it. A user has one import at a time. @throws AppError 400, 403, 415 or 429 */
export async function importFile<Result extends object>(
  ctx: AppContext,
  owner: Owner,
  { kind, input, file, caller, maxRows, open }: Given<Result>,
): Promise<Result | { jobId: string }> {
  if (file === undefined) throw noFile()
  await checkMayCreate(ctx, owner, input)
  const { categoryId } = input
  if (categoryId !== undefined)
    if ((await assetCategoryTree.find(ctx.db.read, ownerKey(owner), categoryId)) === undefined)
      throw noSuchCategory('body.categoryId')
  const party = await partyOf(ctx, owner.userId, caller)
  const rowsPath = await ctx.staging.newPath()
  const work = await importPlaces(ctx).openShared('imports', party, file.size / BYTES_PER_ROW)
  const progress: Progress = { processed: 0 }
  importing(ctx).set(owner.userId, progress)
  let inBackground = false
  const end = async (): Promise<void> => {
    importing(ctx).delete(owner.userId)
    await work.close()
    await rm(rowsPath, { force: true }).catch(() => undefined)
  }
  try {
    const { sheet, encoding } = input
    const limits = { rows: maxRows + MAX_HEADER_ROW + 1, columns: MAX_COLUMNS }
    const request = { limits, marksFormulas: true, ...(sheet && { sheet }), ...(encoding && { encoding }) }
    const read = await work.run(() => readTable(ctx, file, rowsPath, request), MAX_WAIT_MS)
    const run = await open(rowsPath, read, progress)
    work.rows = run.total
    if (input.async !== true || input.dryRun === true) return await work.run(() => run.answer(), MAX_WAIT_MS)
    const newId = randomCode(JOB_ALPHABET, JOB_ID_LENGTH)
    const jobId = await ctx.db.write('assets.startImport', async (tx) => {
      await store.insertJob(tx, {
        id: newId,
        owner: ownerKey(owner),
        kind,
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
    outsideRequest(() => void runJob(ctx, work, jobId, run, progress).finally(end))
    return { jobId }
  } finally {
    if (!inBackground) await end()
  }
}

async function runJob(
  ctx: AppContext,
  work: Work,
  id: string,
  run: OpenImport<object>,
  progress: Progress,
): Promise<void> {
  const { userId } = work.party
  let end: Parameters<typeof store.endJob>[3] = { state: 'FAILED', processed: 0, result: null }
  const reporting = isShared(ctx.config)
    ? setInterval(() => report(ctx, userId, id, progress), REPORT_EVERY_MS)
    : undefined
  try {
    const result = await work.run(async () => {
      await ctx.db.write('assets.runImport', (tx) => store.startJob(tx, userId, id))
      return run.answer()
    })
    end = { state: 'DONE', processed: run.total, result }
  } catch (error) {
    if (error instanceof AppError) end = { ...end, result: run.failedWith(error) }
    else ctx.log.error('an import failed', { error })
  } finally {
    clearInterval(reporting)
  }
  await ctx.db
    .write('assets.endImport', (tx) => store.endJob(tx, userId, id, end))
    .catch((error: unknown) => ctx.log.error('the result of an import could not be stored', { error }))
}

/** The result is what an earlier version may have stored. @throws AppError 404 */
export async function getJob(ctx: AppContext, userId: number, kind: ImportKind, id: string) {
  const row = await store.findJob(ctx.db.read, userId, kind, id)
  if (row === undefined) throw notFound()
  const running = importing(ctx).get(userId)
  const { state, total, result } = row
  const processed = running?.jobId === id && state !== 'DONE' ? running.processed : row.processed
  return { id, state, processed, total, result }
}

/** So that the other processes can show the progress, and notice if this one dies. */
function report(ctx: AppContext, userId: number, id: string, { processed }: Progress): void {
  const state = { processed, aliveAt: ctx.clock.now() }
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
