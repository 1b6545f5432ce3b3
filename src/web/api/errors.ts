/** The refusals of the server, and failures on the way to it, as errors with sentences for users. */

export interface Problem {
  readonly path: string
  readonly message: string
}

/** Whether there was no answer of the server: no network, a proxy without a server, or none in time. */
export const isLost = (error: unknown): boolean =>
  error instanceof ApiError
    ? error.status === 0 || error.status >= 502
    : error instanceof DOMException && error.name === 'TimeoutError'

/** Codes that the web application reacts to. The others are shown as they are. */
export const NEEDS_CONFIRMATION = 4031
export const NEEDS_TOTP = 4032
export const MUST_ENABLE_TOTP = 4034
export const MUST_CHANGE_PASSWORD = 4038
/** The row has another version than `If-Match` says. */
export const CHANGED = 4024

export class ApiError extends Error {
  constructor(
    /** HTTP status, or 0 if there was no answer. */
    readonly status: number,
    /** The status, or a business code from 4000 on. */
    readonly code: number,
    /** A sentence in the language of the web application. */
    readonly text: string,
    readonly details: readonly Problem[] = [],
    readonly requestId = '',
    /** With `CHANGED` the row as it is now. */
    readonly data?: unknown,
  ) {
    const where = details.length > 0 ? ` ${details.map(({ message }) => message).join('; ')}` : ''
    super(`${text}${where}${requestId === '' ? '' : ` [${requestId}]`}`)
    this.name = 'ApiError'
  }

  /** The problem of one field of the body. */
  problem(field: string): string | undefined {
    return this.details.find(({ path }) => path === `body.${field}` || path === `query.${field}`)?.message
  }
}
