import type { AppContext } from '#context'
import type { Db } from '#db/store.ts'
import type { Actor } from '#http/endpoint.ts'
import { ownTurn } from '#http/turns.ts'

import { lastNumber } from '../chat.store.ts'
import type { Conversation } from '../conversations/conversations.model.ts'
import { ownMembers } from '../conversations/conversations.store.ts'
import { toConversations } from '../conversations/conversations.view.ts'
import { deletedAmong, type DeletionRow, deletionsIn } from '../deleted.store.ts'
import { changeDelivery, type Deletion, type Delivery, inOrder, recallOf, sentDelivery } from '../feed/feed.rules.ts'
import { type MessageRow, messagesByIds } from '../messages/messages.store.ts'
import { loadExtras, toMessage } from '../messages/messages.view.ts'
import type { SyncPage, SyncQuery } from './sync.model.ts'
import * as store from './sync.store.ts'

/** Ranges grow by this factor until they hold a page. */
const GROWTH = 16
/** With no more conversations than this, each is looked into at once, without growing ranges. */
const FEW = 32
/** Conversations that are made in one turn of the event loop: a few milliseconds. */
const CONVERSATIONS_PER_TURN = 100

/** The next messages and changes of the user after a cursor: complete, in the order of their numbers. */
export async function sync(ctx: AppContext, { userId }: Actor, query: SyncQuery): Promise<SyncPage> {
  const { afterId, limit } = query
  const db = ctx.db.read
  await ownTurn(ctx)
  const found = await findNext(db, userId, afterId, limit + 1)
  const whole = found.slice(0, limit)
  const deleted = await deletedAmong(
    db,
    whole.map((delivery) => idOf(delivery)),
    userId,
  )
  // Of a message that the user has deleted, only the deletion is delivered.
  const page = whole.filter(
    (delivery) => delivery.kind !== 'deleted' && !deleted.has(delivery.message.id),
  ) as Delivery<MessageRow>[]
  const deletions = whole.flatMap((delivery) => (delivery.kind === 'deleted' ? [delivery] : []))
  await ownTurn(ctx)
  const extras = await loadExtras(
    db,
    page.map(({ message }) => message),
  )
  const views = (kind: Delivery<MessageRow>['kind']) =>
    page.filter((delivery) => delivery.kind === kind).map(({ message }) => toMessage(ctx, message, extras))
  const messages = views('sent')
  const conversations = await conversationsOf(ctx, userId, [
    ...new Set([...page.map(({ message }) => message.conversationId), ...deletions.map((one) => one.conversationId)]),
  ])
  return {
    messages,
    recalled: whole.flatMap((delivery) => {
      if (delivery.kind === 'deleted') {
        const { messageId, conversationId, createdAt: recalledAt } = delivery
        return [{ messageId, conversationId, recalledAt, deleted: true }]
      }
      const { message } = delivery
      return delivery.kind === 'recalled' && !deleted.has(message.id) ? [recallOf(message)] : []
    }),
    updated: views('changed'),
    conversations,
    cursor: whole.at(-1)?.number ?? afterId,
    hasMore: found.length > limit,
  }
}

type Next = Delivery<MessageRow> | Deletion

const idOf = (next: Next): number => (next.kind === 'deleted' ? next.messageId : next.message.id)

async function conversationsOf(ctx: AppContext, userId: number, ids: readonly number[]): Promise<Conversation[]> {
  const conversations: Conversation[] = []
  for (let from = 0; from < ids.length; from += CONVERSATIONS_PER_TURN) {
    await ownTurn(ctx)
    const rows = await ownMembers(ctx.db.read, userId, ids.slice(from, from + CONVERSATIONS_PER_TURN))
    // A message can be deleted and then its conversation: devices must not put that back on their lists.
    const listed = rows.filter(({ hidden }) => !hidden)
    conversations.push(...(await toConversations(ctx, userId, listed)))
  }
  return conversations
}

/** At most `limit` messages and changes above `after`. The cost follows this number, and not that of the messages on the server. */
async function findNext(db: Db, userId: number, after: number, limit: number): Promise<Next[]> {
  // Read before anything else: messages that are committed later have greater numbers.
  const last = await lastNumber(db)
  const touched = await store.countTouched(db, userId, after)
  if (touched === 0) return []
  for (let length = 4 * limit; ; length *= GROWTH) {
    const upTo = touched <= FEW ? last : Math.min(last, after + length)
    const way = upTo - after <= 2 * touched ? 'whole' : 'byConversation'
    const range = { userId, after, upTo, limit }
    const [sent, changed, deleted] = await Promise.all([
      store.sentIn[way](db, range),
      store.changedIn[way](db, range),
      deletionsIn(db, userId, range),
    ])
    if (upTo === last || sent.length + changed.length + deleted.length >= limit)
      return (await load(db, sent, changed, deleted)).slice(0, limit)
  }
}

async function load(
  db: Db,
  sent: readonly store.Found[],
  changed: readonly store.Found[],
  deleted: readonly DeletionRow[],
): Promise<Next[]> {
  const rows = await messagesByIds(
    db,
    [...sent, ...changed].map(({ id }) => id),
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  // The retention job may have deleted a message meanwhile.
  const deliveries: Next[] = [
    ...deleted.map((row) => ({ kind: 'deleted' as const, ...row })),
    ...sent.flatMap(({ id }) => byId.get(id) ?? []).map((message) => sentDelivery(message)),
    ...changed.flatMap(({ id, number }) => {
      const message = byId.get(id)
      return message === undefined ? [] : [changeDelivery(message, number)]
    }),
  ]
  return inOrder(deliveries)
}
