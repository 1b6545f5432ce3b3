/**
 * The protocol with a provider, by openid-client. Every request is guarded like other requests to addresses that people chose, and all requests
 * for one request of a user end after five seconds. The configuration of a provider is kept for an hour.
 */

import {
  createRemoteJWKSet,
  customFetch as jwksFetch,
  type JWTPayload,
  jwtVerify,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
} from 'jose'
import * as client from 'openid-client'

import { type AppContext, perContext } from '#context'
import { HOUR, MINUTE, SECOND, systemClock } from '#platform/clock.ts'
import { networkReason } from '#platform/outgoing.ts'
import { postPublic } from '#platform/public-post.ts'

import { type Claims, MAX_CLAIM, MAX_GROUPS, PROVIDER_MS, TOLERANCE_S } from '../oidc.model.ts'
import { redirectUri } from '../providers/providers.rules.ts'
import type { ProviderRow } from '../providers/providers.store.ts'

/** Signatures that are accepted. HS256 would take the client secret for a key, and `none` has no signature. */
export const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519']
/** The claims of a user with many groups take some tens of kilobytes. */
const MAX_ANSWER = 512 * 1024

/** The provider does not answer, or not in time. */
export class ProviderUnavailable extends Error {
  override name = 'ProviderUnavailable'
}
/** The provider, or somebody in its name, said something that is refused. */
export class ProviderRefused extends Error {
  override name = 'ProviderRefused'
}

/** The configuration of a provider, and its keys. */
export interface Discovered {
  readonly metadata: client.ServerMetadata
  readonly keys: JWTVerifyGetKey
}

interface Kept {
  readonly until: number
  readonly found: Promise<Discovered>
}

/** By id of the provider. A changed provider has another `updatedAt`, so it is asked again. */
const kept = perContext(() => new Map<number, Kept & { readonly updatedAt: number }>())

/** The time that a request of a user leaves for its provider. */
export const providerDeadline = (): AbortSignal => AbortSignal.timeout(PROVIDER_MS)

/** A `fetch` that reaches only public addresses, and those that the operator named. */
export const guardedFetch =
  (ctx: AppContext, signal: AbortSignal) =>
  async (
    url: string,
    { method, headers, body }: { method?: string; headers?: Headers | Record<string, string>; body?: unknown },
  ): Promise<Response> => {
    const text = body instanceof URLSearchParams ? body.toString() : typeof body === 'string' ? body : ''
    const answer = await postPublic(url, {
      method: method === 'POST' ? 'POST' : 'GET',
      headers: Object.fromEntries(new Headers(headers)),
      body: new TextEncoder().encode(text),
      most: { ms: PROVIDER_MS, bytes: MAX_ANSWER },
      allowed: ctx.config.privateTargets,
      signal,
    }).catch((error: unknown) => {
      throw new ProviderUnavailable(`${new URL(url).host} cannot be reached: ${networkReason(error)}`, { cause: error })
    })
    if (answer.status >= 500) throw new ProviderUnavailable(`${new URL(url).host} answers HTTP ${answer.status}`)
    if (answer.text === undefined) throw new ProviderRefused(`${new URL(url).host} answers too much`)
    return new Response([204, 304].includes(answer.status) ? null : answer.text, {
      status: answer.status,
      headers: { 'content-type': 'application/json' },
    })
  }

/** Libraries wrap the errors of requests. */
export function reasonOf(error: unknown): ProviderUnavailable | ProviderRefused {
  let [at, depth] = [error, 0]
  const said: string[] = []
  while (at instanceof Error && depth++ < 5) {
    if (at instanceof ProviderUnavailable || at instanceof ProviderRefused) return at
    if (at.name === 'TimeoutError' || at.name === 'AbortError')
      return new ProviderUnavailable('the provider did not answer in time')
    const { error: code, error_description: description } = at as { error?: unknown; error_description?: unknown }
    said.push([at.message, code, description].filter((part) => typeof part === 'string' && part !== '').join(': '))
    at = at.cause
  }
  return new ProviderRefused(said.join(', ').slice(0, 300) || 'unknown', { cause: error })
}

/** Rejects at the deadline: some steps of the libraries take no signal. */
async function inTime<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const late = new Promise<never>((_, reject) =>
    signal.addEventListener('abort', () => reject(new ProviderUnavailable('the provider did not answer in time')), {
      once: true,
    }),
  )
  return Promise.race([work, late])
}

/** @throws ProviderUnavailable, ProviderRefused */
async function discover(ctx: AppContext, { issuer }: ProviderRow, signal: AbortSignal): Promise<Discovered> {
  const isPlain = issuer.startsWith('http:')
  const found = await client.discovery(new URL(issuer), 'unused', undefined, client.None(), {
    [client.customFetch]: guardedFetch(ctx, signal),
    timeout: PROVIDER_MS / SECOND,
    // The guard has refused plain addresses that the operator has not named.
    ...(isPlain && { execute: [client.allowInsecureRequests] }),
  })
  const metadata = found.serverMetadata()
  // The library accepts other issuers from some providers that serve many organizations: anyone can be a user of those.
  if (metadata.issuer !== issuer) throw new ProviderRefused(`the provider names itself ${String(metadata.issuer)}`)
  if (metadata.jwks_uri === undefined) throw new ProviderRefused('the provider names no keys')
  const keys = createRemoteJWKSet(new URL(metadata.jwks_uri), {
    timeoutDuration: PROVIDER_MS,
    cacheMaxAge: HOUR,
    // An unknown `kid` makes it ask again at most so often.
    cooldownDuration: MINUTE,
    [jwksFetch]: (url: string, options: object) => guardedFetch(ctx, providerDeadline())(url, options),
  })
  return { metadata, keys }
}

