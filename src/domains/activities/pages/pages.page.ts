/** The landing pages of activities and of their check-in, and the one that asks for the invite code. */

import type { AppContext } from '#context'
import type { LandingPage } from '#domains/contributions.ts'
import { AppError } from '#http/errors.ts'
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
import { wantsJson } from '#http/refusals.ts'
import { publicSuccess } from '#http/respond.ts'
import type { Locale } from '#lib/localized.ts'
import type { MaybePromise } from '#lib/maybe-promise.ts'
import { momentText, zoneText } from '#lib/moments.ts'

import type { ActivityRow } from '../activities.store.ts'
import { publicItem } from '../discovery/discovery.service.ts'
import { checkInUrl } from '../links/links.view.ts'
import { checkInPolicy, ROTATING_PARAMETER } from '../register/register.rules.ts'
import { addressText } from '../register/register.view.ts'
import { activityPage } from './activity.page.ts'
import { codeOf, findVisited, type Visit, zoneOfPage } from './pages.service.ts'
import { pictureOf } from './pages.view.ts'

const WORDS = {
  en: {
    where: 'Where',
    zone: (zone: string) => `Times are in ${zone}.`,
    signIn: 'You sign in first, or create an account.',
    cancelled: 'This activity was cancelled.',
    ended: 'This activity is over.',
    checkInTitle: (name: string) => `Check-in: ${name}`,
    checkInLabel: 'Check-in',
    checkInAlt: (name: string) => `QR code for the check-in of ${name}`,
    checkInHow: 'Scan this code with the camera of your phone or with the app.',
    checkInRotates: 'The code changes all the time: scan it on the screen at the place, then press the button here.',
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
    where: '地点',
    zone: (zone: string) => `以上为${zone}。`,
    signIn: '需要先登录或注册账号。',
    cancelled: '此活动已取消。',
    ended: '此活动已结束。',
    checkInTitle: (name: string) => `签到：${name}`,
    checkInLabel: '签到',
    checkInAlt: (name: string) => `${name}的签到二维码`,
    checkInHow: '用手机相机或应用扫描此码。',
    checkInRotates: '此活动的签到码会定时更换，请在现场扫描屏幕上的码，再点击此处按钮。',
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

/** Answers with the page that `show` makes, JSON, or a page that says why there is none. */
const landingPage =
  (
    type: 'activity' | 'check-in',
    show: (ctx: AppContext, row: ActivityRow, visit: Visit) => MaybePromise<Response>,
  ): LandingPage =>
  async (ctx, visit) => {
    const { caller, request } = visit
    try {
      const row = await findVisited(ctx, type, visit)
      if (!wantsJson(request)) return await show(ctx, row, visit)
      return publicSuccess(publicItem(ctx, row), caller.requestId, request.headers.get('if-none-match'))
    } catch (error) {
      if (!(error instanceof AppError) || wantsJson(request)) throw error
      if (error.status === 404) return notFoundPage(ctx, caller.locale, webAppPath(request))
      if (error.status === 403) return codePage(ctx, codeOf(request), caller.locale)
      throw error
    }
  }

/** The page of the web application for the same activity, with the codes that the address has. */
const webAppPath = (request: Request): string => `/console${pathOfPage(request, 'code', ROTATING_PARAMETER, 'lang')}`

export const activityLandingPage = landingPage('activity', (ctx, row, { request, caller: { locale } }) =>
  activityPage(ctx, { row, zone: zoneOfPage(request, row), locale, request, webAppPath: webAppPath(request) }),
)

const isPast = (ctx: AppContext, { status, endTime }: ActivityRow): boolean =>
  status !== 'ACTIVE' || endTime < ctx.clock.now()

const statusNotice = ({ status }: ActivityRow, isOver: boolean, locale: Locale): Html | undefined => {
  if (status === 'CANCELLED') return notice(WORDS[locale].cancelled, 'bad')
  return isOver ? notice(WORDS[locale].ended) : undefined
}

/** Also printed and posted at the place. Without the invite code, which everyone who passes the poster would learn. */
export const checkInLandingPage = landingPage('check-in', (ctx, row, { caller: { locale }, request }) => {
  const words = WORDS[locale]
  const { opensAt, closesAt, radius, rotatingSeconds } = checkInPolicy(row)
  const zone = zoneOfPage(request, row)
  const isOver = isPast(ctx, row)
  const picture = pictureOf(checkInUrl(ctx, row))
  return htmlPage(ctx, {
    title: words.checkInTitle(row.name),
    locale,
    path: pathOfPage(request, ROTATING_PARAMETER, 'tz'),
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
            ${
              rotatingSeconds === null
                ? html`<div class="poster">${qrPicture(picture, words.checkInAlt(row.name))}</div>
                    <p class="lead">${words.checkInHow}</p>`
                : html`<p class="lead">${words.checkInRotates}</p>`
            }
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
