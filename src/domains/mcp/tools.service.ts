/** The tools of assistants: they find, describe and call the operations that the API key may call. */

import type { AppContext } from '#context'
import { permissionSet } from '#domains/access/index.ts'
import type { AnyEndpoint, Caller } from '#http/endpoint.ts'
import { isClosedToKeys } from '#http/key-access.ts'
import type { KeyScope } from '#http/key-scope.ts'
import { Components } from '#http/openapi/schema.ts'
import { mounted, serverFor } from '#http/own-requests.ts'
import type { TSchema } from '#http/schema.ts'

import { DEFAULT_FOUND, MAX_ANSWER, MAX_FOUND, MAX_READ } from './mcp.model.ts'
import { isObject } from './mcp.rules.ts'

export interface ToolResult {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[]
  readonly isError: boolean
}

const result = (text: string, isError = false): ToolResult => ({ content: [{ type: 'text', text }], isError })
const failure = (text: string): ToolResult => result(text, true)

/** Who calls a tool. */
export interface Asking {
  readonly ctx: AppContext
  readonly key: KeyScope
  readonly caller: Caller
  /** The header `Authorization`. */
  readonly authorization: string
}

type Arguments = Readonly<Record<string, unknown>>

export const TOOLS: Readonly<Record<string, (asking: Asking, given: Arguments) => Promise<ToolResult>>> = {
  search_operations: searchOperations,
  describe_operation: describeOperation,
  call_operation: callOperation,
}

/** The kinds of access that ask for a point in each domain. */
const KINDS: Readonly<Record<KeyScope['domain'], readonly string[]>> = {
  APP: ['app', 'dual', 'signedUrl'],
  ORG: ['org', 'dual'],
  PLATFORM: ['platform', 'publisher'],
}

/** The operations that the key may call now. Those that anyone may call are no part of it. */
async function operationsOf({ ctx, key }: Asking): Promise<AnyEndpoint[]> {
  const held = await permissionSet(ctx, key.userId, key.domain, key.orgId)
  return mounted(ctx).endpoints.filter(
    (endpoint) =>
      'point' in endpoint.access &&
      KINDS[key.domain].includes(endpoint.access.kind) &&
      held.has(endpoint.access.point) &&
      (key.mcp === 'WRITE' || endpoint.method === 'GET') &&
      endpoint.streamsBody !== true &&
      endpoint.acceptsFile?.required !== true &&
      endpoint.deprecated !== true &&
      !isClosedToKeys(endpoint),
  )
}

async function find(asking: Asking, id: unknown): Promise<AnyEndpoint | undefined> {
  return (await operationsOf(asking)).find((endpoint) => endpoint.id === id)
}

const unknownOperation = () => failure('404: there is no such operation, or the API key may not call it')

const summaryOf = ({ id, method, path, summary }: AnyEndpoint) => ({ id, method, path, summary })

