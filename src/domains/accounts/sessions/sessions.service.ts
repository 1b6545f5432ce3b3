/** Opens and ends sessions inside the writes of other operations, and answers with their tokens. */

import type { AppContext } from '#context'
import type { Db, Tx } from '#db/store.ts'
import { permissionsForLogin, roleNameOf } from '#domains/access/index.ts'
import { cityOf } from '#domains/delivery/index.ts'
import { emit } from '#domains/domain.ts'
import type { Caller } from '#http/endpoint.ts'
import { type SessionEnd, sessionsChanged } from '#http/sessions.ts'
import { secret, sha256 } from '#platform/ids.ts'

import { accountDisabled, sessionEnded, wrongCredentials } from '../accounts.errors.ts'
import { MAX_ACTIVE_SESSIONS, SESSION_MS } from '../accounts.model.ts'
import { countUsable } from '../assertions/assertions.store.ts'
import type { LoginEvent, LoginType } from '../login-records/login-records.model.ts'
import { notifyAccountHolder, recordLogin } from '../login-records/login-records.service.ts'
import { recordDevice } from '../login-records/login-records.store.ts'
import { mustChangePassword } from '../passwords/passwords.service.ts'
import { type Factor, useFactor } from '../second-factor/second-factor.service.ts'
import { requireLocalSignIn } from '../users/users.service.ts'
import { identitiesOf, recordSignIn, userById, type UserRow } from '../users/users.store.ts'
import { toUserView } from '../users/users.view.ts'
import { lastActive } from './authenticate.ts'
import type { LoginResponse } from './sessions.model.ts'
import {
  activeOf,
  deleteOfDevice,
  endActive,
  expireSessions,
  insertRefreshToken,
  insertSession,
  type WhichSessions,
} from './sessions.store.ts'

/** The result of a login inside the write. The access token is signed after the commit. */
export interface Grant {
  readonly userId: number
  readonly sessionId: number
  readonly deviceKey: string
  /** The device id, if the server has generated it. */
  readonly newDeviceId: string | undefined
  readonly refreshToken: string
  /** End of the refresh token, epoch milliseconds. */
  readonly refreshUntil: number
}

/** How the user has proved who they are. */
interface Proof {
  /** The second factor, if the user has one. */
  readonly factor: Factor | undefined
  /** The stored hash that the password matched. If it differs from the stored hash now, the password was changed meanwhile. */
  readonly checkedHash?: string
  /** The user whose account link opens the session. */
  readonly linkOwner?: number
  /** An OpenID provider vouches for the user, with `hasFactor` also for the second factor. */
  readonly provider?: { readonly hasFactor: boolean }
}

/**
 * Common last step of every login method: checks the account, records the login and opens a session. Users who have signed in
 * before are notified of a new device.
 * @throws AppError 403 for a disabled account, a missing second factor, and a way to sign in that is switched off, 401 for a changed password.
 */
export async function signIn(
  ctx: AppContext,
  tx: Tx,
  userId: number,
  event: LoginEvent,
  { factor, checkedHash, linkOwner, provider }: Proof,
): Promise<Grant> {
  const user = await userById(tx, userId)
  if (user?.status !== 'ACTIVE') throw accountDisabled()
  if (checkedHash !== undefined && checkedHash !== user.passwordHash) throw wrongCredentials()
  if (!provider?.hasFactor) await useFactor(ctx, tx, userId, factor, event)
  if (provider === undefined) await requireLocalSignIn(ctx, tx, userId)
  const device = await recordDevice(tx, userId, event.device.key, ctx.clock.now())
  await recordLogin(ctx, tx, userId, event)
  const confirmedAt = (await provesUser(tx, user, event.loginType)) ? ctx.clock.now() : 0
  const grant = await openSession(ctx, tx, userId, event, { confirmedAt, openedByUserId: linkOwner ?? null })
  if (device === 'new') await notifyAccountHolder(ctx, tx, userId, event, { kind: 'NEW_DEVICE', about: {} })
  return grant
}

/** How a signed-in user can prove again that they are the owner of the account. */
type ConfirmationType = 'PASSWORD' | 'PHONE_CODE' | 'EMAIL_CODE' | 'PASSKEY'

export async function waysToConfirm(
  db: Db | Tx,
  user: Pick<UserRow, 'id' | 'passwordHash'>,
): Promise<ConfirmationType[]> {
  const identities = await identitiesOf(db, user.id)
  const verified = (provider: string) => identities.some((i) => i.provider === provider && i.verified)
  const ways: [ConfirmationType, boolean][] = [
    ['PASSWORD', user.passwordHash !== null],
    ['PHONE_CODE', verified('PHONE')],
    ['EMAIL_CODE', verified('EMAIL')],
    ['PASSKEY', (await countUsable(db, user.id)) > 0],
  ]
  return ways.flatMap(([way, isPossible]) => (isPossible ? [way] : []))
}

/**
 * Whether this login proves who the user is. Each request carries the device id, so a thief of a session has it, too: it proves
 * something only if the user has nothing else to confirm with. A switch by an account link proves nothing.
 */
async function provesUser(tx: Tx, user: UserRow, loginType: LoginType): Promise<boolean> {
  if (loginType === 'device_login') return (await waysToConfirm(tx, user)).length === 0
  return loginType !== 'account_switch'
}

/**
 * Opens a session on the device; it replaces the device's previous session of the user. This is a sign-in of the user
 * (`lastLoginAt`). At most `MAX_ACTIVE_SESSIONS` of the user stay active: the least recently used ones end, but never `requestedBy`,
 * the session that requested this one.
 */
