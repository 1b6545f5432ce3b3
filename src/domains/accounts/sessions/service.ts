import type { AppContext } from '#context'
import type { Actor, Caller } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'

import { nameDevice } from '../credentials.ts'
import { recordLogin } from '../login-records/record.ts'
import type { DeviceLogin, LoginResponse } from '../logins/model.ts'
import { loginResponse } from '../logins/respond.ts'
import { lastActive } from './activity.ts'
import type { SessionView } from './model.ts'
import { openSession, prolong, revoke } from './open.ts'
import { activeOf, findOwn, type SessionRow } from './store.ts'

/** A session past its end may not be marked yet. */
const isOver = (session: SessionRow, now: number): boolean => session.status === 'ACTIVE' && session.expiredAt <= now

const toSessionView = (ctx: AppContext, actor: Actor, s: SessionRow): SessionView => ({
  id: s.id,
  deviceId: s.deviceKey,
  deviceName: s.deviceName,
  isCurrent: s.id === actor.sessionId,
  status: isOver(s, ctx.clock.now()) ? 'EXPIRED' : s.status,
  expiredAt: s.expiredAt,
  lastActiveTime: lastActive(ctx, s),
  createdAt: s.createdAt,
})

/** The caller's active sessions, newest first: at most 10. */
export async function listSessions(ctx: AppContext, actor: Actor, { page, size }: { page: number; size: number }) {
  const active = await activeOf(ctx.db.read, actor.userId, ctx.clock.now())
  const items = active.slice((page - 1) * size, page * size).map((s) => toSessionView(ctx, actor, s))
  return { items, total: active.length, page, size }
}

/** One of the caller's sessions, also one that has ended. */
export async function sessionDetail(ctx: AppContext, actor: Actor, id: number): Promise<SessionView> {
  const session = await findOwn(ctx.db.read, actor.userId, id)
  if (session === undefined) throw notFound()
  return toSessionView(ctx, actor, session)
}

/** A further session of the caller, on the device that the body names or on a new one. The caller's own is never ended for it. */
export async function createSession(
  ctx: AppContext,
  actor: Actor,
  body: DeviceLogin,
  caller: Caller,
): Promise<LoginResponse> {
  const device = nameDevice(undefined, body.deviceId || undefined, body.deviceName || caller.deviceName)
  const event = { userId: actor.userId, device, loginType: 'register_device', ip: caller.ip } as const
  const grant = await ctx.db.write('accounts.createSession', async (tx) => {
    await recordLogin(ctx, tx, event)
    return openSession(ctx, tx, { ...event, openedBy: actor.sessionId })
  })
  return loginResponse(ctx, grant, { madeDeviceId: device.made })
}

/** Ends one of the caller's sessions. Ending one that has ended changes nothing. */
export async function revokeSession(ctx: AppContext, actor: Actor, id: number, caller: Caller): Promise<void> {
  await ctx.db.write('accounts.revokeSession', async (tx) => {
    const session = await findOwn(tx, actor.userId, id)
    if (session === undefined) throw notFound()
    const ended = await revoke(ctx, tx, actor.userId, [id])
    if (ended.length === 0) return
    const device = { key: session.deviceKey, name: session.deviceName }
    await recordLogin(ctx, tx, { userId: actor.userId, loginType: 'remove_device', device, ip: caller.ip })
  })
}

/** New tokens for another active session of the caller. They work on that session's device only. */
export async function switchSession(ctx: AppContext, actor: Actor, id: number, caller: Caller): Promise<LoginResponse> {
  const grant = await ctx.db.write('accounts.switchSession', async (tx) => {
    const session = await findOwn(tx, actor.userId, id)
    if (session === undefined || isOver(session, ctx.clock.now())) throw notFound()
    const grant = await prolong(ctx, tx, session)
    if (grant === undefined) throw notFound()
    const device = { key: session.deviceKey, name: session.deviceName }
    await recordLogin(ctx, tx, { userId: actor.userId, loginType: 'session_switch', device, ip: caller.ip })
    return grant
  })
  return loginResponse(ctx, grant)
}
