/** Lazily parsed request metadata: client address, locale, device headers. */

import type { Server } from 'bun'

import type { AppContext } from '#context'
import type { GateSession } from '#db/schema/activity-gates.ts'
import { clientIp } from '#lib/ip.ts'
import type { Locale } from '#lib/localized.ts'
import { uuid } from '#platform/ids.ts'
import { parseTraceparent, type RemoteParent } from '#platform/spans.ts'

import { type BrowserCookies, deviceOfCookie } from './browser.ts'
import type { Caller } from './endpoint.ts'
import { siteOf } from './site.ts'

/** Request ids of a proxy are kept if they match: they are written to logs and headers. */
const GIVEN_ID = /^[\w-]{8,64}$/

/** UTF-16 units. */
const MAX_DEVICE_NAME = 100

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

let sequence = 0
const processPart = uuid().slice(0, 8)

export class RequestCaller implements Caller {
  readonly requestId: string
  browser: BrowserCookies | undefined
  gate: GateSession | undefined
  /** Names for `X-Ignored-Parameters`. */
  ignoredParameters: readonly string[] = []
  #ip: string | undefined

  constructor(
    private readonly request: Request,
    private readonly server: Server<unknown> | null,
    private readonly trusted: (ip: string) => boolean,
    private readonly ctx: AppContext,
  ) {
    const given = request.headers.get('x-request-id')
    this.requestId = given !== null && GIVEN_ID.test(given) ? given : `${processPart}-${(++sequence).toString(36)}`
  }

  /** The address of the connection: often that of a proxy. */
  get #peer(): string {
    return this.server?.requestIP(this.request)?.address ?? ''
  }
  get ip(): string {
    return (this.#ip ??= clientIp(this.#peer, this.request.headers.get('x-forwarded-for') ?? undefined, this.trusted))
  }
  /** The span of a proxy. Clients cannot choose which requests are sampled. */
  get traceparent(): RemoteParent | undefined {
    const given = this.request.headers.get('traceparent')
    return given !== null && this.trusted(this.#peer) ? parseTraceparent(given) : undefined
  }
  get locale(): Locale {
    return localeOf(this.request, siteOf(this.ctx).locale)
  }
  get signal(): AbortSignal {
    return this.request.signal
  }
  get userAgent(): string {
    return (this.request.headers.get('user-agent') ?? '').slice(0, 500)
  }
  get deviceId(): string | undefined {
    const given = this.request.headers.get('x-device-id')
    if (given !== null) return given
    // Only scripts can send these headers, so that no form or picture of another page uses the device of the browser.
    const isByScript =
      this.browser !== undefined || bearerToken(this.request) !== undefined || this.request.headers.has('upgrade')
    return isByScript ? deviceOfCookie(this.ctx.config, this.request) : undefined
  }
  /** Clients percent-encode names outside Latin-1. Longer names are cut, before a character of two UTF-16 units rather than within it. */
  get deviceName(): string | undefined {
    const given = this.request.headers.get('x-device-name')
    if (given === null) return undefined
    return decoded(given)
      .slice(0, MAX_DEVICE_NAME)
      .replace(/[\uD800-\uDBFF]$/, '')
  }
}

/** The token of `Authorization: Bearer`, or undefined. */
export function bearerToken(request: Request): string | undefined {
  const header = request.headers.get('authorization')
  return header !== null && /^Bearer ./i.test(header) ? header.slice('Bearer '.length) : undefined
}

/** The key of `X-Publish-Key`, or undefined. */
export const publisherKey = (request: Request): string | undefined => request.headers.get('x-publish-key') ?? undefined

/** The address of the request. If its `Host` is missing or not valid, as in HTTP/1.0, `request.url` may be a path only. */
export const addressOf = ({ url }: Request): URL =>
  URL.parse(url) ?? new URL(`http://localhost${url.replace(/^https?:\/\/[^/]*/, '')}`)

/** Languages of the header that are looked at. */
const MAX_LANGUAGES = 20

/** The language in the address, which the links of the pages to the other language contain. */
const CHOSEN = /[?&]lang=(en|zh)(?:&|$)/

/** The language that the address of the request names, if it does. */
export const chosenLocale = ({ url }: Request): Locale | undefined => CHOSEN.exec(url)?.[1] as Locale | undefined

/**
 * The language that the address names with `?lang=`, otherwise the one of `Accept-Language` that we have and that has the largest weight
 * (RFC 9110 §12.5.4), the first of equals. `otherwise`, that of the server, if there is none.
 */
export function localeOf(request: Request, otherwise: Locale): Locale {
  const chosen = chosenLocale(request)
  if (chosen !== undefined) return chosen
  const header = request.headers.get('accept-language')
  return (header === null ? undefined : localeIn(header)) ?? otherwise
}

/** The language of `Accept-Language` that we have and that has the largest weight; undefined if it names none. */
export function localeIn(header: string): Locale | undefined {
  const weights = { en: 0, zh: 0 }
  let best: Locale | undefined
  for (const range of header.split(',', MAX_LANGUAGES)) {
    const [, language, quality] = LANGUAGE.exec(range.trim().toLowerCase()) ?? []
    if (language === undefined) continue
    const locale = language as Locale
    weights[locale] = Math.max(weights[locale], quality === undefined ? 1 : Number(quality))
    if (weights[locale] > (best === undefined ? 0 : weights[best])) best = locale
  }
  return best
}

/** One language range with its weight: `zh-hans;q=0.8`. */
const LANGUAGE = /^(en|zh)(?:-[a-z0-9-]+)?(?:\s*;\s*q\s*=\s*([01](?:\.\d{0,3})?))?$/

/**
 * An empty parameter counts as absent: forms and URL builders send `?orgId=` for a field that is not filled in.
 *
 * @param lists Names of parameters that are lists. Many clients repeat the name for each item; those items are joined by commas. Of
 *   other parameters that are repeated, the last one counts.
 */
export function readQuery(url: string, lists?: ReadonlySet<string>): Readonly<Record<string, string>> {
  const at = url.indexOf('?')
  if (at < 0) return {}
  const query: Record<string, string> = {}
  for (const [name, value] of new URLSearchParams(url.slice(at + 1))) {
    if (value === '') continue
    const isRepeated = lists?.has(name) === true && Object.hasOwn(query, name)
    query[name] = isRepeated ? `${query[name]},${value}` : value
  }
  return query
}
