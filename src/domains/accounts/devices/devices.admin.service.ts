/** Sessions of all users, for administrators. */

import type { AppContext } from '#context'
import { mapPage, type Page } from '#db/paging.ts'
import { requireMayChangeUser } from '#domains/access/index.ts'
import { adminPage } from '#domains/admin/index.ts'
import type { Actor, Caller, LoggedActor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'

import { endAccess } from '../credentials/credentials.service.ts'
import { recordLogin } from '../login-records/login-records.service.ts'
import type { AdminSessionsQuery, AdminSessionView } from './devices.admin.model.ts'
import { allSessions, findActive, type SessionWithUser } from './devices.admin.store.ts'
import { toSessionView } from './devices.service.ts'

/** Characters of a device key that tell the devices of a server apart. The rest of the key is not shown to other users. */
const SHOWN_OF_KEY = 8

export const listAllSessions = async (
  ctx: AppContext,
  actor: Actor,
  query: AdminSessionsQuery,
): Promise<Page<AdminSessionView>> =>
  mapPage(await adminPage(ctx, actor.userId, allSessions(query), query), (row) => toView(ctx, actor, row))

function toView(ctx: AppContext, actor: Actor, { session, username, nickname }: SessionWithUser): AdminSessionView {
  const view = toSessionView(ctx, actor, session)
  return {
    ...view,
    deviceId: `${view.deviceId.slice(0, SHOWN_OF_KEY)}…`,
    userId: session.userId,
    username,
    nickname,
    ipAddress: session.ipAddress,
    city: session.city,
    loginType: session.loginType,
  }
}

/**
 * Ends any session, with those that it opened by account links. Callers may end their own, as by signing out. @throws AppError 404 if it
 * has ended, 403 if it belongs to another administrator and the caller is not SYSTEM_ADMIN
 */
export async function revokeAnySession(
  ctx: AppContext,
  actor: LoggedActor,
  id: number,
  { locale }: Caller,
): Promise<void> {
  await actor.write('accounts.revokeAnySession', async (tx) => {
    const found = await findActive(tx, id)
    if (found === undefined || found.session.expiredAt <= ctx.clock.now()) throw notFound()
    const { userId, deviceKey, deviceName, loginType, ipAddress } = found.session
    if (userId !== actor.userId) await requireMayChangeUser(tx, actor, userId)
    await endAccess(ctx, tx, 'SESSION_REVOKED', { userId, deviceKey })
    // Without an address, because users do not see those of administrators.
    await recordLogin(ctx, tx, userId, {
      loginType: 'remove_device',
      device: { key: deviceKey, name: deviceName },
      ip: '',
      locale,
    })
    return {
      result: undefined,
      logged: {
        targetId: id,
        targetName: found.username ?? found.nickname,
        before: { userId, deviceName, loginType, ipAddress },
      },
    }
  })
}
