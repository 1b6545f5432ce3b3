/** Addresses of providers and of sign-ins. Pure. */

import { sha256 } from '#platform/ids.ts'

/** The path of the public URL, without a slash at the end. */
const baseOf = (publicUrl: string): string => publicUrl.replace(/\/+$/, '')

export const redirectUri = (publicUrl: string, key: string): string =>
  `${baseOf(publicUrl)}/api/auth/oidc/${key}/callback`
export const backchannelUri = (publicUrl: string, key: string): string =>
  `${baseOf(publicUrl)}/api/auth/oidc/${key}/backchannel-logout`

/** An identity is the pair of both, and nothing else. */
export const credentialOf = (issuer: string, subject: string): string => sha256(JSON.stringify([issuer, subject]))

export const PAGES = '/console/'

/**
 * The address to which a sign-in may return: the whole address of a page of the web application, or an allowed one as it is. Undefined for
 * anything else.
 */
export function returnAddress(
  given: string | undefined,
  { publicUrl, allowed }: { readonly publicUrl: string; readonly allowed: readonly string[] },
): { readonly address: string; readonly isApp: boolean } | undefined {
  const wanted = given ?? PAGES
  if (allowed.includes(wanted)) return { address: wanted, isApp: true }
  // Browsers read a backslash as a slash, and leave out tabs and line breaks.
  // oxlint-disable-next-line no-control-regex
  if (!wanted.startsWith('/') || /[\\\u0000-\u0020]/.test(wanted)) return undefined
  const base = baseOf(publicUrl)
  const url = URL.parse(base + wanted)
  if (url === null || !`${url.origin}${url.pathname}`.startsWith(`${base}${PAGES}`)) return undefined
  // A page gets one answer.
  for (const name of ['ticket', 'error', 'linked']) url.searchParams.delete(name)
  return { address: url.href, isApp: false }
}

export function withParameter(address: string, name: string, value: string): string {
  const [before, fragment] = address.split('#', 2) as [string, string | undefined]
  const separator = before.includes('?') ? '&' : '?'
  return `${before}${separator}${name}=${encodeURIComponent(value)}${fragment === undefined ? '' : `#${fragment}`}`
}

/** RFC 7636, S256. */
export const challengeOf = (verifier: string): string => sha256(verifier)
