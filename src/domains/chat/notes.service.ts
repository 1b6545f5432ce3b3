/** The conversation of a user with themselves. It comes into being when the user opens it for the first time. */

import type { AppContext } from '#context'
import type { Actor } from '#http/endpoint.ts'

import type { Conversation } from './conversations/conversations.model.ts'
import { announce, toConversations } from './conversations/conversations.view.ts'
import { ensureNotes } from './members.store.ts'

/** Also puts notes back on the list that were deleted from it. */
export async function openNotes(ctx: AppContext, { userId }: Actor): Promise<Conversation> {
  const member = await ctx.db.write('chat.openNotes', async (tx) => {
    const { row, isKnown } = await ensureNotes(tx, userId)
    if (!isKnown) announce(tx, row.conversationId, [userId])
    return row
  })
  return (await toConversations(ctx, userId, [member]))[0]!
}
