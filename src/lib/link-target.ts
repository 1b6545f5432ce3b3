/** Addresses to which short links lead: which ones are allowed, and how they are sent. */

import { contentTypeOf } from './content-type.ts'
import { withoutRootDot } from './own-link.ts'

export const MAX_TARGET_BYTES = 2048
/** Of an address with the query of the visitor. Proxies refuse headers that are much longer. */
const MAX_LOCATION = 8192

/** Control characters, line separators, and characters that change the direction of text. */
// oxlint-disable-next-line no-control-regex -- control characters are refused
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/
/** The host follows the two slashes: browsers skip further slashes, and make a host of the path. */
const ABSOLUTE = /^https?:\/\/[^\s/?#\\]\S*$/i
const USER = /^https?:\/\/[^/?#\\]*@/i

/** The web address that a content is, without white space around it; undefined for all other contents. */
export const webAddress = (content: string): string | undefined =>
  contentTypeOf(content) === 'URL' ? content.trim() : undefined

export type TargetProblem = 'FORM' | 'LENGTH' | 'USER' | 'CHARACTERS' | 'BLOCKED' | 'LOOP'

/** An address of this server, parsed once. */
export interface OwnAddress {
  readonly host: string
  /** Path without a slash at its end, in lower case. */
  readonly root: string
}

export function ownAddress(address: string): OwnAddress {
  const { hostname, pathname } = new URL(address)
  return { host: withoutRootDot(hostname), root: pathname.replace(/\/$/, '').toLowerCase() }
}

export interface TargetRules {
  /** In lower case and as ASCII. Each includes its sub-domains. */
  readonly blockedHosts: readonly string[]
  /** Below these addresses this server answers `/q/{slug}` and share pages. */
  readonly ownAddresses: readonly OwnAddress[]
  /** The address below which short links have no `/q`; undefined if there is none. */
  readonly shortAddress: OwnAddress | undefined
}

/** The parsed address, or why nobody may be led to it. Without `rules`, its host is not looked up. */
export function readTarget(target: string, rules?: TargetRules): URL | TargetProblem {
  if (target.length * 3 > MAX_TARGET_BYTES && Buffer.byteLength(target) > MAX_TARGET_BYTES) return 'LENGTH'
  if (UNSAFE.test(target)) return 'CHARACTERS'
  if (USER.test(target)) return 'USER'
  const url = ABSOLUTE.test(target) ? URL.parse(target) : null
  if (url === null) return 'FORM'
  if (rules === undefined) return url
  if (isBlockedHost(url.hostname, rules.blockedHosts)) return 'BLOCKED'
  return isShortLink(url, rules) ? 'LOOP' : url
}

/** Why nobody may be led to this address; undefined if it is allowed. */
export function targetProblem(target: string, rules?: TargetRules): TargetProblem | undefined {
  const read = readTarget(target, rules)
  return typeof read === 'string' ? read : undefined
}

/** `host`: as `URL.hostname` has it. */
export function isBlockedHost(host: string, blocked: readonly string[]): boolean {
  if (blocked.length === 0) return false
  const name = withoutRootDot(host.replace(/^\[|\]$/g, ''))
  return blocked.some((other) => name === other || name.endsWith(`.${other}`))
}

/**
 * Whether this server may redirect at the address. Scheme and port do not count, because a server can answer at several of them, and leads from
 * one to another.
 */
function isShortLink(url: URL, { ownAddresses, shortAddress }: TargetRules): boolean {
  const host = withoutRootDot(url.hostname)
  if (host !== shortAddress?.host && !ownAddresses.some((own) => own.host === host)) return false
  const path = decodedPath(url)
  const below = (own: OwnAddress): string | undefined =>
    own.host === host && path.startsWith(`${own.root}/`) ? path.slice(own.root.length) : undefined
  if (shortAddress !== undefined && (below(shortAddress) ?? '/') !== '/') return true
  // Files of a share page, and the page itself that `?page` asks for, lead nowhere.
  const isLeading = url.searchParams.has('page') ? /^\/q\/./ : /^\/(?:q\/.|public\/qr\/[^/]+\/?$)/
  return ownAddresses.some((own) => isLeading.test(below(own) ?? ''))
}

/** In lower case, without empty segments: the router ignores some of them. */
function decodedPath({ pathname }: URL): string {
  let path = pathname
  try {
    path = decodeURIComponent(pathname)
  } catch {
    // It is compared as it is.
  }
  return path.replace(/\/{2,}/g, '/').toLowerCase()
}

/**
 * The address as a header has it. It is ASCII, and as browsers read it: host in lower case, `/` for `\`, other characters percent-encoded; so no
 * program can take it for another address. Parameters of `added` are appended if the target has none of their name.
 */
export const locationOf = (target: URL, added?: URLSearchParams): string =>
  added === undefined || added.size === 0 ? target.href : withQuery(target, added)

/** The target's own query stays as it is, byte for byte. */
function withQuery({ href, searchParams }: URL, added: URLSearchParams): string {
  const own = new Set(searchParams.keys())
  const more = [...added].flatMap(([name, value]) =>
    own.has(name) ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
  )
  if (more.length === 0) return href
  const [address, ...fragment] = href.split(/(?=#)/)
  const separator = !address!.includes('?') ? '?' : /[?&]$/.test(address!) ? '' : '&'
  const location = address! + separator + more.join('&') + fragment.join('')
  return location.length > MAX_LOCATION ? href : location
}
