/** Messages that users have deleted for themselves. */

import { and, asc, desc, eq, gt, gte, inArray, isNull, lt, lte, notExists, or, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { isOneOf } from '#db/dialect.ts'
import { prepared } from '#db/prepared.ts'
import { conversationMembers as members, messageDeletions as deletions, messages } from '#db/schema/chat.ts'
import { deleteSome } from '#db/slices.ts'
import type { Builders, Db, Tx } from '#db/store.ts'

export type DeletionRow = typeof deletions.$inferSelect

const p = sql.placeholder

/** The condition that the user, a column or a value, has not deleted the message for themselves. */
export const notDeletedBy = (messageId: SQLiteColumn | SQL, userId: SQLiteColumn | SQL | number): SQL =>
  sql`not exists (select 1 from ${deletions} as gone where gone.message_id = ${messageId} and gone.user_id = ${userId})`

const one = prepared((db) =>
  db
    .select({ number: deletions.number })
    .from(deletions)
    .where(and(eq(deletions.messageId, p('messageId')), eq(deletions.userId, p('userId')))),
)

export const isDeletedBy = async (db: Db | Tx, messageId: number, userId: number): Promise<boolean> =>
  (await one(db, { messageId, userId })).length > 0

/** Ids of one statement. */
const IDS_PER_QUERY = 500

/** All deletions of these messages. */
export async function deletionsOf(db: Db | Tx, messageIds: readonly number[]): Promise<DeletionRow[]> {
  const rows: DeletionRow[] = []
  for (let i = 0; i < messageIds.length; i += IDS_PER_QUERY)
    rows.push(
      ...(await db
        .select()
        .from(deletions)
        .where(inArray(deletions.messageId, messageIds.slice(i, i + IDS_PER_QUERY)))),
    )
  return rows
}

/** Those of the messages that the user has deleted. */
export async function deletedAmong(
  db: Db | Tx,
  messageIds: readonly number[],
  userId: number,
): Promise<ReadonlySet<number>> {
  const ids = new Set<number>()
  for (let i = 0; i < messageIds.length; i += IDS_PER_QUERY) {
    const rows = await db
      .select({ id: deletions.messageId })
      .from(deletions)
      .where(and(isOneOf(deletions.messageId, messageIds.slice(i, i + IDS_PER_QUERY)), eq(deletions.userId, userId)))
    for (const { id } of rows) ids.add(id)
  }
  return ids
}

const range = (more?: SQL) => (db: Builders) =>
  db
    .select()
    .from(deletions)
    .where(and(more, gt(deletions.number, p('after')), lte(deletions.number, p('upTo'))))
    .orderBy(asc(deletions.number))
    .limit(p('limit'))

const ofUser = prepared(range(eq(deletions.userId, p('userId'))))
const ofAll = prepared(range())

interface Range {
  readonly after: number
  readonly upTo: number
  readonly limit: number
}

/** Deletions of a user by their numbers. */
export const deletionsIn = (db: Db, userId: number, { after, upTo, limit }: Range): Promise<DeletionRow[]> =>
  ofUser(db, { userId, after, upTo, limit })

/** Deletions of all users by their numbers. */
export const allDeletionsIn = (db: Db, { after, upTo, limit }: Range): Promise<DeletionRow[]> =>
  ofAll(db, { after, upTo, limit })

export const insertDeletion = async (tx: Tx, row: Omit<DeletionRow, 'createdAt'>): Promise<void> =>
  void (await tx.insert(deletions).values({ ...row, createdAt: tx.stamp }))

/** The newest message up to this id that the user has not deleted, above `after`. */
export async function lastVisible(
  tx: Tx,
  { conversationId, userId }: { readonly conversationId: number; readonly userId: number },
  after: number,
  upTo: number,
): Promise<{ readonly id: number; readonly createdAt: number } | undefined> {
  const [row] = await tx
    .select({ id: messages.id, createdAt: messages.createdAt })
    .from(messages)
    .where(
      and(
        eq(messages.conversationId, conversationId),
        gt(messages.id, after),
        lte(messages.id, upTo),
        notExists(
          tx
            .select({ id: deletions.messageId })
            .from(deletions)
            .where(and(eq(deletions.messageId, messages.id), eq(deletions.userId, userId))),
        ),
      ),
    )
    .orderBy(desc(messages.id))
    .limit(1)
  return row
}

/** Forgets the deletions of messages that are deleted permanently. */
export async function forgetDeletions(tx: Tx, messageIds: readonly number[]): Promise<void> {
  await tx.delete(deletions).where(inArray(deletions.messageId, [...messageIds]))
}

/** Forgets at most `limit` deletions of a user. Returns their number. */
export const forgetDeletionsOf = (tx: Tx, userId: number, limit: number): Promise<number> =>
  deleteSome(tx, deletions, eq(deletions.userId, userId), limit)

/** The oldest messages of a conversation that nobody sees, although not all have cleared them, because one of these users has deleted them. */
export const unseenDeleted = (tx: Tx, conversationId: number, userIds: readonly number[], limit: number) =>
  tx
    .select({
      id: messages.id,
      conversationId: messages.conversationId,
      type: messages.type,
      content: messages.content,
    })
    .from(messages)
    .where(
      and(
        inArray(
          messages.id,
          tx
            .select({ id: deletions.messageId })
            .from(deletions)
            .where(and(inArray(deletions.userId, [...userIds]), eq(deletions.conversationId, conversationId))),
        ),
        notExists(
          tx
            .select({ userId: members.userId })
            .from(members)
            .where(
              and(
                eq(members.conversationId, conversationId),
                lt(members.clearedUpTo, messages.id),
                or(isNull(members.leftAfter), gte(members.leftAfter, messages.id)),
                notDeletedBy(messages.id, members.userId),
              ),
            ),
        ),
      ),
    )
    .orderBy(asc(messages.id))
    .limit(limit)
