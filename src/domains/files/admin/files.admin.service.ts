/** Files of all owners, for administrators. */

import { type AppContext, perContext } from '#context'
import type { Page } from '#db/paging.ts'
import type { Tx } from '#db/store.ts'
import { adminPage, hasFilters, ownersOf } from '#domains/admin/index.ts'
import { emit } from '#domains/domain.ts'
import type { Actor, LoggedActor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import type { Locale } from '#lib/localized.ts'
import { ReadCache } from '#lib/read-cache.ts'
import { MINUTE } from '#platform/clock.ts'

import { dropAllBytes } from '../bytes.service.ts'
import { allFiles, deleteFiles, type FileRow, refundStorage } from '../files.store.ts'
import { toFileView } from '../files.view.ts'
import type {
  AdminFilesQuery,
  AdminFileView,
  Cleanup,
  CleanupResult,
  DeletedFiles,
  FileStats,
} from './files.admin.model.ts'
import { countMessages, filteredFiles, sumByType } from './files.admin.store.ts'
import { cleanUp, countOrphans } from './orphans.service.ts'

export async function listAllFiles(
  ctx: AppContext,
  { userId }: Actor,
  query: AdminFilesQuery,
): Promise<Page<AdminFileView>> {
  const { page, size } = query
  if (query.storage !== undefined && query.storage !== ctx.blobs.storage) return { items: [], total: 0, page, size }
  const { items, ...rest } = await rowsPage(ctx, userId, query)
  const [ownedBy, messages] = await Promise.all([
    ownersOf(
      ctx.db.read,
      items.map(({ uploaderId, orgId }) => ({ userId: uploaderId, orgId })),
    ),
    // A file can be in any number of messages.
    countMessages(ctx.db.readInWorker, idsOf(items.filter(({ entityType }) => entityType === 'MESSAGE'))),
  ])
  return {
    ...rest,
    items: items.map((row) => {
      const { owner, orgName } = ownedBy({ userId: row.uploaderId, orgId: row.orgId })
      const references = row.entityType === null ? 0 : row.entityType === 'MESSAGE' ? (messages.get(row.id) ?? 0) : 1
      const hidden = row.entityType === 'MESSAGE' && { url: null, thumbnailUrl: null }
      return { ...toFileView(ctx, row), ...hidden, uploader: owner, orgName, references }
    }),
  }
}

const idsOf = (rows: readonly { readonly id: number }[]): number[] => rows.map((row) => row.id)

function rowsPage(ctx: AppContext, adminId: number, query: AdminFilesQuery): Promise<Page<FileRow>> {
  const { page, size, sort } = query
  // All files of a server are in one store.
  return hasFilters(query, ['storage'])
    ? adminPage(ctx, adminId, filteredFiles(query), { page, size })
    : allFiles.page(ctx.db.read, {}, { page, size, sort })
}

export async function deleteAnyFile(ctx: AppContext, actor: LoggedActor, id: number): Promise<void> {
  await actor.write('files.deleteAny', async (tx) => {
    const [file] = await deleteUsed(ctx, tx, [id])
    if (file === undefined) throw notFound()
    const { name, type, mime, size, uploaderId, entityType, entityId } = file
    const before = { name, type, mime, size, uploaderId, orgId: file.orgId || null, entityType, entityId }
    return { result: undefined, logged: { targetId: id, targetName: name, before } }
  })
}

/** All in one write, so that the operation log names the files that are gone, and no others. */
export async function deleteAnyFiles(
  ctx: AppContext,
  actor: LoggedActor,
  given: readonly number[],
  locale: Locale,
): Promise<DeletedFiles> {
  const ids = [...new Set(given)]
  const deleted = await actor.write('files.deleteAnyFiles', async (tx) => {
    const result = idsOf(await deleteUsed(ctx, tx, ids)).toSorted((a, b) => a - b)
    return { result, logged: result.length === 0 ? 'unchanged' : { after: { ids: result } } }
  })
  const gone = new Set(deleted)
  const { code, text } = notFound()
  const failed = ids.filter((id) => !gone.has(id)).map((id) => ({ id, code, message: text[locale] }))
  return { deleted: deleted.length, failed }
}

/** Up to a minute old. Callers at the same time wait for the same one. */
const statsOf = perContext(
  (ctx) =>
    new ReadCache<'files', FileStats>({
      max: 1,
      maxAge: MINUTE,
      now: () => ctx.clock.now(),
      load: () => computeStats(ctx),
    }),
)

export const showStats = async (ctx: AppContext): Promise<FileStats> =>
  statsOf(ctx).get('files') ?? (await statsOf(ctx).fetch('files'))!

async function computeStats(ctx: AppContext): Promise<FileStats> {
  const { readInWorker } = await ctx.db.heavyReads()
  const [byType, orphaned] = await Promise.all([sumByType(readInWorker), countOrphans(ctx)])
  const sum = (pick: (row: (typeof byType)[number]) => number) => byType.reduce((total, row) => total + pick(row), 0)
  const [count, bytes] = [sum((row) => row.count), sum((row) => row.bytes)]
  return {
    count,
    bytes,
    byType: byType.toSorted((a, b) => b.bytes - a.bytes || a.type.localeCompare(b.type)),
    // All files of a server are in one store.
    byStorage: [{ storage: ctx.blobs.storage, count, bytes }],
    orphaned,
  }
}

export async function cleanUpOrphans(ctx: AppContext, actor: LoggedActor, input: Cleanup): Promise<CleanupResult> {
  const result = await cleanUp(ctx, actor, input)
  if (!input.dryRun) statsOf(ctx).clear()
  return result
}

/** Owners whose storage is refunded before other requests run. */
const OWNERS_PER_TURN = 50

/** Deletes files whatever uses them, at most 500, and takes them away from the things that show them. */
async function deleteUsed(ctx: AppContext, tx: Tx, ids: readonly number[]) {
  const deleted = await deleteFiles(tx, ids)
  const blobs = new Map<number, number>()
  for (const { blobId, thumbnailBlobId } of deleted)
    for (const id of [blobId, thumbnailBlobId]) if (id !== null) blobs.set(id, (blobs.get(id) ?? 0) + 1)
  if (blobs.size > 0) await dropAllBytes(ctx, tx, blobs)
  const ofOwners = Map.groupBy(deleted, ({ uploaderId, orgId }) => (orgId === 0 ? -uploaderId : orgId))
  for (const [i, files] of [...ofOwners.values()].entries()) {
    const { uploaderId, orgId } = files[0]!
    const bytes = files.reduce((sum, file) => sum + file.size, 0)
    await refundStorage(tx, { userId: uploaderId, orgId }, bytes, files.length)
    if (i % OWNERS_PER_TURN === OWNERS_PER_TURN - 1) await tx.pause()
  }
  const files = deleted.map(({ id, entityType, entityId, publicKey }) => ({ id, entityType, entityId, publicKey }))
  if (files.length > 0) await emit(ctx, tx, 'files.deleted', { files })
  return deleted
}
