/** Pure decisions about messages. */

import type { MessageType } from '#db/schema/chat.ts'

import type { StoredContents } from './contents.model.ts'

type Content = Readonly<Record<string, unknown>>

/** The identifier of the k-th message of a request, from 0: requests with attachments store several. */
export const partOf = (clientMsgId: string, k: number): string => (k === 0 ? clientMsgId : `${clientMsgId}:${k}`)

/**
 * The key of one target of a forward. Clients cannot use it, because theirs contain no colon; the parts of requests with attachments do, but
 * they are no keys.
 */
export const keyOfTarget = (clientMsgId: string, userId: number): string => `${clientMsgId}:${userId}`

/** The files of a content of any type. */
export const filesOf = (content: Content): number[] => {
  const { fileId, thumbnailFileId } = content as Partial<StoredContents['VIDEO']>
  return [fileId, thumbnailFileId].filter((id) => id != null)
}

/** A content without the files that are lost: its main file becomes null, and the thumbnail of a video is left out. */
export function withoutFiles(content: Content, lost: ReadonlySet<number>): Content {
  if (!filesOf(content).some((id) => lost.has(id))) return content
  const { thumbnailFileId, ...rest } = content as unknown as StoredContents['VIDEO']
  const fileId = rest.fileId !== null && lost.has(rest.fileId) ? null : rest.fileId
  return { ...rest, fileId, ...(thumbnailFileId !== undefined && !lost.has(thumbnailFileId) && { thumbnailFileId }) }
}

/** The parts of a content that people write or read. Recalled messages have no content. */
const SEARCHED: Readonly<Record<MessageType, readonly string[]>> = {
  TEXT: ['text'],
  IMAGE: ['caption'],
  FILE: ['name'],
  VOICE: [],
  VIDEO: [],
  LOCATION: ['name', 'address'],
  CARD: ['nickname'],
  QR_CODE: ['name'],
  ACTIVITY: ['name'],
  SYSTEM: [],
}

export function textOf({
  type,
  content,
}: {
  readonly type: MessageType
  readonly content: Readonly<Record<string, unknown>>
}): string {
  const parts = SEARCHED[type].map((key) => content[key]).filter((part) => typeof part === 'string')
  return parts.join('\n')
}

/** Clients measure from the button, and the microphone takes a moment. */
const TOLERANCE_MS = 2000

/** Whether a client can have measured this length of a recording. Milliseconds. */
export const isLengthOf = (claimedMs: number, measuredMs: number): boolean =>
  Math.abs(claimedMs - measuredMs) <= Math.max(TOLERANCE_MS, measuredMs / 20)
