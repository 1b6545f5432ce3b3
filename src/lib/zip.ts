/**
 * ZIP archives, written while they are sent. An entry's bytes are known when its turn comes, so that its sizes stand before it: with
 * sizes behind stored bytes, as streaming writers put them, java.util.zip.ZipInputStream (and so Android) refuses the archive.
 * PKWARE's APPNOTE 6.3.10; without zip64.
 */

import { promisify } from 'node:util'
import { crc32, deflateRaw } from 'node:zlib'

export interface ZipEntry {
  /** With `/` between folders. */
  name: string
  data: Uint8Array
  /** For texts; pictures are compressed already. */
  deflate?: boolean
}

/** More than 65,534 entries or `mostBytes`. Thrown while the archive is written. */
export class ZipTooLarge extends Error {
  override readonly name = 'ZipTooLarge'
}

const MOST_ENTRIES = 0xfffe
/** Just under 4 GiB; more needs zip64. */
const MOST_BYTES = 0xfffffffe

/** Names are UTF-8. */
const FLAGS = 0x0800
/** 2.0: deflate and folders. */
const VERSION = 20
const LOCAL = 30
const CENTRAL = 46
const END = 22

const utf8 = new TextEncoder()
const compress = promisify<Uint8Array, Uint8Array>(deflateRaw)

/**
 * The archive in pieces, an entry a piece and the directory last; entries are asked for one by one, as the reader takes them.
 * `modifiedAt` (epoch milliseconds) is the time of all entries. Throws ZipTooLarge.
 */
export async function* zipOf(
  entries: Iterable<ZipEntry> | AsyncIterable<ZipEntry>,
  modifiedAt: number,
  mostBytes = MOST_BYTES,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const time = dosTime(modifiedAt)
  const directory: Uint8Array[] = []
  let offset = 0
  for await (const entry of entries) {
    const name = utf8.encode(entry.name)
    const body = entry.deflate ? await compress(entry.data) : entry.data
    const size = LOCAL + name.length + body.length
    if (name.length > 0xffff || entry.data.length > MOST_BYTES || offset + size > mostBytes)
      throw new ZipTooLarge(`The archive would have more than ${mostBytes} bytes`)
    if (directory.length === MOST_ENTRIES)
      throw new ZipTooLarge(`The archive would have more than ${MOST_ENTRIES} entries`)
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

    // The directory repeats the header from the version to the lengths, then says where the entry is.
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
  if (offset + bytes + END > mostBytes) throw new ZipTooLarge(`The archive would have more than ${mostBytes} bytes`)
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

/** Date and time of MS-DOS in UTC, to two seconds, 1980–2107. */
function dosTime(ms: number): number {
  const at = new Date(Math.min(Math.max(ms, Date.UTC(1980, 0, 1)), Date.UTC(2107, 11, 31)))
  const date = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate()
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1)
  return ((date << 16) | time) >>> 0
}
