/** Helpers for the tests of messages. They look inside the server: tests that use them are guarded by `inProcess`. */

import { and, eq } from 'drizzle-orm'

import { conversationMembers, conversations, type GroupRole, messages } from '#db/schema/chat.ts'
import { contacts } from '#db/schema/contacts.ts'

import { ok, type Person, type TestServer } from '../harness/index.ts'

/** Gives `from` a row about `to`. */
export async function relate(
  server: TestServer,
  from: Person,
  to: Person,
  { isContact = true, blocked = false } = {},
): Promise<void> {
  await server.ctx.db.write('test.relate', async (tx) => {
    const times = { createdAt: tx.stamp, updatedAt: tx.stamp }
    await tx
      .insert(contacts)
      .values({ userId: from.id, otherId: to.id, isContact, blocked, tags: [], ...times })
      .onConflictDoUpdate({ target: [contacts.userId, contacts.otherId], set: { isContact, blocked } })
  })
}

/** Makes both contacts of each other. */
export async function connect(server: TestServer, a: Person, b: Person): Promise<void> {
  await relate(server, a, b)
  await relate(server, b, a)
}

/** Deletes the rows of both about each other. */
export const unrelate = (server: TestServer, a: Person, b: Person) =>
  server.ctx.db.write('test.unrelate', async (tx) => {
    for (const [userId, otherId] of [
      [a.id, b.id],
      [b.id, a.id],
    ] as const)
      await tx.delete(contacts).where(and(eq(contacts.userId, userId), eq(contacts.otherId, otherId)))
  })

/** A group of these people, the first of whom is the owner. Returns its id. */
export function makeGroup(server: TestServer, people: readonly Pick<Person, 'id'>[]): Promise<number> {
  return server.ctx.db.write('test.group', async (tx) => {
    const times = { createdAt: tx.stamp, updatedAt: tx.stamp }
    const rows = await tx
      .insert(conversations)
      .values({ type: 'GROUP', name: 'Team', memberCount: people.length, ...times })
      .returning({ id: conversations.id })
    const conversationId = rows[0]!.id
    for (const [i, { id: userId }] of people.entries()) {
      const role: GroupRole = i === 0 ? 'OWNER' : 'MEMBER'
      await tx
        .insert(conversationMembers)
        .values({ conversationId, userId, role, sortAt: tx.stamp, updatedAt: tx.stamp })
    }
    return conversationId
  })
}

type MemberChange = Partial<typeof conversationMembers.$inferInsert>

/** Changes a member row as clearing, leaving and deleting do. */
export const changeMember = (server: TestServer, conversationId: number, person: Person, change: MemberChange) =>
  server.ctx.db.write('test.member', async (tx) => {
    await tx
      .update(conversationMembers)
      .set(change)
      .where(and(eq(conversationMembers.conversationId, conversationId), eq(conversationMembers.userId, person.id)))
  })

/** Deletes a member row, as the end of an account does. */
export const deleteMember = (server: TestServer, conversationId: number, person: Person) =>
  server.ctx.db.write('test.member', async (tx) => {
    await tx
      .delete(conversationMembers)
      .where(and(eq(conversationMembers.conversationId, conversationId), eq(conversationMembers.userId, person.id)))
  })

export async function memberOf(server: TestServer, conversationId: number, person: Person) {
  const rows = await server.ctx.db.read
    .select()
    .from(conversationMembers)
    .where(and(eq(conversationMembers.conversationId, conversationId), eq(conversationMembers.userId, person.id)))
  return rows[0]
}

export const storedMessages = (server: TestServer) => server.ctx.db.read.select().from(messages).orderBy(messages.id)

let keys = 0
export const newKey = (): string => `key-${++keys}`

/** Sends whatever the body says; text to a user by default. */
export const send = (from: Person, body: object) =>
  from.post('/api/chats/messages', { clientMsgId: newKey(), type: 'TEXT', content: { text: 'hello' }, ...body })

export const sendText = async (from: Person, to: Person, text = 'hello') =>
  ok(
    await from.call('messages.send', {
      body: { toUserId: to.id, clientMsgId: newKey(), type: 'TEXT', content: { text } },
    }),
  ).data.messages[0]!

export const recall = (person: Person, id: number) => person.call('messages.recall', { params: { id } })
