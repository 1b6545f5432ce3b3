import { and, asc, count, eq, gt, inArray, lte, max, ne, or, sql } from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import { isOneOf } from '#db/dialect.ts'
import { prepared } from '#db/prepared.ts'
import { users } from '#db/schema/accounts.ts'
import {
  notificationContents as contents,
  notifications,
  notificationSendRecipients as recipients,
  notificationSends as sends,
} from '#db/schema/notifications.ts'
import type { Builders, Db, Tx } from '#db/store.ts'
import { type AdminList, within } from '#domains/admin/index.ts'

import type { SendsQuery } from './sends.model.ts'

export type SendRow = typeof sends.$inferSelect
export type NewSendRow = Pick<
  SendRow,
  'contentId' | 'senderId' | 'orgId' | 'status' | 'lastUserId' | 'sent' | 'cursor'
> &
  Partial<Pick<SendRow, 'audience' | 'audienceCount' | 'listed'>>

const notDeleted = ne(users.status, 'DELETED')

/** Returns the ids that belong to existing accounts. */
export async function existingUsers(tx: Tx, ids: readonly number[]): Promise<Set<number>> {
  const rows = await tx
    .select({ id: users.id })
    .from(users)
    .where(and(isOneOf(users.id, ids), notDeleted))
  return new Set(rows.map((row) => row.id))
}

/** 0 if there are no users. */
export async function highestUserId(tx: Tx): Promise<number> {
  return (await tx.select({ id: max(users.id) }).from(users))[0]?.id ?? 0
}

export async function insertSend(tx: Tx, row: NewSendRow): Promise<SendRow> {
  const rows = await tx
    .insert(sends)
    .values({ ...row, createdAt: tx.stamp, finishedAt: row.status === 'DONE' ? tx.stamp : null })
    .returning()
  return rows[0]!
}

const sendById = prepared((db) =>
  db
    .select({
      id: sends.id,
      title: contents.title,
      status: sends.status,
      cursor: sends.cursor,
      lastUserId: sends.lastUserId,
      sent: sends.sent,
      createdAt: sends.createdAt,
      finishedAt: sends.finishedAt,
    })
    .from(sends)
    .innerJoin(contents, eq(contents.id, sends.contentId))
    .where(eq(sends.id, sql.placeholder('id'))),
)

export type SendDetails = Awaited<ReturnType<typeof sendById>>[number]

export const findSend = async (db: Db, id: number) => (await sendById(db, { id }))[0]

const oldestRunning = prepared((db) =>
  db
    .select({
      id: sends.id,
      contentId: sends.contentId,
      orgId: sends.orgId,
      cursor: sends.cursor,
      lastUserId: sends.lastUserId,
      sent: sends.sent,
      listed: sends.listed,
      type: contents.type,
      title: contents.title,
      body: contents.body,
      bodyPlain: contents.bodyPlain,
      titleZh: contents.titleZh,
      bodyZh: contents.bodyZh,
      data: contents.data,
    })
    .from(sends)
    .innerJoin(contents, eq(contents.id, sends.contentId))
    .where(eq(sends.status, 'RUNNING'))
    .orderBy(asc(sends.id))
    .limit(1),
)

export type RunningSend = Awaited<ReturnType<typeof oldestRunning>>[number]

export const oldestRunningSend = async (tx: Tx) => (await oldestRunning(tx))[0]

const accountsAfter = prepared((db) =>
  db
    .select({ id: users.id })
    .from(users)
    .where(and(gt(users.id, sql.placeholder('after')), lte(users.id, sql.placeholder('last')), notDeleted))
    .orderBy(asc(users.id))
    .limit(sql.placeholder('limit')),
)

/** Ids of existing accounts above `after` and up to `last`, in ascending order. */
export async function usersAfter(tx: Tx, after: number, last: number, limit: number): Promise<number[]> {
  return (await accountsAfter(tx, { after, last, limit })).map((row) => row.id)
}

/** Moves the position of a running send. False, without a change, if its cursor is no longer `from`. */
export async function advanceSend(
  tx: Tx,
  id: number,
  from: number,
  to: Pick<SendRow, 'cursor' | 'sent' | 'status'>,
): Promise<boolean> {
  const rows = await tx
    .update(sends)
    .set({ ...to, finishedAt: to.status === 'DONE' ? tx.stamp : null })
    .where(and(eq(sends.id, id), eq(sends.cursor, from), eq(sends.status, 'RUNNING')))
    .returning({ id: sends.id })
  return rows.length > 0
}

const ofMembers = (orgId: number) => and(eq(sends.status, 'LISTING'), eq(sends.orgId, orgId))

