/**
 * The same operations, hand-written in one file with `Bun.serve` and `bun:sqlite`. It does what Tessera has to do: token
 * (verified once, then cached), session and device, permission, validation, the owner in every WHERE, the same JSON and headers,
 * `synchronous=FULL`. It does nothing else. Runs on a copy of Tessera's database file.
 * Environment: BENCH_DB (file), BENCH_SECRET (HS256 key, text), BENCH_PUBLIC_URL.
 */

import { Database } from 'bun:sqlite'

import { jwtVerify } from 'jose'

const db = new Database(process.env['BENCH_DB']!, { strict: true })
db.run('PRAGMA journal_mode=WAL')
db.run('PRAGMA synchronous=FULL')
db.run('PRAGMA foreign_keys=ON')
const key = new TextEncoder().encode(process.env['BENCH_SECRET']!)
const publicUrl = process.env['BENCH_PUBLIC_URL']!

interface Session {
  userId: number
  deviceKey: string
  expiredAt: number
}
interface Row {
  id: number
  uuid: string
  user_id: number
  org_id: number
  name: string
  content: string
  content_type: string
  category_id: number | null
  tags: string
  remark: string
  style: string
  is_public: number
  is_dynamic: number
  pinned: number
  sort_order: number
  scan_count: number
  slug: string | null
  opens: string | null
  design_id: number | null
  blocked_at: number | null
  version: number
  created_at: number
  updated_at: number
}

const sessions = new Map<number, Session>()
for (const s of db
  .query<{ id: number } & Session, []>(
    `SELECT id, user_id AS userId, device_key AS deviceKey, expired_at AS expiredAt FROM sessions WHERE status = 'ACTIVE'`,
  )
  .all())
  sessions.set(s.id, s)

const COLUMNS = `id, uuid, user_id, org_id, name, content, content_type, category_id, tags, remark, style, is_public, is_dynamic, pinned,
  sort_order, scan_count, slug, opens, design_id, blocked_at, version, created_at, updated_at`
const mine = 'user_id = ? AND org_id = 0 AND deleted_at IS NULL'
const one = db.query<Row, [number, number]>(`SELECT ${COLUMNS} FROM qr_codes WHERE id = ? AND ${mine}`)
const page = db.query<Row, [number, number, number]>(
  `SELECT ${COLUMNS} FROM qr_codes WHERE ${mine} ORDER BY pinned DESC, sort_order, created_at, id LIMIT ? OFFSET ?`,
)
const changed = db.query<Row, [number, number, number]>(
  `SELECT ${COLUMNS} FROM qr_codes WHERE ${mine} AND updated_at > ? ORDER BY updated_at, created_at, id LIMIT ?`,
)
const count = db.query<{ n: number }, [number]>(`SELECT count(*) AS n FROM qr_codes WHERE ${mine}`)
const insert = db.query<Row, [string, number, string, string, string, string, string, string, number, number, number]>(
  `INSERT INTO qr_codes (uuid, user_id, org_id, name, content, content_type, tags, remark, style, is_public, pinned, sort_order,
   scan_count, version, created_at, updated_at) VALUES (?, ?, 0, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, 1, ?, ?) RETURNING ${COLUMNS}`,
)

const DEFAULT_STYLE = { fg: '000000', bg: 'ffffff', level: 'M', margin: 4 }

function pictureContent(r: Row): string {
  if (r.is_dynamic === 0) return r.content
  return r.slug === null ? `${publicUrl}/public/qr/${r.uuid}` : `${publicUrl}/q/${r.slug}`
}

