import type { AppContext } from '#context'
import type { Actor, Caller } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'

import { deviceKeysOf } from '../credentials.ts'
import { recordLogin } from '../login-records/record.ts'
import { lastActive } from '../sessions/activity.ts'
import { revoke } from '../sessions/open.ts'
import { activeOf, type SessionRow, sessionsOfDevice } from '../sessions/store.ts'
import type { DeviceView } from './model.ts'

const toDeviceView = (ctx: AppContext, actor: Actor, s: SessionRow): DeviceView => ({
  deviceId: s.deviceKey,
  deviceName: s.deviceName,
  loginType: s.loginType,
  ipAddress: s.ipAddress,
  city: s.city,
  loginTime: s.createdAt,
  lastActiveTime: lastActive(ctx, s),
  isCurrent: s.id === actor.sessionId,
})

/** The devices that are signed in, the latest first: a device has one session, so there are at most 10. */
export async function listDevices(ctx: AppContext, actor: Actor, { page, size }: { page: number; size: number }) {
  const active = await activeOf(ctx.db.read, actor.userId, ctx.clock.now())
  const items = active.slice((page - 1) * size, page * size).map((s) => toDeviceView(ctx, actor, s))
  return { items, total: active.length, page, size }
}

/** Ends the session of one of the caller's devices. */
export async function revokeDevice(ctx: AppContext, actor: Actor, keyOrId: string, caller: Caller): Promise<void> {
  await ctx.db.write('accounts.revokeDevice', async (tx) => {
    const [session] = await sessionsOfDevice(tx, actor.userId, deviceKeysOf(keyOrId))
    if (session === undefined) throw notFound()
    const ended = await revoke(ctx, tx, actor.userId, [session.id])
    if (ended.length === 0) return
    const device = { key: session.deviceKey, name: session.deviceName }
    await recordLogin(ctx, tx, { userId: actor.userId, loginType: 'remove_device', device, ip: caller.ip })
  })
}
