/** Reads the rows that decide about messages of many senders, and stores the messages: in one statement each, for any number of messages. */

import { and, eq, sql } from 'drizzle-orm'

import { insertFrom, jsonRows, together } from '#db/json-rows.ts'
import { prepared } from '#db/prepared.ts'
import { users } from '#db/schema/accounts.ts'
import { conversationMembers as members, conversations, messageKeys, messages } from '#db/schema/chat.ts'
import { organizations } from '#db/schema/orgs.ts'
import { counters } from '#db/schema/settings.ts'
import type { Builders, Tx } from '#db/store.ts'
import { messageRefusal } from '#domains/contacts/index.ts'

import { lastTaken, takeUpTo } from '../chat.store.ts'
import { addedToMembers, addToMembers } from '../members.store.ts'
import { announceNumbers } from '../numbers.ts'
import type { KeyRow, MessageRow } from './messages.store.ts'

const asked = jsonRows('asked', {
  nth: 'int',
  senderId: 'int',
  clientMsgId: 'text',
  conversationId: 'int',
  peerId: 'int',
  low: 'int',
  high: 'int',
  rateKey: 'text',
})

const direct = sql`(select pair.id from ${conversations} as pair where pair.low_user_id = ${asked.low} and pair.high_user_id = ${asked.high})`
/** NULL for groups, and for the notes of the sender, in whose way nobody is. */
const peerId = sql`nullif(coalesce(${asked.peerId}, case when ${conversations.lowUserId} = ${asked.senderId} then ${conversations.highUserId} else ${conversations.lowUserId} end), ${asked.senderId})`

/** Whether the group is one of an organization that was dissolved: a job ends it (groups.listeners.ts). */
const isOver = sql<boolean>`(${conversations.orgId} <> 0 and ${organizations.id} is null)`

const facts = prepared((db) =>
  db
    .select({
      nth: asked.nth.mapWith(Number),
      conversationId: conversations.id,
      memberCount: conversations.memberCount,
      peerId: peerId.mapWith(Number),
      // Null: there is no such member, or the account was deleted.
      peerHidden:
        sql`(select peer.hidden from ${members} as peer inner join ${users} as account on account.id = peer.user_id where peer.conversation_id = ${conversations.id} and peer.user_id = ${peerId} and account.status <> 'DELETED')`.mapWith(
          Boolean,
        ),
      hidden: members.hidden,
      clearedUpTo: members.clearedUpTo,
      leftAfter: members.leftAfter,
      role: members.role,
      membersMentionAll: conversations.membersMentionAll,
      orgStatus: organizations.status,
      isOver: isOver.mapWith(Boolean),
      refusal: messageRefusal(asked.senderId, peerId),
      keyConversationId: messageKeys.conversationId,
      keyFirstId: messageKeys.firstId,
      keyCount: messageKeys.count,
      keyDigest: messageKeys.digest,
      rateCount: counters.count,
      rateWindowStart: counters.windowStart,
      rateExpiresAt: counters.expiresAt,
      lastNumber: lastTaken.mapWith(Number),
    })
    .from(asked.rows)
    .leftJoin(conversations, eq(conversations.id, sql`coalesce(${asked.conversationId}, ${direct})`))
    .leftJoin(members, and(eq(members.conversationId, conversations.id), eq(members.userId, asked.senderId)))
    .leftJoin(organizations, eq(organizations.id, conversations.orgId))
    .leftJoin(
      messageKeys,
      and(eq(messageKeys.senderId, asked.senderId), eq(messageKeys.clientMsgId, asked.clientMsgId)),
    )
    .leftJoin(counters, eq(counters.key, asked.rateKey)),
)

export type Facts = Awaited<ReturnType<typeof facts>>[number]

export interface Asked {
  readonly senderId: number
  readonly clientMsgId: string
  /** One of the two. */
  readonly toUserId?: number | null | undefined
  readonly conversationId?: number | null | undefined
}

/** The counter of a sender's messages in a minute. */
const rateKey = (senderId: number) => `chat messages:user:${senderId}`

/** The rows that decide about each of the messages, in their order. */
export async function findFacts(tx: Tx, messagesToSend: readonly Asked[]): Promise<Facts[]> {
  const rows = messagesToSend.map(({ senderId, clientMsgId, toUserId, conversationId }, nth) => {
    const target =
      toUserId == null
        ? { conversationId }
        : { peerId: toUserId, low: Math.min(senderId, toUserId), high: Math.max(senderId, toUserId) }
    return { nth, senderId, clientMsgId, rateKey: rateKey(senderId), ...target }
  })
  const found = await facts(tx, asked.values(rows))
  return found.toSorted((a, b) => a.nth - b.nth)
}

const newMessages = jsonRows('new_messages', {
  id: 'int',
  conversationId: 'int',
  senderId: 'int',
  type: 'text',
  content: 'text',
  clientMsgId: 'text',
  replyToId: 'int',
  forwarded: 'bool',
  createdAt: 'int',
})
const insertMessages = (db: Builders) => insertFrom(db, messages, newMessages)

const newKeys = jsonRows('new_keys', {
  senderId: 'int',
  clientMsgId: 'text',
  conversationId: 'int',
  firstId: 'int',
  count: 'int',
  digest: 'text',
})
/** Fails if a sender has used a key before. */
const insertKeys = (db: Builders) => insertFrom(db, messageKeys, newKeys)

const newRates = jsonRows('new_rates', { key: 'text', count: 'int', windowStart: 'int', expiresAt: 'int' })
const setRates = (db: Builders) =>
  insertFrom(db, counters, newRates).onConflictDoUpdate({
    target: counters.key,
    set: {
      count: sql`excluded.count`,
      windowStart: sql`excluded.window_start`,
      expiresAt: sql`excluded.expires_at`,
    },
  })

export type NewMessage = Omit<MessageRow, 'recalledAt' | 'removal' | 'editedAt' | 'changedNumber' | 'reactions' | 'pin'>

/** Messages of a sender that count in a window. */
export interface Rate {
  readonly count: number
  readonly windowStart: number
  readonly expiresAt: number
}

const storeAll = together(takeUpTo, setRates, addToMembers, insertKeys, insertMessages)

/**
 * Stores messages, whose ids follow `lastNumber`, in a write that is `IN_ORDER`, and announces them. Returns the whole rows. Fails if a sender has
 * used a key before.
 */
export async function storeMessages(
  tx: Tx,
  rows: readonly NewMessage[],
  keys: readonly KeyRow[] = [],
  rates: ReadonlyMap<number, Rate> = new Map(),
): Promise<MessageRow[]> {
  const last = rows.at(-1)!.id
  const contents = rows.map((row) => ({ ...row, content: JSON.stringify(row.content) }))
  await storeAll(tx, {
    last,
    stamp: tx.stamp,
    ...newRates.values([...rates].map(([senderId, rate]) => ({ key: rateKey(senderId), ...rate }))),
    ...addedToMembers(rows),
    ...newKeys.values(keys),
    ...newMessages.values(contents),
  })
  announceNumbers(tx, last)
  return rows.map((row) => ({
    ...row,
    recalledAt: null,
    removal: null,
    editedAt: null,
    changedNumber: null,
    reactions: null,
    pin: null,
  }))
}

const insertKeyRow = prepared(insertKeys)

/** Fails if the sender has used the key before. */
export const insertKey = async (tx: Tx, row: KeyRow): Promise<void> =>
  void (await insertKeyRow(tx, newKeys.values([row])))
