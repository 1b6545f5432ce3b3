import type { AppContext } from '#context'
import { permissionsForLogin, roleNameOf } from '#domains/access/index.ts'

import { sessionEnded } from '../errors.ts'
import type { Grant } from '../sessions/open.ts'
import { identitiesOf, userById } from '../users/store.ts'
import { toUserView } from '../users/view.ts'
import type { LoginResponse } from './model.ts'

/** Signs the access token of a grant and says who the person is. After the commit: signing waits for a thread. */
export async function loginResponse(
  ctx: AppContext,
  grant: Grant,
  options: { isNewUser?: boolean; madeDeviceId?: string | undefined } = {},
): Promise<LoginResponse> {
  const { userId, sessionId } = grant
  const user = await userById(ctx.db.read, userId)
  if (user === undefined) throw sessionEnded
  const identities = await identitiesOf(ctx.db.read, userId)
  const { token, expiresAt } = await ctx.tokens.sign({ userId, sessionId, tokenVersion: user.tokenVersion })
  return {
    accessToken: token,
    refreshToken: grant.refreshToken,
    tokenType: 'Bearer',
    expiresAt,
    sessionId,
    deviceId: options.madeDeviceId ?? grant.deviceKey,
    isNewUser: options.isNewUser === true,
    user: toUserView(user, identities),
    permissions: await permissionsForLogin(ctx, userId),
    roleName: await roleNameOf(ctx, userId),
  }
}
