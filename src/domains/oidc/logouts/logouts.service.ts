/** Signing out at both places: here when the user signs out at the provider, and there when they sign out here. */

import type { AppContext } from '#context'
import { MINUTE } from '#platform/clock.ts'
import { sha256 } from '#platform/ids.ts'

import { endSessionUrl, verifyLogoutToken } from '../clients/clients.service.ts'
import { endAll } from '../links/links.service.ts'
import { findSession, sessionsOfProviderAndIdentity, sessionsOfSid } from '../links/links.store.ts'
import { badLogoutToken } from '../oidc.errors.ts'
import { credentialOf } from '../providers/providers.rules.ts'
import { enabledProvider, homeOf } from '../sign-ins/starts.service.ts'
import { useToken } from './logouts.store.ts'

/** A token is accepted for two minutes, by a clock that may differ by one. */
const REMEMBERED_MS = 10 * MINUTE

/** @throws AppError 400 */
export async function logOutByProvider(ctx: AppContext, key: string, token: string): Promise<Response> {
  const provider = await enabledProvider(ctx, key)
  const { jti, sid, subject } = await verifyLogoutToken(ctx, provider, token).catch((error: unknown) => {
    ctx.log.warn('a logout token was refused', { provider: key, reason: (error as Error).message })
    throw badLogoutToken()
  })
  const hash = sha256(JSON.stringify([provider.issuer, jti]))
  await ctx.db.write('oidc.logOut', async (tx) => {
    if (!(await useToken(tx, hash, ctx.clock.now() + REMEMBERED_MS))) throw badLogoutToken()
    const ofSid = sid === undefined ? [] : await sessionsOfSid(tx, provider.id, sha256(sid))
    if (ofSid.length > 0 || subject === undefined) return endAll(ctx, tx, ofSid)
    const ofUser = await sessionsOfProviderAndIdentity(tx, provider.id, credentialOf(provider.issuer, subject))
    // Those of an unknown `sid` may be in another browser. Those without one may be the ones that are meant.
    await endAll(ctx, tx, sid === undefined ? ofUser : ofUser.filter((session) => session.sid === null))
  })
  return new Response(null, {
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  })
}

/** A provider that does not answer keeps nobody from signing out here. Undefined for a session that no provider has opened. */
export async function logoutUrl(ctx: AppContext, sessionId: number): Promise<string | null | undefined> {
  const session = await findSession(ctx.db.read, sessionId)
  if (session === undefined) return undefined
  if (session.provider.logout !== 'PROVIDER' || !session.provider.enabled) return null
  const idToken = session.idToken === null ? undefined : ctx.seal.open(session.idToken)
  try {
    return await endSessionUrl(ctx, session.provider, idToken, homeOf(ctx))
  } catch (error) {
    ctx.log.warn('the logout address of a provider is unknown', {
      provider: session.provider.key,
      reason: (error as Error).message,
    })
    return null
  }
}
