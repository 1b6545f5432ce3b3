import { befriend } from '../contacts/helpers.ts'
import type { IsolationFixture } from '../contract/isolation-fixture.ts'
import { png, uploaded } from '../files/helpers.ts'
import { ok } from '../harness/index.ts'
import { send, sendText } from './helpers.ts'

export const isolation: IsolationFixture = {
  async make({ server, victim, mark }) {
    const friend = await server.person()
    await befriend(victim, friend)
    const message = await sendText(victim, friend, mark)
    const { id: fileId } = await uploaded(victim, png(), { name: `${mark}.png` })
    const image = ok(await send(victim, { toUserId: friend.id, type: 'IMAGE', content: { fileId, caption: mark } }))
    const imageMessage: number = image.data.messages[0].id
    const group = ok(await victim.call('groups.create', { body: { name: mark, userIds: [friend.id] } })).data.id
    const notes = ok(await victim.call('chats.openNotes')).data.id
    ok(await send(victim, { conversationId: notes, content: { text: mark } }))
    const draft = { draft: mark, baseVersion: 0 }
    ok(await victim.call('conversations.draft', { params: { id: notes }, body: draft }))
    return {
      notes,
      group,
      emoji: '👍',
      message: message.id,
      imageMessage,
      conversation: message.conversationId,
      chatFriend: friend.id,
    }
  },
  paths: [
    [/^\/api\/chats\/messages\/:id\/file/, 'imageMessage'],
    [/^\/api\/chats\/messages\/:/, 'message'],
    [/^\/api\/chats\/conversations\/:/, 'conversation'],
    [/^\/api\/chats\/groups\/:/, 'group'],
  ],
  fields: { messageId: 'message', conversationId: 'conversation', replyToId: 'message', toUserId: 'chatFriend' },
  fieldsIn: [
    [/^\/api\/chats\/messages\/forward/, { messageIds: 'imageMessage', userIds: 'chatFriend' }],
    [/^\/api\/chats\/groups/, { userIds: 'chatFriend', userId: 'chatFriend' }],
    [/\/reactions\/:/, { emoji: 'emoji' }],
  ],
  reads: ({ conversation, group, notes }) => [
    '/api/chats/conversations?size=100',
    `/api/chats/conversations/${conversation}/messages`,
    `/api/chats/conversations/${group}/messages`,
    `/api/chats/conversations/${notes}`,
    `/api/chats/conversations/${notes}/messages`,
    `/api/chats/groups/${group}/members`,
    '/api/chats/sync',
  ],
}
