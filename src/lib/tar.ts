/**
 * Streams of tar archives: POSIX ustar with pax records for names and sizes that do not fit. The writer emits regular files, which
 * any `tar` can read; the reader refuses everything else. ADR 0013 says why this is not a library.
 */

const BLOCK = 512
/** Longer names need a pax record. */
const NAME_BYTES = 100
/** 11 octal digits. */
const MAX_OCTAL_SIZE = 8 ** 11 - 1
/** No name needs a longer pax header. */
const MAX_PAX_BYTES = 64 * 1024

export interface TarEntry {
  /** Relative, with `/`. */
  readonly name: string
  readonly size: number
  /** Epoch milliseconds. */
  readonly modified: number
}

/** The input is not a tar archive of regular files, or is truncated. */
export class TarError extends Error {
  override name = 'TarError'
}

const encoder = new TextEncoder()
// Without `fatal`, names that are not UTF-8 would be read as other names.
const decoder = new TextDecoder('utf-8', { fatal: true })

const paddingFor = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK

/** The zeros that follow an entry's bytes. */
export const tarPadding = (size: number): Uint8Array => new Uint8Array(paddingFor(size))
/** The end of an archive. */
export const tarEnd = (): Uint8Array => new Uint8Array(2 * BLOCK)

/** The header of one regular file (mode 0600), after a pax record if needed. Followed by the file's bytes and `tarPadding`. */
export function tarHeader(entry: TarEntry): Uint8Array {
  const name = encoder.encode(entry.name)
  // oxlint-disable-next-line no-control-regex -- other characters than printable ASCII go into a pax record
  const plainName = name.length <= NAME_BYTES && /^[\x20-\x7e]+$/.test(entry.name)
  const records: [string, string][] = []
  if (!plainName) records.push(['path', entry.name])
  if (entry.size > MAX_OCTAL_SIZE) records.push(['size', String(entry.size)])
  const own = block(
    plainName ? name : encoder.encode('long-name'),
    Math.min(entry.size, MAX_OCTAL_SIZE),
    entry.modified,
    '0',
  )
  if (records.length === 0) return own
  const pax = encoder.encode(records.map(([key, value]) => paxRecord(key, value)).join(''))
  const paxHeader = block(encoder.encode('pax-header'), pax.length, entry.modified, 'x')
  return Buffer.concat([paxHeader, pax, tarPadding(pax.length), own])
}

/** `length key=value\n`, where the length includes its own digits. */
function paxRecord(key: string, value: string): string {
  const rest = encoder.encode(` ${key}=${value}\n`).length
  let length = rest + String(rest).length
  if (rest + String(length).length !== length) length = rest + String(length).length
  return `${length} ${key}=${value}\n`
}

function block(name: Uint8Array, size: number, modified: number, type: '0' | 'x'): Uint8Array {
  const header = new Uint8Array(BLOCK)
  const put = (text: string, at: number): void => header.set(encoder.encode(text), at)
  const octal = (value: number, width: number, at: number): void => put(value.toString(8).padStart(width - 1, '0'), at)
  header.set(name, 0)
  octal(0o600, 8, 100)
  octal(0, 8, 108)
  octal(0, 8, 116)
  octal(size, 12, 124)
  octal(Math.max(0, Math.floor(modified / 1000)), 12, 136)
  put(type, 156)
  put('ustar\u000000', 257)
  octal(checksum(header), 7, 148)
  put('\u0000 ', 154)
  return header
}

/** The sum of all bytes, with those of the checksum itself counted as spaces. */
function checksum(header: Uint8Array): number {
  let sum = 0
  for (let i = 0; i < BLOCK; i++) sum += i >= 148 && i < 156 ? 32 : header[i]!
  return sum
}

export interface TarFile extends TarEntry {
  /** Read these to the end before you ask for the next entry. */
  readonly bytes: AsyncIterable<Uint8Array>
}

