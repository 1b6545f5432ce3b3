/**
 * A chat as a Fastify service is usually written: `ws` for the sockets, better-sqlite3 (WAL, `synchronous=FULL` as in Tessera), one transaction per
 * message, then a frame to every socket of every member. Its users are members of one group, and each one has a direct conversation with the next.
 * Environment: BENCH_DB (a new file), BENCH_SECRET, BENCH_USERS.
 */

import { createHash, createSecretKey } from 'node:crypto'

import Database from 'better-sqlite3'
import Fastify from 'fastify'
import jwt from 'jsonwebtoken'
import { WebSocketServer } from 'ws'

const sessionKey = createSecretKey(Buffer.from(process.env.BENCH_SECRET))
const DEVICE_ID = 'bench-device-0123456789abcdef'
const users = Number(process.env.BENCH_USERS)
const GROUP = 1

const db = new Database(process.env.BENCH_DB)
db.pragma('journal_mode = WAL')
db.pragma('synchronous = FULL')
db.pragma('foreign_keys = ON')
db.exec(`
  CREATE TABLE sessions (id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL, device_key TEXT NOT NULL, status TEXT NOT NULL,
    expired_at INTEGER NOT NULL);
  CREATE TABLE contacts (user_id INTEGER NOT NULL, other_id INTEGER NOT NULL, blocked INTEGER NOT NULL, PRIMARY KEY (user_id, other_id));
  CREATE TABLE conversations (id INTEGER PRIMARY KEY, type TEXT NOT NULL, low_user_id INTEGER, high_user_id INTEGER);
  CREATE UNIQUE INDEX conversations_pair ON conversations (low_user_id, high_user_id);
  CREATE TABLE members (conversation_id INTEGER NOT NULL REFERENCES conversations (id), user_id INTEGER NOT NULL,
    unread INTEGER NOT NULL DEFAULT 0, last_message_id INTEGER, sort_at INTEGER, PRIMARY KEY (conversation_id, user_id));
  CREATE INDEX members_of_user ON members (user_id, sort_at);
  CREATE TABLE messages (id INTEGER PRIMARY KEY, conversation_id INTEGER NOT NULL REFERENCES conversations (id), sender_id INTEGER NOT NULL,
    type TEXT NOT NULL, content TEXT NOT NULL, client_msg_id TEXT NOT NULL, created_at INTEGER NOT NULL);
  CREATE UNIQUE INDEX messages_key ON messages (sender_id, client_msg_id);
  CREATE INDEX messages_of_conversation ON messages (conversation_id, id);
`)

db.transaction(() => {
  const device = createHash('sha256').update(DEVICE_ID).digest('base64url')
  const session = db.prepare(`INSERT INTO sessions VALUES (?, ?, ?, 'ACTIVE', ?)`)
  const contact = db.prepare('INSERT OR IGNORE INTO contacts VALUES (?, ?, 0)')
  const conversation = db.prepare('INSERT OR IGNORE INTO conversations VALUES (?, ?, ?, ?)')
  const member = db.prepare('INSERT OR IGNORE INTO members (conversation_id, user_id) VALUES (?, ?)')
  conversation.run(GROUP, 'GROUP', null, null)
  for (let id = 1; id <= users; id++) {
    session.run(id, id, device, Date.now() + 86_400_000)
    member.run(GROUP, id)
    const next = (id % users) + 1
    contact.run(id, next)
    contact.run(next, id)
    conversation.run(GROUP + id, 'DIRECT', Math.min(id, next), Math.max(id, next))
    member.run(GROUP + id, id)
    member.run(GROUP + id, next)
  }
})()

const sessionById = db.prepare(
  `SELECT user_id AS userId, device_key AS deviceKey FROM sessions WHERE id = ? AND status = 'ACTIVE' AND expired_at > ?`,
)
const conversationById = db.prepare('SELECT * FROM conversations WHERE id = ?')
const conversationByPair = db.prepare('SELECT * FROM conversations WHERE low_user_id = ? AND high_user_id = ?')
const membersOf = db.prepare('SELECT user_id FROM members WHERE conversation_id = ?').pluck()
const contactOf = db.prepare('SELECT blocked FROM contacts WHERE user_id = ? AND other_id = ?')
const messageByKey = db.prepare('SELECT * FROM messages WHERE sender_id = ? AND client_msg_id = ?')
const insertMessage = db.prepare(
  `INSERT INTO messages (conversation_id, sender_id, type, content, client_msg_id, created_at) VALUES (?, ?, ?, ?, ?, ?) RETURNING *`,
)
const countUnread = db.prepare(
  `UPDATE members SET unread = unread + (user_id <> ?), last_message_id = ?, sort_at = ? WHERE conversation_id = ?`,
)

const view = (row) => ({
  id: row.id,
  conversationId: row.conversation_id,
  senderId: row.sender_id,
  clientMsgId: row.client_msg_id,
  type: row.type,
  content: JSON.parse(row.content),
  replyToId: null,
  replyTo: null,
  reactions: [],
  forwarded: false,
  recalled: false,
  recalledAt: null,
  createdAt: row.created_at,
})

