/** Creates and checks the data directory, and locks it for one process at a time. */

import { Database } from 'bun:sqlite'
import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'

import { FOLDERS } from './backup/manifest.ts'
import { restorePending } from './backup/swap.ts'
import { systemClock } from './clock.ts'
import { compareDatabase, type DatabaseIdentity, identifyDatabase, replacedSentence } from './database-identity.ts'
import { diskTrouble } from './disk-trouble.ts'
import { uuid } from './ids.ts'

export const SUBDIRECTORIES = ['files', 'apps', 'backups', 'keys'] as const

/** The directory cannot be used. The message is one sentence for the operator. */
export class DataDirectoryError extends Error {
  override name = 'DataDirectoryError'
  constructor(
    /** `busy`: another process has locked it. `storage`: it cannot be created or written. `damaged`: the lock file is not one. */
    readonly kind: 'busy' | 'storage' | 'damaged',
    message: string,
  ) {
    super(message)
  }
}

/** The process that has locked a data directory, as recorded by itself. */
export interface Holder {
  readonly pid: number
  /** Its command: serve, migrate, restore, admin. */
  readonly verb: string
  /** Epoch milliseconds. */
  readonly startedAt: number
  readonly host: string
  /** The address it listens on; undefined before. */
  readonly url?: string
  /** The open SQLite database. Kept until it is closed properly. */
  readonly files?: DatabaseIdentity
}

export interface DirectoryLock {
  /** Records the address of this process for others (healthcheck, doctor), and the database files that it has opened. */
  announce(url: string): void
  /** To be called when the database was closed and others will be put in its place. */
  forgetDatabase(): void
  release(): void
}

const LOCK_FILE = 'lock.db'
const HOLDER_FILE = 'lock.json'

/** Directories locked by this process. SQLite grants one process the same lock twice, and closing the second would release both. */
const held = new Set<string>()

/**
 * Creates `directory` (mode 0700) and its folders if they are missing, checks that it can be written, and locks it for this process.
 * The lock is the operating system's, taken by SQLite on an empty file: it ends with the process, even if that is killed.
 * @throws DataDirectoryError
 */
export function lockDataDirectory(directory: string, verb: string): DirectoryLock {
  explained(directory, () => prepare(directory))
  const real = realpathSync(directory)
  if (held.has(real)) throw busy(directory)
  const lock = openLock(directory)
  held.add(real)
  let files = readHolder(directory)?.files
  const release = (): void => {
    if (!held.delete(real)) return
    // After the database was moved away, the next start must recognize another file in its place.
    if (compareDatabase(directory, files) === 'same') rmSync(join(directory, HOLDER_FILE), { force: true })
    lock.close()
  }
  const holder = (): Holder => ({
    pid: process.pid,
    verb,
    startedAt,
    host: hostname(),
    ...(files === undefined ? {} : { files }),
  })
  const startedAt = systemClock.now()
  const write = (value: Holder): void =>
    writeFileSync(join(directory, HOLDER_FILE), JSON.stringify(value) + '\n', { mode: 0o600 })
  try {
    explained(directory, () => {
      // A restore moves the log away itself.
      if (verb !== 'restore') refuseReplaced(directory)
      makeFolders(directory)
      write(holder())
    })
  } catch (error) {
    release()
    throw error
  }
  return {
    announce(url) {
      files = identifyDatabase(directory)
      write({ ...holder(), url })
    },
    forgetDatabase() {
      files = undefined
      write(holder())
    },
    release,
  }
}

function openLock(directory: string): Database {
  const path = join(directory, LOCK_FILE)
  const lock = new Database(path, { create: true })
  try {
    // The file is never written, so it cannot be stale.
    lock.run('PRAGMA journal_mode = MEMORY')
    lock.run('BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock.close()
    const { code } = error as { code?: string }
    if (code === 'SQLITE_BUSY') throw busy(directory)
    if (code !== 'SQLITE_NOTADB') throw error
    throw new DataDirectoryError(
      'damaged',
      `${path} is damaged: make sure that no other Tessera uses the directory, then delete the file.`,
    )
  }
}

/** The record of the process that has locked the directory, undefined if there is none. It is stale if that process was killed. */
export function readHolder(directory: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(join(directory, HOLDER_FILE), 'utf8')) as Holder
  } catch {
    return undefined
  }
}

/**
 * To be called before the SQLite database of the directory is opened.
 * @throws DataDirectoryError if it is another file than the one that its log belongs to
 */
export function refuseReplaced(directory: string): void {
  if (compareDatabase(directory, readHolder(directory)?.files) === 'replaced')
    throw new DataDirectoryError('damaged', replacedSentence(directory, join(directory, HOLDER_FILE)))
}

function busy(directory: string): DataDirectoryError {
  const holder = readHolder(directory)
  const who = holder ? ` (process ${holder.pid}${holder.host === hostname() ? '' : ` on ${holder.host}`})` : ''
  return new DataDirectoryError(
    'busy',
    `Another Tessera${who} already uses the data directory ${directory}: stop it first, or choose another with TESSERA_DATA_DIR.`,
  )
}

/** Runs `work` and converts errors of the disk to a DataDirectoryError. */
function explained(directory: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    const sentence = diskTrouble(error, `The data directory ${directory}`)
    if (sentence === undefined) throw error
    throw new DataDirectoryError('storage', sentence)
  }
}

function prepare(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  if (!statSync(directory).isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' })
  tighten(directory)
  probe(directory)
}

/** The folders of an interrupted restore are created by completing it: an empty one would be in the way of the next rename. */
function makeFolders(directory: string): void {
  const restored: readonly string[] = restorePending(directory) ? FOLDERS : []
  for (const name of SUBDIRECTORIES)
    if (!restored.includes(name)) mkdirSync(join(directory, name), { recursive: true, mode: 0o700 })
}

/** Closes a directory with a wider mode (from a checkout or `mkdir`) to other users. One of another owner is not changed. */
function tighten(directory: string): void {
  if (process.platform === 'win32' || (statSync(directory).mode & 0o077) === 0) return
  try {
    chmodSync(directory, 0o700)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error
  }
}

/** Enough to notice a full disk. */
const PROBE_BYTES = 64 * 1024

/** Writes a file, because permissions and mount flags do not show whether writing works. */
function probe(directory: string): void {
  const path = join(directory, `.probe-${uuid()}`)
  const fd = openSync(path, 'wx', 0o600)
  try {
    writeFileSync(fd, new Uint8Array(PROBE_BYTES))
    fsyncSync(fd)
  } finally {
    closeSync(fd)
    rmSync(path, { force: true })
  }
}
