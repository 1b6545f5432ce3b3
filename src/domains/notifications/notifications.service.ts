import type { AppContext } from '#context'
import type { OwnerKey } from '#db/owner-key.ts'
import { mapPage } from '#db/paging.ts'
import type { NotificationType } from '#db/schema/notifications.ts'
import { finishInSlices, inSlices } from '#db/slices.ts'
import type { Tx } from '#db/store.ts'
import { emit, type Job } from '#domains/domain.ts'
import type { Actor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import type { Locale, Localized } from '#lib/localized.ts'
import { textToHtml } from '#lib/text.ts'
import { DAY, HOUR, MINUTE } from '#platform/clock.ts'

import { mailAtOnce } from './mail/asset-mails.service.ts'
import { KEPT, KEPT_MS, type ListQuery, type NotificationDetail, type NotificationView } from './notifications.model.ts'
import * as store from './notifications.store.ts'

export interface Notice {
  /** Must exist. Duplicates are ignored. */
  readonly userIds: readonly number[]
  readonly type: NotificationType
  readonly title: Localized
  /** Plain text; Markdown is not interpreted. */
  readonly body: Localized
  /** The body as safe HTML, if it was written in Markdown. */
  readonly html?: string
  /** The notice goes to many users. Their notifications beyond the limit are left to the job. */
  readonly toMany?: boolean
  /** Ids of related objects, which clients use for navigation. */
  readonly data?: Readonly<Record<string, unknown>>
  /**
   * Names the matter that the notification is about, such as `ORG_INVITE 17`. A user has one notification on a subject: a newer one
   * replaces it, and less than a day after it replaces only the text. Needed wherever one account can cause notifications at will.
   */
  readonly subject?: string
  /** The caller mails it itself. Other notices of type ASSET are mailed to users who want that. */
  readonly isMailed?: boolean
}

/** For so long after a notification, a newer one on its subject does not notify the user again. */
const REPLACE_SILENTLY_MS = DAY

/**
 * Inserts a notification for each user and emits `notification.created`, both as part of the write `tx`; not for users of whose
 * notification on the subject only the text is replaced. Both languages are stored; each request reads the one it asks for.
 */
export async function notify(ctx: AppContext, tx: Tx, notice: Notice): Promise<void> {
  const { type, title, body, data = {}, subject, toMany = false } = notice
  const userIds = [...new Set(notice.userIds)]
  if (userIds.length === 0) return
  const contentId = await store.insertContent(tx, toContent(notice))
  const untold =
    subject === undefined
      ? userIds
      : await store.replaceBySubject(tx, subject, userIds, contentId, tx.stamp - REPLACE_SILENTLY_MS)
  const recipients = await store.insertNotifications(tx, contentId, type, untold, subject)
  if (recipients.length === 0) return
  // Sends by administrators, which can have 100,000 recipients, leave this to the job too.
  if (!toMany) for (const { userId } of recipients) await store.deleteBeyond(tx, userId, KEPT, TRIMMED_AT_ONCE)
  if (type === 'ASSET' && !notice.isMailed)
    await mailAtOnce(
      ctx,
      tx,
      recipients.map(({ userId }) => userId),
      { title, body, data },
    )
  await emit(ctx, tx, 'notification.created', { recipients, type, title, body, data, createdAt: tx.stamp })
}

/** Both languages; plain text. */
export const toContent = ({ type, title, body, html, data }: Omit<Notice, 'userIds'>): store.NewContent => ({
  type,
  title: title.en,
  body: body.en,
  titleZh: title.zh,
  bodyZh: body.zh,
  bodyHtml: html ?? null,
  data: { ...data },
})

/** More than one, so that users who have too many come down to the limit. */
const TRIMMED_AT_ONCE = 50

/** Rows that one write changes: about 10 ms on SQLite. */
const BATCH = 1000

/** Deletes notifications of a user whose account was deleted. */
export const removeNotifications = async (_ctx: AppContext, tx: Tx, owner: OwnerKey, limit: number): Promise<number> =>
  owner > 0 ? 0 : store.deleteOldest(tx, -owner, limit)

/** Deletes notifications beyond the limits of age and number, and those of deleted accounts. */
export async function cleanUp(ctx: AppContext): Promise<void> {
  const deleteAll = (some: (tx: Tx, limit: number) => Promise<number>) => inSlices(ctx, 'notifications.cleanUp', some)
  await deleteAll((tx, limit) => store.deleteBefore(tx, ctx.clock.now() - KEPT_MS, limit))
  for (const userId of await store.deletedUsersWithRest(ctx.db.readInWorker))
    await deleteAll((tx, limit) => store.deleteOldest(tx, userId, limit))
  for (const userId of await store.usersWithMoreThan(ctx.db.readInWorker, KEPT))
    await deleteAll((tx, limit) => store.deleteBeyond(tx, userId, KEPT, limit))
}

export const cleanUpJob: Job = { name: 'notifications.cleanUp', every: 6 * HOUR, run: cleanUp }

/**
 * Deletes what a user still has of notifications that were taken back: to be called before their notifications are read or counted. With a
 * million recipients, the job takes minutes to come to everybody.
 */
export async function dropWithdrawn(ctx: AppContext, userId: number): Promise<void> {
  if (await store.hasWithdrawn(ctx.db.read, userId))
    await ctx.db.write('notifications.dropWithdrawn', (tx) => store.deleteWithdrawnOf(tx, userId))
}

/** Deletes notifications that were taken back, of all users, in small writes. */
export const deleteWithdrawn = (ctx: AppContext): Promise<void> =>
  finishInSlices(ctx, 'notifications.deleteWithdrawn', {
    first: store.firstWithdrawal,
    work: store.deleteOfContent,
    end: store.deleteWithdrawal,
  })

/** Notifications that one write takes back: about 10 ms on SQLite. */
const TAKEN_BACK_AT_ONCE = 500

/** Deletes some notifications of a content. Whether there may be more of them. */
export const takeBack = async (tx: Tx, contentId: number): Promise<boolean> =>
  (await store.deleteOfContent(tx, contentId, TAKEN_BACK_AT_ONCE)) === TAKEN_BACK_AT_ONCE

export const withdrawalJob: Job = { name: 'notifications.deleteWithdrawn', every: MINUTE, run: deleteWithdrawn }

export async function listNotifications(ctx: AppContext, actor: Actor, query: ListQuery, locale: Locale) {
  await dropWithdrawn(ctx, actor.userId)
  return mapPage(await store.notificationsPage(ctx.db.read, actor.userId, query), (row) => toView(row, locale))
}

async function find(ctx: AppContext, actor: Actor, id: number) {
  await dropWithdrawn(ctx, actor.userId)
  const row = await store.findNotification(ctx.db.read, actor.userId, id)
  if (row === undefined) throw notFound()
  return row
}

/** Does not mark the notification as read; clients do that with a separate request. */
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
  if (!row.read) await ctx.db.write('notifications.read', (tx) => store.markRead(tx, actor.userId, id))
  return toView({ ...row, read: true }, locale)
}

