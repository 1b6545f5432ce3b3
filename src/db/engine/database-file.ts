/**
 * Recognizes that the files of an open SQLite database were deleted or replaced. SQLite does not: it would go on writing to files that
 * no longer have a name, and every confirmed write would be lost with the process.
 */

import { statSync } from 'node:fs'

import { storageError } from '../errors.ts'

interface Identity {
  readonly path: string
  readonly device: bigint
  readonly inode: bigint
}

export class DatabaseFile {
  readonly #files: readonly Identity[]

  /** `path`: a database in WAL mode that has been read, so that its log exists too. */
  constructor(readonly path: string) {
    this.#files = [path, `${path}-wal`].flatMap((name) => {
      const found = statSync(name, { bigint: true, throwIfNoEntry: false })
      return found ? [{ path: name, device: found.dev, inode: found.ino }] : []
    })
  }

  /** Whether the paths still lead to the files that were opened. Takes about 5 µs. */
  get isInPlace(): boolean {
    return this.#files.every(({ path, device, inode }) => {
      const found = statSync(path, { bigint: true, throwIfNoEntry: false })
      return found?.dev === device && found.ino === inode
    })
  }

  /** @throws StorageError of kind `gone` */
  check(): void {
    if (!this.isInPlace) throw storageError('gone', this.path)
  }
}
