/** The page for a screen at the entrance: the check-in code, the time, and how many have checked in. Its script keeps them current. */

import type { LandingPage } from '#domains/contributions.ts'
import { AppError } from '#http/errors.ts'
import { html, htmlPage, notFoundPage, pathOfPage } from '#http/pages.ts'
import type { Locale } from '#lib/localized.ts'

import { picturePath } from '../links/links.view.ts'
import { zoneOf } from '../register/register.rules.ts'
import { findByLink } from './kiosk.service.ts'

const WORDS = {
  en: {
    title: (name: string) => `Check-in: ${name}`,
    label: 'Check-in',
    alt: (name: string) => `QR code for the check-in of ${name}`,
    how: 'Scan this code with the camera of your phone or with the app.',
    count: 'Checked in:',
    closed: 'Check-in is not open now.',
    lost: 'No connection to the server. The code appears again as soon as there is one.',
    ended: 'This link has ended. Ask the organizer for the present one.',
    noScript: 'This page needs JavaScript, because its code changes. Allow it in the settings of the browser.',
  },
  zh: {
    title: (name: string) => `签到：${name}`,
    label: '签到',
    alt: (name: string) => `${name}的签到二维码`,
    how: '用手机相机或应用扫描此码。',
    count: '已签到：',
    closed: '现在不能签到。',
    lost: '无法连接服务器。恢复连接后会重新显示二维码。',
    ended: '此链接已失效，请向主办方索取最新链接。',
    noScript: '二维码会定时更换，本页需要 JavaScript，请在浏览器设置中允许。',
  },
} as const satisfies Record<Locale, object>

export const kioskPage: LandingPage = async (ctx, { id, caller, request }) => {
  const { locale } = caller
  const words = WORDS[locale]
  const row = await findByLink(ctx, id, caller).catch((error: unknown) => {
    if (error instanceof AppError && error.status === 404) return undefined
    throw error
  })
  if (row === undefined) return notFoundPage(ctx, locale)
  const { how, closed, lost, ended } = words
  return htmlPage(ctx, {
    title: words.title(row.name),
    locale,
    path: pathOfPage(request),
    script: {
      src: '/kiosk.js',
      data: {
        state: `/public/kiosk/${id}`,
        picture: picturePath(''),
        alt: words.alt(row.name),
        zone: zoneOf(row),
        how,
        closed,
        lost,
        ended,
      },
      asks: ["'self'"],
    },
    body: html`<div class="kiosk centered">
      <p class="number">${words.label}</p>
      <h1>${row.name}</h1>
      <p class="clock" id="kiosk-clock"></p>
      <div id="kiosk-code"></div>
      <p class="lead" id="kiosk-text" role="status">${words.noScript}</p>
      <p id="kiosk-count" hidden>${words.count} <b></b></p>
    </div>`,
  })
}
