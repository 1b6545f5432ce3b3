/** Pure decisions about read marks: they are derived from how far each member has read, so that no message has a row for each reader. */

/** Larger groups have no read marks. */
export const MAX_MARKED = 100

/** How far a present member of a conversation has read, as one viewer may see it. */
export interface Mark {
  readonly userId: number
  readonly readUpTo: number
  /** Messages up to this one were sent before the member joined. */
  readonly joinedAfter: number
  /** When the messages above `readBefore` were read; null if that is not known. */
  readonly readAt: number | null
  readonly readBefore: number | null
  /** The member sends read receipts. */
  readonly receipts: boolean
  /** In a group: the viewer may not see what the member has read. */
  readonly blocked: boolean
}

/** Whether the member was in the conversation when the message was sent. */
export const wasSentTo = (messageId: number, { joinedAfter }: Mark): boolean => messageId > joinedAfter

/** Whether the viewer sees that the member has read the message. */
export const showsRead = (messageId: number, mark: Mark): boolean =>
  mark.receipts && !mark.blocked && wasSentTo(messageId, mark) && mark.readUpTo >= messageId

/** When the member read the message, which was read; null if that is not known. */
export const readTime = (messageId: number, { readAt, readBefore }: Mark): number | null =>
  readBefore !== null && messageId > readBefore ? readAt : null

export const countReaders = (messageId: number, marks: readonly Mark[]): number =>
  marks.reduce((count, mark) => count + (showsRead(messageId, mark) ? 1 : 0), 0)
