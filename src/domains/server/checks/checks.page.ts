/** The page that a phone opens to check whether it reaches the server. */

import type { AppContext } from '#context'
import { card, errorPage, type Html, html, htmlPage } from '#http/pages.ts'
import { siteOf } from '#http/site.ts'
import type { Locale } from '#lib/localized.ts'

import type { OpenedCheck } from './checks.service.ts'

const WORDS = {
  en: {
    title: 'It works',
    text: (name: string) => `This device reaches the server “${name}”. You can close this page.`,
    allowed: 'Camera: allowed here',
    refused: 'Camera: needs https',
    gone: 'This check has expired or was opened by another device. Start a new one.',
  },
  zh: {
    title: '连接成功',
    text: (name: string) => `此设备可以访问服务器“${name}”。可以关闭此页面。`,
    allowed: '摄像头：可以使用',
    refused: '摄像头：需要 https',
    gone: '此检查已过期，或已由其他设备打开。请重新开始检查。',
  },
} as const

/** Green in every look of the server. */
const TICK: Html = html`<svg viewBox="0 0 48 48" width="96" height="96" fill="none" aria-hidden="true">
  <circle cx="24" cy="24" r="22" fill="#1a7f37" />
  <path d="M14 25l7 7 14-15" stroke="#fff" stroke-width="4" stroke-linecap="round" stroke-linejoin="round" />
</svg>`

/** Without its script, the line about the camera follows from the scheme. */
export function checkPage(ctx: AppContext, { visit, path, visitor, expiresAt }: OpenedCheck, locale: Locale): Response {
  const { title, text, allowed, refused } = WORDS[locale]
  const cookie = visitor === undefined ? undefined : visitorCookie(ctx, path, visitor, expiresAt, visit.scheme)
  return htmlPage(ctx, {
    title,
    locale,
    path,
    script: { src: '/check.js', data: { allowed, refused }, asks: ["'self'"] },
    body: html`<div class="centered">
      ${card(
        html`${TICK}
          <h1>${title}</h1>
          <p>${text(siteOf(ctx).name)}</p>
          <p class="notice" id="check-camera" role="status">${visit.secureContext ? allowed : refused}</p>`,
      )}
    </div>`,
    ...(cookie !== undefined && { headers: { 'set-cookie': cookie } }),
  })
}

export const goneCheckPage = (ctx: AppContext, locale: Locale): Response =>
  errorPage(ctx, 404, WORDS[locale].gone, locale)

export const VISITOR = 'tessera_check'

/** So that the same device may load the page again, and only its script reports. */
function visitorCookie(ctx: AppContext, path: string, value: string, expiresAt: number, scheme: string): string {
  const maxAge = Math.max(0, Math.floor((expiresAt - ctx.clock.now()) / 1000))
  const secure = scheme === 'https'
  return new Bun.Cookie({ name: VISITOR, value, path, maxAge, httpOnly: true, sameSite: 'lax', secure }).serialize()
}
