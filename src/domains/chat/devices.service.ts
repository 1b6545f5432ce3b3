/** New messages for devices without a socket (domains/push). */

import type { AppContext } from '#context'
import type { MessageType } from '#db/schema/chat.ts'
import { personsByIds } from '#domains/contacts/index.ts'

import { deletionsOf } from './deleted.store.ts'
import * as store from './devices.store.ts'
import { isUnread } from './members.rules.ts'
import { conversationsByIds } from './members.store.ts'
import { textOf } from './messages/messages.rules.ts'
import { messagesByIds } from './messages/messages.store.ts'

export interface DeviceMessage {
  readonly id: number
  readonly conversationId: number
  readonly senderId: number
  readonly senderName: string
  readonly type: MessageType
  /** The name of the group; null in a direct conversation. */
  readonly group: string | null
  /** Its text, caption or name; empty if it has none. */
  readonly text: string
  /** Members who have not read it. Without those who have muted the conversation, unless it mentions them. */
  readonly userIds: readonly number[]
  readonly mentions: readonly number[]
}

/** Those of the messages that somebody has not read. */
export async function messagesForDevices(ctx: AppContext, ids: readonly number[]): Promise<DeviceMessage[]> {
  const { read } = ctx.db
  const rows = await messagesByIds(read, ids)
  const conversationIds = [...new Set(rows.map(({ conversationId }) => conversationId))]
  if (conversationIds.length === 0) return []
  const members = Map.groupBy(await store.listenersOf(read, conversationIds), (member) => member.conversationId)
  const deleted = Map.groupBy(await deletionsOf(read, ids), ({ messageId }) => messageId)
  const conversations = new Map((await conversationsByIds(read, conversationIds)).map((row) => [row.id, row]))
  const persons = await personsByIds(
    ctx,
    read,
    rows.flatMap(({ senderId }) => senderId ?? []),
  )
  return rows.flatMap((row) => {
    const { id, conversationId, senderId, type, content } = row
    const conversation = conversations.get(conversationId)
    const sender = senderId === null ? undefined : persons.get(senderId)
    if (conversation === undefined || sender === undefined) return []
    const named = (content['mentions'] as readonly number[] | undefined) ?? []
    const mentions =
      content['mentionsAll'] === true ? (members.get(conversationId) ?? []).map(({ userId }) => userId) : named
    const userIds = (members.get(conversationId) ?? [])
      .filter((member) => !deleted.get(id)?.some(({ userId }) => userId === member.userId))
      .filter((member) => isUnread(row, member) && (!member.muted || mentions.includes(member.userId)))
      .map(({ userId }) => userId)
    if (userIds.length === 0) return []
    const group = conversation.type === 'GROUP' ? conversation.name : null
    const of = { senderId: sender.userId, senderName: sender.nickname }
    return [{ id, conversationId, ...of, type, group, text: textOf(row), userIds, mentions }]
  })
}
