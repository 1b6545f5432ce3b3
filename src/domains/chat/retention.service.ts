import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'

import { releaseMedia } from './messages/media.service.ts'
import type { MessageRow } from './messages/messages.store.ts'
import { deleteReactionsTo } from './reactions/reactions.store.ts'
import * as store from './retention.store.ts'
import { forgetTerms } from './search/search.service.ts'

/** Deletes messages that nobody sees. Their `keys` stay, so that a repeated send never sends again. */
export async function deletePermanently(
  ctx: AppContext,
  tx: Tx,
  rows: readonly Pick<MessageRow, 'id' | 'conversationId' | 'type' | 'content'>[],
): Promise<void> {
  if (rows.length === 0) return
  const ids = rows.map(({ id }) => id)
  // Together, because on a busy machine each wait for PostgreSQL takes longer than the statement.
  await Promise.all([releaseMedia(ctx, tx, ids), forgetTerms(tx, rows), deleteReactionsTo(tx, ids)])
  await store.deleteMessages(tx, ids)
}
