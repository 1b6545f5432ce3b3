/** The folder of backups: that of the start, otherwise that of the setting `backup.directory`, otherwise `backups/` in the data directory. */

import { readFile, realpath, rm, stat } from 'node:fs/promises'
import { isAbsolute, relative, sep } from 'node:path'

import type { AppContext } from '#context'
import { getSetting } from '#domains/settings/index.ts'
import type { Localized } from '#lib/localized.ts'
import { backupFolder, makeBackupFolder, workFolder } from '#platform/backup/folder.ts'
import { type BackupPlace, backupPlaceOf } from '#platform/backup/process.ts'
import { SECOND } from '#platform/clock.ts'
import { writeDurably } from '#platform/files.ts'
import { bytes } from '#platform/ids.ts'

import * as errors from './directory.errors.ts'

/** With the folder that is in force. */
export const placeOf = async (ctx: AppContext): Promise<BackupPlace> => ({
  ...backupPlaceOf(ctx.config),
  backupDir: await getSetting(ctx, 'backup.directory'),
})

export const folderOf = async (ctx: AppContext): Promise<string> => backupFolder(await placeOf(ctx))

/**
 * The place for a new backup. A folder that an administrator chose may be on a disk that is not connected, so it is never created.
 * @throws AppError 400
 */
export async function openPlace(ctx: AppContext): Promise<BackupPlace> {
  const place = await placeOf(ctx)
  if (place.backupDir === ctx.config.backupDir) await makeBackupFolder(place)
  else if (await isMissing(place.backupDir)) throw errors.folderMissing(place.backupDir)
  return place
}

const isMissing = async (folder: string): Promise<boolean> =>
  !(await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  ))

/** @throws AppError 400 if the folder that an administrator chose is missing. The others are created by the first backup. */
export async function requireFolder(ctx: AppContext): Promise<string> {
  const place = await placeOf(ctx)
  if (place.backupDir !== ctx.config.backupDir && (await isMissing(place.backupDir)))
    throw errors.folderMissing(place.backupDir)
  return backupFolder(place)
}

export interface FolderState {
  readonly path: string
  /** The start value that names it. */
  readonly lockedBy: string | null
  /** Whether it is on the file system of the data directory; null if it cannot be read. */
  readonly isWithData: boolean | null
}

export async function folderState(ctx: AppContext): Promise<FolderState> {
  const { backupDir, dataDir } = ctx.config
  const place = await placeOf(ctx)
  const path = backupFolder(place)
  const lockedBy = backupDir === '' ? null : (ctx.origins.get('backupDir') ?? 'TESSERA_BACKUP_DIR')
  if (place.backupDir === '') return { path, lockedBy, isWithData: true }
  const found = await stat(path).catch(() => undefined)
  return { path, lockedBy, isWithData: found === undefined ? null : found.dev === (await stat(dataDir)).dev }
}

/** A network disk that is away keeps its callers waiting for minutes. */
const CHECK_MS = 15 * SECOND

/** Why the server cannot write its backups into this folder; undefined if it can. */
export async function directoryProblem(ctx: AppContext, folder: string): Promise<Localized | undefined> {
  if (folder === '') return undefined
  if (!isAbsolute(folder)) return errors.NOT_ABSOLUTE
  const late = Promise.withResolvers<Localized>()
  const timer = setTimeout(late.resolve, CHECK_MS, errors.NO_ANSWER)
  try {
    return await Promise.race([triedProblem(ctx, folder), late.promise])
  } finally {
    clearTimeout(timer)
  }
}

async function triedProblem({ config }: AppContext, folder: string): Promise<Localized | undefined> {
  if (await isMissing(folder)) return errors.NO_FOLDER
  const path = await realpath(folder)
  for (const own of [config.dataDir, config.sharedFiles])
    if (own !== '' && isWithin(await realpath(own), path)) return errors.IN_DATA
  // With this name it is removed later if the server is killed now.
  const file = workFolder({ dataDir: config.dataDir, backupDir: path })
  const written = bytes(4096)
  try {
    await writeDurably(file, written, 0o600)
    const read = await readFile(file)
    return written.every((byte, at) => byte === read[at]) ? undefined : errors.OTHER_BYTES
  } catch (error) {
    return errors.notUsable((error as NodeJS.ErrnoException).code ?? (error as Error).message)
  } finally {
    await rm(file, { force: true }).catch(() => undefined)
  }
}

/** Both are real paths. */
function isWithin(outer: string, inner: string): boolean {
  const path = relative(outer, inner)
  return !(path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path))
}