/** From memory if it was asked within the last hour. Requests at the same time wait for one answer. */
function discovered(ctx: AppContext, provider: ProviderRow, signal: AbortSignal): Promise<Discovered> {
  const now = ctx.clock.now()
  const known = kept(ctx).get(provider.id)
  if (known !== undefined && known.updatedAt === provider.updatedAt && known.until > now)
    return inTime(signal, known.found)
  const found = discover(ctx, provider, providerDeadline())
  const entry = { updatedAt: provider.updatedAt, until: now + HOUR, found }
  kept(ctx).set(provider.id, entry)
  found.catch(() => {
    if (kept(ctx).get(provider.id) === entry) kept(ctx).delete(provider.id)
  })
  return inTime(signal, found)
}

/** Asks the provider again, whatever is kept. */
export function discoverAgain(ctx: AppContext, provider: ProviderRow, signal: AbortSignal): Promise<Discovered> {
  kept(ctx).delete(provider.id)
  return discovered(ctx, provider, signal)
}

export function configurationOf(
  ctx: AppContext,
  provider: ProviderRow,
  { metadata }: Discovered,
  signal: AbortSignal,
): client.Configuration {
  const secret = provider.clientSecret === null ? undefined : ctx.seal.open(provider.clientSecret)
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const byHeader = methods.includes('client_secret_basic') || !methods.includes('client_secret_post')
  const authentication =
    secret === undefined ? client.None() : byHeader ? client.ClientSecretBasic(secret) : client.ClientSecretPost(secret)
  const configuration = new client.Configuration(
    metadata,
    provider.clientId,
    { [client.clockTolerance]: TOLERANCE_S, [client.clockSkew]: skewOf(ctx) },
    authentication,
  )
  configuration[client.customFetch] = guardedFetch(ctx, signal)
  if (provider.issuer.startsWith('http:')) client.allowInsecureRequests(configuration)
  return configuration
}

/** Seconds from the machine's clock to the server's, which tests move. */
const skewOf = ({ clock }: AppContext): number => Math.round((clock.now() - systemClock.now()) / SECOND)

export interface Request {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** Where the browser goes to sign in. @throws ProviderUnavailable, ProviderRefused */
export async function authorizationUrl(
  ctx: AppContext,
  provider: ProviderRow,
  { state, nonce, verifier }: Request,
): Promise<string> {
  const signal = providerDeadline()
  try {
    const found = await discovered(ctx, provider, signal)
    const url = client.buildAuthorizationUrl(configurationOf(ctx, provider, found, signal), {
      redirect_uri: redirectUri(ctx.config.publicUrl, provider.key),
      scope: provider.scopes,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    })
    return url.href
  } catch (error) {
    throw reasonOf(error)
  }
}

/** Exchanges the code of a callback. `query`: of its address. @throws ProviderUnavailable, ProviderRefused */
export async function exchangeCode(
  ctx: AppContext,
  provider: ProviderRow,
  query: URLSearchParams,
  { state, nonce, verifier }: Request,
): Promise<Claims> {
  const signal = providerDeadline()
  try {
    const found = await discovered(ctx, provider, signal)
    const configuration = configurationOf(ctx, provider, found, signal)
    const url = new URL(redirectUri(ctx.config.publicUrl, provider.key))
    url.search = query.toString()
    const tokens = await inTime(
      signal,
      client.authorizationCodeGrant(configuration, url, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      }),
    )
    const idToken = tokens.id_token!
    // The library trusts the connection instead of the signature.
    const payload = await inTime(signal, verifyToken(ctx, provider, found, idToken))
    if (payload['nonce'] !== nonce) throw new ProviderRefused('the nonce is another one')
    const subject = payload.sub
    if (subject === undefined || subject === '' || subject.length > MAX_CLAIM)
      throw new ProviderRefused('the token has no subject')
    const more = needsMore(provider, payload, found.metadata)
      ? await inTime(signal, client.fetchUserInfo(configuration, tokens.access_token, subject))
      : {}
    return claimsOf(provider, { ...payload, sub: subject }, more, idToken)
  } catch (error) {
    throw reasonOf(error)
  }
}

