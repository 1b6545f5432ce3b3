/**
 * Replaces the contents of the data directory by a checked backup. If the process is killed, the directory has either the old data
 * or the new.
 *
 * 1. The backup is unpacked and checked in `restore-<time>/` inside the data directory, which is on the same file system even if the
 *    directory is a mount point or its parent cannot be written. The data is not changed; if the process is killed now, the folder is
 *    litter.
 * 2. `restore.json` is written. From then on the restore is decided.
 * 3. Each entry is moved by two renames: the old one to `before-restore-<time>/`, the new one to its place. If the process is killed
 *    now, the next process that locks the directory completes the moves (`finishRestore`).
 */

import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { syncDirectory, writeDurably } from '../files.ts'
import { FOLDERS, SQLITE_FILE } from './manifest.ts'

const DECISION = 'restore.json'
const STAGING = 'restore-'
const KEPT = 'before-restore-'

/** The side files of the database are moved away first, so that the new database is never opened with an old log. */
const ENTRIES = [`${SQLITE_FILE}-wal`, `${SQLITE_FILE}-shm`, ...FOLDERS, SQLITE_FILE] as const

interface Decision {
  /** The `<time>` in the names of both folders. */
  readonly stamp: string
}

const stagingOf = (directory: string, stamp: string): string => join(directory, STAGING + stamp)
const keptOf = (directory: string, stamp: string): string => join(directory, KEPT + stamp)

/** Creates an empty folder to unpack into and deletes the litter of killed restores. The caller has locked the directory. */
export async function makeStaging(directory: string, stamp: string): Promise<string> {
  for (const name of await readdir(directory))
    if (name.startsWith(STAGING) && name !== DECISION) rmSync(join(directory, name), { recursive: true, force: true })
  const staging = stagingOf(directory, stamp)
  await mkdir(staging, { mode: 0o700 })
  return staging
}

/** Decides for and completes the restore of the backup in the staging folder of `stamp`. Resolves with the folder of the old data. */
export async function swapIn(directory: string, stamp: string): Promise<string> {
  // A folder that is missing in the backup was empty; the old files in it must not remain.
  for (const folder of FOLDERS) await mkdir(join(stagingOf(directory, stamp), folder), { recursive: true, mode: 0o700 })
  await syncDirectory(stagingOf(directory, stamp))
  await writeDurably(join(directory, DECISION), JSON.stringify({ stamp } satisfies Decision) + '\n', 0o600)
  await finishRestore(directory)
  return keptOf(directory, stamp)
}

/** Whether a restore was decided but not completed. */
export const restorePending = (directory: string): boolean => existsSync(join(directory, DECISION))

/** Completes a decided restore. Resolves with true if there was one. The caller has locked the directory. */
export async function finishRestore(directory: string): Promise<boolean> {
  if (!restorePending(directory)) return false
  const { stamp } = JSON.parse(readFileSync(join(directory, DECISION), 'utf8')) as Decision
  const staging = stagingOf(directory, stamp)
  const kept = keptOf(directory, stamp)
  await mkdir(kept, { recursive: true, mode: 0o700 })
  const withDatabase = existsSync(join(staging, SQLITE_FILE))
  for (const name of ENTRIES) {
    const isSideFile = name.startsWith(`${SQLITE_FILE}-`)
    // An entry that is no longer in the staging folder was moved before.
    if (isSideFile ? !withDatabase : !existsSync(join(staging, name))) continue
    const current = join(directory, name)
    if (existsSync(current)) renameSync(current, join(kept, name))
    if (!isSideFile) renameSync(join(staging, name), current)
  }
  await syncDirectory(kept)
  await syncDirectory(directory)
  rmSync(staging, { recursive: true, force: true })
  rmSync(join(directory, DECISION))
  await syncDirectory(directory)
  return true
}
