/** The answers of an operation: its success, and every refusal that can occur. */

import type { TSchema } from '@sinclair/typebox'

import type { AnyEndpoint, RefusalStatus } from '../endpoint.ts'
import { isClosedToKeys } from '../key-access.ts'
import { showsVersion } from '../preconditions.ts'
import { isRepeatable } from '../repeatable.ts'
import { exampleOf } from './example.ts'
import type { Components, Json } from './schema.ts'

interface Refusal {
  name: string
  description: string
  code: number
  message: string
  retryAfter?: boolean
  /** Only pages are refused so. */
  isPage?: boolean
  details?: { path: string; message: string }[]
}

const REFUSALS: Record<number, Refusal> = {
  400: {
    name: 'BadRequest',
    description:
      'The request is not valid, or the current state does not allow it. `details` lists the invalid fields, if any.',
    code: 400,
    message: 'The request is not valid',
    details: [{ path: 'body.name', message: 'is required' }],
  },
  401: {
    name: 'Unauthorized',
    description:
      'The token is missing, invalid, expired or revoked, or `X-Device-Id` is missing or belongs to another session: then `details` has ' +
      'the path `header.X-Device-Id`.',
    code: 401,
    message: 'Sign in first',
  },
  403: {
    name: 'Forbidden',
    description:
      'The caller does not have permission. Business codes 4011, 4012, 4015, 4031 (confirm first that you are the owner of the ' +
      'account), 4032 (the second factor is missing), 4034 (administrators must enable one), 4035 (the organization requires one), 4036 (this ' +
      'way to sign in is switched off), 4037 (not open to API keys) and 4038 (the initial password must be changed first) also come with this status.',
    code: 403,
    message: 'You do not have permission for this operation',
  },
  404: {
    name: 'NotFound',
    description: 'The resource does not exist, or it belongs to another user: both get the same answer.',
    code: 404,
    message: 'Not found',
  },
  409: {
    name: 'Repeated',
    description:
      'Code 4023: the `Idempotency-Key` was used with another request. Code 409: its first request is still running; `Retry-After` is ' +
      'the number of seconds to wait.',
    code: 4023,
    message: 'This Idempotency-Key was used with another request',
    retryAfter: true,
  },
  410: {
    name: 'Ended',
    description: 'The link has expired or is used up.',
    code: 410,
    message: 'This link has expired',
    isPage: true,
  },
  412: {
    name: 'Changed',
    description: 'The bytes are not those that `If-Match` names.',
    code: 412,
    message: 'The file is not the one that you expect',
  },
  413: { name: 'TooLarge', description: 'The body is too large.', code: 413, message: 'The request is too large' },
  415: {
    name: 'UnsupportedType',
    description: 'The operation does not accept the content type of the body.',
    code: 415,
    message: 'Send JSON',
  },
  416: {
    name: 'OutOfRange',
    description: 'The range begins after the last byte. `Content-Range` says how many bytes there are.',
    code: 416,
    message: 'The file has only 42 bytes',
  },
  426: {
    name: 'UpgradeRequired',
    description: 'The request is not a WebSocket handshake.',
    code: 426,
    message: 'Connect with a WebSocket client',
  },
  429: {
    name: 'TooManyRequests',
    description: 'A limit or quota is reached. `Retry-After` is the number of seconds to wait.',
    code: 4022,
    message: 'Too many requests',
    retryAfter: true,
  },
  503: {
    name: 'Unavailable',
    description: 'The server is stopping or overloaded. `Retry-After` is the number of seconds to wait.',
    code: 503,
    message: 'The server is shutting down',
    retryAfter: true,
  },
}

/** Every status that the operation can refuse with. 500, which is always a bug, is not among them. */
export function refusalStatuses(endpoint: AnyEndpoint): Set<number> {
  const { access, body, path, acceptsFile, streamsBody, sendsRanges, keepsCookies, refuses = {} } = endpoint
  // 400: also for query parameters that the operation does not know.
  const statuses = new Set([400, 429, 503, ...Object.keys(refuses).map(Number)])
  if (endpoint.unlimited) statuses.delete(429)
  // 403: also for users who must change their initial password first (code 4038).
  if (access.kind !== 'open' || access.readsToken) statuses.add(401).add(403)
  if (access.kind === 'signedIn' && endpoint.withInitialPassword && refuses[403] === undefined) statuses.delete(403)
  if (keepsCookies) statuses.add(403)
  if (isClosedToKeys(endpoint)) statuses.add(401).add(403)
  if (path.includes('/:')) statuses.add(404)
  if (body ?? acceptsFile ?? streamsBody) statuses.add(413)
  if (body ?? acceptsFile) statuses.add(415)
  if (sendsRanges) statuses.add(412).add(416)
  if (endpoint.row !== undefined) statuses.add(412)
  if (isRepeatable(endpoint)) statuses.add(409)
  return statuses
}

