/** The share page of a public code: its picture, name and content, and a button that opens a link, calls or writes an e-mail. */

import { button, card, type Html, html, htmlPage, qrPicture, text } from '#http/pages.ts'
import type { ContentType } from '#lib/content-type.ts'
import type { Locale } from '#lib/localized.ts'

import { renderPath } from '../codes/view.ts'
import type { PublicQrCode } from './model.ts'

const WORDS = {
  en: {
    alt: (name: string) => `QR code: ${name}`,
    open: 'Open link',
    call: 'Call',
    write: 'Write an e-mail',
    holds: 'Content',
    types: {
      TEXT: 'Text',
      URL: 'Web address',
      WIFI: 'Wi-Fi access',
      VCARD: 'Contact',
      EMAIL: 'E-mail',
      PHONE: 'Phone number',
      SMS: 'Text message',
      GEO: 'Place',
      EVENT: 'Event',
      OTHER: 'Content',
    },
  },
  zh: {
    alt: (name: string) => `二维码：${name}`,
    open: '打开链接',
    call: '拨打电话',
    write: '发送邮件',
    holds: '内容',
    types: {
      TEXT: '文本',
      URL: '网址',
      WIFI: 'Wi-Fi 网络',
      VCARD: '名片',
      EMAIL: '电子邮件',
      PHONE: '电话号码',
      SMS: '短信',
      GEO: '位置',
      EVENT: '日程',
      OTHER: '内容',
    },
  },
} as const satisfies Record<Locale, { types: Record<ContentType, string> } & Record<string, unknown>>

/** Sharp on phones with three pixels per point. */
const PICTURE_PIXELS = 1024

export function publicPage(code: PublicQrCode, locale: Locale): Response {
  const words = WORDS[locale]
  // A path instead of an address, so that the picture also loads when the server is reached by another name than the configured one.
  const picture = `${renderPath(code.isDynamic ? code.publicUrl : code.content, code.style)}&size=${PICTURE_PIXELS}`
  return htmlPage({
    title: code.name,
    locale,
    body: html`${card(
      html`${qrPicture(picture, words.alt(code.name))}
        <h1>${code.name}</h1>
        <p class="soft">${words.types[code.contentType]}</p>`,
    )}
    ${card(html`${text(code.content)}${action(code.content, locale)}`, { title: words.holds, level: 2 })}`,
  })
}

/** A button for contents that are safe to follow: web addresses, calls and e-mails. The scheme decides, not the type of the code. */
function action(content: string, locale: Locale): Html | undefined {
  const address = content.trim()
  const url = URL.parse(address)
  const words = WORDS[locale]
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return button(words.open, { href: url.href })
  if (/^tel:[+\d\s().-]{3,32}$/i.test(address)) return button(words.call, { href: address })
  if (url?.protocol === 'mailto:') return button(words.write, { href: url.href })
  return undefined
}
