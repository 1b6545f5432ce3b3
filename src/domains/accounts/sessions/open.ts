/** Opening, prolonging and ending sessions, inside a write. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { cityOf } from '#domains/delivery/index.ts'
import { secret, sha256 } from '#platform/ids.ts'

import type { Device } from '../credentials.ts'
import { SESSION_MS } from '../limits.ts'
import type { LoginType } from '../login-records/model.ts'
import { lastActive } from './activity.ts'
import { sessionsChanged } from './live.ts'
import { judgeRefresh, superfluous } from './rules.ts'
import {
  activeOf,
  advanceGeneration,
  deleteOfDevice,
  endSessions,
  expireSessions,
  findByRefreshToken,
  insertRefreshToken,
  insertSession,
  type SessionRow,
} from './store.ts'

/** What a login hands out; the access token is signed after the commit. */
export interface Grant {
  readonly userId: number
  readonly sessionId: number
  readonly deviceKey: string
  readonly refreshToken: string
}

export interface Opening {
  readonly userId: number
  readonly device: Device
  readonly loginType: LoginType
  readonly ip: string
  /** The session that asked for this one: it is not ended to make room. */
  readonly openedBy?: number
}

/**
 * A session on the device, in place of the one the device had. At most `MAX_ACTIVE_SESSIONS` of the user stay active: the least
 * recently used end.
 */
export async function openSession(ctx: AppContext, tx: Tx, opening: Opening): Promise<Grant> {
  const { userId, device, loginType, ip, openedBy } = opening
  const now = ctx.clock.now()
  const expiredAt = now + SESSION_MS
  const replaced = await deleteOfDevice(tx, userId, device.key)
  const expired = await expireSessions(tx, now, userId)
  const sessionId = await insertSession(tx, {
    userId,
    deviceKey: device.key,
    deviceName: device.name,
    loginType,
    ipAddress: ip,
    city: cityOf(ctx, ip),
    expiredAt,
    now,
  })
  const active = (await activeOf(tx, userId, now)).map((s) => ({ id: s.id, lastActiveAt: lastActive(ctx, s) }))
  const spared = openedBy === undefined ? [sessionId] : [sessionId, openedBy]
  const ended = await endSessions(tx, userId, { ids: superfluous(active, spared) })
  sessionsChanged(ctx, tx, [...(replaced === undefined ? [] : [replaced]), ...expired, ...ended])
  const refreshToken = await addRefreshToken(tx, sessionId, 0, expiredAt)
  return { userId, sessionId, deviceKey: device.key, refreshToken }
}

async function addRefreshToken(tx: Tx, sessionId: number, generation: number, expiresAt: number): Promise<string> {
  const token = secret()
  await insertRefreshToken(tx, { hash: sha256(token), sessionId, generation, expiresAt })
  return token
}

/** Begins the next generation of refresh tokens. Undefined when the session has ended or somebody else was faster. */
export async function prolong(ctx: AppContext, tx: Tx, session: SessionRow): Promise<Grant | undefined> {
  const now = ctx.clock.now()
  const expiredAt = now + SESSION_MS
  if (!(await advanceGeneration(tx, session, now, expiredAt))) return undefined
  sessionsChanged(ctx, tx, [session.id])
  return grant(tx, session, session.generation + 1, expiredAt)
}

const grant = async (tx: Tx, session: SessionRow, generation: number, expiresAt: number): Promise<Grant> => ({
  userId: session.userId,
  sessionId: session.id,
  deviceKey: session.deviceKey,
  refreshToken: await addRefreshToken(tx, session.id, generation, expiresAt),
})

/** What became of a refresh token: a new pair, or the reason why not. */
export type Exchange = Grant | 'unknown' | 'stolen'

/**
 * Exchanges a refresh token. `deviceKey`: of the device that the caller says to be, if it does. A token that was exchanged before
 * ends its session (see `judgeRefresh`).
 */
export async function exchange(
  ctx: AppContext,
  tx: Tx,
  token: string,
  deviceKey: string | undefined,
): Promise<Exchange> {
  const now = ctx.clock.now()
  const found = await findByRefreshToken(tx, sha256(token))
  if (found === undefined) return 'unknown'
  const { session, user } = found
  if (session.status !== 'ACTIVE' || session.expiredAt <= now || found.token.expiresAt <= now) return 'unknown'
  if (user.status !== 'ACTIVE' || (deviceKey !== undefined && deviceKey !== session.deviceKey)) return 'unknown'
  switch (judgeRefresh(session, found.token.generation, now)) {
    case 'rotate':
      return (await prolong(ctx, tx, session)) ?? 'unknown'
    case 'repeat':
      return grant(tx, session, session.generation, session.expiredAt)
    case 'stolen':
      sessionsChanged(ctx, tx, await endSessions(tx, session.userId, { ids: [session.id] }))
      return 'stolen'
  }
}

/** Ends sessions of one user and says which were still active. */
export async function revoke(ctx: AppContext, tx: Tx, userId: number, ids: readonly number[]): Promise<number[]> {
  const ended = await endSessions(tx, userId, { ids })
  sessionsChanged(ctx, tx, ended)
  return ended
}

/** Ends all sessions of a user: a new password, a disabled or deleted account. */
export async function revokeAll(ctx: AppContext, tx: Tx, userId: number): Promise<void> {
  sessionsChanged(ctx, tx, await endSessions(tx, userId, 'all'))
}
