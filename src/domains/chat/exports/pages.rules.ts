/** The pages of an exported conversation. They open without a server: all texts are escaped, and a policy in the page forbids everything but its own files. */

import { dayAt, localTime } from '#lib/days.ts'
import { type Html, html } from '#lib/html.ts'
import type { Locale } from '#lib/localized.ts'

import type { Message } from '../messages/messages.model.ts'

/** A file of a message in the archive. */
export interface ArchivedFile {
  /** Null if its bytes are not in the archive. */
  readonly path: string | null
  readonly name: string
}

export interface ShownMessage extends Omit<Message, 'replyTo'> {
  readonly sender: string
  readonly reply: { readonly sender: string; readonly type: Message['type']; readonly excerpt: string } | null
  /** Names of the users that a SYSTEM message is about. */
  readonly names: readonly string[]
  /** Who has removed the message, if that is a member. */
  readonly remover: string
  readonly file: ArchivedFile | null
}

export interface PageFacts {
  readonly title: string
  readonly server: string
  readonly exportedBy: string
  readonly exportedAt: number
  readonly locale: Locale
  readonly zone: string
}

/** A complete page but for its links to others. */
export interface Page {
  readonly number: number
  readonly from: number
  readonly to: number
  readonly body: string
}

const WORDS = {
  en: {
    exported: (by: string, at: string, server: string, zone: string) =>
      `Exported by ${by} from ${server} at ${at}. Times: ${zone}.`,
    pages: 'Pages',
    before: 'Earlier messages',
    after: 'Later messages',
    none: 'No messages.',
    edited: 'edited',
    forwarded: 'forwarded',
    recalled: 'This message was recalled.',
    removedBy: (name: string) => `This message was removed by ${name}.`,
    removed: 'This message was removed by an administrator.',
    missing: 'The file is not in this archive.',
    types: {
      TEXT: 'Message',
      IMAGE: 'Picture',
      FILE: 'File',
      VOICE: 'Voice message',
      VIDEO: 'Video',
      LOCATION: 'Place',
      CARD: 'Contact card',
      QR_CODE: 'QR code',
      ACTIVITY: 'Activity',
      SYSTEM: 'Notice',
    },
    events: {
      GROUP_CREATED: 'Group created by',
      GROUP_RENAMED: 'Group renamed by',
      GROUP_ENDED: 'The group has ended',
      MEMBER_JOINED: 'Joined:',
      MEMBER_LEFT: 'Left:',
      MEMBER_REMOVED: 'Removed from the group:',
      OWNER_CHANGED: 'New owner:',
    },
  },
  zh: {
    exported: (by: string, at: string, server: string, zone: string) =>
      `由 ${by} 于 ${at} 从 ${server} 导出。时区：${zone}。`,
    pages: '页码',
    before: '更早的消息',
    after: '更晚的消息',
    none: '没有消息。',
    edited: '已编辑',
    forwarded: '转发',
    recalled: '此消息已撤回。',
    removedBy: (name: string) => `此消息已被 ${name} 移除。`,
    removed: '此消息已被管理员移除。',
    missing: '此压缩包中没有该文件。',
    types: {
      TEXT: '消息',
      IMAGE: '图片',
      FILE: '文件',
      VOICE: '语音',
      VIDEO: '视频',
      LOCATION: '位置',
      CARD: '名片',
      QR_CODE: '二维码',
      ACTIVITY: '活动',
      SYSTEM: '系统提示',
    },
    events: {
      GROUP_CREATED: '创建群聊：',
      GROUP_RENAMED: '修改群名：',
      GROUP_ENDED: '群聊已解散',
      MEMBER_JOINED: '加入群聊：',
      MEMBER_LEFT: '退出群聊：',
      MEMBER_REMOVED: '被移出群聊：',
      OWNER_CHANGED: '新群主：',
    },
  },
} as const satisfies Record<Locale, object>

const STYLE =
  'body{font:15px/1.5 system-ui,sans-serif;margin:0 auto;max-width:46rem;padding:1rem;color:#1c1b1f;background:#fff}' +
  'h1{font-size:1.4rem}h2{font-size:1rem;text-align:center;color:#555;margin:1.5rem 0 .5rem}' +
  'article{margin:.6rem 0;padding:.5rem .8rem;background:#f3f3f3;border-radius:.6rem;overflow-wrap:anywhere}' +
  'article.notice{background:none;text-align:center;color:#555}header{font-size:.85rem;color:#555}' +
  'p{margin:.2rem 0}.t{white-space:pre-wrap}blockquote{margin:.3rem 0;padding-left:.6rem;border-left:3px solid #999;color:#555}' +
  'img,video{max-width:100%;height:auto}nav{margin:1rem 0}bdi{font-weight:600}'

/** Exactly the content of the style element, or browsers refuse it. */
const POLICY =
  "default-src 'none'; img-src 'self' file:; media-src 'self' file:; base-uri 'none'; form-action 'none'; " +
  `style-src 'sha256-${new Bun.CryptoHasher('sha256').update(STYLE).digest('base64')}'`

export const pagePath = (number: number, isLast: boolean): string =>
  isLast ? 'index.html' : `messages-${String(number).padStart(4, '0')}.html`