/** Says how an answer contradicts the document, if it does: by its status or its media type. */
export function undocumented(endpoint: AnyEndpoint, response: Response): string | undefined {
  const { status, headers } = response
  // 302, 303 and 308 send clients on to the same bytes or operation under another path; 202 accepts a message that has no answer.
  if ([202, 302, 303, 304, 308, 500].includes(status) || (status === 101 && endpoint.opensSocket)) return undefined
  // 303 leads the browser on after a form.
  if (status === 303 && endpoint.answers === 'text/html') return undefined
  if (status !== 200 && !(status === 206 && endpoint.sendsRanges))
    return refusalStatuses(endpoint).has(status) ? undefined : `answered ${status}`
  const types = mediaTypes(endpoint).map(withoutCharset)
  const type = withoutCharset(headers.get('content-type') ?? '')
  const mayBeJson = types.length === 0 || endpoint.data !== undefined
  return types.includes(type) || types.includes('*/*') || (mayBeJson && type === 'application/json')
    ? undefined
    : `answered ${type}`
}

const withoutCharset = (type: string): string => type.replace(/;.*/, '').trim()

export function responsesOf(endpoint: AnyEndpoint, components: Components): Json {
  const statuses = [...refusalStatuses(endpoint)].sort((a, b) => a - b)
  return {
    ...(endpoint.opensSocket
      ? { 101: { description: 'The connection is a WebSocket now.' } }
      : { 200: success(endpoint, components) }),
    ...(endpoint.sendsRanges && { 206: { ...success(endpoint, components), description: 'The bytes of `Range`.' } }),
    ...Object.fromEntries(statuses.map((s) => [s, refusal(endpoint, s, components)])),
  }
}

function refusal(endpoint: AnyEndpoint, status: number, components: Components): Json {
  const shared = REFUSALS[status]!
  // Health checks answer bare, also while the server is stopping.
  if (status === 503 && endpoint.whileDraining && endpoint.data)
    return {
      description: shared.description,
      content: { 'application/json': { schema: components.show(endpoint.data, 'answer') } },
    }
  if (status === 412 && endpoint.row !== undefined) return changedRow(endpoint.row.view, components)
  const reason = endpoint.refuses?.[status as RefusalStatus]
  if (mediaTypes(endpoint).includes('text/html'))
    return { ...described(shared, reason), content: errorContent(shared, true) }
  return { $ref: `#/components/responses/${shared.name}`, ...(reason !== undefined && { description: reason }) }
}

/** 412 of a row, which comes with the refusal. */
function changedRow(view: TSchema, components: Components): Json {
  const data = components.show(view, 'answer')
  const { required, properties, ...rest } = errorSchema
  const schema = components.add(`${view.$id}Changed`, {
    ...rest,
    required: [...(required as string[]), 'data'],
    properties: { ...(properties as Json), data },
  })
  const message = 'It has been changed since you read it'
  const example = { code: 4024, message, requestId: '9d1c3e7a-4f', data: exampleOf(view, 'answer') }
  return {
    description: 'Code 4024: the row has another version than `If-Match`. `data` is the row as it is now.',
    headers: requestIdHeader,
    content: { 'application/json': { schema, example } },
  }
}

function success(endpoint: AnyEndpoint, components: Components): Json {
  const types = mediaTypes(endpoint)
  const { data } = endpoint
  const content: Json = Object.fromEntries(
    types.map((type) => [type, type === 'application/json' && data ? json(data, components) : bareContent(type)]),
  )
  const enveloped = types.length === 0 || (data !== undefined && !types.includes('application/json'))
  if (enveloped) content['application/json'] = envelope(data, components)
  const sent = {
    ...requestIdHeader,
    ...(showsVersion(endpoint) && { ETag: { $ref: '#/components/headers/RowVersion' } }),
    ...(isRepeatable(endpoint) && { 'Idempotency-Replayed': { $ref: '#/components/headers/IdempotencyReplayed' } }),
  }
  return { description: successText(types, data, enveloped), headers: sent, content }
}

/** Media types of a bare answer; none for an operation that answers in the envelope. */
export const mediaTypes = ({ answers }: AnyEndpoint): string[] => answers?.split(',').map((type) => type.trim()) ?? []

