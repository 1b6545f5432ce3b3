/**
 * The pages that a scan of a short link may show instead of its target: why it leads nowhere, the form for its password, the warning before
 * a target, and the public facts about the link. They depend on their parameters only; the caller decides who sees which page.
 */

import type { AppContext } from '#context'
import {
  button,
  card,
  facts,
  field,
  form,
  type Html,
  html,
  htmlPage,
  notFoundPage,
  type Page,
  text,
} from '#http/pages.ts'
import type { Locale } from '#lib/localized.ts'

const WORDS = {
  en: {
    blocked: 'The operator of this service has blocked this code',
    blockedText: 'Its target broke the rules of this service.',
    hostBlocked: 'This code leads to a blocked website',
    hostBlockedText: 'The operator of this service does not let codes lead there.',
    expired: 'This code has expired',
    expiredText: 'Its owner set a time at which it stops working, and that time has passed.',
    exhausted: 'This code has been used up',
    exhaustedText: 'Its owner limited how often it can be opened, and that number has been reached.',
    password: 'This code asks for a password',
    passwordText: 'Enter the password that its owner gave you.',
    passwordField: 'Password',
    wrongPassword: 'This password is wrong',
    continue: 'Continue',
    tooMany: { PASSWORDS: 'Too many wrong passwords', SLUGS: 'Too many wrong short links' },
    tooManyText: (minutes: number) =>
      minutes === 1 ? 'Try again in a minute.' : `Try again in ${minutes.toLocaleString('en')} minutes.`,
    warningTitle: (host: string) => `Leads to ${host}`,
    warning: (host: Html) => html`This code leads to ${host}`,
    warningText: 'Continue only if you know this address and trust it.',
    info: 'About this code',
    name: 'Name',
    leadsTo: 'Leads to',
    hidden: 'Its owner does not show this',
    here: 'A page of this server',
    since: 'Since',
    report: 'Report this code',
    reportText: 'Does it lead to something forbidden or dangerous? Write to:',
  },
  zh: {
    blocked: '本服务的运营者已封禁此二维码',
    blockedText: '其指向的内容违反了本服务的规定。',
    hostBlocked: '此二维码指向已被封禁的网站',
    hostBlockedText: '本服务的运营者不允许二维码指向该网站。',
    expired: '此二维码已过期',
    expiredText: '所有者为其设置了有效期，现已过期。',
    exhausted: '此二维码的使用次数已用完',
    exhaustedText: '所有者限制了打开次数，现已达到上限。',
    password: '打开此二维码需要密码',
    passwordText: '请输入所有者提供的密码。',
    passwordField: '密码',
    wrongPassword: '密码错误',
    continue: '继续',
    tooMany: { PASSWORDS: '密码错误次数过多', SLUGS: '短链接错误次数过多' },
    tooManyText: (minutes: number) => `请在 ${minutes.toLocaleString('zh')} 分钟后重试。`,
    warningTitle: (host: string) => `前往 ${host}`,
    warning: (host: Html) => html`此二维码指向<br />${host}`,
    warningText: '请确认您认识并信任该网址后再继续。',
    info: '关于此二维码',
    name: '名称',
    leadsTo: '指向',
    hidden: '所有者未公开',
    here: '本服务器上的页面',
    since: '创建时间',
    report: '举报此二维码',
    reportText: '如果它指向违法或危险的内容，请联系：',
  },
} as const satisfies Record<Locale, object>

/** Who sees a page. `path`: that of the page for its links to the other language. */
export interface Visit {
  readonly ctx: AppContext
  readonly locale: Locale
  readonly path: string
}

/** Pages about codes are in no search engine: contents of strangers must not gain by the name of the server. */
export const NOT_LISTED = { 'x-robots-tag': 'noindex' } as const

const linkPage = (
  { ctx, locale, path }: Visit,
  page: Pick<Page, 'title' | 'status' | 'formAction' | 'headers' | 'body'>,
) => htmlPage(ctx, { locale, path, ...page, headers: { ...NOT_LISTED, ...page.headers } })

/** Why a code leads nowhere. */
const refusalPage = (
  visit: Visit,
  status: number,
  title: string,
  reason: string,
  headers?: Page['headers'],
): Response =>
  linkPage(visit, {
    title,
    status,
    headers,
    body: html`<div class="lonely">
      <p class="number">${status}</p>
      <h1>${title}</h1>
      <p class="soft">${reason}</p>
    </div>`,
  })

/** 404, the same for unknown, private and deleted codes. */
export function unknownLinkPage({ ctx, locale }: Visit): Response {
  const page = notFoundPage(ctx, locale)
  for (const [name, value] of Object.entries(NOT_LISTED)) page.headers.set(name, value)
  return page
}

