/**
 * PostgreSQL with one, two and three processes against SQLite and a hand-written server (peers/postgres.ts) on the same PostgreSQL. The servers of one
 * mode run at a time, so that idle ones disturb nobody and few connections are needed. Modes take turns; each turn does all operations.
 */

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

import type { Bench } from '../lib/bench.ts'
import { requireAnswers } from '../lib/compare.ts'
import { databaseFile } from '../lib/data.ts'
import { COUNTER, type LoadSpec, request } from '../lib/load-spec.ts'
import { PEERS } from '../lib/peers.ts'
import { parentOf, type Started, startServer, treeCpuSeconds } from '../lib/process.ts'
import { call, get, signedIn, startProduct } from '../lib/product.ts'
import { type Goal, round, whole } from '../lib/report.ts'
import { median } from '../lib/stats.ts'

const CONNECTIONS = 63
const USERS = 64
/** Of the first user. */
const CODES = 5000
const NAME = 'Shelf label of the benchmark'
const TEXT = 'See you at the lake at nine, bring a headlamp and something warm'

const MODES = ['SQLite', 'alone', 'shared, one', 'shared, two', 'shared, three', 'hand-written'] as const
type Mode = (typeof MODES)[number]
const PROCESSES: Partial<Record<Mode, number>> = { 'shared, two': 2, 'shared, three': 3 }

const OPERATIONS = [
  'GET',
  'GET, one client',
  'list',
  'create',
  'create, one client',
  'message',
  'scan',
  'check-in',
  'use of a pass',
  'use of a pass, one client',
] as const
type Operation = (typeof OPERATIONS)[number]
/** The hand-written server has no activities. */
const OF_VISITORS: readonly Operation[] = ['scan', 'check-in', 'use of a pass', 'use of a pass, one client']
const isMeasured = (mode: Mode, operation: Operation) => mode !== 'hand-written' || !OF_VISITORS.includes(operation)

interface Figures {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Of the server's processes and of all of PostgreSQL's for each request, in microseconds. */
  readonly serverUs: number
  readonly postgresUs: number
}

interface User {
  readonly id: number
  readonly headers: Record<string, string>
}

/** Two databases with the same rows. */
interface Database {
  readonly url: string
  readonly users: readonly User[]
  /** Of codes of the first user. */
  readonly codeIds: readonly number[]
  /** Links of some of these codes, which are public. */
  readonly links: readonly string[]
  readonly venue: Venue
}

/** An activity of the first user in which everyone may check in any number of times, with passes for any number of uses. */
interface Venue {
  readonly activityId: number
  readonly contents: readonly string[]
}

export async function run(bench: Bench): Promise<void> {
  if (bench.postgres === '') {
    bench.report.note('`processes` needs --postgres URL or TEST_DATABASE_URL, and was left out.')
    return
  }
  const admin = new Bun.SQL({ url: bench.postgres, max: 1 })
  const name = `tessera_bench_${process.pid}`
  const url = new URL(bench.postgres)
  url.pathname = `/${name}`
  await admin.unsafe(`CREATE DATABASE ${name}`)
  try {
    const [{ pid }] = (await admin.unsafe('SELECT pg_backend_pid() AS pid')) as [{ pid: number }]
    const lite = await seeded(bench, `sqlite://${databaseFile(folder(bench, 'SQLite'))}`)
    const postgres = await seeded(bench, url.href)
    print(bench, await measureAll(bench, lite, postgres, parentOf(pid, 'postgres')))
  } finally {
    await admin.unsafe(`DROP DATABASE ${name} WITH (FORCE)`)
    await admin.close()
  }
}

function folder(bench: Bench, name: string): string {
  const dir = join(bench.scratch, name.replaceAll(/\W/g, '-'))
  mkdirSync(dir, { recursive: true })
  return dir
}

/** The servers of a mode. Each process has a data directory of its own. */
async function start(bench: Bench, mode: Mode, { url }: Database): Promise<Started[]> {
  if (mode === 'hand-written')
    return [bench.own(await startServer([process.execPath, join(PEERS, 'postgres.ts')], { BENCH_DB: url }))]
  const env: Record<string, string> = { TESSERA_SECRET: 'the secret of all processes of the benchmark' }
  if (mode !== 'SQLite') env['TESSERA_DATABASE_URL'] = url
  if (mode.startsWith('shared')) env['TESSERA_SHARED_FILES'] = folder(bench, 'files')
  const servers: Started[] = []
  for (let i = 0; i < (PROCESSES[mode] ?? 1); i++)
    servers.push(bench.own(await startProduct(folder(bench, i === 0 ? mode : `${mode} ${i}`), { env })))
  return servers
}

