/**
 * Stored bytes that no row refers to, on local disk: what a crash has left, or files that somebody has copied there. The daily clean-up
 * deletes them too, on local disk and in S3. Bytes younger than a day may belong to a write that is under way, and are never among them.
 */

import { type AppContext, perContext } from '#context'
import type { Page, PageInput } from '#db/paging.ts'
import { offsetOf } from '#db/paging.ts'
import type { LoggedActor } from '#http/endpoint.ts'
import { sortInSteps } from '#lib/sort-in-steps.ts'
import type { BlobFacts } from '#platform/blobs/port.ts'

import { keysInUse } from '../bytes.store.ts'
import { isSuspicious, listOrphanBytes } from '../clean-up.service.ts'
import { filesAreForeign, mostAreOrphans } from '../files.errors.ts'
import { ownsFiles } from '../ownership.service.ts'
import type { Cleanup, CleanupResult, Orphan, Orphans } from './files.admin.model.ts'

/** Orphans that a listing keeps, and that one request deletes. */
const MAX_KEPT = 20_000

interface Listing extends Orphans {
  /** All stored objects. */
  readonly scanned: number
  /** The newest first. */
  readonly kept: readonly BlobFacts[]
  /** When it ended, and how long it took, in milliseconds. */
  readonly at: number
  readonly took: number
}

const NOTHING: Orphans = { count: 0, bytes: 0 }
/** Of files in S3. */
const NO_LISTING = { ...NOTHING, scanned: 0, kept: [] }

const newestFirst = (a: BlobFacts, b: BlobFacts): number =>
  b.modifiedAt - a.modifiedAt || (a.key < b.key ? -1 : Number(a.key > b.key))

/** Reads the whole folder, which takes about a minute for a million files. Holds `2 * MAX_KEPT` orphans at most. */
async function list(ctx: AppContext): Promise<Listing> {
  const start = ctx.clock.now()
  const listed = { count: 0 }
  let [count, bytes] = [0, 0]
  let kept: BlobFacts[] = []
  for await (const orphan of listOrphanBytes(ctx, listed)) {
    count++
    bytes += orphan.size
    kept.push(orphan)
    if (kept.length === 2 * MAX_KEPT) kept = (await sortInSteps(kept, newestFirst)).slice(0, MAX_KEPT)
  }
  kept = (await sortInSteps(kept, newestFirst)).slice(0, MAX_KEPT)
  const at = ctx.clock.now()
  return { scanned: listed.count, count, bytes, kept, at, took: at - start }
}

/** A listing is used for so many times as long as it took, so that a large folder is not read all the time. */
const REUSED = 20

interface State {
  last: Listing | undefined
  running: Promise<Listing> | undefined
  /** The last clean-up that was asked for: they run one after the other. */
  cleaning: Promise<unknown>
}

const stateOf = perContext((): State => ({ last: undefined, running: undefined, cleaning: Promise.resolve() }))

/** A listing that is not too old. Callers at the same time get the same one. */
function currentListing(ctx: AppContext): Listing | Promise<Listing> {
  const state = stateOf(ctx)
  const age = state.last && ctx.clock.now() - state.last.at
  if (age !== undefined && age >= 0 && age < REUSED * state.last!.took) return state.last!
  if (state.running !== undefined) return state.running
  const mine = list(ctx)
    .then((listing) => {
      if (state.running === mine) state.last = listing
      return listing
    })
    .finally(() => {
      if (state.running === mine) state.running = undefined
    })
  state.running = mine
  return mine
}

/** Listings that began before a clean-up are not used any longer. */
function forgetListing(ctx: AppContext): void {
  Object.assign(stateOf(ctx), { last: undefined, running: undefined })
}

/** The time that statistics wait for a listing, if there is none yet, or if the last one took less than LONG_MS. */
const PATIENCE_MS = 10_000
const LONG_MS = 1000

