/**
 * Writes ZIP archives while they are sent (PKWARE's APPNOTE 6.3.10; with zip64 only for archives that may be large, because old programs do not know it). The sizes of an entry whose bytes are in memory are
 * written before them. Streaming writers of libraries put them behind the bytes; Java's ZipInputStream, and therefore Android, refuses
 * such archives if the bytes are stored uncompressed. Entries of unknown length are always compressed, so there it is safe.
 */

import { pipeline, Readable } from 'node:stream'
import { promisify } from 'node:util'
import { crc32, createDeflateRaw, deflateRaw } from 'node:zlib'

export type ZipEntry = WholeEntry | StreamedEntry

interface WholeEntry {
  /** Folders are separated by `/`. */
  name: string
  data: Uint8Array
  /** Compresses the entry: for texts, as pictures are compressed already. */
  deflate?: boolean
}

/** Read and compressed in pieces, so an entry of any length takes little memory. */
interface StreamedEntry {
  name: string
  pieces: AsyncIterable<Uint8Array>
  /** The bytes are compressed already: pictures, archives. They are packed as they are, without zlib. */
  isDense?: boolean
}

/** The archive has more than 65,534 entries or `maxBytes`. Thrown while it is written. */
export class ZipTooLarge extends Error {
  override readonly name = 'ZipTooLarge'
}

const MAX_ENTRIES = 0xfffe
/** Just under 4 GiB; more needs zip64. */
const MAX_BYTES = 0xfffffffe
/** Stands for a number that the zip64 record or field has. */
const IN_ZIP64 = 0xffffffff

/** General purpose bit 11: names are UTF-8. */
const FLAGS = 0x0800
/** General purpose bit 3: checksum and sizes follow the bytes. */
const SIZES_FOLLOW = 0x0008
/** Version 2.0 of the format: deflate and folders. */
const VERSION = 20
/** Version 4.5: zip64. */
const VERSION64 = 45
const LOCAL = 30
const CENTRAL = 46
const END = 22
const DESCRIPTOR = 16
const END64 = 56
const LOCATOR64 = 20
/** The extra field with the offset of an entry. */
const OFFSET64 = 12

const utf8 = new TextEncoder()
const compress = promisify<Uint8Array, Uint8Array>(deflateRaw)

/**
 * The pieces of an archive: one for each entry in memory, several for the others, then the directory. An entry is requested only when
 * the reader asks for its piece. `modifiedAt` (epoch milliseconds) is the time of all entries. With `isLarge` the archive may have any number of entries and bytes, but
 * each entry at most 4 GiB. With `reusesBuffers` a piece of a dense entry is overwritten when the second piece after it is requested, so that gigabytes leave
 * no garbage: only for a reader that has written it by then. @throws ZipTooLarge
 */
