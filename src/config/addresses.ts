/** Addresses of this server, as settings give them. */

export function parseOrigin(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined
  const url = new URL(text)
  const bare =
    url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '' && !text.includes('?')
  return bare ? url.origin : undefined
}

/** Unlike an origin, it may have a path. */
export function parseAddress(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text) || /[?#]/.test(text)) return undefined
  const url = new URL(text)
  return url.username === '' && url.password === '' ? url.href.replace(/\/+$/, '') : undefined
}
