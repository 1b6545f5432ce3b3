/**
 * Reads single entries of a ZIP archive (PKWARE's APPNOTE 6.3.10, with zip64) as streams. Archives come from anyone: everything that an
 * archive says about itself is compared with its bytes, and the caller limits the size of each entry.
 */

import { crc32, createInflateRaw } from 'node:zlib'

/** The archive is damaged, or uses something that office programs do not: encryption, several disks, other compressions. */
export class BadZip extends Error {
  override readonly name = 'BadZip'
}

/** An entry is larger than the caller allows. */
export class EntryTooLarge extends Error {
  override readonly name = 'EntryTooLarge'
}

const END = 22
const LONGEST_COMMENT = 0xffff
const CENTRAL = 46
const LOCAL = 30
/** A workbook with a thousand sheets and as many pictures has 3,000. */
const MAX_ENTRIES = 10_000
const MAX_DIRECTORY = 4 * 1024 * 1024
/** Bytes that are read from the file and inflated together. */
const PIECE = 64 * 1024
/** Where 32 bits do not suffice, the real value is in the zip64 part. */
const IN_ZIP64 = 0xffffffff

interface Entry {
  readonly method: number
  readonly encrypted: boolean
  readonly crc: number
  /** Bytes in the archive, and inflated, as the directory says. */
  readonly packed: number
  readonly size: number
  readonly offset: number
}

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

function number64(view: DataView, at: number): number {
  const value = view.getBigUint64(at, true)
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new BadZip('a size is out of range')
  return Number(value)
}

/** @throws BadZip */
export async function openZip(file: Blob): Promise<ZipArchive> {
  try {
    const { count, size, offset } = await findDirectory(file)
    if (count > MAX_ENTRIES || size > MAX_DIRECTORY) throw new BadZip('the archive has too many entries')
    if (offset + size > file.size) throw new BadZip('the directory is cut')
    return new ZipArchive(file, readDirectory(await file.slice(offset, offset + size).bytes(), count))
  } catch (error) {
    // A DataView was read beyond its end.
    throw error instanceof RangeError ? new BadZip('the directory is damaged') : error
  }
}

async function findDirectory(file: Blob): Promise<{ count: number; size: number; offset: number }> {
  const start = Math.max(0, file.size - END - LONGEST_COMMENT)
  const tail = viewOf(await file.slice(start).bytes())
  let at = tail.byteLength - END
  while (at >= 0 && tail.getUint32(at, true) !== 0x06054b50) at -= 1
  if (at < 0) throw new BadZip('the archive has no directory')
  const short = {
    count: tail.getUint16(at + 10, true),
    size: tail.getUint32(at + 12, true),
    offset: tail.getUint32(at + 16, true),
  }
  if (short.count < 0xffff && short.size < IN_ZIP64 && short.offset < IN_ZIP64) return short
  // The locator of the zip64 end is directly in front of the end.
  if (at < 20 || tail.getUint32(at - 20, true) !== 0x07064b50) return short
  const end = number64(tail, at - 12)
  const long = viewOf(await file.slice(end, end + 56).bytes())
  if (long.getUint32(0, true) !== 0x06064b50) throw new BadZip('the zip64 directory is missing')
  return { count: number64(long, 32), size: number64(long, 40), offset: number64(long, 48) }
}

function readDirectory(bytes: Uint8Array, count: number): Map<string, Entry> {
  const view = viewOf(bytes)
  const utf8 = new TextDecoder()
  const entries = new Map<string, Entry>()
  let at = 0
  for (let i = 0; i < count; i++) {
    if (view.getUint32(at, true) !== 0x02014b50) throw new BadZip('the directory is damaged')
    const nameEnd = at + CENTRAL + view.getUint16(at + 28, true)
    const extraEnd = nameEnd + view.getUint16(at + 30, true)
    if (extraEnd > bytes.length) throw new BadZip('the directory is cut')
    const key = keyOf(utf8.decode(bytes.subarray(at + CENTRAL, nameEnd)))
    if (entries.has(key)) throw new BadZip(`the entry ${key.slice(0, 100)} occurs twice`)
    entries.set(key, {
      encrypted: (view.getUint16(at + 8, true) & 1) !== 0,
      method: view.getUint16(at + 10, true),
      crc: view.getUint32(at + 16, true),
      ...sizesOf(view, at, nameEnd, extraEnd),
    })
    at = extraEnd + view.getUint16(at + 32, true)
  }
  return entries
}