/** Marks all notifications that exist at the time of the call; those that arrive meanwhile stay unread. */
export async function readAll(ctx: AppContext, actor: Actor): Promise<{ updated: number }> {
  const { userId } = actor
  await dropWithdrawn(ctx, userId)
  const upTo = await store.newestUnreadId(ctx.db.read, userId)
  let updated = 0
  if (upTo === undefined) return { updated }
  for (;;) {
    const marked = await ctx.db.write('notifications.readAll', (tx) => store.markBatchRead(tx, userId, upTo, BATCH))
    updated += marked
    if (marked < BATCH) return { updated }
  }
}

export async function deleteNotification(ctx: AppContext, actor: Actor, id: number): Promise<void> {
  await dropWithdrawn(ctx, actor.userId)
  await ctx.db.write('notifications.delete', async (tx) => {
    if (!(await store.deleteNotification(tx, actor.userId, id))) throw notFound()
  })
}

export async function unreadCount(ctx: AppContext, actor: Actor): Promise<{ count: number }> {
  await dropWithdrawn(ctx, actor.userId)
  return { count: await store.countUnread(ctx.db.read, actor.userId) }
}

export async function totalCount(ctx: AppContext, actor: Actor): Promise<{ count: number }> {
  await dropWithdrawn(ctx, actor.userId)
  return { count: await store.countAll(ctx.db.read, actor.userId) }
}

export function toView(row: store.NotificationRow, locale: Locale): NotificationView {
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

function toDetail(row: store.DetailRow, locale: Locale): NotificationDetail {
  const view = toView(row, locale)
  return { ...view, bodyHtml: row.bodyHtml ?? textToHtml(view.body) }
}

const localize = (locale: Locale, text: string, zh: string | null): string => (locale === 'zh' ? (zh ?? text) : text)
