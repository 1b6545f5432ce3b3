/** The page of a guest, which a secret link opens. It works without scripts. */

import type { AppContext } from '#context'
import { addressOf, chosenLocale } from '#http/caller.ts'
import type { Caller } from '#http/endpoint.ts'
import { button, card, facts, form, hiddenField, type Html, html, htmlPage, notice, qrPicture } from '#http/pages.ts'
import type { Locale } from '#lib/localized.ts'

import { zoneOf } from '../activities.rules.ts'
import { answerFields } from '../guest-forms/guest-forms.page.ts'
import { picturePath } from '../links/links.view.ts'
import { localTimes, whenHtml } from '../pages/pages.view.ts'
import { contentOf } from '../pass-keys/pass-keys.service.ts'
import { passOfGuest } from '../passes/passes.store.ts'
import { addressText, ownerNameOf } from '../register/register.view.ts'
import { findGuest, toPage } from './guest-page.service.ts'
import type { GuestAction, GuestPage } from './guests.model.ts'
import type { FoundGuest } from './guests.service.ts'

const WORDS = {
  en: {
    sent: 'Check your mailbox',
    sentText:
      'A mail is on its way to you if your address can be registered. Open its link and confirm: until then, you are not registered. Check the spam folder too.',
    back: 'Back to the activity',
    label: 'Registration',
    states: {
      PENDING: ['Not confirmed', 'Confirm your registration, otherwise it ends 24 hours after you sent the form.'],
      CONFIRMED: ['Registered', 'You have a place.'],
      WAITING: ['Waiting list', 'You get a mail as soon as a place is free.'],
      CANCELLED: ['Ended', 'This registration was cancelled.'],
      REJECTED: ['Not accepted', 'The organizer has not accepted this registration.'],
    },
    unproved: 'Please confirm that this address is yours, so that you get news about the activity.',
    deleted: 'Your registration was deleted.',
    cancelledActivity: 'This activity was cancelled.',
    confirm: 'Confirm',
    name: 'Name',
    when: 'When',
    where: 'Where',
    organizer: 'Organizer',
    position: 'Position',
    pass: 'Your pass',
    passHint: 'Show this code at the entrance.',
    passAlt: (name: string) => `QR code of the pass of ${name}`,
    openPass: 'Open the pass',
    resend: 'Mail me the link of my pass',
    answers: 'Your answers',
    save: 'Save',
    more: 'More',
    calendar: 'Add to calendar',
    keep: 'Keep it in my account',
    cancel: 'Cancel my registration',
    sure: 'Do you really want to cancel your registration?',
    yes: 'Yes, cancel it',
    no: 'No, keep it',
    secret: 'Keep this link to yourself: anyone who has it can change your registration.',
  },
  zh: {
    sent: '请查收邮件',
    sentText: '如信息无误，邮件已发出。请打开其中的链接并确认，否则报名不会生效。也请检查垃圾邮件文件夹。',
    back: '返回活动页面',
    label: '报名',
    states: {
      PENDING: ['待确认', '请确认报名，否则在提交表单 24 小时后失效。'],
      CONFIRMED: ['已报名', '你已获得名额。'],
      WAITING: ['候补中', '有名额空出时，你会收到邮件。'],
      CANCELLED: ['已结束', '此报名已取消。'],
      REJECTED: ['未通过', '主办方未接受此报名。'],
    },
    unproved: '请确认此邮箱属于你，以便接收活动通知。',
    deleted: '你的报名已删除。',
    cancelledActivity: '此活动已取消。',
    confirm: '确认',
    name: '姓名',
    when: '时间',
    where: '地点',
    organizer: '主办方',
    position: '候补位置',
    pass: '你的通行证',
    passHint: '入场时请出示此码。',
    passAlt: (name: string) => `${name}的通行证二维码`,
    openPass: '打开通行证',
    resend: '通过邮件发送我的通行证链接',
    answers: '你的回答',
    save: '保存',
    more: '更多',
    calendar: '添加到日历',
    keep: '保存到我的账号',
    cancel: '取消报名',
    sure: '确定要取消报名吗？',
    yes: '是，取消报名',
    no: '否，保留报名',
    secret: '请勿转发此链接：持有链接者即可更改你的报名。',
  },
} as const satisfies Record<
  Locale,
  { states: Record<GuestPage['status'], readonly [string, string]> } & Record<string, unknown>
>

/** After a form was sent: the same for everybody. */
export function checkMailPage(ctx: AppContext, uuid: string, locale: Locale): Response {
  const words = WORDS[locale]
  return htmlPage(ctx, {
    title: words.sent,
    locale,
    body: card(
      html`<p>${words.sentText}</p>
        ${button(words.back, { href: `/s/activity/${uuid}?lang=${locale}`, kind: 'plain' })}`,
      { title: words.sent },
    ),
  })
}

const pathOf = (secret: string): string => `/s/registration/${encodeURIComponent(secret)}`

/** The page again, so that reloading it repeats nothing; after the deletion of the registration, a page that says so. */
export function changedPage(
  ctx: AppContext,
  secret: string,
  page: GuestPage,
  { action, locale }: { readonly action: GuestAction['action']; readonly locale: Locale },
): Response {
  // Its link has ended.
  if (action === 'cancel' && page.canConfirm) return deletedPage(ctx, locale)
  return new Response(null, {
    status: 303,
    headers: {
      location: `${pathOf(secret)}?lang=${locale}`,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
    },
  })
}

