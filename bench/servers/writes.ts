/**
 * Measures durable writes once, in a separate process: `writes.ts MODE CLIENTS SECONDS DIR` prints `{perSecond, p99Ms}` as JSON.
 * Each client inserts one scan record, waits until it is durable, and repeats. MODE: `store` (Tessera's store), `FULL` or `NORMAL`
 * (one transaction per request, hand-written on bun:sqlite, with the statement prepared once).
 */

import { Database } from 'bun:sqlite'
import { join } from 'node:path'

import { sql } from 'drizzle-orm'

import { defaultConfig } from '#config/config.ts'
import { openStore } from '#db/open.ts'
import { prepared } from '#db/prepared.ts'
import { scanRecords } from '#db/schema/index.ts'
import { systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/log.ts'

import { percentile } from '../lib/stats.ts'

const [mode, clients, seconds, dataDir] = process.argv.slice(2) as [string, string, string, string]
const CONTENT = 'https://example.org/scanned/00000001'

const insert = prepared((db) =>
  db.insert(scanRecords).values({
    userId: sql.placeholder('userId'),
    content: CONTENT,
    contentType: 'URL',
    source: 'CAMERA',
    scannedAt: sql.placeholder('now'),
    createdAt: sql.placeholder('now'),
    updatedAt: sql.placeholder('now'),
  }),
)

interface Writer {
  write(): Promise<unknown>
  close(): Promise<unknown>
}

const log = createLog({ level: 'warn', format: 'json' })
const store = await openStore({ config: { ...defaultConfig, dataDir }, clock: systemClock, log })
const file = join(dataDir, 'tessera.db')

async function product(): Promise<Writer> {
  return {
    write: () => store.write('test', async (tx) => void (await insert(tx, { userId: 1, now: Date.now() }))),
    close: () => store.close(),
  }
}

async function byHand(synchronous: string): Promise<Writer> {
  await store.close()
  const db = new Database(file, { readwrite: true, strict: true })
  db.run('PRAGMA journal_mode=WAL')
  db.run(`PRAGMA synchronous=${synchronous}`)
  db.run('PRAGMA foreign_keys=ON')
  const statement = db.query(
    `INSERT INTO scan_records (user_id, content, content_type, source, favorite, scanned_at, created_at, updated_at)
     VALUES (?, ?, 'URL', 'CAMERA', 0, ?, ?, ?)`,
  )
  const one = db.transaction((now: number) => statement.run(1, CONTENT, now, now, now)).immediate
  let last: Promise<unknown> = Promise.resolve()
  return {
    write: () => (last = last.then(() => one(Date.now()))),
    close: async () => db.close(),
  }
}

const owner = new Database(file, { readwrite: true })
owner.run('PRAGMA busy_timeout=5000')
owner.run(
  `INSERT INTO users (id, nickname, token_version, status, created_at, updated_at) VALUES (1, 'bench', 0, 'ACTIVE', 0, 0)
   ON CONFLICT (id) DO NOTHING`,
)
owner.close()

const writer = mode === 'store' ? await product() : await byHand(mode)
const latencies: number[] = []
let endAt = 0
async function client(): Promise<void> {
  while (Bun.nanoseconds() < endAt) {
    const startedAt = Bun.nanoseconds()
    await writer.write()
    latencies.push(Bun.nanoseconds() - startedAt)
  }
}
async function round(duration: number): Promise<number> {
  latencies.length = 0
  const startedAt = Bun.nanoseconds()
  endAt = startedAt + duration * 1e9
  await Promise.all(Array.from({ length: Number(clients) }, client))
  return (Bun.nanoseconds() - startedAt) / 1e9
}

await round(Number(seconds) / 3)
const took = await round(Number(seconds))
const sorted = latencies.toSorted((a, b) => a - b)
await writer.close()
console.log(JSON.stringify({ perSecond: sorted.length / took, p99Ms: percentile(sorted, 0.99) / 1e6 }))
process.exit(0)