/** The values that are too large for the record are in the extra field 1, in this order. */
function sizesOf(view: DataView, at: number, from: number, to: number): Pick<Entry, 'packed' | 'size' | 'offset'> {
  const sizes = {
    size: view.getUint32(at + 24, true),
    packed: view.getUint32(at + 20, true),
    offset: view.getUint32(at + 42, true),
  }
  let extra = from
  while (extra + 4 <= to && view.getUint16(extra, true) !== 1) extra += 4 + view.getUint16(extra + 2, true)
  let next = extra + 4
  for (const name of ['size', 'packed', 'offset'] as const) {
    if (sizes[name] !== IN_ZIP64 || next + 8 > to) continue
    sizes[name] = number64(view, next)
    next += 8
  }
  return sizes
}

/** Some programs write backslashes or a leading slash, and names of parts are compared without case (ECMA-376 part 2, §6.2.2.3). */
const keyOf = (name: string): string => name.replaceAll('\\', '/').replace(/^\//, '').toLowerCase()

export class ZipArchive {
  constructor(
    readonly file: Blob,
    readonly entries: ReadonlyMap<string, Entry>,
  ) {}

  has(name: string): boolean {
    return this.entries.has(keyOf(name))
  }

  /**
   * The bytes of an entry, inflated piece by piece. If the reader takes all pieces, size and checksum are compared with the directory.
   * @throws BadZip, also when there is no such entry; EntryTooLarge for more than `maxBytes`
   */
  async *read(name: string, maxBytes: number): AsyncGenerator<Uint8Array, void, undefined> {
    const entry = this.entries.get(keyOf(name))
    if (entry === undefined) throw new BadZip(`the entry ${name.slice(0, 100)} is missing`)
    const { method, size, crc } = entry
    if (entry.encrypted) throw new BadZip('the archive is encrypted')
    if (size > maxBytes) throw new EntryTooLarge(`an entry has ${size} bytes`)
    let [bytes, sum] = [0, 0]
    for await (const piece of this.#contentOf(entry, method)) {
      bytes += piece.length
      // The declared size would otherwise be a way past the limit.
      if (bytes > size) throw new BadZip('an entry is larger than its directory says')
      sum = crc32(piece, sum)
      yield piece
    }
    if (bytes !== size || sum !== crc) throw new BadZip('an entry is damaged')
  }

  async *#contentOf(entry: Entry, method: number): AsyncGenerator<Uint8Array> {
    const header = await this.file.slice(entry.offset, entry.offset + LOCAL).bytes()
    if (header.length < LOCAL || viewOf(header).getUint32(0, true) !== 0x04034b50)
      throw new BadZip('the header of an entry is missing')
    const start = entry.offset + LOCAL + viewOf(header).getUint16(26, true) + viewOf(header).getUint16(28, true)
    if (start + entry.packed > this.file.size) throw new BadZip('an entry is cut')
    const packed = this.file.slice(start, start + entry.packed)
    if (method === 0) yield* piecesOf(packed)
    else if (method === 8) yield* inflated(packed)
    else throw new BadZip(`the compression ${method} is not supported`)
  }
}

async function* piecesOf(file: Blob): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.size; at += PIECE) yield file.slice(at, at + PIECE).bytes()
}

/** Not DecompressionStream: its pieces are as large as the input inflates to. */
async function* inflated(file: Blob): AsyncGenerator<Uint8Array> {
  const inflate = createInflateRaw({ chunkSize: PIECE })
  const stopped = Promise.withResolvers<void>()
  let isStopped = false
  async function feed(): Promise<void> {
    for await (const piece of piecesOf(file)) {
      const taken = new Promise<void>((go) => inflate.write(piece, () => go()))
      // After the end of the compressed data, the stream does not take more.
      await Promise.race([taken, stopped.promise])
      if (isStopped) return
    }
    inflate.end()
  }
  const feeding = feed().catch((error: unknown) => void inflate.destroy(error as Error))
  try {
    yield* inflate as AsyncIterable<Uint8Array>
  } catch (error) {
    const { code } = error as { code?: unknown }
    throw typeof code === 'string' && code.startsWith('Z_') ? new BadZip('an entry is damaged') : error
  } finally {
    isStopped = true
    stopped.resolve()
    inflate.destroy()
    await feeding
  }
}
