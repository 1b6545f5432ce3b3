/** Edits of texts. An edit takes a number, so that sockets and `sync` deliver the message again. Edits that wait are stored by one write, as sendings are. */

import { type AppContext, perContext } from '#context'
import { type Gathered, GatheredWrites } from '#db/gathered-writes.ts'
import type { Tx } from '#db/store.ts'
import { emit } from '#domains/domain.ts'
import { getSetting } from '#domains/settings/index.ts'
import type { Actor, Caller } from '#http/endpoint.ts'
import { AppError, notFound } from '#http/errors.ts'
import { SECOND } from '#platform/clock.ts'

import * as errors from './chat.errors.ts'
import { announce } from './conversations/conversations.view.ts'
import type { EditMessage } from './edits.model.ts'
import { findEdited, type Found, storeEdits } from './edits.store.ts'
import { isVisible } from './members.rules.ts'
import { mentionsChanged } from './members.store.ts'
import type { StoredContents } from './messages/contents.model.ts'
import { checkShape, prepare, type Prepared } from './messages/contents.service.ts'
import type { Message } from './messages/messages.model.ts'
import { findSeen, type MessageRow } from './messages/messages.store.ts'
import { toMessages } from './messages/messages.view.ts'
import { checkFacts, checkMentions, mentionsAllOf, mentionsOf } from './messages/posting.service.ts'
import { type Facts, findFacts } from './messages/posting.store.ts'
import { IN_ORDER } from './numbers.ts'
import { changedTerms } from './search/search.service.ts'

interface Edit {
  readonly userId: number
  readonly messageId: number
  readonly next: Prepared
  /** The time in which messages can be edited. */
  readonly seconds: number
}

const editing = perContext(
  (ctx) => new GatheredWrites<Edit, MessageRow>(ctx.db, 'chat.edit', (tx, edits) => editAll(ctx, tx, edits), IN_ORDER),
)

/** Replaces the text of a message for everyone. The same text changes nothing. */
export async function editMessage(
  ctx: AppContext,
  { userId }: Actor,
  caller: Caller,
  messageId: number,
  { content }: EditMessage,
): Promise<Message> {
  let next: Prepared
  try {
    next = await prepare(ctx, { userId, caller }, await checkShape(ctx, 'TEXT', content, 'body.content'))
  } catch (error) {
    // A message of others is answered like an unknown one whatever the body says.
    throw error instanceof AppError && (await findSeen(ctx.db.read, messageId, userId)) === undefined
      ? notFound()
      : error
  }
  const seconds = await getSetting(ctx, 'chat.editSeconds')
  const row = await editing(ctx).add({ userId, messageId, next, seconds })
  return (await toMessages(ctx, ctx.db.read, [row]))[0]!
}

/** Member rows that one write changes: a few milliseconds. */
const MAX_MEMBERS = 1000

/**
 * Checks each of the edits by itself, and stores those that are allowed with consecutive numbers. Of the edits of a conversation, a write takes the first; the
 * others are `later`.
 */
async function editAll(ctx: AppContext, tx: Tx, edits: readonly Edit[]): Promise<Gathered<MessageRow>[]> {
  const conversations = new Set<number>()
  const found = (await findEdited(tx, edits)).map((one) => {
    if (one === undefined) return undefined
    const { size } = conversations
    return conversations.add(one.message.conversationId).size > size ? one : 'later'
  })
  const facts = await findFacts(
    tx,
    edits.map(({ userId: senderId }, i) => {
      const one = found[i]
      const conversationId = typeof one === 'object' ? one.message.conversationId : null
      return { senderId, clientMsgId: '', conversationId }
    }),
  )
  const changes: Change[] = []
  let number = facts[0]!.lastNumber
  let members = 0
  const outcomes: Gathered<MessageRow>[] = []
  for (const [i, edit] of edits.entries()) {
    const one = found[i]
    if (one === 'later' || members >= MAX_MEMBERS) outcomes.push('later')
    else
      try {
        if (!(await check(ctx, tx, edit, one, facts[i]!))) outcomes.push({ value: one!.message })
        else {
          const change = changeOf(edit, one!, ++number, ctx.clock.now())
          changes.push(change)
          members += facts[i]!.memberCount!
          outcomes.push({ value: change.row })
        }
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        outcomes.push({ error })
      }
  }
  if (changes.length > 0) await store(ctx, tx, changes)
  return outcomes
}

