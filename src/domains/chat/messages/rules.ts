/** Pure decisions about messages. */

/** The identifier of the k-th message of a request, from 0: requests with attachments store several. */
export const partOf = (clientMsgId: string, k: number): string => (k === 0 ? clientMsgId : `${clientMsgId}:${k}`)

/**
 * The key of one target of a forward. Clients cannot use it, because theirs contain no colon; the parts of requests with attachments do, but
 * they are no keys.
 */
export const keyOfTarget = (clientMsgId: string, userId: number): string => `${clientMsgId}:${userId}`

/** Whether a message can no longer be recalled. Times in epoch milliseconds. */
export const isTooLate = (createdAt: number, now: number, recallSeconds: number): boolean =>
  now >= createdAt + recallSeconds * 1000
