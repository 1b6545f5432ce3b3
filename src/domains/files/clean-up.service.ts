/** Finds and deletes stored bytes that no row refers to. */

import type { AppContext } from '#context'
import type { BlobFacts } from '#platform/blobs/port.ts'
import { DAY } from '#platform/clock.ts'

import { countBlobs, keysInUse } from './bytes.store.ts'
import { FOREIGN_FILES, ownsFiles } from './ownership.service.ts'

/** Younger bytes may belong to a write that is under way. */
const ORPHAN_AGE = DAY
/** Keys that are looked up in one query. */
const KEYS_PER_QUERY = 200

/** Bytes that no row refers to and that are older than a day. Never holds all keys in memory. `listed` counts all bytes. */
export async function* listOrphanBytes(ctx: AppContext, listed = { count: 0 }): AsyncGenerator<BlobFacts> {
  const before = ctx.clock.now() - ORPHAN_AGE
  let batch: BlobFacts[] = []
  for await (const facts of ctx.blobs.list('')) {
    listed.count++
    if (facts.modifiedAt > before) continue
    batch.push(facts)
    if (batch.length < KEYS_PER_QUERY) continue
    yield* await withoutRow(ctx, batch)
    batch = []
  }
  yield* await withoutRow(ctx, batch)
}

async function withoutRow(ctx: AppContext, batch: readonly BlobFacts[]): Promise<BlobFacts[]> {
  if (batch.length === 0) return []
  const used = await keysInUse(
    ctx.db.read,
    batch.map(({ key }) => key),
  )
  return batch.filter(({ key }) => !used.has(key))
}

/** More orphans than these, and than bytes in use, are a sign of the wrong database. */
const MANY_ORPHANS = 100

/** Whether the rows in the database are probably not those of the stored bytes: after a mistake in the configuration, for example. */
async function isWrongDatabase(ctx: AppContext): Promise<boolean> {
  let orphans = 0
  for await (const _ of listOrphanBytes(ctx)) orphans++
  return isSuspicious(ctx, orphans)
}

/** Whether so many orphans are a sign of the wrong database. */
export const isSuspicious = async (ctx: AppContext, orphans: number): Promise<boolean> =>
  orphans > MANY_ORPHANS && orphans > (await countBlobs(ctx.db.readInWorker))

/** Deletes what `listOrphanBytes` finds, unless it is too much. Returns how much was deleted. */
export async function deleteOrphanBytes(ctx: AppContext): Promise<{ count: number; bytes: number }> {
  if (!(await ownsFiles(ctx))) {
    ctx.log.error(`the stored files belong to another database. ${FOREIGN_FILES}`, { at: ctx.blobs.place })
    return { count: 0, bytes: 0 }
  }
  if (await isWrongDatabase(ctx)) {
    ctx.log.error('most of the stored files are unknown to the database: nothing is deleted')
    return { count: 0, bytes: 0 }
  }
  let count = 0
  let bytes = 0
  for await (const { key, size } of listOrphanBytes(ctx)) {
    // Minutes may have passed since the list was read.
    if ((await keysInUse(ctx.db.read, [key])).has(key)) continue
    await ctx.blobs.delete(key)
    count++
    bytes += size
  }
  if (count > 0) ctx.log.info('bytes without a row were deleted', { count, bytes })
  return { count, bytes }
}