/** Adds users to the recipients of a send to the members of an organization that has not begun, without its sender. Does nothing if there is none. */
export async function insertRecipients(tx: Tx, orgId: number, userIds: readonly number[]): Promise<void> {
  await tx.insert(recipients).select(
    tx
      .select({ sendId: sends.id, userId: users.id })
      .from(sends)
      .innerJoin(users, and(inArray(users.id, [...userIds]), ne(users.id, sends.senderId)))
      .where(ofMembers(orgId)),
  )
}

/** Begins the send to the members of an organization. False if there is none. */
export async function beginMemberSend(tx: Tx, orgId: number): Promise<boolean> {
  const rows = await tx
    .update(sends)
    .set({ status: 'RUNNING', orgId: 0 })
    .where(ofMembers(orgId))
    .returning({ id: sends.id })
  return rows.length > 0
}

const recipientsOfSend = prepared((db) =>
  db
    .select({ userId: recipients.userId })
    .from(recipients)
    .innerJoin(users, eq(users.id, recipients.userId))
    .where(
      and(
        eq(recipients.sendId, sql.placeholder('sendId')),
        gt(recipients.userId, sql.placeholder('after')),
        notDeleted,
      ),
    )
    .orderBy(asc(recipients.userId))
    .limit(sql.placeholder('limit')),
)

/** Ids of listed recipients above `after` with existing accounts, in ascending order. */
export async function recipientsAfter(tx: Tx, sendId: number, after: number, limit: number): Promise<number[]> {
  return (await recipientsOfSend(tx, { sendId, after, limit })).map((row) => row.userId)
}

/** Deletes the listed recipients up to `upTo`, and after the last of them the send: nobody asks for its progress. */
export async function forgetRecipients(tx: Tx, sendId: number, upTo: number, done: boolean): Promise<void> {
  await tx.delete(recipients).where(and(eq(recipients.sendId, sendId), lte(recipients.userId, upTo)))
  if (done) await tx.delete(sends).where(eq(sends.id, sendId))
}

/** Sends of administrators, without those of the product. */
const isManual = eq(sends.listed, false)

const sendsWithContents = (db: Pick<Builders, 'select'>) =>
  db
    .select({
      id: sends.id,
      contentId: sends.contentId,
      senderId: sends.senderId,
      orgId: sends.orgId,
      audience: sends.audience,
      audienceCount: sends.audienceCount,
      status: sends.status,
      cursor: sends.cursor,
      lastUserId: sends.lastUserId,
      sent: sends.sent,
      createdAt: sends.createdAt,
      finishedAt: sends.finishedAt,
      title: contents.title,
      body: contents.body,
      bodyPlain: contents.bodyPlain,
    })
    .from(sends)
    .innerJoin(contents, eq(contents.id, sends.contentId))
    .$dynamic()

export type ListedSend = Awaited<ReturnType<typeof sendsWithContents>>[number]

export const manualSends = ({ userId, orgId, keyword, from, to, sort }: SendsQuery): AdminList<ListedSend> => ({
  table: sends,
  scope: and(
    isManual,
    userId === undefined ? undefined : eq(sends.senderId, userId),
    orgId === undefined ? undefined : eq(sends.orgId, orgId),
    within(sends.createdAt, { from, to }),
  ),
  where: keyword ? or(contains(contents.title, keyword), contains(contents.bodyPlain, keyword)) : undefined,
  order: [sends.createdAt, sends.id],
  isReversed: sort !== 'createdAt',
  select: sendsWithContents,
})

/** Readers of each content. Contents without any are left out. */
export async function readCounts(db: Db, contentIds: readonly number[]): Promise<Map<number, number>> {
  if (contentIds.length === 0) return new Map()
  const rows = await db
    .select({ id: notifications.contentId, n: count() })
    .from(notifications)
    .where(and(inArray(notifications.contentId, [...contentIds]), sql`${notifications.read}`))
    .groupBy(notifications.contentId)
  return new Map(rows.map((row) => [row.id, row.n]))
}

export async function findManualSend(tx: Tx, id: number): Promise<ListedSend | undefined> {
  return (await sendsWithContents(tx).where(and(eq(sends.id, id), isManual)))[0]
}

/** False if it is gone already. */
export async function deleteSend(tx: Tx, id: number): Promise<boolean> {
  const rows = await tx
    .delete(sends)
    .where(and(eq(sends.id, id), isManual))
    .returning({ id: sends.id })
  return rows.length > 0
}

export async function countUsers(db: Db): Promise<number> {
  return (await db.select({ n: count() }).from(users).where(notDeleted))[0]!.n
}
