import type { AppContext } from '#context'
import type { NotificationType } from '#db/schema/notifications.ts'
import type { Tx } from '#db/store.ts'
import { emit } from '#domains/domain.ts'
import type { Localized } from '#lib/localized.ts'

import { insertContent, insertRecipients } from './store.ts'

export interface Notice {
  /** Existing users; one who stands here twice gets one. */
  readonly userIds: readonly number[]
  readonly type: NotificationType
  readonly title: Localized
  /** Plain text, shown as it is: no Markdown. */
  readonly body: Localized
  /** What it is about, for the client: ids to go to. */
  readonly data?: Readonly<Record<string, unknown>>
}

/**
 * Notifies users of what the write `tx` makes true: the rows are there when it commits, and only then are listeners told. Both
 * wordings are kept, so everybody reads it in the language they ask in.
 */
export async function notify(ctx: AppContext, tx: Tx, notice: Notice): Promise<void> {
  const { type, title, body, data = {} } = notice
  const userIds = [...new Set(notice.userIds)]
  if (userIds.length === 0) return
  const content = { type, title: title.en, body: body.en, titleZh: title.zh, bodyZh: body.zh, data: { ...data } }
  const rows = await insertRecipients(tx, await insertContent(tx, content), type, userIds)
  await emit(ctx, tx, 'notification.created', { recipients: rows, type, title, body, data, createdAt: tx.stamp })
}
