/** The page of a pass. It needs no sign-in, because the link is as good as the pass. */

import type { AppContext } from '#context'
import type { LandingPage } from '#domains/contributions.ts'
import { card, facts, type Html, html, htmlPage, notFoundPage, pathOfPage, qrPicture } from '#http/pages.ts'
import { wantsJson } from '#http/refusals.ts'
import { publicSuccess } from '#http/respond.ts'
import type { Locale } from '#lib/localized.ts'
import { momentText, periodText } from '#lib/moments.ts'

import type { ActivityRow } from '../activities.store.ts'
import { picturePath } from '../links/links.view.ts'
import { contentOf } from '../pass-keys/pass-keys.service.ts'
import { type PassStatus, statusOf } from '../passes/passes.rules.ts'
import type { PassRow } from '../passes/passes.store.ts'
import { publicPass } from '../passes/passes.view.ts'
import { addressText } from '../register/register.view.ts'
import { findVisitedPass, zoneOfPage } from './pages.service.ts'
import { localTimes, whenHtml } from './pages.view.ts'

/** `early`: the validity begins later. `cancelled` and `ended`: of the activity. */
type State = 'valid' | 'early' | 'used' | 'expired' | 'revoked' | 'cancelled' | 'ended'

const WORDS = {
  en: {
    pass: 'Pass',
    alt: (name: string) => `QR code of the pass of ${name}`,
    states: {
      valid: ['Valid', 'Show this code at the entrance.'],
      early: ['Not valid yet', 'The entrance is not open for this pass yet.'],
      used: ['Used', 'This pass has no entry left. Show the code only when you leave, or when you come back.'],
      expired: ['Expired', 'This pass is no longer valid. Ask the organizer if you think that this is wrong.'],
      revoked: ['Revoked', 'The organizer has revoked this pass. Ask the organizer for a new one.'],
      cancelled: ['Cancelled', 'The activity was cancelled, so this pass is not valid.'],
      ended: ['Over', 'The activity has ended, so this pass is no longer valid.'],
    },
    activity: 'Activity',
    when: 'When',
    where: 'Where',
    validity: 'Valid',
    from: (time: string) => `from ${time}`,
    until: (time: string) => `until ${time}`,
    always: 'without a limit of time',
    uses: 'Entries',
    left: (left: number, all: number) => `${left} of ${all} left`,
    unlimited: 'any number',
    secret: 'Keep this link to yourself: anyone who has it can use the pass.',
  },
  zh: {
    pass: '通行证',
    alt: (name: string) => `${name}的通行证二维码`,
    states: {
      valid: ['有效', '请在入口处出示此码。'],
      early: ['尚未生效', '此通行证还未到可入场的时间。'],
      used: ['已使用', '入场次数已用完。仅在离场或再次入场时出示此码。'],
      expired: ['已过期', '此通行证已失效。如有疑问，请联系主办方。'],
      revoked: ['已撤销', '主办方已撤销此通行证，请向主办方索取新的通行证。'],
      cancelled: ['活动已取消', '活动已取消，此通行证无效。'],
      ended: ['活动已结束', '活动已结束，此通行证已失效。'],
    },
    activity: '活动',
    when: '时间',
    where: '地点',
    validity: '有效期',
    from: (time: string) => `${time}起`,
    until: (time: string) => `至${time}`,
    always: '不限时间',
    uses: '入场次数',
    left: (left: number, all: number) => `剩余 ${left} 次，共 ${all} 次`,
    unlimited: '不限',
    secret: '请勿转发此链接：持有链接者即可使用通行证。',
  },
} as const satisfies Record<Locale, { states: Record<State, readonly [string, string]> } & Record<string, unknown>>

const STATES: Readonly<Record<Exclude<PassStatus, 'ISSUED'>, State>> = {
  REVOKED: 'revoked',
  EXPIRED: 'expired',
  USED: 'used',
}

