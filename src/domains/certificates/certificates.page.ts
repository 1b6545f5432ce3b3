/** The page over plain HTTP while there is no certificate. */

import type { AppContext } from '#context'
import { localeOf } from '#http/caller.ts'
import { card, html, htmlPage, notice } from '#http/pages.ts'
import { siteOf } from '#http/site.ts'
import type { Locale } from '#lib/localized.ts'
import { SECOND } from '#platform/clock.ts'

import { sentenceOf } from './certificates.rules.ts'
import { present } from './certificates.service.ts'

const WORDS = {
  en: {
    title: 'This server has no certificate yet',
    busy: 'It is getting one now, which takes about a minute. Load this page again then.',
    next: 'The server tries again at',
    help: 'This page is for the administrator of the server. On the computer of the server itself, `tessera doctor` says more.',
  },
  zh: {
    title: '此服务器还没有证书',
    busy: '正在获取证书，约需一分钟。请稍后重新加载此页。',
    next: '下次尝试时间：',
    help: '此页面供服务器管理员查看。在服务器本机运行 tessera doctor 可了解更多。',
  },
} as const satisfies Record<Locale, object>

export function waitingPage(ctx: AppContext, request: Request): Response {
  const locale = localeOf(request, siteOf(ctx).locale)
  const words = WORDS[locale]
  const { order } = present(ctx)
  const now = ctx.clock.now()
  const fault = order?.fault
  const wait = fault ? Math.max(1, Math.ceil((order.nextAt - now) / SECOND)) : 30
  return htmlPage(ctx, {
    title: words.title,
    locale,
    status: 503,
    headers: { 'retry-after': String(wait) },
    body: html`<h1>${words.title}</h1>
      ${card(
        fault
          ? html`${notice(sentenceOf(fault, order.nextAt)[locale], 'bad')}
              <p>${words.next} ${new Date(order.nextAt).toISOString().slice(0, 16).replace('T', ' ')} UTC</p>
              <p class="hint">${words.help}</p>`
          : notice(words.busy),
      )}`,
  })
}
