/** Writes and verifies backups, for the command line and for the process that the server starts (cli/backup-process.ts). */

import { rmSync, statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'

import type { Config } from '#config/config.ts'
import { removeStale, workFolder } from '#platform/backup/folder.ts'
import {
  BackupError,
  BackupRefusal,
  compareRows,
  type DatabaseFacts,
  type Manifest,
  POSTGRES_FILE,
  SIGNING_KEY,
  SQLITE_FILE,
} from '#platform/backup/manifest.ts'
import { unpackArchive } from '#platform/backup/read.ts'
import { restorePending } from '#platform/backup/swap.ts'
import { whileFilesAreKept } from '#platform/backup/under-way.ts'
import { dataMembers, type Member, writeArchive } from '#platform/backup/write.ts'
import { filesFolder } from '#platform/blobs/index.ts'
import { systemClock } from '#platform/clock.ts'
import { version } from '#platform/version.ts'

import * as db from './maintenance.ts'

/** The part of the configuration that says where the data is. */
export type DataPlace = Pick<
  Config,
  'dataDir' | 'databaseUrl' | 'databaseReadUrl' | 'sharedFiles' | 'backupDir' | 'publicUrl'
>

export interface Progress {
  /** Called once, when the number of bytes to read is known. */
  onTotal(bytes: number): void
  /** Called with the number of bytes that were read since the last call. */
  onBytes(count: number): void
}

export interface BackupOptions extends Progress {
  readonly place: DataPlace
  /** Path of the new file. */
  readonly output: string
  readonly gzip: boolean
  readonly signal: AbortSignal
  /** The folder for everything that is unfinished, beside `output`. */
  readonly work?: string
}

/**
 * Writes a backup beside a running server. After an error, nothing is left.
 * @throws BackupRefusal, StorageError
 */
export async function createBackup(options: BackupOptions): Promise<{ manifest: Manifest; size: number }> {
  const { place, output, gzip, signal, onTotal, onBytes } = options
  const files = filesFolder(place)
  const createdAt = new Date(systemClock.now()).toISOString()
  await removeStale(place)
  const work = options.work ?? workFolder(place)
  const temporary = options.work === undefined ? {} : { temporary: join(work, 'archive') }
  await mkdir(work, { mode: 0o700 })
  try {
    return await whileFilesAreKept(files, async () => {
      // The database comes first: a file is on disk before its row, so every file that the copy refers to is found afterwards. A replica has all
      // deletions of before, and files of later ones are kept.
      const { facts, member } = await copyDatabase(place, work, signal)
      signal.throwIfAborted()
      const members = [member, ...(await dataMembers(place.dataDir, files))]
      onTotal(members.reduce((sum, { size }) => sum + size, 0))
      const origin = { host: hostname(), publicUrl: place.publicUrl }
      const head = { format: 'tessera-backup', version: 1, tessera: version, createdAt, origin, ...facts } as const
      return writeArchive({ output, ...temporary, gzip, members, facts: head, onBytes, signal })
    })
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

async function copyDatabase(
  { databaseUrl, databaseReadUrl, dataDir }: DataPlace,
  work: string,
  signal: AbortSignal,
): Promise<{ facts: DatabaseFacts; member: Member }> {
  if (databaseUrl !== '') {
    const path = join(work, POSTGRES_FILE)
    const counted = await db.dumpPostgres({ databaseUrl, databaseReadUrl }, path, signal)
    return {
      facts: { database: 'postgres', ...counted },
      member: { name: POSTGRES_FILE, path, size: statSync(path).size },
    }
  }
  const file = db.databaseFile(dataDir)
  const path = join(work, SQLITE_FILE)
  const before = statSync(file, { throwIfNoEntry: false })
  if (restorePending(dataDir))
    throw new BackupRefusal('A restore is under way or was interrupted: start the server, which completes it.', 3)
  if (!before) throw new BackupRefusal(`There is no database in ${dataDir} to back up.`, 2)
  db.copySqlite(file, path)
  // Otherwise damage would be noticed only when the backup is needed.
  db.checkSqlite(path)
  if (restorePending(dataDir) || statSync(file).ino !== before.ino)
    throw new BackupRefusal('The data was restored during the backup: run the backup again.', 3)
  return {
    facts: { database: 'sqlite', tables: db.countSqlite(path), ...db.logHeadSqlite(path) },
    member: { name: SQLITE_FILE, path, size: statSync(path).size },
  }
}

/**
 * Checks everything that can be checked without changing data, and unpacks the backup into the empty `folder`.
 * @throws BackupError, BackupRefusal
 */
export function unpackBackup(place: DataPlace, archive: string, folder: string, progress: Progress): Promise<Manifest> {
  return unpackChecked(place, archive, folder, progress, () => true)
}

/**
 * The same without unpacking: needs space for the database only.
 * @throws BackupError, BackupRefusal
 */
export async function verifyBackup(place: DataPlace, archive: string, progress: Progress): Promise<Manifest> {
  await removeStale(place)
  const work = workFolder(place)
  await mkdir(work, { mode: 0o700 })
  try {
    return await unpackChecked(place, archive, work, progress, (path) => path === SQLITE_FILE)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/**
 * Checks everything that does not depend on this server: the backup may be of the other kind of database, or of a newer version. The database
 * and the key are in the folder `work` while `look` runs.
 * @throws BackupError
 */
export async function inspectBackup<T>(
  place: DataPlace,
  archive: string,
  progress: Progress,
  work: string,
  look: (manifest: Manifest) => Promise<T>,
): Promise<T> {
  await removeStale(place)
  await mkdir(work, { mode: 0o700 })
  try {
    progress.onTotal(statSync(archive).size)
    const isNeeded = (path: string): boolean => path === SQLITE_FILE || path === SIGNING_KEY
    const manifest = await unpackArchive(archive, work, progress.onBytes, isNeeded)
    requireDatabase(manifest, archive)
    if (manifest.database === 'sqlite') {
      const file = join(work, SQLITE_FILE)
      explained(archive, () => db.checkSqlite(file))
      compareRows(manifest.tables, db.countSqlite(file), archive)
    }
    return await look(manifest)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

function requireDatabase({ database, files }: Manifest, archive: string): void {
  const name = database === 'postgres' ? POSTGRES_FILE : SQLITE_FILE
  if (!files.some(({ path }) => path === name))
    throw new BackupError(`${archive} cannot be used: it contains no database.`)
}

async function unpackChecked(
  place: DataPlace,
  archive: string,
  folder: string,
  { onTotal, onBytes }: Progress,
  isNeeded: (path: string) => boolean,
): Promise<Manifest> {
  onTotal(statSync(archive).size)
  const manifest = await unpackArchive(archive, folder, onBytes, isNeeded)
  const isPostgres = place.databaseUrl !== ''
  if ((manifest.database === 'postgres') !== isPostgres)
    throw new BackupRefusal(
      `The backup contains a ${manifest.database === 'postgres' ? 'PostgreSQL' : 'SQLite'} database: ${isPostgres ? 'unset' : 'set'} TESSERA_DATABASE_URL to restore it.`,
      2,
    )
  requireDatabase(manifest, archive)
  if (!isPostgres) verifySqlite(manifest, join(folder, SQLITE_FILE), archive)
  return manifest
}

function verifySqlite(manifest: Manifest, file: string, archive: string): void {
  explained(archive, () => {
    db.checkSqlite(file)
    db.sqliteSchema(file)
  })
  compareRows(manifest.tables, db.countSqlite(file), archive)
}

/** Runs `check` and says of its error that the archive cannot be used. */
function explained(archive: string, check: () => void): void {
  try {
    check()
  } catch (error) {
    if (!(error instanceof db.StorageError) || (error.kind !== 'corrupt' && error.kind !== 'schema')) throw error
    throw new BackupError(
      `${archive} cannot be used: ${error.kind === 'corrupt' ? 'its database is damaged' : `its database was written by a newer version`}.`,
    )
  }
}
