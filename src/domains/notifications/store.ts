import { and, count, desc, eq, inArray, lte, notExists, sql } from 'drizzle-orm'

import { pagedTable } from '#db/lists.ts'
import { type Page, type PageInput, plainPage } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import {
  notificationContents as contents,
  notifications,
  notificationSends as sends,
  type NotificationType,
} from '#db/schema/notifications.ts'
import type { Builders, Db, Tx } from '#db/store.ts'

import type { ListQuery } from './model.ts'

const shown = {
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
  db.select(shown).from(notifications).innerJoin(contents, eq(contents.id, notifications.contentId))

export type NotificationRow = Awaited<ReturnType<typeof withContent>>[number]
export type DetailRow = NotificationRow & { bodyHtml: string | null }

const ofUser = eq(notifications.userId, sql.placeholder('userId'))

const listed = pagedTable(notifications, ['id', 'userId', 'type', 'read'])
const newestFirst = {
  orders: { id: ['id'] },
  sort: '-id',
  select: (db: Builders) => withContent(db).$dynamic(),
} as const

const all = listed.list({ owner: ['userId'], ...newestFirst })
const unread = listed.list({ owner: ['userId'], where: { read: false }, ...newestFirst })
const alreadyRead = listed.list({ owner: ['userId'], where: { read: true }, ...newestFirst })
const ofType = listed.list({ owner: ['userId', 'type'], ...newestFirst })

/** Newest first. */
export function notificationsPage(db: Db, userId: number, query: ListQuery): Promise<Page<NotificationRow>> {
  const { read, type } = query
  if (type === undefined) return (read === undefined ? all : read ? alreadyRead : unread).page(db, { userId }, query)
  if (read === undefined) return ofType.page(db, { userId, type }, query)
  const where = and(eq(notifications.userId, userId), eq(notifications.type, type), eq(notifications.read, read))
  return plainPage(
    query,
    (limit, offset) => withContent(db).where(where).orderBy(desc(notifications.id)).limit(limit).offset(offset),
    () => db.select({ n: count() }).from(notifications).where(where),
  )
}

const ONE: PageInput = { page: 1, size: 1 }

export const countAll = async (db: Db, userId: number): Promise<number> => (await all.page(db, { userId }, ONE)).total
export const countUnread = async (db: Db, userId: number): Promise<number> =>
  (await unread.page(db, { userId }, ONE)).total

const byId = prepared((db) =>
  db
    .select({ ...shown, bodyHtml: contents.bodyHtml })
    .from(notifications)
    .innerJoin(contents, eq(contents.id, notifications.contentId))
    .where(and(ofUser, eq(notifications.id, sql.placeholder('id')))),
)

export const findNotification = async (db: Db, userId: number, id: number): Promise<DetailRow | undefined> =>
  (await byId(db, { userId, id }))[0]

const setRead = prepared((db) =>
  db
    .update(notifications)
    .set({ read: true })
    .where(and(ofUser, eq(notifications.id, sql.placeholder('id')), eq(notifications.read, false)))
    .returning(listed.columns),
)

/** Harmless when it is read already, or not the user's. */
export async function markRead(tx: Tx, userId: number, id: number): Promise<void> {
  const [row] = await setRead(tx, { userId, id })
  if (row) listed.updated(tx, { ...row, read: false }, row)
}

const newestUnread = prepared((db) =>
  db
    .select({ id: notifications.id })
    .from(notifications)
    .where(and(ofUser, eq(notifications.read, false)))
    .orderBy(desc(notifications.id))
    .limit(1),
)

/** Undefined when all are read. */
export const newestUnreadId = async (db: Db, userId: number): Promise<number | undefined> =>
  (await newestUnread(db, { userId }))[0]?.id

/** Up to `limit` unread ones with ids up to `upTo`, the newest first; gives how many there were. */
export async function markSomeRead(tx: Tx, userId: number, upTo: number, limit: number): Promise<number> {
  const some = tx
    .select({ id: notifications.id })
    .from(notifications)
    .where(and(eq(notifications.userId, userId), eq(notifications.read, false), lte(notifications.id, upTo)))
    .orderBy(desc(notifications.id))
    .limit(limit)
  const rows = await tx
    .update(notifications)
    .set({ read: true })
    .where(and(eq(notifications.userId, userId), eq(notifications.read, false), inArray(notifications.id, some)))
    .returning(listed.columns)
  for (const row of rows) listed.updated(tx, { ...row, read: false }, row)
  return rows.length
}

/** False when there is no such notification of the user's. The content goes with its last reader, unless it was sent by a person. */
export async function deleteNotification(tx: Tx, userId: number, id: number): Promise<boolean> {
  const [row] = await tx
    .delete(notifications)
    .where(and(eq(notifications.userId, userId), eq(notifications.id, id)))
    .returning()
  if (row === undefined) return false
  listed.deleted(tx, row)
  await dropUnheld(tx, [row.contentId])
  return true
}

/** Contents looked at by one statement. */
const UNHELD_CHUNK = 500

/** Everything a user was told, for whoever deletes their account. */
export async function deleteAllOf(tx: Tx, userId: number): Promise<void> {
  const rows = await tx.delete(notifications).where(eq(notifications.userId, userId)).returning()
  for (const row of rows) listed.deleted(tx, row)
  for (let at = 0; at < rows.length; at += UNHELD_CHUNK)
    await dropUnheld(
      tx,
      rows.slice(at, at + UNHELD_CHUNK).map((row) => row.contentId),
    )
}

/** Of these contents, deletes those that nobody has any more and no person sent. */
async function dropUnheld(tx: Tx, contentIds: readonly number[]): Promise<void> {
  const readers = tx
    .select({ id: notifications.id })
    .from(notifications)
    .where(eq(notifications.contentId, contents.id))
  const sendings = tx.select({ id: sends.id }).from(sends).where(eq(sends.contentId, contents.id))
  await tx.delete(contents).where(and(inArray(contents.id, [...contentIds]), notExists(readers), notExists(sendings)))
}

export type NewContent = Omit<typeof contents.$inferInsert, 'id' | 'createdAt'>

export async function insertContent(tx: Tx, content: NewContent): Promise<number> {
  const rows = await tx
    .insert(contents)
    .values({ ...content, createdAt: tx.stamp })
    .returning({ id: contents.id })
  return rows[0]!.id
}

/** Inserts of `rows` users at once: their ids are `user0`, `user1`, … */
const inserting = (rows: number) =>
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
        })),
      )
      .onConflictDoNothing()
      .returning({ id: notifications.id, userId: notifications.userId }),
  )

/** Rows a statement: on PostgreSQL each one is a journey. */
const CHUNK = 100
const insertChunk = inserting(CHUNK)
const insertOne = inserting(1)

/** Gives the content to the users who do not have it yet; gives the new rows. */
export async function insertRecipients(
  tx: Tx,
  contentId: number,
  type: NotificationType,
  userIds: readonly number[],
): Promise<{ id: number; userId: number }[]> {
  const rows: { id: number; userId: number }[] = []
  const same = { contentId, type, createdAt: tx.stamp }
  const whole = userIds.length - (userIds.length % CHUNK)
  for (let at = 0; at < whole; at += CHUNK) {
    const users = userIds.slice(at, at + CHUNK).map((id, i) => [`user${i}`, id])
    rows.push(...(await insertChunk(tx, { ...same, ...Object.fromEntries(users) })))
  }
  for (const user0 of userIds.slice(whole)) rows.push(...(await insertOne(tx, { ...same, user0 })))
  for (const { id, userId } of rows) listed.inserted(tx, { id, userId, type, read: false })
  return rows
}
