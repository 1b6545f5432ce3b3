/** The pages of labels that stand for no QR code. */

import type { AppContext } from '#context'
import { button, card, html, htmlPage } from '#http/pages.ts'
import type { Locale } from '#lib/localized.ts'

import { type BlankRow, findBlank } from './blanks.store.ts'
import { countLabelScan } from './label-counter.ts'
import { pageOfLabel } from './short-links.service.ts'

const WORDS = {
  en: {
    free: 'This label is not in use yet',
    number: (number: string) => `Number ${number}`,
    text: 'The people it belongs to can say what it stands for.',
    assign: 'Assign it',
    void: 'This label is no longer used',
  },
  zh: {
    free: '此标签尚未使用',
    number: (number: string) => `编号 ${number}`,
    text: '标签的所有者可以将它绑定到物品、地点或内容。',
    assign: '立即绑定',
    void: '此标签已停用',
  },
} as const satisfies Record<Locale, object>

const HEADERS = { 'x-robots-tag': 'noindex' }

/** Who sees a page. `path`: that of the page for its links to the other language. */
interface Visit {
  readonly locale: Locale
  readonly path: string
}

/**
 * The page, or the redirect, of a label that does not stand for a QR code. Undefined for other slugs, and if its thing is gone; scans of labels
 * are counted in any case. `isCounted`: false for visits that do not count, such as those of robots.
 */
export async function leadLabel(
  ctx: AppContext,
  slug: string,
  visit: Visit & { readonly isCounted: boolean },
): Promise<Response | undefined> {
  const blank = await findBlank(ctx.db.read, slug)
  if (blank === undefined) return undefined
  if (visit.isCounted) countLabelScan(ctx, slug)
  if (blank.status !== 'BOUND') return unboundPage(ctx, blank, visit)
  const path = await pageOfLabel(ctx, blank)
  if (path === undefined) return undefined
  const location = ctx.config.publicUrl + path
  return new Response(html`<a href="${location}">${location}</a>`.text, {
    status: 302,
    headers: {
      location,
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      ...HEADERS,
    },
  })
}

/** The page of a label that stands for nothing: 410 if it is void. */
export const unboundPage = (ctx: AppContext, blank: BlankRow, visit: Visit): Response =>
  blank.status === 'VOID' ? voidPage(ctx, blank, visit) : freePage(ctx, blank, visit)

function freePage(ctx: AppContext, { slug, number }: BlankRow, { path, locale }: Visit): Response {
  const words = WORDS[locale]
  const body = html`<div class="centered">
    <p class="number">${number}</p>
    <h1>${words.free}</h1>
    <p class="soft">${words.text}</p>
    ${button(words.assign, { href: `${ctx.config.publicUrl}/console/labels/${slug}` })}
  </div>`
  return htmlPage(ctx, {
    title: `${words.free}: ${number}`,
    locale,
    path,
    preview: { title: words.free, description: words.number(number) },
    headers: HEADERS,
    body: card(body),
  })
}

function voidPage(ctx: AppContext, { number }: BlankRow, { path, locale }: Visit): Response {
  const words = WORDS[locale]
  return htmlPage(ctx, {
    title: words.void,
    locale,
    status: 410,
    path,
    headers: HEADERS,
    body: html`<div class="lonely">
      <p class="number">410</p>
      <h1>${words.void}</h1>
      <p class="soft">${words.number(number)}</p>
    </div>`,
  })
}
