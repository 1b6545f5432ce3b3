/**
 * HTML pages of the server: the front page, setup, share pages, landing pages, errors. `htmlPage` writes the page around a body, the
 * other functions build the body; they escape every text and keep `Html`. Pages work on phones, in light and dark, without scripts and
 * without files from other servers.
 */

import type { AppContext } from '#context'
import { type Html, html, type HtmlValue, rawHtml } from '#lib/html.ts'
import type { Locale } from '#lib/localized.ts'
import type { LogoPicture } from '#platform/images/port.ts'

import { addressOf, chosenLocale } from './caller.ts'
import type { AppError } from './errors.ts'
import { MARK, THEME_COLORS } from './page-style.ts'
import { detailsOf } from './respond.ts'
import { footOf, type Site, siteOf } from './site.ts'

export { html, type Html, rawHtml } from '#lib/html.ts'

export interface Page {
  /** Shown in the browser's tab before the name of the server. */
  title: string
  locale: Locale
  body: Html
  /** HTTP status; 200 by default. */
  status?: number
  /** Sources that `img-src` allows besides this server: `['data:']`, `['https://cdn.example.org']`. */
  imageSources?: readonly string[]
  /** Targets that `form-action` allows; `'self'` by default. */
  formAction?: string
  /** The preview of a link to the page, which chats and social networks show. */
  preview?: Preview
  /** The path of the page on this server, for its links to the other language. Without it there are none. */
  path?: string
  /** Whether search engines may list the page; false by default. */
  indexed?: boolean
  /** Whether the page has a `copyable` value: loads the script that adds a button to each. */
  copies?: boolean
  /** The address under which search engines list the page, whatever its query. */
  canonical?: string
  /** The thing that the page shows, for search engines (JSON-LD of schema.org). */
  about?: object
  /** A script of this server, with its `data-` attributes, and the origins that it may ask. */
  script?: { src: string; data: Readonly<Record<string, string>>; asks: readonly string[] }
  /** `Cache-Control`; `no-store` by default. */
  cache?: string
  /** Further response headers. */
  headers?: Readonly<Record<string, string>>
}

/** Only contents that everyone with the link may see: chats store it. */
export interface Preview {
  title: string
  description?: string
  /** An absolute address. */
  image?: string | null
}

const WORDS = {
  en: {
    lang: 'en',
    footer: (name: string) => `Served by ${name}`,
    copy: 'Copy',
    copied: 'Copied',
    language: 'Language',
    imprint: 'Legal notice',
    privacy: 'Privacy',
  },
  zh: {
    lang: 'zh-CN',
    footer: (name: string) => `由 ${name} 提供服务`,
    copy: '复制',
    copied: '已复制',
    language: '语言',
    imprint: '法律声明',
    privacy: '隐私',
  },
} as const
const LANGUAGES = [
  { locale: 'en', lang: 'en', name: 'English' },
  { locale: 'zh', lang: 'zh-CN', name: '中文' },
] as const satisfies readonly { locale: Locale; lang: string; name: string }[]

export function htmlPage(ctx: AppContext | undefined, page: Page): Response {
  const words = WORDS[page.locale]
  const site = siteOf(ctx)
  const { name, iconKey } = site
  const markup = html`<!doctype html>
    <html lang="${words.lang}">
      <head>
        <meta charset="utf-8" />
        <title>${page.title === '' ? name : `${page.title} · ${name}`}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
        <meta name="color-scheme" content="light dark" />
        <meta name="theme-color" content="${THEME_COLORS.light}" media="(prefers-color-scheme: light)" />
        <meta name="theme-color" content="${THEME_COLORS.dark}" media="(prefers-color-scheme: dark)" />
        ${page.indexed !== true && html`<meta name="robots" content="noindex" />`}
        <meta name="format-detection" content="telephone=no" />
        ${page.canonical !== undefined && html`<link rel="canonical" href="${page.canonical}" />`}
        ${page.preview && previewTags(page.preview, name)} ${page.about && dataScript(page.about)} ${icons(iconKey)}
        <link rel="manifest" href="/manifest.webmanifest" />
        ${site.style}
        ${page.copies && html`<script src="/copy.js" defer data-copy="${words.copy}" data-copied="${words.copied}"></script>`}
        ${page.script && scriptTag(page.script)}
      </head>
      <body>
        <header>
          <a class="brand" href="/"
            >${iconKey === undefined ? MARK : html`<img src="${iconPath(iconKey, 'logo')}" alt="" />`}${name}</a
          >
          ${page.path !== undefined && languageLinks(page.path, page.locale)}
        </header>
        <main>${page.body}</main>
        <footer>${footer(site, page.locale)}</footer>
      </body>
    </html> `
  return new Response(markup.text, {
    status: page.status ?? 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-language': words.lang,
      'content-security-policy': policy(page, site),
      'cache-control': page.cache ?? 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      ...(page.indexed !== true && { 'x-robots-tag': 'noindex' }),
      vary: 'accept, accept-language',
      ...page.headers,
    },
  })
}

