/** The landing page of an activity. It works without scripts and for visitors who are not signed in. */

import type { AppContext } from '#context'
import { orgOf } from '#db/owner-key.ts'
import { avatarUrl } from '#domains/files/index.ts'
import {
  button,
  card,
  facts,
  type Html,
  html,
  htmlPage,
  notice,
  type Page,
  pathOfPage,
  prose,
  qrPicture,
} from '#http/pages.ts'
import { localTime } from '#lib/days.ts'
import type { Locale } from '#lib/localized.ts'
import { mapLink } from '#lib/map-link.ts'
import { dayText, momentText, monthDay, zonedPeriod } from '#lib/moments.ts'

import { type ActivityRow, findCounters, findEarlierStart } from '../activities.store.ts'
import { guestFormCard } from '../guest-forms/guest-forms.page.ts'
import { findForm } from '../guest-forms/guest-forms.service.ts'
import { activityUrl } from '../links/links.view.ts'
import { descriptionHtml, descriptionText } from '../register/description.view.ts'
import { qrContentOf } from '../register/register.rules.ts'
import { addressText, coverUrlOf, ownerNameOf } from '../register/register.view.ts'
import { personalCodeIn } from '../visibility/personal-codes.rules.ts'
import { calendarLinks, eventData, type Step, stepOf } from './pages.rules.ts'
import { codeOf } from './pages.service.ts'
import { localTimes, pictureOf, whenHtml } from './pages.view.ts'

const WORDS = {
  en: {
    when: 'When',
    where: 'Where',
    organizer: 'Organizer',
    places: 'Places',
    map: 'Show on a map',
    about: 'About',
    join: 'With the app',
    joinAlt: (name: string) => `QR code of ${name}`,
    signIn: 'You sign in first, or create an account.',
    registered: 'Have you registered with your account? Sign in to see your registration.',
    scan: 'Open the app and scan this code. If this page is on the phone that has the app, take a screenshot and scan the picture. The code holds:',
    pass: 'You need a pass for the entrance. You find yours with the activity, after you have signed in.',
    checkIn: 'You check in at the place itself: scan the code that is posted there.',
    cancelled: 'Cancelled',
    cancelledText: 'This activity was cancelled.',
    ended: 'This activity is over.',
    moved: (from: string) => `Moved from ${from}`,
    left: (left: number, all: number) => `${left} of ${all} places left`,
    full: (all: number) => `All ${all} places are taken`,
    waiting: 'You can join the waiting list.',
    steps: {
      checkIn: 'Check in',
      register: 'Register',
      wait: 'Join the waiting list',
      signIn: 'Sign in',
      early: 'Sign in',
      closed: 'Sign in',
      full: 'Sign in',
    },
    opens: (time: string) => `Registration opens on ${time}.`,
    closed: 'Registration is closed.',
    calendar: 'Add to calendar',
    file: 'Calendar file (Apple, Thunderbird, others)',
    google: 'Google Calendar',
    outlook: 'Outlook',
  },
  zh: {
    when: '时间',
    where: '地点',
    organizer: '主办方',
    places: '名额',
    map: '查看地图',
    about: '活动介绍',
    join: '使用应用',
    joinAlt: (name: string) => `${name}的二维码`,
    signIn: '需要先登录或注册账号。',
    registered: '已用账号报名？登录后可查看你的报名。',
    scan: '打开应用扫描此码。如果正在用装有应用的手机查看本页，请截屏后从相册识别。此码内容为：',
    pass: '入场需要通行证，登录后可在活动页面查看。',
    checkIn: '请在现场签到：扫描现场张贴的签到码。',
    cancelled: '已取消',
    cancelledText: '此活动已取消。',
    ended: '此活动已结束。',
    moved: (from: string) => `已改期，原定于${from}`,
    left: (left: number, all: number) => `剩余 ${left} 个名额，共 ${all} 个`,
    full: (all: number) => `${all} 个名额已满`,
    waiting: '可以加入候补名单。',
    steps: {
      checkIn: '签到',
      register: '报名',
      wait: '加入候补名单',
      signIn: '登录',
      early: '登录',
      closed: '登录',
      full: '登录',
    },
    opens: (time: string) => `报名于${time}开始。`,
    closed: '报名已截止。',
    calendar: '添加到日历',
    file: '日历文件（苹果日历、Thunderbird 等）',
    google: 'Google 日历',
    outlook: 'Outlook',
  },
} as const satisfies Record<Locale, { steps: Record<Exclude<Step, 'over'>, string> } & Record<string, unknown>>

