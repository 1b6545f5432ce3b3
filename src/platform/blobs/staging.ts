/**
 * Receives uploads into temporary files, so that no body is ever whole in memory. The folder is on the same file system as the local
 * blob store, which takes a file over by renaming it. Its name begins with a dot, so backups leave it out.
 */

import { mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { uuid } from '../ids.ts'
import { diskError } from './local.ts'

/** A complete file on local disk that belongs to one request. */
export interface StagedFile {
  readonly path: string
  /** Bytes. */
  readonly size: number
  /** Hex. */
  readonly sha256: string
  /** Deletes the file, unless the blob store has taken it over. */
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
  /** Deletes what an earlier process left. */
  clear(): Promise<void>
}

export function createStaging(folder: string): Staging {
  let created: Promise<unknown> | undefined
  const create = (): Promise<unknown> =>
    (created ??= mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
      created = undefined
      throw diskError(error, folder)
    }))

  async function newPath(): Promise<string> {
    await create()
    return join(folder, uuid())
  }

  return {
    newPath,
    async receive(source, maxBytes) {
      const path = await newPath()
      const dispose = (): Promise<void> => rm(path, { force: true })
      const hash = new Bun.CryptoHasher('sha256')
      const handle = await open(path, 'wx', 0o600).catch((error: unknown) => Promise.reject(diskError(error, folder)))
      let size = 0
      try {
        for await (const chunk of source) {
          size += chunk.length
          if (size > maxBytes) throw new TooManyBytes()
          hash.update(chunk)
          await handle.writeFile(chunk).catch((error: unknown) => Promise.reject(diskError(error, folder)))
        }
      } catch (error) {
        await handle.close()
        await dispose()
        throw error
      }
      await handle.close()
      return { path, size, sha256: hash.digest('hex'), dispose }
    },
    async clear() {
      const names = await readdir(folder).catch(() => [])
      for (const name of names) await rm(join(folder, name), { force: true })
    },
  }
}
