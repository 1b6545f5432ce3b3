/** Sessions and devices of the signed-in user, and signing out. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { contributions } from '#domains/domain.ts'
import { getSetting } from '#domains/settings/index.ts'
import type { Actor, Caller } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'

import { deviceNotProven, deviceOfPage, onlyWayToSignIn, sessionEnded } from '../accounts.errors.ts'
import { requireConfirmation } from '../confirmations/confirmations.service.ts'
import { endAccess } from '../credentials/credentials.service.ts'
import type { LoginEvent, LoginType } from '../login-records/login-records.model.ts'
import { deviceKey, deviceKeysOf, nameDevice, ownEvent } from '../login-records/login-records.rules.ts'
import { notifyAccountHolder, recordLogin } from '../login-records/login-records.service.ts'
import { isKnownDevice, recordDevice } from '../login-records/login-records.store.ts'
import { endTrust, trustOf } from '../second-factor/second-factor.store.ts'
import { lastActive } from '../sessions/authenticate.ts'
import { rotateRefreshToken } from '../sessions/refreshing.service.ts'
import type { LoginResponse } from '../sessions/sessions.model.ts'
import { chainOf } from '../sessions/sessions.rules.ts'
import { endSessions, type Grant, loginResponse, openSession } from '../sessions/sessions.service.ts'
import { activeOf, deleteSwitchTokens, findOwn, type SessionRow, sessionsOfDevice } from '../sessions/sessions.store.ts'
import { requireLocalSignIn } from '../users/users.service.ts'
import { identitiesOf } from '../users/users.store.ts'
import type { DeviceLogin, DeviceRemoval, DeviceView, LoggedOut, SessionView } from './devices.model.ts'

interface Paging {
  page: number
  size: number
}

/** Something that happens to a session, recorded on its device and with the address of the caller. */
const sessionEvent = (loginType: LoginType, session: SessionRow, caller: Caller): LoginEvent => ({
  loginType,
  device: { key: session.deviceKey, name: session.deviceName },
  ip: caller.ip,
  locale: caller.locale,
})

/** An expired session may not be marked as such yet. */
const isExpired = (session: SessionRow, now: number): boolean => session.status === 'ACTIVE' && session.expiredAt <= now

export const toSessionView = (ctx: AppContext, actor: Actor, s: SessionRow): SessionView => ({
  id: s.id,
  deviceId: s.deviceKey,
  deviceName: s.deviceName,
  isCurrent: s.id === actor.sessionId,
  status: isExpired(s, ctx.clock.now()) ? 'EXPIRED' : s.status,
  expiredAt: s.expiredAt,
  lastActiveTime: lastActive(ctx, s),
  createdAt: s.createdAt,
})

/** The caller's active sessions, newest first; at most 10. */
export async function listSessions(ctx: AppContext, actor: Actor, { page, size }: Paging) {
  const active = await activeOf(ctx.db.read, actor.userId, ctx.clock.now())
  const items = active.slice((page - 1) * size, page * size).map((s) => toSessionView(ctx, actor, s))
  return { items, total: active.length, page, size }
}

/** One of the caller's sessions, even if it has ended. */
export async function getSession(ctx: AppContext, actor: Actor, id: number): Promise<SessionView> {
  const session = await findOwn(ctx.db.read, actor.userId, id)
  if (session === undefined) throw notFound()
  return toSessionView(ctx, actor, session)
}

/**
 * Opens a further session of the caller, on the device in the body or on a new one. The caller's session is never ended for it. On an unknown
 * device it is a sign-in: a thief of an access token would get a lasting way in.
 * @throws AppError 403 (code 4031) for an unknown device if a recent proof is needed
 */
