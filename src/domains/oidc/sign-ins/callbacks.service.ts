/** The way back from a provider: who the user is, and the ticket with which their browser or app gets a session. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import * as accounts from '#domains/accounts/index.ts'
import type { Caller } from '#http/endpoint.ts'
import { isLongerThan, onOneLine } from '#lib/text.ts'
import { secret, sha256 } from '#platform/ids.ts'

import { exchangeCode } from '../clients/clients.service.ts'
import { insertLink } from '../links/links.service.ts'
import { findIdentity, noteLinked } from '../links/links.store.ts'
import { type Claims, TICKET_MS } from '../oidc.model.ts'
import { credentialOf, withParameter } from '../providers/providers.rules.ts'
import type { ProviderRow } from '../providers/providers.store.ts'
import * as store from './sign-ins.store.ts'
import {
  browserSecrets,
  cookieName,
  enabledProvider,
  homeOf,
  moved,
  type Problem,
  problemAt,
  reportProblem,
} from './starts.service.ts'

/** The claims that a ticket keeps. */
export interface Kept {
  readonly sid: string | undefined
  readonly idToken: string
  /** Those that give a role; undefined if the provider did not say. */
  readonly groups: readonly string[] | undefined
  /** The device of a user who links the identity with the ticket. */
  readonly linkOn?: string
}

/** Sends the browser where it started, with a ticket or with an error. */
export async function finishSignIn(ctx: AppContext, key: string, request: Request, caller: Caller): Promise<Response> {
  const provider = await enabledProvider(ctx, key)
  const query = new URLSearchParams(request.url.split('?')[1] ?? '')
  const given = query.get('state') ?? ''
  const refuse = async (reason: string, address = homeOf(ctx)): Promise<Response> => {
    ctx.log.warn('a sign-in by a provider failed', { provider: key, reason })
    return problemAt(address, 'failed')
  }
  const hash = sha256(given)
  const now = ctx.clock.now()
  const found = await store.findState(ctx.db.read, hash, now)
  if (found === undefined || found.providerId !== provider.id) return refuse('the state is unknown, used or expired')
  if (!hasCookie(ctx, request, found)) return refuse('another browser started it')
  const state = await ctx.db.write('oidc.takeState', (tx) => store.takeState(tx, hash, now))
  if (state === undefined) return refuse('the state is used', found.redirect)
  const secrets = JSON.parse(ctx.seal.open(state.secrets) ?? '{}') as { nonce?: string; verifier?: string }
  if (secrets.nonce === undefined || secrets.verifier === undefined)
    return refuse('it was started with another key', state.redirect)
  // The user has refused it there, or may not use this server.
  if (query.has('error')) return refuse(`the provider answers ${query.get('error')?.slice(0, 100)}`, state.redirect)
  let claims: Claims
  try {
    claims = await exchangeCode(ctx, provider, query, {
      state: given,
      nonce: secrets.nonce,
      verifier: secrets.verifier,
    })
  } catch (error) {
    return problemAt(state.redirect, await reportProblem(ctx, provider, error as Error))
  }
  return identify(ctx, provider, state, claims, caller)
}

const hasCookie = (ctx: AppContext, request: Request, { hash, browserHash }: store.StateRow): boolean => {
  const cookies = new Bun.CookieMap(request.headers.get('cookie') ?? '')
  return sha256(cookies.get(cookieName(ctx, hash)) ?? '') === browserHash
}

interface Identified {
  readonly userId: number
  readonly isNewUser?: boolean
  readonly linkOn?: string
}
type Outcome = Identified | { readonly problem: Problem; readonly reason: string }

async function identify(
  ctx: AppContext,
  provider: ProviderRow,
  state: store.StateRow,
  claims: Claims,
  caller: Caller,
): Promise<Response> {
  const credential = credentialOf(claims.issuer, claims.subject)
  const nickname = nicknameFrom(claims.name) ?? (await accounts.generateNickname(ctx, caller.locale))
  const ticket = secret()
  const outcome = await ctx.db.write('oidc.callback', async (tx) => {
    const found =
      state.userId === null
        ? await findUser(ctx, tx, provider, claims, { credential, nickname, caller })
        : await linkToCaller(ctx, tx, provider, state, credential, caller)
    if ('problem' in found) return found
    const groups = claims.groups?.filter((group) => provider.roleMap.some((line) => line.group === group))
    const kept: Kept = {
      sid: claims.sid,
      idToken: claims.idToken,
      groups,
      ...(found.linkOn !== undefined && { linkOn: found.linkOn }),
    }
    const now = ctx.clock.now()
    await store.insertTicket(tx, {
      hash: sha256(ticket),
      providerId: provider.id,
      userId: found.userId,
      credential,
      browserHash: state.codeChallenge === null ? state.browserHash : null,
      codeChallenge: state.codeChallenge,
      hasFactor: claims.hasFactor,
      claims: ctx.seal.seal(JSON.stringify(kept)),
      isNewUser: found.isNewUser ?? false,
      createdAt: now,
      expiresAt: now + TICKET_MS,
    })
    return found
  })
  if ('problem' in outcome) {
    ctx.log.warn('a sign-in by a provider failed', { provider: provider.key, reason: outcome.reason })
    return problemAt(state.redirect, outcome.problem)
  }
  const address = withParameter(state.redirect, 'ticket', ticket)
  return moved(state.userId === null ? address : withParameter(address, 'linked', provider.key))
}

