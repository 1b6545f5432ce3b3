import type { Locale } from '#lib/localized.ts'
import { textToHtml } from '#lib/text.ts'

import type { NotificationDetail, NotificationView } from './model.ts'
import type { DetailRow, NotificationRow } from './store.ts'

export function toView(row: NotificationRow, locale: Locale): NotificationView {
  const body = localize(locale, row.body, row.bodyZh)
  return {
    id: row.id,
    type: row.type,
    title: localize(locale, row.title, row.titleZh),
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

const localize = (locale: Locale, text: string, zh: string | null): string => (locale === 'zh' ? (zh ?? text) : text)
