import type { AppContext } from '#context'
import type { NotificationType } from '#db/schema/notifications.ts'
import type { Tx } from '#db/store.ts'
import { emit } from '#domains/domain.ts'
import type { Localized } from '#lib/localized.ts'

import { insertContent, insertNotifications } from './store.ts'

export interface Notice {
  /** Must exist. Duplicates are ignored. */
  readonly userIds: readonly number[]
  readonly type: NotificationType
  readonly title: Localized
  /** Plain text; Markdown is not interpreted. */
  readonly body: Localized
  /** Ids of related objects, which clients use for navigation. */
  readonly data?: Readonly<Record<string, unknown>>
}

/**
 * Inserts a notification for each user as part of the write `tx`; listeners are called after the commit. Both languages are stored,
 * and each request reads the one it asks for.
 */
export async function notify(ctx: AppContext, tx: Tx, notice: Notice): Promise<void> {
  const { type, title, body, data = {} } = notice
  const userIds = [...new Set(notice.userIds)]
  if (userIds.length === 0) return
  const content = { type, title: title.en, body: body.en, titleZh: title.zh, bodyZh: body.zh, data: { ...data } }
  const recipients = await insertNotifications(tx, await insertContent(tx, content), type, userIds)
  await emit(ctx, tx, 'notification.created', { recipients, type, title, body, data, createdAt: tx.stamp })
}