/** Makes users through the interface, and their codes and contacts in SQL that both databases understand. */
async function seeded(bench: Bench, url: string): Promise<Database> {
  const mode = url.startsWith('sqlite:') ? 'SQLite' : 'alone'
  const empty: Database = { url, users: [], codeIds: [], links: [], venue: { activityId: 0, contents: [] } }
  const [first] = await start(bench, mode, empty)
  const users: User[] = []
  for (let i = 0; i < USERS; i++) {
    const deviceId = `bench-device-of-user-${i}`
    const data = await call(first!, 'POST', '/api/auth/device-login', { 'x-device-id': deviceId }, {})
    const { accessToken, user } = data as { accessToken: string; user: { id: number } }
    // The hand-written server looks at the last one only.
    users.push({ id: user.id, headers: { ...signedIn(accessToken, deviceId), 'x-user': String(user.id) } })
  }
  const venue = await openVenue(first!, users[0]!)
  await first!.stop()
  const sql = new Bun.SQL(url)
  await sql.unsafe(`INSERT INTO settings (key, value, updated_at) VALUES ('chat.messagesPerMinute', '0', 0)`)
  const owner = users[0]!.id
  await sql.unsafe(
    `INSERT INTO qr_codes (uuid, user_id, name, content, content_type, tags, style, created_at, updated_at)
     WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < ${bench.smoke ? 50 : CODES})
     SELECT '00000000-0000-4000-8000-' || (100000000000 + n), ${owner}, 'Code ' || n,
       'https://example.org/products/' || (10000000 + n) || '?ref=qr', 'URL', '["shelf"]', '{}', 1760000000000 + n * 1000,
       1760000000000 + n * 1000 FROM i`,
  )
  const pairs = users.map(({ id }, i) => `(${id}, ${users[i ^ 1]!.id}, true, '[]', 0, 0)`)
  await sql.unsafe(
    `INSERT INTO contacts (user_id, other_id, is_contact, tags, created_at, updated_at) VALUES ${pairs.join()}`,
  )
  const rows = (await sql.unsafe(`SELECT id, uuid FROM qr_codes WHERE user_id = ${owner} ORDER BY id LIMIT 200`)) as {
    id: number | string
    uuid: string
  }[]
  await sql.unsafe(`UPDATE qr_codes SET is_public = true WHERE id <= ${rows[Math.min(rows.length, USERS) - 1]!.id}`)
  await sql.close()
  const links = rows.slice(0, USERS).map(({ uuid }) => `http://localhost:8080/public/qr/${uuid}`)
  const database = { url, users, codeIds: rows.map(({ id }) => Number(id)), links, venue }
  // The hand-written server writes to existing conversations only.
  const [second] = await start(bench, mode, empty)
  for (const [i, user] of users.entries())
    if (i % 2 === 0)
      await call(second!, 'POST', '/api/chats/messages', user.headers, message(users[i + 1]!, `first-message-of-${i}`))
  await second!.stop()
  return database
}

async function openVenue(server: Started, { headers }: User): Promise<Venue> {
  const now = Date.now()
  const { id } = (await call(server, 'POST', '/api/activities', headers, {
    name: 'Bench',
    startTime: now,
    endTime: now + 86_400_000,
    visibility: 'PUBLIC',
    hasCheckIn: true,
    hasPass: true,
    checkInConfig: { maxPerUser: 0 },
  })) as { id: number }
  await call(server, 'PATCH', `/api/activities/${id}/status`, headers, { status: 'ACTIVE' })
  const holders = Array.from({ length: 500 }, (_, i) => ({ name: `Guest ${i + 1}` }))
  const { items } = (await call(server, 'POST', `/api/activities/${id}/pass/issue`, headers, {
    holders,
    maxUses: 0,
  })) as { items: { qrContent: string }[] }
  return { activityId: id, contents: items.map(({ qrContent }) => qrContent) }
}

const message = (to: User, clientMsgId: string) => ({
  toUserId: to.id,
  clientMsgId,
  type: 'TEXT',
  content: { text: TEXT },
})

