/** Exchanging refresh tokens. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { holdsAnyPlatformRole } from '#domains/access/index.ts'
import type { Caller } from '#http/endpoint.ts'
import type { AppError } from '#http/errors.ts'
import { sessionsChanged } from '#http/sessions.ts'
import { invalid } from '#http/validate.ts'
import { sha256 } from '#platform/ids.ts'

import { badRefreshToken, notAnAdministrator } from '../accounts.errors.ts'
import { SESSION_MS } from '../accounts.model.ts'
import { deviceKey } from '../login-records/login-records.rules.ts'
import { isLocalSignInOff } from '../users/users.service.ts'
import type { LoginResponse, Refresh } from './sessions.model.ts'
import { type Chain, chainOf, classifyRefresh } from './sessions.rules.ts'
import { addRefreshToken, endSessions, type Grant, loginResponse } from './sessions.service.ts'
import { advanceGeneration, findByRefreshToken, type SessionRow } from './sessions.store.ts'

/** The refresh token of the body, or else of the cookie. A browser must also have the cookie of its device. @throws AppError 401 */
function tokenToExchange({ refreshToken }: Refresh, caller: Caller): string {
  if (refreshToken) return refreshToken
  if (caller.browser === undefined) throw invalid('body.refreshToken', 'is required', '不能为空')
  const token = caller.browser.refreshToken
  // Without its device id, no request with the new tokens would be accepted.
  if (token === undefined || caller.deviceId === undefined) throw refreshRefused({}, caller)
  return token
}

/** The 401. A refresh token that came from the cookie is deleted there. */
function refreshRefused({ refreshToken }: Refresh, { browser }: Caller): AppError {
  if (!refreshToken) browser?.forget()
  return badRefreshToken()
}

/** New tokens for a refresh token. A device that the caller names must be the session's. @throws AppError 401 */
export async function refresh(ctx: AppContext, body: Refresh, caller: Caller): Promise<LoginResponse> {
  const token = tokenToExchange(body, caller)
  const device = caller.deviceId === undefined ? undefined : deviceKey(caller.deviceId)
  const result = await ctx.db.write('accounts.refresh', (tx) => exchangeRefreshToken(ctx, tx, token, device))
  if (result === 'stolen') ctx.log.warn('a refresh token was used twice: its session was ended', { ip: caller.ip })
  if (typeof result === 'string') throw refreshRefused(body, caller)
  return loginResponse(ctx, result, caller)
}

/**
 * Exchanges a refresh token for new tokens, or says why not. `deviceKey`: of the device that the caller names, if any. A token that
 * was exchanged earlier ends its session (see `classifyRefresh`).
 */
async function exchangeRefreshToken(
  ctx: AppContext,
  tx: Tx,
  token: string,
  deviceKey: string | undefined,
): Promise<Grant | 'unknown' | 'stolen'> {
  const now = ctx.clock.now()
  const found = await findByRefreshToken(tx, sha256(token))
  if (found === undefined) return 'unknown'
  const { session, user } = found
  if (session.status !== 'ACTIVE' || session.expiredAt <= now || found.token.expiresAt <= now) return 'unknown'
  if (user.status !== 'ACTIVE' || (deviceKey !== undefined && deviceKey !== session.deviceKey)) return 'unknown'
  if (session.loginType !== 'oidc' && (await isLocalSignInOff(ctx, tx, session.userId))) {
    await endSessions(ctx, tx, { userId: session.userId, ids: [session.id] })
    return 'unknown'
  }
  const chain = chainOf(session, found.token.bySwitch)
  switch (classifyRefresh(chain, found.token.generation, now)) {
    case 'rotate':
      return (await rotateRefreshToken(ctx, tx, session, chain)) ?? 'unknown'
    case 'repeat':
      return grantOf(tx, session, chain, session.expiredAt)
    case 'stolen':
      await endSessions(ctx, tx, { userId: session.userId, ids: [session.id] })
      return 'stolen'
  }
}

/**
 * Starts the next generation of refresh tokens in a chain and extends the session. Undefined if the session has ended or another
 * request rotated the chain first.
 */
export async function rotateRefreshToken(
  ctx: AppContext,
  tx: Tx,
  session: SessionRow,
  chain: Chain,
): Promise<Grant | undefined> {
  const now = ctx.clock.now()
  const expiredAt = now + SESSION_MS
  if (!(await advanceGeneration(tx, session.id, chain, now, expiredAt))) return undefined
  tx.publish(sessionsChanged, { ids: [session.id] })
  return grantOf(tx, session, { ...chain, generation: chain.generation + 1 }, expiredAt)
}

const grantOf = async (tx: Tx, session: SessionRow, chain: Chain, expiresAt: number): Promise<Grant> => ({
  userId: session.userId,
  sessionId: session.id,
  deviceKey: session.deviceKey,
  newDeviceId: undefined,
  refreshToken: await addRefreshToken(tx, session.id, chain, expiresAt),
  refreshUntil: expiresAt,
})

/** Refreshes a session of the console. The role is checked first, so that the token of a refused caller stays unused. */
export async function adminRefresh(ctx: AppContext, body: Refresh, caller: Caller): Promise<LoginResponse> {
  const found = await findByRefreshToken(ctx.db.read, sha256(tokenToExchange(body, caller)))
  if (found === undefined) throw refreshRefused(body, caller)
  if (!(await holdsAnyPlatformRole(ctx, found.session.userId))) throw notAnAdministrator()
  return refresh(ctx, body, caller)
}
