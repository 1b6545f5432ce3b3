/** Who is told at once when somebody gets a notification: the WebSocket. */

import { type AppContext, perContext } from '#context'
import type { NotificationType } from '#db/schema/notifications.ts'
import type { Localized } from '#lib/localized.ts'

export interface Notified {
  readonly id: number
  readonly userId: number
  readonly type: NotificationType
  readonly title: Localized
  /** Plain text. */
  readonly body: Localized
  readonly data: Readonly<Record<string, unknown>>
  /** Epoch milliseconds. */
  readonly createdAt: number
}

type Listener = (notified: Notified) => void

const listeners = perContext(() => new Set<Listener>())

/** `listener` is called once for each new notification, after its commit. It must not throw. Call the answer to end it. */
export function onNotification(ctx: AppContext, listener: Listener): () => void {
  listeners(ctx).add(listener)
  return () => listeners(ctx).delete(listener)
}

export function tell(
  ctx: AppContext,
  rows: readonly { id: number; userId: number }[],
  what: Omit<Notified, 'id' | 'userId'>,
): void {
  for (const listener of listeners(ctx)) for (const row of rows) listener({ ...what, ...row })
}
