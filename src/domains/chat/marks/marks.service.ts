/** Read marks of messages, for their senders. */

import type { AppContext } from '#context'
import type { Db } from '#db/store.ts'
import { personsByIds } from '#domains/contacts/index.ts'
import type { Actor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'

import { notInConversation } from '../chat.errors.ts'
import { conversationsByIds, type MemberRow } from '../members.store.ts'
import type { Message } from '../messages/messages.model.ts'
import { findSeen } from '../messages/messages.store.ts'
import type { MessageReaders } from './marks.model.ts'
import { countReaders, type Mark, readTime, showsRead, wasSentTo } from './marks.rules.ts'
import { marksIn } from './marks.store.ts'

/** The marks of the others in a conversation, or why the viewer sees none. */
export async function seenMarks(
  db: Db,
  conversationId: number,
  viewerId: number,
): Promise<Mark[] | 'LARGE_GROUP' | 'RECEIPTS_OFF' | 'LEFT'> {
  const marks = await marksIn(db, conversationId, viewerId)
  if (marks.length === 0) return 'LARGE_GROUP'
  const own = marks.find(({ userId }) => userId === viewerId)
  if (own === undefined) return 'LEFT'
  return own.receipts ? marks.filter((mark) => mark !== own) : 'RECEIPTS_OFF'
}

/** Adds to the viewer's own messages in a group how many members have read them. */
export async function withReadCounts(db: Db, viewer: MemberRow, messages: readonly Message[]): Promise<Message[]> {
  const isCounted = ({ senderId, recalled }: Message) => senderId === viewer.userId && !recalled
  // Direct conversations have `peerReadUpToId`.
  if (viewer.role === null || !messages.some(isCounted)) return [...messages]
  const marks = await seenMarks(db, viewer.conversationId, viewer.userId)
  if (typeof marks === 'string') return [...messages]
  return messages.map((message) =>
    isCounted(message) ? { ...message, readCount: countReaders(message.id, marks) } : message,
  )
}

const nobody = (unavailable: MessageReaders['unavailable']): MessageReaders => ({
  readers: [],
  notReadCount: 0,
  unavailable,
})

/** The members who have read a message of the user. */
export async function showReaders(ctx: AppContext, { userId }: Actor, id: number): Promise<MessageReaders> {
  const { read } = ctx.db
  const seen = await findSeen(read, id, userId)
  if (seen?.message.senderId !== userId) throw notFound()
  const { conversationId, recalledAt } = seen.message
  const [conversation] = await conversationsByIds(read, [conversationId])
  if (seen.member.leftAfter !== null || conversation?.isOver !== false) throw notInConversation()
  if (recalledAt !== null) return nobody('RECALLED')
  const marks = await seenMarks(read, conversationId, userId)
  if (marks === 'LEFT') throw notInConversation()
  if (typeof marks === 'string') return nobody(marks)
  const audience = marks.filter((mark) => wasSentTo(id, mark))
  const readers = audience
    .filter((mark) => showsRead(id, mark))
    .map((mark) => ({ userId: mark.userId, readAt: readTime(id, mark) }))
    .toSorted((a, b) => (b.readAt ?? 0) - (a.readAt ?? 0) || a.userId - b.userId)
  const persons = await personsByIds(
    ctx,
    read,
    readers.map((reader) => reader.userId),
  )
  return {
    readers: readers.flatMap(({ userId: readerId, readAt }) => {
      const person = persons.get(readerId)
      return person === undefined ? [] : [{ ...person, readAt }]
    }),
    notReadCount: audience.length - readers.length,
    unavailable: null,
  }
}