/** Deletes the codes of earlier turns and brings the statistics up to date. */
async function tidy({ url }: Database): Promise<void> {
  const sql = new Bun.SQL(url)
  await sql.unsafe(`DELETE FROM qr_codes WHERE name = '${NAME}'`)
  await sql.unsafe(url.startsWith('sqlite:') ? 'PRAGMA wal_checkpoint(TRUNCATE)' : 'VACUUM ANALYZE')
  await sql.close()
}

function requestsOf(operation: Operation, { users, codeIds, links, venue }: Database): string[] {
  const { headers } = users[0]!
  if (operation.startsWith('GET')) return codeIds.map((id) => get(`/api/qr-codes/${id}`, headers))
  if (operation === 'list') return [get('/api/qr-codes?size=20', headers)]
  if (operation === 'message')
    return users.map((user, i) =>
      request('POST', '/api/chats/messages', user.headers, message(users[i ^ 1]!, `bench-${COUNTER}`)),
    )
  if (operation === 'scan')
    return users.map((user, i) =>
      request('POST', '/api/scan-records', user.headers, { content: links[i % links.length] }),
    )
  if (operation === 'check-in')
    return users.map((user) => request('POST', `/api/activities/${venue.activityId}/check-in`, user.headers, {}))
  if (operation.startsWith('use of a pass'))
    return venue.contents.map((content) =>
      request('POST', `/api/activities/${venue.activityId}/pass/verify`, headers, {
        content,
        redeem: true,
        nonce: `bench-${COUNTER}`,
      }),
    )
  const code = {
    name: NAME,
    content: `https://example.org/products/${COUNTER}?ref=qr`,
    tags: ['shelf', 'north'],
    remark: 'Second floor',
  }
  return users.slice(1).map((user) => request('POST', '/api/qr-codes', user.headers, code))
}

type Of = (mode: Mode, operation: Operation) => Figures

async function measureAll(
  bench: Bench,
  lite: Database,
  postgres: Database,
  postmaster: number | undefined,
): Promise<Of> {
  const { rounds, seconds } = bench.smoke ? bench.rounds : { rounds: 3, seconds: 3 }
  const taken = new Map<string, Figures[]>()
  for (let nth = 0; nth < rounds; nth++)
    for (const mode of MODES) {
      const database = mode === 'SQLite' ? lite : postgres
      await tidy(database)
      const servers = await start(bench, mode, database)
      const once = async (load: Omit<LoadSpec, 'seconds'>, forSeconds: number): Promise<Figures> => {
        const cpu = () => servers.reduce((sum, { pid }) => sum + treeCpuSeconds(pid), 0)
        const postgresCpu = () => (postmaster === undefined ? Number.NaN : treeCpuSeconds(postmaster))
        const before = [cpu(), postgresCpu()] as const
        const result = await bench.load.run({ ...load, seconds: forSeconds })
        requireAnswers(result, mode)
        return {
          ...result,
          perSecond: result.requests / result.seconds,
          serverUs: ((cpu() - before[0]) * 1e6) / result.requests,
          postgresUs: mode === 'SQLite' ? 0 : ((postgresCpu() - before[1]) * 1e6) / result.requests,
        }
      }
      for (const operation of OPERATIONS) {
        if (!isMeasured(mode, operation)) continue
        const [port, ...morePorts] = servers.map((server) => server.port)
        const connections = operation.includes('one client') ? 1 : CONNECTIONS
        const load = { port: port!, morePorts, connections, requests: requestsOf(operation, database) }
        await once(load, bench.smoke ? 0.1 : 1)
        const figures = await once(load, seconds)
        const key = `${mode}/${operation}`
        taken.set(key, [...(taken.get(key) ?? []), figures])
        console.error(`${nth + 1}. ${mode}, ${operation}: ${shown(figures)}`)
      }
      for (const server of servers) await server.stop()
    }
  return (mode, operation) => {
    const list = taken.get(`${mode}/${operation}`)!
    const middle = (key: keyof Figures) => median(list.map((figures) => figures[key]))
    return {
      perSecond: middle('perSecond'),
      p50Ms: middle('p50Ms'),
      p99Ms: middle('p99Ms'),
      serverUs: middle('serverUs'),
      postgresUs: middle('postgresUs'),
    }
  }
}

const shown = (f: Figures): string =>
  `${whole(f.perSecond)}/s, ${round(f.serverUs)} + ${round(f.postgresUs)} µs, p50 ${round(f.p50Ms)} ms, p99 ${round(f.p99Ms)} ms`

