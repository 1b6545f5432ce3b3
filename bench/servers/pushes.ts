/**
 * Pushes of records, hand-written with `Bun.serve` and `bun:sqlite`: one transaction for each request, which writes the rows that Tessera writes
 * (`synchronous=FULL`), on Tessera's tables with their indexes. It checks nothing. Environment: BENCH_DATA_DIR.
 */

import { Database } from 'bun:sqlite'
import { join } from 'node:path'

import { defaultConfig } from '#config/config.ts'
import { openStore } from '#db/open.ts'
import { systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/log.ts'

const dataDir = process.env['BENCH_DATA_DIR']!
const log = createLog({ level: 'warn', format: 'json' })
// Makes the tables.
await (await openStore({ config: { ...defaultConfig, dataDir }, clock: systemClock, log })).close()

const db = new Database(join(dataDir, 'tessera.db'), { readwrite: true, strict: true })
db.run('PRAGMA journal_mode=WAL')
db.run('PRAGMA synchronous=FULL')
db.run('PRAGMA foreign_keys=ON')
db.run(
  `INSERT INTO users (id, nickname, token_version, status, created_at, updated_at) VALUES (1, 'bench', 0, 'ACTIVE', 0, 0)`,
)
const insertCode = db.query<{ id: number }, [string, string, string, number, number]>(
  `INSERT INTO qr_codes (uuid, user_id, org_id, name, content, content_type, tags, style, created_at, updated_at)
   VALUES (?, 1, 0, ?, ?, 'URL', '[]', '{}', ?, ?) RETURNING id`,
)
const insertMapping = db.query<{ id: number }, [string, number]>(
  `INSERT INTO sync_mappings (device, entity, local_id, server_id) VALUES (1, 'qrCode', ?, ?) RETURNING id`,
)
const insertReceipt = db.query(
  `INSERT INTO sync_receipts (mapping, base_version, client_updated_at, status, version, updated_at, created_at)
   VALUES (?, ?, ?, 'APPLIED', ?, ?, ?)`,
)
const findMapping = db.query<{ id: number; serverId: number }, [string]>(
  `SELECT id, server_id AS serverId FROM sync_mappings WHERE device = 1 AND entity = 'qrCode' AND local_id = ?`,
)
const updateCode = db.query<{ version: number }, [string, number, number]>(
  'UPDATE qr_codes SET remark = ?, version = version + 1, updated_at = ? WHERE id = ? RETURNING version',
)
const findCode = db.query('SELECT * FROM qr_codes WHERE id = 1')

interface Pushed {
  readonly localId: string
  readonly baseVersion: number
  readonly updatedAt: number
  readonly data: { readonly name?: string; readonly content?: string; readonly remark?: string }
}

function apply({ localId, baseVersion, updatedAt, data }: Pushed) {
  const now = Date.now()
  let mapping = findMapping.get(localId)
  let version = 1
  if (mapping === null) {
    const serverId = insertCode.get(crypto.randomUUID(), data.name!, data.content!, now, now)!.id
    mapping = { id: insertMapping.get(localId, serverId)!.id, serverId }
  } else version = updateCode.get(data.remark!, now, mapping.serverId)!.version
  insertReceipt.run(mapping.id, baseVersion, updatedAt, version, now, now)
  return { entity: 'qrCode', localId, serverId: mapping.serverId, version, updatedAt: now, status: 'APPLIED' }
}

const push = db.transaction((records: readonly Pushed[]) => records.map(apply))

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  routes: {
    '/api/sync/push': {
      async POST(request) {
        const { records } = (await request.json()) as { records: Pushed[] }
        return Response.json({ code: 200, data: { results: push.immediate(records) } })
      },
    },
    '/api/qr-codes/1': () => Response.json({ code: 200, data: findCode.get() }),
  },
})
console.log(`listening on http://127.0.0.1:${server.port}`)
