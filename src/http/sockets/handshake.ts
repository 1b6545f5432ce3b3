/** The request that opens a socket: its token, its origin, and the answer to other requests. */

import type { AppContext } from '#context'

import { isOwnOrigin } from '../browser.ts'
import { bearerToken, readQuery } from '../caller.ts'
import { AppError, forbidden } from '../errors.ts'

/** Browsers can send a token with a handshake only as a subprotocol or in the query: they let no script set `Authorization`. */
const SUBPROTOCOL = 'bearer'

export const upgradeRequired = (): AppError =>
  new AppError(
    426,
    426,
    { en: 'Connect with a WebSocket client', zh: '请使用 WebSocket 客户端连接' },
    { headers: { upgrade: 'websocket', 'sec-websocket-version': '13' } },
  )
const wrongOrigin = forbidden('Pages of this origin may not connect', '不允许此来源的页面连接')

/** The values of `Sec-WebSocket-Protocol: bearer, <token>`. */
const subprotocols = (request: Request): string[] =>
  (request.headers.get('sec-websocket-protocol') ?? '').split(',').map((name) => name.trim())

const protocolToken = (request: Request): string | undefined => {
  const [name, token] = subprotocols(request)
  return name === SUBPROTOCOL && token ? token : undefined
}

export const socketToken = (request: Request): string | undefined =>
  bearerToken(request) ?? protocolToken(request) ?? readQuery(request.url)['token']

export const isHandshake = (request: Request): boolean =>
  request.method === 'GET' && request.headers.get('upgrade')?.toLowerCase() === 'websocket'

/** Headers of the answer 101. The server names a subprotocol only if it used it: clients fail the handshake over any other. */
export const handshakeHeaders = (request: Request): Record<string, string> | undefined =>
  protocolToken(request) === undefined ? undefined : { 'sec-websocket-protocol': SUBPROTOCOL }

/**
 * Refuses pages of other origins, for which CORS does not hold: browsers let any page open a socket to any server. Programs other than
 * browsers send no `Origin`.
 *
 * @throws AppError 403
 */
export function checkOrigin({ config }: AppContext, request: Request): void {
  const origin = request.headers.get('origin')
  if (origin === null || config.corsOrigins.includes(origin)) return
  if (!isOwnOrigin(config, request.headers, origin)) throw wrongOrigin
}
