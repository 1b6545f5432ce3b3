/** A browser without a page: it keeps cookies as RFC 6265 says, and sends the headers that pages of one origin send. */

import { type Reply, type RequestOptions, send } from './client.ts'

interface Cookie {
  name: string
  value: string
  path: string
  attributes: string
  /** Of `Max-Age`, seconds. */
  maxAge: number
}

export class Browser {
  readonly jar = new Map<string, Cookie>()

  constructor(
    readonly url: string,
    /** Of the pages. */
    readonly origin = new URL(url).origin,
    /** Path of the public URL that a proxy removes. */
    readonly base = '',
  ) {}

  /** Sends a request as a script of a page does, with `X-Refresh-Token: cookie` unless another value is given. */
  async send(method: string, path: string, options: RequestOptions = {}): Promise<Reply> {
    const headers: Record<string, string> = {
      ...(method !== 'GET' && { origin: this.origin }),
      'x-refresh-token': 'cookie',
      ...options.headers,
    }
    const cookies = this.cookiesFor(path)
    if (cookies !== '') headers['cookie'] ??= cookies
    const reply = await send(this.url, method, path, { ...options, headers })
    for (const line of reply.headers.getSetCookie()) this.#store(line)
    return reply
  }

  post(path: string, body: unknown = {}, options: RequestOptions = {}): Promise<Reply> {
    return this.send('POST', path, { body, ...options })
  }

  signIn(account: string, password: string, path = '/api/auth/login'): Promise<Reply> {
    return this.post(path, { account, password })
  }

  /** The `Cookie` header for a path, as the server sees it. */
  cookiesFor(path: string): string {
    const isUnder = (prefix: string) =>
      (this.base + path).startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`) || this.base + path === prefix
    return [...this.jar.values()]
      .filter((cookie) => isUnder(cookie.path))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ')
  }

  cookie(name: string, path: string): Cookie | undefined {
    return this.jar.get(`${name} ${path}`)
  }

  /** Another tab or a copy of this browser, which has the cookies of this moment. */
  copy(): Browser {
    const copy = new Browser(this.url, this.origin, this.base)
    for (const [key, cookie] of this.jar) copy.jar.set(key, cookie)
    return copy
  }

  #store(line: string): void {
    const [pair = '', ...attributes] = line.split('; ')
    const [name = '', value = ''] = pair.split('=')
    const of = (attribute: string) =>
      attributes.find((text) => text.startsWith(`${attribute}=`))?.slice(attribute.length + 1)
    const isSecure = attributes.includes('Secure')
    // Browsers refuse these.
    if ((isSecure || name.startsWith('__Secure-')) && !this.origin.startsWith('https:')) return
    if (name.startsWith('__Secure-') && !isSecure) return
    const cookie = {
      name,
      value,
      path: of('Path') ?? '/',
      maxAge: Number(of('Max-Age')),
      attributes: attributes.join('; '),
    }
    const key = `${name} ${cookie.path}`
    if (cookie.maxAge <= 0) this.jar.delete(key)
    else this.jar.set(key, cookie)
  }
}
