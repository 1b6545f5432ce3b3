/**
 * Recognizes that the files of an open SQLite database were deleted or replaced. SQLite does not: it would go on writing to files that
 * no longer have a name, and every confirmed write would be lost with the process.
 */

import { existsSync, renameSync, statSync } from 'node:fs'

import { storageError } from '../errors.ts'

/**
 * Writes check this often, in milliseconds. Not each time: file systems with fine timestamps (Linux 6.13) give a file whose time was
 * just read a new one at the next write, so that each fsync has to write the inode too, and takes 0.23 instead of 0.16 ms.
 */
const CHECK_MS = 100

interface Identity {
  readonly path: string
  readonly device: bigint
  readonly inode: bigint
}

function isSame({ path, device, inode }: Identity): boolean {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found?.dev === device && found.ino === inode
}

export class DatabaseFile {
  readonly #files: readonly Identity[]
  /** By `performance.now`. */
  #nextCheck = 0

  /** `path`: a database in WAL mode that has been read, so that its log exists too. */
  constructor(readonly path: string) {
    this.#files = [path, `${path}-wal`].flatMap((name) => {
      const found = statSync(name, { bigint: true, throwIfNoEntry: false })
      return found ? [{ path: name, device: found.dev, inode: found.ino }] : []
    })
  }

  /** Whether the paths still lead to the files that were opened. */
  get isInPlace(): boolean {
    const isInPlace = this.#files.every(isSame)
    this.#nextCheck = isInPlace ? performance.now() + CHECK_MS : 0
    return isInPlace
  }

  /**
   * To be called after the database was closed. If another file is in its place, moves the log away, because the next start would write it into
   * that file. Returns the new path of the log, undefined if there was nothing to do.
   */
  moveLogAway(): string | undefined {
    const log = this.#files.find(({ path }) => path !== this.path)
    if (log === undefined || !existsSync(this.path) || this.isInPlace || !isSame(log)) return undefined
    let aside = `${this.path}.replaced`
    for (let i = 2; existsSync(`${aside}-wal`); i++) aside = `${this.path}.replaced-${i}`
    for (const suffix of ['-shm', '-wal'])
      if (existsSync(this.path + suffix)) renameSync(this.path + suffix, aside + suffix)
    return `${aside}-wal`
  }

  /** @throws StorageError of kind `gone` */
  check(): void {
    if (!this.isInPlace) throw storageError('gone', this.path)
  }

  /** For each group of writes: checks now and then, and every time while the files are gone. @throws StorageError of kind `gone` */
  checkNowAndThen(): void {
    if (performance.now() >= this.#nextCheck) this.check()
  }
}
