/** Bytes as files below one folder of the data directory. */

import { type Dirent, statSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { areFilesKept } from '../backup/under-way.ts'
import { diskTrouble } from '../disk-trouble.ts'
import { syncDirectory, writeDurably } from '../files.ts'
import { uuid } from '../ids.ts'
import {
  assertKey,
  BlobError,
  type BlobFacts,
  type BlobStore,
  type BlobTrouble,
  type ByteRange,
  isKey,
} from './port.ts'

const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/** A failure of the disk as a BlobError. */
export function diskError(error: unknown, folder: string): BlobError {
  if (error instanceof BlobError) return error
  const code = String((error as { code?: unknown } | null)?.code)
  const kind: BlobTrouble = FULL.has(code) ? 'full' : 'io'
  const subject = `The folder of files ${folder}`
  return new BlobError(kind, diskTrouble(error, subject) ?? `${subject} cannot be read or written (${code}).`, error)
}

/** For `catch`: ignores errors with these codes, for example because a file was deleted in the meantime. */
export const unless =
  (...codes: readonly string[]) =>
  (error: unknown): undefined => {
    if (!codes.includes(String((error as { code?: unknown } | null)?.code))) throw error
  }

/** Deletes a temporary file after a failure, which is more important than one of the deletion. */
export const discard = (path: string): Promise<void> => rm(path, { force: true }).catch(() => undefined)

const entriesOf = async (path: string): Promise<Dirent[]> =>
  (await readdir(path, { withFileTypes: true }).catch(unless('ENOENT', 'ENOTDIR'))) ?? []

export class LocalBlobs implements BlobStore {
  readonly storage = 'LOCAL'
  readonly place: string
  readonly #folder: string
  /** The dot keeps it out of backups: a restored database gets an id of its own. */
  readonly #ownerFile: string
  /** The folders of keys that are on disk, names included. */
  readonly #parents = new Map<string, Promise<void>>()

  /** `folder` must be on the same file system as the paths given to `put`. */
  constructor(folder: string) {
    this.place = `the folder ${folder}`
    this.#folder = folder
    this.#ownerFile = join(folder, '.installation')
  }

  put(key: string, path: string): Promise<void> {
    return this.#guarded(async () => {
      const target = this.#pathOf(key)
      const parent = dirname(target)
      try {
        await this.#prepare(parent)
        const handle = await open(path, 'r+')
        try {
          await handle.sync()
        } finally {
          await handle.close()
        }
        await rename(path, target)
        await syncDirectory(parent)
      } catch (error) {
        // Somebody may have deleted the folder: the next upload creates it again.
        this.#parents.delete(parent)
        await discard(path)
        throw error
      }
    })
  }

  /**
   * Creates the folder of a key. The first upload into it after a start also syncs the names above, which an earlier process may have
   * created without the sync; later uploads, and those at the same time, wait for that one.
   */
  #prepare(parent: string): Promise<void> {
    let prepared = this.#parents.get(parent)
    if (prepared === undefined) {
      prepared = this.#create(parent)
      this.#parents.set(parent, prepared)
      prepared.catch(() => this.#parents.delete(parent))
    }
    return prepared
  }

  async #create(parent: string): Promise<void> {
    await mkdir(parent, { recursive: true, mode: 0o700 })
    for (let above = dirname(parent); above.length >= this.#folder.length; above = dirname(above))
      await syncDirectory(above)
    await syncDirectory(dirname(this.#folder))
  }

  read(key: string, range?: ByteRange): Promise<Blob | undefined> {
    return this.#guarded(async () => {
      // Not awaited: Bun opens the file on this thread too, and sends the headers in one packet only if nothing was awaited before.
      const facts = statSync(this.#pathOf(key), { throwIfNoEntry: false })
      if (!facts?.isFile()) return undefined
      const file = Bun.file(this.#pathOf(key))
      // Bun does not limit the size of a slice to that of the file.
      return range === undefined ? file : file.slice(Math.min(range.start, facts.size), Math.min(range.end, facts.size))
    })
  }

  stat(key: string): Promise<BlobFacts | undefined> {
    return this.#guarded(async () => {
      const facts = await stat(this.#pathOf(key)).catch(unless('ENOENT', 'ENOTDIR'))
      return facts?.isFile() ? { key, size: facts.size, modifiedAt: Math.floor(facts.mtimeMs) } : undefined
    })
  }

  /** Without a sync: bytes that come back after a power cut are orphans, which the clean-up deletes like those of a backup. */
  delete(key: string): Promise<void> {
    return this.#guarded(async () => {
      if (!(await areFilesKept(this.#folder))) await rm(this.#pathOf(key), { force: true })
    })
  }

  list(prefix: string): AsyncIterable<BlobFacts> {
    return this.#walk('', prefix)
  }

  /** Leaves out names of no key (a dot in front, `lost+found`), and folders that cannot contain a key with `prefix`. */
  async *#walk(parent: string, prefix: string): AsyncGenerator<BlobFacts> {
    const entries = await this.#guarded(() => entriesOf(join(this.#folder, parent)))
    for (const entry of entries) {
      const key = `${parent}${entry.name}`
      const below = `${key}/`
      if (!isKey(key)) continue
      if (entry.isDirectory()) {
        if (below.startsWith(prefix) || prefix.startsWith(below)) yield* this.#walk(below, prefix)
      } else if (key.startsWith(prefix)) {
        const facts = await this.stat(key)
        if (facts) yield facts
      }
    }
  }

  presignPut(): undefined {
    return undefined
  }

  owner(): Promise<string | undefined> {
    return this.#guarded(
      async () => (await readFile(this.#ownerFile, 'utf8').catch(unless('ENOENT', 'ENOTDIR')))?.trim() || undefined,
    )
  }

  setOwner(id: string): Promise<void> {
    return this.#guarded(async () => {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      await writeDurably(this.#ownerFile, `${id}\n`, 0o600)
    })
  }

  check(): Promise<void> {
    return this.#guarded(async () => {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      const id = uuid()
      const probe = join(this.#folder, `.probe-${id}`)
      try {
        await Bun.write(probe, id)
        const read = await Bun.file(probe).text()
        if (read !== id)
          throw new BlobError('io', `The folder of files ${this.#folder} does not return the bytes written to it.`)
      } finally {
        await rm(probe, { force: true })
      }
    })
  }

  #pathOf(key: string): string {
    return join(this.#folder, assertKey(key))
  }

  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw error instanceof TypeError ? error : diskError(error, this.#folder)
    }
  }
}
