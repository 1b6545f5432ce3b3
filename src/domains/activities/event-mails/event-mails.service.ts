/** Composes the mails about an activity: text, HTML, a calendar file, and a link that stops them. */

import type { AppContext } from '#context'
import type { ComposeMail } from '#domains/contributions.ts'
import { type Content, letter, mailServerOf, senderOf } from '#domains/delivery/index.ts'
import { refusalsToMail, unsubscribeUrl } from '#domains/notifications/index.ts'
import { rawHtml } from '#lib/html.ts'
import type { Locale } from '#lib/localized.ts'
import { mapLink } from '#lib/map-link.ts'
import { renderMarkdown } from '#lib/markdown/index.ts'
import { periodText, zoneText } from '#lib/moments.ts'
import { onOneLine, textToHtml } from '#lib/text.ts'

import { type ActivityRow, findActivity } from '../activities.store.ts'
import { calendarText } from '../links/links.service.ts'
import { passUrl } from '../links/links.view.ts'
import { livePassesOf } from '../passes/passes.store.ts'
import type { PersonalMail } from '../personal-mails.model.ts'
import { zoneOf } from '../register/register.rules.ts'
import { addressText, ownerNameOf } from '../register/register.view.ts'
import { findGuests } from '../registrations/guests.store.ts'
import { findRegistration } from '../registrations/registrations.store.ts'
import { addresseeOf, guestUrl, mailAddressesOf } from './addressees.service.ts'
import type { EventMail, EventNews, Recipient } from './event-mails.model.ts'
import { forMail, isLink, WORDS } from './event-mails.rules.ts'

/**
 * Prepares what all recipients of one piece of news share, for as many as share it; the returned function makes the mail of one of them and reads
 * nothing. All names are on one line.
 */
export async function eventMails(
  ctx: AppContext,
  row: ActivityRow,
  news: EventNews,
): Promise<(recipient: Recipient) => EventMail> {
  const organizer = onOneLine(ownerNameOf(row, true) ?? senderOf(ctx).name)
  const written = await writtenPart(ctx, news)
  const sharedOf = async (locale: Locale) => ({
    content: contentOf(row, news, { organizer, locale }),
    calendar: await calendarOf(ctx, row, news, { organizer, locale }),
  })
  const shared = { en: await sharedOf('en'), zh: await sharedOf('zh') }
  // Somebody has just asked for this mail, so it cannot be stopped.
  const isAsked = isLink(news.kind)
  return ({ address, locale, timeZone, passUrl: pass, pageUrl }) => {
    const words = WORDS[locale]
    const { content, calendar } = shared[locale]
    const stop = unsubscribeUrl(ctx, row.owner, address)
    const page = pageUrl ?? `${ctx.config.publicUrl}/console/activities/${row.id}`
    const own = timeZone == null ? [] : timesIn(row, timeZone, locale)
    const mail = letter(
      {
        ...content,
        ...(written && { body: written }),
        facts: [...content.facts!, ...own],
        links: [
          ...(pass === undefined ? [] : [[words.pass, pass] as const]),
          [news.kind === 'CONFIRM' ? words.confirm : words.open, page],
          ...content.links!,
        ],
        ...(!isAsked && { foot: [words.stop, `${stop}?lang=${locale}`] as const }),
      },
      locale,
      senderOf(ctx),
    )
    return {
      to: address,
      ...mail,
      fromName: organizer,
      replyTo: row.contactEmail,
      ...(!isAsked && { unsubscribeUrl: stop }),
      ...(calendar && { calendar }),
    }
  }
}

/** The words of the organizer. */
async function writtenPart(ctx: AppContext, { body, noticeText }: EventNews): Promise<Content['body'] | undefined> {
  if (body !== undefined) {
    const { html } = await renderMarkdown(body)
    return { html: rawHtml(forMail(html, ctx.config.publicUrl)), text: body.trim() }
  }
  if (!noticeText) return undefined
  return { html: rawHtml(textToHtml(noticeText)), text: noticeText }
}

const periodIn = (row: Pick<ActivityRow, 'startTime' | 'endTime'>, zone: string, locale: Locale): string =>
  WORDS[locale].inZone(periodText(row.startTime, row.endTime, zone, locale), zoneText(row.startTime, zone, locale))

/** The time by the clock of the recipient, if it is another one. */
function timesIn(row: ActivityRow, zone: string, locale: Locale): [string, string][] {
  const isSame = (at: number): boolean => {
    const on = (zoned: string) => Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zoned).offsetNanoseconds
    return on(zone) === on(zoneOf(row))
  }
  if (isSame(row.startTime) && isSame(row.endTime)) return []
  return [[WORDS[locale].yours, periodIn(row, zone, locale)]]
}

interface Telling {
  readonly organizer: string
  readonly locale: Locale
}