export interface ShownActivity {
  readonly row: ActivityRow
  readonly zone: string
  readonly locale: Locale
  readonly request: Request
  /** The page of the web application for the same activity. */
  readonly webAppPath: string
}

export async function activityPage(ctx: AppContext, shown: ShownActivity): Promise<Response> {
  const { row, zone, locale, request } = shown
  const words = WORDS[locale]
  const left = row.registration === null || row.capacity === 0 ? undefined : await placesLeft(ctx, row)
  const now = ctx.clock.now()
  const step = stepOf(row, left, now)
  const guestForm = left === 0 && row.registration?.waitlist !== true ? null : await findForm(ctx, row)
  const earlierStart = row.status === 'ACTIVE' ? await findEarlierStart(ctx.db.read, row) : undefined
  const address = addressText(row, locale)
  const organizer = organizerOf(ctx, row)
  const coverUrl = coverUrlOf(ctx, row)
  const text = await descriptionText(ctx, row)
  const about = await descriptionHtml(ctx, row)
  return htmlPage(ctx, {
    title: row.name,
    locale,
    path: pathOfPage(request, 'code', 'tz'),
    script: localTimes(locale),
    ...(row.visibility === 'PUBLIC' && publicFacts(ctx, shown, { text, organizer, address, coverUrl, earlierStart })),
    body: html`<article class="event">
      ${card(
        html`${coverUrl !== null && html`<img class="cover" src="${pathOf(coverUrl)}" alt="" decoding="async" />`}
          <div class="dated">
            ${dateTile(row.startTime, zone, locale)}
            <h1>${row.name}</h1>
          </div>
          ${stateNotice(row, step, locale)}
          ${step !== 'over' && earlierStart !== undefined && notice(movedText(earlierStart, shown, now))}
          ${facts([
            [words.when, whenHtml(row.startTime, row.endTime, zone, locale)],
            [words.where, placeOf(row, address, locale)],
            [words.organizer, organizerHtml(organizer)],
            [words.places, left === undefined || step === 'over' ? '' : placesText(row, left, step, locale)],
          ])}
          ${step !== 'over' && html`${mainButton(shown, step)} ${calendarMenu(ctx, shown, text, address)}`}`,
      )}
      ${guestForm !== null && guestFormCard(guestForm, { uuid: row.uuid, code: codeOf(request), locale })}
      ${about !== '' && card(prose(about), { title: words.about, level: 2 })}
      ${step !== 'over' && card(withTheApp(row, request, locale), { title: words.join, level: 2 })}
    </article>`,
  })
}

async function placesLeft(ctx: AppContext, { id, capacity }: ActivityRow): Promise<number> {
  const { confirmed } = await findCounters(ctx.db.read, id)
  return Math.max(0, capacity - confirmed)
}

interface Organizer {
  readonly name: string | null
  readonly isOrganization: boolean
  readonly imageUrl: string | null
}

/** Pictures of other servers are left out: they would learn of each visitor. */
function organizerOf(ctx: AppContext, row: ActivityRow): Organizer {
  const isOrganization = orgOf(row.owner) !== 0
  const name = ownerNameOf(row, false)
  const stored = isOrganization ? row.orgAvatar : row.ownerAvatar
  const isShown = name !== null && stored?.startsWith('/public/images/')
  return { name, isOrganization, imageUrl: isShown ? avatarUrl(ctx, stored) : null }
}

const organizerHtml = ({ name, imageUrl }: Organizer): Html | string =>
  name === null
    ? ''
    : html`<div class="by">
        ${
          imageUrl === null
            ? html`<span aria-hidden="true">${[...name][0]}</span>`
            : html`<img src="${pathOf(imageUrl)}" alt="" width="28" height="28" decoding="async" />`
        }
        <div>${name}</div>
      </div>`

/** For PUBLIC activities only: previews in chats, and data and permission for search engines. */
function publicFacts(
  ctx: AppContext,
  { row, zone, locale }: ShownActivity,
  about: {
    text: string
    organizer: Organizer
    address: string
    coverUrl: string | null
    earlierStart: number | undefined
  },
): Partial<Page> {
  const { text, organizer, address, coverUrl, earlierStart } = about
  const url = activityUrl(ctx, row)
  const when = zonedPeriod(row.startTime, row.endTime, zone, locale)
  return {
    // Discovery shows nothing of a DISABLED organization either.
    indexed: row.orgStatus !== 'DISABLED',
    canonical: url,
    preview: { title: row.name, description: address === '' ? when : `${when} · ${address}`, image: coverUrl },
    about: eventData({ row, zone, url, text, imageUrl: coverUrl, organizer, address, earlierStart }),
  }
}