export async function openSession(
  ctx: AppContext,
  tx: Tx,
  userId: number,
  { device, loginType, ip, locale }: LoginEvent,
  { requestedBy, ...opening }: { confirmedAt: number; openedByUserId: number | null; requestedBy?: number },
): Promise<Grant> {
  const now = ctx.clock.now()
  const expiredAt = now + SESSION_MS
  const replaced = await deleteOfDevice(tx, userId, device.key)
  const expired = await expireSessions(tx, now, { userId, limit: 1000 })
  const sessionId = await insertSession(tx, {
    userId,
    deviceKey: device.key,
    deviceName: device.name,
    loginType,
    ipAddress: ip,
    city: cityOf(ctx, ip),
    locale,
    expiredAt,
    ...opening,
    now,
  })
  await recordSignIn(tx, userId, now)
  const active = (await activeOf(tx, userId, now)).map((s) => ({ id: s.id, lastActiveAt: lastActive(ctx, s) }))
  const spared = requestedBy === undefined ? [sessionId] : [sessionId, requestedBy]
  const ended = await endActive(tx, { userId, ids: sessionsToEnd(active, spared) })
  await sessionsEnded(ctx, tx, expired, 'EXPIRED')
  await sessionsEnded(ctx, tx, [...(replaced === undefined ? [] : [replaced]), ...idsOf(ended)], 'REVOKED')
  const refreshToken = await addRefreshToken(tx, sessionId, { generation: 0, bySwitch: false }, expiredAt)
  return { userId, sessionId, deviceKey: device.key, newDeviceId: device.newId, refreshToken, refreshUntil: expiredAt }
}

/**
 * Ids of the sessions to end so that at most `MAX_ACTIVE_SESSIONS` remain: the least recently used ones. Sessions in `spared` are
 * never ended: the new session, and the one that requested it.
 */
export function sessionsToEnd(
  sessions: readonly { id: number; lastActiveAt: number }[],
  spared: readonly number[],
): number[] {
  const excess = sessions.length - MAX_ACTIVE_SESSIONS
  if (excess <= 0) return []
  return sessions
    .filter(({ id }) => !spared.includes(id))
    .toSorted((a, b) => a.lastActiveAt - b.lastActiveAt || a.id - b.id)
    .slice(0, excess)
    .map(({ id }) => id)
}

/** Adds a refresh token to a session and returns it. Only its hash is stored. */
export async function addRefreshToken(
  tx: Tx,
  sessionId: number,
  { generation, bySwitch }: { generation: number; bySwitch: boolean },
  expiresAt: number,
): Promise<string> {
  const token = secret()
  await insertRefreshToken(tx, { hash: sha256(token), sessionId, generation, bySwitch, expiresAt })
  return token
}

/**
 * Ends sessions. With those that account links opened (`openedBy`, `isLinked`), the sessions that were opened from them on the same
 * device by further links end too. Returns whether any was active.
 */
export async function endSessions(
  ctx: AppContext,
  tx: Tx,
  which: WhichSessions,
  reason: SessionEnd = 'REVOKED',
): Promise<boolean> {
  const ended = await endActive(tx, which)
  if (which.openedBy !== undefined || which.isLinked)
    // Grows while it is read. Ends, because each session is ended once.
    for (const { userId, deviceKey } of ended)
      ended.push(...(await endActive(tx, { openedBy: userId, device: deviceKey })))
  await sessionsEnded(ctx, tx, idsOf(ended), reason)
  return ended.length > 0
}

const idsOf = (sessions: readonly { id: number }[]): number[] => sessions.map(({ id }) => id)

/** Must be called in every write that ends sessions, with their ids: their requests are then refused, and their sockets close. */
export async function sessionsEnded(
  ctx: AppContext,
  tx: Tx,
  sessionIds: readonly number[],
  reason: SessionEnd,
): Promise<void> {
  if (sessionIds.length === 0) return
  tx.publish(sessionsChanged, { ids: sessionIds, ended: reason })
  await emit(ctx, tx, 'session.ended', { sessionIds, reason })
}

/**
 * Signs the access token of a grant and adds the user and their permissions. Runs after the commit, as signing waits for a thread. A
 * browser that asks for cookies gets the refresh token and a new device id nowhere else.
 */
export async function loginResponse(
  ctx: AppContext,
  grant: Grant,
  { locale, browser }: Pick<Caller, 'locale' | 'browser'>,
  isNewUser = false,
): Promise<LoginResponse> {
  const { userId, sessionId, deviceKey, newDeviceId, refreshToken, refreshUntil } = grant
  const needsDevice = browser?.keep(refreshToken, refreshUntil, newDeviceId) === true
  const user = await userById(ctx.db.read, userId)
  if (user === undefined) throw sessionEnded()
  const identities = await identitiesOf(ctx.db.read, userId)
  const { token, expiresAt } = await ctx.tokens.sign({
    userId,
    sessionId,
    tokenVersion: user.tokenVersion,
    needsDevice,
  })
  return {
    accessToken: token,
    refreshToken: browser ? null : refreshToken,
    tokenType: 'Bearer',
    expiresAt,
    sessionId,
    deviceId: browser ? deviceKey : (newDeviceId ?? deviceKey),
    isNewUser,
    mustChangePassword: await mustChangePassword(ctx, user),
    user: toUserView(ctx, user, identities),
    permissions: await permissionsForLogin(ctx, userId),
    roleName: await roleNameOf(ctx, userId, locale),
  }
}
