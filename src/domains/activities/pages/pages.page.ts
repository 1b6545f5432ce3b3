/** The landing pages of activities and of their check-in. */

import type { AppContext } from '#context'
import type { LandingPage } from '#domains/contributions.ts'
import { AppError } from '#http/errors.ts'
import { wantsJson } from '#http/mount.ts'
import {
  button,
  card,
  facts,
  field,
  type Html,
  html,
  htmlPage,
  notFoundPage,
  notice,
  pathOfPage,
  qrPicture,
} from '#http/pages.ts'
import { publicSuccess } from '#http/respond.ts'
import type { Locale } from '#lib/localized.ts'
import { mapLink } from '#lib/map-link.ts'
import { momentText, periodText, zoneOfPeriod, zoneText } from '#lib/moments.ts'

import type { ActivityRow } from '../activities.store.ts'
import { publicItem } from '../discovery/discovery.service.ts'
import { checkInUrl, picturePath } from '../links/links.view.ts'
import { checkInPolicy, qrContentOf } from '../register/register.rules.ts'
import { addressText } from '../register/register.view.ts'
import { paragraphsOf } from './pages.rules.ts'
import { codeOf, findVisited, type Visit, zoneOf } from './pages.service.ts'

const WORDS = {
  en: {
    when: 'When',
    where: 'Where',
    organizer: 'Organizer',
    map: 'Show on a map',
    zone: (zone: string) => `Times are in ${zone}.`,
    about: 'About',
    join: 'How to join',
    joinAlt: (name: string) => `QR code of ${name}`,
    open: 'Open in the browser',
    registerHere: 'Register in the browser',
    signIn: 'You sign in first, or create an account.',
    scan: 'Or open the app and scan this code. If this page is on the phone that has the app, take a screenshot and scan the picture. The code holds:',
    checkIn: 'You check in at the place itself: scan the code that is posted there.',
    pass: 'You need a pass for the entrance. You find yours with the activity, after you have signed in.',
    register: 'Register before you come.',
    cancelled: 'This activity was cancelled.',
    ended: 'This activity is over.',
    checkInTitle: (name: string) => `Check-in: ${name}`,
    checkInLabel: 'Check-in',
    checkInAlt: (name: string) => `QR code for the check-in of ${name}`,
    checkInHow: 'Scan this code with the camera of your phone or with the app.',
    checkInPosition: (meters: number) => `Allow the use of your position: you must be within ${meters} m.`,
    checkInHere: 'Check in',
    checkInOpens: 'Opens',
    checkInCloses: 'Closes',
    codeTitle: 'By invitation only',
    codeText: 'Enter the invite code that the organizer gave you. It has 10 letters and digits.',
    codeLabel: 'Invite code',
    codeWrong: 'This code is wrong, or the organizer has replaced it. Ask the organizer for the present one.',
    codeButton: 'Continue',
  },
  zh: {
    when: '时间',
    where: '地点',
    organizer: '主办方',
    map: '查看地图',
    zone: (zone: string) => `以上为${zone}。`,
    about: '活动介绍',
    join: '如何参加',
    joinAlt: (name: string) => `${name}的二维码`,
    open: '在浏览器中打开',
    registerHere: '在浏览器中报名',
    signIn: '需要先登录或注册账号。',
    scan: '也可以打开应用扫描此码。如果正在用装有应用的手机查看本页，请截屏后从相册识别。此码内容为：',
    checkIn: '请在现场签到：扫描现场张贴的签到码。',
    pass: '入场需要通行证，登录后可在活动页面查看。',
    register: '请先报名再参加。',
    cancelled: '此活动已取消。',
    ended: '此活动已结束。',
    checkInTitle: (name: string) => `签到：${name}`,
    checkInLabel: '签到',
    checkInAlt: (name: string) => `${name}的签到二维码`,
    checkInHow: '用手机相机或应用扫描此码。',
    checkInPosition: (meters: number) => `请允许使用你的位置：须在 ${meters} 米范围内。`,
    checkInHere: '签到',
    checkInOpens: '签到开始',
    checkInCloses: '签到截止',
    codeTitle: '仅限受邀者',
    codeText: '请输入主办方提供的邀请码，共 10 位字母和数字。',
    codeLabel: '邀请码',
    codeWrong: '邀请码不正确或已被更换，请向主办方索取最新的邀请码。',
    codeButton: '继续',
  },
} as const satisfies Record<Locale, object>

/** Sharp on phones with three device pixels per CSS pixel, and on posters. */
const PICTURE_PIXELS = 1024
const pictureOf = (content: string) => `${picturePath(content)}&size=${PICTURE_PIXELS}`

/** Answers with the page that `show` makes, JSON, or a page that says why there is none. */
const landingPage =
  (type: 'activity' | 'check-in', show: (ctx: AppContext, row: ActivityRow, visit: Visit) => Response): LandingPage =>
  async (ctx, visit) => {
    const { caller, request } = visit
    try {
      const row = await findVisited(ctx, type, visit)
      if (!wantsJson(request)) return show(ctx, row, visit)
      return publicSuccess(publicItem(ctx, row), caller.requestId, request.headers.get('if-none-match'))
    } catch (error) {
      if (!(error instanceof AppError) || wantsJson(request)) throw error
      if (error.status === 404) return notFoundPage(ctx, caller.locale, webAppPath(request))
      if (error.status === 403) return codePage(ctx, codeOf(request), caller.locale)
      throw error
    }
  }

/** The page of the web application for the same activity, with the invite code that the address has. */
const webAppPath = (request: Request): string => `/console${pathOfPage(request, 'code', 'lang')}`

