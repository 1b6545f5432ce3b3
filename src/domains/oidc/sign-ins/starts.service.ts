/** The way to a provider: what a sign-in remembers while its user is there. */

import type { AppContext } from '#context'
import * as accounts from '#domains/accounts/index.ts'
import { getSetting } from '#domains/settings/index.ts'
import { deviceOfCookie } from '#http/browser.ts'
import type { Actor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { secret, sha256 } from '#platform/ids.ts'

import { authorizationUrl, ProviderUnavailable } from '../clients/clients.service.ts'
import { badRedirect, challengeNeeded, ticketInvalid } from '../oidc.errors.ts'
import { LONG_TICKET_MS, STATE_MS } from '../oidc.model.ts'
import { PAGES, returnAddress, withParameter } from '../providers/providers.rules.ts'
import { findByKey, listProviders, type ProviderRow, saveError } from '../providers/providers.store.ts'
import type { LinkRequest, LinkStart, SignInProviders, StartQuery } from './sign-ins.model.ts'
import { type StateRow, takeState } from './sign-ins.store.ts'
import * as store from './sign-ins.store.ts'

/** Where a sign-in that went wrong returns to. */
export type Problem = 'failed' | 'taken' | 'unknown' | 'unavailable'

export async function listSignInProviders(ctx: AppContext): Promise<SignInProviders> {
  const providers = await listProviders(ctx.db.read)
  return {
    items: providers.filter(({ enabled }) => enabled).map(({ key, name }) => ({ key, name })),
    localSignIn: (await getSetting(ctx, 'security.localSignIn')) === 'ALL',
  }
}

/** @throws AppError 404 */
export async function enabledProvider(ctx: AppContext, key: string): Promise<ProviderRow> {
  const provider = await findByKey(ctx.db.read, key)
  if (!provider?.enabled) throw notFound()
  return provider
}

/** The web application, for answers that belong to no sign-in. */
export const homeOf = ({ config }: AppContext): string => `${config.publicUrl.replace(/\/+$/, '')}${PAGES}`

/** Of the browser that started a sign-in. Each sign-in has its own, so that two in one browser do not disturb each other. */
export const cookieName = ({ config }: AppContext, stateHash: string): string =>
  `${config.publicUrl.startsWith('https:') ? '__Host-' : ''}tessera_oidc_${stateHash.slice(0, 8)}`

/** The values of all cookies of sign-ins. */
export function browserSecrets(request: Request): string[] {
  const cookies = new Bun.CookieMap(request.headers.get('cookie') ?? '')
  return [...cookies].flatMap(([name, value]) => (/^(__Host-)?tessera_oidc_/.test(name) ? [value] : []))
}

/** Never kept: the address contains a ticket or the state of a sign-in. */
export function moved(location: string, cookie?: string): Response {
  const headers = new Headers({ location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
  if (cookie !== undefined) headers.append('set-cookie', cookie)
  return new Response(null, { status: 302, headers })
}

export const problemAt = (address: string, problem: Problem): Response =>
  moved(withParameter(address, 'error', problem))

/** Writes the line of the log, and keeps the error for administrators. Returns where the browser learns of it. */
export async function reportProblem(ctx: AppContext, provider: ProviderRow, error: Error): Promise<Problem> {
  const problem = error instanceof ProviderUnavailable ? 'unavailable' : 'failed'
  ctx.log.warn('a sign-in by a provider failed', { provider: provider.key, reason: error.message })
  if (provider.lastError !== error.message)
    await ctx.db.write('oidc.saveError', (tx) => saveError(tx, provider, error.message))
  return problem
}

type Target = Pick<StateRow, 'redirect' | 'codeChallenge'>

/** @throws AppError 400 */
async function targetOf(
  ctx: AppContext,
  { redirect, codeChallenge }: LinkRequest,
  place: 'query' | 'body',
): Promise<Target> {
  const allowed = await getSetting(ctx, 'oidc.redirects')
  const found = returnAddress(redirect || undefined, { publicUrl: ctx.config.publicUrl, allowed })
  if (found === undefined) throw badRedirect(`${place}.redirect`)
  if (found.isApp && !codeChallenge) throw challengeNeeded(`${place}.codeChallenge`)
  return { redirect: found.address, codeChallenge: codeChallenge || null }
}

/** Sends the browser to the provider. @throws AppError 400 for a `redirect` that is not allowed */
export async function startSignIn(
  ctx: AppContext,
  key: string,
  { link, ...query }: StartQuery,
  request: Request,
): Promise<Response> {
  const provider = await enabledProvider(ctx, key)
  if (link === undefined) return goToProvider(ctx, provider, await targetOf(ctx, query, 'query'))
  const intent = await ctx.db.write('oidc.startLink', (tx) => takeState(tx, sha256(link), ctx.clock.now()))
  if (intent?.providerId !== provider.id || intent.userId === null || intent.browserHash !== '') throw ticketInvalid()
  if (!(await isOfUser(ctx, intent, request))) return problemAt(intent.redirect, 'failed')
  const { redirect, codeChallenge, userId, sessionId } = intent
  return goToProvider(ctx, provider, { redirect, codeChallenge }, { userId, sessionId })
}

/**
 * Nobody must be able to send their own link to another person, whose account at the provider would then open theirs. A browser says where it
 * got the address from, and which device it is. An app comes back with its verifier instead.
 */
async function isOfUser(ctx: AppContext, intent: StateRow, request: Request): Promise<boolean> {
  if (intent.codeChallenge !== null) return true
  const relation = request.headers.get('sec-fetch-site')
  if (relation !== null && relation !== 'same-origin') return false
  const session = await accounts.findOwnSession(ctx.db.read, intent.userId!, intent.sessionId!)
  const device = deviceOfCookie(ctx.config, request)
  return device === undefined || session?.deviceKey === sha256(device)
}

async function goToProvider(
  ctx: AppContext,
  provider: ProviderRow,
  target: Target,
  by: Pick<StateRow, 'userId' | 'sessionId'> = { userId: null, sessionId: null },
): Promise<Response> {
  const [state, nonce, verifier, browser] = [secret(), secret(), secret(), secret()]
  let url: string
  try {
    url = await authorizationUrl(ctx, provider, { state, nonce, verifier })
  } catch (error) {
    return problemAt(target.redirect, await reportProblem(ctx, provider, error as Error))
  }
  const hash = sha256(state)
  await ctx.db.write('oidc.start', (tx) =>
    store.insertState(tx, {
      hash,
      providerId: provider.id,
      browserHash: sha256(browser),
      secrets: ctx.seal.seal(JSON.stringify({ nonce, verifier })),
      ...target,
      ...by,
      expiresAt: ctx.clock.now() + STATE_MS,
    }),
  )
  const cookie = new Bun.Cookie({
    name: cookieName(ctx, hash),
    value: browser,
    path: '/',
    maxAge: (STATE_MS + LONG_TICKET_MS) / 1000,
    httpOnly: true,
    // Sent when the provider sends the browser back.
    sameSite: 'lax',
    secure: ctx.config.publicUrl.startsWith('https:'),
  })
  return moved(url, cookie.serialize())
}

/** The address at which the caller links an account at the provider to theirs. */
export async function startLink(ctx: AppContext, actor: Actor, key: string, body: LinkRequest): Promise<LinkStart> {
  const provider = await enabledProvider(ctx, key)
  await accounts.requireConfirmationOfAll(ctx, actor)
  const target = await targetOf(ctx, body, 'body')
  const link = secret()
  await ctx.db.write('oidc.link', (tx) =>
    store.insertState(tx, {
      hash: sha256(link),
      providerId: provider.id,
      // No browser has this hash: only `start` uses the row.
      browserHash: '',
      secrets: '',
      ...target,
      userId: actor.userId,
      sessionId: actor.sessionId,
      expiresAt: ctx.clock.now() + STATE_MS,
    }),
  )
  return { url: `${homeOf(ctx).slice(0, -PAGES.length)}/api/auth/oidc/${key}/start?link=${link}` }
}