function stateOf(pass: PassRow, activity: ActivityRow, now: number): State {
  const status = statusOf(pass, now)
  if (status === 'REVOKED' || status === 'EXPIRED') return STATES[status]
  if (activity.status === 'CANCELLED') return 'cancelled'
  if (activity.status === 'ENDED') return 'ended'
  if (status === 'USED') return STATES[status]
  return pass.validFrom !== null && now < pass.validFrom ? 'early' : 'valid'
}

export const passLandingPage: LandingPage = async (ctx, { id, caller, request }) => {
  const found = await findVisitedPass(ctx, id)
  const now = ctx.clock.now()
  if (wantsJson(request))
    return found && publicSuccess(publicPass(found.pass, now), caller.requestId, request.headers.get('if-none-match'))
  return found === undefined ? notFoundPage(ctx, caller.locale) : passPage(ctx, found, request, caller.locale)
}

interface Found {
  readonly pass: PassRow
  readonly activity: ActivityRow
}

async function passPage(
  ctx: AppContext,
  { pass, activity }: Found,
  request: Request,
  locale: Locale,
): Promise<Response> {
  const words = WORDS[locale]
  const zone = zoneOfPage(request, activity)
  const state = stateOf(pass, activity, ctx.clock.now())
  const isGood = state === 'valid' || state === 'early'
  const [title, advice] = words.states[state]
  const verdict = html`<p class="${isGood ? 'state' : 'state bad'}"><b>${title}</b> ${advice}</p>`
  return htmlPage(ctx, {
    title: `${words.pass}: ${activity.name}`,
    locale,
    path: pathOfPage(request, 'tz').replace(/^[^?]*/, `/s/pass/${pass.uuid}`),
    script: localTimes(locale),
    body: card(
      html`${stripe(pass.color)}
        <p class="number">${words.pass}</p>
        <h1>${activity.name}</h1>
        ${!isGood && verdict}
        <div class="${state === 'used' ? 'ticket spent' : 'ticket'}">
          ${isGood || state === 'used' ? await codeOfPass(ctx, pass, locale) : VOID}
        </div>
        <p class="name">${pass.holderName}</p>
        <p class="soft">${pass.fields.map(({ label, value }) => html`<span>${label}: ${value}</span><br />`)}</p>
        ${isGood && verdict}
        ${facts([
          [words.when, whenHtml(activity.startTime, activity.endTime, zone, locale)],
          [words.where, addressText(activity, locale)],
          [words.validity, validityText(pass, zone, locale)],
          [words.uses, usesText(pass, locale)],
        ])}
        <p class="hint screen">${words.secret}</p>`,
    ),
  })
}

/** The colour of the template. An attribute of SVG, because the policy of pages allows no styles of their own. */
const stripe = (color: string): Html | undefined =>
  /^#[\da-f]{6}$/i.test(color)
    ? html`<svg class="stripe" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        <rect width="100" height="4" fill="${color}" />
      </svg>`
    : undefined

/** Level L: a printed pass is scanned at once, and larger modules help more than error correction. */
const codeOfPass = async (ctx: AppContext, pass: PassRow, locale: Locale): Promise<Html> =>
  qrPicture(`${picturePath(await contentOf(ctx, pass))}&level=L&size=1024`, WORDS[locale].alt(pass.holderName))

const VOID = html`<svg
  class="void"
  viewBox="0 0 24 24"
  fill="none"
  stroke="currentColor"
  stroke-width="2.5"
  aria-hidden="true"
>
  <circle cx="12" cy="12" r="10" />
  <path d="M7.5 7.5l9 9M16.5 7.5l-9 9" />
</svg>`

function validityText({ validFrom, validTo }: PassRow, zone: string, locale: Locale): string {
  const words = WORDS[locale]
  if (validFrom !== null && validTo !== null) return periodText(validFrom, validTo, zone, locale)
  if (validFrom !== null) return words.from(momentText(validFrom, zone, locale))
  return validTo === null ? words.always : words.until(momentText(validTo, zone, locale))
}

function usesText({ maxUses, usedCount }: PassRow, locale: Locale): string {
  const words = WORDS[locale]
  return maxUses === 0 ? words.unlimited : words.left(Math.max(0, maxUses - usedCount), maxUses)
}
