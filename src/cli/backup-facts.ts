/** Reads the facts about a backup (BackupFacts) from its manifest, its database and its key. */

import { statSync } from 'node:fs'

import { type Query, withDatabase } from '#db/maintenance.ts'
import { signaturesOf } from '#domains/operation-log/index.ts'
import { type BackupFacts, COUNTED_TABLES, type SignedLogHead } from '#platform/backup/folder.ts'
import { type Manifest, POSTGRES_FILE, SQLITE_FILE } from '#platform/backup/manifest.ts'
import { signingKey, signingKeyFile } from '#platform/keys.ts'
import { sealOf } from '#platform/seal.ts'

/** Tables whose newest row is as new as the newest change, near enough. Each has `created_at`. */
const GROWING = [...COUNTED_TABLES, 'scan_records', 'admin_logs'] as const
const SHOWN_ADMINISTRATORS = 20

/** `folder`: where the database and the key were unpacked. */
export async function factsOf(manifest: Manifest, folder: string): Promise<BackupFacts> {
  const { createdAt, tessera, database, origin, tables, files } = manifest
  const others = files.filter(({ path }) => path !== SQLITE_FILE && path !== POSTGRES_FILE)
  const sizeOf = (list: Manifest['files']) => list.reduce((sum, { size }) => sum + size, 0)
  return {
    madeAt: Date.parse(createdAt),
    version: tessera,
    database,
    origin: origin === undefined ? null : { host: origin.host, publicUrl: origin.publicUrl },
    rows: Object.fromEntries(COUNTED_TABLES.map((name) => [name, tables[name] ?? 0])) as BackupFacts['rows'],
    files: others.length,
    fileBytes: sizeOf(others),
    unpackedBytes: sizeOf(files),
    contents: database === 'sqlite' ? await contentsOf(folder) : null,
  }
}

const contentsOf = (folder: string): Promise<NonNullable<BackupFacts['contents']>> =>
  withDatabase({ databaseUrl: '', dataDir: folder }, async (query) => {
    const tables = new Set((await query("SELECT name FROM sqlite_schema WHERE type = 'table'")).map(({ name }) => name))
    const has = (name: string): boolean => tables.has(name)
    const head = has('admin_log_head') ? await headOf(query) : null
    return {
      migrations: has('schema_migrations')
        ? ((await query('SELECT name, sha256 FROM schema_migrations ORDER BY name')) as {
            name: string
            sha256: string
          }[])
        : [],
      newestChange: await newestChange(query, GROWING.filter(has)),
      administrators: has('rbac_user_roles') ? await administratorsOf(query) : [],
      head,
      isOwnKey: head !== null && (await isSignedByOwnKey(head, folder)),
    }
  })

async function newestChange(query: Query, tables: readonly string[]): Promise<number | null> {
  const times: number[] = []
  for (const table of tables) {
    const [row] = await query(`SELECT created_at AS at FROM ${table} ORDER BY id DESC LIMIT 1`)
    if (row !== undefined) times.push(Number(row['at']))
  }
  return times.length === 0 ? null : Math.max(...times)
}

async function administratorsOf(query: Query): Promise<string[]> {
  const rows = await query(
    `SELECT coalesce(u.username, u.nickname) AS name FROM rbac_user_roles b JOIN rbac_roles r ON r.id = b.role_id JOIN users u ON u.id = b.user_id
      WHERE r.domain = 'PLATFORM' AND r.code = 'SYSTEM_ADMIN' AND u.status = 'ACTIVE' ORDER BY u.id LIMIT $1`,
    [SHOWN_ADMINISTRATORS],
  )
  return rows.map(({ name }) => String(name))
}

async function headOf(query: Query): Promise<SignedLogHead | null> {
  const [row] = await query(
    'SELECT row_id AS rowId, hash, row_count AS rowCount, broken_at AS brokenAt, signature FROM admin_log_head',
  )
  return (row as SignedLogHead | undefined) ?? null
}

async function isSignedByOwnKey(head: SignedLogHead, folder: string): Promise<boolean> {
  // `signingKey` would make a new one.
  if (!statSync(signingKeyFile(folder), { throwIfNoEntry: false })) return false
  const sign = signaturesOf(sealOf(await signingKey({ dataDir: folder, secret: '' })))
  return sign.head(head) === head.signature
}
