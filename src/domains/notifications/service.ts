import type { AppContext } from '#context'
import { mapPage } from '#db/paging.ts'
import type { Actor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import type { Locale } from '#lib/localized.ts'

import type { ListQuery, NotificationDetail, NotificationView } from './model.ts'
import * as store from './store.ts'
import { toDetail, toView } from './view.ts'

/** Rows a write of `readAll` changes: about 10 ms on SQLite. */
const BATCH = 1000

export async function listNotifications(ctx: AppContext, actor: Actor, query: ListQuery, locale: Locale) {
  return mapPage(await store.notificationsPage(ctx.db.read, actor.userId, query), (row) => toView(row, locale))
}

async function find(ctx: AppContext, actor: Actor, id: number) {
  const row = await store.findNotification(ctx.db.read, actor.userId, id)
  if (row === undefined) throw notFound()
  return row
}

/** Looking is not reading: clients say so by themselves. */
export async function showNotification(
  ctx: AppContext,
  actor: Actor,
  id: number,
  locale: Locale,
): Promise<NotificationDetail> {
  return toDetail(await find(ctx, actor, id), locale)
}

export async function readNotification(
  ctx: AppContext,
  actor: Actor,
  id: number,
  locale: Locale,
): Promise<NotificationView> {
  const row = await find(ctx, actor, id)
  if (!row.read) await ctx.db.write('notifications.readNotification', (tx) => store.markRead(tx, actor.userId, id))
  return toView({ ...row, read: true }, locale)
}

/** Reads everything that was there at the call; what comes meanwhile stays unread. */
export async function readAll(ctx: AppContext, actor: Actor): Promise<{ updated: number }> {
  const { userId } = actor
  const upTo = await store.newestUnreadId(ctx.db.read, userId)
  let updated = 0
  if (upTo === undefined) return { updated }
  for (;;) {
    const some = await ctx.db.write('notifications.readAll', (tx) => store.markSomeRead(tx, userId, upTo, BATCH))
    updated += some
    if (some < BATCH) return { updated }
  }
}

export function deleteNotification(ctx: AppContext, actor: Actor, id: number): Promise<void> {
  return ctx.db.write('notifications.deleteNotification', async (tx) => {
    if (!(await store.deleteNotification(tx, actor.userId, id))) throw notFound()
  })
}

export const unreadCount = async (ctx: AppContext, actor: Actor): Promise<{ count: number }> => ({
  count: await store.countUnread(ctx.db.read, actor.userId),
})

export const totalCount = async (ctx: AppContext, actor: Actor): Promise<{ count: number }> => ({
  count: await store.countAll(ctx.db.read, actor.userId),
})
