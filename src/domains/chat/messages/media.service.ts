/** The files of messages: who may open them, and when they end. */

import type { AppContext } from '#context'
import { finishInSlices } from '#db/slices.ts'
import type { Tx } from '#db/store.ts'
import type { Job } from '#domains/domain.ts'
import { answerContent, releaseFile } from '#domains/files/index.ts'
import type { Actor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { SECOND } from '#platform/clock.ts'

import { messageChanged } from '../members.store.ts'
import { IN_ORDER, takeNumbers } from '../numbers.ts'
import type { StoredContents } from './contents.model.ts'
import type { MediaQuery } from './media.model.ts'
import * as store from './media.store.ts'
import { withoutFiles } from './messages.rules.ts'
import { deleteCards, deleteFiles, findMessage, findSeen, type MessageRow } from './messages.store.ts'

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
  if (variant === 'ORIGINAL') return fileId ?? undefined
  return (type === 'IMAGE' ? fileId : thumbnailFileId) ?? undefined
}

/** Whether the user can see the message; without a user, whether anyone can. */
async function isShown(
  ctx: AppContext,
  { id, conversationId }: MessageRow,
  userId: number | undefined,
): Promise<boolean> {
  if (userId === undefined) return store.hasViewer(ctx.db.read, conversationId, id)
  return (await findSeen(ctx.db.read, id, userId)) !== undefined
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

/** Each changes the rows of up to 500 members. */
const FIRST_MESSAGES = 20

/**
 * Takes deleted files away from the messages that have them. A file can be in any number of messages: answers leave it out from now on,
 * and the messages change in small writes.
 */
export const clearLostFiles = (ctx: AppContext): Promise<void> =>
  finishInSlices(
    ctx,
    'chat.clearLostFile',
    { first: store.firstLostFile, work: clearSome, end: store.deleteLostFile },
    { ...IN_ORDER, firstRows: FIRST_MESSAGES },
  )

async function clearSome(tx: Tx, fileId: number, limit: number): Promise<number> {
  const rows = await store.messagesWithFile(tx, fileId, limit)
  if (rows.length === 0) return 0
  const first = await takeNumbers(tx, rows.length)
  for (const [i, row] of rows.entries()) {
    await store.removeFile(tx, { id: row.id, content: withoutFiles(row.content, new Set([fileId])) }, fileId, first + i)
    await messageChanged(tx, row, first + i)
  }
  return rows.length
}

export const lostFilesJob: Job = { name: 'chat.clearLostFiles', every: 10 * SECOND, run: clearLostFiles }
