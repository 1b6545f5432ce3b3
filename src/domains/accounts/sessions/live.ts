/** The sessions that requests are checked against, kept in memory: the hot path of every request. */

import { type AppContext, perContext } from '#context'
import type { Tx } from '#db/store.ts'
import type { Actor } from '#http/endpoint.ts'
import { ReadCache } from '#lib/read-cache.ts'
import { SECOND } from '#platform/clock.ts'

import { findForRequest } from './store.ts'

/** A session that was active when it was read, of a user who was too. */
export interface LiveSession {
  readonly actor: Actor
  readonly tokenVersion: number
  /** Epoch milliseconds. */
  readonly expiredAt: number
  /** The device id, as sent, that was last found right: comparing texts costs a hundredth of hashing. In memory only. */
  provenDeviceId: string | undefined
}

/** As many as there are verified tokens kept; about 400 bytes each. */
const MAX_KEPT = 10_000
/** What this process changes is seen at once. This bounds how late it sees what others do: the command line, other nodes. */
const MAX_AGE = 30 * SECOND

export const liveSessions = perContext(
  (ctx) =>
    new ReadCache<number, LiveSession>({
      max: MAX_KEPT,
      maxAge: MAX_AGE,
      now: () => ctx.clock.now(),
      load: (id) => load(ctx, id),
    }),
)

async function load(ctx: AppContext, id: number): Promise<LiveSession | undefined> {
  const found = await findForRequest(ctx.db.read, id)
  if (found === undefined) return undefined
  const { userId, deviceKey, tokenVersion, expiredAt } = found
  const actor = Object.freeze({ userId, sessionId: id, deviceKey })
  return { actor, tokenVersion, expiredAt, provenDeviceId: undefined }
}

/** To be called in every write that ends or changes sessions, or what they take from their user (status, token version). */
export function sessionsChanged(ctx: AppContext, tx: Tx, ids: readonly number[]): void {
  if (ids.length === 0) return
  tx.afterCommit(() => {
    for (const id of ids) liveSessions(ctx).drop(id)
  })
}