async function searchOperations(asking: Asking, { query, limit }: Arguments): Promise<ToolResult> {
  if (typeof query !== 'string' || query.trim() === '' || query.length > 200)
    return failure('400: query must be a string of 1 to 200 characters')
  const wanted = limit === undefined ? DEFAULT_FOUND : Number(limit)
  if (!Number.isInteger(wanted) || wanted < 1 || wanted > MAX_FOUND)
    return failure(`400: limit must be an integer from 1 to ${MAX_FOUND}`)
  const words = [...new Set(wordsOf(query).map(stem))]
  const operations = (await operationsOf(asking)).map((endpoint) => ({ endpoint, hits: hitsOf(endpoint, words) }))
  // Words of nearly all descriptions, such as "are", say little about an operation.
  const weights = words.map((_, at) => {
    const count = operations.filter(({ hits }) => hits[at]! > 0).length
    return Math.log(1 + operations.length / Math.max(count, 1))
  })
  const found = operations
    .map(({ endpoint, hits }) => ({ endpoint, score: hits.reduce((sum, hit, at) => sum + hit * weights[at]!, 0) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || (a.endpoint.id < b.endpoint.id ? -1 : 1))
    .slice(0, wanted)
  return result(JSON.stringify(found.map(({ endpoint }) => summaryOf(endpoint))))
}

const wordsOf = (text: string): string[] =>
  text
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1)

/** `loans` also finds `loan`, `copies` also `copy`. */
const stem = (word: string): string => word.replace(/(?:ies|es|s|y)$/, '')

/** For each word: 3 if it is in the name, 1 if it is in the description only, 0 if it is in neither. */
function hitsOf({ id, path, summary, tag, description = '', query }: AnyEndpoint, words: readonly string[]): number[] {
  const names = wordsOf(`${id} ${path} ${summary} ${tag}`)
  const others = wordsOf(`${description} ${Object.keys((query?.['properties'] ?? {}) as object).join(' ')}`)
  const isIn = (list: readonly string[], word: string) => list.some((one) => one.startsWith(word))
  return words.map((word) => (isIn(names, word) ? 3 : isIn(others, word) ? 1 : 0))
}

async function describeOperation(asking: Asking, { id }: Arguments): Promise<ToolResult> {
  const endpoint = await find(asking, id)
  if (endpoint === undefined) return unknownOperation()
  const components = new Components()
  const show = (schema: TSchema | undefined) => schema && components.show(schema, 'request')
  const described = {
    ...summaryOf(endpoint),
    description: endpoint.description,
    path_parameters: show(endpoint.params),
    query_parameters: show(endpoint.query),
    body: show(endpoint.body),
    components: { schemas: components.schemas },
  }
  return result(shortened(JSON.stringify(described)))
}

async function callOperation(asking: Asking, given: Arguments): Promise<ToolResult> {
  const { path = {}, query = {}, body, confirm } = given
  if (!isObject(path) || !isObject(query) || (body !== undefined && !isObject(body)))
    return failure('400: path, query and body must be objects')
  const endpoint = await find(asking, given['id'])
  if (endpoint === undefined) return unknownOperation()
  if ((endpoint.method === 'DELETE' || endpoint.deletes === true) && confirm !== true)
    return failure('400: this deletes. Ask your user, and call it again with confirm: true')
  const target = urlOf(endpoint, asking.key, path, query)
  if (typeof target !== 'string') return target
  const { ctx, caller, authorization } = asking
  const request = new Request(new URL(target, ctx.config.publicUrl).href, {
    method: endpoint.method,
    headers: {
      authorization,
      accept: 'application/json',
      'accept-language': caller.locale,
      'user-agent': caller.userAgent,
      'x-request-id': caller.requestId,
      ...(endpoint.method !== 'GET' && { 'content-type': 'application/json' }),
    },
    ...(endpoint.method !== 'GET' && { body: JSON.stringify(body ?? {}) }),
  })
  return toResult(await mounted(ctx).answer!(request, serverFor(caller)))
}

/** Path and query of the request. An organization in the path may be left out with a key of it. */
function urlOf(
  { path: pattern, access }: AnyEndpoint,
  key: KeyScope,
  path: Arguments,
  query: Arguments,
): string | ToolResult {
  const missing: string[] = []
  const wrong: string[] = []
  const organization = access.kind === 'org' && key.domain === 'ORG' ? /:(?:orgId|id)/.exec(pattern)?.[0].slice(1) : ''
  const filled = pattern.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = textOf(path[name] ?? (name === organization ? key.orgId : undefined))
    if (value === '') missing.push(name)
    // Dots would lead to another operation, also as %2E, and half of a character cannot be encoded.
    else if (value === '.' || value === '..' || !value.isWellFormed()) wrong.push(name)
    else return encodeURIComponent(value)
    return ''
  })
  if (missing.length > 0) return failure(`400: path.${missing.join(', path.')} is missing`)
  if (wrong.length > 0) return failure(`400: path.${wrong.join(', path.')} is not valid`)
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    const text = Array.isArray(value) ? value.map(textOf).join(',') : textOf(value)
    if (text !== '') parameters.append(name, text)
  }
  return parameters.size === 0 ? filled : `${filled}?${parameters}`
}

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''

async function toResult(response: Response): Promise<ToolResult> {
  const type = response.headers.get('content-type') ?? ''
  if (!type.startsWith('application/json')) {
    await response.body?.cancel()
    return failure(`The answer is a file (${type}), which assistants do not get. Your user can download it.`)
  }
  const text = await textUpTo(response, MAX_READ)
  if (text === undefined) return failure('The answer is too large: ask for fewer rows with size, or filter them')
  const { code, data, message, details, requestId } = JSON.parse(text) as {
    code: number
    data?: unknown
    message?: string
    details?: unknown
    requestId?: string
  }
  if (response.ok) return result(shortened(JSON.stringify(data ?? null)))
  return failure(shortened(JSON.stringify({ status: response.status, code, message, details, requestId })))
}

async function textUpTo({ body }: Response, max: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > max) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const CUT = '\n… The answer is longer and was cut here: ask for fewer rows with size and page, or filter them.'

function shortened(text: string): string {
  const bytes = Buffer.from(text, 'utf8')
  if (bytes.length <= MAX_ANSWER) return text
  // Not within a character.
  return (
    bytes
      .subarray(0, MAX_ANSWER)
      .toString('utf8')
      .replace(/\uFFFD+$/, '') + CUT
  )
}
