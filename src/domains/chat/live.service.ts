/** The frames that clients send over a socket: who is typing, and how far a device has received everything. */

import { type AppContext, perContext } from '#context'
import { outsideRequest } from '#db/around-writes.ts'
import { inSlices } from '#db/slices.ts'
import { blockedAmong } from '#domains/contacts/index.ts'
import type { Job } from '#domains/domain.ts'
import type { Actor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { Id, Type } from '#http/schema.ts'
import { isLive, pushToUsers, type SocketFrame } from '#http/socket.ts'
import { topic } from '#platform/bus.ts'
import { DAY, SECOND } from '#platform/clock.ts'

import { notInConversation } from './chat.errors.ts'
import { type Cursor, deleteOldCursors, saveCursor } from './live.store.ts'
import { findMember, membersOf } from './members.store.ts'

/** A user types in a conversation. Worthless a moment later, so no write publishes it. */
const typed = topic<{ readonly conversationId: number; readonly userId: number }>('chat.typed')

/** In each conversation, a user's typing is passed on once in this time. */
const TYPING_MS = 3 * SECOND

/** @throws AppError 404 for a conversation of others, 403 (4015) for one that the user has left */
async function passOnTyping(ctx: AppContext, { userId }: Actor, conversationId: number): Promise<void> {
  if (ctx.limiter.take(`typing ${userId} ${conversationId}`, 1, TYPING_MS) > 0) return
  const member = await findMember(ctx.db.read, conversationId, userId)
  if (member === undefined) throw notFound()
  if (member.leftAfter !== null) throw notInConversation()
  ctx.bus.tell(typed, { conversationId, userId })
}

async function pushTyping(ctx: AppContext, conversationId: number, userId: number): Promise<void> {
  const members = await membersOf(ctx.db.read, conversationId)
  const live = members.filter((one) => one.leftAfter === null && one.userId !== userId && isLive(ctx, one.userId))
  if (live.length === 0) return
  const ids = live.map((one) => one.userId)
  const blocked = await blockedAmong(ctx.db.read, userId, ids)
  const to = ids.filter((id) => !blocked.has(id))
  pushToUsers(ctx, to, { type: 'typing', data: { conversationId, userId } })
}

export function listenForTyping(ctx: AppContext): void {
  ctx.bus.on(typed, ({ conversationId, userId }) => {
    pushTyping(ctx, conversationId, userId).catch((error: unknown) =>
      ctx.log.error('typing could not be passed on', { error }),
    )
  })
}

/** Cursors that have not been written yet, by device. Clients send one for every few messages, which must not cost a write each. */
const unwritten = perContext(() => ({
  cursors: new Map<string, Cursor>(),
  timer: undefined as Timer | undefined,
  flushing: Promise.resolve(),
}))
/** By a timer of this process: of several processes, one runs the jobs, and each has cursors in its memory. */
const FLUSH_AFTER_MS = 5 * SECOND
/** Cursors in one write: a few milliseconds. */
const BATCH = 500

function remember(ctx: AppContext, { userId, deviceKey }: Actor, cursor: number): void {
  const state = unwritten(ctx)
  const key = `${userId} ${deviceKey}`
  if ((state.cursors.get(key)?.cursor ?? -1) >= cursor) return
  state.cursors.set(key, { userId, deviceKey, cursor })
  state.timer ??= outsideRequest(() => setTimeout(() => flushCursors(ctx), FLUSH_AFTER_MS))
}

/** Writes the cursors in memory. Failures are logged; they lose a hint only. */
export function flushCursors(ctx: AppContext): Promise<void> {
  const state = unwritten(ctx)
  clearTimeout(state.timer)
  state.timer = undefined
  state.flushing = state.flushing.then(() => flush(ctx))
  return state.flushing
}

async function flush(ctx: AppContext): Promise<void> {
  const { cursors } = unwritten(ctx)
  const rows = [...cursors.values()]
  cursors.clear()
  try {
    for (let from = 0; from < rows.length; from += BATCH)
      await ctx.db.write('chat.saveCursors', async (tx) => {
        for (const row of rows.slice(from, from + BATCH)) await saveCursor(tx, row, ctx.clock.now())
      })
  } catch (error) {
    ctx.log.error('cursors of devices could not be written', { error })
  }
}

/** A device that was away for longer starts again from the list of conversations. */
const KEPT_MS = 180 * DAY

function deleteOld(ctx: AppContext): Promise<void> {
  const before = ctx.clock.now() - KEPT_MS
  return inSlices(ctx, 'chat.deleteOldCursors', (tx, limit) => deleteOldCursors(tx, before, limit))
}

export const deleteOldCursorsJob: Job = { name: 'chat.deleteOldCursors', every: DAY, run: deleteOld }

const Typing = Type.Object({ conversationId: Id })
const Ack = Type.Object({ cursor: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }) })

export const liveFrames: readonly SocketFrame[] = [
  {
    type: 'typing',
    data: Typing,
    run: (ctx, actor, { conversationId }: { conversationId: number }) => passOnTyping(ctx, actor, conversationId),
  },
  { type: 'ack', data: Ack, run: (ctx, actor, { cursor }: { cursor: number }) => remember(ctx, actor, cursor) },
]
