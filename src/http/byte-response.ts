/** Answers GET and HEAD for stored bytes: whole, one range, or not modified (RFC 9110 §13 and §14). */

import { BlobError, type ByteRange, type Bytes } from '#platform/blobs/port.ts'

import { AppError } from './errors.ts'
import { matches } from './respond.ts'

export interface StoredBytes {
  /** Bytes. */
  readonly size: number
  /** A strong entity tag, with its quotes. It must change with the bytes. */
  readonly etag: string
  /** The media type. */
  readonly type: string
  /** Whether browsers show the bytes or save them. Without this header Bun would send the name of the stored file. */
  readonly disposition: 'inline' | 'attachment'
  /** The file name for people, with any Unicode. */
  readonly name: string
  /** For example `cache-control`. */
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * The record of the endpoint needs `sendsRanges`. `read` is not called for HEAD. Several ranges in one request are answered with all
 * bytes, which the standard allows. There is no `Last-Modified`, because the entity tag says the same more exactly.
 *
 * @throws AppError 412 if `If-Match` names other bytes, 416 if the range begins after the last byte
 * @throws BlobError if `read` finds nothing or less, because the row says that the bytes exist
 */
export async function answerBytes(
  request: Request,
  stored: StoredBytes,
  read: (range: ByteRange) => Promise<Bytes | undefined>,
): Promise<Response> {
  const { size, etag } = stored
  const given = request.headers
  if (given.has('if-match') && !matchesStrongly(given.get('if-match')!, etag)) throw changed()
  const isHead = request.method === 'HEAD'
  const headers = new Headers({ ...stored.headers, etag, 'accept-ranges': 'bytes' })
  if (matches(given.get('if-none-match'), etag)) return new Response(null, { status: 304, headers })

  headers.set('content-type', stored.type)
  headers.set('content-disposition', contentDisposition(stored.disposition, stored.name))
  if (isHead) {
    headers.set('content-length', String(size))
    return new Response(null, { headers })
  }
  const range = sameBytes(given.get('if-range'), etag) ? parseRange(given.get('range'), size) : undefined
  if (range === 'unsatisfiable') throw outOfRange(size)
  // Never without a range: Bun applies the header `Range` itself to the answer of a whole file, also where it is to be ignored.
  const { start, end } = range ?? { start: 0, end: size }
  const bytes = await read({ start, end })
  if (bytes === undefined) throw lost(stored, 'are missing')
  if (bytes instanceof Blob && bytes.size !== end - start) throw lost(stored, 'are damaged')
  if (range !== undefined) headers.set('content-range', `bytes ${range.start}-${range.end - 1}/${size}`)
  // Bun 1.4.5 removes it from streams, which it sends in chunks (github.com/oven-sh/bun/issues/10507). HEAD and 206 show the size.
  headers.set('content-length', String(end - start))
  const body = bytes instanceof Blob ? bytes : ofSize(bytes, end - start, stored)
  return new Response(body, { status: range === undefined ? 200 : 206, headers })
}

/** The headers are sent before a stream ends. If it has another size, the connection breaks, so that clients see that bytes are missing. */
function ofSize(bytes: ReadableStream<Uint8Array>, size: number, stored: StoredBytes): ReadableStream<Uint8Array> {
  let left = size
  return bytes.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        left -= chunk.length
        if (left < 0) throw lost(stored, 'are damaged')
        controller.enqueue(chunk)
      },
      flush() {
        if (left > 0) throw lost(stored, 'are damaged')
      },
    }),
  )
}

const lost = ({ name }: StoredBytes, what: string): BlobError =>
  new BlobError('io', `The bytes of ${JSON.stringify(name)} ${what}: \`tessera doctor --files\` lists all such files.`)

const changed = (): AppError =>
  new AppError(412, 412, { en: 'The file is not the one that you expect', zh: '文件与预期的不一致' })

const outOfRange = (size: number): AppError =>
  new AppError(
    416,
    416,
    { en: `The file has only ${size} bytes`, zh: `文件只有 ${size} 字节` },
    { headers: { 'content-range': `bytes */${size}` } },
  )

/** RFC 9110 §13.1.1: a weak tag (`W/"…"`) does not match. */
const matchesStrongly = (ifMatch: string, etag: string): boolean =>
  ifMatch.split(',').some((tag) => tag.trim() === '*' || tag.trim() === etag)

/** RFC 9110 §13.1.5: whether a range continues the bytes that the client already has. A date never matches. */
const sameBytes = (ifRange: string | null, etag: string): boolean => ifRange === null || ifRange.trim() === etag

/** One range: `5-9`, `5-`, or the last bytes, `-5`. */
const RANGE = /^(\d+)-(\d*)$|^-(\d+)$/

/** Undefined where the header is ignored: no bytes, several ranges, or not understood. */
export function parseRange(header: string | null, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, set] = /^bytes[ \t]*=(.*)$/i.exec(header ?? '') ?? []
  // Empty members of a list are ignored (RFC 9110 §5.6.1.2).
  const members = (set ?? '').split(',').flatMap((member) => member.trim() || [])
  if (members.length !== 1) return undefined
  const [whole, first, last, suffix] = RANGE.exec(members[0]!) ?? []
  if (whole === undefined) return undefined
  if (suffix !== undefined) {
    if (Number(suffix) === 0) return 'unsatisfiable'
    return size === 0 ? undefined : { start: Math.max(0, size - Number(suffix)), end: size }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return undefined
  if (start >= size) return 'unsatisfiable'
  return { start, end: last === '' ? size : Math.min(Number(last) + 1, size) }
}

/** RFC 6266, with the name in ASCII too for old clients. */
export function contentDisposition(disposition: 'inline' | 'attachment', name: string): string {
  const ascii = name.replaceAll(/[^ -~]|["\\%]/gu, '_')
  if (ascii === name) return `${disposition}; filename="${name}"`
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${disposition}; filename="${ascii}"; filename*=UTF-8''${encoded}`
}