/** A ratio of two figures with its goal, for each of `modes`. */
interface Demand {
  readonly operation: Operation
  readonly modes: readonly Mode[]
  readonly figure: 'rate' | 'p50' | 'server' | 'postgres' | 'both'
  readonly against: Mode
  readonly goal: Goal
}

const UNITS = {
  rate: ['req/s', (f: Figures) => f.perSecond],
  p50: ['p50', (f: Figures) => f.p50Ms],
  server: ['CPU of the server', (f: Figures) => f.serverUs],
  postgres: ['CPU of PostgreSQL', (f: Figures) => f.postgresUs],
  both: ['CPU', (f: Figures) => f.serverUs + f.postgresUs],
} as const

const ONE = ['alone', 'shared, one'] as const
const HAND = 'hand-written'
const DEMANDS: readonly Demand[] = [
  { operation: 'message', modes: ONE, figure: 'rate', against: HAND, goal: { min: 1.5 } },
  { operation: 'message', modes: ONE, figure: 'rate', against: 'SQLite', goal: { min: 0.2 } },
  { operation: 'message', modes: ONE, figure: 'both', against: 'SQLite', goal: { max: 5 } },
  { operation: 'create', modes: ['alone'], figure: 'rate', against: HAND, goal: { min: 0.8 } },
  { operation: 'create', modes: ['shared, one'], figure: 'rate', against: HAND, goal: { min: 0.7 } },
  { operation: 'create', modes: ONE, figure: 'server', against: 'SQLite', goal: { max: 1.8 } },
  { operation: 'create', modes: ONE, figure: 'postgres', against: HAND, goal: { max: 1 } },
  { operation: 'create, one client', modes: ['alone'], figure: 'p50', against: HAND, goal: { max: 2 } },
  { operation: 'create, one client', modes: ['shared, one'], figure: 'p50', against: HAND, goal: { max: 3 } },
  { operation: 'GET', modes: ONE, figure: 'rate', against: HAND, goal: { min: 0.6 } },
  { operation: 'GET', modes: ONE, figure: 'server', against: 'SQLite', goal: { max: 2 } },
  { operation: 'GET', modes: ONE, figure: 'postgres', against: HAND, goal: { max: 1.6 } },
  { operation: 'GET, one client', modes: ['shared, one'], figure: 'p50', against: 'alone', goal: { max: 1.5 } },
  { operation: 'list', modes: ONE, figure: 'rate', against: 'SQLite', goal: { min: 0.35 } },
  { operation: 'scan', modes: ONE, figure: 'both', against: 'SQLite', goal: { max: 5 } },
  { operation: 'check-in', modes: ONE, figure: 'both', against: 'SQLite', goal: { max: 5 } },
  { operation: 'use of a pass', modes: ONE, figure: 'both', against: 'SQLite', goal: { max: 5 } },
  ...(['GET', 'list', 'create', 'message', 'scan', 'check-in', 'use of a pass'] as const).flatMap(
    (operation): Demand[] => [
      { operation, modes: ['shared, two'], figure: 'rate', against: 'shared, one', goal: { min: 0.85 } },
      { operation, modes: ['shared, three'], figure: 'rate', against: 'shared, one', goal: { min: 0.6 } },
    ],
  ),
]

function print(bench: Bench, of: Of): void {
  for (const operation of OPERATIONS)
    for (const mode of MODES) {
      if (!isMeasured(mode, operation)) continue
      bench.report.add({
        what: `${operation}, ${mode}`,
        against: '',
        ours: shown(of(mode, operation)),
        theirs: '',
        ratio: '',
      })
    }
  for (const { operation, modes, figure, against, goal } of DEMANDS)
    for (const mode of modes) {
      const [unit, value] = UNITS[figure]
      const [ours, theirs] = [value(of(mode, operation)), value(of(against, operation))]
      const what = `${operation}, ${mode}: ${unit}`
      bench.report.value(what, round(ours), ours / theirs, against, round(theirs), bench.smoke ? undefined : goal)
    }
  for (const mode of ONE) {
    const { p50Ms, p99Ms } = of(mode, 'message')
    const goal = bench.smoke ? undefined : { max: 4 }
    bench.report.value(`message, ${mode}: p99`, `${round(p99Ms)} ms`, p99Ms / p50Ms, 'p50', `${round(p50Ms)} ms`, goal)
  }
}