const view = (r: Row) => ({
  id: r.id,
  uuid: r.uuid,
  name: r.name,
  content: r.content,
  contentType: r.content_type,
  categoryId: r.category_id,
  tags: JSON.parse(r.tags) as string[],
  remark: r.remark,
  style: { ...DEFAULT_STYLE, ...(JSON.parse(r.style) as object) },
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

let sequence = 0
const headers = () => ({
  'content-type': 'application/json; charset=utf-8',
  'x-request-id': `${process.pid}-${(++sequence).toString(36)}`,
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
})
const success = (data: unknown) => new Response(`{"code":200,"data":${JSON.stringify(data)}}`, { headers: headers() })
const refuse = (code: number, message: string) => Response.json({ code, message }, { status: code, headers: headers() })

/** By token: the session id and the expiry in ms. */
const verified = new Map<string, { sid: number; exp: number }>()
/** By device id: its hash. */
const deviceKeys = new Map<string, string>()
/** By user id: names of permission points. */
const permissions = new Map<number, Set<string>>()

function permissionsOf(userId: number): Set<string> {
  let points = permissions.get(userId)
  if (points === undefined) {
    const rows = db
      .query<{ point: string }, [number]>(
        `SELECT p.resource || ':' || p.action AS point FROM rbac_user_roles u JOIN rbac_role_permissions r ON r.role_id = u.role_id
         JOIN rbac_permissions p ON p.id = r.permission_id WHERE u.user_id = ? AND p.domain = 'APP'`,
      )
      .all(userId)
    permissions.set(userId, (points = new Set(rows.map((r) => r.point))))
  }
  return points
}

function deviceKey(id: string): string {
  let hash = deviceKeys.get(id)
  if (hash === undefined) deviceKeys.set(id, (hash = new Bun.CryptoHasher('sha256').update(id).digest('base64url')))
  return hash
}

async function remember(token: string): Promise<{ sid: number; exp: number } | undefined> {
  try {
    const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'] })
    const claims = { sid: payload['sid'] as number, exp: payload.exp! * 1000 }
    verified.set(token, claims)
    return claims
  } catch {
    return undefined
  }
}

function admit(request: Request, claims: { sid: number; exp: number } | undefined): Session | undefined {
  const session = claims && claims.exp > Date.now() ? sessions.get(claims.sid) : undefined
  const device = request.headers.get('x-device-id')
  if (session === undefined || device === null || session.expiredAt <= Date.now()) return undefined
  return session.deviceKey === deviceKey(device) ? session : undefined
}

async function handle(
  request: Request,
  point: string,
  run: (s: Session) => Response | Promise<Response>,
): Promise<Response> {
  const header = request.headers.get('authorization')
  if (header === null || !header.startsWith('Bearer ')) return refuse(401, 'Sign in first')
  const token = header.slice(7)
  const session = admit(request, verified.get(token) ?? (await remember(token)))
  if (session === undefined) return refuse(401, 'Sign in first')
  if (!permissionsOf(session.userId).has(point)) return refuse(403, 'No permission')
  return run(session)
}

// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f]/
const whole = (text: string | null, otherwise: number): number =>
  text === null ? otherwise : /^\d{1,9}$/.test(text) ? Number(text) : -1

function list(request: Request, session: Session): Response {
  const at = request.url.indexOf('?')
  const query = new URLSearchParams(at < 0 ? '' : request.url.slice(at + 1))
  const number = whole(query.get('page'), 1)
  const size = whole(query.get('size'), 20)
  if (number < 1 || size < 1 || size > 100) return refuse(400, 'The request is not valid')
  const items = page.all(session.userId, size, (number - 1) * size).map(view)
  return success({ items, total: count.get(session.userId)!.n, page: number, size })
}

/** Without the rules of rows that have the same time, deleted rows, other entities and organizations. */
function pull(request: Request, session: Session): Response {
  const query = new URLSearchParams(request.url.slice(request.url.indexOf('?') + 1))
  const since = Number(query.get('since') ?? Number.NaN)
  const limit = whole(query.get('limit'), 500)
  if (!Number.isSafeInteger(since) || limit < 1 || limit > 2000) return refuse(400, 'The request is not valid')
  const updated = changed.all(session.userId, since, limit).map(view)
  const serverTime = updated.at(-1)?.updatedAt ?? since
  return success({ serverTime, hasMore: updated.length === limit, changes: { qrCode: { updated, deleted: [] } } })
}

async function create(request: Request, session: Session): Promise<Response> {
  if (Number(request.headers.get('content-length') ?? 0) > 1_048_576) return refuse(413, 'Too large')
  const body = (await request.json()) as {
    name?: unknown
    content?: unknown
    tags?: unknown
    remark?: unknown
    isPublic?: unknown
  }
  const { name, content, tags = [], remark = '', isPublic = false } = body
  if (typeof name !== 'string' || name.trim() === '' || name.length > 100 || CONTROL.test(name))
    return refuse(400, 'name')
  if (typeof content !== 'string' || content === '' || Buffer.byteLength(content) > 2953) return refuse(400, 'content')
  if (!Array.isArray(tags) || tags.length > 20 || !tags.every((t) => typeof t === 'string')) return refuse(400, 'tags')
  if (typeof remark !== 'string' || remark.length > 2000 || typeof isPublic !== 'boolean') return refuse(400, 'remark')
  const now = Date.now()
  const type = /^https?:\/\//i.test(content) ? 'URL' : 'TEXT'
  const row = insert.get(
    crypto.randomUUID(),
    session.userId,
    name.trim(),
    content,
    type,
    JSON.stringify(tags),
    remark,
    '{}',
    isPublic ? 1 : 0,
    now,
    now,
  )!
  return success({ ...view(row), warnings: [] })
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  routes: {
    '/api/qr-codes': {
      GET: (request) => handle(request, 'qr_code:read', (session) => list(request, session)),
      POST: (request) => handle(request, 'qr_code:create', (session) => create(request, session)),
    },
    '/api/sync/pull': { GET: (request) => handle(request, 'sync:pull', (session) => pull(request, session)) },
    '/api/qr-codes/:id': {
      GET: (request) =>
        handle(request, 'qr_code:read', (session) => {
          const id = whole(request.params.id, -1)
          if (id < 1) return refuse(400, 'id')
          const row = one.get(id, session.userId)
          return row === null ? refuse(404, 'Not found') : success(view(row))
        }),
    },
  },
  fetch: () => refuse(404, 'Not found'),
})
console.log(`listening on http://127.0.0.1:${server.port}`)
