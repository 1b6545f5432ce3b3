/** `tessera log verify` finds every change that somebody makes who can write to the database and does not have the signing key. */

import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'

import { SQL } from 'bun'

import { hashOf, type Link } from '#domains/operation-log/operation-log.rules.ts'

import { createRole } from '../access/helpers.ts'
import { send } from '../harness/client.ts'
import { inProcess, ok, type Person, startServer, type TestServer } from '../harness/index.ts'
import { Installation, onPostgres } from './cli.ts'

let place: Installation

beforeAll(async () => {
  place = await Installation.make()
})
afterAll(() => place.dispose())

type Stored = Record<string, string | number | null>

/** Runs statements as the owner of the database, who has dropped the triggers. Returns the rows of the last one. */
async function asOwner(...statements: string[]): Promise<Stored[]> {
  const drop = onPostgres
    ? ['admin_logs_no_change ON admin_logs', 'admin_log_checkpoints_below_head ON admin_log_checkpoints'].concat(
        'admin_log_checkpoints_no_change ON admin_log_checkpoints',
        'admin_log_head_no_return ON admin_log_head',
        'admin_log_head_no_delete ON admin_log_head',
      )
    : ['admin_logs_no_update', 'admin_logs_no_delete', 'admin_log_checkpoints_no_update'].concat(
        'admin_log_checkpoints_no_delete',
        'admin_log_checkpoints_below_head',
        'admin_log_head_no_return',
        'admin_log_head_no_delete',
      )
  const all = [...drop.map((trigger) => `DROP TRIGGER IF EXISTS ${trigger}`), ...statements]
  let rows: Stored[] = []
  if (onPostgres) {
    const sql = new SQL({ url: place.databaseUrl, max: 1 })
    for (const statement of all) rows = (await sql.unsafe(statement)) as Stored[]
    await sql.close()
  } else {
    const db = new Database(join(place.dataDir, 'tessera.db'))
    for (const statement of all) rows = db.query(statement).all() as Stored[]
    db.close()
  }
  return rows
}

