/** The folder of backups: its files, and a note beside each one that says how it was made and whether it was verified. */

import { readFileSync, rmSync, statSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'

import type { Localized } from '#lib/localized.ts'

import { DAY, systemClock } from '../clock.ts'
import { writeDurably } from '../files.ts'
import { uuid } from '../ids.ts'
import type { Origin } from './manifest.ts'

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
/** Before the name of a backup that is being uploaded. */
const UPLOAD = '.upload-'

/** A new name for a folder in which a backup is prepared or checked. */
export const workFolder = (place: Place): string => join(backupFolder(place), WORK + uuid())

/** Deletes what killed backups have left. */
export async function removeStale(place: Place): Promise<void> {
  const folder = backupFolder(place)
  for (const name of await readdir(folder)) {
    if (!name.startsWith(WORK) && !name.startsWith(UPLOAD)) continue
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

export const BACKUP_SOURCES = ['USER', 'SCHEDULE', 'COMMAND_LINE', 'UPLOAD'] as const

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
  /** Set by a verification; left out before, and by earlier versions. */
  readonly facts?: BackupFacts
  /** Why the backup was not made. */
  readonly problem: Localized | null
  readonly verification: {
    readonly state: 'GOOD' | 'DAMAGED' | 'FAILED'
    readonly at: number
    readonly problem: Localized | null
  } | null
}

/** Rows that administrators know, by the name of their table. */
export const COUNTED_TABLES = [
  'users',
  'organizations',
  'qr_codes',
  'assets',
  'activities',
  'messages',
  'files',
] as const

/** Facts about a backup for the preview of its restore. */
export interface BackupFacts {
  /** Epoch milliseconds. */
  readonly madeAt: number
  /** Of the program that has written it. */
  readonly version: string
  readonly database: 'sqlite' | 'postgres'
  readonly origin: Origin | null
  readonly rows: Readonly<Record<(typeof COUNTED_TABLES)[number], number>>
  /** Uploaded files, app packages and keys, and their bytes. */
  readonly files: number
  readonly fileBytes: number
  /** Bytes on the disk after it was unpacked. */
  readonly unpackedBytes: number
  /** From its SQLite database; null for PostgreSQL. */
  readonly contents: {
    /** Migrations that were applied. */
    readonly migrations: readonly { readonly name: string; readonly sha256: string }[]
    /** Epoch milliseconds; null if there are no rows. */
    readonly newestChange: number | null
    readonly administrators: readonly string[]
    /** The signed head of its operation log; null if it has none. */
    readonly head: SignedLogHead | null
    /** Whether the key in the backup has signed the head. */
    readonly isOwnKey: boolean
  } | null
}

export interface SignedLogHead {
  readonly rowId: number
  readonly hash: string
  readonly rowCount: number
  readonly brokenAt: number | null
  readonly signature: string
}

/** A backup in the folder, or one that could not be made and has left a note only. */
export interface FoundBackup {
  readonly name: string
  /** Undefined if there is no file. */
  readonly file?: { readonly size: number; readonly modifiedAt: number }
  /** The bytes that have arrived; undefined unless it is being uploaded. */
  readonly received?: { readonly size: number; readonly modifiedAt: number }
  /** Undefined for backups of the command line, and those that were copied into the folder. */
  readonly note?: BackupNote
}

/** The file of an upload that is not complete. */
export const uploadOf = (folder: string, name: string): string => join(folder, UPLOAD + name)

const noteOf = (folder: string, name: string): string => join(folder, `${name}.json`)

/** The newest first. Notes whose backup was deleted by hand are left out. */
export async function listBackups(folder: string): Promise<FoundBackup[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const all = new Set(names.map((name) => name.replace(UPLOAD, '').replace(/\.json$/, '')).filter(isBackupName))
  return [...all]
    .flatMap((name) => findBackup(folder, name) ?? [])
    .toSorted((a, b) => createdAtOf(b) - createdAtOf(a) || (a.name < b.name ? 1 : -1))
}

export const createdAtOf = ({ note, file, received }: FoundBackup): number =>
  note?.startedAt ?? (file ?? received)!.modifiedAt

/** Undefined if there is none, also for texts that are not names of backups. */
export function findBackup(folder: string, name: string): FoundBackup | undefined {
  if (!isBackupName(name)) return undefined
  const file = fileAt(join(folder, name))
  const note = readNote(folder, name)
  const received = file === undefined && note === undefined ? fileAt(uploadOf(folder, name)) : undefined
  if (received !== undefined) return { name, received }
  if (file === undefined && (note === undefined || note.state === 'READY')) return undefined
  return { name, ...(file && { file }), ...(note && { note }) }
}

function fileAt(path: string): FoundBackup['file'] {
  const found = statSync(path, { throwIfNoEntry: false })
  return found?.isFile() ? { size: found.size, modifiedAt: Math.round(found.mtimeMs) } : undefined
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
  for (const path of [uploadOf(folder, name), join(folder, name)]) rmSync(path, { force: true })
  rmSync(noteOf(folder, name), { force: true })
}
