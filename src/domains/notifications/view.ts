import type { SendStatus } from '#db/schema/notifications.ts'
import type { Locale } from '#lib/localized.ts'
import { textToHtml } from '#lib/text.ts'

import type { NotificationDetail, NotificationView, SendView } from './model.ts'
import type { DetailRow, NotificationRow } from './store.ts'

export function toView(row: NotificationRow, locale: Locale): NotificationView {
  const body = wording(locale, row.body, row.bodyZh)
  return {
    id: row.id,
    type: row.type,
    title: wording(locale, row.title, row.titleZh),
    body,
    bodyPlain: row.bodyPlain ?? body,
    data: row.data,
    read: row.read,
    createdAt: row.createdAt,
  }
}

export function toDetail(row: DetailRow, locale: Locale): NotificationDetail {
  const view = toView(row, locale)
  return { ...view, bodyHtml: row.bodyHtml ?? textToHtml(view.body) }
}

const wording = (locale: Locale, text: string, zh: string | null): string => (locale === 'zh' ? (zh ?? text) : text)

export interface SendRow {
  id: number
  title: string
  status: SendStatus
  cursor: number
  lastUserId: number
  sent: number
  createdAt: number
  finishedAt: number | null
}

/** Recipients are served by ascending id, so the way is that from 0 to the highest id; counting a million users first would cost more than it says. */
export const toSendView = (row: SendRow): SendView => ({
  id: row.id,
  title: row.title,
  status: row.status,
  sent: row.sent,
  progress: row.status === 'DONE' ? 100 : Math.min(99, Math.floor((100 * row.cursor) / row.lastUserId)),
  createdAt: row.createdAt,
  finishedAt: row.finishedAt,
})
