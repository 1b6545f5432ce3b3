/** Answers in the envelope: `{"code":200,"data":…}` or `{"code","message","requestId","details"?}`. */

import type { AppContext } from '#context'
import { SearchRefused, StorageError, StuckWrite } from '#db/errors.ts'
import type { Locale, Localized } from '#lib/localized.ts'
import { BlobError } from '#platform/blobs/port.ts'
import { ImageQueueFull } from '#platform/images/port.ts'
import { PasswordQueueFull } from '#platform/passwords.ts'

import { type Streamed, Tagged } from './endpoint.ts'
import { AppError, limited, unavailable } from './errors.ts'
import { streamOf } from './exports.ts'
import { InvalidRequest } from './validate.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

const INTERNAL: Localized = { en: 'Something went wrong on the server', zh: '服务器内部错误' }

const NO_STORAGE: Localized = {
  en: 'The storage of the server is not available at the moment',
  zh: '服务器暂时无法访问存储',
}

const NO_FILES: Localized = {
  en: 'The server cannot store or read files at the moment',
  zh: '服务器暂时无法存取文件',
}

/** The error as the caller sees it: unknown ones become a 500 without details, which are in the log only. */
export function publicError(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (error instanceof PasswordQueueFull && error.byUser)
    return limited('Too many requests', '请求过于频繁，请稍后再试', 2)
  if (error instanceof PasswordQueueFull)
    return new AppError(
      503,
      503,
      { en: 'Too many users are signing in at once', zh: '登录人数过多，请稍后再试' },
      { retryAfter: 2 },
    )
  // A full disk or a lost database is not a bug: clients may retry, and monitors should see 503.
  if (error instanceof StorageError) return new AppError(503, 503, NO_STORAGE, { retryAfter: 30 })
  if (error instanceof BlobError) return new AppError(503, 503, NO_FILES, { retryAfter: 30 })
  if (error instanceof StuckWrite)
    return unavailable(
      'The server is too busy and has changed nothing, try again later',
      '服务器繁忙，未做任何更改，请稍后再试',
      {
        retryAfter: 5,
      },
    )
  if (error instanceof ImageQueueFull)
    return unavailable('Too many images are waiting, try again later', '等待处理的图片过多，请稍后再试', {
      retryAfter: 10,
    })
  if (error instanceof SearchRefused)
    return error.reason === 'timeout'
      ? unavailable('The search took too long: add filters or try again later', '搜索超时，请增加筛选条件或稍后再试', {
          retryAfter: 10,
        })
      : limited('You have started newer searches', '你已发起更新的搜索', 1)
  return new AppError(500, 500, INTERNAL)
}

/** Reused, because a Response copies the Headers that it is given, and parsing an object of them takes twice as long. */
const successHeaders = new Headers({
  'content-type': JSON_TYPE,
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
})
/** Of rows with a version. */
const rowHeaders = new Headers(successHeaders)

export function success(data: unknown, requestId: string, version?: number): Response {
  const headers = version === undefined ? successHeaders : rowHeaders
  headers.set('x-request-id', requestId)
  if (version !== undefined) headers.set('etag', `"${version}"`)
  return new Response(envelope(data), { headers })
}

const utf8 = new TextEncoder()

/** The same for data that is generated while it is sent. If that fails, the connection is closed before the JSON is complete. */
export function streamed(ctx: AppContext, { pieces, work }: Streamed, requestId: string): Response {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield utf8.encode('{"code":200,"data":')
    for await (const piece of pieces) yield utf8.encode(piece)
    yield utf8.encode('}')
  }
  successHeaders.set('x-request-id', requestId)
  return new Response(streamOf(ctx, bytes(), work), { headers: successHeaders })
}

const envelope = (data: unknown): string => `{"code":200,"data":${JSON.stringify(data) ?? 'null'}}`

/** The answer of a public GET: caches revalidate it each time, and get 304 if it has not changed. `isPrivate`: of a signed-in one. */
export function publicSuccess(
  result: unknown,
  requestId: string,
  ifNoneMatch: string | null,
  isPrivate = false,
): Response {
  const tagged = result instanceof Tagged ? result : undefined
  const body = tagged ? undefined : envelope(result)
  const etag = tagged ? tagged.etag : `"${Bun.hash(body!).toString(36)}"`
  const headers = {
    'content-type': JSON_TYPE,
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    'cache-control': isPrivate ? 'private, no-cache' : 'no-cache',
    etag,
  }
  return matches(ifNoneMatch, etag)
    ? new Response(null, { status: 304, headers })
    : new Response(body ?? envelope(tagged?.data), { headers })
}

/** The answer of a GET whose address is a secret. */
export function secretSuccess(data: unknown, requestId: string): Response {
  const response = success(data, requestId)
  response.headers.set('referrer-policy', 'no-referrer')
  response.headers.set('x-robots-tag', 'noindex')
  return response
}

/** RFC 9110 §13.1.2: `If-None-Match` is `*` or a list of tags, compared weakly. */
export function matches(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false
  return ifNoneMatch.split(',').some((tag) => {
    const t = tag.trim()
    return t === '*' || t.replace(/^W\//, '') === etag
  })
}

/** The `details` of an answer; undefined if the error has none. */
export function detailsOf(error: AppError, locale: Locale): { path: string; message: string }[] | undefined {
  const problems = error instanceof InvalidRequest ? error.problems : error.extras.details
  return problems?.map(({ path, text }) => ({ path, message: text[locale] }))
}

export function failure(error: AppError, requestId: string, locale: Locale): Response {
  const headers: Record<string, string> = {
    'content-type': JSON_TYPE,
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    ...error.extras.headers,
  }
  if (error.extras.retryAfter !== undefined) headers['retry-after'] = String(error.extras.retryAfter)
  if (error.status === 401) headers['www-authenticate'] = 'Bearer'
  const { code, text, extras } = error
  const body = { code, message: text[locale], requestId, details: detailsOf(error, locale), data: extras.data }
  return new Response(JSON.stringify(body), { status: error.status, headers })
}

/** Adds the headers of every answer to one without the envelope: a picture, a page, a file. */
export function bare(response: Response, requestId: string): Response {
  response.headers.set('x-request-id', requestId)
  response.headers.set('x-content-type-options', 'nosniff')
  return response
}

/** A file of the server itself. Browsers revalidate their copy each time, so an upgrade is visible at once. */
export function cached(request: Request, body: string | Blob, etag: string, headers: Record<string, string>): Response {
  const all = { ...headers, etag, 'cache-control': 'no-cache' }
  return matches(request.headers.get('if-none-match'), etag)
    ? new Response(null, { status: 304, headers: all })
    : new Response(body, { headers: all })
}
