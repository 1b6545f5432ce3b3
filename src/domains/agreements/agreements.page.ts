/** The public pages of the current terms of service and privacy policy. */

import type { AppContext } from '#context'
import { card, html, htmlPage, prose } from '#http/pages.ts'
import type { Locale } from '#lib/localized.ts'

import type { Current } from './agreements.service.ts'

const WORDS = {
  en: {
    types: { SERVICE: 'Terms of service', PRIVACY: 'Privacy policy' },
    version: (n: number, date: string) => `Version ${n}, in effect since ${date} (UTC)`,
  },
  zh: {
    types: { SERVICE: '服务条款', PRIVACY: '隐私政策' },
    version: (n: number, date: string) => `第 ${n} 版，自 ${date}（UTC）起生效`,
  },
} as const satisfies Record<Locale, object>

export function agreementPage(ctx: AppContext, { answer: { data }, activatedAt }: Current, locale: Locale): Response {
  const words = WORDS[locale]
  const { type, version, title, contentHtml } = data
  const date = new Date(activatedAt).toISOString().slice(0, 10)
  return htmlPage(ctx, {
    title,
    locale,
    path: `/public/agreement/${type.toLowerCase()}`,
    preview: { title, description: words.types[type] },
    // Pictures in the text are administrators' choice; other pages load nothing from other servers.
    imageSources: contentHtml.includes('<img ') ? ['https:'] : [],
    body: card(
      html`${title !== words.types[type] && html`<p class="soft">${words.types[type]}</p>`}
        <h1>${title}</h1>
        <p class="soft">${words.version(version, date)}</p>
        ${prose(contentHtml)}`,
    ),
  })
}
