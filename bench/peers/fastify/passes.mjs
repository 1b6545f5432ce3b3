/**
 * Passes of an event as a Fastify service is usually written: better-sqlite3 (WAL, `synchronous=FULL` as in Tessera), one transaction per
 * request, passes signed with jsonwebtoken. jsonwebtoken has no Ed25519, so the passes use the algorithm of BENCH_ALGORITHM: RS256 or
 * ES256. Environment: BENCH_DB (a new file), BENCH_SECRET, BENCH_PUBLIC_URL, BENCH_USERS (the number of users, the first one organizes).
 */

import { createHash, createSecretKey, generateKeyPairSync, randomUUID } from 'node:crypto'

import Database from 'better-sqlite3'
import Fastify from 'fastify'
import jwt from 'jsonwebtoken'

const algorithm = process.env.BENCH_ALGORITHM
const { privateKey, publicKey } =
  algorithm === 'RS256'
    ? generateKeyPairSync('rsa', { modulusLength: 2048 })
    : generateKeyPairSync('ec', { namedCurve: 'P-256' })
const sessionKey = createSecretKey(Buffer.from(process.env.BENCH_SECRET))
const publicUrl = process.env.BENCH_PUBLIC_URL
const EVENT_ID = 1
const DEVICE_ID = 'bench-device-0123456789abcdef'
/** Verifications in one timing of the signature check alone. */
const CHECKS = 5000

const db = new Database(process.env.BENCH_DB)
db.pragma('journal_mode = WAL')
db.pragma('synchronous = FULL')
db.pragma('foreign_keys = ON')
db.exec(`
  CREATE TABLE sessions (id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL, device_key TEXT NOT NULL, status TEXT NOT NULL,
    expired_at INTEGER NOT NULL);
  CREATE TABLE events (id INTEGER PRIMARY KEY, name TEXT NOT NULL, status TEXT NOT NULL, starts_at INTEGER NOT NULL,
    ends_at INTEGER NOT NULL, max_check_ins INTEGER NOT NULL);
  CREATE TABLE staff (event_id INTEGER NOT NULL REFERENCES events (id), user_id INTEGER NOT NULL, PRIMARY KEY (event_id, user_id));
  CREATE TABLE passes (id INTEGER PRIMARY KEY, uuid TEXT NOT NULL UNIQUE, event_id INTEGER NOT NULL REFERENCES events (id),
    holder_name TEXT NOT NULL, valid_from INTEGER, valid_to INTEGER, max_uses INTEGER NOT NULL, used_count INTEGER NOT NULL,
    token TEXT NOT NULL, last_used_at INTEGER, revoked_at INTEGER, created_at INTEGER NOT NULL);
  CREATE INDEX passes_of_event ON passes (event_id, id);
  CREATE TABLE uses (id INTEGER PRIMARY KEY, event_id INTEGER NOT NULL REFERENCES events (id), pass_id INTEGER REFERENCES passes (id),
    result TEXT NOT NULL, reason TEXT, nonce TEXT, verifier_id INTEGER, used_at INTEGER NOT NULL);
  CREATE UNIQUE INDEX uses_nonce ON uses (event_id, nonce) WHERE nonce IS NOT NULL;
  CREATE INDEX uses_of_event ON uses (event_id, used_at, id);
  CREATE INDEX uses_of_pass ON uses (pass_id, used_at, id);
  CREATE TABLE check_ins (id INTEGER PRIMARY KEY, event_id INTEGER NOT NULL REFERENCES events (id), user_id INTEGER NOT NULL,
    sequence INTEGER NOT NULL, method TEXT NOT NULL, checked_in_at INTEGER NOT NULL);
  CREATE INDEX check_ins_of_event ON check_ins (event_id, checked_in_at, id);
  CREATE UNIQUE INDEX check_ins_of_user ON check_ins (event_id, user_id, sequence);
`)

