import { and, asc, eq, isNull, lt, or, sql } from 'drizzle-orm'

import { isInJson } from '#db/dialect.ts'
import { prepared } from '#db/prepared.ts'
import { conversationMembers as members, messageFiles, messageLostFiles, messages } from '#db/schema/chat.ts'
import type { Db, Tx } from '#db/store.ts'

import { notDeletedBy } from '../deleted.store.ts'

const p = sql.placeholder

const viewer = prepared((db) =>
  db
    .select({ userId: members.userId })
    .from(members)
    .where(
      and(
        eq(members.conversationId, p('conversationId')),
        lt(members.clearedUpTo, p('messageId')),
        or(isNull(members.leftAfter), sql`${members.leftAfter} >= ${p('messageId')}`),
        notDeletedBy(sql`${p('messageId')}`, members.userId),
      ),
    )
    .limit(1),
)

/** Whether anyone can see the message. */
export const hasViewer = async (db: Db | Tx, conversationId: number, messageId: number): Promise<boolean> =>
  (await viewer(db, { conversationId, messageId })).length > 0

const lostAmong = prepared((db) =>
  db
    .select()
    .from(messageLostFiles)
    .where(isInJson(messageLostFiles.fileId, p('ids'))),
)

/** Those of the files that were deleted and that messages still have. */
export const lostFilesAmong = async (db: Db | Tx, ids: readonly number[]): Promise<number[]> =>
  (await lostAmong(db, { ids: JSON.stringify(ids) })).map((row) => row.fileId)

/** Notes that the files were deleted. */
export async function insertLostFiles(tx: Tx, fileIds: readonly number[]): Promise<void> {
  await tx
    .insert(messageLostFiles)
    .values(fileIds.map((fileId) => ({ fileId })))
    .onConflictDoNothing()
}

/** A deleted file that messages may still have. */
export const firstLostFile = async (db: Db | Tx): Promise<number | undefined> =>
  (await db.select().from(messageLostFiles).limit(1))[0]?.fileId

export async function deleteLostFile(tx: Tx, fileId: number): Promise<void> {
  await tx.delete(messageLostFiles).where(eq(messageLostFiles.fileId, fileId))
}

/** At most `limit` messages that have the file. */
export const messagesWithFile = (tx: Tx, fileId: number, limit: number) =>
  tx
    .select({ id: messages.id, conversationId: messages.conversationId, content: messages.content })
    .from(messageFiles)
    .innerJoin(messages, eq(messages.id, messageFiles.messageId))
    .where(eq(messageFiles.fileId, fileId))
    .orderBy(asc(messageFiles.messageId))
    .limit(limit)

/** Replaces the content of a message, which no longer has the file. */
export async function removeFile(
  tx: Tx,
  { id, content }: Pick<typeof messages.$inferSelect, 'id' | 'content'>,
  fileId: number,
  changedNumber: number,
): Promise<void> {
  await tx.update(messages).set({ content, changedNumber }).where(eq(messages.id, id))
  await tx.delete(messageFiles).where(and(eq(messageFiles.messageId, id), eq(messageFiles.fileId, fileId)))
}
