/** Decides of which changes participants are notified, and in which words. Pure. */

import type { MessageKind, NoticedChange } from '#db/schema/activity-messages.ts'
import type { ActivityChanged, NoticedActivity } from '#domains/events.ts'
import type { Locale, Localized } from '#lib/localized.ts'

import { distanceBetween } from '../check-ins/check-ins.rules.ts'

/** A position that moves less is the same place. */
const SAME_PLACE_M = 100
/** A notice waits at most so many times the delay after its first change. */
const LONGEST_DELAYS = 5

type Field = NoticedChange['field']

const positionOf = ({ latitude, longitude }: NoticedActivity) =>
  latitude === null || longitude === null ? null : { latitude, longitude }

const VALUES: Readonly<Record<Field, (activity: NoticedActivity) => number | string | null>> = {
  startTime: ({ startTime }) => startTime,
  endTime: ({ endTime }) => endTime,
  location: ({ location }) => location || null,
  region: ({ province, city, district }) => [province, city, district].filter((part) => part !== '').join(' ') || null,
  position: (activity) => {
    const position = positionOf(activity)
    return position && `${position.latitude}, ${position.longitude}`
  },
}
const FIELDS = Object.keys(VALUES) as Field[]

/** Whether the two texts of positions are more than 100 m apart. A position that is added or removed does not move the place. */
function isElsewhere(before: NoticedChange['before'], after: NoticedChange['after']): boolean {
  const [a, b] = [before, after].map((value) => {
    const [latitude, longitude] = String(value).split(', ').map(Number)
    return { latitude: latitude ?? Number.NaN, longitude: longitude ?? Number.NaN }
  })
  return distanceBetween(a!, b!) > SAME_PLACE_M
}

const isTold = ({ field, before, after }: NoticedChange): boolean =>
  field === 'position' ? isElsewhere(before, after) : before !== after

/**
 * The changes in a notice after another change of the activity. `told`: those that were in it before; values that were changed back are left
 * out. `isNotified`: whether this change goes into it too.
 */
export function changesToTell(
  told: readonly NoticedChange[],
  { before, after }: Pick<ActivityChanged, 'before' | 'after'>,
  isNotified: boolean,
): NoticedChange[] {
  return FIELDS.flatMap((field) => {
    const earlier = told.find((change) => change.field === field)
    if (earlier === undefined && !isNotified) return []
    const change = { field, before: earlier ? earlier.before : VALUES[field](before), after: VALUES[field](after) }
    return isTold(change) ? [change] : []
  })
}

export const kindOf = (changes: readonly NoticedChange[]): 'MOVED' | 'PLACE' =>
  changes.some(({ field }) => field === 'startTime' || field === 'endTime') ? 'MOVED' : 'PLACE'

/** Whether participants of the activity can be notified of this change: it was ACTIVE, and its old or its new end is to come. */
export const concernsParticipants = ({ before, after }: ActivityChanged, now: number): boolean =>
  before.status === 'ACTIVE' && (before.endTime > now || after.endTime > now)

/** When a notice is sent: `delay` after the last change, and not much later than the first. */
export const noticeTime = (firstAt: number, now: number, delay: number): number =>
  Math.min(now + delay, firstAt + LONGEST_DELAYS * delay)

/** Whether people get the mail who want only mails about date, place and cancellation. */
export const importanceOf = (kind: MessageKind) => (kind === 'MESSAGE' ? 'MESSAGE' : 'IMPORTANT')

const SUBJECTS: Readonly<Record<Exclude<MessageKind, 'MESSAGE'>, Localized>> = {
  MOVED: { en: 'New date or time', zh: '时间有变' },
  PLACE: { en: 'New place', zh: '地点有变' },
  CANCELLED: { en: 'Cancelled', zh: '活动取消' },
}

export const subjectOf = (kind: MessageKind, subject: string): Localized =>
  kind === 'MESSAGE' ? { en: subject, zh: subject } : SUBJECTS[kind]

const LABELS: Readonly<Record<Field, Localized>> = {
  startTime: { en: 'Start', zh: '开始' },
  endTime: { en: 'End', zh: '结束' },
  location: { en: 'Place', zh: '地点' },
  region: { en: 'Region', zh: '地区' },
  position: { en: 'Position', zh: '位置' },
}

/** `after (before: …)` for each change, then the text of the manager. */
export function noticeBody(
  {
    kind,
    changes,
    body,
  }: { readonly kind: MessageKind; readonly changes: readonly NoticedChange[]; readonly body: string },
  name: string,
  timeZone: string,
): Localized {
  const time = { zh: 'zh-CN', en: 'en-GB' }
  const textIn = (locale: Locale) => {
    const format = new Intl.DateTimeFormat(time[locale], { dateStyle: 'full', timeStyle: 'short', timeZone })
    const valueOf = (value: number | string | null) =>
      value === null ? '–' : typeof value === 'number' ? `${format.format(value)} (${timeZone})` : value
    const lines = changes.map(({ field, before, after }) =>
      locale === 'zh'
        ? `${LABELS[field].zh}：${valueOf(after)}（原为 ${valueOf(before)}）`
        : `${LABELS[field].en}: ${valueOf(after)} (before: ${valueOf(before)})`,
    )
    const first = kind === 'CANCELLED' ? { en: `${name} is cancelled.`, zh: `“${name}”已取消。` }[locale] : name
    return [first, ...lines, ...(body === '' ? [] : [body])].join('\n')
  }
  return { en: textIn('en'), zh: textIn('zh') }
}
