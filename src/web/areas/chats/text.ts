/** One-line excerpts of messages, for lists, replies and announcements. */

import type { Conversation, GroupMember, Message } from '../../api/types.ts'
import { list } from '../../i18n/format.ts'
import { useTexts } from '../../i18n/words.ts'
import { useSession } from '../../session/session.ts'
import { eventWords, words } from './words.ts'

export type NameOf = (userId: number | null) => string

/**
 * The names of the members of a conversation, undefined if they are not known. `title` is that of the other user of a direct one, `some` are names that are
 * known anyway.
 */
export function useNames(
  members: readonly GroupMember[] | undefined,
  peer: { userId: number; title: string } | null,
  some: Conversation['lastMessageNames'] = [],
): NameOf {
  const t = useTexts(words)
  const { user } = useSession()
  const names = new Map(members?.map(({ userId, nickname }) => [userId, nickname]))
  for (const { userId, name } of some) names.set(userId, name)
  return (userId) => {
    if (userId === user.id) return t.you
    if (peer !== null && userId === peer.userId) return peer.title
    return (userId !== null && names.get(userId)) || (members === undefined ? t.member : t.former)
  }
}

/** The title of a conversation in the language of the user. */
export function useTitleOf(): (conversation: Pick<Conversation, 'title' | 'isNotes'>) => string {
  const t = useTexts(words)
  return ({ title, isNotes }) => (isNotes ? t.notes : title)
}

export function useExcerpt(): (message: Message, nameOf: NameOf) => string {
  const t = useTexts(words)
  const events = useTexts(eventWords)
  const { user } = useSession()
  return (message, nameOf) => {
    const { type, content, senderId, recalled } = message
    if (message.removal !== null) {
      const { by, userId, reason } = message.removal
      const text = by === 'GROUP' ? t.removedBy(nameOf(userId)) : t.removedByAdministrator
      return reason === '' ? text : t.said(text, reason)
    }
    if (recalled) return senderId === user.id ? t.recalledOwn : t.recalled(nameOf(senderId))
    if (type === 'SYSTEM') {
      const { event, userIds, text } = content as { event: string; userIds?: number[]; text: string }
      const say = events[event as keyof typeof events]
      return say === undefined ? text : say(list([...new Set((userIds ?? []).map(nameOf))]))
    }
    if (type === 'TEXT') return String(content['text'])
    const detail = content['caption'] ?? content['name'] ?? content['nickname']
    return detail ? `[${t.types[type]}] ${String(detail)}` : `[${t.types[type]}]`
  }
}