const literal = (value: string | number | null): string =>
  value === null ? 'NULL' : typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`
const insert = (table: string, row: Stored): string =>
  `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${Object.values(row).map(literal).join(', ')})`

const TABLES = ['admin_logs', 'admin_log_checkpoints', 'admin_log_head'] as const
type Copy = Record<(typeof TABLES)[number], Stored[]>

async function copyLog(): Promise<Copy> {
  const copy: Partial<Copy> = {}
  for (const table of TABLES) copy[table] = await asOwner(`SELECT * FROM ${table} ORDER BY id`)
  return copy as Copy
}

async function putBack(copy: Copy): Promise<void> {
  const inserts = TABLES.flatMap((table) => copy[table].map((row) => insert(table, row)))
  await asOwner(...TABLES.map((table) => `DELETE FROM ${table}`), ...inserts)
}

interface Verified {
  code: number | null
  ok: boolean
  rows: number
  head: { id: number; hash: string } | null
  checkpoint: { id: number; hash: string; deleted: number } | null
  problem: string | null
  row: number | null
}

async function verify(...options: string[]): Promise<Verified> {
  const { code, stdout, stderr } = await place.run(['log', 'verify', '--json', ...options])
  if (stdout === '') throw new Error(stderr)
  return { code, ...(JSON.parse(stdout) as Omit<Verified, 'code'>) }
}

const serve = () => startServer({ dataDir: place.dataDir, config: { databaseUrl: place.databaseUrl } })

/** The row as an attacker would sign it who has read this program, but does not have the key. */
function rehashed(row: Stored, changes: Stored): Stored {
  const changed = { ...row, ...changes }
  const json = (text: unknown) => (text === null ? null : (JSON.parse(String(text)) as object))
  const link = {
    ...Object.fromEntries(
      Object.entries(changed).map(([name, value]) => [
        name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
        ['actor_id', 'target_id', 'created_at'].includes(name) && value !== null ? Number(value) : value,
      ]),
    ),
    before: json(changed['before']),
    after: json(changed['after']),
  } as unknown as Link
  const hash = hashOf(link)
  return { ...changed, hash, signature: createHash('sha256').update(hash).digest('base64url') }
}

describe.if(inProcess)('tessera log verify', () => {
  let whole: Copy
  /** The log when it had four rows. */
  let older: Copy

  async function createRoles(server: TestServer, count: number, admin?: Person): Promise<void> {
    admin ??= await server.admin()
    for (let i = 0; i < count; i++) await createRole(admin)
  }

  beforeAll(async () => {
    const server = await serve()
    await createRoles(server, 4)
    older = await copyLog()
    await createRoles(server, 4)
    whole = await copyLog()
    await server.stop()
  })

  test('accepts the log as the server wrote it, also while the server runs, and prints the head', async () => {
    await putBack(whole)
    const hash = String(whole.admin_logs[7]!['hash'])
    const good = { code: 0, ok: true, rows: 8, head: { id: 8, hash }, checkpoint: null, problem: null, row: null }
    expect(await verify()).toEqual(good)
    expect(await verify('--since', `8:${hash}`)).toEqual(good)
    const text = await place.run(['log', 'verify'])
    expect(text).toMatchObject({ code: 0, stderr: '' })
    expect(text.stdout).toBe(
      `rows        8\nhead        8:${hash}\ncheckpoint  none\nThe operation log is complete and unchanged.\n`,
    )
    const server = await serve()
    expect(await verify()).toEqual(good)
    await server.stop()
  })

  test('accepts the witness line that the server writes to its log at each start', async () => {
    await putBack(whole)
    const server = await place.serve()
    await server.end()
    const witness = /operation log witness.*?(\d+:[\w-]{43})/.exec(server.stderr())?.[1]
    expect(witness ?? server.stderr()).toBe(`8:${String(whole.admin_logs[7]!['hash'])}`)
    expect(await verify('--since', witness!)).toMatchObject({ code: 0 })
  })

  test('refuses options that it does not understand', async () => {
    for (const options of [
      ['--since', '8'],
      ['--since', '8:x'],
      ['--old-key-until', 'x'],
    ]) {
      const { code, stdout } = await place.run(['log', 'verify', ...options])
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    }
    expect((await place.run(['log', 'erase'])).code).toBe(2)
  })

  const row = (id: number): Stored => whole.admin_logs[id - 1]!
  const swap = (a: number, b: number) => [
    `UPDATE admin_logs SET id = 1000 WHERE id = ${a}`,
    `UPDATE admin_logs SET id = ${a} WHERE id = ${b}`,
    `UPDATE admin_logs SET id = ${b} WHERE id = 1000`,
  ]
  const replace = (changed: Stored) => [
    `DELETE FROM admin_logs WHERE id = ${changed['id']}`,
    insert('admin_logs', changed),
  ]
  /** Rewrites the rows from `first` to `last` with new hashes. */
  function rewrite(first: number, last: number): string[] {
    const statements: string[] = []
    let previous = first === 1 ? '' : String(row(first - 1)['hash'])
    for (let id = first; id <= last; id++) {
      const changed = rehashed(row(id), { actor_name: 'somebody else', previous_hash: previous })
      previous = String(changed['hash'])
      statements.push(...replace(changed))
    }
    return statements
  }
  const head = (changes: Stored) =>
    `UPDATE admin_log_head SET ${Object.entries(changes)
      .map(([name, value]) => `${name} = ${literal(value)}`)
      .join(', ')}`
  const forged = (rowId: number): Stored => ({
    id: 1,
    row_id: rowId,
    hash: row(rowId)['hash']!,
    row_count: rowId,
    created_at: 1,
    signature: row(rowId)['signature']!,
  })

  const ATTACKS: readonly [name: string, statements: () => string[], problem: string][] = [
    ...Object.entries({
      actor_id: '2',
      actor_name: "'somebody else'",
      action: "'ROLE_DELETE'",
      target_type: "'USER'",
      target_id: 'NULL',
      target_name: 'NULL',
      before: "'{}'",
      after: `'{"name":"harmless"}'`,
      ip_address: "'192.0.2.1'",
      request_id: "'x'",
      created_at: '5',
      hash: "'x'",
      previous_hash: "'x'",
    }).map(
      ([column, value]) =>
        [
          `${column} is changed`,
          () => [`UPDATE admin_logs SET ${column} = ${value} WHERE id = 3`],
          'Row 3 was changed',
        ] as [string, () => string[], string],
    ),
    ['signature is changed', () => ["UPDATE admin_logs SET signature = 'x' WHERE id = 3"], 'Row 3 is not signed'],
    ['JSON cannot be read', () => ["UPDATE admin_logs SET after = '{' WHERE id = 3"], 'Row 3 was changed'],
    ['the first row is deleted', () => ['DELETE FROM admin_logs WHERE id = 1'], 'Row 2 does not follow'],
    ['a row is deleted', () => ['DELETE FROM admin_logs WHERE id = 4'], 'Row 5 does not follow'],
    [
      'the newest row is deleted',
      () => ['DELETE FROM admin_logs WHERE id = 8'],
      'The newest rows are missing: the log ends with row 7',
    ],
    ['all rows are deleted', () => ['DELETE FROM admin_logs'], 'The newest rows are missing'],
    ['two rows are swapped', () => swap(3, 4), 'Row 3 does not follow'],
    ['a row is inserted before the first', () => [insert('admin_logs', { ...row(1), id: 0 })], 'Row 0 was added'],
    ['a row with a negative id is inserted', () => [insert('admin_logs', { ...row(1), id: -5 })], 'Row -5 was added'],
    [
      'a row is inserted after the newest',
      () => [insert('admin_logs', rehashed(row(8), { id: 9, previous_hash: row(8)['hash']! }))],
      'Row 9 was added',
    ],
    [
      'a row is replaced by one with a matching hash',
      () => replace(rehashed(row(8), { actor_name: 'x' })),
      'Row 8 is not signed',
    ],
    ['the newest rows are rewritten', () => rewrite(5, 8), 'Row 5 is not signed'],
    ['the oldest rows are rewritten', () => rewrite(1, 4), 'Row 5 does not follow'],
    ['all rows are rewritten', () => rewrite(1, 8), 'Row 8 is not signed'],
    [
      'rows are cut off, and the head is set back',
      () => [
        'DELETE FROM admin_logs WHERE id > 5',
        head({ row_id: 5, hash: row(5)['hash']!, row_count: 5, signature: row(5)['signature']! }),
      ],
      'The head of the log is not signed',
    ],
    ['the head is deleted', () => ['DELETE FROM admin_log_head'], 'The head of the log was deleted'],
    ['the head has no signature', () => [head({ signature: '' })], 'The head of the log is not signed'],
    ['the number of rows is edited', () => [head({ row_count: 9 })], 'The head of the log counts 9 rows'],
    [
      'a checkpoint is invented',
      () => [insert('admin_log_checkpoints', forged(3)), 'DELETE FROM admin_logs WHERE id <= 3'],
      'The rows up to 3 were signed with another key',
    ],
    ...(onPostgres
      ? []
      : ([
          [
            'an integer is stored as a text',
            () => ["UPDATE admin_logs SET created_at = 'x' WHERE id = 3"],
            'its created_at is not an integer',
          ],
          [
            'a text is stored as bytes',
            () => ["UPDATE admin_logs SET actor_name = x'72' WHERE id = 3"],
            'its actor_name is not a text',
          ],
          ['the head has a fraction', () => ['UPDATE admin_log_head SET row_id = 7.5'], 'its row_id is not an integer'],
        ] as [string, () => string[], string][])),
  ]

  test.each(ATTACKS)('finds that %s', async (_name, statements, problem) => {
    await putBack(whole)
    await asOwner(...statements())
    const found = await verify()
    expect(found.code).toBe(1)
    expect(found.problem).toContain(problem)
    const named = /^Row (-?\d+)/.exec(problem)
    if (named) expect(found.row).toBe(Number(named[1]))
  })

  test('finds an older copy of the log by a witness line, and only by that', async () => {
    await putBack(older)
    expect(await verify()).toMatchObject({ code: 0, rows: 4 })
    expect(await verify('--since', `6:${String(row(6)['hash'])}`)).toMatchObject({
      code: 1,
      problem: 'Row 6 is missing: the log ends with row 4.',
    })
    expect(await verify('--since', `4:${String(row(5)['hash'])}`)).toMatchObject({ code: 1, row: 4 })
    expect(await verify('--since', `4:${String(row(4)['hash'])}`)).toMatchObject({ code: 0 })
  })

  test('backup and restore name the newest row of the log, and the restored log is whole', async () => {
    await putBack(whole)
    const newest = `8:${String(row(8)['hash'])}`
    const archive = join(place.home, 'backup.tar.zst')
    expect((await place.run(['backup', archive])).stdout).toContain(`The operation log in it ends with row ${newest}\n`)
    const server = await serve()
    await createRoles(server, 1)
    await server.stop()
    if (onPostgres) await place.newDatabase()
    const restored = await place.run(['restore', archive])
    expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining(`now ends with row ${newest}\n`) })
    expect(await verify('--since', newest)).toMatchObject({ code: 0, rows: 8 })
    const again = await serve()
    await createRoles(again, 1)
    await again.stop()
    expect(await verify('--since', newest)).toMatchObject({ code: 0, rows: 9 })
  })

  test('still finds that rows were cut off when administrators have written others since', async () => {
    await putBack(whole)
    await asOwner('DELETE FROM admin_logs WHERE id > 6')
    const server = await serve()
    await createRoles(server, 2)
    await server.stop()
    expect(await verify()).toMatchObject({ code: 1, row: 9, problem: expect.stringContaining('Row 9 does not follow') })

    await putBack(whole)
    const cut = head({ row_id: 6, hash: row(6)['hash']!, row_count: 6 })
    await asOwner('DELETE FROM admin_logs WHERE id > 6', cut)
    const again = await serve()
    await createRoles(again, 2)
    await again.stop()
    expect(await verify()).toMatchObject({
      code: 1,
      row: 7,
      problem: expect.stringContaining('When row 7 was written, the head of the log was not the one of this server'),
    })
  })

  test('accepts rows of a replaced signing key only up to the row that the administrator names', async () => {
    await putBack(whole)
    rmSync(join(place.dataDir, 'keys/signing.key'))
    const server = await serve()
    // Nobody has written anything with the new key.
    expect(await verify('--old-key-until', '8')).toMatchObject({ code: 1, problem: expect.stringContaining('--since') })
    const newest = `8:${String(row(8)['hash'])}`
    expect(await verify('--old-key-until', '8', '--since', newest)).toMatchObject({ code: 0, rows: 8 })
    await createRoles(server, 2)
    await server.stop()
    expect(await verify()).toMatchObject({ code: 1, problem: expect.stringContaining('--old-key-until 8') })
    expect(await verify('--old-key-until', '8')).toMatchObject({ code: 0, rows: 10 })
    expect(await verify('--old-key-until', '7')).toMatchObject({ code: 1, row: 8 })
    rmSync(join(place.dataDir, 'keys/signing.key'))
    expect(await place.run(['log', 'verify'])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('signing.key'),
    })
  })
})

test('the operation log is whole, and has each confirmed change, after the server was killed among changes', async () => {
  const killed = await Installation.make()
  try {
    await killed.run(['admin', 'create', 'ann', '--password-file', '-'], { stdin: `${PASSWORD}\n` })
    const serveQuietly = () => killed.serve([], { env: { TESSERA_RATE_LIMIT: 'off', TESSERA_LOG_LEVEL: 'error' } })
    const headers: Record<string, string> = { 'x-device-id': 'device-of-the-administrator-ann' }
    const confirmed: string[] = []
    for (let kill = 0; kill < 3; kill++) {
      const server = await serveQuietly()
      const credentials = { username: 'ann', password: PASSWORD }
      const login = await send(server.url, 'POST', '/api/admin/auth/login', { headers, body: credentials })
      headers['authorization'] = `Bearer ${login.data.accessToken}`
      const before = confirmed.length
      const write = async (client: number): Promise<void> => {
        for (let i = 0; ; i++) {
          const word = `W${kill}x${client}x${i}`
          const sent = send(server.url, 'POST', '/api/admin/nickname/nouns', { headers, body: { word } })
          const reply = await sent.catch(() => undefined)
          if (reply === undefined) return
          ok(reply)
          confirmed.push(word)
          if (confirmed.length - before === 70) server.child.kill('SIGKILL')
        }
      }
      await Promise.all(Array.from({ length: 8 }, (_, client) => write(client)))
      expect(confirmed.length - before).toBeGreaterThanOrEqual(70)
      await server.child.exited
    }
    const { code, stdout } = await killed.run(['log', 'verify', '--json'])
    expect(code, stdout).toBe(0)
    const server = await serveQuietly()
    const logged = new Set<string>()
    for (let page = 1; page <= 10; page++) {
      const query = { page, size: 100, action: 'NICKNAME_WORD_CREATE' }
      for (const row of (await send(server.url, 'GET', '/api/admin/logs', { headers, query })).data.items)
        logged.add(row.targetName)
    }
    expect(confirmed.filter((word) => !logged.has(word))).toEqual([])
    let words = 0
    for (let kill = 0; kill < 3; kill++) {
      const query = { keyword: `W${kill}x` }
      words += (await send(server.url, 'GET', '/api/admin/nickname/nouns', { headers, query })).data.total
    }
    expect(logged.size).toBe(words)
    server.child.kill('SIGTERM')
    await server.child.exited
  } finally {
    await killed.dispose()
  }
})

const PASSWORD = 'a strong password of Ann'
