/** Receives backups of other servers, or of this one, which become restorable when they are verified. */

import { rmSync, statSync } from 'node:fs'
import { open, rename, statfs } from 'node:fs/promises'
import { join } from 'node:path'

import { type AppContext, perContext } from '#context'
import { requireSystemAdmin } from '#domains/access/index.ts'
import { hungUp } from '#http/body.ts'
import type { LoggedActor } from '#http/endpoint.ts'
import type { Locale } from '#lib/localized.ts'
import { backupFolder, findBackup, uploadOf, writeNote } from '#platform/backup/folder.ts'
import { beginsLikeBackup } from '#platform/backup/read.ts'
import { diskError } from '#platform/blobs/local.ts'
import { syncDirectory } from '#platform/files.ts'
import { uuid } from '#platform/ids.ts'

import * as errors from '../backups.errors.ts'
import type { BackupView } from '../backups.model.ts'
import { show } from '../backups.service.ts'
import { nameOfUser } from '../backups.store.ts'
import { unfinished, worker } from '../backups.tasks.ts'
import { openPlace } from '../directory/directory.service.ts'

/** Bytes that uploads leave free on the disk. */
export const SPARED_BYTES = 1_000_000_000

/** Names of the backups that arrive now. */
const arriving = perContext(() => new Set<string>())

/** The bytes that a request brings. */
interface Part {
  readonly start: number
  readonly length: number
  /** Of the whole backup. */
  readonly total: number
}

/** Receives a backup, or its next part. */
export async function receiveBackup(
  ctx: AppContext,
  actor: LoggedActor,
  name: string,
  request: Request,
  locale: Locale,
): Promise<BackupView> {
  await requireSystemAdmin(ctx.db.read, actor)
  const part = partOf(request)
  const names = arriving(ctx)
  if (names.has(name)) throw errors.isArriving()
  names.add(name)
  try {
    const place = await openPlace(ctx)
    const folder = backupFolder(place)
    await receivePart(folder, name, part, request)
    const isComplete = part.start + part.length === part.total
    const task = worker(ctx).newTask('VERIFY', name, uuid())
    const isVerified = await actor.write('backups.upload', async (tx) => {
      await requireSystemAdmin(tx, actor)
      if (!isComplete) return { result: false, logged: 'unchanged' }
      return {
        result: await worker(ctx).claim(tx, task),
        logged: { targetName: name, after: { name, bytes: part.total } },
      }
    })
    if (isComplete) {
      await keep(ctx, folder, name, { id: actor.userId, name: await nameOfUser(ctx.db.read, actor.userId) })
      if (isVerified) await worker(ctx).start(task, undefined, place)
    }
    return await show(ctx, name, locale)
  } finally {
    names.delete(name)
  }
}

/** @throws AppError 400 */
function partOf({ headers }: Request): Part {
  const announced = headers.get('content-length')
  if (announced === null || !/^\d{1,15}$/.test(announced)) throw errors.lengthNeeded()
  const length = Number(announced)
  const range = headers.get('content-range')
  if (range === null) return { start: 0, length, total: length }
  const [, start, end, total] = (/^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(range) ?? []).map(Number)
  if (start === undefined || end! < start || end! >= total! || end! - start + 1 !== length) throw errors.badRange()
  return { start, length, total: total! }
}

async function receivePart(folder: string, name: string, part: Part, request: Request): Promise<void> {
  const found = findBackup(folder, name)
  if (found !== undefined && found.received === undefined) throw errors.nameTaken()
  const path = uploadOf(folder, name)
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  // Without a range the upload begins again.
  if (request.headers.has('content-range') && part.start !== size) throw errors.wrongStart(size)
  await requireSpace(folder, part.total - size)
  const handle = await disk(folder, open(path, part.start === 0 ? 'w' : 'a', 0o600))
  let written = 0
  try {
    for await (const chunk of (request.body ?? new Blob().stream()) as unknown as AsyncIterable<Uint8Array>) {
      written += chunk.length
      if (written > part.length) break
      await disk(folder, handle.writeFile(chunk))
    }
    await disk(folder, handle.sync())
  } catch (error) {
    // The part that has arrived stays, so that the upload can go on.
    hungUp(error)
  } finally {
    await handle.close()
  }
  if (written !== part.length) throw errors.cutOff()
  const isComplete = part.start + part.length === part.total
  // The first bytes have to arrive before its form is known.
  const isShown = isComplete || (part.start < ENOUGH_BYTES && part.start + written >= ENOUGH_BYTES)
  if (!isShown || (await disk(folder, beginsLikeBackup(path)))) return
  rmSync(path, { force: true })
  throw errors.noBackup()
}

/** A compressed block: with so many bytes, the first entry can be read. */
const ENOUGH_BYTES = 256 * 1024

/** @throws AppError 413 */
export async function requireSpace(folder: string, bytes: number): Promise<void> {
  const free = (await freeBytes(folder)) - SPARED_BYTES
  if (bytes > free) throw errors.tooLarge(Math.max(0, free))
}

export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

async function disk<T>(folder: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw diskError(error, folder)
  }
}

/** Gives an upload that is complete the name of the backup. */
export async function keep(
  ctx: AppContext,
  folder: string,
  name: string,
  createdBy: { readonly id: number; readonly name: string } | null,
  path = uploadOf(folder, name),
): Promise<void> {
  const now = ctx.clock.now()
  await disk(folder, rename(path, join(folder, name)))
  await syncDirectory(folder)
  const note = unfinished({ source: 'UPLOAD', createdBy }, now)
  await writeNote(folder, name, { ...note, state: 'READY', finishedAt: now })
  ctx.log.info('backup uploaded', { name, userId: createdBy?.id ?? 0 })
}

/** Answers HEAD with the size of the part that has arrived, as `Content-Length`: there the upload goes on. */
export async function showBackup(
  ctx: AppContext,
  name: string,
  request: Request,
  locale: Locale,
): Promise<BackupView | Response> {
  const view = await show(ctx, name, locale)
  if (request.method !== 'HEAD') return view
  const headers = {
    'content-type': 'application/json',
    'content-length': String(view.bytes ?? 0),
    'cache-control': 'no-store',
  }
  return new Response(null, { headers })
}