const stateNotice = ({ status }: ActivityRow, step: Step, locale: Locale): Html | undefined => {
  const { cancelled, cancelledText, ended } = WORDS[locale]
  if (status === 'CANCELLED') return html`<p class="state bad" role="status"><b>${cancelled}</b> ${cancelledText}</p>`
  return step === 'over' ? notice(ended) : undefined
}

/** The time too if only that has changed. */
function movedText(earlier: number, { row, zone, locale }: ShownActivity, now: number): string {
  const dayOf = (at: number) => localTime(at, zone).toPlainDate()
  const isSameDay = dayOf(earlier).equals(dayOf(row.startTime))
  return WORDS[locale].moved(isSameDay ? momentText(earlier, zone, locale) : dayText(earlier, zone, locale, now))
}

/** Only a picture: the time is written below it. */
function dateTile(at: number, zone: string, locale: Locale): Html {
  const { month, day, weekday } = monthDay(at, zone, locale)
  return html`<div class="tile" aria-hidden="true"><span>${month}</span> <b>${day}</b> <span>${weekday}</span></div>`
}

function placeOf(row: ActivityRow, address: string, locale: Locale): Html | string {
  const link = mapLink({ ...row, address }, locale)
  return link === undefined ? '' : html`${address} <a href="${link}" rel="noreferrer">${WORDS[locale].map}</a>`
}

function placesText({ capacity }: ActivityRow, left: number, step: Step, locale: Locale): string {
  const words = WORDS[locale]
  if (left > 0) return words.left(left, capacity)
  return step === 'wait'
    ? `${words.full(capacity)}${locale === 'zh' ? '，' : '. '}${words.waiting}`
    : words.full(capacity)
}

function mainButton({ row, zone, locale, webAppPath }: ShownActivity, step: Exclude<Step, 'over'>): Html {
  const words = WORDS[locale]
  const opensAt = row.registration?.opensAt
  return html`<div class="screen">
    ${step === 'early' && opensAt != null && html`<p>${words.opens(momentText(opensAt, zone, locale))}</p>`}
    ${step === 'closed' && html`<p>${words.closed}</p>`} ${button(words.steps[step], { href: webAppPath })}
    <p class="hint">${step === 'full' || step === 'closed' ? words.registered : words.signIn}</p>
  </div>`
}

function calendarMenu(ctx: AppContext, shown: ShownActivity, text: string, address: string): Html {
  const { row, zone, locale, request } = shown
  const words = WORDS[locale]
  const url = activityUrl(ctx, row)
  const { name, startTime, endTime } = row
  const described = text === '' ? url : `${url}\n\n${text}`
  const links = calendarLinks({ name, text: described, place: address, startTime, endTime, zone })
  const [, query] = pathOfPage(request, 'code', 'lang').split('?')
  const file = `/s/activity/${row.uuid}/calendar.ics${query === undefined ? '' : `?${query}`}`
  return html`<details class="fold screen">
    <summary>${words.calendar}</summary>
    <ul class="links">
      <li><a href="${file}">${words.file}</a></li>
      <li><a href="${links.google}" rel="noreferrer nofollow">${words.google}</a></li>
      <li><a href="${links.outlook}" rel="noreferrer nofollow">${words.outlook}</a></li>
    </ul>
  </details>`
}

/** Who came with a personal invitation does not learn the common invite code. */
function withTheApp(row: ActivityRow, request: Request, locale: Locale): Html {
  const words = WORDS[locale]
  const personal = personalCodeIn(codeOf(request))
  const content = personal === undefined ? qrContentOf(row) : qrContentOf({ id: row.id, inviteCode: personal })
  return html`${row.hasPass && html`<p>${words.pass}</p>`} ${row.hasCheckIn && html`<p>${words.checkIn}</p>`}
    ${qrPicture(pictureOf(content), words.joinAlt(row.name))}
    <p>${words.scan}</p>
    <p class="copied"><code>${content}</code></p>`
}

/** Addresses of this server as paths, so that they also work when it is reached by another name than the configured one. */
const pathOf = (url: string): string => url.slice(new URL(url).origin.length)