/**
 * Reads the files of an archive in order and keeps none of them in memory.
 * @throws TarError for links, folders, devices, damaged headers, and archives without an end.
 */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarFile> {
  const input = new Input(source)
  let pax: Map<string, string> | undefined
  for (;;) {
    const header = await input.exactly(BLOCK)
    if (header.every((byte) => byte === 0)) {
      if (pax) throw new TarError('an extended header without its file')
      await input.onlyZeros()
      return
    }
    if (Number.parseInt(text(header, 148, 8), 8) !== checksum(header)) throw new TarError('a damaged header')
    const type = String.fromCharCode(header[156]!)
    const size = octalField(header, 124, 12)
    if (type === 'x') {
      if (pax || size > MAX_PAX_BYTES) throw new TarError('an extended header that is not supported')
      pax = parsePax(await input.exactly(size))
      await input.exactly(paddingFor(size))
      continue
    }
    if (type !== '0' && type !== '\0')
      throw new TarError(`an entry that is not a regular file (type ${JSON.stringify(type)})`)
    const file = fileOf(header, size, pax)
    pax = undefined
    let left = file.size
    async function* bytes(): AsyncGenerator<Uint8Array> {
      while (left > 0) {
        const chunk = await input.some(left)
        left -= chunk.length
        yield chunk
      }
    }
    yield { ...file, bytes: bytes() }
    while (left > 0) left -= (await input.some(left)).length
    await input.exactly(paddingFor(file.size))
  }
}

function fileOf(header: Uint8Array, size: number, pax: Map<string, string> | undefined): TarEntry {
  const prefix = text(header, 345, 155)
  const name = text(header, 0, NAME_BYTES)
  const given = pax?.get('size')
  if (given !== undefined && !/^\d{1,15}$/.test(given)) throw new TarError('a size that is not a number')
  return {
    name: pax?.get('path') ?? (prefix === '' ? name : `${prefix}/${name}`),
    size: given === undefined ? size : Number(given),
    modified: octalField(header, 136, 12) * 1000,
  }
}

function parsePax(bytes: Uint8Array): Map<string, string> {
  const records = new Map<string, string>()
  let at = 0
  while (at < bytes.length) {
    const space = bytes.indexOf(32, at)
    const length = space < 0 ? Number.NaN : Number(utf8(bytes.subarray(at, space)))
    if (!Number.isInteger(length) || length <= space - at || at + length > bytes.length)
      throw new TarError('a damaged extended header')
    const record = utf8(bytes.subarray(space + 1, at + length))
    const equals = record.indexOf('=')
    if (equals < 1 || !record.endsWith('\n')) throw new TarError('a damaged extended header')
    records.set(record.slice(0, equals), record.slice(equals + 1, -1))
    at += length
  }
  return records
}

function octalField(header: Uint8Array, at: number, width: number): number {
  const digits = text(header, at, width).trim()
  if (!/^[0-7]+$/.test(digits)) throw new TarError('a damaged number in a header')
  return Number.parseInt(digits, 8)
}

/** A field up to its first NUL. */
function text(header: Uint8Array, at: number, width: number): string {
  const field = header.subarray(at, at + width)
  const end = field.indexOf(0)
  return utf8(end < 0 ? field : field.subarray(0, end))
}

function utf8(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new TarError('a name that is not UTF-8')
  }
}

/** Reads pieces of a wanted size from chunks of any size. */
class Input {
  private readonly chunks: AsyncIterator<Uint8Array>
  private chunk: Uint8Array = new Uint8Array(0)

  constructor(source: AsyncIterable<Uint8Array>) {
    this.chunks = source[Symbol.asyncIterator]()
  }

  /** Reads between 1 and `max` bytes. */
  async some(max: number): Promise<Uint8Array> {
    while (this.chunk.length === 0) {
      const { done, value } = await this.chunks.next()
      if (done) throw new TarError('the archive is truncated')
      this.chunk = value
    }
    const piece = this.chunk.subarray(0, max)
    this.chunk = this.chunk.subarray(piece.length)
    return piece
  }

  /** Reads to the end, so that the decompressor in front of this notices if its input is truncated. */
  async onlyZeros(): Promise<void> {
    for (;;) {
      if (this.chunk.some((byte) => byte !== 0)) throw new TarError('data follows the end of the archive')
      const { done, value } = await this.chunks.next()
      if (done) return
      this.chunk = value
    }
  }

  async exactly(size: number): Promise<Uint8Array> {
    if (this.chunk.length >= size) {
      const piece = this.chunk.subarray(0, size)
      this.chunk = this.chunk.subarray(size)
      return piece
    }
    const pieces = new Uint8Array(size)
    let filled = 0
    while (filled < size) {
      const piece = await this.some(size - filled)
      pieces.set(piece, filled)
      filled += piece.length
    }
    return pieces
  }
}
