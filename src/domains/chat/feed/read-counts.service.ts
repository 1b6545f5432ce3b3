/**
 * Sends the senders of messages in groups how many members have read them. In a group of 100, each message is read by 99 members within moments, so
 * read marks are gathered for a second: each sender gets at most one frame a second for each group, with the messages of theirs whose counts have
 * changed. A frame never comes for the mark of a member that the sender may not see, not even without a change.
 */

import { type AppContext, perContext } from '#context'
import { outsideRequest } from '#db/around-writes.ts'
import { isAnyLive, isLive, pushToUsers } from '#http/socket.ts'
import { pause } from '#lib/pause.ts'
import { SECOND } from '#platform/clock.ts'

import { READ } from '../conversations/conversations.service.ts'
import { countReaders, type Mark, showsRead } from '../marks/marks.rules.ts'
import { seenMarks } from '../marks/marks.service.ts'
import { sendersBetween } from '../marks/marks.store.ts'

const EVERY_MS = SECOND
/** The newest messages of a conversation that are looked at: who has been away reads more at once, and older ones are counted by the history. */
const LOOKED_AT = 200

/** The messages above `after` and up to `upTo`, which a member has read since the last frames. */
interface Move {
  readonly after: number
  readonly upTo: number
}

class ReadCounts {
  /** By conversation, then by member. */
  #moves = new Map<number, Map<number, Move>>()
  #timer: Timer | undefined
  #running: Promise<void> = Promise.resolve()

  constructor(readonly ctx: AppContext) {}

  start(): void {
    this.ctx.bus.on(READ, ({ conversationId, userId, after, readUpToId }) => {
      // Processes of the version before do not say up to where the user had read.
      if (after !== undefined && isAnyLive(this.ctx)) this.#add(conversationId, userId, after, readUpToId)
    })
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    this.#moves.clear()
    await this.#running
  }

  #add(conversationId: number, userId: number, after: number, upTo: number): void {
    const moves = this.#moves.get(conversationId) ?? new Map<number, Move>()
    this.#moves.set(conversationId, moves)
    const before = moves.get(userId)
    moves.set(userId, { after: Math.min(after, before?.after ?? after), upTo: Math.max(upTo, before?.upTo ?? upTo) })
    this.#timer ??= outsideRequest(() => setTimeout(() => this.#flush(), EVERY_MS))
  }

  #flush(): void {
    // Frames of one group never overtake each other: the next round waits for this one.
    this.#running = this.#running.then(() => this.#pushAll())
  }

  async #pushAll(): Promise<void> {
    this.#timer = undefined
    const all = this.#moves
    this.#moves = new Map()
    for (const [conversationId, moves] of all) {
      await pause()
      try {
        await this.#push(conversationId, moves)
      } catch (error) {
        // Clients get the counts with the next page of the history.
        this.ctx.log.warn('read counts could not be sent', { error })
      }
    }
  }

  async #push(conversationId: number, moves: ReadonlyMap<number, Move>): Promise<void> {
    const { ctx } = this
    const { read } = ctx.db
    const all = [...moves.values()]
    const after = Math.min(...all.map((move) => move.after))
    const upTo = Math.max(...all.map((move) => move.upTo))
    const messages = await sendersBetween(read, { conversationId, after, upTo, limit: LOOKED_AT })
    for (const [senderId, own] of Map.groupBy(messages, (message) => message.senderId)) {
      if (senderId === null || !isLive(ctx, senderId)) continue
      const marks = await seenMarks(read, conversationId, senderId)
      if (marks === 'LARGE_GROUP') return
      if (typeof marks === 'string') continue
      const counts = own
        .filter(({ id }) => marks.some((mark) => hasMoved(id, mark, moves)))
        .map(({ id }) => ({ messageId: id, readCount: countReaders(id, marks) }))
      if (counts.length > 0) pushToUsers(ctx, [senderId], { type: 'message.read', data: { conversationId, counts } })
    }
  }
}

/** Whether the mark of a member that the viewer sees has moved past the message. */
function hasMoved(messageId: number, mark: Mark, moves: ReadonlyMap<number, Move>): boolean {
  const move = moves.get(mark.userId)
  return move !== undefined && messageId > move.after && messageId <= move.upTo && showsRead(messageId, mark)
}

const countsOf = perContext((ctx) => new ReadCounts(ctx))

export const startReadCounts = (ctx: AppContext): void => countsOf(ctx).start()
export const stopReadCounts = (ctx: AppContext): Promise<void> => countsOf(ctx).stop()
