/** The Model Context Protocol: its messages, and how a message names its revision. Pure. */

/** Without a handshake: each request names its revision and its capabilities. */
export const STATELESS = '2026-07-28'
/** With `initialize`. The newest first. */
export const WITH_HANDSHAKE: readonly string[] = ['2025-11-25', '2025-06-18']
export const REVISIONS: readonly string[] = [STATELESS, ...WITH_HANDSHAKE]

export const META = 'io.modelcontextprotocol/'

/** Codes of JSON-RPC and of the protocol. */
export const CODE = {
  parse: -32_700,
  invalid: -32_600,
  unknownMethod: -32_601,
  params: -32_602,
  internal: -32_603,
  headers: -32_020,
  revision: -32_022,
} as const

export type Id = string | number

export interface Message {
  readonly id: Id
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
  readonly isStateless: boolean
}

/** A refusal of the protocol. `id`: of the request, if it has one. */
export class ProtocolError extends Error {
  override name = 'ProtocolError'
  constructor(
    readonly code: number,
    message: string,
    readonly id?: Id,
    readonly status = 400,
    readonly data?: object,
  ) {
    super(message)
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The request that a body is; undefined for a notification, which needs no answer. @throws ProtocolError */
export function readMessage(body: unknown, headers: Headers): Message | undefined {
  if (Array.isArray(body)) throw new ProtocolError(CODE.invalid, 'Batches are not supported: send one message')
  if (!isObject(body) || body['jsonrpc'] !== '2.0' || typeof body['method'] !== 'string')
    throw new ProtocolError(CODE.invalid, 'The body must be a request of JSON-RPC 2.0')
  const { id, method, params = {} } = body
  if (id === undefined && method.startsWith('notifications/')) return undefined
  if (typeof id !== 'string' && !Number.isSafeInteger(id))
    throw new ProtocolError(CODE.invalid, 'The id must be a string or an integer')
  const known = id as Id
  if (!isObject(params)) throw new ProtocolError(CODE.params, 'The params must be an object', known)
  const isStateless = checkRevision({ id: known, method, params }, headers)
  return { id: known, method, params, isStateless }
}

/** Whether the request is of the revision without a handshake. @throws ProtocolError for a revision that this server does not know */
function checkRevision({ id, method, params }: Omit<Message, 'isStateless'>, headers: Headers): boolean {
  const meta = isObject(params['_meta']) ? params['_meta'] : {}
  const named = meta[`${META}protocolVersion`]
  const header = headers.get('mcp-protocol-version')
  const isStateless = named !== undefined || header === STATELESS || method === 'server/discover'
  if (!isStateless) {
    if (header !== null && !WITH_HANDSHAKE.includes(header)) throw unknownRevision(id, header)
    return false
  }
  if (header === null) throw new ProtocolError(CODE.headers, 'The header MCP-Protocol-Version is missing', id)
  if (typeof named !== 'string')
    throw new ProtocolError(CODE.params, `params._meta must have ${META}protocolVersion`, id)
  if (named !== header)
    throw new ProtocolError(CODE.headers, 'MCP-Protocol-Version is another revision than params._meta names', id)
  if (named !== STATELESS) throw unknownRevision(id, named)
  if (!isObject(meta[`${META}clientCapabilities`]))
    throw new ProtocolError(CODE.params, `params._meta must have ${META}clientCapabilities`, id)
  if (headers.get('mcp-method') !== method)
    throw new ProtocolError(CODE.headers, 'Mcp-Method is missing, or another method than that of the body', id)
  if (method === 'tools/call' && plainHeader(headers.get('mcp-name')) !== params['name'])
    throw new ProtocolError(CODE.headers, 'Mcp-Name is missing, or another name than that of the body', id)
  return true
}

const unknownRevision = (id: Id, requested: string) =>
  new ProtocolError(CODE.revision, 'Unsupported protocol version', id, 400, { supported: REVISIONS, requested })

/** Values that do not fit into a header are sent as `=?base64?…?=`. */
function plainHeader(value: string | null): string | undefined {
  const encoded = value === null ? undefined : /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/.exec(value)?.[1]
  return encoded === undefined ? (value ?? undefined) : Buffer.from(encoded, 'base64').toString('utf8')
}

/** The answer to `initialize`. A client that does not know the revision ends the connection. */
export const revisionFor = (params: Message['params']): string => {
  const wanted = params['protocolVersion']
  return typeof wanted === 'string' && WITH_HANDSHAKE.includes(wanted) ? wanted : WITH_HANDSHAKE[0]!
}
