/** Paths as the access log shows them: without queries and secrets, with which readers of the log could act as others. */

import type { AnyEndpoint } from './endpoint.ts'

/** The URL from the slash after the host to the query. Elysia assumes a host of at least four characters (`http://nas/`). */
export function pathOf(url: string): string {
  // Without a valid `Host` it is a path already.
  const start = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('://') + 3)
  const end = url.indexOf('?', start)
  return url.slice(start, end < 0 ? undefined : end)
}

/** For requests of an operation: the path with `***` in place of its secret parameters. */
export function pathLogger({ path, secrets = [] }: Pick<AnyEndpoint, 'path' | 'secrets'>): (url: string) => string {
  if (secrets.length === 0) return pathOf
  const parts = path.split('/')
  // From the end, because the path of the public URL can come first.
  const places = secrets.map((name) => parts.length - parts.indexOf(`:${name}`))
  return (url) => {
    const shown = pathOf(url).split('/')
    // A slash at the end belongs to no parameter.
    const end = shown.length - (shown.at(-1) === '' ? 1 : 0)
    for (const place of places) shown[end - place] = '***'
    return shown.join('/')
  }
}

/** Characters of the first part of the path of an unknown operation that are logged. */
const SHOWN_CHARACTERS = 15

/**
 * For requests of no operation: the first part, and the second if it is a fixed part of some operation. A misspelt path
 * (`//api/auth/devices/<id>`, `/orgs/<code>`) contains the same secrets as the right one, and no list of spellings is complete.
 */
export function unknownPathLogger(endpoints: readonly AnyEndpoint[]): (url: string) => string {
  const fixed = new Set(endpoints.flatMap(({ path }) => path.split('/').filter((part) => !part.startsWith(':'))))
  return (url) => {
    const [first = '', second, ...rest] = pathOf(url).split('/').slice(1)
    const shown = [first.length > SHOWN_CHARACTERS ? '…' : first]
    if (second !== undefined) shown.push(fixed.has(second) ? second : '…')
    return `/${shown.join('/')}${rest.length > 0 && shown[1] !== '…' ? '/…' : ''}`
  }
}
