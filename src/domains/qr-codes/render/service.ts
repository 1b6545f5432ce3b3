import { LRUCache } from 'lru-cache'

import { type AppContext, perContext } from '#context'
import { invalid } from '#http/validate.ts'
import { encodeQr, QrTooLong, QrTooSmall, toPng, toSvg } from '#lib/qr/index.ts'

import { contentTooLong, refuse } from '../codes/errors.ts'
import { CAPACITY, levelFor, tooLongFor } from '../codes/rules.ts'
import type { RenderQuery } from './model.ts'

export interface Picture {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly type: 'image/png' | 'image/svg+xml'
  /** Quoted, ready for the header. */
  readonly etag: string
}

/** Bytes of pictures kept, keys included: some ten thousand codes of usual size. */
const CACHE_BYTES = 16 * 1024 * 1024
/** What an entry takes besides its picture and its key, roughly. */
const ENTRY_BYTES = 300
/** Changes when the same input would give other bytes. */
const RENDERER = 1

const cacheOf = perContext(
  () =>
    new LRUCache<string, Picture>({
      maxSize: CACHE_BYTES,
      sizeCalculation: (picture, key) => picture.bytes.length + 2 * key.length + ENTRY_BYTES,
    }),
)

const utf8 = new TextEncoder()

/** The picture that a query asks for, drawn at most once while it is kept. Throws a 400 for what no code of that level or size can show. */
export function picture(ctx: AppContext, query: RenderQuery): Picture {
  const level = levelFor(query.content, query.level)
  const look = `${query.format} ${level} ${query.size} ${query.margin} ${query.fg} ${query.bg}`.toLowerCase()
  const key = `${look} ${query.content}`
  const cache = cacheOf(ctx)
  let found = cache.get(key)
  if (found === undefined) cache.set(key, (found = draw(query, level, key)))
  return found
}

function draw(query: RenderQuery, level: 'L' | 'M' | 'Q' | 'H', key: string): Picture {
  const look = { size: query.size, margin: query.margin, fg: query.fg.toLowerCase(), bg: query.bg.toLowerCase() }
  const etag = `"${RENDERER}-${Bun.hash(key).toString(36)}"`
  try {
    const matrix = encodeQr(query.content, level)
    return query.format === 'svg'
      ? { bytes: utf8.encode(toSvg(matrix, look)), type: 'image/svg+xml', etag }
      : { bytes: toPng(matrix, look), type: 'image/png', etag }
  } catch (error) {
    if (error instanceof QrTooLong)
      throw refuse(contentTooLong('query.content', query.content, tooLongFor(query.content, level) ?? CAPACITY[level]))
    if (error instanceof QrTooSmall)
      throw invalid(
        'query.size',
        `is too small for this content: at least ${error.modules} pixels`,
        `对此内容过小：至少需要 ${error.modules} 像素`,
      )
    throw error
  }
}
