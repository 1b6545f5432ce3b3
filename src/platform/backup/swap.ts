/**
 * Puts a checked backup in place of what is in the data directory, so that a kill at any moment leaves the old data or the new.
 *
 * The backup is unpacked and checked in `restore-<time>/` inside the data directory: the same file system, also when the directory
 * is a mount point or its parent is not ours. Until then nothing is touched, and the folder is litter. Then `restore.json` is
 * written: from that moment the restore is decided. Each entry is moved by two renames, the old one to `before-restore-<time>/`,
 * the new one to its place; whoever takes the directory's lock next (`finishRestore`) goes on where a killed one stopped.
 */

import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { syncDirectory, writeDurably } from '../files.ts'
import { FOLDERS, SQLITE_FILE } from './manifest.ts'

const DECISION = 'restore.json'
const STAGING = 'restore-'
const KEPT = 'before-restore-'

/** The database's side files go with it; they come first, so that no new database ever meets an old log. */
const ENTRIES = [`${SQLITE_FILE}-wal`, `${SQLITE_FILE}-shm`, ...FOLDERS, SQLITE_FILE] as const

interface Decision {
  /** Names both folders. */
  readonly stamp: string
}

const stagingOf = (directory: string, stamp: string): string => join(directory, STAGING + stamp)
const keptOf = (directory: string, stamp: string): string => join(directory, KEPT + stamp)

/** A fresh folder to unpack into; litter of killed restores goes. The caller holds the directory's lock. */
export async function makeStaging(directory: string, stamp: string): Promise<string> {
  for (const name of await readdir(directory))
    if (name.startsWith(STAGING) && name !== DECISION) rmSync(join(directory, name), { recursive: true, force: true })
  const staging = stagingOf(directory, stamp)
  await mkdir(staging, { mode: 0o700 })
  return staging
}

/** Decides for the backup unpacked in the staging folder of `stamp`, and carries it out. Resolves with where the old data is. */
export async function swapIn(directory: string, stamp: string): Promise<string> {
  // A folder that the backup lacks is empty in it, and must not keep the old one's files.
  for (const folder of FOLDERS) await mkdir(join(stagingOf(directory, stamp), folder), { recursive: true, mode: 0o700 })
  await syncDirectory(stagingOf(directory, stamp))
  await writeDurably(join(directory, DECISION), JSON.stringify({ stamp } satisfies Decision) + '\n', 0o600)
  await finishRestore(directory)
  return keptOf(directory, stamp)
}

/** Whether a restore was decided and not yet carried out. */
export const restorePending = (directory: string): boolean => existsSync(join(directory, DECISION))

/** Carries out a decided restore; true when there was one. The caller holds the directory's lock. */
export async function finishRestore(directory: string): Promise<boolean> {
  if (!restorePending(directory)) return false
  const { stamp } = JSON.parse(readFileSync(join(directory, DECISION), 'utf8')) as Decision
  const staging = stagingOf(directory, stamp)
  const kept = keptOf(directory, stamp)
  await mkdir(kept, { recursive: true, mode: 0o700 })
  const withDatabase = existsSync(join(staging, SQLITE_FILE))
  for (const name of ENTRIES) {
    const isSideFile = name.startsWith(`${SQLITE_FILE}-`)
    // What is no longer in the staging folder is in its place already.
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
