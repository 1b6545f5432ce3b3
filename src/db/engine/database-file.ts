/**
 * Recognizes that the files of an open SQLite database were deleted or replaced. SQLite does not: it would go on writing to files that
 * no longer have a name, and every confirmed write would be lost with the process.
 */

import { statSync } from 'node:fs'

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
    const isInPlace = this.#files.every(({ path, device, inode }) => {
      const found = statSync(path, { bigint: true, throwIfNoEntry: false })
      return found?.dev === device && found.ino === inode
    })
    this.#nextCheck = isInPlace ? performance.now() + CHECK_MS : 0
    return isInPlace
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
