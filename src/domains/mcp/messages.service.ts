/** Answers messages of the Model Context Protocol. There are no sessions: each message stands alone. */

import type { AppContext } from '#context'
import { authenticateKey, keyRate } from '#domains/api-keys/index.ts'
import { getSetting } from '#domains/settings/index.ts'
import { noToken, tooMany } from '#http/admission.ts'
import { MAX_JSON_BODY, readBody } from '#http/body.ts'
import { bearerToken } from '#http/caller.ts'
import type { Caller } from '#http/endpoint.ts'
import { AppError, forbidden, notFound } from '#http/errors.ts'
import { type KeyScope, withinKey } from '#http/key-scope.ts'
import { isApiKey } from '#lib/api-key.ts'
import { MINUTE } from '#platform/clock.ts'
import { version } from '#platform/version.ts'

import { INSTRUCTIONS, toolsFor } from './mcp.model.ts'
import { CODE, isObject, type Message, META, ProtocolError, readMessage, revisionFor, REVISIONS } from './mcp.rules.ts'
import { type Asking, TOOLS } from './tools.service.ts'

const foreignOrigin = () => forbidden('Pages of other sites may not use this address', '不允许其他网站的页面使用此地址')
const keyNotForMcp = () =>
  forbidden(
    'This API key is not for assistants: make one with `mcp`',
    '此 API 密钥不可用于智能助手，请新建允许此用途的密钥',
  )

/** @throws AppError 401, 403, 404, 413 or 429 */
export async function answerMcp(ctx: AppContext, request: Request, caller: Caller): Promise<Response> {
  if (!(await getSetting(ctx, 'mcp.enabled'))) throw notFound()
  refuseForeignOrigin(ctx, request)
  const key = await keyFor(ctx, request, caller)
  const asking = { ctx, key, caller, authorization: request.headers.get('authorization')! }
  try {
    const message = readMessage(await bodyOf(request), request.headers)
    if (message === undefined) return new Response(null, { status: 202 })
    const answer = await withinKey(key, () => answerMessage(asking, message))
    return send({ id: message.id, result: answer })
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error
    const { code, message, id, status, data } = error
    return send({ ...(id !== undefined && { id }), error: { code, message, ...(data && { data }) } }, status)
  }
}

const send = (message: object, status = 200): Response => Response.json({ jsonrpc: '2.0', ...message }, { status })

/** A page in a browser could otherwise use a server in the network of its visitor. */
function refuseForeignOrigin({ config }: AppContext, { headers }: Request): void {
  const origin = headers.get('origin')
  if (origin !== null && origin !== new URL(config.publicUrl).origin && !config.corsOrigins.includes(origin))
    throw foreignOrigin()
}

async function keyFor(ctx: AppContext, request: Request, caller: Caller): Promise<KeyScope> {
  const token = bearerToken(request)
  const found = token === undefined || !isApiKey(token) ? noToken : await authenticateKey(ctx, token, caller)
  if (found instanceof AppError)
    throw new AppError(found.status, found.code, found.text, { headers: { 'www-authenticate': 'Bearer' } })
  const perMinute = await keyRate(ctx)
  const wait = ctx.config.rateLimit && perMinute > 0 ? ctx.limiter.take(found.sessionId, perMinute, MINUTE) : 0
  if (wait > 0) throw tooMany(wait)
  const { key } = found
  if (key === undefined || key.mcp === 'OFF') throw keyNotForMcp()
  return key
}

async function bodyOf(request: Request): Promise<unknown> {
  try {
    return await readBody(request, MAX_JSON_BODY, false)
  } catch (error) {
    if (error instanceof AppError && error.status === 400) throw new ProtocolError(CODE.parse, error.text.en)
    throw error
  }
}

const SERVER_INFO = { name: 'tessera', title: 'Tessera', version }
/** The tools depend on the key, and change with a version of the server only. */
const CACHED = { ttlMs: MINUTE * 10, cacheScope: 'private' } as const

async function answerMessage(asking: Asking, message: Message): Promise<object> {
  const { method, params, isStateless } = message
  if (isStateless) {
    const answer = await answerStateless(asking, message)
    return { resultType: 'complete', ...answer, _meta: { [`${META}serverInfo`]: SERVER_INFO } }
  }
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: revisionFor(params),
        capabilities: { tools: {} },
        serverInfo: SERVER_INFO,
        instructions: INSTRUCTIONS,
      }
    case 'ping':
      return {}
    case 'tools/list':
      return { tools: toolsFor(asking.key.mcp) }
    case 'tools/call':
      return callTool(asking, message)
    default:
      throw unknownMethod(message, 200)
  }
}

function answerStateless(asking: Asking, message: Message): object | Promise<object> {
  switch (message.method) {
    case 'server/discover':
      return { supportedVersions: REVISIONS, capabilities: { tools: {} }, instructions: INSTRUCTIONS, ...CACHED }
    case 'tools/list':
      return { tools: toolsFor(asking.key.mcp), ...CACHED }
    case 'tools/call':
      return callTool(asking, message)
    default:
      throw unknownMethod(message, 404)
  }
}

const unknownMethod = ({ id, method }: Message, status: number) =>
  new ProtocolError(CODE.unknownMethod, `Method not found: ${method.slice(0, 100)}`, id, status)

function callTool(asking: Asking, { id, params, isStateless }: Message): Promise<object> {
  const { name, arguments: given = {} } = params
  const tool = typeof name === 'string' && Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined
  const status = isStateless ? 400 : 200
  if (tool === undefined) throw new ProtocolError(CODE.params, 'There is no such tool', id, status)
  if (!isObject(given)) throw new ProtocolError(CODE.params, 'The arguments must be an object', id, status)
  return tool(asking, given)
}
