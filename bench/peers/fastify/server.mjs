/** Tessera's three operations as a Fastify service is usually written: schemas for input and output, a hook for the token. */

import Fastify from 'fastify'
import jwt from 'jsonwebtoken'

import { createCode, findCode, key, listCodes, sessionOf } from '../node-database.mjs'

const app = Fastify({ logger: false })

app.addHook('onRequest', async (request, reply) => {
  reply.headers({ 'x-request-id': request.id, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' })
  const header = request.headers.authorization
  try {
    if (!header?.startsWith('Bearer ')) throw new Error('no token')
    const claims = jwt.verify(header.slice(7), key, { algorithms: ['HS256'] })
    const session = sessionOf(claims, request.headers['x-device-id'])
    if (session === undefined) throw new Error('no session')
    request.userId = session.userId
  } catch {
    return reply.code(401).send({ code: 401, message: 'Sign in first' })
  }
})

const text = { type: 'string' }
const number = { type: 'integer' }
const code = {
  type: 'object',
  properties: {
    id: number,
    uuid: text,
    name: text,
    content: text,
    contentType: text,
    categoryId: { type: ['integer', 'null'] },
    tags: { type: 'array', items: text },
    remark: text,
    style: { type: 'object', additionalProperties: true },
    isPublic: { type: 'boolean' },
    isDynamic: { type: 'boolean' },
    pinned: { type: 'boolean' },
    sortOrder: number,
    orgId: { type: ['integer', 'null'] },
    userId: number,
    scanCount: number,
    imageUrl: text,
    publicUrl: text,
    slug: { type: ['string', 'null'] },
    shortUrl: { type: ['string', 'null'] },
    pictureContent: text,
    opens: { type: ['string', 'null'] },
    designId: { type: ['integer', 'null'] },
    blockedAt: { type: ['integer', 'null'] },
    version: number,
    createdAt: number,
    updatedAt: number,
    warnings: { type: 'array', items: { type: 'object', additionalProperties: true } },
  },
}
const envelope = (data) => ({ response: { 200: { type: 'object', properties: { code: number, data } } } })

app.get(
  '/api/qr-codes',
  {
    schema: {
      querystring: {
        type: 'object',
        properties: {
          page: { type: 'integer', minimum: 1, default: 1 },
          size: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
        },
      },
      ...envelope({
        type: 'object',
        properties: { items: { type: 'array', items: code }, total: number, page: number, size: number },
      }),
    },
  },
  async (request) => ({ code: 200, data: listCodes(request.userId, request.query.page, request.query.size) }),
)

app.get(
  '/api/qr-codes/:id',
  { schema: { params: { type: 'object', properties: { id: { type: 'integer', minimum: 1 } } }, ...envelope(code) } },
  async (request, reply) => {
    const found = findCode(request.userId, request.params.id)
    return found ? { code: 200, data: found } : reply.code(404).send({ code: 404, message: 'Not found' })
  },
)

app.post(
  '/api/qr-codes',
  {
    schema: {
      body: {
        type: 'object',
        required: ['name', 'content'],
        properties: {
          name: { type: 'string', minLength: 1, maxLength: 100 },
          content: { type: 'string', minLength: 1, maxLength: 2953 },
          tags: { type: 'array', maxItems: 20, items: { type: 'string', maxLength: 50 } },
          remark: { type: 'string', maxLength: 2000 },
          isPublic: { type: 'boolean' },
        },
      },
      ...envelope(code),
    },
  },
  async (request) => ({ code: 200, data: createCode(request.userId, request.body) }),
)

console.log(`listening on ${await app.listen({ host: '127.0.0.1', port: 0 })}`)
