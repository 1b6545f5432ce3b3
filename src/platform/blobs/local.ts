/** Bytes as files below one folder of the data directory. */

import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { areFilesKept } from '../backup/under-way.ts'
import { diskTrouble } from '../disk-trouble.ts'
import { syncDirectory } from '../files.ts'
import { uuid } from '../ids.ts'
import { BlobError, type BlobFacts, type BlobStore, type BlobTrouble } from './port.ts'

const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/** A failure of the disk as a BlobError. */
export function diskError(error: unknown, folder: string): BlobError {
  const code = String((error as { code?: unknown } | null)?.code)
  const kind: BlobTrouble = FULL.has(code) ? 'full' : 'io'
  const subject = `The folder of files ${folder}`
  return new BlobError(kind, diskTrouble(error, subject) ?? `${subject} cannot be read or written (${code}).`, error)
}

const isMissing = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === 'ENOENT'

/** `folder` must be on the same file system as the paths given to `put`. */
export function localBlobs(folder: string): BlobStore {
  const place = (key: string): string => join(folder, key)

  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      throw error instanceof BlobError ? error : diskError(error, folder)
    }
  }

  async function found(key: string): Promise<BlobFacts | undefined> {
    try {
      const { size, mtimeMs } = await stat(place(key))
      return { key, size, modifiedAt: Math.floor(mtimeMs) }
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }

  async function put(key: string, path: string): Promise<void> {
    try {
      const target = place(key)
      const parent = dirname(target)
      if ((await mkdir(parent, { recursive: true, mode: 0o700 })) !== undefined) await syncDirectory(folder)
      const handle = await open(path, 'r+')
      try {
        await handle.sync()
      } finally {
        await handle.close()
      }
      await rename(path, target)
      await syncDirectory(parent)
    } catch (error) {
      await rm(path, { force: true })
      throw error
    }
  }

  return {
    storage: 'LOCAL',
    put: (key, path) => guarded(() => put(key, path)),
    read: (key, range) =>
      guarded(async () => {
        if ((await found(key)) === undefined) return undefined
        const file = Bun.file(place(key))
        return range === undefined ? file : file.slice(range.start, range.end)
      }),
    stat: (key) => guarded(() => found(key)),
    delete: (key) =>
      guarded(async () => {
        // The clean-up finds the bytes later.
        if (!(await areFilesKept(folder))) await rm(place(key), { force: true })
      }),
    async *list(prefix) {
      const folders = await guarded(() =>
        readdir(folder).catch((error) => (isMissing(error) ? [] : Promise.reject(error))),
      )
      for (const name of folders.toSorted()) {
        if (name.startsWith('.') || !(name.startsWith(prefix) || prefix.startsWith(name))) continue
        for (const file of await guarded(() => readdir(place(name)))) {
          const facts = `${name}/${file}`.startsWith(prefix) ? await guarded(() => found(`${name}/${file}`)) : undefined
          if (facts) yield facts
        }
      }
    },
    presign: () => undefined,
    check: () =>
      guarded(async () => {
        await mkdir(folder, { recursive: true, mode: 0o700 })
        const probe = join(folder, `.probe-${uuid()}`)
        try {
          await Bun.write(probe, 'probe')
        } finally {
          await rm(probe, { force: true })
        }
      }),
  }
}