/** The path of the requested page for `Page.path`, with those parameters of its query. */
export function pathOfPage(request: Request, ...parameters: readonly string[]): string {
  const { pathname, searchParams } = addressOf(request)
  const kept = new URLSearchParams([...searchParams].filter(([name]) => parameters.includes(name)))
  return kept.size === 0 ? pathname : `${pathname}?${kept}`
}

/** The query of links to pages whose language the visitor has chosen: `?lang=zh`, otherwise empty. */
export function languageQuery(request: Request): string {
  const chosen = chosenLocale(request)
  return chosen === undefined ? '' : `?lang=${chosen}`
}

/** The path of a picture of the logo. `key`: `Site.iconKey`. */
export const iconPath = (key: string, picture: LogoPicture): string => `/icons/${key}/${picture}.png`

/** Those of the logo, or of the product. */
export function icons(key: string | undefined): Html {
  if (key === undefined)
    return html`<link rel="icon" href="/favicon.ico" sizes="48x48" />
      <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
      <link rel="apple-touch-icon" href="/apple-touch-icon.png" />`
  return html`<link rel="icon" href="${iconPath(key, '32')}" sizes="32x32" type="image/png" />
    <link rel="icon" href="${iconPath(key, '192')}" sizes="192x192" type="image/png" />
    <link rel="apple-touch-icon" href="${iconPath(key, '180')}" />`
}

/** With an operator or a legal notice, who runs the server and how to reach them. */
function footer(site: Site, locale: Locale): Html {
  const words = WORDS[locale]
  const served = html`<a href="/">${words.footer(site.name)}</a>`
  const contact = footOf(site)
  if (contact === undefined) return served
  const { operator, email, phone, url, imprintUrl, privacyUrl } = contact
  const link = (href: string, label: string): Html => html`<a href="${href}">${label}</a>`
  const parts = [
    ...(operator === null ? [] : [url === null ? html`${operator}` : link(url, operator)]),
    ...(email === null ? [] : [link(`mailto:${email}`, email)]),
    ...(phone === null ? [] : [link(`tel:${phone.replace(/[^+\d]/g, '')}`, phone)]),
    ...(imprintUrl === null ? [] : [link(imprintUrl, words.imprint)]),
    ...(privacyUrl === null ? [] : [link(privacyUrl, words.privacy)]),
  ]
  return html`<p>${parts.map((part, nth) => html`${nth > 0 && ' · '}${part}`)}</p>
    ${served}`
}

const previewTags = ({ title, description = '', image }: Preview, site: string): Html =>
  html`<meta property="og:type" content="website" />
    <meta property="og:site_name" content="${site}" />
    <meta property="og:title" content="${title}" />
    ${description !== '' && html`<meta property="og:description" content="${description}" /><meta name="description" content="${description}" />`}
    ${typeof image === 'string' && html`<meta property="og:image" content="${image}" />`}`

/** Browsers do not run it, so the policy of the page need not allow it. Nothing in a user's text ends the element or begins a comment. */
const dataScript = (data: object): Html =>
  rawHtml(
    `<script type="application/ld+json">${JSON.stringify(data).replace(
      /[<>&\u2028\u2029]/g,
      (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )}</script>`,
  )

const scriptTag = ({ src, data }: NonNullable<Page['script']>): Html =>
  html`<script
    src="${src}"
    defer
    ${attributes(Object.fromEntries(Object.entries(data).map(([name, value]) => [`data-${name}`, value])))}
  ></script>`

function languageLinks(path: string, current: Locale): Html {
  const address = `${path}${path.includes('?') ? '&' : '?'}lang=`
  return html`<nav class="languages" aria-label="${WORDS[current].language}">
    ${LANGUAGES.map(({ locale, lang, name }) =>
      locale === current
        ? html`<span lang="${lang}" aria-current="true">${name}</span> `
        : html`<a href="${address}${locale}" lang="${lang}" hreflang="${lang}">${name}</a> `,
    )}
  </nav>`
}

