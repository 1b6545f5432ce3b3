/** Words and times that several pages about activities show. */

import { common } from '../../i18n/common.ts'
import { dateFormat, offsetIfOther, timeZone } from '../../i18n/format.ts'
import { texts } from '../../i18n/words.ts'

export const activityWords = texts({
  en: {
    ...common.en,
    activities: 'Activities',
    myPasses: 'My passes',
    copy: 'Copy link',
    notFound: 'Nothing found',
    notFoundText: 'Try another word.',
    inviteCode: 'Invite code',
    unlimited: 'Unlimited',
  },
  zh: {
    ...common.zh,
    activities: '活动',
    myPasses: '我的通行证',
    copy: '复制链接',
    notFound: '没有找到',
    notFoundText: '请换个关键词。',
    inviteCode: '邀请码',
    unlimited: '不限',
  },
})

/** Words of forms that change passes. */
export const passWords = texts({
  en: {
    ...common.en,
    follows: 'Valid until the end of the activity',
    until: (time: string) => `Now: ${time}. If the end is moved, the pass moves with it.`,
    validFrom: 'Valid from',
    validTo: 'Valid until',
    atOnce: 'Empty: at once',
  },
  zh: {
    ...common.zh,
    follows: '有效至活动结束',
    until: (time: string) => `目前为 ${time}；活动改期后通行证随之变更。`,
    validFrom: '生效时间',
    validTo: '失效时间',
    atOnce: '留空：立即生效',
  },
})

/** The parameter of an activity's address that holds the uuid of its check-in page, which the user has scanned. */
export const CHECK_IN_CODE = 'check-in'
/** The parameter that holds the code of a screen, in the links of check-in pages and in addresses of activities. */
export const ROTATING_CODE = 't'

/** The end of the link of a check-in page that the user has scanned: a uuid, with the code of a screen if there is one. */
export function scannedIn(search: URLSearchParams): string | undefined {
  const uuid = search.get(CHECK_IN_CODE) ?? undefined
  const rotating = search.get(ROTATING_CODE)
  return uuid === undefined || rotating === null ? uuid : `${uuid}?${ROTATING_CODE}=${encodeURIComponent(rotating)}`
}

interface Times {
  readonly startTime: number
  readonly endTime: number
  /** Missing in answers that were kept before there were zones. */
  readonly timeZone?: string
}

/** The times on the clocks of the activity, with ` (UTC+8)` where those of the browser show something else. */
export const whenOf = (activity: Times): string =>
  timesOf(activity) + (activity.timeZone === undefined ? '' : offsetIfOther(activity.startTime, activity.timeZone))

/** `Sat, 21 Nov 2026, 14:00–16:00` in the zone. The date is not repeated if both times are on one day. */
export function timesOf({ startTime: from, endTime: to, timeZone: zone = timeZone() }: Times): string {
  const format = dateFormat({
    timeZone: zone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  const start = format.format(from)
  if (to <= from) return start
  // Not formatRange, which writes Chinese dates as 2026/11/21周六.
  const day = dateFormat({ dateStyle: 'medium', timeZone: zone })
  const isOneDay = day.format(from) === day.format(to)
  return isOneDay
    ? `${start}–${dateFormat({ timeStyle: 'short', timeZone: zone }).format(to)}`
    : `${start} – ${format.format(to)}`
}

/** `China, Hangzhou, Xihu · Library`: region and location in one line; empty if there is neither. */
export function placeOf(activity: {
  readonly region: { province: string | null; city: string | null; district: string | null } | null
  readonly location: string | null
}): string {
  const { province, city, district } = activity.region ?? {}
  const region = [...new Set([province, city, district])].filter(Boolean).join(' ')
  return [region, activity.location].filter(Boolean).join(' · ')
}
