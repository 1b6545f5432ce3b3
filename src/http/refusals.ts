/** How an error is answered: as JSON, or as a page to people in a browser. */

import type { AppContext } from '#context'

import { localeOf } from './caller.ts'
import type { AppError } from './errors.ts'
import { notFoundPage, problemPage } from './pages.ts'
import { bare, failure } from './respond.ts'
import { siteOf } from './site.ts'

/** Errors of pages are pages too, unless the client asks for JSON. */
export function refusal(
  ctx: AppContext,
  error: AppError,
  answers: string | undefined,
  request: Request,
  requestId: string,
): Response {
  const locale = localeOf(request, siteOf(ctx).locale)
  if (answers !== 'text/html' || wantsJson(request)) return failure(error, requestId, locale)
  const page = error.status === 404 ? notFoundPage(ctx, locale) : problemPage(ctx, error, locale)
  if (error.extras.retryAfter !== undefined) page.headers.set('retry-after', String(error.extras.retryAfter))
  return bare(page, requestId)
}

/** Whether the client asks for JSON, or has sent JSON and does not ask for a page. */
export function wantsJson({ headers }: Request): boolean {
  const accept = headers.get('accept') ?? ''
  if (accept.includes('application/json')) return true
  return (headers.get('content-type') ?? '').startsWith('application/json') && !accept.includes('text/html')
}