export async function* zipOf(
  entries: Iterable<ZipEntry> | AsyncIterable<ZipEntry>,
  modifiedAt: number,
  {
    isLarge = false,
    reusesBuffers = false,
    maxBytes = isLarge ? Number.MAX_SAFE_INTEGER : MAX_BYTES,
  }: { isLarge?: boolean; reusesBuffers?: boolean; maxBytes?: number } = {},
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const time = dosTime(modifiedAt)
  const directory: Uint8Array[] = []
  const buffers = reusesBuffers ? twoBuffers() : (bytes: number) => new Uint8Array(bytes)
  let offset = 0
  const tooLarge = () => new ZipTooLarge(`The archive would have more than ${maxBytes} bytes`)
  for await (const entry of entries) {
    const name = utf8.encode(entry.name)
    if (name.length > 0xffff) throw tooLarge()
    if (directory.length === MAX_ENTRIES && !isLarge)
      throw new ZipTooLarge(`The archive would have more than ${MAX_ENTRIES} entries`)
    const start = offset
    let header: Uint8Array<ArrayBuffer>
    if ('data' in entry) {
      const body = entry.deflate ? await compress(entry.data) : entry.data
      offset += LOCAL + name.length + body.length
      if (entry.data.length > MAX_BYTES || offset > maxBytes) throw tooLarge()
      const sizes = { crc: crc32(entry.data), packed: body.length, size: entry.data.length }
      header = localHeader(name, FLAGS, entry.deflate ? 8 : 0, time, sizes)
      const piece = new Uint8Array(header.length + body.length)
      piece.set(header)
      piece.set(body, header.length)
      yield piece
    } else {
      const sizes = { crc: 0, packed: 0, size: 0 }
      yield localHeader(name, FLAGS | SIZES_FOLLOW, 8, time, sizes)
      offset += LOCAL + name.length + DESCRIPTOR
      for await (const piece of entry.isDense
        ? blocksOf(entry.pieces, sizes, buffers)
        : deflated(entry.pieces, sizes)) {
        offset += piece.length
        if (sizes.size > MAX_BYTES || sizes.packed > MAX_BYTES || offset > maxBytes) throw tooLarge()
        yield piece
      }
      header = localHeader(name, FLAGS | SIZES_FOLLOW, 8, time, sizes)
      const descriptor = new Uint8Array(DESCRIPTOR)
      new DataView(descriptor.buffer).setUint32(0, 0x08074b50, true)
      descriptor.set(header.subarray(14, 26), 4)
      yield descriptor
    }

    // The directory repeats the header from the version to the lengths and adds the entry's offset.
    const isFar = start > MAX_BYTES
    const record = new Uint8Array(CENTRAL + name.length + (isFar ? OFFSET64 : 0))
    const recordView = new DataView(record.buffer)
    recordView.setUint32(0, 0x02014b50, true)
    recordView.setUint16(4, VERSION, true)
    record.set(header.subarray(4, LOCAL), 6)
    recordView.setUint32(42, isFar ? IN_ZIP64 : start, true)
    record.set(name, CENTRAL)
    if (isFar) {
      recordView.setUint16(30, OFFSET64, true)
      recordView.setUint16(CENTRAL + name.length, 1, true)
      recordView.setUint16(CENTRAL + name.length + 2, 8, true)
      recordView.setBigUint64(CENTRAL + name.length + 4, BigInt(start), true)
    }
    directory.push(record)
  }
  yield endOf(directory, offset, maxBytes)
}

/** The directory and the records after it. `offset`: of the directory. */
function endOf(directory: readonly Uint8Array[], offset: number, maxBytes: number): Uint8Array<ArrayBuffer> {
  const bytes = directory.reduce((sum, record) => sum + record.length, 0)
  const needs64 = directory.length > MAX_ENTRIES || offset > MAX_BYTES || bytes > MAX_BYTES
  const size = bytes + END + (needs64 ? END64 + LOCATOR64 : 0)
  if (offset + size > maxBytes) throw new ZipTooLarge(`The archive would have more than ${maxBytes} bytes`)
  const end = new Uint8Array(size)
  let at = 0
  for (const record of directory) {
    end.set(record, at)
    at += record.length
  }
  const view = new DataView(end.buffer)
  if (needs64) {
    view.setUint32(at, 0x06064b50, true)
    view.setBigUint64(at + 4, BigInt(END64 - 12), true)
    view.setUint16(at + 12, VERSION64, true)
    view.setUint16(at + 14, VERSION64, true)
    for (const from of [24, 32]) view.setBigUint64(at + from, BigInt(directory.length), true)
    view.setBigUint64(at + 40, BigInt(bytes), true)
    view.setBigUint64(at + 48, BigInt(offset), true)
    view.setUint32(at + END64, 0x07064b50, true)
    view.setBigUint64(at + END64 + 8, BigInt(offset + bytes), true)
    view.setUint32(at + END64 + 16, 1, true)
    at += END64 + LOCATOR64
  }
  view.setUint32(at, 0x06054b50, true)
  const entries = needs64 ? 0xffff : directory.length
  view.setUint16(at + 8, entries, true)
  view.setUint16(at + 10, entries, true)
  view.setUint32(at + 12, needs64 ? IN_ZIP64 : bytes, true)
  view.setUint32(at + 16, needs64 ? IN_ZIP64 : offset, true)
  return end
}

interface Sizes {
  crc: number
  /** Bytes in the archive. */
  packed: number
  /** Bytes before compression. */
  size: number
}

