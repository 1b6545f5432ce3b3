/** Opens, renews and ends sessions inside the writes of other operations, and answers with their tokens. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { permissionsForLogin, roleNameOf } from '#domains/access/index.ts'
import { cityOf } from '#domains/delivery/index.ts'
import { emit } from '#domains/domain.ts'
import { secret, sha256 } from '#platform/ids.ts'

import { accountDisabled, sessionEnded, wrongCredentials } from '../errors.ts'
import { recordDevice } from '../known-devices/store.ts'
import type { LoginEvent } from '../login-records/model.ts'
import { recordLogin } from '../login-records/service.ts'
import { SESSION_MS } from '../model.ts'
import { notifyAccountHolder } from '../notices/service.ts'
import { identitiesOf, userById } from '../users/store.ts'
import { toUserView } from '../users/view.ts'
import { lastActive, sessionsChanged } from './authenticate.ts'
import type { LoginResponse } from './model.ts'
import { classifyRefresh, sessionsToEnd } from './rules.ts'
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

/** The result of a login inside the write. The access token is signed after the commit. */
export interface Grant {
  readonly userId: number
  readonly sessionId: number
  /** The device id if the server generated it, otherwise the key of the device. */
  readonly deviceId: string
  readonly refreshToken: string
}

/**
 * Common last step of every login method: checks the account, records the login and opens a session. Users who have signed in
 * before are notified of a new device. `checkedHash`: the stored hash that the password matched. If it differs from the stored hash now, the
 * password was changed meanwhile. @throws AppError 403 for a disabled account, 401 for a changed password.
 */
export async function signIn(
  ctx: AppContext,
  tx: Tx,
  userId: number,
  event: LoginEvent,
  checkedHash?: string,
): Promise<Grant> {
  const user = await userById(tx, userId)
  if (user?.status !== 'ACTIVE') throw accountDisabled()
  if (checkedHash !== undefined && checkedHash !== user.passwordHash) throw wrongCredentials()
  const device = await recordDevice(tx, userId, event.device.key, ctx.clock.now())
  await recordLogin(ctx, tx, userId, event)
  const grant = await openSession(ctx, tx, userId, event)
  if (device === 'new') await notifyAccountHolder(ctx, tx, userId, event, { kind: 'NEW_DEVICE', about: {} })
  return grant
}

/**
 * Opens a session on the device; it replaces the device's previous session of the user. At most `MAX_ACTIVE_SESSIONS` of the user
 * stay active: the least recently used ones end, but never `openedBy`, the session that requested this one.
 */
export async function openSession(
  ctx: AppContext,
  tx: Tx,
  userId: number,
  { device, loginType, ip }: LoginEvent,
  openedBy?: number,
): Promise<Grant> {
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
  const ended = await endSessions(tx, userId, { ids: sessionsToEnd(active, spared) })
  await sessionsEnded(ctx, tx, [...(replaced === undefined ? [] : [replaced]), ...expired, ...ended])
  const refreshToken = await addRefreshToken(tx, sessionId, 0, expiredAt)
  return { userId, sessionId, deviceId: device.newId ?? device.key, refreshToken }
}

async function addRefreshToken(tx: Tx, sessionId: number, generation: number, expiresAt: number): Promise<string> {
  const token = secret()
  await insertRefreshToken(tx, { hash: sha256(token), sessionId, generation, expiresAt })
  return token
}

const grantOf = async (tx: Tx, session: SessionRow, generation: number, expiresAt: number): Promise<Grant> => ({
  userId: session.userId,
  sessionId: session.id,
  deviceId: session.deviceKey,
  refreshToken: await addRefreshToken(tx, session.id, generation, expiresAt),
})

/**
 * Starts the next generation of refresh tokens and extends the session. Undefined if the session has ended or another request
 * rotated its token first.
 */
export async function rotateRefreshToken(ctx: AppContext, tx: Tx, session: SessionRow): Promise<Grant | undefined> {
  const now = ctx.clock.now()
  const expiredAt = now + SESSION_MS
  if (!(await advanceGeneration(tx, session, now, expiredAt))) return undefined
  sessionsChanged(ctx, tx, [session.id])
  return grantOf(tx, session, session.generation + 1, expiredAt)
}

/**
 * Exchanges a refresh token for new tokens, or says why not. `deviceKey`: of the device that the caller names, if any. A token that
 * was exchanged earlier ends its session (see `classifyRefresh`).
 */
export async function exchangeRefreshToken(
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
  switch (classifyRefresh(session, found.token.generation, now)) {
    case 'rotate':
      return (await rotateRefreshToken(ctx, tx, session)) ?? 'unknown'
    case 'repeat':
      return grantOf(tx, session, session.generation, session.expiredAt)
    case 'stolen':
      await revokeSessions(ctx, tx, session.userId, [session.id])
      return 'stolen'
  }
}

/** Ends sessions of one user. Returns the ids of those that were active. */
export async function revokeSessions(
  ctx: AppContext,
  tx: Tx,
  userId: number,
  ids: readonly number[],
): Promise<number[]> {
  const ended = await endSessions(tx, userId, { ids })
  await sessionsEnded(ctx, tx, ended)
  return ended
}

/** Ends all sessions of a user: after a new password, or with the account. */
export async function revokeAllSessions(ctx: AppContext, tx: Tx, userId: number): Promise<void> {
  await sessionsEnded(ctx, tx, await endSessions(tx, userId, 'all'))
}

/** Must be called in every write that ends sessions, with their ids: requests of ended sessions are then refused. */
export async function sessionsEnded(ctx: AppContext, tx: Tx, sessionIds: readonly number[]): Promise<void> {
  if (sessionIds.length === 0) return
  sessionsChanged(ctx, tx, sessionIds)
  await emit(ctx, tx, 'session.ended', { sessionIds })
}

/** Signs the access token of a grant and adds the user and their permissions. Runs after the commit, as signing waits for a thread. */
export async function loginResponse(ctx: AppContext, grant: Grant, isNewUser = false): Promise<LoginResponse> {
  const { userId, sessionId, deviceId, refreshToken } = grant
  const user = await userById(ctx.db.read, userId)
  if (user === undefined) throw sessionEnded()
  const identities = await identitiesOf(ctx.db.read, userId)
  const { token, expiresAt } = await ctx.tokens.sign({ userId, sessionId, tokenVersion: user.tokenVersion })
  return {
    accessToken: token,
    refreshToken,
    tokenType: 'Bearer',
    expiresAt,
    sessionId,
    deviceId,
    isNewUser,
    user: toUserView(user, identities),
    permissions: await permissionsForLogin(ctx, userId),
    roleName: await roleNameOf(ctx, userId),
  }
}