export const activityLandingPage = landingPage('activity', (ctx, row, { caller: { locale }, request }) => {
  const words = WORDS[locale]
  const item = publicItem(ctx, row)
  const isOver = isPast(ctx, row)
  const paragraphs = paragraphsOf(row.description)
  return htmlPage(ctx, {
    title: row.name,
    locale,
    path: pathOfPage(request, 'code', 'tz'),
    preview: {
      title: row.name,
      description: [periodText(row.startTime, row.endTime, zoneOf(request), locale), addressText(row, locale)]
        .filter((part) => part !== '')
        .join(' · '),
      image: item.coverUrl,
    },
    body: html`${card(
      html`${item.coverUrl !== null && html`<img class="cover" src="${pathOf(item.coverUrl)}" alt="" decoding="async" />`}
        <h1>${row.name}</h1>
        ${statusNotice(row, isOver, locale)}
        ${facts([
          [words.when, whenText(row, zoneOf(request), locale)],
          [words.where, placeOf(row, locale)],
          [words.organizer, item.ownerName],
        ])}`,
    )}
    ${
      paragraphs.length > 0 &&
      card(
        paragraphs.map((paragraph) => html`<p class="text">${paragraph}</p>`),
        { title: words.about, level: 2 },
      )
    }
    ${!isOver && card(howToJoin(row, webAppPath(request), locale), { title: words.join, level: 2 })}`,
  })
})

const isPast = (ctx: AppContext, { status, endTime }: ActivityRow): boolean =>
  status !== 'ACTIVE' || endTime < ctx.clock.now()

const statusNotice = ({ status }: ActivityRow, isOver: boolean, locale: Locale): Html | undefined => {
  if (status === 'CANCELLED') return notice(WORDS[locale].cancelled, 'bad')
  return isOver ? notice(WORDS[locale].ended) : undefined
}

const whenText = ({ startTime, endTime }: ActivityRow, zone: string, locale: Locale): Html =>
  html`${periodText(startTime, endTime, zone, locale)}
    <p class="hint">${WORDS[locale].zone(zoneOfPeriod(startTime, endTime, zone, locale))}</p>`

function placeOf(row: ActivityRow, locale: Locale): Html | string {
  const address = addressText(row, locale)
  const link = mapLink({ ...row, address }, locale)
  return link === undefined ? '' : html`${address} <a href="${link}" rel="noreferrer">${WORDS[locale].map}</a>`
}

function howToJoin(row: ActivityRow, href: string, locale: Locale): Html {
  const words = WORDS[locale]
  const content = qrContentOf(row)
  return html`${row.registration !== null && html`<p>${words.register}</p>`}${row.hasPass && html`<p>${words.pass}</p>`}
    ${row.hasCheckIn && html`<p>${words.checkIn}</p>`}
    <div class="screen">
      ${button(row.registration === null ? words.open : words.registerHere, { href })}
      <p class="hint">${words.signIn}</p>
    </div>
    ${qrPicture(pictureOf(content), words.joinAlt(row.name))}
    <p>${words.scan}</p>
    <p class="copied"><code>${content}</code></p>`
}

/** Addresses of this server as paths, so that they also work when it is reached by another name than the configured one. */
const pathOf = (url: string): string => url.slice(new URL(url).origin.length)

/** Also printed and posted at the place. Without the invite code, which everyone who passes the poster would learn. */
export const checkInLandingPage = landingPage('check-in', (ctx, row, { caller: { locale }, request }) => {
  const words = WORDS[locale]
  const { opensAt, closesAt, radius } = checkInPolicy(row)
  const zone = zoneOf(request)
  const isOver = isPast(ctx, row)
  const picture = pictureOf(checkInUrl(ctx, row))
  return htmlPage(ctx, {
    title: words.checkInTitle(row.name),
    locale,
    path: pathOfPage(request, 'tz'),
    body: card(
      html`<p class="number">${words.checkInLabel}</p>
        <h1>${row.name}</h1>
        ${statusNotice(row, isOver, locale)}
        ${
          !isOver &&
          html`<div class="screen">
              ${button(words.checkInHere, { href: webAppPath(request) })}
              <p class="hint">${words.signIn}</p>
            </div>
            <div class="poster">${qrPicture(picture, words.checkInAlt(row.name))}</div>
            <p class="lead">${words.checkInHow}</p>
            ${radius !== null && html`<p>${words.checkInPosition(radius.meters)}</p>`}`
        }
        ${facts([
          [words.where, addressText(row, locale)],
          [words.checkInOpens, opensAt === null ? '' : momentText(opensAt, zone, locale)],
          [words.checkInCloses, momentText(closesAt, zone, locale)],
        ])}
        <p class="hint">${words.zone(zoneText(closesAt, zone, locale))}</p>`,
    ),
  })
})

/** Asks for the invite code; sending it leads to the same address with `?code=`. Names nothing of the activity. */
function codePage(ctx: AppContext, given: string | undefined, locale: Locale): Response {
  const words = WORDS[locale]
  const input = field({
    label: words.codeLabel,
    name: 'code',
    ...(given === undefined ? {} : { error: words.codeWrong, value: given }),
    autocomplete: 'off',
    required: true,
    maxLength: 40,
  })
  return htmlPage(ctx, {
    title: words.codeTitle,
    locale,
    status: 403,
    body: card(
      html`<h1>${words.codeTitle}</h1>
        <p class="soft">${words.codeText}</p>
        <form method="get">${input}${button(words.codeButton)}</form>`,
    ),
  })
}
