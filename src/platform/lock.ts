/** The data directory: made, checked, and held by one process at a time. */

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

import { systemClock } from './clock.ts'
import { diskTrouble } from './disk-trouble.ts'
import { uuid } from './ids.ts'

export const SUBDIRECTORIES = ['files', 'apps', 'backups', 'keys'] as const

/** The directory cannot be used; the message is one sentence for the person who runs the server. */
export class DataDirectoryError extends Error {
  override name = 'DataDirectoryError'
  constructor(
    /** `busy`: another process holds it. `storage`: it cannot be written or made. */
    readonly kind: 'busy' | 'storage',
    message: string,
  ) {
    super(message)
  }
}

/** Who holds a data directory, as it wrote itself down. */
export interface Holder {
  readonly pid: number
  /** What it does: serve, migrate, restore, admin. */
  readonly verb: string
  /** Epoch milliseconds. */
  readonly startedAt: number
  readonly host: string
  /** Where it listens, once it does. */
  readonly url?: string
}

export interface DirectoryLock {
  /** Tells other processes (healthcheck, doctor) where this one listens. */
  announce(url: string): void
  release(): void
}

const LOCK_FILE = 'lock.db'
const HOLDER_FILE = 'lock.json'

/** Directories held by this process. Asking SQLite twice in one process would be granted twice, and closing the second drop both. */
const held = new Set<string>()

/**
 * Makes `directory` (0700, with its folders) where it is missing, makes sure that it can be written, and takes it for this
 * process. The lock is the operating system's, taken by SQLite on an empty file: it ends with the process, however that ends.
 * @throws DataDirectoryError
 */
export function lockDataDirectory(directory: string, verb: string): DirectoryLock {
  prepare(directory)
  const real = realpathSync(directory)
  if (held.has(real)) throw busy(directory)
  const lock = new Database(join(directory, LOCK_FILE), { create: true })
  try {
    // Nothing is ever written to the file, so it can be neither corrupt nor stale.
    lock.run('PRAGMA journal_mode = MEMORY')
    lock.run('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if ((error as { code?: string }).code === 'SQLITE_BUSY') throw busy(directory)
    throw error
  }
  held.add(real)
  const holder: Holder = { pid: process.pid, verb, startedAt: systemClock.now(), host: hostname() }
  const write = (value: Holder): void =>
    writeFileSync(join(directory, HOLDER_FILE), JSON.stringify(value) + '\n', { mode: 0o600 })
  write(holder)
  return {
    announce: (url) => write({ ...holder, url }),
    release() {
      if (!held.delete(real)) return
      rmSync(join(directory, HOLDER_FILE), { force: true })
      lock.close()
    },
  }
}

/** What the holder of the lock wrote; undefined when nobody does or did. It may be stale: only the lock itself tells who lives. */
export function readHolder(directory: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(join(directory, HOLDER_FILE), 'utf8')) as Holder
  } catch {
    return undefined
  }
}

function busy(directory: string): DataDirectoryError {
  const holder = readHolder(directory)
  const who = holder ? ` (process ${holder.pid}${holder.host === hostname() ? '' : ` on ${holder.host}`})` : ''
  return new DataDirectoryError(
    'busy',
    `Another Tessera${who} already uses the data directory ${directory}: stop it first, or choose another with TESSERA_DATA_DIR.`,
  )
}

function prepare(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    if (!statSync(directory).isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' })
    tighten(directory)
    for (const name of SUBDIRECTORIES) mkdirSync(join(directory, name), { recursive: true, mode: 0o700 })
    probe(directory)
  } catch (error) {
    const sentence = diskTrouble(error, `The data directory ${directory}`)
    if (sentence === undefined) throw error
    throw new DataDirectoryError('storage', sentence)
  }
}

/** A directory made by somebody else's umask (a checkout, `mkdir`) is closed to other users; one owned by another user stays as it is. */
function tighten(directory: string): void {
  if (process.platform === 'win32' || (statSync(directory).mode & 0o077) === 0) return
  try {
    chmodSync(directory, 0o700)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error
  }
}

/** Enough for a disk that has no room left to say so. */
const PROBE_BYTES = 64 * 1024

/** Permissions and mount flags do not tell whether a write works: so write. */
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