/** `others`: the pages before it, of which the last page has a list. `next`: whether the page that follows is the last one. */
export function pageHtml(
  { title, server, exportedBy, exportedAt, locale, zone }: PageFacts,
  page: Page,
  { isLast, nextIsLast, others }: { isLast: boolean; nextIsLast: boolean; others: readonly Omit<Page, 'body'>[] },
): string {
  const words = WORDS[locale]
  const days = ({ from, to }: Pick<Page, 'from' | 'to'>) =>
    [...new Set([dayAt(from, zone), dayAt(to, zone)])].join(' – ')
  const nav = html`<nav>
    ${page.number > 1 && html`<a href="${pagePath(page.number - 1, false)}">← ${words.before}</a> `}
    ${!isLast && html`<a href="${pagePath(page.number + 1, nextIsLast)}">${words.after} →</a>`}
  </nav>`
  const list = html`<details>
    <summary>${words.pages}</summary>
    <ol>
      ${others.map((other) => html`<li><a href="${pagePath(other.number, false)}">${days(other)}</a></li>`)}
    </ol>
  </details>`
  const head = html`<meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${POLICY}" />
    <meta name="referrer" content="no-referrer" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title}</title>`
  const at = timeText(exportedAt, zone)
  const intro = html`<h1><bdi>${title}</bdi></h1>
    <p>${words.exported(exportedBy, at, server, zone)}</p>
    ${others.length > 0 && list} ${nav}`
  return (
    `<!doctype html>\n<html lang="${locale === 'zh' ? 'zh-CN' : 'en'}"><head>${head.text}<style>${STYLE}</style></head>` +
    `<body>${intro.text}${page.body || `<p>${words.none}</p>`}${nav.text}</body></html>\n`
  )
}

const timeText = (at: number, zone: string): string => localTime(at, zone).toString().replace('T', ' ')

/** The heading of a new day, if the message is the first one of it. */
export const dayHtml = (before: number | undefined, at: number, zone: string): string =>
  before !== undefined && dayAt(before, zone) === dayAt(at, zone) ? '' : html`<h2>${dayAt(at, zone)}</h2>`.text

export function messageHtml(message: ShownMessage, locale: Locale, zone: string): string {
  const words = WORDS[locale]
  const { id, type, sender, reply, reactions, createdAt } = message
  const time = html`<time datetime="${new Date(createdAt).toISOString()}">${timeText(createdAt, zone)}</time>`
  if (type === 'SYSTEM')
    return html`<article class="notice" id="m${id}">
      <p dir="auto">${noticeText(message, locale)}</p>
      ${time}
    </article>`.text
  const marks = [message.forwarded && words.forwarded, message.editedAt !== null && words.edited].filter(Boolean)
  return html`<article id="m${id}">
    <header><bdi>${sender}</bdi> ${time} ${marks.join(', ')}</header>
    ${
      reply !== null &&
      html`<blockquote>
        <bdi>${reply.sender}</bdi>
        <p dir="auto">${reply.excerpt || `[${words.types[reply.type]}]`}</p>
      </blockquote>`
    }
    ${message.recalled ? html`<p>${recalledText(message, locale)}</p>` : contentHtml(message, locale, zone)}
    ${reactions.length > 0 && html`<p>${reactions.map(({ emoji, count }) => `${emoji} ${count}`).join('  ')}</p>`}
  </article>`.text
}

function noticeText({ content, names }: ShownMessage, locale: Locale): string {
  const { event, text } = content as { event?: string; text?: string }
  const said = WORDS[locale].events[event as keyof (typeof WORDS)['en']['events']]
  return said === undefined ? (text ?? '') : `${said} ${names.join(', ')}`
}

function recalledText({ removal, remover }: ShownMessage, locale: Locale): string {
  const words = WORDS[locale]
  if (removal === null) return words.recalled
  const text = removal.by === 'GROUP' ? words.removedBy(remover) : words.removed
  return removal.reason === '' ? text : `${text} ${removal.reason}`
}

/** An address within the archive. */
const hrefOf = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

function contentHtml(message: ShownMessage, locale: Locale, zone: string): Html {
  const { type, content } = message
  const words = WORDS[locale]
  const text = (key: string): string => {
    const value = content[key]
    return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  }
  const lines = (...parts: readonly string[]): Html =>
    html`<p class="t" dir="auto">${parts.filter((part) => part !== '').join('\n')}</p>`
  switch (type) {
    case 'TEXT':
      return lines(text('text'))
    case 'IMAGE':
    case 'FILE':
    case 'VOICE':
    case 'VIDEO':
      return fileHtml(message, locale)
    case 'LOCATION':
      return lines(words.types.LOCATION, text('name'), text('address'), `${text('latitude')}, ${text('longitude')}`)
    case 'CARD':
      return lines(words.types.CARD, text('nickname'))
    case 'ACTIVITY': {
      const [from, to] = [content['startTime'], content['endTime']].map((at) =>
        typeof at === 'number' ? timeText(at, zone) : '',
      )
      return lines(words.types.ACTIVITY, text('name'), `${from} – ${to}`)
    }
    default:
      return lines(words.types[type], text('name'), text('content'))
  }
}

function fileHtml({ type, content, file }: ShownMessage, locale: Locale): Html {
  const words = WORDS[locale]
  const caption = typeof content['caption'] === 'string' ? content['caption'] : ''
  const name = typeof content['name'] === 'string' ? content['name'] : (file?.name ?? '')
  const below = caption !== '' && html`<p dir="auto">${caption}</p>`
  if (file?.path == null)
    return html`<p>${words.types[type]} <bdi>${name}</bdi></p>
      <p>${words.missing}</p>
      ${below}`
  const href = hrefOf(file.path)
  const link = html`<p><a href="${href}" dir="auto">${name || words.types[type]}</a></p>`
  if (type === 'IMAGE')
    return html`<a href="${href}"><img src="${href}" alt="${caption || words.types.IMAGE}" loading="lazy" /></a
      >${below}`
  if (type === 'VOICE') return html`<audio src="${href}" controls preload="none"></audio>${link}`
  if (type === 'VIDEO') return html`<video src="${href}" controls preload="none"></video>${link}`
  return link
}
