/** Recognizes links to this server in scanned texts. */

export interface OwnLink {
  /** Without the path of the public address: `/s/activity/…`. */
  readonly path: string
  readonly query: URLSearchParams
}

/**
 * `addresses` are the starts of this server's links: the public address and earlier ones, which are printed on codes. Each may itself have a
 * path, in any case: QR codes of passes hold their links in upper case. Undefined for other texts, and for links to other servers.
 */
export function ownLink(text: string, addresses: readonly string[]): OwnLink | undefined {
  const trimmed = text.trim()
  const url = /^https?:\/\/\S+$/i.test(trimmed) ? URL.parse(trimmed) : null
  if (url === null) return undefined
  const origin = originOf(url)
  for (const address of addresses) {
    const base = URL.parse(address)
    if (base === null || originOf(base) !== origin) continue
    const root = base.pathname.replace(/\/$/, '')
    if (`${url.pathname}/`.toLowerCase().startsWith(`${root}/`.toLowerCase()))
      return { path: url.pathname.slice(root.length), query: url.searchParams }
  }
  return undefined
}

/** `qr.example.org.` with the dot of the root is the same host. */
export const withoutRootDot = (host: string): string => host.replace(/\.(?=:\d+$|$)/, '')

const originOf = ({ protocol, host }: URL): string => `${protocol}//${withoutRootDot(host)}`

/**
 * An address of this server in one spelling: with a scheme (`https:` if there is none), in lower case, without default port, dot of the root and
 * slash at the end. Undefined for other texts.
 */
export function normalAddress(text: string): string | undefined {
  const url = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `https://${text}`)
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined
  return originOf(url) + url.pathname.replace(/\/$/, '')
}