function policy({ imageSources = [], formAction = "'self'", copies, script }: Page, site: Site): string {
  return [
    "default-src 'none'",
    ...(copies || script ? ["script-src 'self'"] : []),
    ...(script?.asks.length ? [`connect-src ${script.asks.join(' ')}`] : []),
    "manifest-src 'self'",
    `style-src ${site.styleHash}`,
    `img-src ${["'self'", ...imageSources].join(' ')}`,
    `form-action ${formAction}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** A page with one sentence about the error, and one about each field that is wrong. All are in the caller's language. */
export function errorPage(
  ctx: AppContext,
  status: number,
  message: string,
  locale: Locale,
  problems: readonly string[] = [],
): Response {
  return htmlPage(ctx, {
    title: message,
    locale,
    status,
    body: html`<div class="lonely">
      <p class="number">${status}</p>
      <h1>${message}</h1>
      ${problems.map((problem) => html`<p class="soft">${problem}</p>`)}
    </div>`,
  })
}

/** The page of a refused request. `body.message` is the field `message` of the form that the visitor filled in. */
export function problemPage(ctx: AppContext, error: AppError, locale: Locale): Response {
  const details = detailsOf(error, locale) ?? []
  const problems = details.map(({ path, message }) => `${path.replace(/^.*\./, '')} ${message}`)
  return errorPage(ctx, error.status, error.text[locale], locale, problems)
}

const NOT_FOUND = {
  en: {
    title: 'Nothing to see here',
    text: 'The link may be incomplete, or its owner has withdrawn it.',
    members: 'If it is only for members of an organization, sign in to see it.',
    signIn: 'Sign in',
    front: 'Go to the front page',
  },
  zh: {
    title: '未找到内容',
    text: '链接可能不完整，或已被所有者撤回。',
    members: '如果仅限组织成员查看，请先登录。',
    signIn: '登录',
    front: '前往首页',
  },
} as const

/**
 * The same page for rows that never existed, that were withdrawn, and that the caller may not see. `webAppPath`: the page of the web application
 * that shows the row to its members.
 */
export function notFoundPage(ctx: AppContext, locale: Locale, webAppPath?: string): Response {
  const { title, text, members, signIn, front } = NOT_FOUND[locale]
  return htmlPage(ctx, {
    title,
    locale,
    status: 404,
    // The languages are then links to the address of the page, which it must not contain.
    path: '',
    body: html`<div class="lonely">
      <p class="number">404</p>
      <h1>${title}</h1>
      <p class="soft">${text}</p>
      ${
        webAppPath !== undefined &&
        html`<p class="soft">${members}</p>
          ${button(signIn, { href: webAppPath, kind: 'plain' })}`
      }
      ${button(front, { href: `/?lang=${locale}`, kind: 'plain' })}
    </div>`,
  })
}

/** A white box with an optional heading (level 2 if the page already has one of level 1). */
export const card = (body: HtmlValue, heading?: { title: string; level?: 1 | 2 }): Html =>
  html`<section class="card">
    ${heading && (heading.level === 2 ? html`<h2>${heading.title}</h2>` : html`<h1>${heading.title}</h1>`)}${body}
  </section>`

/** Paths of this server and schemes that are safe to open. Never `javascript:` or `data:`, which a user's QR code may contain. */
const SAFE_LINK = /^(?:\/(?![/\\])|https?:\/\/|mailto:|tel:|sms:|geo:)/i

/** With `href` a link that looks like a button (nothing if the link is unsafe), otherwise the submit button of a form. */
export function button(
  label: string,
  /** `download`: the name of the file as which the browser saves the target. */
  options: { href?: string; kind?: 'primary' | 'plain'; download?: string } = {},
): Html {
  const { href, kind, download } = options
  const look = kind === 'plain' ? 'button plain' : 'button'
  // Each begins with a space: browsers without styles write buttons into one line.
  if (href === undefined) return html` <button class="${look}" type="submit">${label}</button>`
  if (!SAFE_LINK.test(href)) return html``
  // Addresses of the web are mostly those of users.
  if (/^http/i.test(href)) return html` <a class="${look}" href="${href}" rel="noreferrer nofollow">${label}</a>`
  return download === undefined
    ? html` <a class="${look}" href="${href}">${label}</a>`
    : html` <a class="${look}" href="${href}" download="${download}">${label}</a>`
}

/** Buttons beside each other where there is room. */
export const buttonRow = (buttons: HtmlValue): Html => html`<div class="row">${buttons}</div>`

/** A value that a click or a long press selects as a whole. The page needs `copies`, which adds a button where scripts run. */
export const copyable = (value: string): Html => html`<code class="copyable">${value}</code>`

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

/**
 * `src` is a path on this server, such as `/api/qrcode/render?content=…&size=640`. The corners of a picture with a narrow margin are not
 * rounded, because that would cut off modules.
 */
export const qrPicture = (src: string, alt: string, hasNarrowMargin = false): Html =>
  html`<img
    class="${hasNarrowMargin ? 'qr square' : 'qr'}"
    src="${src}"
    alt="${alt}"
    width="320"
    height="320"
    decoding="async"
  />`

/** A page that waits for something and asks again every few seconds, at its own address or at `path`. */
export function reloadingPage(page: {
  /** Undefined while a backup is restored: the server has no name then. */
  readonly ctx: AppContext | undefined
  readonly title: string
  readonly text: string
  readonly locale: Locale
  readonly status?: number
  readonly path?: string
}): Response {
  const { ctx, title, locale, status = 200, path } = page
  return htmlPage(ctx, {
    title,
    locale,
    status,
    body: card(text(page.text), { title }),
    headers: { refresh: path === undefined ? '3' : `3; url=${path}`, 'retry-after': '3' },
  })
}
