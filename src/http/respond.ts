/** Answers in the envelope of the interface: `{"code":200,"data":…}`, or `{"code","message","requestId","details"?}`. */

import { StorageError } from '#db/errors.ts'
import type { Locale, Localized } from '#lib/localized.ts'
import { PasswordQueueFull } from '#platform/passwords.ts'

import { AppError } from './errors.ts'
import { InvalidRequest } from './validate.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

const INTERNAL: Localized = { en: 'Something went wrong on the server', zh: '服务器内部错误' }

const NO_STORAGE: Localized = { en: 'The server cannot reach its storage right now', zh: '服务器暂时无法访问存储' }

/** Says of an error what the caller may know. Anything unknown is a 500 that says nothing; the log has the rest. */
export function publicError(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (error instanceof PasswordQueueFull)
    return new AppError(
      503,
      503,
      { en: 'Too many people are signing in at once', zh: '登录人数过多，请稍后再试' },
      { retryAfter: 2 },
    )
  // A full disk or a lost database is nobody's bug: clients may try again, and monitors see 503 rather than a crash.
  if (error instanceof StorageError) return new AppError(503, 503, NO_STORAGE, { retryAfter: 30 })
  return new AppError(500, 500, INTERNAL)
}

export function success(data: unknown, requestId: string): Response {
  return new Response(`{"code":200,"data":${JSON.stringify(data) ?? 'null'}}`, {
    headers: {
      'content-type': JSON_TYPE,
      'x-request-id': requestId,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    },
  })
}

/** A public GET's answer: may be kept, must be asked about again; 304 when the client's copy is still right. */
export function publicSuccess(data: unknown, requestId: string, ifNoneMatch: string | null): Response {
  const body = `{"code":200,"data":${JSON.stringify(data) ?? 'null'}}`
  const etag = `"${Bun.hash(body).toString(36)}"`
  const headers = {
    'content-type': JSON_TYPE,
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-cache',
    etag,
  }
  return matches(ifNoneMatch, etag) ? new Response(null, { status: 304, headers }) : new Response(body, { headers })
}

/** RFC 9110 §13.1.2: `*` or a list of tags, compared weakly. */
export function matches(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false
  return ifNoneMatch.split(',').some((tag) => {
    const t = tag.trim()
    return t === '*' || t.replace(/^W\//, '') === etag
  })
}

export function failure(error: AppError, requestId: string, locale: Locale): Response {
  const details = error instanceof InvalidRequest ? error.detailsIn(locale) : error.extras.details
  const headers: Record<string, string> = {
    'content-type': JSON_TYPE,
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  }
  if (error.extras.retryAfter !== undefined) headers['retry-after'] = String(error.extras.retryAfter)
  if (error.status === 401) headers['www-authenticate'] = 'Bearer'
  const body = { code: error.code, message: error.text[locale], requestId, ...(details && { details }) }
  return new Response(JSON.stringify(body), { status: error.status, headers })
}

/** Adds what every answer carries to one that an endpoint made itself (a picture, a page, a file). */
export function bare(response: Response, requestId: string): Response {
  response.headers.set('x-request-id', requestId)
  response.headers.set('x-content-type-options', 'nosniff')
  return response
}
