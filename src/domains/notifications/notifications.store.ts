import { and, asc, count, desc, eq, exists, gt, inArray, isNotNull, lt, lte, notExists, sql } from 'drizzle-orm'

import { isAnyOf } from '#db/dialect.ts'
import { pagedTable } from '#db/lists.ts'
import { type Page, type PageInput, pageOfQuery } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { users } from '#db/schema/accounts.ts'
import {
  notificationContents as contents,
  notifications,
  notificationSends as sends,
  type NotificationType,
  notificationWithdrawals as withdrawals,
} from '#db/schema/notifications.ts'
import type { Builders, Db, Tx } from '#db/store.ts'

import type { ListQuery } from './notifications.model.ts'

const columns = {
  id: notifications.id,
  type: notifications.type,
  read: notifications.read,
  createdAt: notifications.createdAt,
  title: contents.title,
  body: contents.body,
  bodyPlain: contents.bodyPlain,
  titleZh: contents.titleZh,
  bodyZh: contents.bodyZh,
  data: contents.data,
}

const withContent = (db: Pick<Builders, 'select'>) =>
  db.select(columns).from(notifications).innerJoin(contents, eq(contents.id, notifications.contentId))

export type NotificationRow = Awaited<ReturnType<typeof withContent>>[number]
export type DetailRow = NotificationRow & { bodyHtml: string | null }

const isOwn = eq(notifications.userId, sql.placeholder('userId'))

const listed = pagedTable(notifications, ['id', 'userId', 'type', 'read'])
const newestFirst = {
  orders: { id: ['id'] },
  sort: '-id',
  select: (db: Builders) => withContent(db).$dynamic(),
} as const

const allList = listed.list({ owner: ['userId'], ...newestFirst })
const unreadList = listed.list({ owner: ['userId'], where: { read: false }, ...newestFirst })
const readList = listed.list({ owner: ['userId'], where: { read: true }, ...newestFirst })
const typeList = listed.list({ owner: ['userId', 'type'], ...newestFirst })

/** Newest first. */
export function notificationsPage(db: Db, userId: number, query: ListQuery): Promise<Page<NotificationRow>> {
  const { read, type } = query
  if (type === undefined)
    return (read === undefined ? allList : read ? readList : unreadList).page(db, { userId }, query)
  if (read === undefined) return typeList.page(db, { userId, type }, query)
  const where = and(eq(notifications.userId, userId), eq(notifications.type, type), eq(notifications.read, read))
  return pageOfQuery(
    query,
    withContent(db).where(where).orderBy(desc(notifications.id)),
    db.select({ n: count() }).from(notifications).where(where),
  )
}

const ONE: PageInput = { page: 1, size: 1 }

export const countAll = async (db: Db, userId: number): Promise<number> =>
  (await allList.page(db, { userId }, ONE)).total
export const countUnread = async (db: Db, userId: number): Promise<number> =>
  (await unreadList.page(db, { userId }, ONE)).total

const byId = prepared((db) =>
  db
    .select({ ...columns, bodyHtml: contents.bodyHtml })
    .from(notifications)
    .innerJoin(contents, eq(contents.id, notifications.contentId))
    .where(and(isOwn, eq(notifications.id, sql.placeholder('id')))),
)

export const findNotification = async (db: Db, userId: number, id: number): Promise<DetailRow | undefined> =>
  (await byId(db, { userId, id }))[0]

const setRead = prepared((db) =>
  db
    .update(notifications)
    .set({ read: true })
    .where(and(isOwn, eq(notifications.id, sql.placeholder('id')), eq(notifications.read, false)))
    .returning(listed.columns),
)

/** Does nothing if the notification is already read or belongs to another user. */
export async function markRead(tx: Tx, userId: number, id: number): Promise<void> {
  const [row] = await setRead(tx, { userId, id })
  if (row) listed.updated(tx, { ...row, read: false }, row)
}

const newestUnread = prepared((db) =>
  db
    .select({ id: notifications.id })
    .from(notifications)
    .where(and(isOwn, eq(notifications.read, false)))
    .orderBy(desc(notifications.id))
    .limit(1),
)

