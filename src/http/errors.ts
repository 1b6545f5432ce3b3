/** Errors that the caller sees. Every other error becomes a 500 without details. */

import type { Localized } from '#lib/localized.ts'

/** A problem with one field of a request. */
export interface FieldProblem {
  /** Where the field is: `body.name`, `query.page`, `body.items.3.content`. */
  readonly path: string
  /** Continues a sentence that begins with the field: `must be a string`. */
  readonly text: Localized
}

export interface ErrorExtras {
  /** Seconds to wait before a retry: the `Retry-After` header. */
  retryAfter?: number
  /** Facts for the client, sent as `details`. */
  details?: readonly FieldProblem[]
  /** The present row, sent as `data`. */
  data?: unknown
  /** Further headers of the answer. */
  headers?: Readonly<Record<string, string>>
  /** Logged, never sent. */
  log?: Record<string, unknown>
}

export class AppError extends Error {
  override name = 'AppError'
  constructor(
    /** HTTP status. */
    readonly status: number,
    /** `code` of the envelope: the status, or a business code such as 4022. */
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

/** Invalid input, or a state that does not allow the operation (spec §7.4). */
export const badRequest = at(400)
export const unauthorized = at(401)
export const forbidden = at(403)
export const tooLarge = at(413)
export const unsupportedType = at(415)
export const unavailable = at(503)

/** The row does not exist, or the caller may not know that it does: both get the same answer. */
export const notFound = (): AppError => new AppError(404, 404, { en: 'Not found', zh: '未找到' })

/** The path exists, but not for this method. Sent with `Allow`. */
export const wrongMethod = (method: string): AppError =>
  new AppError(405, 405, {
    en: `${method} is not allowed here; the Allow header lists the methods that are`,
    zh: `此地址不支持 ${method} 方法，可用方法见 Allow 响应头`,
  })

/** A quota or rate limit is reached (business code 4022, HTTP 429). `retryAfter` in seconds. */
export const limited = (en: string, zh: string, retryAfter = 60): AppError =>
  new AppError(429, 4022, { en, zh }, { retryAfter })
