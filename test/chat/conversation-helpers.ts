/** Writes messages as sending does, without its checks, so that tests can make any history of conversations quickly. */

import { eq } from 'drizzle-orm'

import { messages } from '#db/schema/chat.ts'
import type { MessageType } from '#db/schema/chat.ts'
import { ensureDirect, messageRecalled } from '#domains/chat/members.store.ts'
import type { MessageRow } from '#domains/chat/messages/messages.store.ts'
import { storeMessages } from '#domains/chat/messages/posting.store.ts'
import { IN_ORDER, takeNumbers } from '#domains/chat/numbers.ts'
import { addSocket, removeSocket } from '#http/socket.ts'

import type { Person, TestServer } from '../harness/index.ts'

export type Sent = Pick<MessageRow, 'id' | 'conversationId' | 'senderId' | 'type' | 'createdAt'>

interface Details {
  readonly type?: MessageType
  readonly content?: Record<string, unknown>
  /** When it was sent, epoch milliseconds. */
  readonly at?: number
}

/** Sends messages of one sender in one write. Returns their ids. */
export const sendAll = (
  { ctx }: TestServer,
  from: Pick<Person, 'id'>,
  to: Pick<Person, 'id'>,
  texts: readonly string[],
  { type = 'TEXT', content, at = ctx.clock.now() }: Details = {},
): Promise<Sent[]> =>
  ctx.db.write(
    'test.send',
    async (tx) => {
      const conversation = await ensureDirect(tx, from.id, to.id)
      return insert(tx, conversation.id, type === 'SYSTEM' ? null : from.id, texts, type, content, at)
    },
    IN_ORDER,
  )

type Tx = Parameters<typeof ensureDirect>[0]

async function insert(
  tx: Tx,
  conversationId: number,
  senderId: number | null,
  texts: readonly string[],
  type: MessageType,
  content: Record<string, unknown> | undefined,
  createdAt: number,
): Promise<Sent[]> {
  const first = await takeNumbers(tx, texts.length)
  const rows = texts.map((text, i) => ({
    id: first + i,
    conversationId,
    senderId,
    type,
    content: content ?? { text },
    clientMsgId: senderId === null ? null : `${senderId}-${first + i}`,
    replyToId: null,
    forwarded: false,
    createdAt,
    reactions: null,
  }))
  await storeMessages(tx, rows)
  return rows
}

export const sendText = async (
  server: TestServer,
  from: Pick<Person, 'id'>,
  to: Pick<Person, 'id'>,
  text: string,
  details?: Details,
) => (await sendAll(server, from, to, [text], details))[0]!

/** Sends into a conversation that exists, for example a group. */
export const sendInto = ({ ctx }: TestServer, conversationId: number, senderId: number, texts: readonly string[]) =>
  ctx.db.write(
    'test.send',
    (tx) => insert(tx, conversationId, senderId, texts, 'TEXT', undefined, ctx.clock.now()),
    IN_ORDER,
  )

export const recall = ({ ctx }: TestServer, message: Sent): Promise<void> =>
  ctx.db.write(
    'test.recall',
    async (tx) => {
      const number = await takeNumbers(tx, 1)
      await tx
        .update(messages)
        .set({ recalledAt: tx.stamp, changedNumber: number, content: {} })
        .where(eq(messages.id, message.id))
      await messageRecalled(tx, message, number)
    },
    IN_ORDER,
  )

export interface Received {
  readonly type: string
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into frames of every shape
  readonly data: any
}

/** Puts a socket of the user into the registry and keeps its frames. */
export function listen(
  { ctx }: TestServer,
  person: Pick<Person, 'id'> & Partial<Pick<Person, 'sessionId'>>,
  onFrame: (frame: Received) => void = () => undefined,
): { readonly frames: Received[]; close(): void } {
  const frames: Received[] = []
  const send = (text: string) => {
    const frame = JSON.parse(text) as Received
    frames.push(frame)
    onFrame(frame)
  }
  const socket = {
    actor: { userId: person.id, sessionId: person.sessionId ?? 0, deviceKey: 'device' },
    locale: 'en',
    send,
    sendAll: (texts: readonly string[]) => texts.forEach(send),
  } as const
  addSocket(ctx, socket)
  return { frames, close: () => removeSocket(ctx, socket) }
}