export async function createSession(
  ctx: AppContext,
  actor: Actor,
  body: DeviceLogin,
  caller: Caller,
): Promise<LoginResponse> {
  // A script in the page would know the secret of the new session's device.
  if (body.deviceId && caller.browser !== undefined) throw deviceOfPage()
  const device = nameDevice(undefined, body.deviceId || undefined, body.deviceName || caller.deviceName)
  const event: LoginEvent = { loginType: 'register_device', device, ip: caller.ip, locale: caller.locale }
  if (!(await isKnownDevice(ctx.db.read, actor.userId, device.key))) await requireConfirmation(ctx, actor)
  const grant = await ctx.db.write('accounts.createSession', async (tx) => {
    const own = await findOwn(tx, actor.userId, actor.sessionId)
    // It may have ended since the request was admitted.
    if (own?.status !== 'ACTIVE') throw sessionEnded()
    await requireLocalSignIn(ctx, tx, actor.userId)
    // The new session proves no more than the one that asks for it.
    const { confirmedAt, openedByUserId } = own
    const opening = { confirmedAt, openedByUserId, requestedBy: actor.sessionId }
    const origins = await Promise.all(contributions(ctx, 'sessionOrigin').map((find) => find(tx, own.id)))
    const seen = await recordDevice(tx, actor.userId, device.key, ctx.clock.now())
    await recordLogin(ctx, tx, actor.userId, event)
    const grant = await openSession(ctx, tx, actor.userId, event, opening)
    for (const endWith of origins) await endWith?.(grant.sessionId)
    if (seen === 'new') await notifyAccountHolder(ctx, tx, actor.userId, event, { kind: 'NEW_DEVICE', about: {} })
    return grant
  })
  return loginResponse(ctx, grant, caller)
}

/** Does nothing if the session has already ended. */
export async function revokeSession(ctx: AppContext, actor: Actor, id: number, caller: Caller): Promise<void> {
  const { userId } = actor
  await ctx.db.write('accounts.revokeSession', async (tx) => {
    const session = await findOwn(tx, userId, id)
    if (session === undefined) throw notFound()
    const { endedSessions } = await endAccess(ctx, tx, 'SESSION_REVOKED', { userId, deviceKey: session.deviceKey })
    if (endedSessions) await recordLogin(ctx, tx, userId, sessionEvent('remove_device', session, caller))
  })
}

/**
 * New tokens for another active session of the caller, who has to prove its device: by being on it, or with its device id. Its other
 * refresh tokens keep working. @throws AppError 403, with code 4036 for a session of a way to sign in that is switched off
 */
export async function switchSession(
  ctx: AppContext,
  actor: Actor,
  id: number,
  deviceId: string | undefined,
  caller: Caller,
): Promise<LoginResponse> {
  const proven = deviceId ? deviceKey(deviceId) : actor.deviceKey
  const grant = await ctx.db.write('accounts.switchSession', async (tx) => {
    const session = await findOwn(tx, actor.userId, id)
    if (session === undefined || isExpired(session, ctx.clock.now())) throw notFound()
    if (session.deviceKey !== proven) throw deviceNotProven()
    // Otherwise it would never end, as only a refresh ends it.
    if (session.loginType !== 'oidc') await requireLocalSignIn(ctx, tx, actor.userId)
    const grant = await grantBySwitch(ctx, tx, session)
    if (grant === undefined) throw notFound()
    await recordLogin(ctx, tx, actor.userId, sessionEvent('session_switch', session, caller))
    return grant
  })
  return loginResponse(ctx, grant, caller)
}

/**
 * Tokens of a session for a caller who proved its device. They replace those of an earlier switch. The device's own chain is left
 * alone: otherwise its next refresh would be taken for a theft. Undefined if the session has ended.
 */
async function grantBySwitch(ctx: AppContext, tx: Tx, session: SessionRow): Promise<Grant | undefined> {
  await deleteSwitchTokens(tx, session.id)
  return rotateRefreshToken(ctx, tx, session, chainOf(session, true))
}

const toDeviceView = (
  ctx: AppContext,
  actor: Actor,
  s: SessionRow,
  trust: ReadonlyMap<string, number>,
): DeviceView => ({
  deviceId: s.deviceKey,
  deviceName: s.deviceName,
  loginType: s.loginType,
  ipAddress: s.ipAddress,
  city: s.city,
  loginTime: s.createdAt,
  lastActiveTime: lastActive(ctx, s),
  isCurrent: s.id === actor.sessionId,
  trustedUntil: trust.get(s.deviceKey) ?? null,
})

/** The caller's signed-in devices, latest login first. A device has one session, so there are at most 10. */
export async function listDevices(ctx: AppContext, actor: Actor, { page, size }: Paging) {
  const active = await activeOf(ctx.db.read, actor.userId, ctx.clock.now())
  const mayTrust = await getSetting(ctx, 'security.trustedDevices')
  const trust = mayTrust ? await trustOf(ctx.db.read, actor.userId, ctx.clock.now()) : new Map<string, number>()
  const items = active.slice((page - 1) * size, page * size).map((s) => toDeviceView(ctx, actor, s, trust))
  return { items, total: active.length, page, size }
}

