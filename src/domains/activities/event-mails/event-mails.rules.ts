/** The words of mails about activities. Pure. */

import type { Locale } from '#lib/localized.ts'

import type { EventKind, LinkKind } from './event-mails.model.ts'

interface Words {
  /** They follow the name of the activity. That of a MESSAGE is the organizer's. */
  readonly subjects: Readonly<Record<Exclude<EventKind, 'MESSAGE'>, string>>
  readonly leads: Readonly<Record<EventKind, (activity: string, organizer: string) => string>>
  readonly when: string
  readonly where: string
  readonly newWhen: string
  readonly newWhere: string
  readonly before: string
  readonly yours: string
  /** A period and the name of its zone. */
  readonly inZone: (period: string, zone: string) => string
  readonly open: string
  readonly confirm: string
  /** For somebody whose address was entered by another person. */
  readonly notYou: string
  readonly pass: string
  readonly map: string
  /** Why the recipient gets the mail, and how it stops. */
  readonly stop: string
}

export const WORDS: Readonly<Record<Locale, Words>> = {
  en: {
    subjects: {
      MOVED: 'New date',
      PLACE: 'New place',
      CANCELLED: 'Cancelled',
      CONFIRMED: 'You have a place',
      ACCEPTED: 'Your registration is confirmed',
      WAITING: 'You are on the waiting list',
      REJECTED: 'Your registration was not accepted',
      REMOVED: 'Your registration was cancelled',
      PASS: 'Your pass',
      PASS_CHANGED: 'Your pass has changed',
      PASS_REVOKED: 'Your pass was revoked',
      CONFIRM: 'Confirm your registration',
      LINK: 'Your registration',
    },
    leads: {
      MESSAGE: (activity, organizer) => `${organizer} wrote to the participants of ${activity}:`,
      MOVED: (activity) => `${activity} takes place at another time.`,
      PLACE: (activity) => `${activity} takes place somewhere else.`,
      CANCELLED: (activity) => `${activity} was cancelled.`,
      CONFIRMED: (activity) => `A place became free: you are now registered for ${activity}.`,
      ACCEPTED: (activity, organizer) => `${organizer} has confirmed your registration for ${activity}.`,
      WAITING: (activity, organizer) => `${organizer} has put you on the waiting list of ${activity}.`,
      REJECTED: (activity, organizer) => `${organizer} has not accepted your registration for ${activity}.`,
      REMOVED: (activity, organizer) => `${organizer} has cancelled your registration for ${activity}.`,
      PASS: (activity) => `You have a pass for ${activity}. Show its QR code at the entrance.`,
      PASS_CHANGED: (activity) => `Your pass for ${activity} is valid at other times now. Its QR code stays good.`,
      PASS_REVOKED: (activity) => `Your pass for ${activity} is no longer valid. The entrance refuses it.`,
      CONFIRM: (activity) =>
        `Somebody has entered this address to register for ${activity}. Open the link and confirm it.`,
      LINK: (activity) => `This is the link of your registration for ${activity}.`,
    },
    when: 'When',
    where: 'Where',
    newWhen: 'New date',
    newWhere: 'New place',
    before: 'Before',
    yours: 'In your time',
    inZone: (period, zone) => `${period} (${zone})`,
    open: 'Open my registration',
    confirm: 'Confirm my registration',
    notYou: 'If it was not you, ignore this mail: without a confirmation the registration ends within 24 hours.',
    pass: 'Open my pass',
    map: 'Show on a map',
    stop: 'You get this mail because you take part in the activity. Choose which mails you get',
  },
  zh: {
    subjects: {
      MOVED: '活动改期',
      PLACE: '地点变更',
      CANCELLED: '活动取消',
      CONFIRMED: '你已获得名额',
      ACCEPTED: '你的报名已确认',
      WAITING: '你已进入候补名单',
      REJECTED: '你的报名未通过',
      REMOVED: '你的报名已被取消',
      PASS: '你的通行证',
      PASS_CHANGED: '你的通行证有变更',
      PASS_REVOKED: '你的通行证已作废',
      CONFIRM: '请确认报名',
      LINK: '你的报名',
    },
    leads: {
      MESSAGE: (activity, organizer) => `${organizer} 给“${activity}”的参与者留言：`,
      MOVED: (activity) => `“${activity}”的时间有变更。`,
      PLACE: (activity) => `“${activity}”的地点有变更。`,
      CANCELLED: (activity) => `“${activity}”已取消。`,
      CONFIRMED: (activity) => `有名额空出，你已成功报名“${activity}”。`,
      ACCEPTED: (activity, organizer) => `${organizer} 已确认你在“${activity}”的报名。`,
      WAITING: (activity, organizer) => `${organizer} 已将你列入“${activity}”的候补名单。`,
      REJECTED: (activity, organizer) => `${organizer} 未接受你在“${activity}”的报名。`,
      REMOVED: (activity, organizer) => `${organizer} 取消了你在“${activity}”的报名。`,
      PASS: (activity) => `你已获得“${activity}”的通行证，入场时请出示其二维码。`,
      PASS_CHANGED: (activity) => `你的“${activity}”通行证的有效时间已变更，原二维码仍可使用。`,
      PASS_REVOKED: (activity) => `你的“${activity}”通行证已作废，入口将不再放行。`,
      CONFIRM: (activity) => `有人用此邮箱报名“${activity}”。请打开链接确认。`,
      LINK: (activity) => `这是你报名“${activity}”的链接。`,
    },
    when: '时间',
    where: '地点',
    newWhen: '新时间',
    newWhere: '新地点',
    before: '原为',
    yours: '你的当地时间',
    inZone: (period, zone) => `${period}（${zone}）`,
    open: '查看我的报名',
    confirm: '确认我的报名',
    notYou: '如果不是你本人操作，请忽略本邮件：未经确认的报名将在 24 小时内失效。',
    pass: '打开我的通行证',
    map: '查看地图',
    stop: '你参与了此活动，因此收到本邮件。选择接收哪些邮件',
  },
}

export const isLink = (kind: EventKind): kind is LinkKind => kind === 'CONFIRM' || kind === 'LINK'

/** In place of pictures, which would be fetched from elsewhere, their descriptions. `rendered`: HTML of lib/markdown. */
const withoutPictures = (rendered: string): string =>
  rendered.replace(/<img\b[^>]*>/g, (picture) => / alt="([^"]*)"/.exec(picture)?.[1] ?? '')

/** Rendered Markdown for a mail: without pictures, and with whole addresses of this server. */
export const forMail = (rendered: string, publicUrl: string): string =>
  withoutPictures(rendered).replace(/<a href="\/(?!\/)/g, `<a href="${publicUrl}/`)