const deletedPage = (ctx: AppContext, locale: Locale): Response =>
  htmlPage(ctx, { title: WORDS[locale].deleted, locale, body: card('', { title: WORDS[locale].deleted }) })

/** @throws AppError as `findGuest` */
export async function guestPage(
  ctx: AppContext,
  secret: string,
  { caller, request }: { readonly caller: Caller; readonly request: Request },
): Promise<Response> {
  const found = await findGuest(ctx, secret, caller)
  const page = await toPage(ctx, found)
  const locale = chosenLocale(request) ?? found.row.language ?? caller.locale
  const words = WORDS[locale]
  const { activity } = found
  const path = pathOf(secret)
  const asks = addressOf(request).searchParams.get('ask') === 'cancel' && page.canCancel
  const shown = { page, path, locale, asks }
  return htmlPage(ctx, {
    title: activity.name,
    locale,
    path,
    script: localTimes(locale),
    body: html`${card(
      html`<p class="number">${words.label}</p>
        <h1>${activity.name}</h1>
        ${activity.status === 'CANCELLED' && notice(words.cancelledActivity, 'bad')} ${stateOf(shown)}
        ${facts([
          [words.name, page.name],
          [words.position, page.position],
          [words.when, whenHtml(activity.startTime, activity.endTime, zoneOf(activity), locale)],
          [words.where, addressText(activity, locale)],
          [words.organizer, ownerNameOf(activity, false)],
        ])}`,
    )}
    ${await passCard(ctx, found, shown)} ${answersCard(shown)} ${moreCard(shown, secret)}`,
  })
}

interface Shown {
  readonly page: GuestPage
  readonly path: string
  readonly locale: Locale
  /** Whether the page asks if the registration is really to be cancelled. */
  readonly asks: boolean
}

const action = ({ path, locale }: Shown, name: GuestAction['action'], body: Html | readonly Html[]): Html =>
  form(`${path}?lang=${locale}`, [hiddenField('action', name), body])

function stateOf(shown: Shown): Html {
  const { page, locale } = shown
  const words = WORDS[locale]
  const [title, advice] = words.states[page.status]
  const isBad = page.status === 'CANCELLED' || page.status === 'REJECTED'
  return html`<p class="${isBad ? 'state bad' : 'state'}" role="status">
      <b>${title}</b> ${advice} ${page.reason !== '' && html`<br />${page.reason}`}
    </p>
    ${
      page.canConfirm &&
      html`<div class="screen">
        ${page.status !== 'PENDING' && html`<p>${words.unproved}</p>`}
        ${action(shown, 'confirm', button(words.confirm))}
      </div>`
    }`
}

async function passCard(ctx: AppContext, { row }: FoundGuest, shown: Shown): Promise<Html | undefined> {
  const { page, path, locale } = shown
  if (page.pass === null || page.pass.status === 'REVOKED' || page.pass.status === 'EXPIRED') return undefined
  const words = WORDS[locale]
  const pass = (await passOfGuest(ctx.db.read, row.id))!
  const picture = `${picturePath(await contentOf(ctx, pass))}&level=L&size=1024`
  return card(
    html`<div class="ticket">${qrPicture(picture, words.passAlt(pass.holderName))}</div>
      <p class="lead">${words.passHint}</p>
      ${button(words.openPass, { href: `${path}/pass`, kind: 'plain' })}
      ${!page.canConfirm && action(shown, 'resend-pass', button(words.resend, { kind: 'plain' }))}`,
    { title: words.pass, level: 2 },
  )
}

function answersCard(shown: Shown): Html | undefined {
  const { page, locale } = shown
  const words = WORDS[locale]
  const { questions, answers, canChange } = page
  if (questions.length === 0) return undefined
  return card(
    canChange
      ? action(shown, 'answers', [...answerFields(questions, answers, locale), button(words.save)])
      : facts(questions.map(({ key, label }) => [label, answers[key] ?? ''])),
    { title: words.answers, level: 2 },
  )
}

/** Undefined for a registration that has ended. */
function moreCard(shown: Shown, secret: string): Html | undefined {
  const { page, path, locale, asks } = shown
  const words = WORDS[locale]
  const isLive = page.status === 'CONFIRMED' || page.status === 'WAITING'
  if (!isLive && !page.canCancel && !page.canChange && !page.canConfirm) return undefined
  return card(
    html`<div class="screen">
        ${isLive && button(words.calendar, { href: `${path}/calendar.ics?lang=${locale}`, kind: 'plain' })}
        ${isLive && button(words.keep, { href: `/console/registrations/claim?lang=${locale}#${secret}`, kind: 'plain' })}
        ${
          page.canCancel &&
          (asks
            ? html`<p role="alert">${words.sure}</p>
                ${action(shown, 'cancel', button(words.yes))}
                ${button(words.no, { href: `${path}?lang=${locale}`, kind: 'plain' })}`
            : button(words.cancel, { href: `${path}?ask=cancel&lang=${locale}`, kind: 'plain' }))
        }
      </div>
      <p class="hint">${words.secret}</p>`,
    { title: words.more, level: 2 },
  )
}