/** The header before the bytes of an entry, with its name. */
function localHeader(
  name: Uint8Array,
  flags: number,
  method: 0 | 8,
  time: number,
  sizes: Sizes,
): Uint8Array<ArrayBuffer> {
  const header = new Uint8Array(LOCAL + name.length)
  const view = new DataView(header.buffer)
  view.setUint32(0, 0x04034b50, true)
  view.setUint16(4, VERSION, true)
  view.setUint16(6, flags, true)
  view.setUint16(8, method, true)
  view.setUint32(10, time, true)
  view.setUint32(14, sizes.crc, true)
  view.setUint32(18, sizes.packed, true)
  view.setUint32(22, sizes.size, true)
  view.setUint16(26, name.length, true)
  header.set(name, LOCAL)
  return header
}

/** The compressed pieces, whose sizes it adds up. If the reader stops or `pieces` fails, both ends are closed. */
async function* deflated(
  pieces: AsyncIterable<Uint8Array>,
  sizes: Sizes,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  async function* measured(): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      sizes.crc = crc32(piece, sizes.crc)
      sizes.size += piece.length
      yield piece
    }
  }
  const deflate = createDeflateRaw()
  // Reading `deflate` below reports the errors of both.
  pipeline(Readable.from(measured(), { highWaterMark: 1 }), deflate, () => {})
  for await (const piece of deflate as AsyncIterable<Uint8Array<ArrayBuffer>>) {
    sizes.packed += piece.length
    yield piece
  }
}

/** The most bytes of a block of deflate that is not compressed (RFC 1951, 3.2.4), and the bytes before them. */
const BLOCK = 0xffff
const BLOCK_HEADER = 5
const LAST_BLOCK = Uint8Array.of(1, 0, 0, 0xff, 0xff)

/** Blocks of a piece. */
const BLOCKS = 4
const BLOCKS_BYTES = BLOCKS * (BLOCK + BLOCK_HEADER)

type NewBuffer = (bytes: number) => Uint8Array<ArrayBuffer>

/** Two buffers in turns. */
function twoBuffers(): NewBuffer {
  let [next, last] = [new Uint8Array(BLOCKS_BYTES), new Uint8Array(BLOCKS_BYTES)]
  return (bytes) => {
    ;[next, last] = [last, next]
    return last.subarray(0, bytes)
  }
}

/** The pieces as blocks of deflate that are not compressed, whose sizes it adds up. */
async function* blocksOf(
  pieces: AsyncIterable<Uint8Array>,
  sizes: Sizes,
  newBuffer: NewBuffer,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  for await (const piece of pieces) {
    sizes.crc = crc32(piece, sizes.crc)
    sizes.size += piece.length
    for (let from = 0; from < piece.length; from += BLOCKS * BLOCK) {
      const blocks = packed(piece.subarray(from, from + BLOCKS * BLOCK), newBuffer)
      sizes.packed += blocks.length
      yield blocks
    }
  }
  sizes.packed += LAST_BLOCK.length
  yield LAST_BLOCK
}

function packed(bytes: Uint8Array, newBuffer: NewBuffer): Uint8Array<ArrayBuffer> {
  const blocks = newBuffer(bytes.length + BLOCK_HEADER * Math.ceil(bytes.length / BLOCK))
  const view = new DataView(blocks.buffer)
  for (let from = 0, at = 0; from < bytes.length; from += BLOCK) {
    const part = bytes.subarray(from, from + BLOCK)
    blocks[at] = 0
    view.setUint16(at + 1, part.length, true)
    view.setUint16(at + 3, BLOCK - part.length, true)
    blocks.set(part, at + BLOCK_HEADER)
    at += BLOCK_HEADER + part.length
  }
  return blocks
}

/** Date and time in the format of MS-DOS, in UTC, with a resolution of two seconds, from 1980 to 2107. */
function dosTime(ms: number): number {
  const at = new Date(Math.min(Math.max(ms, Date.UTC(1980, 0, 1)), Date.UTC(2107, 11, 31)))
  const date = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate()
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1)
  return ((date << 16) | time) >>> 0
}