/** Number and bytes of the orphans, as they were when they were last listed; null while a large folder is listed for the first time. */
export async function countOrphans(ctx: AppContext): Promise<Orphans | null> {
  if (ctx.blobs.storage !== 'LOCAL') return NOTHING
  const { last } = stateOf(ctx)
  const current = Promise.resolve(currentListing(ctx))
  // Statistics do not wait for a listing that fails after they have answered.
  current.catch((error: unknown) => ctx.log.warn('stored files could not be listed', { error }))
  const late = Promise.withResolvers<null>()
  const timer = setTimeout(() => late.resolve(null), last !== undefined && last.took >= LONG_MS ? 0 : PATIENCE_MS)
  try {
    const listing = (await Promise.race([current, late.promise])) ?? last
    return listing === undefined ? null : { count: listing.count, bytes: listing.bytes }
  } finally {
    clearTimeout(timer)
  }
}

/** The newest first; at most 20,000. */
export async function listOrphans(ctx: AppContext, page: PageInput): Promise<Page<Orphan>> {
  if (ctx.blobs.storage !== 'LOCAL') return { items: [], total: 0, ...page }
  const { kept } = await currentListing(ctx)
  const skip = offsetOf(page)
  const items = kept
    .slice(skip, skip + page.size)
    .map(({ key, size, modifiedAt }) => ({ key, bytes: size, modifiedAt }))
  return { items, total: kept.length, ...page }
}

/**
 * Deletes orphans, at most 20,000. @throws AppError 400 if the files belong to another database, or if most of them are orphans, unless
 * `force` is given
 */
export function cleanUp(ctx: AppContext, actor: LoggedActor, input: Cleanup): Promise<CleanupResult> {
  const state = stateOf(ctx)
  const result = state.cleaning.then(() => cleanUpNow(ctx, actor, input))
  state.cleaning = result.catch(() => undefined)
  return result
}

async function cleanUpNow(ctx: AppContext, actor: LoggedActor, { dryRun, force }: Cleanup): Promise<CleanupResult> {
  if (!dryRun && !(await ownsFiles(ctx))) throw filesAreForeign()
  const { scanned, count, kept } = ctx.blobs.storage === 'LOCAL' ? await list(ctx) : NO_LISTING
  if (!dryRun && !force && (await isSuspicious(ctx, count))) throw mostAreOrphans()
  const planned = { files: kept.length, bytes: sizeOf(kept) }
  const deletes = !dryRun && kept.length > 0
  // Before the deletion, so that nothing is ever deleted without a row.
  await actor.write('files.logCleanup', async () => ({
    result: undefined,
    logged: deletes ? { after: planned } : 'unchanged',
  }))
  const deleted = deletes ? await deleteAll(ctx, kept) : kept
  if (!dryRun) forgetListing(ctx)
  return { scanned, deleted: deleted.length, bytes: sizeOf(deleted), skipped: count - deleted.length }
}

const sizeOf = (orphans: readonly BlobFacts[]): number => orphans.reduce((sum, { size }) => sum + size, 0)

/** Keys that are looked up in one query, and deleted together. */
const BATCH = 100

/** Returns those that were deleted. */
async function deleteAll(ctx: AppContext, orphans: readonly BlobFacts[]): Promise<BlobFacts[]> {
  const deleted: BlobFacts[] = []
  for (let at = 0; at < orphans.length && !ctx.lifecycle.draining; at += BATCH) {
    const batch = orphans.slice(at, at + BATCH)
    const used = await keysInUse(
      ctx.db.read,
      batch.map(({ key }) => key),
    )
    for (const orphan of batch) {
      if (used.has(orphan.key)) continue
      try {
        await ctx.blobs.delete(orphan.key)
        deleted.push(orphan)
      } catch (error) {
        ctx.log.warn('bytes could not be deleted', { key: orphan.key, error })
      }
    }
  }
  return deleted
}
