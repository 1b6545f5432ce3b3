import type { AppContext } from '#context'
import type { Db, Tx } from '#db/store.ts'

import { shownContent } from './contents.view.ts'
import { lostFilesAmong } from './media.store.ts'
import { EXCERPT_LENGTH, type Message } from './messages.model.ts'
import { filesOf, textOf } from './messages.rules.ts'
import { type MessageRow, messagesByIds } from './messages.store.ts'

/** Rows of other tables that belong to the shown messages. */
export interface MessageExtras {
  /** The messages that the shown ones answer. */
  readonly replied: ReadonlyMap<number, MessageRow>
  /** Those of their files that were deleted a moment ago, and that their contents still have. */
  readonly lostFiles: ReadonlySet<number>
}

/** For `toMessage`. */
export async function loadExtras(db: Db | Tx, rows: readonly MessageRow[]): Promise<MessageExtras> {
  const ids = rows.flatMap(({ replyToId, recalledAt }) =>
    replyToId === null || recalledAt !== null ? [] : [replyToId],
  )
  const replied = await messagesByIds(db, ids)
  const fileIds = rows.flatMap(({ content }) => filesOf(content))
  return {
    replied: new Map(replied.map((row) => [row.id, row])),
    lostFiles: new Set(fileIds.length === 0 ? [] : await lostFilesAmong(db, fileIds)),
  }
}

function repliedView(row: MessageRow | undefined): Message['replyTo'] {
  if (row === undefined) return null
  const text = Array.from(textOf(row).slice(0, 2 * EXCERPT_LENGTH)).slice(0, EXCERPT_LENGTH)
  return { id: row.id, senderId: row.senderId, type: row.type, excerpt: text.join('') }
}

/** A message as every viewer gets it. */
export const toMessage = (ctx: AppContext, row: MessageRow, extras: MessageExtras): Message => ({
  id: row.id,
  conversationId: row.conversationId,
  senderId: row.senderId,
  clientMsgId: row.clientMsgId,
  type: row.type,
  content: shownContent(ctx, row, extras.lostFiles),
  replyToId: row.replyToId,
  replyTo: row.replyToId === null ? null : repliedView(extras.replied.get(row.replyToId)),
  reactions: (row.reactions ?? []).map(({ emoji, count, userIds }) => ({ emoji, count, userIds: [...userIds] })),
  forwarded: row.forwarded,
  recalled: row.recalledAt !== null,
  recalledAt: row.recalledAt,
  removal: row.removal,
  pin: row.recalledAt === null ? row.pin : null,
  editedAt: row.recalledAt === null ? row.editedAt : null,
  createdAt: row.createdAt,
})

/** Messages as every viewer gets them, in the order of the rows. */
export async function toMessages(ctx: AppContext, db: Db | Tx, rows: readonly MessageRow[]): Promise<Message[]> {
  const extras = await loadExtras(db, rows)
  return rows.map((row) => toMessage(ctx, row, extras))
}
