/** Drafts are shared by the devices of a user. With a version, none replaces what another one has written meanwhile. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { getSetting } from '#domains/settings/index.ts'
import type { Actor } from '#http/endpoint.ts'
import { invalid } from '#http/validate.ts'
import { isLongerThan } from '#lib/text.ts'

import * as errors from '../chat.errors.ts'
import { type DraftInput, replaceDraft } from '../drafts.store.ts'
import type { MemberRow } from '../members.store.ts'
import { findSeen } from '../messages/messages.store.ts'
import type { Conversation, Draft } from './conversations.model.ts'
import { findListed, toConversation } from './conversations.service.ts'
import { announce } from './conversations.view.ts'

/** @throws AppError 409 with the conversation if the draft has another version than `baseVersion` */
export async function saveDraft(ctx: AppContext, { userId }: Actor, id: number, body: Draft): Promise<Conversation> {
  const { baseVersion } = body
  const draft = body.draft ?? ''
  await checkLength(ctx, draft, baseVersion)
  const input = { draft, baseVersion, replyToId: draft === '' ? null : body.replyToId }
  const { row, isStored } = await ctx.db.write('chat.saveDraft', (tx) => save(tx, id, userId, input))
  const conversation = await toConversation(ctx, row)
  if (!isStored) throw errors.draftChanged(conversation)
  return conversation
}

async function save(
  tx: Tx,
  id: number,
  userId: number,
  input: DraftInput,
): Promise<{ readonly row: MemberRow; readonly isStored: boolean }> {
  const { draft, replyToId, baseVersion } = input
  const before = await findListed(tx, id, userId)
  if (draft !== '' && before.leftAfter !== null) throw errors.notInConversation()
  if (replyToId != null && replyToId !== before.draftReplyToId) {
    const answered = await findSeen(tx, replyToId, userId)
    if (answered?.message.conversationId !== id) throw errors.cannotReply()
  }
  const row = await replaceDraft(tx, id, userId, input)
  if (row !== undefined) {
    announce(tx, id, [userId])
    return { row, isStored: true }
  }
  // A repeat, whose first answer was lost, finds its own draft under a newer version.
  const isSame = before.draft === draft && (replyToId === undefined || replyToId === before.draftReplyToId)
  return { row: before, isStored: isSame || baseVersion === undefined }
}

/** A draft with a version may be as long as a message, so that no unsent text is cut off. */
async function checkLength(ctx: AppContext, draft: string, baseVersion: number | undefined): Promise<void> {
  const own = await getSetting(ctx, 'chat.draftMaxLength')
  const max = baseVersion === undefined || own === 0 ? own : await getSetting(ctx, 'chat.textMaxLength')
  if (isLongerThan(draft, max, 1))
    throw invalid('body.draft', `must have at most ${max} characters`, `最多 ${max} 个字符`)
}