db.transaction(() => {
  const device = createHash('sha256').update(DEVICE_ID).digest('base64url')
  const session = db.prepare(`INSERT INTO sessions VALUES (?, ?, ?, 'ACTIVE', ?)`)
  for (let id = 1; id <= Number(process.env.BENCH_USERS); id++) session.run(id, id, device, Date.now() + 86_400_000)
  const day = 86_400_000
  db.prepare(`INSERT INTO events VALUES (?, 'Bench', 'ACTIVE', ?, ?, 0)`).run(EVENT_ID, Date.now(), Date.now() + day)
  db.prepare('INSERT INTO staff VALUES (?, 1)').run(EVENT_ID)
})()

const sessionById = db.prepare(
  `SELECT user_id AS userId, device_key AS deviceKey FROM sessions WHERE id = ? AND status = 'ACTIVE' AND expired_at > ?`,
)
const eventById = db.prepare('SELECT * FROM events WHERE id = ?')
const isStaff = db.prepare('SELECT 1 FROM staff WHERE event_id = ? AND user_id = ?')
const insertPass = db.prepare(
  `INSERT INTO passes (uuid, event_id, holder_name, valid_from, valid_to, max_uses, used_count, token, created_at)
   VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?) RETURNING *`,
)
const passByUuid = db.prepare('SELECT * FROM passes WHERE uuid = ?')
const spend = db.prepare(
  'UPDATE passes SET used_count = used_count + 1, last_used_at = ? WHERE id = ? AND (max_uses = 0 OR used_count < max_uses) RETURNING *',
)
const useByNonce = db.prepare('SELECT * FROM uses WHERE event_id = ? AND nonce = ?')
const insertUse = db.prepare(
  `INSERT INTO uses (event_id, pass_id, result, reason, nonce, verifier_id, used_at) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING *`,
)
const lastSequence = db.prepare(
  'SELECT coalesce(max(sequence), 0) AS n FROM check_ins WHERE event_id = ? AND user_id = ?',
)
const insertCheckIn = db.prepare(
  `INSERT INTO check_ins (event_id, user_id, sequence, method, checked_in_at) VALUES (?, ?, ?, 'QR', ?) RETURNING *`,
)

function statusOf(row) {
  if (row.revoked_at !== null) return 'REVOKED'
  if (row.valid_to !== null && row.valid_to <= Date.now()) return 'EXPIRED'
  return row.max_uses > 0 && row.used_count >= row.max_uses ? 'USED' : 'ISSUED'
}

const passView = (row) => ({
  id: row.id,
  uuid: row.uuid,
  activityId: row.event_id,
  holderUserId: null,
  holderName: row.holder_name,
  status: statusOf(row),
  validFrom: row.valid_from,
  validTo: row.valid_to,
  followsActivity: false,
  maxUses: row.max_uses,
  usedCount: row.used_count,
  qrContent: row.token,
  templateId: null,
  fields: [],
  color: null,
  publicUrl: `${publicUrl}/s/pass/${row.uuid}`,
  revokedAt: row.revoked_at,
  revokeReason: null,
  lastUsedAt: row.last_used_at,
  createdAt: row.created_at,
})

/** What callers without sign-in see. */
const publicPass = (row) => ({
  uuid: row.uuid,
  holderName: `${[...row.holder_name][0]}**`,
  status: statusOf(row),
  validFrom: row.valid_from,
  validTo: row.valid_to,
})

const useView = (row, pass) => ({
  id: row.id,
  passId: row.pass_id,
  passUuid: pass.uuid,
  holderName: pass.holder_name,
  result: row.result,
  reason: row.reason,
  direction: 'ENTRY',
  list: null,
  nonce: row.nonce,
  offline: false,
  isDoubleUse: false,
  verifierUserId: row.verifier_id,
  gate: null,
  usedAt: row.used_at,
  undoneAt: null,
  undoneBy: null,
  undoReason: null,
  createdAt: row.used_at,
})

function refusalOf(pass, event) {
  if (pass.event_id !== event.id) return 'WRONG_ACTIVITY'
  if (event.status !== 'ACTIVE') return 'ACTIVITY_NOT_ACTIVE'
  if (pass.valid_from !== null && pass.valid_from > Date.now()) return 'NOT_YET_VALID'
  const status = statusOf(pass)
  return status === 'ISSUED' ? null : status
}

