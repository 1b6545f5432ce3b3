import { asc, eq, inArray, sql } from 'drizzle-orm'

import { prepared } from '#db/prepared.ts'
import { messages } from '#db/schema/chat.ts'
import type { Db, Tx } from '#db/store.ts'

export type MessageRow = typeof messages.$inferSelect

const p = sql.placeholder

const IDS_PER_QUERY = 1000

/** Messages of any conversation, the oldest first. Callers check whether the user may see them. */
export async function messagesByIds(db: Db | Tx, ids: readonly number[]): Promise<MessageRow[]> {
  const rows: MessageRow[] = []
  const ascending = [...new Set(ids)].toSorted((a, b) => a - b)
  for (let i = 0; i < ascending.length; i += IDS_PER_QUERY)
    rows.push(
      ...(await db
        .select()
        .from(messages)
        .where(inArray(messages.id, ascending.slice(i, i + IDS_PER_QUERY)))
        .orderBy(asc(messages.id))),
    )
  return rows
}

const byId = prepared((db) =>
  db
    .select()
    .from(messages)
    .where(eq(messages.id, p('id'))),
)

/** A message of any conversation. Callers check whether the user may see it. */
export const findMessage = async (db: Db | Tx, id: number): Promise<MessageRow | undefined> =>
  (await byId(db, { id }))[0]

export type NewMessage = Omit<MessageRow, 'recalledAt' | 'changedNumber' | 'reactions'>

const insert = prepared((db) =>
  db.insert(messages).values({
    id: p('id'),
    conversationId: p('conversationId'),
    senderId: p('senderId'),
    type: p('type'),
    content: p('content'),
    clientMsgId: p('clientMsgId'),
    replyToId: p('replyToId'),
    forwarded: p('forwarded'),
    createdAt: p('createdAt'),
  }),
)

/** Their ids are numbers that the same write has taken. */
export async function insertMessages(tx: Tx, rows: readonly NewMessage[]): Promise<void> {
  for (const row of rows) await insert(tx, row)
}
