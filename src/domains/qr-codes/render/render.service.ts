/** Draws pictures of QR codes and caches them. */

import { LRUCache } from 'lru-cache'

import { type AppContext, perContext } from '#context'
import { invalid, invalidAll } from '#http/validate.ts'
import type { MaybePromise } from '#lib/maybe-promise.ts'
import { encodeQr, QrTooLong, QrTooSmall, toSvg } from '#lib/qr/index.ts'

import { contentTooLong } from '../codes/codes.errors.ts'
import { CAPACITY, type Level } from '../codes/codes.model.ts'
import { bytesOf, levelFor } from '../codes/codes.rules.ts'
import type { RenderQuery } from './render.model.ts'

export interface Picture {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly type: 'image/png' | 'image/svg+xml'
  /** With the quotes of the header. */
  readonly etag: string
}

/** Bytes of cached pictures and their keys: some ten thousand codes of usual size. */
const CACHE_BYTES = 16 * 1024 * 1024
/** Estimated memory of an entry besides its picture and its key. */
const ENTRY_BYTES = 300
/** Part of the ETag. To be raised when the same input gives other bytes than before. */
const RENDERER = 1

const cacheOf = perContext(
  () =>
    new LRUCache<string, Picture>({
      maxSize: CACHE_BYTES,
      sizeCalculation: (picture, key) => picture.bytes.length + 2 * key.length + ENTRY_BYTES,
    }),
)

const utf8 = new TextEncoder()

/** Returns a cached picture at once. Throws 400 if the content does not fit into a code of that level, or the code into that size. */
export function picture(ctx: AppContext, query: RenderQuery): MaybePromise<Picture> {
  const level = levelFor(query.content, query.level)
  const look = `${query.format} ${level} ${query.size} ${query.margin} ${query.fg} ${query.bg}`.toLowerCase()
  const key = `${look} ${query.content}`
  const cache = cacheOf(ctx)
  return cache.get(key) ?? drawOnce(cache, query, level, key)
}

async function drawOnce(
  cache: LRUCache<string, Picture>,
  query: RenderQuery,
  level: Level,
  key: string,
): Promise<Picture> {
  const drawn = await draw(query, level, key)
  cache.set(key, drawn)
  return drawn
}

async function draw(query: RenderQuery, level: Level, key: string): Promise<Picture> {
  const look = { size: query.size, margin: query.margin, fg: query.fg.toLowerCase(), bg: query.bg.toLowerCase() }
  const etag = `"${RENDERER}-${Bun.hash(key).toString(36)}"`
  try {
    const matrix = encodeQr(query.content, level)
    if (query.format === 'svg') return { bytes: utf8.encode(toSvg(matrix, look)), type: 'image/svg+xml', etag }
    const { toPng } = await import('#lib/qr/png.ts')
    return { bytes: toPng(matrix, look), type: 'image/png', etag }
  } catch (error) {
    if (error instanceof QrTooLong)
      throw invalidAll([contentTooLong('query.content', bytesOf(query.content), CAPACITY[level])])
    if (error instanceof QrTooSmall)
      throw invalid(
        'query.size',
        `is too small for this content: at least ${error.modules} pixels`,
        `对此内容过小：至少需要 ${error.modules} 像素`,
      )
    throw error
  }
}