const issueAll = db.transaction((event, holders, maxUses) => {
  const now = Date.now()
  return holders.map(({ name }) => {
    const uuid = randomUUID()
    const claims = { sub: uuid, event: event.id, exp: Math.floor(event.ends_at / 1000) }
    const token = jwt.sign(claims, privateKey, { algorithm })
    return insertPass.get(uuid, event.id, name, null, event.ends_at, maxUses, token, now)
  })
})

const redeemOnce = db.transaction((event, uuid, nonce, verifierId) => {
  const pass = passByUuid.get(uuid)
  if (pass === undefined) return { valid: false, reason: 'UNKNOWN', pass: null, use: null, undone: false }
  const before = useByNonce.get(event.id, nonce)
  if (before !== undefined)
    return {
      valid: before.result === 'ACCEPTED',
      reason: before.reason,
      pass: passView(pass),
      use: useView(before, pass),
      undone: false,
    }
  const now = Date.now()
  const reason = refusalOf(pass, event)
  const spent = reason === null ? spend.get(now, pass.id) : undefined
  const result = spent === undefined ? 'REFUSED' : 'ACCEPTED'
  const why = spent === undefined ? (reason ?? 'USED') : null
  const use = insertUse.get(event.id, pass.id, result, why, nonce, verifierId, now)
  const view = useView(use, pass)
  return { valid: spent !== undefined, reason: why, pass: passView(spent ?? pass), use: view, undone: false }
})

const checkInOnce = db.transaction((event, userId) => {
  const { n } = lastSequence.get(event.id, userId)
  if (event.max_check_ins > 0 && n >= event.max_check_ins) return undefined
  return insertCheckIn.get(event.id, userId, n + 1, Date.now())
})

const app = Fastify({ logger: false })

