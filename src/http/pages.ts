/**
 * HTML pages of the server: setup, share pages, landing pages, errors. `htmlPage` writes the page around a body, the other functions
 * build the body; they escape every text and keep `Html`. Pages work on phones, in light and dark, without scripts and without files
 * from other servers.
 */

import { type Html, html, type HtmlValue, rawHtml } from '#lib/html.ts'
import type { Locale } from '#lib/localized.ts'

import { MARK, STYLE_ELEMENT, STYLE_HASH } from './page-style.ts'

export { html, type Html, rawHtml } from '#lib/html.ts'

export interface Page {
  /** Shown in the browser's tab before the product's name. */
  title: string
  locale: Locale
  body: Html
  /** HTTP status; 200 by default. */
  status?: number
  /** Sources that `img-src` allows besides this server: `['data:']`, `['https://cdn.example.org']`. */
  imageSources?: readonly string[]
  /** Targets that `form-action` allows; `'self'` by default. */
  formAction?: string
  /** `Cache-Control`; `no-store` by default. */
  cache?: string
  /** Further response headers. */
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

/** A page with one sentence about the error. `message` is in the caller's language. */
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

/** The same page for rows that never existed, that were withdrawn, and that the caller may not see. */
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

/** A white box with an optional heading (level 2 if the page already has one of level 1). */
export const card = (body: HtmlValue, heading?: { title: string; level?: 1 | 2 }): Html =>
  html`<section class="card">
    ${heading && (heading.level === 2 ? html`<h2>${heading.title}</h2>` : html`<h1>${heading.title}</h1>`)}${body}
  </section>`

/** Paths of this server and schemes that are safe to open. Never `javascript:` or `data:`, which a user's QR code may contain. */
const SAFE_LINK = /^(?:\/(?!\/)|https?:\/\/|mailto:|tel:)/i

/** With `href` a link that looks like a button (nothing if the link is unsafe), otherwise the submit button of a form. */
export function button(label: string, options: { href?: string; kind?: 'primary' | 'plain' } = {}): Html {
  const look = options.kind === 'plain' ? 'button plain' : 'button'
  if (options.href === undefined) return html`<button class="${look}" type="submit">${label}</button>`
  return SAFE_LINK.test(options.href) ? html`<a class="${look}" href="${options.href}">${label}</a>` : html``
}

export interface Field {
  label: string
  name: string
  type?: 'text' | 'password' | 'email' | 'tel' | 'number' | 'textarea'
  value?: string
  hint?: string
  /** The problem with the value, shown instead of the hint. */
  error?: string
  autocomplete?: string
  required?: boolean
  minLength?: number
  maxLength?: number
  pattern?: string
  autofocus?: boolean
}

/** A labelled input. The value of a password is never written. */
export function field(f: Field): Html {
  const { name, type = 'text', error, value } = f
  const note = error ?? f.hint
  const given = attributes({
    id: `f-${name}`,
    name,
    autocomplete: f.autocomplete,
    required: f.required,
    minlength: f.minLength,
    maxlength: f.maxLength,
    pattern: f.pattern,
    autofocus: f.autofocus,
    autocapitalize: type === 'textarea' ? undefined : 'none',
    'aria-invalid': error && 'true',
    'aria-describedby': note && `n-${name}`,
  })
  const input =
    type === 'textarea'
      ? html`<textarea ${given}>${value}</textarea>`
      : html`<input ${attributes({ type, value: type === 'password' ? undefined : value })} ${given} />`
  const remark = note && html`<p class="${error ? 'hint bad' : 'hint'}" id="n-${name}">${note}</p>`
  return html`<div class="field"><label for="f-${name}">${f.label}</label>${input}${remark}</div>`
}

/** `name="value"` for each attribute with a value; `true` writes the name alone. */
const attributes = (values: Record<string, string | number | boolean | undefined>): Html[] =>
  Object.entries(values).flatMap(([name, value]) =>
    value === undefined || value === false || value === ''
      ? []
      : [value === true ? html` ${rawHtml(name)}` : html` ${rawHtml(name)}="${value}"`],
  )

export const hiddenField = (name: string, value: string): Html =>
  html`<input type="hidden" name="${name}" value="${value}" />`

/** Sends its fields urlencoded by POST, so the endpoint needs `acceptsForm`. */
export const form = (action: string, body: HtmlValue): Html =>
  html`<form method="post" action="${action}" accept-charset="utf-8">${body}</form>`

/** A short message above the content of a page. */
export const notice = (message: string, kind: 'info' | 'bad' = 'info'): Html =>
  html`<div class="${kind === 'bad' ? 'notice bad' : 'notice'}" role="${kind === 'bad' ? 'alert' : 'status'}">
    ${message}
  </div>`

/** Name and value on one line each; pairs without a value are left out. */
export type Facts = readonly (readonly [name: string, value: HtmlValue])[]
export function facts(pairs: Facts): Html {
  const shown = pairs.filter(([, value]) => value !== null && value !== undefined && value !== '')
  return html`<dl class="facts">
    ${shown.map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`
}

/** A text that keeps its line breaks. */
export const text = (value: string): Html => html`<p class="text">${value}</p>`

/** Rendered Markdown (lib/markdown), which is safe HTML already. */
export const prose = (rendered: string): Html => html`<div class="prose">${rawHtml(rendered)}</div>`

/** `src` is a path on this server, such as `/api/qrcode/render?content=…&size=640`. */
export const qrPicture = (src: string, alt: string): Html =>
  html`<img class="qr" src="${src}" alt="${alt}" width="320" height="320" decoding="async" />`
