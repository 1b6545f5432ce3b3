/** The conversation of a finder with the owner of a thing. It names neither, nor the thing. */

import type { AppContext } from '#context'
import { button, card, copyable, field, form, type Html, html, htmlPage, text } from '#http/pages.ts'
import type { Locale } from '#lib/localized.ts'
import { serverZone } from '#platform/clock.ts'

import { MAX_MESSAGE } from '../forms/forms.model.ts'
import type { FoundMessage } from '../reports/reports.model.ts'
import type { ThreadView } from './threads.model.ts'
import { threadPath } from './threads.service.ts'

const WORDS = {
  en: {
    sent: 'Thank you! Your message was sent',
    keep: 'The owner has been notified and answers on the page behind this link. Keep the link: nobody can send it to you again, and anyone who has it can read and write there.',
    open: 'Open the conversation',
    title: 'Your conversation with the owner',
    owner: 'Owner',
    you: 'You',
    message: 'Your message',
    send: 'Send',
    hint: 'Come back to this page to read an answer. Never pay or give a password to get or return a thing.',
    ends: (day: string) => `The conversation ends on ${day} if nobody writes until then.`,
    closed: 'The owner has closed the conversation.',
    full: 'You have sent as many messages as one conversation can have.',
    returned: 'The owner has it back. Thank you!',
  },
  zh: {
    sent: '谢谢！留言已发送',
    keep: '已通知失主，失主会在以下链接的页面回复你。请保存此链接：丢失后无法找回，且任何持有链接的人都可以查看和发言。',
    open: '打开对话',
    title: '你与失主的对话',
    owner: '失主',
    you: '你',
    message: '留言内容',
    send: '发送',
    hint: '请回到此页面查看回复。归还或取回物品时，切勿付款或提供密码。',
    ends: (day: string) => `若此后无人留言，对话将于 ${day} 结束。`,
    closed: '失主已关闭此对话。',
    full: '此对话中你可发送的留言已达上限。',
    returned: '失主已取回物品，谢谢你！',
  },
} as const satisfies Record<Locale, object>

/** After the first message. */
export function sentPage(ctx: AppContext, secret: string, locale: Locale): Response {
  const words = WORDS[locale]
  const path = threadPath(secret)
  return htmlPage(ctx, {
    title: words.sent,
    locale,
    copies: true,
    body: card(
      html`${text(words.keep)}
        <p>${copyable(ctx.config.publicUrl + path)}</p>
        ${button(words.open, { href: `${path}?lang=${locale}` })}`,
      { title: words.sent },
    ),
  })
}

export function threadPage(
  ctx: AppContext,
  secret: string,
  { status, messages, canWrite, endsAt }: ThreadView,
  locale: Locale,
): Response {
  const words = WORDS[locale]
  const day = new Intl.DateTimeFormat(locale === 'zh' ? 'zh-CN' : 'en', { dateStyle: 'long', timeZone: serverZone() })
  return htmlPage(ctx, {
    title: words.title,
    locale,
    path: threadPath(secret),
    body: html`${card(
      html`${status === 'RETURNED' && html`<p class="notice" role="status">${words.returned}</p>`}
        <ol class="talk">
          ${messages.map((message) => messageItem(message, locale))}
        </ol>`,
      { title: words.title },
    )}
    ${card(
      canWrite
        ? html`${form(`${threadPath(secret)}?lang=${locale}`, [
              field({
                label: words.message,
                name: 'message',
                type: 'textarea',
                required: true,
                maxLength: MAX_MESSAGE,
              }),
              button(words.send),
            ])}
            <p class="hint">${words.hint}</p>
            <p class="hint">${words.ends(day.format(endsAt))}</p>`
        : html`<p class="soft">${status === 'CLOSED' ? words.closed : words.full}</p>`,
    )}`,
  })
}

function messageItem({ fromOwner, text: said, at }: FoundMessage, locale: Locale): Html {
  const words = WORDS[locale]
  const zone = serverZone()
  const shown = new Intl.DateTimeFormat(locale === 'zh' ? 'zh-CN' : 'en', {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: zone,
  }).format(at)
  return html`<li class="${fromOwner ? 'theirs' : 'mine'}">
    <p class="soft">
      ${fromOwner ? words.owner : words.you} · <time datetime="${new Date(at).toISOString()}">${shown} (${zone})</time>
    </p>
    <p class="text" dir="auto">${said}</p>
  </li>`
}