/** Undefined if all are read. */
export const newestUnreadId = async (db: Db, userId: number): Promise<number | undefined> =>
  (await newestUnread(db, { userId }))[0]?.id

/** Marks up to `limit` unread notifications with ids up to `upTo` as read, newest first. Returns their number. */
export async function markBatchRead(tx: Tx, userId: number, upTo: number, limit: number): Promise<number> {
  const batch = tx
    .select({ id: notifications.id })
    .from(notifications)
    .where(and(eq(notifications.userId, userId), eq(notifications.read, false), lte(notifications.id, upTo)))
    .orderBy(desc(notifications.id))
    .limit(limit)
  const rows = await tx
    .update(notifications)
    .set({ read: true })
    .where(and(eq(notifications.userId, userId), eq(notifications.read, false), isAnyOf(notifications.id, batch)))
    .returning(listed.columns)
  for (const row of rows) listed.updated(tx, { ...row, read: false }, row)
  return rows.length
}

/** False if the user has no such notification. Deletes the content with its last notification, unless it belongs to a send. */
export async function deleteNotification(tx: Tx, userId: number, id: number): Promise<boolean> {
  const [row] = await tx
    .delete(notifications)
    .where(and(eq(notifications.userId, userId), eq(notifications.id, id)))
    .returning()
  if (row === undefined) return false
  listed.deleted(tx, row)
  await deleteOrphanedContents(tx, [row.contentId])
  return true
}

/** Reports deleted notifications to the lists, and deletes contents that have no others. Returns the number of rows. */
async function afterDeletion(tx: Tx, rows: readonly (typeof notifications.$inferSelect)[]): Promise<number> {
  for (const row of rows) listed.deleted(tx, row)
  const contentIds = [...new Set(rows.map((row) => row.contentId))]
  for (let at = 0; at < contentIds.length; at += ORPHAN_CHUNK)
    await deleteOrphanedContents(tx, contentIds.slice(at, at + ORPHAN_CHUNK))
  return rows.length
}

/** Deletes up to `limit` notifications of a content that was taken back, and the content with the last one. Returns their number. */
export async function deleteOfContent(tx: Tx, contentId: number, limit: number): Promise<number> {
  const batch = tx
    .select({ id: notifications.id })
    .from(notifications)
    .where(eq(notifications.contentId, contentId))
    .limit(limit)
  const rows = await tx.delete(notifications).where(isAnyOf(notifications.id, batch)).returning()
  await afterDeletion(tx, rows)
  if (rows.length === 0) await deleteOrphanedContents(tx, [contentId])
  return rows.length
}

/** Leaves the other notifications of a content to the job. */
export async function insertWithdrawal(tx: Tx, contentId: number): Promise<void> {
  await tx.insert(withdrawals).values({ contentId })
}

export async function deleteWithdrawal(tx: Tx, contentId: number): Promise<void> {
  await tx.delete(withdrawals).where(eq(withdrawals.contentId, contentId))
}

export async function firstWithdrawal(db: Db | Tx): Promise<number | undefined> {
  return (await db.select().from(withdrawals).limit(1))[0]?.contentId
}

/** Begins with the withdrawals, of which there are hardly ever any. With a join, SQLite would begin with all notifications of the user. */
const withdrawnOf = prepared((db) => {
  const own = db
    .select({ id: notifications.id })
    .from(notifications)
    .where(and(eq(notifications.contentId, withdrawals.contentId), isOwn))
  return db.select({ id: withdrawals.contentId }).from(withdrawals).where(exists(own)).limit(1)
})

/** Whether the user still has a notification that was taken back. */
export const hasWithdrawn = async (db: Db, userId: number): Promise<boolean> =>
  (await withdrawnOf(db, { userId })).length > 0

export async function deleteWithdrawnOf(tx: Tx, userId: number): Promise<void> {
  const contentIds = tx.select({ id: withdrawals.contentId }).from(withdrawals)
  const rows = await tx
    .delete(notifications)
    .where(and(eq(notifications.userId, userId), inArray(notifications.contentId, contentIds)))
    .returning()
  await afterDeletion(tx, rows)
}

