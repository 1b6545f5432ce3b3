/**
 * Looks up addresses in an ip2region database file (.xdb, structures 2 and 3) without loading it into memory.
 *
 * Layout, with little-endian numbers: a header of 256 bytes; 65,536 records of 8 bytes, one for each value of an address's first two
 * bytes, with the offsets of the first and last index entry; the texts; the index. An index entry has the first address, the last
 * address, and the length and offset of the text. Its IPv4 addresses are little-endian, its IPv6 addresses big-endian.
 */

import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

const HEADER_BYTES = 256
const VECTOR_ENTRY = 8
const VECTOR_BYTES = 256 * 256 * VECTOR_ENTRY

export class BadGeoip extends Error {
  override name = 'BadGeoip'
  /** The exit code for unusable data. */
  readonly exitCode = 4
}

export interface Xdb {
  readonly path: string
  /** Bytes of its addresses. */
  readonly width: 4 | 16
  /** Creation time, epoch milliseconds. */
  readonly madeAt: number
  /** The text for an address of `width` bytes; empty if there is none. */
  lookup(address: Uint8Array): string
  close(): void
}

/** @throws BadGeoip if the file cannot be read or is not such a database. */
export function openXdb(path: string): Xdb {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    throw new BadGeoip(`TESSERA_GEOIP_FILE: ${path} cannot be read${missing ? ': there is no such file' : ''}.`)
  }
  try {
    return reader(path, file)
  } catch (error) {
    closeSync(file)
    throw error
  }
}

function reader(path: string, file: number): Xdb {
  const bad = (): BadGeoip =>
    new BadGeoip(`TESSERA_GEOIP_FILE: ${path} is not an ip2region database (.xdb) that this version can read.`)

  /** Undefined beyond the end of the file, which may be replaced while it is in use. */
  function read(at: number, length: number): Buffer | undefined {
    const bytes = Buffer.allocUnsafe(length)
    return readSync(file, bytes, 0, length, at) === length ? bytes : undefined
  }

  const { size } = fstatSync(file)
  const header = size >= HEADER_BYTES + VECTOR_BYTES ? read(0, HEADER_BYTES) : undefined
  if (header === undefined) throw bad()
  const structure = header.readUInt16LE(0)
  const family = structure === 2 ? 4 : structure === 3 ? header.readUInt16LE(16) : 0
  if (family !== 4 && family !== 6) throw bad()
  const width = family === 4 ? 4 : 16
  const entry = 2 * width + 6
  const [first, last] = [header.readUInt32LE(8), header.readUInt32LE(12)]
  if (first < HEADER_BYTES + VECTOR_BYTES || last < first || last + entry > size || (last - first) % entry !== 0)
    throw bad()

  /** Below 0 if `address` is lower than the one at offset `at` of an entry. */
  function compare(address: Uint8Array, bytes: Buffer, at: number): number {
    for (let i = 0; i < width; i++) {
      const difference = address[i]! - bytes[at + (width === 4 ? 3 - i : i)]!
      if (difference !== 0) return difference
    }
    return 0
  }

  return {
    path,
    width,
    madeAt: header.readUInt32LE(4) * 1000,
    lookup(address) {
      const bounds = read(HEADER_BYTES + (address[0]! * 256 + address[1]!) * VECTOR_ENTRY, VECTOR_ENTRY)
      const start = bounds?.readUInt32LE(0) ?? 0
      if (bounds === undefined || start === 0) return ''
      let low = 0
      let high = Math.floor((bounds.readUInt32LE(4) - start) / entry)
      while (low <= high) {
        const middle = (low + high) >>> 1
        const found = read(start + middle * entry, entry)
        if (found === undefined) return ''
        if (compare(address, found, 0) < 0) high = middle - 1
        else if (compare(address, found, width) > 0) low = middle + 1
        else return read(found.readUInt32LE(2 * width + 2), found.readUInt16LE(2 * width))?.toString('utf8') ?? ''
      }
      return ''
    },
    close: () => closeSync(file),
  }
}
