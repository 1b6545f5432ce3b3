import type { AppContext } from '#context'
import type { Db, Tx } from '#db/store.ts'

import { shownContent } from './contents/view.ts'
import type { Message } from './model.ts'
import type { MessageRow } from './store.ts'

/** Rows of other tables that belong to the shown messages. */
export type MessageExtras = Readonly<Record<never, never>>

/** For `toMessage`. */
export const loadExtras = async (_db: Db | Tx, _rows: readonly MessageRow[]): Promise<MessageExtras> => ({})

/** A message as every viewer gets it. */
export const toMessage = (ctx: AppContext, row: MessageRow, _extras: MessageExtras): Message => ({
  id: row.id,
  conversationId: row.conversationId,
  senderId: row.senderId,
  clientMsgId: row.clientMsgId,
  type: row.type,
  content: shownContent(ctx, row),
  replyToId: row.replyToId,
  forwarded: row.forwarded,
  recalled: row.recalledAt !== null,
  recalledAt: row.recalledAt,
  createdAt: row.createdAt,
})