/** Deletes the oldest notifications of a user, up to `limit` of those with ids up to `upTo`. Returns their number. */
export async function deleteOldest(tx: Tx, userId: number, limit: number, upTo?: number): Promise<number> {
  const batch = tx
    .select({ id: notifications.id })
    .from(notifications)
    .where(and(eq(notifications.userId, userId), upTo === undefined ? undefined : lte(notifications.id, upTo)))
    .orderBy(asc(notifications.id))
    .limit(limit)
  return afterDeletion(
    tx,
    await tx
      .delete(notifications)
      .where(and(eq(notifications.userId, userId), isAnyOf(notifications.id, batch)))
      .returning(),
  )
}

const nthNewest = prepared((db) =>
  db
    .select({ id: notifications.id })
    .from(notifications)
    .where(isOwn)
    .orderBy(desc(notifications.id))
    .limit(1)
    .offset(sql.placeholder('before')),
)

/** Deletes up to `limit` of a user's oldest notifications beyond the newest `kept`. Returns their number. */
export async function deleteBeyond(tx: Tx, userId: number, kept: number, limit: number): Promise<number> {
  const [first] = await nthNewest(tx, { userId, before: kept })
  return first === undefined ? 0 : deleteOldest(tx, userId, limit, first.id)
}

/**
 * Looks at the `limit` oldest notifications of all users and deletes those from before `before` (epoch milliseconds). Returns their
 * number. Ids grow with the time, so no older one follows after one that is kept.
 */
export async function deleteBefore(tx: Tx, before: number, limit: number): Promise<number> {
  const oldest = tx.select({ id: notifications.id }).from(notifications).orderBy(asc(notifications.id)).limit(limit)
  return afterDeletion(
    tx,
    await tx
      .delete(notifications)
      .where(and(isAnyOf(notifications.id, oldest), lt(notifications.createdAt, before)))
      .returning(),
  )
}

/** Users with more than `kept` notifications. Reads the whole index. */
export async function usersWithMoreThan(db: Db, kept: number): Promise<number[]> {
  const rows = await db
    .select({ userId: notifications.userId })
    .from(notifications)
    .groupBy(notifications.userId)
    .having(gt(count(), kept))
  return rows.map((row) => row.userId)
}

/** Users whose accounts were deleted and who still have notifications. Reads the whole index. */
export async function deletedUsersWithRest(db: Db): Promise<number[]> {
  const rows = await db
    .selectDistinct({ userId: notifications.userId })
    .from(notifications)
    .innerJoin(users, eq(users.id, notifications.userId))
    .where(eq(users.status, 'DELETED'))
  return rows.map((row) => row.userId)
}

/** Contents checked by one statement. */
const ORPHAN_CHUNK = 500

/** Deletes those of the contents that no notification and no send refers to. */
async function deleteOrphanedContents(tx: Tx, contentIds: readonly number[]): Promise<void> {
  const recipients = tx
    .select({ id: notifications.id })
    .from(notifications)
    .where(eq(notifications.contentId, contents.id))
  const sendsOfContent = tx.select({ id: sends.id }).from(sends).where(eq(sends.contentId, contents.id))
  await tx
    .delete(contents)
    .where(and(inArray(contents.id, [...contentIds]), notExists(recipients), notExists(sendsOfContent)))
}

export type NewContent = Omit<typeof contents.$inferInsert, 'id' | 'createdAt'>

export async function insertContent(tx: Tx, content: NewContent): Promise<number> {
  const rows = await tx
    .insert(contents)
    .values({ ...content, createdAt: tx.stamp })
    .returning({ id: contents.id })
  return rows[0]!.id
}

