/** Words that the list of messages and the page of one message share. */

import type { ActivityMessage } from '../../../api/types.ts'
import { labelled, list, number } from '../../../i18n/format.ts'
import { texts } from '../../../i18n/words.ts'

export const messageWords = texts({
  en: {
    messages: 'Messages',
    automatic: 'Automatic notice',
    you: 'You',
    other: 'Another organizer',
    people: (n: number) => (n === 1 ? '1 person' : `${number(n)} people`),
    inApp: (n: number) => `${number(n)} in the app`,
    sent: (n: number) => `${number(n)} by e-mail`,
    queued: (n: number) => `${number(n)} e-mails waiting`,
    failed: (n: number) => `${number(n)} failed`,
    skipped: (n: number) => `${number(n)} left out`,
  },
  zh: {
    messages: '消息',
    automatic: '自动通知',
    you: '你',
    other: '其他主办者',
    people: (n: number) => `${number(n)} 人`,
    inApp: (n: number) => `应用内 ${number(n)}`,
    sent: (n: number) => `邮件 ${number(n)}`,
    queued: (n: number) => `待发邮件 ${number(n)}`,
    failed: (n: number) => `失败 ${number(n)}`,
    skipped: (n: number) => `未发送 ${number(n)}`,
  },
})

/** `700 people: 700 in the app, 640 by e-mail, 3 failed, 57 left out`. Failures are named only if there are some. */
export function numbersOf({ channels, recipients, app, email }: ActivityMessage, t: typeof messageWords.en): string {
  const parts = [
    channels.includes('APP') && t.inApp(app.sent),
    channels.includes('EMAIL') && t.sent(email.sent),
    email.queued > 0 && t.queued(email.queued),
    email.failed > 0 && t.failed(email.failed),
    email.skipped > 0 && t.skipped(email.skipped),
  ].filter((part) => part !== false)
  return labelled(t.people(recipients), list(parts))
}

/** Who has written it, for the user with this id. */
export function authorOf({ createdBy, kind }: ActivityMessage, userId: number, t: typeof messageWords.en): string {
  if (kind !== 'MESSAGE') return t.automatic
  return createdBy === userId ? t.you : t.other
}

/** Whether its state or numbers can change by themselves soon. */
export const isChanging = ({ state, email }: ActivityMessage): boolean => state === 'RUNNING' || email.queued > 0
