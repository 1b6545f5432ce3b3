/** Composes a digest when it is sent. */

import type { ComposeMail } from '#domains/contributions.ts'
import { type Content } from '#domains/delivery/index.ts'
import { assetMail, assetMailTargetAt } from '#domains/notifications/index.ts'
import { html } from '#lib/html.ts'
import type { Locale, Localized } from '#lib/localized.ts'
import { zoneText } from '#lib/moments.ts'

import { COUNTED, type DigestLine } from './digests.model.ts'
import { sectionsOf } from './digests.service.ts'
import { PARTS } from './parts.service.ts'

const WORDS = {
  en: {
    assets: 'Assets',
    lead: (day: string) => `This is due with assets on ${day}.`,
    more: (n: string) => `and ${n} more`,
    over: (n: string) => `more than ${n}`,
    open: 'Open',
    zone: (zone: string) => `Times: ${zone}.`,
    colon: ': ',
    comma: ', ',
  },
  zh: {
    assets: '资产',
    lead: (day: string) => `${day} 的资产待办事项如下。`,
    more: (n: string) => `另有 ${n} 项`,
    over: (n: string) => `${n} 以上`,
    open: '查看',
    zone: (zone: string) => `时间：${zone}。`,
    colon: '：',
    comma: '，',
  },
} as const satisfies Record<Locale, object>

/** The part of a digest that the outbox keeps. */
interface Queued {
  readonly userId: number
  readonly day: string
  /** In which the user had something. */
  readonly parts: readonly string[]
}

type Sections = Awaited<ReturnType<typeof sectionsOf>>

/** None if the user has nothing to do any longer, wants no such mails, or has left the address: the mail may have waited for a day. */
export const composeDigest: ComposeMail = async (ctx, to, data) => {
  const { userId, day, parts } = data as unknown as Queued
  const { read } = ctx.db
  const target = await assetMailTargetAt(ctx, read, userId, to, ['DAILY', 'AT_ONCE'])
  if (target === undefined) return undefined
  const { locale, timeZone: zone } = target
  const now = ctx.clock.now()
  const sections = await sectionsOf(
    read,
    { userId, now, zone },
    PARTS.filter(({ key }) => parts.includes(key)),
  )
  if (sections.length === 0) return undefined
  const words = WORDS[locale]
  return assetMail(ctx, userId, target, {
    subject: `${words.assets}${words.colon}${sections.map(({ part, things }) => `${part.summary[locale]} ${numberOf(things.total, locale)}`).join(words.comma)}`,
    lead: words.lead(day),
    body: bodyOf(sections, locale, ctx.config.publicUrl),
    advice: [words.zone(zoneText(now, zone, locale))],
  })
}

const numberOf = (total: number, locale: Locale): string =>
  total > COUNTED ? WORDS[locale].over(String(COUNTED)) : String(total)

const textIn = (text: string | Localized, locale: Locale): string => (typeof text === 'string' ? text : text[locale])

function bodyOf(sections: Sections, locale: Locale, publicUrl: string): NonNullable<Content['body']> {
  const words = WORDS[locale]
  const lineOf = ({ name, detail }: DigestLine): string => `${textIn(name, locale)}${words.colon}${detail[locale]}`
  const shown = sections.map(({ part, things: { lines, total } }) => {
    const rest = total - lines.length
    const more = total > COUNTED ? words.more(words.over(String(COUNTED - lines.length))) : words.more(String(rest))
    return {
      heading: part.heading[locale],
      lines: [...lines.map(lineOf), ...(rest > 0 ? [more] : [])],
      href: `${publicUrl}/console/${part.page}`,
    }
  })
  return {
    html: html`${shown.map(
      ({ heading, lines, href }) =>
        html`<h2 style="margin:16px 0 4px;font-size:16px">${heading}</h2>
          <ul style="margin:0 0 4px;padding-left:20px">
            ${lines.map((line) => html`<li>${line}</li>`)}
          </ul>
          <p style="margin:0 0 12px"><a href="${href}">${words.open}</a></p>`,
    )}`,
    text: shown
      .map(({ heading, lines, href }) => [heading, ...lines.map((line) => `- ${line}`), href].join('\n'))
      .join('\n\n'),
  }
}
