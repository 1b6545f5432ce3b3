/**
 * Writes ZIP archives while they are sent (PKWARE's APPNOTE 6.3.10, without zip64). Each entry is in memory when its turn comes,
 * so its sizes are written before its bytes. Streaming writers of libraries put them behind the bytes; Java's ZipInputStream, and
 * therefore Android, refuses such archives if the bytes are stored uncompressed.
 */

import { promisify } from 'node:util'
import { crc32, deflateRaw } from 'node:zlib'

export interface ZipEntry {
  /** Folders are separated by `/`. */
  name: string
  data: Uint8Array
  /** Compresses the entry: for texts, as pictures are compressed already. */
  deflate?: boolean
}

/** The archive has more than 65,534 entries or `maxBytes`. Thrown while it is written. */
export class ZipTooLarge extends Error {
  override readonly name = 'ZipTooLarge'
}

const MAX_ENTRIES = 0xfffe
/** Just under 4 GiB; more needs zip64. */
const MAX_BYTES = 0xfffffffe

/** General purpose bit 11: names are UTF-8. */
const FLAGS = 0x0800
/** Version 2.0 of the format: deflate and folders. */
const VERSION = 20
const LOCAL = 30
const CENTRAL = 46
const END = 22

const utf8 = new TextEncoder()
const compress = promisify<Uint8Array, Uint8Array>(deflateRaw)

/**
 * The pieces of an archive: one for each entry, then the directory. An entry is requested only when the reader asks for its piece.
 * `modifiedAt` (epoch milliseconds) is the time of all entries. @throws ZipTooLarge
 */
export async function* zipOf(
  entries: Iterable<ZipEntry> | AsyncIterable<ZipEntry>,
  modifiedAt: number,
  maxBytes = MAX_BYTES,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const time = dosTime(modifiedAt)
  const directory: Uint8Array[] = []
  let offset = 0
  for await (const entry of entries) {
    const name = utf8.encode(entry.name)
    const body = entry.deflate ? await compress(entry.data) : entry.data
    const size = LOCAL + name.length + body.length
    if (name.length > 0xffff || entry.data.length > MAX_BYTES || offset + size > maxBytes)
      throw new ZipTooLarge(`The archive would have more than ${maxBytes} bytes`)
    if (directory.length === MAX_ENTRIES)
      throw new ZipTooLarge(`The archive would have more than ${MAX_ENTRIES} entries`)
    const local = new Uint8Array(size)
    const view = new DataView(local.buffer)
    view.setUint32(0, 0x04034b50, true)
    view.setUint16(4, VERSION, true)
    view.setUint16(6, FLAGS, true)
    view.setUint16(8, entry.deflate ? 8 : 0, true)
    view.setUint32(10, time, true)
    view.setUint32(14, crc32(entry.data), true)
    view.setUint32(18, body.length, true)
    view.setUint32(22, entry.data.length, true)
    view.setUint16(26, name.length, true)
    local.set(name, LOCAL)
    local.set(body, LOCAL + name.length)

    // The directory repeats the header from the version to the lengths and adds the entry's offset.
    const record = new Uint8Array(CENTRAL + name.length)
    const recordView = new DataView(record.buffer)
    recordView.setUint32(0, 0x02014b50, true)
    recordView.setUint16(4, VERSION, true)
    record.set(local.subarray(4, LOCAL), 6)
    recordView.setUint32(42, offset, true)
    record.set(name, CENTRAL)
    directory.push(record)

    offset += size
    yield local
  }
  const bytes = directory.reduce((sum, record) => sum + record.length, 0)
  if (offset + bytes + END > maxBytes) throw new ZipTooLarge(`The archive would have more than ${maxBytes} bytes`)
  const end = new Uint8Array(bytes + END)
  let at = 0
  for (const record of directory) {
    end.set(record, at)
    at += record.length
  }
  const view = new DataView(end.buffer, bytes)
  view.setUint32(0, 0x06054b50, true)
  view.setUint16(8, directory.length, true)
  view.setUint16(10, directory.length, true)
  view.setUint32(12, bytes, true)
  view.setUint32(16, offset, true)
  yield end
}

/** Date and time in the format of MS-DOS, in UTC, with a resolution of two seconds, from 1980 to 2107. */
function dosTime(ms: number): number {
  const at = new Date(Math.min(Math.max(ms, Date.UTC(1980, 0, 1)), Date.UTC(2107, 11, 31)))
  const date = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate()
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1)
  return ((date << 16) | time) >>> 0
}
