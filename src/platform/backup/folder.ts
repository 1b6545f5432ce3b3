/** The folder of backups: its files, and a note beside each one that says how it was made and whether it was verified. */

import { readFileSync, rmSync, statSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'

import type { Localized } from '#lib/localized.ts'

import { DAY, systemClock } from '../clock.ts'
import { writeDurably } from '../files.ts'
import { uuid } from '../ids.ts'

interface Place {
  readonly dataDir: string
  readonly backupDir: string
}

/** The folder into which the server and, without a path, the command line write backups. */
export const backupFolder = ({ dataDir, backupDir }: Place): string => backupDir || join(dataDir, 'backups')

export const makeBackupFolder = async (place: Place): Promise<void> =>
  void (await mkdir(backupFolder(place), { recursive: true, mode: 0o700 }))

/** Age at which the files of a killed backup are deleted. No backup takes that long. */
const STALE_MS = DAY
const WORK = '.backup-'

/** A new name for a folder in which a backup is prepared or checked. */
export const workFolder = (place: Place): string => join(backupFolder(place), WORK + uuid())

/** Deletes what killed backups have left. */
export async function removeStale(place: Place): Promise<void> {
  const folder = backupFolder(place)
  for (const name of await readdir(folder)) {
    if (!name.startsWith(WORK)) continue
    const found = statSync(join(folder, name), { throwIfNoEntry: false })
    if (found && found.mtimeMs < systemClock.now() - STALE_MS)
      rmSync(join(folder, name), { recursive: true, force: true })
  }
}

/** The names of backups. Files with other names, such as the copies that migrations make, are not listed. */
const NAME = /^[A-Za-z0-9][\w.-]{0,120}\.tar\.(?:zst|gz)$/
export const isBackupName = (name: string): boolean => NAME.test(name)

/** The time in UTC as `20300102-030405`. */
export const stampOf = (time: Date): string => time.toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15)

/** The usual name of a backup that is made at `time`. */
export const nameAt = (time: number, gzip: boolean): string =>
  `tessera-${stampOf(new Date(time))}.tar.${gzip ? 'gz' : 'zst'}`

export const BACKUP_SOURCES = ['USER', 'SCHEDULE', 'COMMAND_LINE'] as const

export interface BackupNote {
  /** At the time of the note: a server that is killed leaves RUNNING. */
  readonly state: 'RUNNING' | 'READY' | 'FAILED'
  readonly source: (typeof BACKUP_SOURCES)[number]
  readonly createdBy: { readonly id: number; readonly name: string } | null
  /** Epoch milliseconds. */
  readonly startedAt: number
  readonly finishedAt: number | null
  /** Uploaded files, app packages and keys; rows of all tables. */
  readonly files: number | null
  readonly rows: number | null
  /** Why the backup was not made. */
  readonly problem: Localized | null
  readonly verification: {
    readonly state: 'GOOD' | 'DAMAGED' | 'FAILED'
    readonly at: number
    readonly problem: Localized | null
  } | null
}

/** A backup in the folder, or one that could not be made and has left a note only. */
export interface FoundBackup {
  readonly name: string
  /** Undefined if there is no file. */
  readonly file?: { readonly size: number; readonly modifiedAt: number }
  /** Undefined for backups of the command line, and those that were copied into the folder. */
  readonly note?: BackupNote
}

const noteOf = (folder: string, name: string): string => join(folder, `${name}.json`)

/** The newest first. Notes whose backup was deleted by hand are left out. */
export async function listBackups(folder: string): Promise<FoundBackup[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const all = new Set(names.map((name) => name.replace(/\.json$/, '')).filter(isBackupName))
  return [...all]
    .flatMap((name) => findBackup(folder, name) ?? [])
    .toSorted((a, b) => createdAtOf(b) - createdAtOf(a) || (a.name < b.name ? 1 : -1))
}

export const createdAtOf = ({ note, file }: FoundBackup): number => note?.startedAt ?? file!.modifiedAt

/** Undefined if there is none, also for texts that are not names of backups. */
export function findBackup(folder: string, name: string): FoundBackup | undefined {
  if (!isBackupName(name)) return undefined
  const found = statSync(join(folder, name), { throwIfNoEntry: false })
  const file = found?.isFile() ? { size: found.size, modifiedAt: Math.round(found.mtimeMs) } : undefined
  const note = readNote(folder, name)
  if (file === undefined && (note === undefined || note.state === 'READY')) return undefined
  return { name, ...(file && { file }), ...(note && { note }) }
}

/** A note that is damaged is treated like a missing one: the backup itself may be good. */
function readNote(folder: string, name: string): BackupNote | undefined {
  try {
    const note = JSON.parse(readFileSync(noteOf(folder, name), 'utf8')) as Partial<BackupNote> | null
    return typeof note?.startedAt === 'number' && note.state !== undefined ? (note as BackupNote) : undefined
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

export const writeNote = (folder: string, name: string, note: BackupNote): Promise<void> =>
  writeDurably(noteOf(folder, name), `${JSON.stringify(note, null, 1)}\n`, 0o600)

/** The note goes last, so that a process that is killed in between leaves nothing that looks like an unknown backup. */
export function deleteBackup(folder: string, name: string): void {
  if (!isBackupName(name)) throw new TypeError(`${name} is not the name of a backup`)
  rmSync(join(folder, name), { force: true })
  rmSync(noteOf(folder, name), { force: true })
}