/** Undefined for a name that is empty or too long. */
function nicknameFrom(name: string | undefined): string | undefined {
  const line = onOneLine(name ?? '')
  return line === '' || isLongerThan(line, accounts.NICKNAME_MAX, 8) ? undefined : line
}

interface Found {
  readonly credential: string
  readonly nickname: string
  readonly caller: Caller
}

/** Never by a username, and by an e-mail address only if both sides have verified it. */
async function findUser(
  ctx: AppContext,
  tx: Tx,
  provider: ProviderRow,
  claims: Claims,
  { credential, nickname, caller }: Found,
): Promise<Outcome> {
  const known = await findIdentity(tx, credential)
  if (known !== undefined) {
    if (known.boundOn === '' && (await accounts.holdsPlatformRole(tx, known.userId)))
      return { problem: 'failed', reason: 'an administrator has not linked this account while signed in' }
    return { userId: known.userId }
  }
  const email = provider.linkByEmail ? accounts.normalizeEmail(claims.email ?? '') : undefined
  const owner = email === undefined ? undefined : await accounts.userByProvedCredential(tx, 'EMAIL', email)
  if (owner !== undefined && !(await accounts.holdsPlatformRole(tx, owner.id))) {
    const link = { userId: owner.id, credential, provider, deviceKey: '' }
    const { ip, locale } = caller
    const event = { loginType: 'oidc_link', device: { key: '', name: '' }, ip, locale } as const
    if (await insertLink(ctx, tx, link, event)) return { userId: owner.id }
    return { problem: 'failed', reason: 'the user has too many linked accounts' }
  }
  if (!provider.createAccounts) return { problem: 'unknown', reason: 'nobody has linked this account' }
  const wanted = claims.username !== undefined && accounts.isUsername(claims.username) ? claims.username : null
  const username = wanted !== null && (await accounts.isUsernameFree(tx, wanted)) ? wanted : null
  const user = await accounts.createUser(tx, { username, password: null, nickname })
  if (user === undefined) throw new Error('a username was taken within a write')
  const identity = { userId: user.id, provider: 'OIDC', credential, verified: true, issuer: provider.issuer } as const
  if (!(await accounts.insertIdentity(tx, identity))) throw new Error('an identity was inserted within a write')
  // An administrator's address stays theirs.
  if (email !== undefined && owner === undefined)
    await accounts.insertProved(ctx, tx, { userId: user.id, provider: 'EMAIL', credential: email }, caller.locale)
  return { userId: user.id, isNewUser: true }
}

async function linkToCaller(
  ctx: AppContext,
  tx: Tx,
  provider: ProviderRow,
  { userId, sessionId, codeChallenge }: store.StateRow,
  credential: string,
  caller: Caller,
): Promise<Outcome> {
  const session = await accounts.findOwnSession(tx, userId!, sessionId!)
  const user = await accounts.userById(tx, userId!)
  if (session?.status !== 'ACTIVE' || user?.status !== 'ACTIVE')
    return { problem: 'failed', reason: 'the session of the user has ended' }
  const known = await findIdentity(tx, credential)
  if (known !== undefined && known.userId !== user.id)
    return { problem: 'taken', reason: 'another user has linked this account' }
  const { deviceKey, deviceName } = session
  // The app proves with its verifier that the person who came back is the one who started.
  if (codeChallenge !== null) return { userId: user.id, linkOn: deviceKey }
  if (known !== undefined) {
    if (known.boundOn === '') await noteLinked(tx, known.id, deviceKey)
    return { userId: user.id }
  }
  const { ip, locale } = caller
  const event = { loginType: 'oidc_link', device: { key: deviceKey, name: deviceName }, ip, locale } as const
  return (await insertLink(ctx, tx, { userId: user.id, credential, provider, deviceKey }, event))
    ? { userId: user.id }
    : { problem: 'failed', reason: 'the user has too many linked accounts' }
}

/** Whether the ticket comes from the browser or app for which it was made. */
export const belongsTo = (
  { browserHash, codeChallenge }: store.TicketRow,
  request: Request,
  codeVerifier: string | null | undefined,
): boolean =>
  codeChallenge === null
    ? browserSecrets(request).some((value) => sha256(value) === browserHash)
    : !!codeVerifier && sha256(codeVerifier) === codeChallenge