/** Prepares an insert of `rows` notifications; the user ids are the parameters `user0`, `user1`, … */
const prepareInsert = (rows: number) =>
  prepared((db) =>
    db
      .insert(notifications)
      .values(
        Array.from({ length: rows }, (_, i) => ({
          userId: sql.placeholder(`user${i}`),
          contentId: sql.placeholder('contentId'),
          type: sql.placeholder('type'),
          read: false,
          createdAt: sql.placeholder('createdAt'),
          subject: sql.placeholder('subject'),
        })),
      )
      .onConflictDoNothing()
      .returning({ id: notifications.id, userId: notifications.userId }),
  )

/** Rows per statement: on PostgreSQL every statement is a network round trip. */
const CHUNK = 100
const insertChunk = prepareInsert(CHUNK)
const insertOne = prepareInsert(1)

/**
 * Inserts a notification with this content for each user who does not have one yet. Users who have one with the same `subject` must be
 * left out: see `replaceBySubject`. Returns the inserted rows.
 */
export async function insertNotifications(
  tx: Tx,
  contentId: number,
  type: NotificationType,
  userIds: readonly number[],
  subject: string | null = null,
): Promise<{ id: number; userId: number }[]> {
  const rows: { id: number; userId: number }[] = []
  const shared = { contentId, type, createdAt: tx.stamp, subject }
  const inChunks = userIds.length - (userIds.length % CHUNK)
  for (let at = 0; at < inChunks; at += CHUNK) {
    const users = userIds.slice(at, at + CHUNK).map((id, i) => [`user${i}`, id])
    rows.push(...(await insertChunk(tx, { ...shared, ...Object.fromEntries(users) })))
  }
  for (const user0 of userIds.slice(inChunks)) rows.push(...(await insertOne(tx, { ...shared, user0 })))
  for (const { id, userId } of rows) listed.inserted(tx, { id, userId, type, read: false })
  return rows
}

/** Of a user, who has some thousand at most: those newer than `since` whose subject begins with `prefix`. */
export async function countOnSubjects(tx: Tx, userId: number, prefix: string, since: number): Promise<number> {
  const begins = sql`substr(${notifications.subject}, 1, ${prefix.length}) = ${prefix}`
  const [row] = await tx
    .select({ n: count() })
    .from(notifications)
    .where(
      and(
        eq(notifications.userId, userId),
        isNotNull(notifications.subject),
        begins,
        gt(notifications.createdAt, since),
      ),
    )
  return Number(row?.n ?? 0)
}

/**
 * The data of the unread notification that a user has on a subject. One that was read gives the subject away, so that it stays in the list
 * as the user has read it.
 */
export async function unreadOnSubject(
  tx: Tx,
  userId: number,
  subject: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const ofSubject = and(eq(notifications.userId, userId), eq(notifications.subject, subject))
  await tx
    .update(notifications)
    .set({ subject: null })
    .where(and(ofSubject, eq(notifications.read, true)))
  const found = tx.select({ data: contents.data }).from(notifications)
  return (await found.innerJoin(contents, eq(contents.id, notifications.contentId)).where(ofSubject))[0]?.data
}

/**
 * Makes room for a newer notification on the same subject: notifications that are newer than `since` get its content, and keep their
 * place and whether they are read; older ones are deleted. Returns the users who have none now.
 */
export async function replaceBySubject(
  tx: Tx,
  subject: string,
  userIds: readonly number[],
  contentId: number,
  since: number,
): Promise<number[]> {
  const ofSubject = and(inArray(notifications.userId, [...userIds]), eq(notifications.subject, subject))
  const before = await tx.select().from(notifications).where(ofSubject)
  if (before.length === 0) return [...userIds]
  const isRecent = gt(notifications.createdAt, since)
  const kept = await tx.update(notifications).set({ contentId }).where(and(ofSubject, isRecent)).returning()
  for (const row of kept) listed.updated(tx, row, row)
  const deleted = await tx
    .delete(notifications)
    .where(and(ofSubject, lte(notifications.createdAt, since)))
    .returning()
  for (const row of deleted) listed.deleted(tx, row)
  await deleteOrphanedContents(
    tx,
    before.map((row) => row.contentId),
  )
  const have = new Set(kept.map((row) => row.userId))
  return userIds.filter((userId) => !have.has(userId))
}
