/** The words of mails that invite strangers. Pure. */

import type { Locale } from '#lib/localized.ts'

interface Words {
  readonly subject: string
  /** The first line: who invites, and how that ends. */
  readonly lead: (organizer: string, activity: string) => string
  readonly alone: string
  readonly until: (time: string) => string
  readonly open: string
  readonly stop: string
}

export const WORDS: Readonly<Record<Locale, Words>> = {
  en: {
    subject: 'Invitation',
    lead: (organizer, activity) =>
      `${organizer} invites you to ${activity}. If you want no invitations, choose “Never write to me again” below: one click ends those of all organizers.`,
    alone: 'The link is for one registration.',
    until: (time) => `It is valid until ${time}.`,
    open: 'Open the invitation',
    stop: 'Never write to me again',
  },
  zh: {
    subject: '邀请',
    lead: (organizer, activity) =>
      `${organizer} 邀请你参加“${activity}”。如不想收到邀请，请点击下方“不再给我发邮件”，一键停止所有主办方的邀请。`,
    alone: '此链接仅可用于一次报名。',
    until: (time) => `有效期至${time}。`,
    open: '打开邀请',
    stop: '不再给我发邮件',
  },
}
