/** Tessera's three operations as an Express service is usually written. */

import express from 'express'
import jwt from 'jsonwebtoken'

import { createCode, findCode, key, listCodes, sessionOf } from '../node-database.mjs'

const app = express()
app.disable('x-powered-by')
app.use(express.json({ limit: '1mb' }))
let sequence = 0
app.use((request, response, next) => {
  response.set({ 'x-request-id': `${++sequence}`, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' })
  const header = request.headers.authorization
  try {
    if (!header?.startsWith('Bearer ')) throw new Error('no token')
    const claims = jwt.verify(header.slice(7), key, { algorithms: ['HS256'] })
    const session = sessionOf(claims, request.headers['x-device-id'])
    if (session === undefined) throw new Error('no session')
    request.userId = session.userId
  } catch {
    response.status(401).json({ code: 401, message: 'Sign in first' })
    return
  }
  next()
})

const refuse = (response, message) => void response.status(400).json({ code: 400, message })

app.get('/api/qr-codes', (request, response) => {
  const page = Number(request.query.page ?? 1)
  const size = Number(request.query.size ?? 20)
  if (!Number.isInteger(page) || page < 1) return refuse(response, 'page')
  if (!Number.isInteger(size) || size < 1 || size > 100) return refuse(response, 'size')
  response.json({ code: 200, data: listCodes(request.userId, page, size) })
})

app.get('/api/qr-codes/:id', (request, response) => {
  const id = Number(request.params.id)
  if (!Number.isInteger(id) || id < 1) return refuse(response, 'id')
  const found = findCode(request.userId, id)
  if (found === undefined) return void response.status(404).json({ code: 404, message: 'Not found' })
  response.json({ code: 200, data: found })
})

app.post('/api/qr-codes', (request, response) => {
  const { name, content, tags = [], remark = '', isPublic = false } = request.body ?? {}
  if (typeof name !== 'string' || name.trim() === '' || name.length > 100) return refuse(response, 'name')
  if (typeof content !== 'string' || content === '' || content.length > 2953) return refuse(response, 'content')
  if (!Array.isArray(tags) || tags.length > 20 || !tags.every((t) => typeof t === 'string'))
    return refuse(response, 'tags')
  if (typeof remark !== 'string' || remark.length > 2000 || typeof isPublic !== 'boolean')
    return refuse(response, 'remark')
  response.json({ code: 200, data: createCode(request.userId, { name: name.trim(), content, tags, remark, isPublic }) })
})

const server = app.listen(0, '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${server.address().port}`))
