/**
 * Delivers messages and their changes to the live sockets of this process, in the order of their numbers: none is skipped, and none comes
 * twice. A write only says that there are new numbers; everything is read from the database, so that a failed read can be repeated and
 * writes of other processes are delivered in the same way.
 */

import { type AppContext, perContext } from '#context'
import type { Actor } from '#http/endpoint.ts'
import { type Frame, isAnyLive, isLive, pushTexts, pushToUsers, type SocketHello } from '#http/socket.ts'
import { pause } from '#lib/pause.ts'

import { lastNumber } from '../chat.store.ts'
import { READ } from '../conversations/conversations.service.ts'
import { unreadTotal } from '../conversations/conversations.store.ts'
import { CONVERSATION, toConversations } from '../conversations/conversations.view.ts'
import { allDeletionsIn, deletionsOf } from '../deleted.store.ts'
import { DRAFT_SENT } from '../drafts.store.ts'
import { isVisible, type Seen } from '../members.rules.ts'
import { findMember } from '../members.store.ts'
import type { MessageRow } from '../messages/messages.store.ts'
import { loadExtras, toMessage } from '../messages/messages.view.ts'
import { NUMBERS } from '../numbers.ts'
import { changeDelivery, type Deletion, type Delivery, inOrder, recallOf, sentDelivery } from './feed.rules.ts'
import * as store from './feed.store.ts'

/** Messages and changes that are read at a time. */
const BATCH = 200
/** Frames about conversations in one turn of the event loop: each takes about 1 ms on SQLite, where reads do not give way to others. */
const CONVERSATIONS_PER_TURN = 8
/** Wait after a failed read, in milliseconds; twice as long after each further one. */
const RETRY_MS = 50
const LONGEST_RETRY_MS = 2000

/** Runs `work` when it is woken, once at a time, and again after an error until it succeeds. */
class Loop {
  #isWoken = false
  #isStopped = false
  #running: Promise<void> | undefined

  constructor(
    readonly ctx: AppContext,
    readonly name: string,
    readonly work: () => Promise<void>,
  ) {}

  wake(): void {
    this.#isWoken = true
    this.#running ??= this.#run()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#running
  }

  async #run(): Promise<void> {
    let wait = RETRY_MS
    while (this.#isWoken && !this.#isStopped) {
      this.#isWoken = false
      try {
        await this.work()
        wait = RETRY_MS
      } catch (error) {
        this.ctx.log.warn('chat frames are delayed', { part: this.name, error })
        this.#isWoken = true
        await Bun.sleep(wait)
        wait = Math.min(2 * wait, LONGEST_RETRY_MS)
      }
    }
    // No `await` since the last check of `#isWoken`: a later `wake` starts a new run.
    this.#running = undefined
  }
}

type Viewer = Seen & { readonly userId: number }

class Feed {
  /** Everything up to this number was delivered. */
  position = 0
  /** The highest number that is known to be taken. */
  #taken = 0
  /** Events may have been missed. */
  #isGap = false
  readonly #numbers: Loop
  readonly #conversations: Loop
  /** Conversations that look different, by the users to whom they do. Several changes of one become one frame. */
  readonly #changed = new Map<number, Set<number>>()

  constructor(readonly ctx: AppContext) {
    this.#numbers = new Loop(ctx, 'messages', () => this.#deliver())
    this.#conversations = new Loop(ctx, 'conversations', () => this.#pushConversations())
  }

  async start(): Promise<void> {
    const { bus } = this.ctx
    this.position = await lastNumber(this.ctx.db.read)
    bus.on(NUMBERS, ({ last }) => {
      this.#taken = Math.max(this.#taken, last)
      this.#numbers.wake()
    })
    bus.onGap(() => this.#reread())
    bus.on(CONVERSATION, ({ conversationId, userIds }) => this.#changes(conversationId, userIds))
    bus.on(DRAFT_SENT, ({ conversationId, userIds }) => this.#changes(conversationId, userIds))
    bus.on(READ, ({ to, conversationId, userId, readUpToId }) =>
      pushToUsers(this.ctx, to, { type: 'read', data: { conversationId, userId, readUpToId } }),
    )
    // For messages that were written between reading the position and listening.
    this.#reread()
  }

  /** Also delivers numbers of which no event has told. */
  #reread(): void {
    this.#isGap = true
    this.#numbers.wake()
  }

  async stop(): Promise<void> {
    await this.#numbers.stop()
    await this.#conversations.stop()
  }

  async #deliver(): Promise<void> {
    while (this.#isGap || this.#taken > this.position) {
      if (this.#isGap) {
        this.#isGap = false
        try {
          this.#taken = Math.max(this.#taken, await lastNumber(this.ctx.db.read))
        } catch (error) {
          this.#isGap = true
          throw error
        }
      }
      // Without sockets nothing is read: the next one is greeted with this position.
      if (isAnyLive(this.ctx)) await this.#deliverUpTo(this.#taken)
      else this.position = this.#taken
    }
  }

  /** Numbers up to `upTo` are committed, so reads after that see all of them. Delivers a batch. */
  async #deliverUpTo(upTo: number): Promise<void> {
    const { ctx } = this
    const { read } = ctx.db
    const range = { after: this.position, upTo, limit: BATCH }
    const [sent, changed, deleted] = await Promise.all([
      store.sentMessages(read, range),
      store.changedMessages(read, range),
      allDeletionsIn(read, range),
    ])
    const end = Math.min(
      upTo,
      sent.length === BATCH ? sent.at(-1)!.id : upTo,
      changed.length === BATCH ? changed.at(-1)!.changedNumber! : upTo,
      deleted.length === BATCH ? deleted.at(-1)!.number : upTo,
    )
    const all: (Delivery<MessageRow> | Deletion)[] = [
      ...deleted.map((row) => ({ kind: 'deleted' as const, ...row })),
      ...sent.map((row) => sentDelivery(row)),
      ...changed.map((row) => changeDelivery(row)),
    ]
    const batch = inOrder(all).filter(({ number }) => number <= end)
    const messages = batch.flatMap((delivery) => (delivery.kind === 'deleted' ? [] : [delivery.message]))
    const viewers = await this.#viewersOf(messages.map(({ conversationId }) => conversationId))
    const extras = await loadExtras(read, messages)
    const gone = await this.#deletersOf(changed)
    // From here on without waiting: a socket that opens meanwhile is greeted with a position whose successors it gets.
    // One write to the network for each socket, however many frames it gets: the write costs most.
    const texts = new Map<number, string[]>()
    const add = (userId: number, text: string) => {
      const own = texts.get(userId)
      if (own === undefined) texts.set(userId, [text])
      else own.push(text)
    }
    for (const delivery of batch) {
      if (delivery.kind === 'deleted') {
        if (isLive(ctx, delivery.userId)) add(delivery.userId, JSON.stringify(deletionFrame(delivery)))
        continue
      }
      const { id, conversationId } = delivery.message
      const live = (viewers.get(conversationId) ?? []).filter(
        (viewer) => isLive(ctx, viewer.userId) && isVisible(id, viewer) && gone.get(id)?.has(viewer.userId) !== true,
      )
      if (live.length === 0) continue
      const text = JSON.stringify(frameOf(delivery, toMessage(ctx, delivery.message, extras)))
      for (const { userId } of live) add(userId, text)
    }
    for (const [userId, own] of texts) pushTexts(ctx, userId, own)
    this.position = end
  }

