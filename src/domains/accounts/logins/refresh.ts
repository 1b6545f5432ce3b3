import type { AppContext } from '#context'
import { holdsAnyPlatformRole } from '#domains/access/index.ts'
import type { Caller } from '#http/endpoint.ts'
import { sha256 } from '#platform/ids.ts'

import { deviceKey } from '../credentials.ts'
import { badRefreshToken, notAnAdministrator } from '../errors.ts'
import { exchange } from '../sessions/open.ts'
import { findByRefreshToken } from '../sessions/store.ts'
import type { LoginResponse } from './model.ts'
import { loginResponse } from './respond.ts'

/** A new pair of tokens for a refresh token. When the caller names a device, it must be the session's. */
export async function refresh(ctx: AppContext, token: string, caller: Caller): Promise<LoginResponse> {
  const device = caller.deviceId === undefined ? undefined : deviceKey(caller.deviceId)
  const result = await ctx.db.write('accounts.refresh', (tx) => exchange(ctx, tx, token, device))
  if (result === 'stolen') ctx.log.warn('a refresh token was used twice: its session was ended', { ip: caller.ip })
  if (typeof result === 'string') throw badRefreshToken()
  return loginResponse(ctx, result)
}

/** The same for the console. The role is looked at first: a refused caller keeps an unused token. */
export async function adminRefresh(ctx: AppContext, token: string, caller: Caller): Promise<LoginResponse> {
  const found = await findByRefreshToken(ctx.db.read, sha256(token))
  if (found === undefined) throw badRefreshToken()
  if (!(await holdsAnyPlatformRole(ctx, found.session.userId))) throw notAnAdministrator()
  return refresh(ctx, token, caller)
}
