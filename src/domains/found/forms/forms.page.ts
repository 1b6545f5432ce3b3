/** The finder card on the public page of a thing. It works without scripts; only the position needs one. */

import { button, card, field, form, type Html, html, type Page } from '#http/pages.ts'
import type { Locale } from '#lib/localized.ts'

import { type FoundForm, MAX_CONTACT, MAX_MESSAGE } from './forms.model.ts'

const WORDS = {
  en: {
    title: 'Have you found this?',
    intro: 'Write to the owner. You need no account, and neither of you learns the address of the other.',
    message: 'Your message',
    contact: 'How to reach you (optional)',
    contactHint:
      'The owner sees what you write here. You can leave it empty: after sending you get a link to the answer.',
    send: 'Send to the owner',
    position: {
      add: 'Add my position',
      asked: 'Your browser asks whether it may tell your position.',
      added: 'Your position will be sent with the message.',
      failed: 'Your position is not available. You can send the message without it.',
      remove: 'Do not send my position',
    },
  },
  zh: {
    title: '你捡到了它吗？',
    intro: '给失主留言。无需注册账号，双方都不会得知对方的联系方式。',
    message: '留言内容',
    contact: '你的联系方式（选填）',
    contactHint: '失主会看到你填写的内容。可以留空：发送后你会得到查看回复的链接。',
    send: '发送给失主',
    position: {
      add: '附上我的位置',
      asked: '浏览器会询问是否允许提供你的位置。',
      added: '你的位置将随留言一起发送。',
      failed: '无法获取你的位置，可以不附位置直接发送。',
      remove: '不发送我的位置',
    },
  },
} as const satisfies Record<Locale, object>

/** Nothing if the page shows no card. */
export function foundCard(found: FoundForm | null, locale: Locale): Html | undefined {
  if (found === null) return undefined
  const words = WORDS[locale]
  const { key, text } = found
  return card(
    html`${text !== '' && html`<p class="text" dir="auto">${text}</p>`}
    ${
      key !== null &&
      html`<p>${words.intro}</p>
        ${form(`/public/found/${key}?lang=${locale}`, [
          field({ label: words.message, name: 'message', type: 'textarea', required: true, maxLength: MAX_MESSAGE }),
          field({ label: words.contact, name: 'contact', maxLength: MAX_CONTACT, hint: words.contactHint }),
          found.askPosition && html`<div class="field" id="position"></div>`,
          button(words.send),
        ])}`
    }`,
    { title: words.title, level: 2 },
  )
}

/** The script that offers to add the position, as part of the page; none if the card does not ask for it. */
export const foundScript = (found: FoundForm | null, locale: Locale): Pick<Page, 'script'> =>
  found?.askPosition === true ? { script: { src: '/found.js', data: WORDS[locale].position, asks: ["'none'"] } } : {}
