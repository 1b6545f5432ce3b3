/** Unpacks a backup into an empty folder, or only checks it: every byte against the manifest. Nothing in the file is trusted. */

import { createReadStream } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createGunzip, createZstdDecompress } from 'node:zlib'

import { readTar, TarError, type TarFile } from '#lib/tar.ts'

import { diskTrouble } from '../disk-trouble.ts'
import { syncDirectory } from '../files.ts'
import { BackupError, isBackupPath, MANIFEST, type Manifest, parseManifest } from './manifest.ts'

/** A manifest of a million files has about 200 MB. */
const MAX_MANIFEST_BYTES = 512 * 1024 * 1024

interface Unpacked {
  readonly size: number
  readonly sha256: string
}

/**
 * Unpacks `archive` into the empty `folder` and returns its manifest, which agrees with the files. The files are on disk when this
 * resolves. Calls `onBytes` with the number of bytes of the archive as they are read. Files for which `isNeeded` is false are checked
 * and not written, so that a check of a backup needs no space for all files.
 * @throws BackupError if the archive is damaged, contains anything else, or disagrees with its manifest.
 */
export async function unpackArchive(
  archive: string,
  folder: string,
  onBytes: (count: number) => void,
  isNeeded: (path: string) => boolean = () => true,
): Promise<Manifest> {
  const found = new Map<string, Unpacked>()
  const folders = new Set<string>([folder])
  let manifest: Manifest | undefined
  try {
    for await (const file of readTar(await decompressed(archive, onBytes))) {
      if (manifest) throw new BackupError(`data follows its ${MANIFEST}`)
      if (file.name === MANIFEST) manifest = parseManifest(await text(file))
      else {
        if (!isBackupPath(file.name))
          throw new BackupError(`it contains ${JSON.stringify(file.name)}, which does not belong in a backup`)
        if (found.has(file.name)) throw new BackupError(`it contains ${JSON.stringify(file.name)} twice`)
        found.set(file.name, await (isNeeded(file.name) ? unpack(file, folder, folders) : check(file)))
      }
    }
  } catch (error) {
    throw damaged(error, archive)
  }
  if (!manifest) throw new BackupError(`${archive} cannot be used: it has no ${MANIFEST}.`)
  compare(manifest, found, archive)
  for (const made of folders) await syncDirectory(made)
  return manifest
}

/** Whether the beginning of the file is that of a backup. The rest is not read. */
export async function beginsLikeBackup(archive: string): Promise<boolean> {
  try {
    for await (const { name } of readTar(await decompressed(archive, () => undefined)))
      return name === MANIFEST || isBackupPath(name)
    return false
  } catch (error) {
    if (damaged(error, archive) === error) throw error
    return false
  }
}

const ZSTD_MAGIC = [0x28, 0xb5, 0x2f, 0xfd]
const GZIP_MAGIC = [0x1f, 0x8b]

async function decompressed(archive: string, onBytes: (count: number) => void): Promise<AsyncIterable<Uint8Array>> {
  const start = new Uint8Array(4)
  const handle = await open(archive, 'r')
  try {
    await handle.read(start, 0, 4, 0)
  } finally {
    await handle.close()
  }
  const begins = (magic: number[]): boolean => magic.every((byte, i) => start[i] === byte)
  const zstd = begins(ZSTD_MAGIC)
  if (!zstd && !begins(GZIP_MAGIC)) throw new BackupError('it is neither .tar.zst nor .tar.gz')
  const input = createReadStream(archive, { highWaterMark: 256 * 1024 })
  const output = zstd ? createZstdDecompress() : createGunzip()
  input.on('data', (chunk) => onBytes(chunk.length))
  input.on('error', (error) => output.destroy(error))
  output.on('close', () => input.destroy())
  return input.pipe(output)
}

async function text(file: TarFile): Promise<string> {
  if (file.size > MAX_MANIFEST_BYTES) throw new BackupError(`its ${MANIFEST} is too large`)
  const chunks: Uint8Array[] = []
  for await (const chunk of file.bytes) chunks.push(Uint8Array.from(chunk))
  return Buffer.concat(chunks).toString('utf8')
}

async function unpack(file: TarFile, folder: string, folders: Set<string>): Promise<Unpacked> {
  const path = join(folder, file.name)
  for (let parent = dirname(path); !folders.has(parent); parent = dirname(parent)) folders.add(parent)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const hash = new Bun.CryptoHasher('sha256')
  const handle = await open(path, 'wx', 0o600)
  try {
    for await (const chunk of file.bytes) {
      hash.update(chunk)
      await handle.writeFile(chunk)
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
  return { size: file.size, sha256: hash.digest('hex') }
}

async function check(file: TarFile): Promise<Unpacked> {
  const hash = new Bun.CryptoHasher('sha256')
  for await (const chunk of file.bytes) hash.update(chunk)
  return { size: file.size, sha256: hash.digest('hex') }
}

function compare(manifest: Manifest, found: ReadonlyMap<string, Unpacked>, archive: string): void {
  for (const { path, size, sha256 } of manifest.files) {
    const file = found.get(path)
    if (!file) throw new BackupError(`${archive} cannot be used: ${path} is missing.`)
    if (file.size !== size || file.sha256 !== sha256)
      throw new BackupError(`${archive} cannot be used: ${path} does not match the manifest (its hash differs).`)
  }
  const listed = new Set(manifest.files.map((file) => file.path))
  for (const path of found.keys())
    if (!listed.has(path))
      throw new BackupError(`${archive} cannot be used: it contains ${path}, which its manifest does not list.`)
}

/** Errors of the disk are returned unchanged. Any other error while reading means that the archive is damaged. */
function damaged(error: unknown, archive: string): unknown {
  if (error instanceof BackupError || error instanceof TarError)
    return new BackupError(`${archive} cannot be used: ${error.message}.`)
  if (diskTrouble(error, '') !== undefined && (error as { code?: unknown }).code !== 'EEXIST') return error
  return new BackupError(`${archive} cannot be used: it is damaged or truncated (${(error as Error).message}).`)
}
