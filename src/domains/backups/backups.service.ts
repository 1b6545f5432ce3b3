/** Backups as administrators make, verify, download and delete them in the browser, and those of the schedule. */

import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'

import { isShared } from '#config/config.ts'
import type { AppContext } from '#context'
import { platformBindings, requireSystemAdmin, SYSTEM_ADMIN, systemAdminOnly } from '#domains/access/index.ts'
import { getSetting } from '#domains/settings/index.ts'
import { answerBytes } from '#http/byte-response.ts'
import type { LoggedActor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { timeZone } from '#lib/days.ts'
import type { Locale } from '#lib/localized.ts'
import {
  backupFolder,
  createdAtOf,
  deleteBackup,
  findBackup,
  type FoundBackup,
  listBackups,
  nameAt,
} from '#platform/backup/folder.ts'
import { SECOND, serverZone } from '#platform/clock.ts'
import { uuid } from '#platform/ids.ts'

import * as errors from './backups.errors.ts'
import {
  type BackupList,
  type BackupQuery,
  type BackupView,
  type CreateBackup,
  type DownloadLink,
  type DownloadQuery,
  LINK_SECONDS,
} from './backups.model.ts'
import { isGood, isOverdue, lastDue, nextDue, type Schedule } from './backups.rules.ts'
import * as store from './backups.store.ts'
import { isToolMissing, type Job, worker } from './backups.tasks.ts'
import { toView } from './backups.view.ts'
import { folderOf, folderState, openPlace, placeOf, requireFolder } from './directory/directory.service.ts'

export async function showBackups(ctx: AppContext, { page, size }: BackupQuery, locale: Locale): Promise<BackupList> {
  const folder = await folderState(ctx)
  const [found, tasks] = await withTasks(ctx, () => listBackups(folder.path))
  const newestGood = found.find(isGood)
  const space = await statfs(folder.path).catch(() => undefined)
  return {
    items: found.slice((page - 1) * size, page * size).map((one) => toView(one, tasks, locale)),
    total: found.length,
    page,
    size,
    folder,
    isBusy: tasks.length > 0,
    lastGoodAt: newestGood ? createdAtOf(newestGood) : null,
    nextAt: nextDue(await scheduleOf(ctx), ctx.clock.now()) ?? null,
    freeBytes: space ? space.bavail * space.bsize : null,
    notIncluded: ctx.config.storageUrl === '' ? null : ctx.blobs.place,
  }
}

/** Answers when the backup has begun. */
export async function createBackup(
  ctx: AppContext,
  actor: LoggedActor,
  { format }: CreateBackup,
  locale: Locale,
): Promise<BackupView> {
  if (isToolMissing(ctx)) throw errors.toolMissing()
  const place = await openPlace(ctx)
  const name = freeName(ctx, backupFolder(place), format === 'GZ')
  const task = worker(ctx).newTask('CREATE', name, uuid())
  await actor.write('backups.create', async (tx) => {
    if (!(await worker(ctx).claim(tx, task))) throw errors.busy()
    return { result: undefined, logged: { after: { name } } }
  })
  const createdBy = { id: actor.userId, name: await store.nameOfUser(ctx.db.read, actor.userId) }
  await worker(ctx).start(task, { name, source: 'USER', createdBy }, place)
  return show(ctx, name, locale)
}

/** Names have seconds, and a small backup takes less. */
export function freeName(ctx: AppContext, folder: string, gzip: boolean): string {
  const usual = nameAt(ctx.clock.now(), gzip)
  for (let n = 1; ; n++) {
    const name = n === 1 ? usual : usual.replace('.tar.', `-${n}.tar.`)
    if (findBackup(folder, name) === undefined && !existsSync(join(folder, name))) return name
  }
}

/** Answers when the verification has begun. */
export async function verifyBackup(
  ctx: AppContext,
  actor: LoggedActor,
  name: string,
  locale: Locale,
): Promise<BackupView> {
  await complete(ctx, name)
  const place = await placeOf(ctx)
  const task = worker(ctx).newTask('VERIFY', name, uuid())
  await actor.write('backups.verify', async (tx) => {
    if (!(await worker(ctx).claim(tx, task))) throw errors.busy()
    return { result: undefined, logged: { targetName: name, after: { name } } }
  })
  await worker(ctx).start(task, undefined, place)
  return show(ctx, name, locale)
}

export async function removeBackup(ctx: AppContext, actor: LoggedActor, name: string): Promise<void> {
  const { file } = await find(ctx, name)
  await actor.write('backups.delete', async (tx) => {
    await requireSystemAdmin(tx, actor)
    if ((await store.findTask(tx, ctx.clock.now()))?.name === name) throw errors.inUse()
    return { result: undefined, logged: { targetName: name, before: { name, bytes: file?.size ?? null } } }
  })
  deleteBackup(await folderOf(ctx), name)
}

const PURPOSE = 'backup download'

/** A link for a browser, which cannot send a token with a download. */
export async function createDownloadLink(ctx: AppContext, actor: LoggedActor, name: string): Promise<DownloadLink> {
  await complete(ctx, name)
  const { userId } = actor
  const expires = Math.floor(ctx.clock.now() / SECOND) + LINK_SECONDS
  await actor.write('backups.downloadLink', async (tx) => {
    await requireSystemAdmin(tx, actor)
    return { result: undefined, logged: { targetName: name, after: { name } } }
  })
  const signature = ctx.signer.sign(PURPOSE, name, userId, expires)
  const url = `${ctx.config.publicUrl}/api/admin/backups/${name}/download?user=${userId}&expires=${expires}&signature=${signature}`
  return { url, expiresAt: expires * SECOND }
}

/** @throws AppError 403 unless the link is valid and its user still holds SYSTEM_ADMIN */
export async function downloadBackup(
  ctx: AppContext,
  request: Request,
  name: string,
  { user, expires, signature }: DownloadQuery,
): Promise<Response> {
  if (!ctx.signer.isValid(signature, PURPOSE, name, user, expires)) throw errors.badLink()
  if (expires * SECOND <= ctx.clock.now()) throw errors.linkExpired()
  const holders = (await platformBindings(ctx.db.read)).filter(({ code }) => code === SYSTEM_ADMIN)
  if (!holders.some(({ userId }) => userId === user)) throw systemAdminOnly()
  const folder = await folderOf(ctx)
  const { size, modifiedAt } = await complete(ctx, name)
  ctx.log.info('backup download', { name, userId: user })
  const stored = {
    size,
    etag: `"${modifiedAt}-${size}"`,
    type: name.endsWith('.gz') ? 'application/gzip' : 'application/zstd',
    disposition: 'attachment',
    name,
    headers: { 'cache-control': 'private, no-store', 'content-security-policy': "default-src 'none'; sandbox" },
  } as const
  return answerBytes(request, stored, async ({ start, end }) => Bun.file(join(folder, name)).slice(start, end))
}

/** @throws AppError 404 */
export async function find(ctx: AppContext, name: string): Promise<FoundBackup> {
  const found = findBackup(await folderOf(ctx), name)
  if (found === undefined) throw notFound()
  return found
}

/** @throws AppError 404, or 400 if there is no file */
export async function complete(ctx: AppContext, name: string): Promise<NonNullable<FoundBackup['file']>> {
  const { file } = await find(ctx, name)
  if (file === undefined) throw errors.notComplete()
  return file
}

export async function show(ctx: AppContext, name: string, locale: Locale): Promise<BackupView> {
  const [found, tasks] = await withTasks(ctx, () => find(ctx, name))
  return toView(found, tasks, locale)
}

/**
 * Reads the folder, and the running task before and after it. A backup without a file whose task was read only once could have ended or
 * begun in between, and would seem to have failed.
 */
async function withTasks<T>(ctx: AppContext, read: () => Promise<T>): Promise<[T, readonly store.StoredTask[]]> {
  const runningTask = () => store.findTask(ctx.db.read, ctx.clock.now())
  const before = await runningTask()
  const found = await read()
  const after = await runningTask()
  return [found, [after, before].filter((task) => task !== undefined)]
}

async function scheduleOf(ctx: AppContext): Promise<Schedule> {
  const [every, hour, zone] = [
    await getSetting(ctx, 'backup.schedule'),
    await getSetting(ctx, 'backup.hour'),
    await getSetting(ctx, 'backup.timeZone'),
  ]
  return { every, hour, zone: timeZone(zone) ?? serverZone() }
}

/** Starts the backup that is due, unless another task runs: then the next run of the job does. */
export async function runSchedule(ctx: AppContext): Promise<void> {
  const due = lastDue(await scheduleOf(ctx), ctx.clock.now())
  if (due === undefined) return
  const done = await store.findLastDue(ctx.db.read)
  // The first backup is made at the next due time, not at the moment in which somebody turns the schedule on.
  if (done === undefined) return ctx.db.write('backups.firstDue', (tx) => store.saveLastDue(tx, due))
  if (due <= done) return
  const place = await openPlace(ctx)
  const name = freeName(ctx, backupFolder(place), false)
  const job: Job = { name, source: 'SCHEDULE', createdBy: null, due }
  const task = worker(ctx).newTask('CREATE', name, uuid())
  if (await ctx.db.write('backups.schedule', (tx) => worker(ctx).claim(tx, task)))
    await worker(ctx).start(task, job, place)
}

/** Whether the newest backup is as new as the schedule promises, for the health of the server. */
export async function backupHealth(ctx: AppContext) {
  const schedule = await scheduleOf(ctx)
  const found = (await listBackups(await requireFolder(ctx))).find(isGood)
  const lastGoodAt = found && createdAtOf(found)
  return {
    status: isOverdue(schedule, lastGoodAt, ctx.clock.now()) ? ('OVERDUE' as const) : ('UP' as const),
    schedule: schedule.every,
    lastGoodAt: lastGoodAt ?? null,
  }
}

/** With one process on the database, a task that is stored at its start belonged to a process that was killed. */
export async function startBackups(ctx: AppContext): Promise<void> {
  if (!isShared(ctx.config)) await ctx.db.write('backups.start', store.endAnyTask)
}
