/** Decisions about reservations and loans that need no row. Pure. */

import type { Booking } from '#db/schema/reservations.ts'
import type { Localized } from '#lib/localized.ts'
import { DAY, HOUR, MINUTE } from '#platform/clock.ts'

/** Clocks of clients may be so slow. */
export const GRACE_MS = 5 * MINUTE

/** Of a bookable asset without a category that says more. */
export const DEFAULT_BOOKING: Booking = {
  bookable: false,
  approval: 'KEEPER',
  maxDays: 14,
  leadHours: 0,
  aheadDays: 90,
  noShowHours: 24,
  keeperIds: [],
}

/** Whether members may reserve an asset. `booking`: of its category. */
export const isBookable = (bookable: boolean | null, booking: Booking | undefined): boolean =>
  bookable ?? booking?.bookable ?? false

/** The rules that hold for all of them together: of each the strictest. */
export function strictest(bookings: readonly Booking[]): Booking {
  const [first = DEFAULT_BOOKING, ...others] = bookings
  return others.reduce(
    (a, b) => ({
      bookable: a.bookable && b.bookable,
      approval: a.approval === 'KEEPER' || b.approval === 'KEEPER' ? 'KEEPER' : 'NONE',
      maxDays: Math.min(a.maxDays, b.maxDays),
      leadHours: Math.max(a.leadHours, b.leadHours),
      aheadDays: Math.min(a.aheadDays, b.aheadDays),
      noShowHours: Math.min(a.noShowHours, b.noShowHours),
      keeperIds: [...new Set([...a.keeperIds, ...b.keeperIds])],
    }),
    first,
  )
}

/** So many days later by the calendar of the zone, in which a day can have 23 or 25 hours, and at least so many times 24 hours. */
function daysAfter(time: number, days: number, zone: string): number {
  const local = Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(zone)
  return Math.max(local.add({ days }).epochMilliseconds, time + days * DAY)
}

export interface TimeProblem {
  readonly field: 'from' | 'to'
  readonly text: Localized
}

/** Why somebody who is not a keeper cannot reserve from `from` to `to`. `zone`: of the organization. */
export function timeProblem(
  { from, to }: { readonly from: number; readonly to: number },
  { maxDays, leadHours, aheadDays }: Booking,
  now: number,
  zone: string,
): TimeProblem | undefined {
  if (from < now - GRACE_MS) return { field: 'from', text: { en: 'must not be in the past', zh: '不能早于当前时间' } }
  if (from < now + leadHours * HOUR - GRACE_MS)
    return {
      field: 'from',
      text: { en: `must be at least ${hours(leadHours)} ahead`, zh: `须至少提前 ${leadHours} 小时` },
    }
  if (to > daysAfter(from, maxDays, zone))
    return {
      field: 'to',
      text: { en: `must be at most ${days(maxDays)} after the beginning`, zh: `预约时长不能超过 ${maxDays} 天` },
    }
  if (from > daysAfter(now, aheadDays, zone))
    return {
      field: 'from',
      text: { en: `must be at most ${days(aheadDays)} ahead`, zh: `最多提前 ${aheadDays} 天预约` },
    }
  return undefined
}

const days = (n: number): string => (n === 1 ? '1 day' : `${n} days`)
const hours = (n: number): string => (n === 1 ? '1 hour' : `${n} hours`)

/** When a reservation ends if nobody decides (REQUESTED), or picks anything up (APPROVED). One that begins now gets some minutes. */
export function expiryOf(
  status: 'REQUESTED' | 'APPROVED',
  { from, to }: { readonly from: number; readonly to: number },
  noShowHours: number,
  now: number,
): number {
  if (status === 'REQUESTED') return from > now ? from : Math.min(to, now + GRACE_MS)
  return Math.min(to, Math.max(from, now) + noShowHours * HOUR)
}

/** When the person is reminded: the day before, unless that has passed. */
export const announcementOf = (from: number, now: number): number | null => (from - DAY > now ? from - DAY : null)

/** `2026-12-01 08:00`, as clocks in the zone show it. */
export function timeText(time: number, zone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(zone).toPlainDateTime()
  return local.toString({ smallestUnit: 'minute' }).replace('T', ' ')
}

/** Why an asset cannot be had: because others have it at these times. */
export function busyText(
  times: readonly { readonly from: number; readonly to: number | null }[],
  zone: string,
): Localized {
  const spans = times.slice(0, MAX_NAMED).map(({ from, to }) => ({
    en: `${timeText(from, zone)} to ${to === null ? 'an unknown time' : timeText(to, zone)}`,
    zh: `${timeText(from, zone)} 至 ${to === null ? '归还时间未定' : timeText(to, zone)}`,
  }))
  const more = times.length > MAX_NAMED
  return {
    en: `is not free: it is taken from ${spans.map(({ en }) => en).join(', ')}${more ? ' and at other times' : ''} (${zone})`,
    zh: `已被占用：${spans.map(({ zh }) => zh).join('，')}${more ? '等' : ''}（${zone}）`,
  }
}
const MAX_NAMED = 5

/** The most that is reserved at one moment. Times that only touch do not add up. */
export function peakOf(
  spans: readonly { readonly from: number; readonly to: number; readonly quantity: number }[],
): number {
  const changes = spans.flatMap(({ from, to, quantity }) => [
    { at: from, by: quantity },
    { at: to, by: -quantity },
  ])
  // At one moment, what ends goes first.
  changes.sort((a, b) => a.at - b.at || a.by - b.by)
  let [now, most] = [0, 0]
  for (const { by } of changes) most = Math.max(most, (now += by))
  return most
}

/** Loans that are at least so long are announced as due soon. */
const SHORTEST_ANNOUNCED_MS = 2 * HOUR

/**
 * When the borrower is first notified: a day before the loan is due; of a loan of a day or less, when a quarter of its time is left, if that is at
 * least half an hour; otherwise when it is due.
 */
export function firstNoticeOf(from: number, dueAt: number): number {
  const length = dueAt - from
  if (length > DAY) return dueAt - DAY
  return length >= SHORTEST_ANNOUNCED_MS ? dueAt - Math.floor(length / 4) : dueAt
}

/** Notifications that a loan is overdue: the first, and five more, each a week later. */
const OVERDUE_NOTICES = 6

/** When the next notification is made after `sent` ones that the loan is overdue. Null: no more. */
export function nextNoticeOf(dueAt: number, sent: number, now: number): number | null {
  if (sent >= OVERDUE_NOTICES) return null
  const planned = dueAt + sent * 7 * DAY
  return planned > now ? planned : now + 7 * DAY
}
