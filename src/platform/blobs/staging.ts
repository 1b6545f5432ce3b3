/**
 * Receives uploads into temporary files, so that no body is ever whole in memory. The folder is on the same file system as the local
 * blob store, which takes a file over by renaming it. Its name begins with a dot, so backups leave it out.
 */

import { type FileHandle, mkdir, open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { DAY, systemClock } from '../clock.ts'
import { uuid } from '../ids.ts'
import { discard, diskError, unless } from './local.ts'

/** A complete file on local disk that belongs to one request. */
export interface StagedFile {
  readonly path: string
  /** Bytes. */
  readonly size: number
  /** Hex. */
  readonly sha256: string
  /** Deletes the file, unless the blob store has taken it over. Never rejects: the next start deletes remaining files. */
  dispose(): Promise<void>
}

/** The source has more bytes than allowed. Nothing of it is left. */
export class TooManyBytes extends Error {
  override name = 'TooManyBytes'
}

export interface Staging {
  /** A path for a new temporary file of the server itself, for example a re-encoded image. */
  newPath(): Promise<string>
  /** Writes all of `source` to a temporary file. @throws TooManyBytes, BlobError; errors of the source are passed on */
  receive(source: AsyncIterable<Uint8Array>, maxBytes: number): Promise<StagedFile>
  /** Deletes the files that an earlier process left; in a shared folder those of the last day stay, because other processes may use them. */
  clear(): Promise<void>
}

/**
 * A large file is flushed to the disk while it arrives, after each of these bytes, so that the blob store has less to flush at its end:
 * 20 MB take 15 ms instead of 20. Most photos, which are only read and deleted, are smaller.
 */
const FLUSH_BYTES = 8 * 1024 * 1024

/** In a folder that several processes share, the age at which a file is abandoned. No upload takes that long. */
const ABANDONED_MS = DAY

export function createStaging(folder: string, { isShared = false } = {}): Staging {
  /** Awaits a call of the file system. */
  const disk = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      throw diskError(error, folder)
    }
  }

  let created: Promise<unknown> | undefined
  const create = (): Promise<unknown> =>
    (created ??= disk(mkdir(folder, { recursive: true, mode: 0o700 })).catch((error: unknown) => {
      created = undefined
      throw error
    }))

  async function newPath(): Promise<string> {
    await create()
    return join(folder, uuid())
  }

  /** Resolves with the size and the hash. */
  async function copy(source: AsyncIterable<Uint8Array>, handle: FileHandle, maxBytes: number) {
    const hash = new Bun.CryptoHasher('sha256')
    let size = 0
    // Each chunk is hashed, and the next one received, while the one before is written.
    let writing = Promise.resolve()
    let flushing = Promise.resolve()
    let flushed = 0
    try {
      for await (const chunk of source) {
        size += chunk.length
        if (size > maxBytes) throw new TooManyBytes()
        hash.update(chunk)
        await writing
        if (size - flushed >= FLUSH_BYTES) {
          await flushing
          flushed = size
          flushing = disk(handle.datasync())
          flushing.catch(() => undefined)
        }
        writing = disk(handle.writeFile(chunk))
        writing.catch(() => undefined)
      }
    } finally {
      await writing
      await flushing
    }
    return { size, sha256: hash.digest('hex') }
  }

  return {
    newPath,
    async receive(source, maxBytes) {
      const path = await newPath()
      const dispose = (): Promise<void> => discard(path)
      const handle = await disk(open(path, 'wx', 0o600))
      try {
        const facts = await copy(source, handle, maxBytes)
        // Network file systems report a full disk only here.
        await disk(handle.close())
        return { path, ...facts, dispose }
      } catch (error) {
        await handle.close().catch(() => undefined)
        await dispose()
        throw error
      }
    },
    async clear() {
      // The first upload creates the folder.
      const names = (await disk(readdir(folder).catch(unless('ENOENT')))) ?? []
      for (const path of names.map((name) => join(folder, name)))
        if (!isShared || (await isAbandoned(path))) await discard(path)
    },
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  const found = await stat(path).catch(unless('ENOENT'))
  return found !== undefined && found.mtimeMs < systemClock.now() - ABANDONED_MS
}
