/** Inserts rows directly into the database of a stopped server: through the interface it would take hours. */

import { Database } from 'bun:sqlite'
import { join } from 'node:path'

export const databaseFile = (dataDir: string): string => join(dataDir, 'tessera.db')

/** Opens the database of a stopped server. Durability is off, because the file is deleted after the run. */
export function openDatabase(dataDir: string): Database {
  const db = new Database(databaseFile(dataDir), { readwrite: true, strict: true })
  db.run('PRAGMA synchronous=OFF')
  db.run('PRAGMA cache_size=-262144')
  // The benchmarks create more codes than a user may have by default.
  db.run("INSERT OR REPLACE INTO settings (key, value, updated_at) VALUES ('quota.qrCodes', '1000000000', 0)")
  return db
}

/** Closes the database. Afterwards everything is in one file, which can be copied. No PRAGMA optimize: the server has no statistics either. */
export function closeDatabase(db: Database): void {
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
}

/** Adds `n` codes of a user, personal or of an organization, with links of 45 characters as contents, created one second apart. */
export function addCodes(db: Database, userId: number, n: number, orgId = 0): void {
  db.query(
    `INSERT INTO qr_codes (uuid, user_id, org_id, name, content, content_type, tags, remark, style, is_public, pinned, sort_order,
       scan_count, version, created_at, updated_at)
     WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < $n)
     SELECT printf('%08x-%04x-4000-8000-%012x', $user, n % 65536, n), $user, $orgId, 'Code ' || n,
       printf('https://example.org/products/%08d?ref=qr', n), 'URL', '["shelf"]', '', '{}', 0, 0, 0, 0, 1,
       1760000000000 + n * 1000, 1760000000000 + n * 1000 FROM i`,
  ).run({ user: userId, n, orgId })
}

export function addScanRecords(db: Database, userId: number, n: number): void {
  db.query(
    `INSERT INTO scan_records (user_id, content, content_type, source, favorite, scanned_at, created_at, updated_at)
     WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < $n)
     SELECT $user, printf('https://example.org/scanned/%08d', n), 'URL', 'CAMERA', 0, 1760000000000 + n * 1000,
       1760000000000 + n * 1000, 1760000000000 + n * 1000 FROM i`,
  ).run({ user: userId, n })
}

/** Adds `n` notifications of a user, each with its own text. Every second one is read. */
export function addNotifications(db: Database, userId: number, n: number): void {
  const first = db.query<{ id: number }, []>('SELECT coalesce(max(id), 0) AS id FROM notification_contents').get()!.id
  db.query(
    `INSERT INTO notification_contents (id, type, title, body, data, created_at)
     WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < $n)
     SELECT $first + n, 'ORG_INVITE', 'Notification ' || n, 'You are invited to join organization ' || n, '{"orgId":7}',
       1760000000000 + n * 1000 FROM i`,
  ).run({ first, n })
  db.query(
    `INSERT INTO notifications (user_id, content_id, type, read, created_at)
     WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < $n)
     SELECT $user, $first + n, 'ORG_INVITE', n % 2, 1760000000000 + n * 1000 FROM i`,
  ).run({ user: userId, first, n })
}

/** Adds users who only own rows, so that a table does not belong to a single user. Returns their ids. */
export function addUsers(db: Database, n: number): number[] {
  const rows = db
    .query<{ id: number }, { n: number }>(
      `INSERT INTO users (nickname, token_version, status, created_at, updated_at)
       WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < $n)
       SELECT 'Owner ' || n, 0, 'ACTIVE', 1760000000000, 1760000000000 FROM i RETURNING id`,
    )
    .all({ n })
  return rows.map((row) => row.id)
}

/**
 * Adds `n` users with usernames, created `stepMs` apart up to now, who own `codes` codes of the same age each. Their nicknames, the names and
 * contents of their codes have numbers in them.
 */
export function addUsersWithCodes(db: Database, n: number, codes: number, stepMs: number): void {
  const start = Date.now() - n * stepMs
  const { first } = db.query<{ first: number }, []>('SELECT coalesce(max(id), 0) + 1 AS first FROM users').get()!
  db.query(
    `INSERT INTO users (id, username, username_key, nickname, token_version, status, last_login_at, created_at, updated_at)
     WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n < $n - 1)
     SELECT $first + n, printf('user%07d', n), printf('user%07d', n), 'Person ' || n, 0, iif(n % 1000, 'ACTIVE', 'DISABLED'),
       iif(n % 3, $start + n * $stepMs, NULL), $start + n * $stepMs, $start + n * $stepMs FROM i`,
  ).run({ n, first, start, stepMs })
  db.query(
    `INSERT INTO qr_codes (uuid, user_id, org_id, name, content, content_type, tags, remark, style, is_public, pinned, sort_order,
       scan_count, version, created_at, updated_at)
     WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n < $n * $codes - 1)
     SELECT printf('%08x-%04x-4000-9000-%012x', n, n % 65536, n), $first + n / $codes, 0, 'Code ' || n,
       printf('https://example.org/products/%08d?ref=qr', n), iif(n % 1000, 'URL', 'WIFI'), '["shelf"]', '', '{}', 0, 0, 0, 0, 1,
       $start + n / $codes * $stepMs, $start + n / $codes * $stepMs FROM i`,
  ).run({ n, codes, first, start, stepMs })
}

