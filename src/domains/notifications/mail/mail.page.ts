/** The page on which the owner of an address stops mails about activities or assets, or invitations. A mail scanner that opens the link changes nothing. */

import type { AppContext } from '#context'
import type { Caller } from '#http/endpoint.ts'
import { button, card, form, hiddenField, type Html, html, htmlPage, notice, text } from '#http/pages.ts'
import type { Locale } from '#lib/localized.ts'

import { MAIL_PATH, type MailChoice } from './mail.model.ts'
import type { AnyMailPage, AssetMailsPage, InvitationsPage, MailPage } from './mail.service.ts'

const WORDS = {
  en: {
    title: 'Mails about activities',
    intro: (address: string) => `Choose which mails about activities ${address} gets.`,
    saved: 'Saved.',
    someone: 'this organizer',
    now: {
      ALL: 'At present: all mails about activities.',
      ORGANIZER: (name: string) => `At present: no messages of ${name}. Date, place and cancellation are still mailed.`,
      IMPORTANT: 'At present: only mails about your registration and pass, and about date, place and cancellation.',
      NONE: 'At present: no mails about activities.',
    },
    choices: {
      ORGANIZER: (name: string) => `No more messages of ${name}`,
      IMPORTANT: 'Everything but messages: registration, pass, date, place and cancellation',
      NONE: 'No mails about activities at all',
      ALL: 'All mails again',
    },
    invitations: {
      title: 'Invitations by mail',
      on: (address: string) => `People and organizations on this server can invite ${address} by mail.`,
      off: (address: string) => `People and organizations on this server can no longer invite ${address} by mail.`,
      stop: 'Never write to me again',
      again: 'Allow invitations again',
      hint: 'This is about invitations of everybody. Mails about activities that you take part in go on.',
    },
    assets: {
      title: 'Mails about assets',
      intro: (address: string) => `Choose which mails about assets ${address} gets.`,
      now: {
        NONE: 'At present: no mails about assets.',
        DAILY: 'At present: one mail a day, if anything is due.',
        AT_ONCE: 'At present: one mail a day, and each notification at once.',
      },
      choices: {
        NONE: 'No more mails about assets',
        DAILY: 'One mail a day',
        AT_ONCE: 'One mail a day, and each notification at once',
      },
      hint: 'Notifications in the app are not affected.',
    },
    none: 'You then also learn nothing by mail of a new date, a new place or a cancellation.',
  },
  zh: {
    title: '活动邮件',
    intro: (address: string) => `请选择 ${address} 接收哪些活动邮件。`,
    saved: '已保存。',
    someone: '该主办方',
    now: {
      ALL: '当前：接收全部活动邮件。',
      ORGANIZER: (name: string) => `当前：不接收 ${name} 的消息，时间、地点变更与取消仍会通知。`,
      IMPORTANT: '当前：仅接收与报名、通行证、时间、地点和取消有关的邮件。',
      NONE: '当前：不接收任何活动邮件。',
    },
    choices: {
      ORGANIZER: (name: string) => `不再接收 ${name} 的消息`,
      IMPORTANT: '只接收报名、通行证、时间、地点和取消通知',
      NONE: '不接收任何活动邮件',
      ALL: '恢复接收全部邮件',
    },
    invitations: {
      title: '邮件邀请',
      on: (address: string) => `此服务器上的用户和组织可以通过邮件邀请 ${address}。`,
      off: (address: string) => `此服务器上的任何人都不能再通过邮件邀请 ${address}。`,
      stop: '不再给我发邮件',
      again: '重新允许邀请',
      hint: '此设置针对所有人的邀请，你已参与的活动仍会发送邮件。',
    },
    assets: {
      title: '资产邮件',
      intro: (address: string) => `请选择 ${address} 接收哪些资产邮件。`,
      now: {
        NONE: '当前：不接收资产邮件。',
        DAILY: '当前：有待办事项时，每天一封邮件。',
        AT_ONCE: '当前：每天一封邮件，且每条通知立即发送。',
      },
      choices: {
        NONE: '不再接收资产邮件',
        DAILY: '每天一封邮件',
        AT_ONCE: '每天一封邮件，且每条通知立即发送',
      },
      hint: '应用内的通知不受影响。',
    },
    none: '选择后，活动改期、换址或取消也不会再以邮件通知。',
  },
} as const satisfies Record<Locale, object>

