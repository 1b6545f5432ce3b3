/**
 * What PostgreSQL can do by the shortest way: `Bun.serve` and `Bun.SQL` on Tessera's own tables, one statement for each request, a pool of 10. It does
 * less than Tessera: no token, no validation, no delivery. A header names the user. A message does the checks and rows of a send: relation in both
 * directions, number, key, message, and the rows of both members.
 * Environment: BENCH_DB (URL).
 */

import { SQL } from 'bun'

const sql = new SQL({ url: process.env['BENCH_DB']!, max: 10 })

const COLUMNS = `id, uuid, user_id, org_id, name, content, content_type, category_id, tags, remark, style, is_public, is_dynamic, pinned,
  sort_order, scan_count, version, created_at, updated_at`
const MINE = 'user_id = $1 AND org_id = 0 AND deleted_at IS NULL'
const ONE = `SELECT ${COLUMNS} FROM qr_codes WHERE id = $2 AND ${MINE}`
const PAGE = `SELECT ${COLUMNS}, (SELECT count(*) FROM qr_codes WHERE ${MINE}) AS total FROM qr_codes WHERE ${MINE}
  ORDER BY pinned DESC, sort_order, created_at, id LIMIT 20`
const INSERT = `INSERT INTO qr_codes (uuid, user_id, name, content, content_type, tags, remark, style, created_at, updated_at)
  VALUES ($2, $1, $3, $4, 'URL', $5, $6, '{}', $7, $7) RETURNING ${COLUMNS}`
/** The times are texts: the type of a parameter that is only a number in JavaScript may differ from call to call. */
const SEND = `WITH conversation AS (
    SELECT id FROM conversations WHERE low_user_id = least($1::bigint, $2::bigint) AND high_user_id = greatest($1::bigint, $2::bigint)
  ), related AS (
    SELECT count(*) AS directions FROM contacts
    WHERE (user_id, other_id) IN (($1::bigint, $2::bigint), ($2::bigint, $1::bigint)) AND is_contact AND NOT blocked
  ), number AS (
    UPDATE chat_numbers SET last = last + 1 WHERE (SELECT directions FROM related) = 2 RETURNING last
  ), message AS (
    INSERT INTO messages (id, conversation_id, sender_id, type, content, client_msg_id, created_at)
    SELECT last, conversation.id, $1::bigint, 'TEXT', $3, $4, $5::text::bigint FROM number, conversation RETURNING id, conversation_id, created_at
  ), key AS (
    INSERT INTO message_keys (sender_id, client_msg_id, conversation_id, first_id, count, digest)
    SELECT $1::bigint, $4, conversation_id, id, 1, $6 FROM message
  ), members AS (
    UPDATE conversation_members AS m SET last_message_id = message.id, last_number = message.id, sort_at = message.created_at, hidden = false,
      unread = CASE WHEN user_id = $1::bigint THEN 0 ELSE unread + 1 END,
      read_up_to = CASE WHEN user_id = $1::bigint THEN message.id ELSE read_up_to END, updated_at = message.created_at
    FROM message WHERE m.conversation_id = message.conversation_id
  ) SELECT id, conversation_id, created_at FROM message`

const userOf = (request: Request) => Number(request.headers.get('x-user'))

async function answer(text: string, params: unknown[]): Promise<Response> {
  const rows: unknown[] = await sql.unsafe(text, params)
  return rows.length === 0 ? Response.json({ code: 404 }, { status: 404 }) : Response.json({ code: 200, data: rows })
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  routes: {
    '/api/qr-codes': {
      GET: (request) => answer(PAGE, [userOf(request)]),
      async POST(request) {
        const { name, content, tags, remark } = (await request.json()) as Record<string, unknown>
        return answer(INSERT, [
          userOf(request),
          crypto.randomUUID(),
          name,
          content,
          JSON.stringify(tags),
          remark,
          Date.now(),
        ])
      },
    },
    '/api/qr-codes/:id': (request) => answer(ONE, [userOf(request), Number(request.params.id)]),
    '/api/chats/messages': {
      async POST(request) {
        const { toUserId, clientMsgId, content } = (await request.json()) as Record<string, unknown>
        const text = JSON.stringify(content)
        const digest = new Bun.CryptoHasher('sha256').update(text).digest('base64url')
        return answer(SEND, [userOf(request), toUserId, text, clientMsgId, String(Date.now()), digest])
      },
    },
  },
})
console.log(`listening on http://127.0.0.1:${server.port}`)
