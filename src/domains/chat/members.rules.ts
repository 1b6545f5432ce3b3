/** Decisions about the rows of members and messages. */

import type { MessageType } from '#db/schema/chat.ts'

export interface Seen {
  readonly clearedUpTo: number
  readonly leftAfter: number | null
}

/** Whether the member can see the message with this id, if it is one of the conversation. */
export const isVisible = (id: number, { clearedUpTo, leftAfter }: Seen): boolean =>
  id > clearedUpTo && (leftAfter === null || id <= leftAfter)

/** Whether the message counts as unread for the members who have not sent it. */
export const counts = ({ type }: { readonly type: MessageType }): boolean => type !== 'SYSTEM'

export interface Countable {
  readonly id: number
  readonly senderId: number | null
  readonly type: MessageType
  readonly recalledAt: number | null
}

/** Whether the message is one of those that `unread` of the member counts. */
export const isUnread = (
  message: Countable,
  member: Seen & { readonly userId: number; readonly readUpTo: number },
): boolean =>
  counts(message) &&
  message.recalledAt === null &&
  message.senderId !== member.userId &&
  message.id > member.readUpTo &&
  isVisible(message.id, member)

/** The id up to which none of the members can see the messages of the conversation; all of them if there are no members. */
export function unseenUpTo(members: readonly Seen[]): number {
  const seeing = members.filter(({ clearedUpTo, leftAfter }) => leftAfter === null || leftAfter > clearedUpTo)
  return Math.min(Number.MAX_SAFE_INTEGER, ...seeing.map(({ clearedUpTo }) => clearedUpTo))
}
