/** The answers that operations share. */

import type { AnyEndpoint } from '../endpoint.ts'
import type { Json } from './schema.ts'

interface Refusal {
  name: string
  description: string
  code: number
  message: string
  retryAfter?: boolean
  details?: { path: string; message: string }[]
}

const REFUSALS: Record<number, Refusal> = {
  400: {
    name: 'BadRequest',
    description: 'The request is not valid, or the state of things refuses it. `details` names each field at fault.',
    code: 400,
    message: 'The request is not valid',
    details: [{ path: 'body.name', message: 'is required' }],
  },
  401: {
    name: 'Unauthorized',
    description:
      "No token, or one that is invalid, expired or revoked, or `X-Device-Id` is missing or not the session's.",
    code: 401,
    message: 'Sign in first',
  },
  403: {
    name: 'Forbidden',
    description:
      'The caller is known and may not do this. Business codes 4011, 4012 and 4015 also come with this status.',
    code: 403,
    message: 'You do not have permission for this operation',
  },
  404: {
    name: 'NotFound',
    description: 'There is no such thing, or it belongs to somebody else: the answer is the same.',
    code: 404,
    message: 'Not found',
  },
  413: { name: 'TooLarge', description: 'The body is too large.', code: 413, message: 'The request is too large' },
  415: {
    name: 'UnsupportedType',
    description: 'The body is of a type that this operation does not take.',
    code: 415,
    message: 'Send JSON',
  },
  429: {
    name: 'TooManyRequests',
    description: 'A limit or quota is met. `Retry-After` says in how many seconds to try again.',
    code: 4022,
    message: 'Too many requests',
    retryAfter: true,
  },
  503: {
    name: 'Unavailable',
    description: 'The server is stopping or has too much to do. `Retry-After` says in how many seconds to try again.',
    code: 503,
    message: 'The server is shutting down',
    retryAfter: true,
  },
}

/** Which refusals an operation can give, beyond what its own rules refuse. */
export function refusals(endpoint: AnyEndpoint): Json {
  const { access, params, query, body, path } = endpoint
  const statuses = [429, 503]
  if (params ?? query ?? body) statuses.push(400)
  if (access.kind !== 'open') statuses.push(401)
  if (access.kind !== 'open' && access.kind !== 'signedIn') statuses.push(403)
  if (path.includes('/:')) statuses.push(404)
  if (body) statuses.push(413, 415)
  return Object.fromEntries(
    statuses
      .sort((a, b) => a - b)
      .map((status) => [status, { $ref: `#/components/responses/${REFUSALS[status]!.name}` }]),
  )
}

export const requestIdHeader = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } }

export const headers: Json = {
  RequestId: {
    description: 'Names the request in the log of the server.',
    schema: { type: 'string', examples: ['9d1c3e7a-4f'] },
    example: '9d1c3e7a-4f',
  },
  RetryAfter: {
    description: 'Seconds until a retry makes sense.',
    schema: { type: 'integer', minimum: 1 },
    example: 60,
  },
}

export const errorSchema: Json = {
  type: 'object',
  description:
    'What every refusal says. `message` is in the language of `Accept-Language` (English or Chinese), `code` never depends on it.',
  required: ['code', 'message', 'requestId'],
  properties: {
    code: { type: 'integer', description: 'The HTTP status, or a business code from 4000 on', examples: [400] },
    message: { type: 'string', description: 'A sentence for people', examples: ['The request is not valid'] },
    requestId: { type: 'string', examples: ['9d1c3e7a-4f'] },
    details: {
      type: 'array',
      description: 'Each field at fault; only on 400',
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

export const responses: Json = Object.fromEntries(
  Object.values(REFUSALS).map((r) => [
    r.name,
    {
      description: r.description,
      headers: {
        ...requestIdHeader,
        ...(r.retryAfter && { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }),
      },
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Error' },
          example: {
            code: r.code,
            message: r.message,
            requestId: '9d1c3e7a-4f',
            ...(r.details && { details: r.details }),
          },
        },
      },
    },
  ]),
)
