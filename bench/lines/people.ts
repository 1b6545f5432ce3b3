/**
 * Imports of 5,000 users with Chinese names, start codes and memberships, on SQLite and on PostgreSQL: how long one takes, and how long the reads and
 * the writes of others wait meanwhile, against the same requests without an import. Both alternate.
 */

import { mkdirSync } from 'node:fs'

import { toXlsx } from '#lib/spreadsheets/xlsx-writer.ts'

import { type Bench, fileIn } from '../lib/bench.ts'
import { databaseFile } from '../lib/data.ts'
import type { LoadResult } from '../lib/load-spec.ts'
import { COUNTER, request } from '../lib/load-spec.ts'
import { cpuSeconds, type Started } from '../lib/process.ts'
import { call, get, type Person, register, startProduct } from '../lib/product.ts'
import { round, whole } from '../lib/report.ts'
import { median } from '../lib/stats.ts'

const ROWS = 5000
/** Far below the capacity of the server: 6 people who read, and 2 who write. */
const READERS = { connections: 6, pauseMs: 10 }
const WRITERS = { connections: 2, pauseMs: 20 }
const MAX_IMPORT_S = 60
const MAX_P99 = 3

export async function run(bench: Bench): Promise<void> {
  await imports(bench, 'SQLite', `sqlite://${databaseFile(fileIn(bench, 'sqlite'))}`)
  if (bench.postgres === '') {
    bench.report.note('Imports of users on PostgreSQL need --postgres URL or TEST_DATABASE_URL, and were left out.')
    return
  }
  const admin = new Bun.SQL({ url: bench.postgres, max: 1 })
  const name = `tessera_bench_${process.pid}`
  const url = new URL(bench.postgres)
  url.pathname = `/${name}`
  await admin.unsafe(`CREATE DATABASE ${name}`)
  try {
    await imports(bench, 'PostgreSQL', url.href)
  } finally {
    await admin.unsafe(`DROP DATABASE ${name} WITH (FORCE)`)
    await admin.close()
  }
}

async function imports(bench: Bench, on: 'SQLite' | 'PostgreSQL', url: string): Promise<void> {
  const dataDir = fileIn(bench, on.toLowerCase())
  mkdirSync(dataDir, { recursive: true })
  const env: Record<string, string> = on === 'SQLite' ? {} : { TESSERA_DATABASE_URL: url }
  const setUp = await startProduct(dataDir, { env })
  const admin = await register(setUp, 'administrator')
  const other = await register(setUp, 'other', 'bench-device-of-the-other-01')
  const org = (await call(setUp, 'POST', '/api/orgs', admin.headers, { name: 'School' })) as { id: number }
  await setUp.stop()
  await prepare(url, admin.userId, org.id)
  const server = bench.own(await startProduct(dataDir, { env }))
  const files = fileMaker(bench, on)
  const seconds = bench.smoke ? 0.2 : 4

  const times: number[] = []
  const cpu: number[] = []
  const imported = async (): Promise<void> => {
    const file = await files()
    const [startedAt, before] = [performance.now(), cpuSeconds(server.pid)]
    await send(server, admin, file, org.id)
    times.push((performance.now() - startedAt) / 1000)
    cpu.push(cpuSeconds(server.pid) - before)
  }
  const idle: Others[] = []
  const busy: Others[] = []
  await imported()
  for (let i = 0; i < bench.rounds.rounds; i++) {
    idle.push(await others(bench, server, other, seconds))
    // One import after the other, so that all requests of the time meet one.
    const over = new AbortController()
    const importing = (async () => {
      while (!over.signal.aborted) await imported()
    })()
    busy.push(await others(bench, server, other, seconds))
    over.abort()
    await importing
  }
  const title = `import of ${whole(bench.smoke ? 50 : ROWS)} users on ${on}`
  bench.report.value(
    `${title} (CPU ${round(median(cpu))} s)`,
    `${round(median(times))} s`,
    median(times) / MAX_IMPORT_S,
    'limit',
    `${MAX_IMPORT_S} s`,
    { max: 1 },
  )
  for (const kind of ['reads', 'writes'] as const) {
    const p99 = (list: readonly Others[]) => median(list.map((one) => one[kind].p99Ms))
    bench.report.value(
      `p99 of other ${kind} during an ${title} (median ${round(median(busy.map((one) => one[kind].p50Ms)))} ms)`,
      `${round(p99(busy))} ms`,
      p99(busy) / p99(idle),
      'without',
      `${round(p99(idle))} ms`,
      { max: MAX_P99 },
    )
  }
}

/** In SQL that both databases understand. */
async function prepare(url: string, adminId: number, orgId: number): Promise<void> {
  const sql = new Bun.SQL(url)
  await sql.unsafe(
    `INSERT INTO rbac_user_roles (user_id, role_id, is_initial, created_at)
     SELECT ${adminId}, id, false, 0 FROM rbac_roles WHERE domain = 'PLATFORM' AND code = 'SYSTEM_ADMIN'`,
  )
  await sql.unsafe(`UPDATE organizations SET member_limit = 1000000 WHERE id = ${orgId}`)
  await sql.unsafe(`INSERT INTO settings (key, value, updated_at) VALUES ('quota.qrCodes', '1000000000', 0)`)
  await sql.close()
}

/** Returns a function that makes workbooks, each with other users. */
function fileMaker(bench: Bench, on: string): () => Promise<string> {
  let made = 0
  return async () => {
    const version = ++made
    const rows = Array.from({ length: bench.smoke ? 50 : ROWS }, (_, i) => [
      `pupil-${version}-${i}`,
      `王小明 ${i}`,
      `pupil-${version}-${i}@school.example`,
    ])
    const columns = ['username', 'nickname', 'email'].map((title) => ({ title, width: 20 }))
    const path = fileIn(bench, `${on}-${version}.xlsx`)
    await Bun.write(path, new Blob(await Array.fromAsync(toXlsx({ name: 'Class', columns, rows }, 0))))
    return path
  }
}

interface Others {
  readonly reads: LoadResult
  readonly writes: LoadResult
}

async function others(bench: Bench, { port }: Started, { headers }: Person, seconds: number): Promise<Others> {
  const [reads, writes] = await Promise.all([
    bench.load.run({
      port,
      requests: ['/api/auth/userinfo', '/api/qr-codes?size=20', '/api/orgs'].map((path) => get(path, headers)),
      seconds,
      ...READERS,
    }),
    bench.load.run({
      port,
      requests: [
        request('POST', '/api/qr-codes', headers, { name: 'Shelf', content: `https://example.org/${COUNTER}` }),
      ],
      seconds,
      ...WRITERS,
    }),
  ])
  for (const { statuses } of [reads, writes])
    if (Object.keys(statuses).some((status) => status !== '200'))
      throw new Error(`answers: ${JSON.stringify(statuses)}`)
  return { reads, writes }
}

async function send({ port }: Started, { headers }: Person, file: string, orgId: number): Promise<void> {
  const form = new FormData()
  form.set('orgId', String(orgId))
  form.set('file', Bun.file(file))
  const response = await fetch(`http://127.0.0.1:${port}/api/admin/users/import`, {
    method: 'POST',
    headers,
    body: form,
  })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`the import answered ${response.status}: ${text.slice(0, 500)}`)
}
