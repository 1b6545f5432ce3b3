/** Sends new notifications to the live sockets of their users, in every process. */

import { type AppContext, perContext } from '#context'
import type { Listener } from '#domains/events.ts'
import type { Actor } from '#http/endpoint.ts'
import { isLive, pushLocalized, type SocketHello } from '#http/socket.ts'
import { topic } from '#platform/bus.ts'

import { dropWithdrawn, toView, unreadCount } from './notifications.service.ts'
import { countUnread, findNotification } from './notifications.store.ts'

/** Ids of a notification and its user. */
type Recipient = readonly [id: number, userId: number]

const created = topic<readonly Recipient[]>('notifications.created')

export const publishCreated: Listener<'notification.created'> = (_ctx, tx, { recipients }) =>
  tx.publish(
    created,
    recipients.map(({ id, userId }) => [id, userId] as const),
  )

/** Users whose notifications are read from the database at once. */
const AT_ONCE = 50

/** Resolves when everything that was created until now has been pushed: one after the other, so that a user gets them in order. */
const pushing = perContext(() => ({ done: Promise.resolve() }))

export function pushCreated(ctx: AppContext): void {
  const state = pushing(ctx)
  ctx.bus.on(created, (recipients) => {
    // A send to 100,000 users costs no query for those who have no socket here.
    const live = recipients.filter(([, userId]) => isLive(ctx, userId))
    if (live.length === 0) return
    state.done = state.done
      .then(() => push(ctx, live))
      .catch((error: unknown) => ctx.log.error('notifications could not be pushed', { error }))
  })
}

export const stopPushing = (ctx: AppContext): Promise<void> => pushing(ctx).done

async function push(ctx: AppContext, recipients: readonly Recipient[]): Promise<void> {
  for (let from = 0; from < recipients.length; from += AT_ONCE)
    await Promise.all(recipients.slice(from, from + AT_ONCE).map((recipient) => pushOne(ctx, recipient)))
}

async function pushOne(ctx: AppContext, [id, userId]: Recipient): Promise<void> {
  if (!isLive(ctx, userId)) return
  await dropWithdrawn(ctx, userId)
  const row = await findNotification(ctx.db.read, userId, id)
  // Deleted meanwhile.
  if (row === undefined) return
  const unread = await countUnread(ctx.db.read, userId)
  pushLocalized(ctx, userId, (locale) => ({
    type: 'notification',
    data: { notification: toView(row, locale), unreadCount: unread },
  }))
}

export const helloUnread = async (ctx: AppContext, actor: Actor): Promise<SocketHello> => ({
  unread: { notifications: (await unreadCount(ctx, actor)).count },
})