  /** Who has deleted the messages that have changed. A new message is delivered before its deletion. */
  async #deletersOf(changed: readonly MessageRow[]): Promise<Map<number, Set<number>>> {
    const byMessage = new Map<number, Set<number>>()
    if (changed.length === 0) return byMessage
    for (const { messageId, userId } of await deletionsOf(
      this.ctx.db.read,
      changed.map(({ id }) => id),
    ))
      byMessage.set(messageId, (byMessage.get(messageId) ?? new Set()).add(userId))
    return byMessage
  }

  async #viewersOf(conversationIds: readonly number[]): Promise<Map<number, Viewer[]>> {
    const byConversation = new Map<number, Viewer[]>()
    if (conversationIds.length === 0) return byConversation
    for (const row of await store.viewersOf(this.ctx.db.read, [...new Set(conversationIds)])) {
      const list = byConversation.get(row.conversationId)
      if (list === undefined) byConversation.set(row.conversationId, [row])
      else list.push(row)
    }
    return byConversation
  }

  #changes(conversationId: number, userIds: readonly number[]): void {
    for (const userId of userIds) {
      if (!isLive(this.ctx, userId)) continue
      const ids = this.#changed.get(userId)
      if (ids === undefined) this.#changed.set(userId, new Set([conversationId]))
      else ids.add(conversationId)
    }
    if (this.#changed.size > 0) this.#conversations.wake()
  }

  async #pushConversations(): Promise<void> {
    let pushed = 0
    for (const [userId, ids] of this.#changed) {
      for (const id of ids) {
        // A change of a group is one for each of its members.
        if (++pushed % CONVERSATIONS_PER_TURN === 0) await pause()
        ids.delete(id)
        try {
          await this.#pushConversation(userId, id)
        } catch (error) {
          ids.add(id)
          throw error
        }
      }
      if (ids.size === 0) this.#changed.delete(userId)
    }
  }

  async #pushConversation(userId: number, id: number): Promise<void> {
    const { ctx } = this
    if (!isLive(ctx, userId)) return
    const row = await findMember(ctx.db.read, id, userId)
    const [data] = row === undefined || row.hidden ? [{ id, deleted: true }] : await toConversations(ctx, userId, [row])
    pushToUsers(ctx, [userId], { type: 'conversation.updated', data })
  }
}

function frameOf({ number, kind, message }: Delivery<MessageRow>, data: unknown): Frame {
  if (kind === 'sent') return { type: 'message', data }
  if (kind === 'changed') return { type: 'message.updated', data: { message: data, cursor: number } }
  return { type: 'message.recalled', data: { ...recallOf(message), cursor: number } }
}

/** Clients that know no deletions show it as a recall. */
function deletionFrame({ messageId, conversationId, createdAt: recalledAt, number: cursor }: Deletion): Frame {
  return { type: 'message.recalled', data: { messageId, conversationId, recalledAt, deleted: true, cursor } }
}

const feedOf = perContext((ctx) => new Feed(ctx))

export const startFeed = (ctx: AppContext): Promise<void> => feedOf(ctx).start()
export const stopFeed = (ctx: AppContext): Promise<void> => feedOf(ctx).stop()

/** For the first frame of a socket: later numbers than `cursor` come as frames, earlier ones by catching up. */
export async function socketHello(ctx: AppContext, { userId }: Actor): Promise<SocketHello> {
  const messages = await unreadTotal(ctx.db.read, userId)
  return { cursor: feedOf(ctx).position, unread: { messages } }
}