interface Shown {
  readonly caller: Caller
  readonly isChanged: boolean
}

export function mailPage(ctx: AppContext, token: string, page: AnyMailPage, shown: Shown): Response {
  if ('isRefused' in page) return invitationsPage(ctx, token, page, shown)
  return 'emailAssets' in page ? assetsPage(ctx, token, page, shown) : choicesPage(ctx, token, page, shown)
}

function assetsPage(
  ctx: AppContext,
  token: string,
  { address, emailAssets }: AssetMailsPage,
  { caller: { locale }, isChanged }: Shown,
): Response {
  const { saved, assets: words } = WORDS[locale]
  const path = `${MAIL_PATH}/${token}`
  const offered = (['NONE', 'DAILY', 'AT_ONCE'] as const).filter((choice) => choice !== emailAssets)
  return htmlPage(ctx, {
    title: words.title,
    locale,
    path,
    body: html`${isChanged && notice(saved)}
    ${card(
      [
        text(words.intro(address)),
        text(words.now[emailAssets]),
        offered.map((choice) =>
          form(`${path}?lang=${locale}`, [
            hiddenField('choice', choice),
            button(words.choices[choice], { kind: choice === 'NONE' ? 'primary' : 'plain' }),
          ]),
        ),
        html`<p class="hint">${words.hint}</p>`,
      ],
      { title: words.title },
    )}`,
  })
}

function invitationsPage(
  ctx: AppContext,
  token: string,
  { address, isRefused }: InvitationsPage,
  { caller: { locale }, isChanged }: Shown,
): Response {
  const { saved, invitations: words } = WORDS[locale]
  const path = `${MAIL_PATH}/${token}`
  const choice: MailChoice = isRefused ? 'ALL' : 'NONE'
  return htmlPage(ctx, {
    title: words.title,
    locale,
    path,
    body: html`${isChanged && notice(saved)}
    ${card(
      [
        text(isRefused ? words.off(address) : words.on(address)),
        form(`${path}?lang=${locale}`, [
          hiddenField('choice', choice),
          button(isRefused ? words.again : words.stop, { kind: isRefused ? 'plain' : 'primary' }),
        ]),
        html`<p class="hint">${words.hint}</p>`,
      ],
      { title: words.title },
    )}`,
  })
}

function choicesPage(
  ctx: AppContext,
  token: string,
  { address, organizer, everybody, ofOrganizer }: MailPage,
  { caller: { locale }, isChanged }: Shown,
): Response {
  const words = WORDS[locale]
  const name = organizer ?? words.someone
  const current: keyof typeof words.now = everybody === 'ALL' && ofOrganizer !== 'ALL' ? 'ORGANIZER' : everybody
  const now = words.now[current]
  const path = `${MAIL_PATH}/${token}`
  const choose = (choice: keyof typeof words.choices): Html => {
    const label = words.choices[choice]
    return form(`${path}?lang=${locale}`, [
      hiddenField('choice', choice),
      button(typeof label === 'string' ? label : label(name), { kind: choice === 'ORGANIZER' ? 'primary' : 'plain' }),
    ])
  }
  const offered = (['ORGANIZER', 'IMPORTANT', 'NONE', 'ALL'] as const).filter((choice) => choice !== current)
  return htmlPage(ctx, {
    title: words.title,
    locale,
    path,
    body: html`${isChanged && notice(words.saved)}
    ${card(
      [
        text(words.intro(address)),
        text(typeof now === 'string' ? now : now(name)),
        offered.map(choose),
        offered.includes('NONE') && html`<p class="hint">${words.none}</p>`,
      ],
      { title: words.title },
    )}`,
  })
}