app.addHook('onRequest', async (request, reply) => {
  reply.headers({ 'x-request-id': request.id, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' })
  const header = request.headers.authorization
  if (header === undefined) return
  try {
    const claims = jwt.verify(header.slice('Bearer '.length), sessionKey, { algorithms: ['HS256'] })
    const session = sessionById.get(claims.sid, Date.now())
    const device = createHash('sha256').update(request.headers['x-device-id']).digest('base64url')
    if (session?.deviceKey !== device) throw new Error('no session')
    request.userId = session.userId
  } catch {
    return reply.code(401).send({ code: 401, message: 'Sign in first' })
  }
})

const text = { type: 'string' }
const number = { type: 'integer' }
const maybe = (type) => ({ type: [type, 'null'] })
const object = (properties, more = {}) => ({ type: 'object', properties, ...more })
const publicPassSchema = {
  uuid: text,
  holderName: text,
  status: text,
  validFrom: maybe('integer'),
  validTo: maybe('integer'),
}
const passSchema = {
  id: number,
  activityId: number,
  holderUserId: maybe('integer'),
  ...publicPassSchema,
  followsActivity: { type: 'boolean' },
  maxUses: number,
  usedCount: number,
  qrContent: text,
  templateId: maybe('integer'),
  fields: { type: 'array' },
  color: maybe('string'),
  publicUrl: text,
  revokedAt: maybe('integer'),
  revokeReason: maybe('string'),
  lastUsedAt: maybe('integer'),
  createdAt: number,
}
const useSchema = {
  id: number,
  passId: number,
  passUuid: text,
  holderName: text,
  result: text,
  reason: maybe('string'),
  direction: text,
  list: maybe('string'),
  nonce: maybe('string'),
  offline: { type: 'boolean' },
  isDoubleUse: { type: 'boolean' },
  verifierUserId: maybe('integer'),
  gate: maybe('string'),
  usedAt: number,
  undoneAt: maybe('integer'),
  undoneBy: maybe('string'),
  undoReason: maybe('string'),
  createdAt: number,
}
const params = object({ id: { type: 'integer', minimum: 1 } })
const envelope = (data) => ({ params, response: { 200: object({ code: number, data }) } })
const nullable = (properties) => ({ ...object(properties), type: ['object', 'null'] })

function eventOf(request) {
  const event = eventById.get(request.params.id)
  if (event !== undefined) return event
  throw Object.assign(new Error('Not found'), { statusCode: 404 })
}

/** The event, if the caller is on its staff. */
function staffed(request) {
  if (request.userId === undefined) throw Object.assign(new Error('Sign in first'), { statusCode: 401 })
  const event = eventOf(request)
  if (isStaff.get(event.id, request.userId) !== undefined) return event
  throw Object.assign(new Error('No permission'), { statusCode: 403 })
}

const holder = object({ name: { type: 'string', minLength: 1, maxLength: 100 } }, { required: ['name'] })
const issueBody = object(
  { holders: { type: 'array', minItems: 1, maxItems: 5000, items: holder }, maxUses: { type: 'integer', minimum: 0 } },
  { required: ['holders'] },
)
app.post(
  '/api/activities/:id/pass/issue',
  { schema: { body: issueBody, ...envelope(object({ items: { type: 'array', items: object(passSchema) } })) } },
  async (request) => {
    const event = staffed(request)
    const rows = issueAll.immediate(event, request.body.holders, request.body.maxUses ?? 1)
    return { code: 200, data: { items: rows.map(passView) } }
  },
)

/** The uuid of a signed pass; undefined if the signature is wrong. */
function uuidIn(content) {
  try {
    return jwt.verify(content, publicKey, { algorithms: [algorithm] }).sub
  } catch {
    return undefined
  }
}

const verifyBody = object(
  {
    content: { type: 'string', maxLength: 3000 },
    redeem: { type: 'boolean' },
    nonce: { type: 'string', minLength: 8, maxLength: 64 },
  },
  { required: ['content'] },
)
const verification = object({
  valid: { type: 'boolean' },
  reason: maybe('string'),
  // Callers without sign-in get fewer fields; missing ones are left out.
  pass: nullable(passSchema),
  use: nullable(useSchema),
  undone: { type: 'boolean' },
})
app.post(
  '/api/activities/:id/pass/verify',
  { schema: { body: verifyBody, ...envelope(verification) } },
  async (request) => {
    const { content, redeem, nonce } = request.body
    const event = redeem ? staffed(request) : eventOf(request)
    const uuid = uuidIn(content)
    if (uuid === undefined)
      return { code: 200, data: { valid: false, reason: 'FORGED', pass: null, use: null, undone: false } }
    if (redeem) return { code: 200, data: redeemOnce.immediate(event, uuid, nonce ?? null, request.userId) }
    const pass = passByUuid.get(uuid)
    const reason = pass === undefined ? 'UNKNOWN' : refusalOf(pass, event)
    return {
      code: 200,
      data: {
        valid: reason === null,
        reason,
        pass: pass === undefined ? null : publicPass(pass),
        use: null,
        undone: false,
      },
    }
  },
)

const checkInBody = object({ code: { type: 'string', maxLength: 3000 } })
app.post(
  '/api/activities/:id/check-in',
  {
    schema: {
      body: checkInBody,
      ...envelope(
        object({
          id: number,
          activityId: number,
          userId: number,
          nickname: text,
          method: text,
          distance: maybe('integer'),
          checkedInAt: number,
          sequence: number,
        }),
      ),
    },
  },
  async (request, reply) => {
    if (request.userId === undefined) return reply.code(401).send({ code: 401, message: 'Sign in first' })
    const event = eventOf(request)
    const row = event.status === 'ACTIVE' ? checkInOnce.immediate(event, request.userId) : undefined
    if (row === undefined) return reply.code(400).send({ code: 400, message: 'Not open' })
    const { id, user_id: userId, method, checked_in_at: checkedInAt, sequence } = row
    const nickname = `user ${userId}`
    return {
      code: 200,
      data: { id, activityId: event.id, userId, nickname, method, distance: null, checkedInAt, sequence },
    }
  },
)

/** Microseconds to check the signature of a pass, without anything else. */
app.get('/api/bench/pass-check', async () => {
  const token = jwt.sign({ sub: randomUUID(), event: EVENT_ID, exp: 9_999_999_999 }, privateKey, { algorithm })
  const startedAt = process.hrtime.bigint()
  for (let i = 0; i < CHECKS; i++) jwt.verify(token, publicKey, { algorithms: [algorithm] })
  return { code: 200, data: { us: Number(process.hrtime.bigint() - startedAt) / 1000 / CHECKS } }
})

console.log(`listening on ${await app.listen({ host: '127.0.0.1', port: 0 })}`)
