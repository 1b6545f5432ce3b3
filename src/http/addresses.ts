/**
 * The addresses of this server: the public one, and the earlier ones, to which printed codes lead. The domain `server` sets the earlier ones;
 * until then there are none.
 */

import { type AppContext, perContext } from '#context'
import { withoutRootDot } from '#lib/own-link.ts'
import { isLoopbackAddress } from '#lib/reach.ts'

import { addressOf } from './caller.ts'

interface Earlier {
  /** `https://qr.example.org`, as `Config.publicUrl`. */
  addresses: readonly string[]
  /** Hosts whose visitors are led to the public address, for this public address. */
  hosts: ReadonlySet<string>
  publicUrl: string
}

const earlier = perContext((): Earlier => ({ addresses: [], hosts: new Set(), publicUrl: '' }))

/** Links that begin with one of them are links to this server. The first one is the public address. */
export const ownAddresses = (ctx: AppContext): readonly string[] => [ctx.config.publicUrl, ...earlier(ctx).addresses]

/** The host of short links, if it is not that of the public address: its paths are slugs. */
export function shortHost({ config }: AppContext): string | undefined {
  if (config.shortUrl === '') return undefined
  const { host } = new URL(config.shortUrl)
  return host === new URL(config.publicUrl).host ? undefined : host
}

const ofShortUrl = perContext(() => ({ key: '', host: undefined as string | undefined }))

/**
 * The path that a request to the host of short links has on the public host: `/menu` is `/q/menu`. Empty for paths that only the public host has, `/`
 * for that of the public address, undefined for requests to other hosts.
 */
export function shortPath(ctx: AppContext, request: Request, path: string): string | undefined {
  const { shortUrl, publicUrl } = ctx.config
  if (shortUrl === '') return undefined
  const known = ofShortUrl(ctx)
  const key = `${shortUrl} ${publicUrl}`
  if (known.key !== key) {
    const host = shortHost(ctx)
    Object.assign(known, { key, host: host && normalHost(host) })
  }
  if (known.host === undefined || hostsOf(request).at(-1) !== known.host) return undefined
  if (path === '/' || /^\/q\/[^/]+\/?$/i.test(path)) return path
  return /^\/[^/]+(?:\/info)?\/?$/.test(path) ? `/q${path}` : ''
}

/** Leads from the front page of the host of short links to that of the public one. Not permanently: browsers would remember it. */
export const toPublicFront = ({ config }: AppContext): Response =>
  new Response(null, { status: 302, headers: { location: `${config.publicUrl}/`, 'cache-control': 'no-store' } })

/** Pictures, styles and forms of a page at the host of short links are at the public address. */
export async function atPublicAddress({ config }: AppContext, page: Response): Promise<Response> {
  const { headers } = page
  if (page.body === null || headers.get('content-type')?.startsWith('text/html') !== true) return page
  const { origin } = new URL(config.publicUrl)
  const policy = headers.get('content-security-policy')
  if (policy === null) return page
  headers.set(
    'content-security-policy',
    policy.replaceAll("'self'", `'self' ${origin}`).replace("base-uri 'none'", `base-uri ${origin}`),
  )
  const text = (await page.text()).replace('<head>', `<head>\n<base href="${config.publicUrl}/" />`)
  return new Response(text, { status: page.status, headers })
}

export function setEarlierAddresses(ctx: AppContext, addresses: readonly string[]): void {
  Object.assign(earlier(ctx), { addresses, hosts: new Set(), publicUrl: '' })
}

/**
 * Leads the visitor of a page at an earlier address to the same page at the public one. Undefined for every other request, also for those to
 * hosts that this server does not know.
 */
export function moved(ctx: AppContext, request: Request): Response | undefined {
  const known = earlier(ctx)
  if (known.addresses.length === 0) return undefined
  const { publicUrl } = ctx.config
  if (known.publicUrl !== publicUrl) Object.assign(known, { publicUrl, hosts: movedHosts(known.addresses, publicUrl) })
  const { pathname, search } = addressOf(request)
  if (!hostsOf(request).every((host) => known.hosts.has(host) || known.hosts.has(host.replace(/:\d+$/, ''))))
    return undefined
  // Browsers would remember the redirect, and the server may move back.
  const headers = { location: publicUrl + pathname + search, 'cache-control': 'no-store' }
  return new Response(null, { status: 308, headers })
}

/**
 * Without the ports 80 and 443, which proxies leave out. A proxy may send the address by which it reaches this server as `Host`: then a redirect
 * would lead back to itself, so the host that it was asked for must be an earlier one, too.
 */
function hostsOf(request: Request): string[] {
  const forwarded = request.headers.get('x-forwarded-host')?.split(',', 1)[0]!.trim()
  const hosts = [addressOf(request).host]
  if (forwarded) hosts.push(URL.parse(`http://${forwarded}`)?.host ?? '')
  return hosts.map(normalHost)
}

const normalHost = (host: string): string => withoutRootDot(host.replace(/:(?:80|443)$/, ''))

/**
 * An earlier host counts with every port. That of the public address counts only with the port that an earlier address names, because proxies
 * often leave the port out. The loopback address leads nowhere: with it the administrator of this machine reaches the server in all cases.
 */
function movedHosts(addresses: readonly string[], publicUrl: string): ReadonlySet<string> {
  const here = new URL(publicUrl)
  const hosts = addresses.flatMap((address) => {
    const url = URL.parse(address)
    if (url === null || isLoopbackAddress(address)) return []
    if (withoutRootDot(url.hostname) !== withoutRootDot(here.hostname)) return [withoutRootDot(url.hostname)]
    const host = normalHost(url.host)
    return /:\d+$/.test(host) && host !== normalHost(here.host) ? [host] : []
  })
  return new Set(hosts)
}
