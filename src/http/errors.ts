/** Errors that a caller is told about. Everything else becomes a 500 that says nothing of the inside. */

import type { Localized } from '#lib/localized.ts'

export interface Detail {
  /** Where in the request: `body.name`, `query.page`, `items.3.content`. */
  path: string
  message: string
}

export interface ErrorExtras {
  details?: Detail[]
  /** Seconds until a retry makes sense; becomes the `Retry-After` header. */
  retryAfter?: number
  /** For the log only, never for the caller. */
  log?: Record<string, unknown>
}

export class AppError extends Error {
  override name = 'AppError'
  constructor(
    /** HTTP status. */
    readonly status: number,
    /** Code of the envelope: the status, or a business code such as 4022. */
    readonly code: number,
    readonly text: Localized,
    readonly extras: ErrorExtras = {},
  ) {
    super(text.en)
  }
}

const at =
  (status: number) =>
  (en: string, zh: string, extras?: ErrorExtras): AppError =>
    new AppError(status, status, { en, zh }, extras)

/** Bad input, a bad state or a refused transition (spec §7.4). */
export const badRequest = at(400)
export const unauthorized = at(401)
export const forbidden = at(403)
export const tooLarge = at(413)
export const unsupportedType = at(415)
export const unavailable = at(503)

/** Unknown, or somebody else's and not for the caller to know of: the answer is the same. */
export const notFound = (): AppError => new AppError(404, 404, { en: 'Not found', zh: '未找到' })

/** The path exists, but not for this method. Sent with `Allow`. */
export const wrongMethod = (method: string): AppError =>
  new AppError(405, 405, {
    en: `${method} is not allowed here; the Allow header lists the methods that are`,
    zh: `此地址不支持 ${method} 方法，可用方法见 Allow 响应头`,
  })

/** A quota or rate limit was met (business code 4022, HTTP 429). `retryAfter` in seconds. */
export const limited = (en: string, zh: string, retryAfter = 60): AppError =>
  new AppError(429, 4022, { en, zh }, { retryAfter })
