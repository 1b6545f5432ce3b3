/** Helpers for the tests of short links. */

import { ok, type Person, type Reply, type TestServer } from '../harness/index.ts'
import { type Code, createCode } from './helpers.ts'

export const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1'
export const ANDROID =
  'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36'

interface ScanOptions {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly query?: string
  readonly password?: string
}

/** Opens an address as a phone does. */
export function scan(
  server: Pick<TestServer, 'request'>,
  path: string,
  { method = 'GET', headers = {}, query = '', password }: ScanOptions = {},
): Promise<Reply> {
  return server.request(password === undefined ? method : 'POST', path + query, {
    headers: {
      'user-agent': IPHONE,
      accept: 'text/html',
      ...(password !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...headers,
    },
    ...(password !== undefined && { body: new URLSearchParams({ password }).toString() }),
  })
}

export const pathOf = (code: Pick<Code, 'slug'>): string => `/q/${code.slug}`

/** A public code that leads to `content`. */
export const createLink = (user: Person, content = 'https://example.com/menu', fields: object = {}): Promise<Code> =>
  createCode(user, { content, isDynamic: true, isPublic: true, ...fields })

export const setLink = (user: Person, code: Pick<Code, 'id'>, body: object): Promise<Reply> =>
  user.put(`/api/qr-codes/${code.id}/link`, body)

export const changeLink = async (user: Person, code: Pick<Code, 'id'>, body: object) =>
  ok(await setLink(user, code, body)).data
