/** Tries a provider without a user: its discovery document, its keys, the client and the redirect address. */

import * as client from 'openid-client'

import type { AppContext } from '#context'
import type { Actor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import type { Locale, Localized } from '#lib/localized.ts'
import { reachProblems } from '#lib/reach.ts'
import { secret } from '#platform/ids.ts'

import {
  ALGORITHMS,
  configurationOf,
  discoverAgain,
  type Discovered,
  guardedFetch,
  providerDeadline,
  reasonOf,
} from '../clients/clients.service.ts'
import { redirectUri } from '../providers/providers.rules.ts'
import { findProvider, type ProviderRow, saveChecked, saveError } from '../providers/providers.store.ts'
import type { CheckResult } from './providers.admin.model.ts'

const PROBLEMS = {
  algorithms: {
    en: `The provider signs with none of the accepted algorithms: ${ALGORITHMS.slice(0, 4).join(', ')}`,
    zh: `身份提供方使用的签名算法均不受支持，支持：${ALGORITHMS.slice(0, 4).join('、')}`,
  },
  keys: {
    en: 'The provider publishes no key with which its signatures can be checked',
    zh: '身份提供方未公布可用于验证签名的密钥',
  },
  code: { en: 'The provider does not offer the authorization code flow', zh: '身份提供方不支持授权码流程' },
  client: { en: 'The provider refuses the client id or its secret', zh: '身份提供方拒绝了客户端 ID 或密钥' },
  redirect: {
    en: 'The provider refuses the redirect address: enter it there exactly as it is shown here',
    zh: '身份提供方拒绝了回调地址，请在其后台填写与此处完全一致的地址',
  },
  plain: {
    en: 'The public address of this server has no https, which providers refuse',
    zh: '本服务器的公开地址不是 https，身份提供方会拒绝',
  },
} as const satisfies Record<string, Localized>

/** @throws AppError 404 */
export async function checkProvider(ctx: AppContext, _actor: Actor, id: number, locale: Locale): Promise<CheckResult> {
  const provider = await findProvider(ctx.db.read, id)
  if (provider === undefined) throw notFound()
  const problems = await problemsOf(ctx, provider)
  await ctx.db.write('oidc.check', (tx) =>
    problems.length === 0
      ? saveChecked(tx, provider, ctx.clock.now())
      : saveError(tx, provider, problems.map(({ en }) => en).join('. ')),
  )
  return { ok: problems.length === 0, problems: problems.map((problem) => problem[locale]) }
}

async function problemsOf(ctx: AppContext, provider: ProviderRow): Promise<Localized[]> {
  const signal = providerDeadline()
  try {
    const found = await discoverAgain(ctx, provider, signal)
    const { metadata } = found
    const algorithms = metadata.id_token_signing_alg_values_supported ?? ['RS256']
    const problems: Localized[] = []
    if (!algorithms.some((name) => ALGORITHMS.includes(name))) problems.push(PROBLEMS.algorithms)
    if (!(metadata.response_types_supported ?? ['code']).includes('code')) problems.push(PROBLEMS.code)
    if (!(await hasUsableKey(ctx, found, signal))) problems.push(PROBLEMS.keys)
    const refused = reachProblems(ctx.config.publicUrl)
    if (refused.includes('PLAIN_HTTP') && !refused.includes('LOOPBACK')) problems.push(PROBLEMS.plain)
    if (await refusesRedirect(ctx, provider, found, signal)) problems.push(PROBLEMS.redirect)
    if (await refusesClient(ctx, provider, found, signal)) problems.push(PROBLEMS.client)
    return problems
  } catch (error) {
    const { message } = reasonOf(error)
    return [{ en: message, zh: message }]
  }
}

async function hasUsableKey(ctx: AppContext, { metadata }: Discovered, signal: AbortSignal): Promise<boolean> {
  const answer = await guardedFetch(ctx, signal)(metadata.jwks_uri!, { method: 'GET' })
  const { keys } = (await answer.json()) as { keys?: readonly { kty?: unknown; use?: unknown }[] }
  return (
    Array.isArray(keys) &&
    keys.some(({ kty, use }) => ['RSA', 'EC', 'OKP'].includes(kty as string) && (use === undefined || use === 'sig'))
  )
}

/** Providers show an error instead of going back to an address that they do not know. Some do so with status 200, which is not noticed. */
async function refusesRedirect(
  ctx: AppContext,
  provider: ProviderRow,
  found: Discovered,
  signal: AbortSignal,
): Promise<boolean> {
  const url = client.buildAuthorizationUrl(configurationOf(ctx, provider, found, signal), {
    redirect_uri: redirectUri(ctx.config.publicUrl, provider.key),
    scope: provider.scopes,
    code_challenge: await client.calculatePKCECodeChallenge(secret()),
    code_challenge_method: 'S256',
    state: secret(),
    nonce: secret(),
    prompt: 'none',
  })
  const { status } = await guardedFetch(ctx, signal)(url.href, { method: 'GET', headers: { accept: 'text/html' } })
  return status >= 400
}

/** A code that cannot be right is refused as such, unless the client is refused first. */
async function refusesClient(
  ctx: AppContext,
  provider: ProviderRow,
  found: Discovered,
  signal: AbortSignal,
): Promise<boolean> {
  const configuration = configurationOf(ctx, provider, found, signal)
  const url = new URL(redirectUri(ctx.config.publicUrl, provider.key))
  const state = secret()
  url.search = new URLSearchParams({ code: secret(), state, iss: provider.issuer }).toString()
  try {
    await client.authorizationCodeGrant(configuration, url, { expectedState: state, pkceCodeVerifier: secret() })
    return false
  } catch (error) {
    if (reasonOf(error).name === 'ProviderUnavailable') throw error
    const { error: code, status } = error as { error?: unknown; status?: unknown }
    return code === 'invalid_client' || code === 'unauthorized_client' || status === 401
  }
}
