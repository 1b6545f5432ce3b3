/**
 * When users who share it were last here. Clients say once a minute by a frame that somebody is there, and ask once a minute about the people whom they
 * show: no frame goes to others, however many contacts a user has. The time is a column of the user's row, so it is the same for several processes.
 */

import { type AppContext, perContext } from '#context'
import { outsideRequest } from '#db/around-writes.ts'
import type { Actor } from '#http/endpoint.ts'
import { Type } from '#http/schema.ts'
import type { SocketFrame } from '#http/socket.ts'
import { MINUTE, SECOND } from '#platform/clock.ts'

import type { Presence } from './presence.model.ts'
import * as store from './presence.store.ts'

/** The row of a user is written at most once in this time. Clients say as often that somebody is there. */
const SEEN_EVERY_MS = MINUTE
/** A row can be two minutes old while its user is there: it is written once a minute, some seconds after a frame. */
const ONLINE_MS = 150 * SECOND

/** Users whose clients have said that they are there, and who were not written yet. */
const noted = perContext(() => ({
  userIds: new Set<number>(),
  timer: undefined as Timer | undefined,
  flushing: Promise.resolve(),
}))
const FLUSH_AFTER_MS = 5 * SECOND
/** Rows in one write: a few milliseconds. */
const BATCH = 500

function note(ctx: AppContext, { userId }: Actor): void {
  const state = noted(ctx)
  state.userIds.add(userId)
  state.timer ??= outsideRequest(() => setTimeout(() => flushPresence(ctx), FLUSH_AFTER_MS))
}

/** Writes to the database that these users are online. Failures are logged: the next frames bring the times again. */
export function flushPresence(ctx: AppContext): Promise<void> {
  const state = noted(ctx)
  clearTimeout(state.timer)
  state.timer = undefined
  state.flushing = state.flushing.then(() => flush(ctx))
  return state.flushing
}

async function flush(ctx: AppContext): Promise<void> {
  const { userIds } = noted(ctx)
  const all = [...userIds]
  userIds.clear()
  const now = ctx.clock.now()
  const before = now - SEEN_EVERY_MS
  try {
    for (let from = 0; from < all.length; from += BATCH) {
      // Most users do not share presence: they cost no write.
      const due = await store.findDue(ctx.db.read, all.slice(from, from + BATCH), before)
      if (due.length > 0) await ctx.db.write('contacts.saveSeen', (tx) => store.saveSeen(tx, due, before, now))
    }
  } catch (error) {
    ctx.log.error('presence could not be written', { error })
  }
}

/** Only minutes are shown: seconds would reveal more about a person's habits than contacts need. */
const presenceAt = (seenAt: number, now: number): { readonly online: boolean; readonly lastSeenAt: number } => ({
  online: now - seenAt < ONLINE_MS,
  lastSeenAt: seenAt - (seenAt % MINUTE),
})

/** The users of a list whom the caller may see, and when they were last here. */
export async function showPresence(ctx: AppContext, { userId }: Actor, userIds: readonly number[]): Promise<Presence> {
  const { read } = ctx.db
  if (!(await store.sharesPresence(read, userId))) return { shared: false, items: [] }
  const now = ctx.clock.now()
  const rows = await store.findSeen(read, userId, userIds)
  return { shared: true, items: rows.map((row) => ({ userId: row.userId, ...presenceAt(row.seenAt, now) })) }
}

export const presenceFrames: readonly SocketFrame[] = [{ type: 'presence', data: Type.Object({}), run: note }]