function successText(types: readonly string[], data: TSchema | undefined, enveloped: boolean): string {
  if (types.length > 0) return `Without the envelope${enveloped ? ', unless `Accept` asks for JSON' : ''}.`
  if (data === undefined) return 'Success. `data` is null.'
  const { $id: name, description } = data
  const item = data['items'] as TSchema | undefined
  if (name === undefined) return item?.$id ? `A list of \`${item.$id}\`.` : 'Success.'
  return description === undefined ? `\`data\` is of type \`${name}\`.` : `\`${name}\`: ${description}`
}

const isText = (type: string): boolean => type.startsWith('text/') || type.includes('json')

const bareContent = (type: string): Json => ({
  schema: isText(type)
    ? { type: 'string' }
    : { type: 'string', format: 'binary', ...(type !== '*/*' && { contentMediaType: type }) },
})

const json = (data: TSchema, components: Components): Json => ({
  schema: components.show(data, 'answer'),
  example: exampleOf(data, 'answer'),
})

function envelope(data: TSchema | undefined, components: Components): Json {
  const schema = {
    type: 'object',
    required: ['code', 'data'],
    properties: {
      // Without `const`, of which Kotlin makes an enum that cannot be read.
      code: { type: 'integer', description: '200.' },
      // Not `type: null`, for which generators refer to a class Null that they do not write.
      data: data ? components.show(data, 'answer') : { description: 'Null.' },
    },
  }
  const example = { code: 200, data: data ? exampleOf(data, 'answer') : null }
  const name = envelopeName(data)
  return name === undefined ? { schema, example } : { schema: components.add(name, { ...schema, examples: [example] }) }
}

/** Envelopes of named data are components too: otherwise generators make a type for each operation. */
function envelopeName(data: TSchema | undefined): string | undefined {
  if (data === undefined) return 'EmptyEnvelope'
  const item = data['items'] as TSchema | undefined
  const name = data.$id ?? (item?.$id && `${item.$id}List`)
  return name && `${name}Envelope`
}

const requestIdHeader = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } }

export const headers: Json = {
  RequestId: {
    description: 'Identifies the request in the log of the server.',
    schema: { type: 'string', examples: ['9d1c3e7a-4f'] },
    example: '9d1c3e7a-4f',
  },
  IdempotencyReplayed: {
    description:
      '`true` if the answer is that of an earlier request with the same `Idempotency-Key`, otherwise left out.',
    schema: { type: 'boolean', examples: [true] },
    example: true,
  },
  RowVersion: {
    description: 'The `version` of the row in quotes, for `If-Match`.',
    schema: { type: 'string', examples: ['"3"'] },
    example: '"3"',
  },
  RetryAfter: {
    description: 'Seconds to wait before a retry.',
    schema: { type: 'integer', minimum: 1 },
    example: 60,
  },
}

export const errorSchema: Json = {
  type: 'object',
  description:
    'The body of every refusal. `message` is in the language of `Accept-Language` (English or Chinese); `code` does not depend on it.',
  required: ['code', 'message', 'requestId'],
  properties: {
    code: { type: 'integer', description: 'The HTTP status, or a business code from 4000 on', examples: [400] },
    message: { type: 'string', description: 'A sentence for users', examples: ['The request is not valid'] },
    requestId: { type: 'string', examples: ['9d1c3e7a-4f'] },
    details: {
      type: 'array',
      description:
        'With status 400 the invalid fields. With code 4031 the ways to confirm: `path` is PASSWORD, PHONE_CODE, EMAIL_CODE, PASSKEY or SIGN_IN. With code 4032 the second factors that the user has: TOTP, RECOVERY_CODE, PASSKEY.',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: {
          path: { type: 'string', examples: ['body.name'] },
          message: { type: 'string', examples: ['is required'] },
        },
      },
    },
  },
}

function described({ description, retryAfter }: Refusal, reason = description): Json {
  return {
    description: reason,
    headers: { ...requestIdHeader, ...(retryAfter && { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }) },
  }
}

/** Pages refuse with a page, unless `Accept` asks for JSON. */
function errorContent({ code, message, details }: Refusal, isPage: boolean): Json {
  return {
    ...(isPage && { 'text/html': { schema: { type: 'string' } } }),
    'application/json': {
      schema: { $ref: '#/components/schemas/Error' },
      example: { code, message, requestId: '9d1c3e7a-4f', ...(details && { details }) },
    },
  }
}

export const responses: Json = Object.fromEntries(
  Object.values(REFUSALS)
    .filter((r) => r.isPage !== true)
    .map((r) => [r.name, { ...described(r), content: errorContent(r, false) }]),
)
