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

const sees = ({ clearedUpTo, leftAfter }: Seen): boolean => leftAfter === null || leftAfter > clearedUpTo

/** The id up to which none of the members can see the messages of the conversation; all of them if there are no members. */
export const unseenUpTo = (members: readonly Seen[]): number =>
  Math.min(Number.MAX_SAFE_INTEGER, ...members.filter(sees).map(({ clearedUpTo }) => clearedUpTo))

/**
 * Of a message above `unseenUpTo` that nobody sees, at least one of these members has deleted it: former members, and the present one who has cleared least. So
 * not all deletions of a large group have to be read.
 */
export function lastViewers<Member extends Seen>(members: readonly Member[]): Member[] {
  const [present, former] = [members.filter(({ leftAfter }) => leftAfter === null), members.filter(sees)]
  const least = present.toSorted((a, b) => a.clearedUpTo - b.clearedUpTo).slice(0, 1)
  return [...least, ...former.filter(({ leftAfter }) => leftAfter !== null)]
}
