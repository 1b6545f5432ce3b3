/**
 * The shell of every page that the server writes itself: setup, share pages, landing pages, errors. Fit for a phone, light and
 * dark, no script, nothing from elsewhere. The pieces in `pages/parts.ts` are what a page's body is made of.
 */

import { type Html, html } from '#lib/html.ts'
import type { Locale } from '#lib/localized.ts'

import { MARK, STYLE_ELEMENT, STYLE_HASH } from './pages/style.ts'

export { html, type Html, rawHtml } from '#lib/html.ts'
export { button, card, type Facts, facts, field, form, hiddenField, notice, qrPicture, text } from './pages/parts.ts'

export interface Page {
  /** Shown in the browser's tab, before the product's name. Escaped. */
  title: string
  locale: Locale
  body: Html
  /** HTTP status, 200 unless given. */
  status?: number
  /** What `img-src` allows besides this server: `['data:']`, `['https://cdn.example.org']`. */
  imageSources?: readonly string[]
  /** What `form-action` allows: `'self'` unless given. */
  formAction?: string
  /** `Cache-Control`, `no-store` unless given. */
  cache?: string
  /** More response headers. */
  headers?: Readonly<Record<string, string>>
}

const WORDS = {
  en: { lang: 'en', footer: 'Served by Tessera' },
  zh: { lang: 'zh-CN', footer: '由 Tessera 提供服务' },
} as const

export function htmlPage(page: Page): Response {
  const words = WORDS[page.locale]
  const markup = html`<!doctype html>
    <html lang="${words.lang}">
      <head>
        <meta charset="utf-8" />
        <title>${page.title === '' ? 'Tessera' : `${page.title} · Tessera`}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <meta name="format-detection" content="telephone=no" />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        ${STYLE_ELEMENT}
      </head>
      <body>
        <header><span class="brand">${MARK}Tessera</span></header>
        <main>${page.body}</main>
        <footer>${words.footer}</footer>
      </body>
    </html> `
  return new Response(markup.text, {
    status: page.status ?? 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-language': words.lang,
      'content-security-policy': policy(page),
      'cache-control': page.cache ?? 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin',
      vary: 'accept, accept-language',
      ...page.headers,
    },
  })
}

function policy({ imageSources = [], formAction = "'self'" }: Page): string {
  return [
    "default-src 'none'",
    `style-src ${STYLE_HASH}`,
    `img-src ${["'self'", ...imageSources].join(' ')}`,
    `form-action ${formAction}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** A page that says what went wrong in one sentence. `message` is already in the caller's language. */
export function errorPage(status: number, message: string, locale: Locale): Response {
  return htmlPage({
    title: message,
    locale,
    status,
    body: html`<div class="lonely">
      <p class="number">${status}</p>
      <h1>${message}</h1>
    </div>`,
  })
}

const NOT_FOUND = {
  en: { title: 'Nothing to see here', text: 'The link may be incomplete, or its owner has withdrawn it.' },
  zh: { title: '未找到内容', text: '链接可能不完整，或已被所有者撤回。' },
} as const

/** The same page for what never was, what was withdrawn, and what the caller may not know of. */
export function notFoundPage(locale: Locale): Response {
  const { title, text } = NOT_FOUND[locale]
  return htmlPage({
    title,
    locale,
    status: 404,
    body: html`<div class="lonely">
      <p class="number">404</p>
      <h1>${title}</h1>
      <p class="soft">${text}</p>
    </div>`,
  })
}
