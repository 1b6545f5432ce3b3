/** Recognizes links to this server in scanned texts. */

export interface OwnLink {
  /** Without the path of the public address: `/s/activity/…`. */
  readonly path: string
  readonly query: URLSearchParams
}

/**
 * `publicUrl` is the start of this server's links and may itself have a path, in any case: QR codes of passes hold their links in upper
 * case. Undefined for other texts, and for links to other servers.
 */
export function ownLink(text: string, publicUrl: string): OwnLink | undefined {
  const trimmed = text.trim()
  const url = /^https?:\/\/\S+$/i.test(trimmed) ? URL.parse(trimmed) : null
  const base = URL.parse(publicUrl)
  if (url === null || base === null || url.origin !== base.origin) return undefined
  const root = base.pathname.replace(/\/$/, '')
  const isBelow = url.pathname.toLowerCase().startsWith(root.toLowerCase())
  return isBelow ? { path: url.pathname.slice(root.length), query: url.searchParams } : undefined
}