/** Grants SYSTEM_ADMIN. */
export function makeAdministrator(db: Database, userId: number): void {
  db.query(
    `INSERT INTO rbac_user_roles (user_id, role_id, is_initial, created_at)
     SELECT ?, id, 0, 0 FROM rbac_roles WHERE domain = 'PLATFORM' AND code = 'SYSTEM_ADMIN'`,
  ).run(userId)
}

/** Adds `n` new users as members of an organization with the role MEMBER, joined one second apart. */
export function addMembers(db: Database, orgId: number, n: number): void {
  const add = db.transaction((userIds: number[]) => {
    const role = db
      .query<{ id: number }, [number]>(
        `SELECT id FROM rbac_roles WHERE domain = 'ORG' AND scope_id = ? AND code = 'MEMBER'`,
      )
      .get(orgId)!
    const member = db.query('INSERT INTO org_members (org_id, user_id, joined_at) VALUES (?, ?, ?)')
    const binding = db.query('INSERT INTO rbac_user_roles (user_id, role_id, created_at) VALUES (?, ?, 1760000000000)')
    for (const [i, userId] of userIds.entries()) {
      member.run(orgId, userId, 1_900_000_000_000 + i * 1000)
      binding.run(userId, role.id)
    }
    db.query('UPDATE organizations SET member_count = member_count + ? WHERE id = ?').run(userIds.length, orgId)
  })
  add(addUsers(db, n))
}

export function codeIds(db: Database, userId: number, limit: number): number[] {
  const rows = db
    .query<{ id: number }, [number, number]>('SELECT id FROM qr_codes WHERE user_id = ? ORDER BY id LIMIT ?')
    .all(userId, limit)
  return rows.map((row) => row.id)
}

/** The newest session of a user. */
export function sessionOf(db: Database, userId: number): number {
  return db.query<{ id: number }, [number]>('SELECT id FROM sessions WHERE user_id = ? ORDER BY id DESC').get(userId)!
    .id
}

/**
 * Adds `n` assets of a user, created one second apart. 1 in 50 is in repair; prices count up from 0.01, and so do the numbers in a field
 * of metadata; each also has a text in another field.
 */
export function addAssets(db: Database, userId: number, n: number, fields: { number: number; text: number }): void {
  const first = db.query<{ id: number }, []>('SELECT coalesce(max(id), 0) AS id FROM assets').get()!.id
  db.query(
    `INSERT INTO assets (id, uuid, owner, user_id, name, asset_no, asset_no_key, serial_no, purchase_price, warranty_expiry, status,
       photo_ids, public_fields, created_at, updated_at)
     WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < $n)
     SELECT $first + n, printf('%08x-%04x-4000-8000-%012x', $user, n % 65536, n), -$user, $user, 'Asset ' || n, 'A-' || n, 'a-' || n,
       'S' || n, n, date(1760000000 + n % 3650 * 86400, 'unixepoch'), CASE n % 50 WHEN 0 THEN 'REPAIR' ELSE 'IN_USE' END, '[]', '[]',
       1760000000000 + n * 1000, 1760000000000 + n * 1000 FROM i`,
  ).run({ user: userId, n, first })
  const value = (columns: string, values: string) =>
    db.query(
      `INSERT INTO meta_values (object_name, entity_id, field_id, position, owner, ${columns})
         WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < $n)
         SELECT 'asset', $first + n, $field, 0, -$user, ${values} FROM i`,
    )
  value('number', 'n').run({ user: userId, n, first, field: fields.number })
  value('text, key', `'Hall ' || n % 50, 'hall ' || n % 50`).run({ user: userId, n, first, field: fields.text })
}

/** Makes each user a two-way contact of the next, and all of them members of one group. Removes the limit of messages. Returns the group's id. */
export function addChat(db: Database, userIds: readonly number[]): number {
  db.run("INSERT OR REPLACE INTO settings (key, value, updated_at) VALUES ('chat.messagesPerMinute', '0', 0)")
  const contact = db.query(
    `INSERT OR IGNORE INTO contacts (user_id, other_id, is_contact, tags, created_at, updated_at) VALUES ($user, $other, 1, '[]', 0, 0)`,
  )
  const { id: groupId } = db
    .query<{ id: number }, [number]>(
      `INSERT INTO conversations (type, name, member_count, created_at, updated_at) VALUES ('GROUP', 'Bench', ?, 0, 0) RETURNING id`,
    )
    .get(userIds.length)!
  const member = db.query(
    `INSERT INTO conversation_members (conversation_id, user_id, role, sort_at, updated_at) VALUES ($group, $user, $role, 0, 0)`,
  )
  for (const [i, user] of userIds.entries()) {
    const other = userIds[(i + 1) % userIds.length]!
    contact.run({ user, other })
    contact.run({ user: other, other: user })
    member.run({ group: groupId, user, role: i === 0 ? 'OWNER' : 'MEMBER' })
  }
  return groupId
}
