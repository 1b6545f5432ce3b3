import type { AppContext } from '#context'
import type { Actor } from '#http/endpoint.ts'
import type { AppError } from '#http/errors.ts'
import type { Claims } from '#platform/tokens.ts'

import { deviceKey } from '../credentials.ts'
import { sessionEnded, wrongDevice } from '../errors.ts'
import { noteActivity } from './activity.ts'
import { type LiveSession, liveSessions } from './live.ts'

type Outcome = Actor | AppError

/**
 * The person behind an access token, or the 401 to answer: the token is ours and not expired, its session is active, it is of
 * the user's present token version, and `deviceId` (raw `X-Device-Id`) is the session's. Answers at once, and without
 * allocating, when token and session are in memory.
 */
export function authenticate(ctx: AppContext, token: string, deviceId: string | undefined): Outcome | Promise<Outcome> {
  const claims = ctx.tokens.verify(token)
  return claims instanceof Promise ? claims.then((c) => admit(ctx, c, deviceId)) : admit(ctx, claims, deviceId)
}

function admit(ctx: AppContext, claims: Claims | undefined, deviceId: string | undefined): Outcome | Promise<Outcome> {
  if (claims === undefined) return sessionEnded
  const now = ctx.clock.now()
  const live = liveSessions(ctx).get(claims.sessionId)
  return live === undefined ? loadAndCheck(ctx, claims, deviceId) : check(ctx, live, claims, deviceId, now)
}

async function loadAndCheck(ctx: AppContext, claims: Claims, deviceId: string | undefined): Promise<Outcome> {
  const live = await liveSessions(ctx).fetch(claims.sessionId)
  return live === undefined ? sessionEnded : check(ctx, live, claims, deviceId, ctx.clock.now())
}

function check(ctx: AppContext, live: LiveSession, claims: Claims, deviceId: string | undefined, now: number): Outcome {
  const { actor } = live
  if (live.expiredAt <= now || live.tokenVersion !== claims.tokenVersion || actor.userId !== claims.userId)
    return sessionEnded
  if (deviceId === undefined) return wrongDevice
  if (deviceId !== live.provenDeviceId) {
    if (deviceKey(deviceId) !== actor.deviceKey) return wrongDevice
    live.provenDeviceId = deviceId
  }
  noteActivity(ctx, actor.sessionId, now)
  return actor
}
