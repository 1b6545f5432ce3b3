/**
 * Keeps SQLite's write-ahead log short. SQLite's own way, a checkpoint inside the commit that reaches 1,000 pages, would block the
 * event loop for 5 to 20 ms each time; here a worker copies the log into the database file.
 *
 * Under steady writing the worker never catches up with the last pages, and the log starts over only when it was copied
 * completely. So once the log is long, the writer copies the small rest itself, right after the worker has copied nearly all of it.
 *
 * An fsync of a file that grew waits for the file system's journal too. A log that starts over is written in place, but each start
 * of the server begins a new one. So the log is enlarged before it is needed, a megabyte at a time, with zeros. They are no valid
 * frames (SQLite refuses page number 0), so recovery ends where they begin.
 *
 * Measured in docs/adr/0003-group-commit.md.
 */

import { closeSync, constants, fstatSync, openSync, statfsSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

import type { Log } from '#platform/log.ts'

import { asStorageError, StorageError } from '../errors.ts'
import type { Rows } from '../query/builders.ts'
import type { StorageState } from '../storage-state.ts'
import type { DatabaseFile } from './database-file.ts'
import type { SqliteTask } from './sqlite.worker.ts'
import { WorkerHost, workerUrl } from './worker-host.ts'

/** Lengths of the log in pages of 4 KB. */
export interface LogPages {
  /** From this many pages not yet copied, the worker copies them. */
  readonly checkpoint: number
  /** From this length, the writer copies the rest, so that the log starts over. */
  readonly restart: number
  /** From this length, SQLite checkpoints by itself (`wal_autocheckpoint`): it gets this long only if the worker fails. */
  readonly fallback: number
}

export const LOG_PAGES: LogPages = { checkpoint: 2000, restart: 4000, fallback: 32_000 }

/** Bytes of a log file (https://sqlite.org/fileformat2.html#walformat): its header, and a frame with a page of the default size. */
const LOG_HEADER = 32
const LOG_FRAME = 24 + 4096

const ZEROS = new Uint8Array(1024 * 1024)
/** The log is enlarged when less than this is left, in bytes. */
const RESERVE = ZEROS.length / 4
/** With less free space in the file system than this, in bytes, the log is not enlarged ahead: the space may be needed elsewhere. */
const LEAVE_FREE = 64 * 1024 * 1024

/** Enlarges the log file before SQLite needs the space. */
class LogFile {
  #descriptor = -1
  #size = 0
  /** A disk that refused once is not asked again. */
  #refused = false

  constructor(readonly path: string) {}

  /** `pages`: length of the log. To be called by the writer between two transactions, as nothing is appended meanwhile. */
  reserve(pages: number): void {
    const needed = LOG_HEADER + pages * LOG_FRAME + RESERVE
    if (needed <= this.#size || this.#refused) return
    try {
      // The file must exist: another program may have deleted it together with the database. Appending cannot overwrite a frame.
      if (this.#descriptor < 0) this.#descriptor = openSync(this.path, constants.O_WRONLY | constants.O_APPEND)
      this.#size = fstatSync(this.#descriptor).size
      if (needed <= this.#size) return
      const { bavail, bsize } = statfsSync(dirname(this.path))
      this.#refused = bavail * bsize < LEAVE_FREE
      if (!this.#refused) this.#size += writeSync(this.#descriptor, ZEROS)
    } catch {
      // SQLite will meet the same trouble and report it, if it is more than a lack of space to spare.
      this.#refused = true
    }
  }

  close(): void {
    if (this.#descriptor >= 0) closeSync(this.#descriptor)
    this.#descriptor = -1
  }
}

export class Checkpointer {
  readonly #worker = new WorkerHost<SqliteTask, Rows>(workerUrl('db/engine/sqlite.worker.ts'))
  readonly #logFile: LogFile
  #running: Promise<void> | undefined
  /** The worker's last checkpoint succeeded, and the writer has not used it yet to start the log over. */
  #copied = false

  /** `writer`: the store's writing connection. */
  constructor(
    readonly writer: { rows(sql: string, params: unknown[]): Rows },
    readonly file: DatabaseFile,
    readonly storage: StorageState,
    readonly log: Log,
    readonly pages: LogPages,
  ) {
    this.#logFile = new LogFile(`${file.path}-wal`)
  }

  /** To be called after each commit. */
  checkpointIfNeeded(): void {
    try {
      const [, length, copied] = this.writer.rows('PRAGMA wal_checkpoint(NOOP)', [])[0] as [number, number, number]
      this.#logFile.reserve(length)
      if (this.#running) return
      if (this.#copied && length >= this.pages.restart) {
        this.writer.rows('PRAGMA wal_checkpoint(PASSIVE)', [])
        this.#copied = false
      } else if (length - copied >= this.pages.checkpoint && this.file.isInPlace) {
        // The worker opens the file by its path, and would otherwise copy the log into another database.
        this.#running = this.#checkpoint().finally(() => (this.#running = undefined))
      }
    } catch (error) {
      this.#warn(error)
    }
  }

  async #checkpoint(): Promise<void> {
    this.#copied = false
    try {
      await this.#worker.run({ kind: 'checkpoint', file: this.file.path })
      this.#copied = true
    } catch (error) {
      this.#warn(asStorageError(error, this.file.path))
    }
  }

  #warn(error: unknown): void {
    if (error instanceof StorageError) this.storage.failed(error)
    else this.log.warn('WAL checkpoint failed', { error })
  }

  /** Waits for a running checkpoint. */
  async close(): Promise<void> {
    await this.#running
    this.#worker.stop()
    this.#logFile.close()
  }
}
