/**
 * The common part of the Fastify and the Express peer: better-sqlite3 on a copy of Tessera's database file, statements prepared
 * once, WAL and `synchronous=FULL` as in Tessera. Environment: BENCH_DB, BENCH_SECRET, BENCH_PUBLIC_URL.
 */

import { createHash, createSecretKey, randomUUID } from 'node:crypto'

import Database from 'better-sqlite3'

const db = new Database(process.env.BENCH_DB)
db.pragma('journal_mode = WAL')
db.pragma('synchronous = FULL')
db.pragma('foreign_keys = ON')
const publicUrl = process.env.BENCH_PUBLIC_URL
// Given a secret as text, jsonwebtoken first tries to parse it as a PEM key, which takes 320 µs for each request. With
// BENCH_TEXT_SECRET=1 it gets the text, as its manual shows.
export const key =
  process.env.BENCH_TEXT_SECRET === '1'
    ? process.env.BENCH_SECRET
    : createSecretKey(Buffer.from(process.env.BENCH_SECRET))

const mine = 'user_id = ? AND org_id = 0 AND deleted_at IS NULL'
const sessionById = db.prepare(
  `SELECT user_id AS userId, device_key AS deviceKey FROM sessions WHERE id = ? AND status = 'ACTIVE' AND expired_at > ?`,
)
const oneById = db.prepare(`SELECT * FROM qr_codes WHERE id = ? AND ${mine}`)
const pageOf = db.prepare(
  `SELECT * FROM qr_codes WHERE ${mine} ORDER BY pinned DESC, sort_order, created_at, id LIMIT ? OFFSET ?`,
)
const countOf = db.prepare(`SELECT count(*) AS n FROM qr_codes WHERE ${mine}`)
const insertCode = db.prepare(
  `INSERT INTO qr_codes (uuid, user_id, org_id, name, content, content_type, tags, remark, style, is_public, pinned, sort_order,
   scan_count, version, created_at, updated_at) VALUES (?, ?, 0, ?, ?, ?, ?, ?, '{}', ?, 0, 0, 0, 1, ?, ?) RETURNING *`,
)

/** The active session of a verified token; undefined if there is none or the device is another one. */
export function sessionOf(claims, deviceId) {
  const session = sessionById.get(claims.sid, Date.now())
  if (session === undefined || typeof deviceId !== 'string') return undefined
  return createHash('sha256').update(deviceId).digest('base64url') === session.deviceKey ? session : undefined
}

const DEFAULT_STYLE = { fg: '000000', bg: 'ffffff', level: 'M', margin: 4 }

function pictureContent(r) {
  if (r.is_dynamic === 0) return r.content
  return r.slug === null ? `${publicUrl}/public/qr/${r.uuid}` : `${publicUrl}/q/${r.slug}`
}

const view = (r) => ({
  id: r.id,
  uuid: r.uuid,
  name: r.name,
  content: r.content,
  contentType: r.content_type,
  categoryId: r.category_id,
  tags: JSON.parse(r.tags),
  remark: r.remark,
  style: { ...DEFAULT_STYLE, ...JSON.parse(r.style) },
  isPublic: r.is_public === 1,
  isDynamic: r.is_dynamic === 1,
  pinned: r.pinned === 1,
  sortOrder: r.sort_order,
  orgId: r.org_id === 0 ? null : r.org_id,
  userId: r.user_id,
  scanCount: r.scan_count,
  imageUrl: `${publicUrl}/api/qrcode/render?content=${encodeURIComponent(r.content)}`,
  publicUrl: `${publicUrl}/public/qr/${r.uuid}`,
  slug: r.slug,
  shortUrl: r.slug === null ? null : `${publicUrl}/q/${r.slug}`,
  pictureContent: pictureContent(r),
  opens: r.opens,
  designId: r.design_id,
  blockedAt: r.blocked_at,
  version: r.version,
  createdAt: r.created_at,
  updatedAt: r.updated_at,
})

export function findCode(userId, id) {
  const row = oneById.get(id, userId)
  return row && view(row)
}

export function listCodes(userId, page, size) {
  return { items: pageOf.all(userId, size, (page - 1) * size).map(view), total: countOf.get(userId).n, page, size }
}

export function createCode(userId, { name, content, tags = [], remark = '', isPublic = false }) {
  const now = Date.now()
  const type = /^https?:\/\//i.test(content) ? 'URL' : 'TEXT'
  const row = insertCode.get(
    randomUUID(),
    userId,
    name,
    content,
    type,
    JSON.stringify(tags),
    remark,
    isPublic ? 1 : 0,
    now,
    now,
  )
  return { ...view(row), warnings: [] }
}
