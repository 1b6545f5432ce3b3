/**
 * Sessions of browsers. A page of this server that sends `X-Refresh-Token: cookie` gets the secrets of its session as cookies, which its
 * scripts cannot read: the refresh token, and the device id if the server generated it. See docs/adr/0030-browser-sessions.md.
 */

import type { Config } from '#config/config.ts'
import { DAY, SECOND } from '#platform/clock.ts'

import { forbidden } from './errors.ts'
import { invalid } from './validate.ts'

type Site = Pick<Config, 'publicUrl'>

const REFRESH = 'tessera_refresh'
const DEVICE = 'tessera_device'
/** Browsers accept a cookie of this name over https only, and with `Secure`. */
const SECURE_PREFIX = '__Secure-'
/** The operations that read the refresh token. There is a cookie for each, because a path that contains both contains all of the API. */
const REFRESH_PATHS = ['/api/auth/refresh', '/api/admin/auth/refresh']
/** Browsers keep no cookie for longer. Each refresh renews it. */
const DEVICE_MS = 400 * DAY
/**
 * As `secret()` generates it. A cookie with any other value is ignored: the sign-in would be refused, and the user could not delete the
 * cookie. Subdomains and other ports of the host can write it.
 */
const isGenerated = (id: string): boolean => /^[\w-]{43}$/.test(id) && new Set(id).size >= 8

const foreignPage = forbidden(
  'Only pages of this server may use X-Refresh-Token: open the page under the public address of the server (TESSERA_PUBLIC_URL)',
  '仅本服务器的页面可以使用 X-Refresh-Token：请通过服务器的公开地址（TESSERA_PUBLIC_URL）打开页面',
)

/** The cookies of a caller who asked for them. Their changes are sent with the answer. */
export class BrowserCookies {
  /** Values of `Set-Cookie` headers. */
  readonly changes: string[] = []

  constructor(
    readonly site: Site,
    readonly request: Request,
    readonly now: () => number,
  ) {}

  get refreshToken(): string | undefined {
    return readCookie(this.site, this.request, REFRESH)
  }

  /**
   * Stores a new refresh token, and the device id if the server has generated it. `expiresAt`: epoch milliseconds. Returns whether the
   * device of the session is that of the cookie.
   */
  keep(refreshToken: string, expiresAt: number, newDeviceId: string | undefined): boolean {
    for (const path of REFRESH_PATHS) this.#set(REFRESH, refreshToken, path, expiresAt - this.now())
    const deviceId = newDeviceId ?? deviceOfCookie(this.site, this.request)
    if (deviceId === undefined) return false
    this.#set(DEVICE, deviceId, '/', DEVICE_MS)
    return newDeviceId !== undefined || !this.request.headers.has('x-device-id')
  }

  /** Deletes the refresh token. The browser remains the same device. */
  forget(): void {
    for (const path of REFRESH_PATHS) this.#set(REFRESH, '', path, 0)
  }

  #set(name: string, value: string, path: string, ms: number): void {
    const { isSecure, base } = pageOf(this.site, this.request)
    const cookie = new Bun.Cookie({
      name: isSecure ? SECURE_PREFIX + name : name,
      value,
      path: base + path,
      maxAge: Math.max(0, Math.floor(ms / SECOND)),
      httpOnly: true,
      sameSite: 'strict',
      secure: isSecure,
    })
    this.changes.push(cookie.serialize())
  }
}

/**
 * Undefined for a caller who keeps the tokens without cookies. A session whose device is that of the cookie gives no tokens in another
 * way, even without the header: a script in the page could open a further session and use it elsewhere.
 *
 * @throws AppError 403 for a page of another origin, 400 for another value of the header. An empty one counts as absent.
 */
export function cookiesOf(site: Site, request: Request, now: () => number): BrowserCookies | undefined {
  const { headers } = request
  const wanted = headers.get('x-refresh-token')?.toLowerCase() ?? ''
  if (!['', 'cookie'].includes(wanted))
    throw invalid('header.X-Refresh-Token', 'must be `cookie` or absent', '只能是 cookie，或不发送')
  const asks = wanted === 'cookie'
  const hasSession = headers.has('authorization') && !headers.has('x-device-id')
  if (!asks && !(hasSession && deviceOfCookie(site, request) !== undefined)) return undefined
  if (!isOwnPage(site, request)) throw foreignPage
  return new BrowserCookies(site, request, now)
}

/** The device id of a browser. The caller must have proved that no other page could make the request: by a header that only scripts set. */
export function deviceOfCookie(site: Site, request: Request): string | undefined {
  const id = readCookie(site, request, DEVICE)
  return id !== undefined && isGenerated(id) && isOwnPage(site, request) ? id : undefined
}

/**
 * Whether a page of this server sent the request, or a program other than a browser. Browsers send `Sec-Fetch-Site` to https and to
 * localhost only. They send `Origin` with every POST and with every request to another origin that has such a header.
 */
function isOwnPage(site: Site, { headers }: Request): boolean {
  const relation = headers.get('sec-fetch-site')
  if (relation !== null) return relation === 'same-origin'
  const origin = headers.get('origin')
  return origin === null || isOwnOrigin(site, headers, origin)
}

/** The own origin is that of the public URL, and that of `Host` in either scheme, since a proxy may end TLS. */
export function isOwnOrigin({ publicUrl }: Site, headers: Headers, origin: string): boolean {
  const own = [publicUrl, `http://${headers.get('host')}`, `https://${headers.get('host')}`]
  return own.some((url) => originOf(url) === origin.toLowerCase())
}

/** Without the default port, as browsers send it. Undefined if the address is not valid. */
const originOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).origin : undefined)

/**
 * The scheme of the page, and the path of the public URL if it is part of the page's address. A proxy may end TLS and remove that path.
 * A page that was opened without the proxy has neither, and its browser would refuse `Secure` cookies and never send those of the path.
 */
function pageOf({ publicUrl }: Site, { headers }: Request): { isSecure: boolean; base: string } {
  const published = new URL(publicUrl)
  const given = headers.get('origin') ?? 'null'
  // Forms of pages without a referrer send `null`.
  const origin = given === 'null' ? published.origin : given
  const base = origin === published.origin ? published.pathname.replace(/\/$/, '') : ''
  return { isSecure: origin.startsWith('https:'), base }
}

/** Without an origin, which GET requests of own pages do not have, the scheme of the page is unknown. */
function readCookie(site: Site, request: Request, name: string): string | undefined {
  const header = request.headers.get('cookie')
  if (header === null) return undefined
  const cookies = new Bun.CookieMap(header)
  const secure = cookies.get(SECURE_PREFIX + name) ?? undefined
  const plain = cookies.get(name) ?? undefined
  if (!request.headers.has('origin')) return secure ?? plain
  return pageOf(site, request).isSecure ? secure : plain
}