/** Whether the edit changes something. @throws AppError */
async function check(
  ctx: AppContext,
  tx: Tx,
  { userId, next, seconds }: Edit,
  found: Found | undefined,
  facts: Facts,
): Promise<boolean> {
  const { clearedUpTo, leftAfter } = facts
  if (found === undefined || clearedUpTo === null || found.isDeleted) throw notFound()
  const { message } = found
  if (!isVisible(message.id, { clearedUpTo, leftAfter })) throw notFound()
  if (message.senderId !== userId) throw errors.notYourText()
  if (message.type !== 'TEXT' || message.recalledAt !== null || message.forwarded) throw errors.notEditable()
  if (mentionsAllOf(next.content) && !mentionsAllOf(message.content)) throw errors.allNotAdded()
  await checkFacts(ctx, tx, userId, facts)
  const { mentionedBefore: _, toldAll: __, ...before } = message.content
  if (Bun.deepEquals(before, next.content)) return false
  if (ctx.clock.now() >= message.createdAt + seconds * SECOND) throw errors.editTimedOut(seconds)
  await checkMentions(tx, userId, [next], facts)
  return true
}

interface Change {
  readonly before: MessageRow
  readonly row: MessageRow
  readonly indexedUpTo: number
  /** Users who are mentioned now, and were not notified before. */
  readonly added: readonly number[]
  /** Members whose rows are marked and no longer marked. */
  readonly marks: Parameters<typeof mentionsChanged>[2]
}

function changeOf({ next }: Edit, { message, indexedUpTo }: Found, changedNumber: number, editedAt: number): Change {
  const { mentionedBefore = [] } = message.content as unknown as StoredContents['TEXT']
  const [before, mentions] = [mentionsOf(message.content), mentionsOf(next.content)]
  const told = [...new Set([...mentionedBefore, ...before])]
  // Everybody was notified of a text that mentioned all, and is not notified again.
  const wasAll = message.content['toldAll'] === true || mentionsAllOf(message.content)
  const added = wasAll ? [] : mentions.filter((userId) => !told.includes(userId))
  const isAll = mentionsAllOf(next.content)
  const without = before.filter((userId) => !mentions.includes(userId))
  const endsForAll = mentionsAllOf(message.content) && !isAll
  const content = {
    ...next.content,
    ...(told.length > 0 && { mentionedBefore: told }),
    ...(wasAll && { toldAll: true }),
  }
  return {
    before: message,
    row: { ...message, content, editedAt, changedNumber },
    indexedUpTo,
    added,
    // Those who are still mentioned keep the mark.
    marks: { added: endsForAll ? mentions : added, removed: isAll ? [] : endsForAll ? 'all' : without },
  }
}

async function store(ctx: AppContext, tx: Tx, changes: readonly Change[]): Promise<void> {
  // A message that is not indexed yet will be indexed with its new text.
  const indexed = changes.filter(({ row, indexedUpTo }) => row.id <= indexedUpTo)
  await storeEdits(
    tx,
    changes.map(({ row }) => row),
    indexed.map(({ before, row }) => changedTerms(row, before.content, row.content)),
  )
  for (const { row, added, marks } of changes) {
    announce(tx, row.conversationId, await mentionsChanged(tx, row, marks))
    if (added.length > 0) await emit(ctx, tx, 'messages.sent', { ids: [row.id], userIds: added })
  }
}