const refuse = (statusCode, message) => {
  throw Object.assign(new Error(message), { statusCode })
}

const store = db.transaction((userId, body) => {
  const before = messageByKey.get(userId, body.clientMsgId)
  if (before !== undefined) return { row: before, isNew: false }
  const conversation =
    body.conversationId === undefined
      ? conversationByPair.get(Math.min(userId, body.toUserId), Math.max(userId, body.toUserId))
      : conversationById.get(body.conversationId)
  if (conversation === undefined) refuse(404, 'Not found')
  if (conversation.type === 'DIRECT') {
    const other = conversation.low_user_id === userId ? conversation.high_user_id : conversation.low_user_id
    const [own, theirs] = [contactOf.get(userId, other), contactOf.get(other, userId)]
    if (own === undefined || theirs === undefined || own.blocked || theirs.blocked) refuse(403, 'Refused')
  }
  const now = Date.now()
  const row = insertMessage.get(conversation.id, userId, body.type, JSON.stringify(body.content), body.clientMsgId, now)
  countUnread.run(userId, row.id, now, conversation.id)
  return { row, isNew: true }
})

function userOf(token, deviceId) {
  const claims = jwt.verify(token, sessionKey, { algorithms: ['HS256'] })
  const session = sessionById.get(claims.sid, Date.now())
  if (session === undefined) throw new Error('no session')
  if (deviceId !== undefined && session.deviceKey !== createHash('sha256').update(deviceId).digest('base64url'))
    throw new Error('another device')
  return session.userId
}

const app = Fastify({ logger: false })

app.addHook('onRequest', async (request, reply) => {
  reply.headers({ 'x-request-id': request.id, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' })
  const header = request.headers.authorization
  try {
    request.userId = userOf(header.slice('Bearer '.length), request.headers['x-device-id'])
  } catch {
    return reply.code(401).send({ code: 401, message: 'Sign in first' })
  }
})

const text = { type: 'string' }
const number = { type: 'integer' }
const object = (properties, more = {}) => ({ type: 'object', properties, ...more })
const message = object({
  id: number,
  conversationId: number,
  senderId: number,
  clientMsgId: text,
  type: text,
  content: { type: 'object', additionalProperties: true },
  replyToId: { type: ['integer', 'null'] },
  replyTo: { type: ['object', 'null'] },
  reactions: { type: 'array' },
  forwarded: { type: 'boolean' },
  recalled: { type: 'boolean' },
  recalledAt: { type: ['integer', 'null'] },
  createdAt: number,
})

const sockets = new Map()

app.post(
  '/api/chats/messages',
  {
    schema: {
      body: object(
        {
          toUserId: number,
          conversationId: number,
          clientMsgId: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' },
          type: { type: 'string', enum: ['TEXT'] },
          content: object({ text: { type: 'string', minLength: 1, maxLength: 5000 } }, { required: ['text'] }),
        },
        { required: ['clientMsgId', 'type', 'content'] },
      ),
      response: {
        200: object({
          code: number,
          data: object({ conversationId: number, messages: { type: 'array', items: message } }),
        }),
      },
    },
  },
  async (request) => {
    const { row, isNew } = store.immediate(request.userId, request.body)
    const data = view(row)
    if (isNew)
      for (const userId of membersOf.all(row.conversation_id))
        for (const socket of sockets.get(userId) ?? [])
          if (socket.readyState === socket.OPEN) socket.send(JSON.stringify({ type: 'message', data }))
    return { code: 200, data: { conversationId: row.conversation_id, messages: [data] } }
  },
)

const wss = new WebSocketServer({ noServer: true, maxPayload: 65_536 })
app.server.on('upgrade', (request, socket, head) => {
  try {
    const userId = userOf(new URL(request.url, 'http://localhost').searchParams.get('token'))
    wss.handleUpgrade(request, socket, head, (ws) => {
      const own = sockets.get(userId) ?? new Set()
      sockets.set(userId, own.add(ws))
      ws.isAlive = true
      ws.on('pong', () => (ws.isAlive = true))
      ws.on('message', (data) => {
        const frame = JSON.parse(data)
        if (frame.type === 'ping')
          ws.send(JSON.stringify({ type: 'pong', id: frame.id, data: { serverTime: Date.now() } }))
      })
      ws.on('close', () => own.delete(ws))
      ws.send(JSON.stringify({ type: 'hello', data: { serverTime: Date.now(), userId } }))
    })
  } catch {
    socket.end('HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n')
  }
})
setInterval(() => {
  for (const ws of wss.clients) {
    if (!ws.isAlive) ws.terminate()
    ws.isAlive = false
    ws.ping()
  }
}, 30_000)

console.log(`listening on ${await app.listen({ host: '127.0.0.1', port: 0 })}`)