function contentOf(row: ActivityRow, news: EventNews, { organizer, locale }: Telling): Content {
  const words = WORDS[locale]
  const { kind, before = {} } = news
  const name = onOneLine(row.name)
  const zone = zoneOf(row)
  const addressOf = (place: ActivityRow): string => onOneLine(addressText(place, locale))
  const earlier: ActivityRow = { ...row, ...before }
  const hasMoved = earlier.startTime !== row.startTime || earlier.endTime !== row.endTime
  const isElsewhere = addressOf(earlier) !== addressOf(row)
  const facts: [string, string][] = [
    [hasMoved ? words.newWhen : words.when, periodIn(row, zone, locale)],
    ...(hasMoved ? [[words.before, periodIn(earlier, zone, locale)] as [string, string]] : []),
    [isElsewhere ? words.newWhere : words.where, addressOf(row)],
    ...(isElsewhere ? [[words.before, addressOf(earlier)] as [string, string]] : []),
  ]
  const map = mapLink({ ...row, name, address: addressOf(row) }, locale)
  return {
    subject: onOneLine(`[${name}] ${kind === 'MESSAGE' ? (news.subject ?? '') : words.subjects[kind]}`),
    lead: words.leads[kind](name, organizer),
    facts: facts.filter(([, value]) => value !== ''),
    advice: kind === 'CONFIRM' ? [words.notYou] : [],
    links: map === undefined ? [] : [[words.map, map]],
  }
}

const WITHOUT_CALENDAR: ReadonlySet<EventNews['kind']> = new Set([
  'REMOVED',
  'REJECTED',
  'WAITING',
  'PASS_CHANGED',
  'PASS_REVOKED',
])

/** None for people who no longer take part: an update would enter the activity into their calendars again. */
async function calendarOf(ctx: AppContext, row: ActivityRow, { kind }: EventNews, { organizer, locale }: Telling) {
  if (WITHOUT_CALENDAR.has(kind) || isLink(kind)) return undefined
  const method = kind === 'CANCELLED' ? 'CANCEL' : 'PUBLISH'
  const email = row.contactEmail ?? mailServerOf(ctx)?.from.address
  const publisher = email === undefined ? undefined : { name: organizer, email }
  return { method, content: await calendarText(ctx, row, locale, { method, ...(publisher && { publisher }) }) } as const
}

/**
 * Composes a mail about one person, when it is sent. None if the person has opted out or left the address, or if the news is no longer true: the mail
 * may have waited for a day.
 */
export const composePersonalMail: ComposeMail = async (ctx, to, data) => {
  const { activityId, userId: person, kind } = data as unknown as PersonalMail
  const { read } = ctx.db
  const row = await findActivity(read, activityId)
  const target = (await mailAddressesOf(ctx, read, [person])).get(person)
  if (row === undefined || target?.address !== to) return undefined
  const [refusal] = await refusalsToMail(ctx, read, row.owner, 'IMPORTANT', [addresseeOf(person, to)])
  if (refusal !== null) return undefined
  const isOfPass = kind === 'PASS' || kind === 'PASS_CHANGED' || kind === 'PASS_REVOKED'
  const [pass] = isOfPass ? await livePassesOf(read, activityId, person, ctx.clock.now()) : []
  const registration = isOfPass ? undefined : await registrationOf(ctx, activityId, person)
  const isTrue = isOfPass ? (pass === undefined) === (kind === 'PASS_REVOKED') : registration?.status === STATUS[kind]
  if (!isTrue) return undefined
  const mailTo = await eventMails(ctx, row, { kind, noticeText: registration?.reason ?? '' })
  const locale = target.locale ?? row.language
  const { timeZone, pageUrl } = target
  return mailTo({ address: to, locale, timeZone, passUrl: pass && passUrl(ctx, pass), pageUrl })
}

/** The link of the page of a guest. None if there is no such guest any longer, or if they have another address. */
export const composeGuestMail: ComposeMail = async (ctx, to, data) => {
  const [guest] = await findGuests(ctx.db.read, [Number(data['registrationId'])])
  const row = guest && (await findActivity(ctx.db.read, guest.activityId))
  const pageUrl = guest && guestUrl(ctx, guest)
  if (row === undefined || guest?.email !== to || pageUrl === undefined) return undefined
  const mailTo = await eventMails(ctx, row, { kind: guest.emailConfirmedAt === null ? 'CONFIRM' : 'LINK' })
  return mailTo({ address: to, locale: guest.language ?? row.language, pageUrl })
}

const STATUS = {
  CONFIRMED: 'CONFIRMED',
  ACCEPTED: 'CONFIRMED',
  WAITING: 'WAITING',
  REJECTED: 'REJECTED',
  REMOVED: 'CANCELLED',
} as const

const registrationOf = async (ctx: AppContext, activityId: number, person: number) =>
  person > 0 ? findRegistration(ctx.db.read, activityId, person) : (await findGuests(ctx.db.read, [-person]))[0]
