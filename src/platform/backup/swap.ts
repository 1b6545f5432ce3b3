/**
 * Replaces the contents of the data directory by a checked backup. If the process is killed, the directory has either the old data
 * or the new.
 *
 * 1. The backup is unpacked and checked in `restore-<time>/` inside the data directory, which is on the same file system even if the
 *    directory is a mount point or its parent cannot be written. The data is not changed; if the process is killed now, the folder is
 *    litter.
 * 2. `restore.json` is written. From then on the restore is decided. With PostgreSQL it first records that the dump must be
 *    loaded, and the files stay in place until that is done.
 * 3. Each entry is moved by two renames: the old one to `before-restore-<time>/`, the new one to its place. If the process is killed
 *    now, the next process that locks the directory completes the moves (`finishRestore`).
 */

import { existsSync, readFileSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { syncDirectory, writeDurably } from '../files.ts'
import { stampOf } from './folder.ts'
import { BackupError, FOLDERS, SQLITE_FILE } from './manifest.ts'

const DECISION = 'restore.json'
const STAGING = 'restore-'
const KEPT = 'before-restore-'
/** The part of the names that follows. */
const STAMP = /^[\w-]+$/

/** The side files of the database are moved away first, so that the new database is never opened with an old log. */
const SIDE_FILES = [`${SQLITE_FILE}-wal`, `${SQLITE_FILE}-shm`] as const
const ENTRIES = [...FOLDERS, SQLITE_FILE] as const

/** A dump in the staging folder that PostgreSQL may not have loaded yet. */
export interface PendingLoad {
  /** The database, without its password. */
  readonly where: string
  /** Rows of each table in the backup, to recognize that the dump was loaded. */
  readonly tables: Readonly<Record<string, number>>
  readonly keepSessions: boolean
}

export interface Decision {
  /** The `<time>` in the names of both folders. */
  readonly stamp: string
  /** The backup, to recognize a repeated command; left out by earlier versions. */
  readonly backup?: { readonly id: string; readonly keepsSessions: boolean }
  /** Set until the dump is loaded; no file has been moved then. */
  readonly load?: PendingLoad
  /** The `<time>` of the restore that this one takes back: what comes in is the data that it has put aside. */
  readonly undoes?: string
}

export const stagingOf = (directory: string, stamp: string): string => join(directory, STAGING + stamp)
const keptOf = (directory: string, stamp: string): string => join(directory, KEPT + stamp)
/** The folder with the data that comes in. */
const sourceOf = (directory: string, { stamp, undoes }: Decision): string =>
  undoes === undefined ? stagingOf(directory, stamp) : keptOf(directory, undoes)

/** Deletes the litter of restores that were killed before they were decided. The caller has locked the directory. */
export async function clearStaging(directory: string): Promise<void> {
  for (const name of await readdir(directory))
    if (name.startsWith(STAGING) && name !== DECISION) rmSync(join(directory, name), { recursive: true, force: true })
}

/** Creates an empty folder to unpack into. The caller has locked the directory. */
export async function makeStaging(directory: string, stamp: string): Promise<string> {
  await clearStaging(directory)
  const staging = stagingOf(directory, stamp)
  await mkdir(staging, { mode: 0o700 })
  return staging
}

/** Decides for the restore of the backup in the staging folder. */
export const decideRestore = (directory: string, decision: Decision): Promise<void> =>
  writeDurably(join(directory, DECISION), JSON.stringify(decision) + '\n', 0o600)

/** Takes back a decision whose dump was not loaded: the old data is unchanged. */
export async function discardRestore(directory: string, { stamp }: Decision): Promise<void> {
  rmSync(join(directory, DECISION))
  await syncDirectory(directory)
  rmSync(stagingOf(directory, stamp), { recursive: true, force: true })
}

/** Decides for and completes the restore of the backup in the staging folder, whose dump, if any, is loaded, or of the data that was put aside. */
export async function swapIn(directory: string, { load: _loaded, ...decision }: Decision): Promise<void> {
  const source = sourceOf(directory, decision)
  // A folder that is missing in the backup was empty; the old files in it must not remain.
  for (const folder of FOLDERS) await mkdir(join(source, folder), { recursive: true, mode: 0o700 })
  await syncDirectory(source)
  await decideRestore(directory, decision)
  await finishRestore(directory)
}

/** The folder of the data that the completed restore has replaced; undefined if there was none. */
export function oldDataOf(directory: string, { stamp }: Pick<Decision, 'stamp'>): string | undefined {
  const kept = keptOf(directory, stamp)
  return existsSync(kept) ? kept : undefined
}

/** A `<time>` for the names of both folders, which no other restore has. */
export async function freeStamp(directory: string, now: number): Promise<string> {
  const taken = new Set(await keptStamps(directory))
  const usual = stampOf(new Date(now))
  for (let n = 1; ; n++) {
    const stamp = n === 1 ? usual : `${usual}-${n}`
    if (!taken.has(stamp)) return stamp
  }
}

/** The `<time>` of each restore whose replaced data is still there, the newest first. */
export const keptStamps = async (directory: string): Promise<string[]> =>
  (await readdir(directory))
    .filter((name) => name.startsWith(KEPT) && STAMP.test(name.slice(KEPT.length)))
    .map((name) => name.slice(KEPT.length))
    .toSorted()
    .toReversed()

/** Whether a restore was decided but not completed. */
export const restorePending = (directory: string): boolean => existsSync(join(directory, DECISION))

/**
 * The restore that was decided but not completed.
 * @throws BackupError if `restore.json` is damaged
 */
export function pendingRestore(directory: string): Decision | undefined {
  if (!restorePending(directory)) return undefined
  const path = join(directory, DECISION)
  let decision: Partial<Decision> | null
  try {
    decision = JSON.parse(readFileSync(path, 'utf8')) as Partial<Decision> | null
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    decision = null
  }
  // The stamp becomes part of a path.
  if ([decision?.stamp, decision?.undoes ?? 'none'].some((part) => typeof part !== 'string' || !STAMP.test(part)))
    throw new BackupError(
      `${path} is damaged: if folders ${STAGING}… and ${KEPT}… are beside it, restore the backup into an empty data directory; otherwise delete the file.`,
    )
  return decision as Decision
}

/**
 * Moves the entries of a decided restore whose dump, if any, is loaded. Resolves with the decision, if there was one. The caller has
 * locked the directory.
 * @throws BackupError if the folders do not agree with the decision
 */
export async function finishRestore(directory: string): Promise<Decision | undefined> {
  const decision = pendingRestore(directory)
  if (decision === undefined) return undefined
  const staging = sourceOf(directory, decision)
  const kept = keptOf(directory, decision.stamp)
  refuseIncomplete(directory, staging, kept)
  await mkdir(kept, { recursive: true, mode: 0o700 })
  if (existsSync(join(staging, SQLITE_FILE))) for (const name of SIDE_FILES) moveAway(directory, kept, name)
  for (const name of ENTRIES) {
    // An entry that is no longer in the staging folder was moved before.
    if (!existsSync(join(staging, name))) continue
    moveAway(directory, kept, name)
    renameSync(join(staging, name), join(directory, name))
  }
  await syncDirectory(kept)
  if ((await readdir(kept)).length === 0) rmdirSync(kept)
  await syncDirectory(directory)
  rmSync(join(directory, DECISION))
  await syncDirectory(directory)
  rmSync(staging, { recursive: true, force: true })
  return decision
}

/** Every entry must still be moved or have been moved. Otherwise the server would start with an empty folder instead of a lost one. */
function refuseIncomplete(directory: string, staging: string, kept: string): void {
  const wanted = existsSync(join(kept, SQLITE_FILE)) ? ENTRIES : FOLDERS
  const lost = wanted.find((name) => !existsSync(join(staging, name)) && !existsSync(join(directory, name)))
  if (lost === undefined && (existsSync(staging) || existsSync(kept))) return
  throw new BackupError(
    lost === undefined
      ? `${join(directory, DECISION)} belongs to no restore, because ${staging} does not exist: delete the file.`
      : `An interrupted restore cannot be completed, because ${join(staging, lost)} is missing: put it back, or restore the backup into an empty data directory.`,
  )
}

/** Moves an entry of the old data to the folder `kept`, unless that was done before the restore was interrupted. */
function moveAway(directory: string, kept: string, name: string): void {
  const current = join(directory, name)
  if (!existsSync(current)) return
  if (!existsSync(join(kept, name))) return renameSync(current, join(kept, name))
  // The current one was created afterwards: a side file by a reader of the database, an empty folder by an older version of Tessera.
  if ((SIDE_FILES as readonly string[]).includes(name)) return rmSync(current)
  try {
    rmdirSync(current)
  } catch (error) {
    if (!['ENOTEMPTY', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    throw new BackupError(
      `An interrupted restore cannot be completed, because ${current} is neither of the old data nor of the backup: move it away and start again.`,
    )
  }
}