/** The user's device with this key or raw id. @throws AppError 404 */
async function findDevice(tx: Tx, userId: number, keyOrId: string): Promise<{ key: string; name: string }> {
  const keys = deviceKeysOf(keyOrId)
  const [session] = await sessionsOfDevice(tx, userId, keys)
  if (session !== undefined) return { key: session.deviceKey, name: session.deviceName }
  const identity = (await identitiesOf(tx, userId)).find((i) => i.provider === 'DEVICE' && keys.includes(i.credential))
  if (identity === undefined) throw notFound()
  return { key: identity.credential, name: '' }
}

const HINT = {
  en: 'The device can still sign in by itself, because it is the only way to sign in to the account: bind an e-mail or phone, or set a username and password, and remove the device again',
  zh: '该设备仍可自行登录，因为这是登录此账号的唯一方式。请先绑定邮箱或手机号，或设置用户名和密码，再移除该设备',
}

/** Ends the session of one of the caller's devices, and its DEVICE identity unless that is the only way to sign in. */
export async function revokeDevice(
  ctx: AppContext,
  actor: Actor,
  keyOrId: string,
  caller: Caller,
): Promise<DeviceRemoval> {
  const { userId } = actor
  return ctx.db.write('accounts.revokeDevice', async (tx) => {
    const device = await findDevice(tx, userId, keyOrId)
    const outcome = await endAccess(ctx, tx, 'DEVICE_REMOVED', { userId, deviceKey: device.key })
    if (outcome.endedSessions)
      await recordLogin(ctx, tx, userId, { loginType: 'remove_device', device, ip: caller.ip, locale: caller.locale })
    return { hint: outcome.keptDeviceIdentities ? HINT[caller.locale] : null }
  })
}

/** The device needs the second factor again. @throws AppError 404 if the user does not trust it */
export async function endDeviceTrust(ctx: AppContext, actor: Actor, keyOrId: string, caller: Caller): Promise<void> {
  await endTrustIn(ctx, actor, deviceKeysOf(keyOrId), caller)
}

/** All devices of the user need the second factor again. */
export const endAllTrust = (ctx: AppContext, actor: Actor, caller: Caller): Promise<void> =>
  endTrustIn(ctx, actor, undefined, caller)

async function endTrustIn(
  ctx: AppContext,
  actor: Actor,
  deviceKeys: readonly string[] | undefined,
  caller: Caller,
): Promise<void> {
  const { userId } = actor
  const event = ownEvent('trust_end', actor, caller)
  await ctx.db.write('accounts.endTrust', async (tx) => {
    const ended = await endTrust(tx, userId, deviceKeys)
    if (ended === 0 && deviceKeys !== undefined) throw notFound()
    if (ended === 0) return
    await recordLogin(ctx, tx, userId, event)
    await notifyAccountHolder(ctx, tx, userId, event, { kind: 'TRUST_ENDED', about: {} })
  })
}

/** Ends the caller's session. */
export async function logout(ctx: AppContext, actor: Actor, caller: Caller): Promise<LoggedOut | null> {
  const urls = await Promise.all(contributions(ctx, 'logoutUrl').map((find) => find(ctx, actor.sessionId)))
  await ctx.db.write('accounts.logout', async (tx) => {
    const session = await findOwn(tx, actor.userId, actor.sessionId)
    await endSessions(ctx, tx, { userId: actor.userId, ids: [actor.sessionId] }, 'LOGOUT')
    await recordLogin(ctx, tx, actor.userId, {
      loginType: 'logout',
      device: { key: actor.deviceKey, name: session?.deviceName ?? '' },
      ip: caller.ip,
      locale: caller.locale,
    })
  })
  caller.browser?.forget()
  const logoutUrl = urls.find((url) => url !== undefined)
  return logoutUrl === undefined ? null : { logoutUrl }
}

/**
 * Ends the session of one of the caller's devices and deletes its DEVICE identity, so that the device can no longer sign in by
 * itself. @throws AppError 400 if that was the only way to sign in: the account would be lost.
 */
export async function logoutDevice(ctx: AppContext, actor: Actor, keyOrId: string, caller: Caller): Promise<void> {
  const { userId } = actor
  await ctx.db.write('accounts.logoutDevice', async (tx) => {
    const device = await findDevice(tx, userId, keyOrId)
    const outcome = await endAccess(ctx, tx, 'DEVICE_REMOVED', { userId, deviceKey: device.key })
    if (outcome.keptDeviceIdentities) throw onlyWayToSignIn()
    const { ip, locale } = caller
    await recordLogin(ctx, tx, userId, { loginType: 'logout_unbind_device', device, ip, locale })
  })
}