/** 403: an administrator has blocked the code. */
export function blockedPage(visit: Visit): Response {
  const words = WORDS[visit.locale]
  return refusalPage(visit, 403, words.blocked, words.blockedText)
}

/** 403: an administrator has blocked the host of the target. */
export function hostBlockedPage(visit: Visit): Response {
  const words = WORDS[visit.locale]
  return refusalPage(visit, 403, words.hostBlocked, words.hostBlockedText)
}

/** 410, of a code without a fallback. */
export function endedPage(visit: Visit, reason: 'EXPIRED' | 'EXHAUSTED'): Response {
  const words = WORDS[visit.locale]
  return reason === 'EXPIRED'
    ? refusalPage(visit, 410, words.expired, words.expiredText)
    : refusalPage(visit, 410, words.exhausted, words.exhaustedText)
}

/** 429, for too many wrong ones. `seconds` until the next try. */
export function tooManyTriesPage(visit: Visit, wrong: 'PASSWORDS' | 'SLUGS', seconds: number): Response {
  const words = WORDS[visit.locale]
  const reason = words.tooManyText(Math.ceil(seconds / 60))
  return refusalPage(visit, 429, words.tooMany[wrong], reason, { 'retry-after': String(seconds) })
}

/** 200, or 403 after a wrong password. `action`: the path and query that the form sends `password` to. */
export function passwordPage(visit: Visit, given: { readonly action: string; readonly isWrong: boolean }): Response {
  const words = WORDS[visit.locale]
  return linkPage(visit, {
    title: words.password,
    status: given.isWrong ? 403 : 200,
    // Browsers also ask this policy about the target, to which the answer of the form redirects.
    formAction: "'self' http: https:",
    body: card(
      html`<p class="soft">${words.passwordText}</p>
        ${form(
          given.action,
          html`${field({
            label: words.passwordField,
            name: 'password',
            type: 'password',
            error: given.isWrong ? words.wrongPassword : undefined,
            // Browsers must neither offer the password of an account here nor keep this one for the whole server.
            autocomplete: 'off',
            required: true,
            maxLength: 128,
            autofocus: true,
          })}
          ${button(words.continue)}`,
        )}`,
      { title: words.password },
    ),
  })
}

/** 200: shows where the code leads, host first, before the visitor goes there. `target` is an absolute address of the web. */
export function warningPage(visit: Visit, target: string): Response {
  const words = WORDS[visit.locale]
  const { host, href } = new URL(target)
  return linkPage(visit, {
    title: words.warningTitle(host),
    body: card(
      html`<h1>${words.warning(html`<strong>${host}</strong>`)}</h1>
        ${text(href)}
        <p class="soft">${words.warningText}</p>
        ${button(words.continue, { href })}`,
    ),
  })
}

export interface LinkInfo {
  readonly name: string
  /** The address that it leads to; `PAGE`: a page of this server; `HIDDEN`: its owner does not show the target, as with a password. */
  readonly target: { readonly url: string } | 'PAGE' | 'HIDDEN'
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** An address of the web, an e-mail address, another text; empty for none. */
  readonly abuseContact: string
}

/** 200: what everyone may know about a short link without following it. */
export function infoPage(visit: Visit, { name, target, createdAt, abuseContact }: LinkInfo): Response {
  const words = WORDS[visit.locale]
  const since = new Date(createdAt).toLocaleDateString(visit.locale === 'zh' ? 'zh-CN' : 'en', {
    dateStyle: 'long',
    timeZone: 'UTC',
  })
  return linkPage(visit, {
    title: words.info,
    body: html`${card(
      facts([
        [words.name, name],
        [words.leadsTo, target === 'PAGE' ? words.here : target === 'HIDDEN' ? words.hidden : addressOf(target.url)],
        [words.since, html`<time datetime="${new Date(createdAt).toISOString()}">${since}</time>`],
      ]),
      { title: words.info },
    )}
    ${
      abuseContact !== '' &&
      card(
        html`<p>${words.reportText}</p>
          <p>${contact(abuseContact)}</p>`,
        { title: words.report, level: 2 },
      )
    }`,
  })
}

function addressOf(url: string): Html {
  const { host, href } = new URL(url)
  return html`<strong>${host}</strong><br />${href}`
}

function contact(address: string): Html {
  const href = /^https?:\/\//i.test(address)
    ? URL.parse(address)?.href
    : /^[^\s@:/?]+@[^\s@:/?]+$/.test(address)
      ? `mailto:${address}`
      : undefined
  return href === undefined ? html`${address}` : html`<a href="${href}" rel="noreferrer nofollow">${address}</a>`
}
