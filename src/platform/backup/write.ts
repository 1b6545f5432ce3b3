/** Writes a backup as a stream into one compressed tar file, which gets its name only when it is complete and on disk. */

import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createGzip, createZstdCompress } from 'node:zlib'

import { tarEnd, tarHeader, tarPadding } from '#lib/tar.ts'

import { syncDirectory } from '../files.ts'
import { uuid } from '../ids.ts'
import { FOLDERS, MANIFEST, type Manifest, type ManifestFile } from './manifest.ts'

export interface Member {
  /** Name in the archive. */
  readonly name: string
  /** Path of the file. */
  readonly path: string
  readonly size: number
}

/**
 * Uploaded files (those of `filesFolder`), app packages and keys, in order. Leaves out dot files, which are unfinished uploads, and links.
 */
export async function dataMembers(directory: string, filesFolder = join(directory, 'files')): Promise<Member[]> {
  const members: Member[] = []
  async function walk(folder: string, from: string): Promise<void> {
    const entries = await readdir(from, { withFileTypes: true })
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.name.startsWith('.')) continue
      const name = `${folder}/${entry.name}`
      const path = join(from, entry.name)
      if (entry.isDirectory()) await walk(name, path)
      else if (entry.isFile()) {
        const found = await stat(path).catch(vanished)
        if (found) members.push({ name, path, size: found.size })
      }
    }
  }
  for (const folder of FOLDERS)
    await walk(folder, folder === 'files' ? filesFolder : join(directory, folder)).catch(vanished)
  return members
}

/** The clean-up of an upload may delete a file during the backup. Files that the copied database refers to are kept (under-way.ts). */
function vanished(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

export interface ArchiveOptions {
  /** Final name. */
  readonly output: string
  /** Path of the unfinished file, on the same file system. */
  readonly temporary?: string
  readonly gzip: boolean
  readonly members: readonly Member[]
  /** The manifest without the files, which are hashed while they are written. */
  readonly facts: Omit<Manifest, 'files'>
  readonly onBytes: (count: number) => void
  readonly signal?: AbortSignal
}

/** Resolves with the manifest and the size of the archive. After an error no file is left. */
export async function writeArchive(options: ArchiveOptions): Promise<{ manifest: Manifest; size: number }> {
  const { output, gzip, facts } = options
  const folder = dirname(output)
  const { temporary = join(folder, `.backup-${uuid()}.tmp`) } = options
  const files: ManifestFile[] = []
  try {
    const handle = await open(temporary, 'wx', 0o600)
    try {
      const compress = gzip
        ? createGzip({ level: 6 })
        : createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } })
      const write = async (compressed: AsyncIterable<Uint8Array>): Promise<void> => {
        for await (const chunk of compressed) await handle.writeFile(chunk)
      }
      const source = Readable.from(entries(options, files), { objectMode: false })
      await pipeline(source, compress, write, { signal: options.signal })
      await handle.sync()
    } finally {
      await handle.close()
    }
    const { size } = await stat(temporary)
    await rename(temporary, output)
    await syncDirectory(folder)
    return { manifest: { ...facts, files }, size }
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

async function* entries(
  { members, facts, onBytes }: ArchiveOptions,
  files: ManifestFile[],
): AsyncGenerator<Uint8Array> {
  for (const member of members) {
    const handle = await open(member.path, 'r').catch(vanished)
    if (!handle) continue
    try {
      const { size, mtimeMs } = await handle.stat()
      yield tarHeader({ name: member.name, size, modified: mtimeMs })
      const hash = new Bun.CryptoHasher('sha256')
      for await (const chunk of chunks(handle, size, member.path)) {
        hash.update(chunk)
        onBytes(chunk.length)
        yield chunk
      }
      yield tarPadding(size)
      files.push({ path: member.name, size, sha256: hash.digest('hex') })
    } finally {
      await handle.close()
    }
  }
  const text = new TextEncoder().encode(JSON.stringify({ ...facts, files }, null, 1) + '\n')
  yield tarHeader({ name: MANIFEST, size: text.length, modified: Date.parse(facts.createdAt) })
  yield text
  yield tarPadding(text.length)
  yield tarEnd()
}

const CHUNK_BYTES = 256 * 1024

/** Reads exactly `size` bytes: bytes appended meanwhile are left out, and a file that has become shorter is an error. */
async function* chunks(handle: FileHandle, size: number, path: string): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size;) {
    const { bytesRead, buffer } = await handle.read(new Uint8Array(Math.min(CHUNK_BYTES, size - at)), 0, null, at)
    if (bytesRead === 0) throw new Error(`${path} became shorter while it was read`)
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}
