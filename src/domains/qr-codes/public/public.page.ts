/** The share page of a public code: its name, its content in readable parts with what one does with it, and small below, its picture. */

import type { AppContext } from '#context'
import { foundCard, foundScript } from '#domains/found/index.ts'
import { button, buttonRow, card, html, htmlPage, qrPicture } from '#http/pages.ts'
import type { ContentType } from '#lib/content-type.ts'
import { safeFileName } from '#lib/file-name.ts'
import type { Locale } from '#lib/localized.ts'
import { readContent } from '#lib/qr-contents/index.ts'

import { NOT_LISTED } from '../links/links.page.ts'
import { contentOf } from './contents.page.ts'
import { filesPath, PNG_FILE, type PublicQrCode, SVG_FILE } from './public.model.ts'

const WORDS = {
  en: {
    alt: (name: string) => `QR code: ${name}`,
    scans: (n: number) => (n === 1 ? 'Opened once' : `Opened ${n.toLocaleString('en')} times`),
    picture: 'QR code',
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
    scans: (n: number) => `扫码 ${n.toLocaleString('zh')} 次`,
    picture: '二维码',
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
const PICTURE_PIXELS = 528
/** With fewer light modules around the code, round corners would cut into it. */
const SAFE_MARGIN = 2

/** `path` of the page, for its links to the other language. */
export function publicPage(ctx: AppContext, code: PublicQrCode, locale: Locale, path: string): Response {
  const words = WORDS[locale]
  const read = readContent(code.content)
  const type = words.types[code.contentType]
  const files = filesPath(code.uuid)
  const fileName = safeFileName(code.name)
  // A path instead of an address, so that the picture also loads when the server is reached by another name than the configured one.
  const picture = `${code.imageUrl.slice(ctx.config.publicUrl.length)}&size=${PICTURE_PIXELS}`
  return htmlPage(ctx, {
    title: code.name,
    locale,
    path,
    copies: read.type === 'wifi',
    headers: NOT_LISTED,
    ...foundScript(code.found, locale),
    // Chats keep previews, so the content is left out: it may be a password or an address. The host of a link says where it leads.
    preview: {
      title: code.name,
      description: read.type === 'url' ? `${type}: ${read.url.host}` : type,
      image: ctx.config.publicUrl + files + PNG_FILE,
    },
    body: html`${card(
      html`<h1>${code.name}</h1>
        <p class="soft">${type} · ${words.scans(code.scanCount)}</p>
        ${contentOf(code.content, read, files, locale)}`,
    )}
    ${foundCard(code.found, locale)}
    ${card(
      html`<div class="small">
        ${qrPicture(picture, words.alt(code.name), code.style.margin < SAFE_MARGIN)}
        ${buttonRow([
          button('PNG', { href: files + PNG_FILE, kind: 'plain', download: `${fileName}.png` }),
          button('SVG', { href: files + SVG_FILE, kind: 'plain', download: `${fileName}.svg` }),
        ])}
      </div>`,
      { title: words.picture, level: 2 },
    )}`,
  })
}
