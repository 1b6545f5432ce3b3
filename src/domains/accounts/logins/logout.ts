import type { AppContext } from '#context'
import type { Actor, Caller } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'

import { deviceKeysOf } from '../credentials.ts'
import { lastWayIn } from '../errors.ts'
import { recordLogin } from '../login-records/record.ts'
import { revoke } from '../sessions/open.ts'
import { findOwn, sessionsOfDevice } from '../sessions/store.ts'
import { canStillSignIn } from '../users/rules.ts'
import { deleteIdentity, identitiesOf, userById } from '../users/store.ts'

/** Ends the session that asks. */
export async function logout(ctx: AppContext, actor: Actor, caller: Caller): Promise<void> {
  await ctx.db.write('accounts.logout', async (tx) => {
    const session = await findOwn(tx, actor.userId, actor.sessionId)
    await revoke(ctx, tx, actor.userId, [actor.sessionId])
    await recordLogin(ctx, tx, {
      userId: actor.userId,
      loginType: 'logout',
      device: { key: actor.deviceKey, name: session?.deviceName ?? '' },
      ip: caller.ip,
    })
  })
}

/**
 * Ends the session of one of the caller's devices and takes its DEVICE identity away: the device cannot sign in by itself any more.
 * Refused with 400 where that was the only way into the account: it would be lost for ever.
 */
export async function logoutDevice(ctx: AppContext, actor: Actor, keyOrId: string, caller: Caller): Promise<void> {
  const keys = deviceKeysOf(keyOrId)
  await ctx.db.write('accounts.logoutDevice', async (tx) => {
    const user = await userById(tx, actor.userId)
    const identities = await identitiesOf(tx, actor.userId)
    const identity = identities.find((i) => i.provider === 'DEVICE' && keys.includes(i.credential))
    const [session] = await sessionsOfDevice(tx, actor.userId, keys)
    if (user === undefined || (identity === undefined && session === undefined)) throw notFound()
    if (identity !== undefined) {
      if (!canStillSignIn(user, identities, identity.id)) throw lastWayIn()
      await deleteIdentity(tx, actor.userId, identity.id)
    }
    if (session !== undefined) await revoke(ctx, tx, actor.userId, [session.id])
    await recordLogin(ctx, tx, {
      userId: actor.userId,
      loginType: 'logout_unbind_device',
      device: { key: session?.deviceKey ?? identity?.credential ?? '', name: session?.deviceName ?? '' },
      ip: caller.ip,
    })
  })
}