/** Signature, issuer, audience, authorized party and times of a token of the provider. */
async function verifyToken(
  ctx: AppContext,
  { issuer, clientId }: ProviderRow,
  { keys }: Discovered,
  token: string,
  options: JWTVerifyOptions = {},
): Promise<JWTPayload> {
  const now = ctx.clock.now()
  const { payload } = await jwtVerify(token, keys, {
    issuer,
    audience: clientId,
    algorithms: ALGORITHMS,
    clockTolerance: TOLERANCE_S,
    currentDate: new Date(now),
    requiredClaims: ['iat', 'exp'],
    ...options,
  })
  const { aud, azp, iat } = payload as JWTPayload & { azp?: unknown }
  if (azp === undefined ? Array.isArray(aud) && aud.length > 1 : azp !== clientId)
    throw new ProviderRefused('the token is for another client')
  if (iat === undefined || iat * SECOND > now + TOLERANCE_S * SECOND)
    throw new ProviderRefused('the token is from the future')
  return payload
}

/** The ID tokens of some providers contain only the id of the user. */
function needsMore({ roleMap, groupsClaim }: ProviderRow, token: JWTPayload, metadata: client.ServerMetadata): boolean {
  if (metadata.userinfo_endpoint === undefined) return false
  return (
    token['email'] === undefined ||
    token['name'] === undefined ||
    (roleMap.length > 0 && token[groupsClaim] === undefined)
  )
}

type Facts = Readonly<Record<string, unknown>>

/** An address and whether it is verified are taken from one source. */
function claimsOf(provider: ProviderRow, token: JWTPayload & { sub: string }, more: Facts, idToken: string): Claims {
  const facts: Facts = token
  const either = (name: string): unknown => facts[name] ?? more[name]
  const mail = facts['email'] === undefined ? more : facts
  const amr = Array.isArray(facts['amr']) ? facts['amr'] : []
  return {
    issuer: provider.issuer,
    subject: token.sub,
    sid: shortText(facts['sid']),
    idToken,
    // Exactly `true`: nobody knows what a provider means by the text "true".
    email: mail['email_verified'] === true ? shortText(mail['email']) : undefined,
    name: shortText(either('name')),
    username: shortText(either('preferred_username')),
    groups: groupsOf(either(provider.groupsClaim), either('_claim_names'), provider.groupsClaim),
    hasFactor: amr.some((method) => ['mfa', 'hwk', 'swk', 'otp'].includes(method as string)),
  }
}

const shortText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= MAX_CLAIM ? value : undefined

/** A user in no group may have no claim. A provider that cannot list so many groups names another place instead: that is unknown. */
function groupsOf(value: unknown, elsewhere: unknown, claim: string): readonly string[] | undefined {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value))
    return value.slice(0, MAX_GROUPS).filter((group): group is string => typeof group === 'string')
  if (value !== undefined && value !== null) return undefined
  return typeof elsewhere === 'object' && elsewhere !== null && Object.hasOwn(elsewhere, claim) ? undefined : []
}

const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'
/** Seconds. */
const LOGOUT_TOKEN_AGE = 120

export interface LogoutToken {
  readonly jti: string
  readonly subject: string | undefined
  readonly sid: string | undefined
}

/** OpenID Connect Back-Channel Logout 1.0, section 2.6. @throws ProviderUnavailable, ProviderRefused */
export async function verifyLogoutToken(ctx: AppContext, provider: ProviderRow, token: string): Promise<LogoutToken> {
  const signal = providerDeadline()
  try {
    const found = await discovered(ctx, provider, signal)
    const payload = await inTime(
      signal,
      // `exp` is not among the claims that the standard has always asked for.
      verifyToken(ctx, provider, found, token, { requiredClaims: ['iat', 'jti', 'events'] }),
    )
    const { jti, iat, sub, nonce, events, sid } = payload as JWTPayload & Record<'nonce' | 'events' | 'sid', unknown>
    if (iat! * SECOND < ctx.clock.now() - LOGOUT_TOKEN_AGE * SECOND) throw new ProviderRefused('the token is too old')
    if (nonce !== undefined) throw new ProviderRefused('the token has a nonce')
    const event = (events as Facts | null)?.[LOGOUT_EVENT]
    if (typeof event !== 'object' || event === null) throw new ProviderRefused('the token is about something else')
    const about = { subject: shortText(sub), sid: shortText(sid) }
    if (about.subject === undefined && about.sid === undefined) throw new ProviderRefused('the token names nobody')
    if (shortText(jti) === undefined) throw new ProviderRefused('the token has no id')
    return { jti: jti!, ...about }
  } catch (error) {
    throw reasonOf(error)
  }
}

/** Where a browser signs out at the provider; null if the provider has no such address. @throws ProviderUnavailable, ProviderRefused */
export async function endSessionUrl(
  ctx: AppContext,
  provider: ProviderRow,
  idToken: string | undefined,
  returnTo: string,
): Promise<string | null> {
  const signal = providerDeadline()
  try {
    const found = await discovered(ctx, provider, signal)
    if (found.metadata.end_session_endpoint === undefined) return null
    const url = client.buildEndSessionUrl(configurationOf(ctx, provider, found, signal), {
      post_logout_redirect_uri: returnTo,
      ...(idToken !== undefined && { id_token_hint: idToken }),
    })
    // Pages go there: a provider must not run a script in them.
    if (!/^https?:$/.test(url.protocol)) throw new ProviderRefused('the logout address is not a web address')
    return url.href
  } catch (error) {
    throw reasonOf(error)
  }
}
