/**
 * The server names its files by its public URL. The web application may be open at another address of the same server (127.0.0.1, or one in the
 * local network), whose content security policy refuses them, so it asks that address for them.
 */

/** The header in which the server gives its public URL to the web application. */
export const PUBLIC_URL = 'x-public-url'
let publicUrl: string | undefined

/** Pictures and downloads. Pages are left as they are, because users send and print their addresses. */
const FILE = /^\/(?:api|icons|public\/images)\//

/** Reads an answer or a frame of the server, with paths instead of the addresses of its files. `header`: that of PUBLIC_URL, if there is one. */
export function readJson(text: string, header?: string | null): unknown {
  publicUrl = header ?? publicUrl
  return JSON.parse(text, (key, value: unknown) =>
    typeof value === 'string' && /^(?:url|\w+Url)$/.test(key) ? localAddress(value) : value,
  )
}

/** The address of a page by the public URL, which the server expects in codes that were scanned. */
export const publicAddress = (path: string): string => (publicUrl ?? location.origin) + path

function localAddress(url: string): string {
  const path = publicUrl !== undefined && url.startsWith(publicUrl) ? url.slice(publicUrl.length) : ''
  return FILE.test(path) ? path : url
}
