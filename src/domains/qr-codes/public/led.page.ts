/** Answers a scan with a redirect or one of the pages. */

import type { AppContext } from '#context'
import { getSetting } from '#domains/settings/index.ts'
import { addressOf } from '#http/caller.ts'
import { notFound } from '#http/errors.ts'
import { html, pathOfPage } from '#http/pages.ts'

import { isNoLongerUsed, tooManyWrongSlugs } from '../blanks/blanks.errors.ts'
import { leadLabel, unboundPage } from '../blanks/label.page.ts'
import type { Led, Visitor } from '../links/leading.service.ts'
import * as pages from '../links/links.page.ts'
import type { Found } from './holders.service.ts'
import type { PublicQrCode } from './public.model.ts'
import { publicPage } from './public.page.ts'
import { openPublic, viewByUuid } from './public.service.ts'
import { countWrongSlug, type Info, infoOf, infoOfCode, isCounted, openShortLink } from './short.service.ts'

function visitOf(ctx: AppContext, { request, caller }: Visitor): pages.Visit {
  const path = pathOfPage(request, 'page')
  // A host of short links has `/{slug}` in place of `/q/{slug}`, which pages name.
  return { ctx, locale: caller.locale, path: /^\/(?:q|public)\//i.test(path) ? path : `/q${path}` }
}

/** Never 301, 307 or 308: phones would remember where the code led. 303 after the form, whose password the target must not get. */
function redirect(location: string, { request }: Visitor): Response {
  const headers = {
    location,
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    ...pages.NOT_LISTED,
  }
  const shown = html`${location}`
  return new Response(html`<a href="${shown}">${shown}</a>`.text, {
    status: request.method === 'POST' ? 303 : 302,
    headers,
  })
}

interface Shown {
  readonly led: Led
  readonly visitor: Visitor
  /** Path of the short link, for the form. */
  readonly path: string
  /** Called for the page only. */
  readonly code: () => Promise<PublicQrCode | undefined>
  readonly info: () => Info
}

async function ledPage(ctx: AppContext, { led, visitor, path, code, info }: Shown): Promise<Response> {
  if (led.kind === 'REDIRECT') return redirect(led.location, visitor)
  const visit = visitOf(ctx, visitor)
  switch (led.kind) {
    case 'WARNING':
      return pages.warningPage(visit, led.location)
    case 'PAGE': {
      const shown = await code()
      return shown === undefined ? pages.unknownLinkPage(visit) : publicPage(ctx, shown, visit.locale, visit.path)
    }
    case 'INFO':
      return infoPage(ctx, visit, info())
    case 'BLOCKED':
      return pages.blockedPage(visit)
    case 'HOST_BLOCKED':
      return pages.hostBlockedPage(visit)
    case 'EXPIRED':
    case 'EXHAUSTED':
      return pages.endedPage(visit, led.kind)
    case 'PASSWORD':
    case 'WRONG_PASSWORD': {
      const action = path + addressOf(visitor.request).search
      return pages.passwordPage(visit, { action, isWrong: led.kind === 'WRONG_PASSWORD' })
    }
    case 'TOO_MANY':
      return pages.tooManyTriesPage(visit, 'PASSWORDS', led.seconds)
  }
}

async function infoPage(
  ctx: AppContext,
  visit: pages.Visit,
  { code: { name, createdAt }, target }: Pick<Info, 'target'> & { readonly code: Pick<Found, 'name' | 'createdAt'> },
): Promise<Response> {
  return pages.infoPage(visit, { name, target, createdAt, abuseContact: await getSetting(ctx, 'links.abuseContact') })
}

/** Answers a scan of a short link. */
export async function answerScan(ctx: AppContext, slug: string, visitor: Visitor): Promise<Response> {
  const opened = await openShortLink(ctx, slug, visitor)
  if (opened !== undefined && 'led' in opened) {
    const { code, led } = opened
    return ledPage(ctx, {
      led,
      visitor,
      path: `/q/${code.asked}`,
      code: () => viewByUuid(ctx, code.uuid),
      info: () => infoOfCode(ctx, code),
    })
  }
  const visit = visitOf(ctx, visitor)
  const page = opened && (await leadLabel(ctx, opened.label, { ...visit, isCounted: isCounted(visitor) }))
  return page ?? unknownPage(ctx, visit, visitor)
}

/** 404, or 429 for an address that has tried too many wrong slugs. */
async function unknownPage(ctx: AppContext, visit: pages.Visit, { caller }: Visitor): Promise<Response> {
  const wait = await countWrongSlug(ctx, caller.ip)
  return wait > 0 ? pages.tooManyTriesPage(visit, 'SLUGS', wait) : pages.unknownLinkPage(visit)
}

/** Answers a visitor of the public link of a code, of which `asksForPage` wants its share page rather than its target. */
export async function answerPublic(
  ctx: AppContext,
  uuid: string,
  visitor: Visitor & { readonly asksForPage: boolean },
): Promise<Response> {
  const opened = await openPublic(ctx, uuid, visitor)
  const visit = visitOf(ctx, visitor)
  if (opened === undefined) return pages.unknownLinkPage(visit)
  const { view, found, slug, led } = opened
  if (led === undefined) return publicPage(ctx, view, visit.locale, visit.path)
  const info = () => infoOfCode(ctx, found)
  return ledPage(ctx, { led, visitor, path: `/q/${slug}`, code: async () => view, info })
}

/** @throws AppError 404, 410, 429 */
export async function showInfo(ctx: AppContext, slug: string, visitor: Visitor & { readonly asJson: boolean }) {
  const found = await infoOf(ctx, slug)
  const visit = visitOf(ctx, visitor)
  if (found === undefined) {
    if (!visitor.asJson) return unknownPage(ctx, visit, visitor)
    const wait = await countWrongSlug(ctx, visitor.caller.ip)
    throw wait > 0 ? tooManyWrongSlugs(wait) : notFound()
  }
  if ('code' in found) return visitor.asJson ? found.info : infoPage(ctx, visit, found)
  const { blank, info } = found
  if (visitor.asJson) return blank.status === 'VOID' ? Promise.reject(isNoLongerUsed()) : info
  if (blank.status !== 'BOUND') return unboundPage(ctx, blank, visit)
  return infoPage(ctx, visit, { code: { name: blank.number, createdAt: blank.boundAt! }, target: 'PAGE' })
}
