/** Helpers for the tests of groups. */

import type { Conversation } from '#domains/chat/conversations/conversations.model.ts'
import type { CreateGroup } from '#domains/chat/groups/groups.model.ts'
import type { Message } from '#domains/chat/messages/messages.model.ts'

import { ok, type Person, type TestServer } from '../harness/index.ts'
import { connect } from './helpers.ts'

/** Makes a user a contact of the others, and the others contacts of the user. */
export async function befriend(server: TestServer, one: Person, ...others: Person[]): Promise<void> {
  for (const other of others) await connect(server, one, other)
}

export const createGroup = async (owner: Person, members: readonly Person[], fields: Partial<CreateGroup> = {}) =>
  ok(await owner.call('groups.create', { body: { name: 'Climbers', userIds: members.map(({ id }) => id), ...fields } }))
    .data

let sent = 0

/** Sends a text to a conversation. */
export async function say(
  sender: Person,
  { id }: { readonly id: number },
  text: string,
  more: { readonly replyToId?: number; readonly mentions?: number[] } = {},
): Promise<Message> {
  sent += 1
  const { mentions, ...fields } = more
  const body = {
    conversationId: id,
    clientMsgId: `test-${sender.id}-${sent}`,
    type: 'TEXT',
    content: { text, ...(mentions && { mentions }) },
    ...fields,
  }
  return ok(await sender.call('messages.send', { body })).data.messages[0]!
}

/** The texts that a user sees in a conversation, the newest first; of SYSTEM messages the event. */
export async function history(user: Person, { id }: { readonly id: number }): Promise<string[]> {
  const { items } = ok(await user.get(`/api/chats/conversations/${id}/messages`, { limit: 100 })).data
  return items.map((message: Message) => message.content['event'] ?? message.content['text'])
}

export const membersOf = async (user: Person, { id }: { readonly id: number }) =>
  ok(await user.call('groups.members', { params: { id }, query: { size: 100 } })).data

export const conversationOf = async (user: Person, { id }: { readonly id: number }): Promise<Conversation> =>
  ok(await user.get(`/api/chats/conversations/${id}`)).data
