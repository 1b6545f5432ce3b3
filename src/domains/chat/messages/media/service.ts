/** The files of messages: who may open them, and when they end. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { answerContent, releaseFile } from '#domains/files/index.ts'
import type { Actor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'

import { findMember, isVisible } from '../../conversations/store.ts'
import type { StoredContents } from '../contents/model.ts'
import { deleteCards, deleteFiles, findMessage, type MessageRow } from '../store.ts'
import type { MediaQuery } from './model.ts'
import { hasViewer } from './store.ts'

/** Answers with a file of a message, which ends with the message. `actor` is undefined for a signed address. */
export async function readMedia(
  ctx: AppContext,
  actor: Actor | undefined,
  request: Request,
  id: number,
  { variant }: MediaQuery,
): Promise<Response> {
  const message = await findMessage(ctx.db.read, id)
  const fileId = message && fileOf(message, variant)
  if (fileId === undefined || !(await isShown(ctx, message!, actor?.userId))) throw notFound()
  return answerContent(ctx, request, fileId, { variant, disposition: 'inline' })
}

/** The thumbnail of a video is that of an image which was sent with it. */
function fileOf({ type, content, recalledAt }: MessageRow, variant: MediaQuery['variant']): number | undefined {
  if (recalledAt !== null) return undefined
  const { fileId, thumbnailFileId } = content as Partial<StoredContents['VIDEO']>
  if (variant === 'ORIGINAL') return fileId
  return type === 'IMAGE' ? fileId : thumbnailFileId
}

/** Whether the user can see the message; without a user, whether anyone can. */
async function isShown(
  ctx: AppContext,
  { id, conversationId }: MessageRow,
  userId: number | undefined,
): Promise<boolean> {
  if (userId === undefined) return hasViewer(ctx.db.read, conversationId, id)
  const own = await findMember(ctx.db.read, conversationId, userId)
  return own !== undefined && isVisible(id, own)
}

/**
 * Takes files and cards from messages that are recalled, or that the same write deletes afterwards. Files that no other message has are
 * deleted.
 */
export async function releaseMedia(ctx: AppContext, tx: Tx, messageIds: readonly number[]): Promise<void> {
  if (messageIds.length === 0) return
  await deleteCards(tx, messageIds)
  for (const fileId of await deleteFiles(tx, messageIds)) await releaseFile(ctx, tx, fileId)
}
