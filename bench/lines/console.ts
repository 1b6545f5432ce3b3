/**
 * The console with a million users and a million QR codes: pages of its lists against the same with a thousand, searches, statistics, and the cost
 * of a row of the operation log.
 */

import { mkdirSync } from 'node:fs'

import { type Bench, fileIn, measure } from '../lib/bench.ts'
import { addScanRecords, addUsersWithCodes, closeDatabase, makeAdministrator, openDatabase } from '../lib/data.ts'
import { COUNTER, request } from '../lib/load-spec.ts'
import { cpuSeconds, type Started } from '../lib/process.ts'
import { call, get, type Person, register, startProduct } from '../lib/product.ts'
import { round, whole } from '../lib/report.ts'
import { median } from '../lib/stats.ts'

const SIZE = 20
const CONNECTIONS = 4
const GOAL = { max: 1.5 }
/** The rows are of the last 90 days or so. */
const PERIOD_MS = 85 * 86_400_000

interface Side {
  readonly rows: number
  readonly server: Started
  readonly admin: Person
}

export async function run(bench: Bench): Promise<void> {
  const few = await start(bench, bench.smoke ? 100 : 1000)
  const many = await start(bench, bench.smoke ? 1000 : 1_000_000)
  await pages(bench, few, many)
  await searches(bench, many)
  await statistics(bench, many)
  await logging(bench, many)
}

async function start(bench: Bench, rows: number): Promise<Side> {
  const dataDir = fileIn(bench, `rows-${rows}`)
  mkdirSync(dataDir, { recursive: true })
  const before = await startProduct(dataDir)
  const admin = await register(before, 'administrator')
  await before.stop()
  const db = openDatabase(dataDir)
  makeAdministrator(db, admin.userId)
  addUsersWithCodes(db, rows, 1, PERIOD_MS / rows)
  addScanRecords(db, admin.userId, rows)
  closeDatabase(db)
  return { rows, server: bench.own(await startProduct(dataDir)), admin }
}

/** The first and a late page without filters. The first request of each list is not measured: it builds an index in memory. */
async function pages(bench: Bench, few: Side, many: Side): Promise<void> {
  const lists = [
    ['users', '/api/admin/users', ''],
    ['users by name', '/api/admin/users', '&sort=username'],
    ['QR codes', '/api/admin/qr-codes', ''],
    ['scan records', '/api/admin/scan-records', ''],
  ] as const
  for (const [name, path, query] of lists)
    for (const [where, pageOf] of [
      ['first page', () => 1],
      ['page in the middle', (rows: number) => Math.floor(rows / SIZE / 2)],
    ] as const) {
      const of = await measure(
        bench,
        [few, many].map(({ rows, server, admin }) => ({
          name: String(rows),
          pid: server.pid,
          load: {
            port: server.port,
            requests: [get(`${path}?size=${SIZE}&page=${pageOf(rows)}${query}`, admin.headers)],
            connections: CONNECTIONS,
          },
        })),
        bench.smoke ? bench.rounds : { rounds: 3, seconds: 1, warmUpSeconds: 0.5 },
      )
      const [small, big] = [few, many].map(({ rows }) => of(String(rows)))
      bench.report.value(
        `${where} of ${whole(many.rows)} ${name}`,
        `${whole(big!.cpuUs)} µs`,
        big!.cpuUs / small!.cpuUs,
        `of ${whole(few.rows)}`,
        `${whole(small!.cpuUs)} µs`,
        GOAL,
      )
    }
}

/** Lists for which all rows are read: wall time and CPU of one request, and how long a health check waits meanwhile. */
async function searches(bench: Bench, { rows, server, admin }: Side): Promise<void> {
  const paths = [
    ['users by a keyword', `/api/admin/users?keyword=person%20777`],
    ['users by a status', `/api/admin/users?status=DISABLED`],
    ['QR codes by a keyword', `/api/admin/qr-codes?keyword=products/00000777`],
    ['QR codes by a type', `/api/admin/qr-codes?contentType=WIFI`],
    ['scan records by a keyword', `/api/admin/scan-records?keyword=scanned/00000777`],
  ] as const
  for (const [name, path] of paths) {
    const costs: Cost[] = []
    for (let i = 0; i < (bench.smoke ? 1 : 3); i++) costs.push(await costOf(server, path, admin))
    const of = (figure: keyof Cost) => median(costs.map((cost) => cost[figure]))
    bench.report.value(
      `${whole(rows)} ${name}`,
      `${round(of('seconds'))} s, CPU ${round(of('cpu'))} s`,
      of('waitMs'),
      'longest wait of a health check',
      '',
      undefined,
      'ms',
    )
  }
}

interface Cost {
  readonly seconds: number
  readonly cpu: number
  /** The longest answer to a health check meanwhile. */
  readonly waitMs: number
}

async function costOf(server: Started, path: string, admin: Person): Promise<Cost> {
  const cpuBefore = cpuSeconds(server.pid)
  const startedAt = performance.now()
  const state = { running: true }
  const answer = call(server, 'GET', path, admin.headers).finally(() => (state.running = false))
  let waitMs = 0
  while (state.running) {
    const askedAt = performance.now()
    await fetch(`http://127.0.0.1:${server.port}/actuator/health/liveness`).then((reply) => reply.text())
    waitMs = Math.max(waitMs, performance.now() - askedAt)
    await Bun.sleep(5)
  }
  await answer
  return { seconds: (performance.now() - startedAt) / 1000, cpu: cpuSeconds(server.pid) - cpuBefore, waitMs }
}

async function statistics(bench: Bench, { rows, server, admin }: Side): Promise<void> {
  const what = `statistics of 90 days, ${whole(rows)} users, codes and scans each`
  const first = await costOf(server, '/api/admin/statistics?days=90&tz=Asia/Shanghai', admin)
  const again = await costOf(server, '/api/admin/statistics?days=90&tz=Asia/Shanghai', admin)
  const zone = await costOf(server, '/api/admin/statistics?days=30&tz=America/St_Johns', admin)
  for (const [name, cost] of [
    ['', first],
    [', cached', again],
    [', another time zone', zone],
  ] as const)
    bench.report.value(
      `${what}${name}`,
      `${round(cost.seconds)} s, CPU ${round(cost.cpu)} s`,
      cost.waitMs,
      'longest wait of a health check',
      '',
      undefined,
      'ms',
    )
}

/** A write that is logged against the same write without the log: an administrator changes another user's nickname, or their own. */
async function logging(bench: Bench, { server, admin }: Side): Promise<void> {
  const write = (name: string, path: string) => ({
    name,
    pid: server.pid,
    load: {
      port: server.port,
      requests: [request('PUT', path, admin.headers, { nickname: `n${COUNTER}` })],
      connections: CONNECTIONS,
    },
  })
  const contenders = [
    write('logged', `/api/admin/users/${admin.userId + 1}`),
    write('not logged', '/api/auth/userinfo'),
  ]
  const of = await measure(bench, contenders)
  const [logged, plain] = [of('logged'), of('not logged')]
  bench.report.value(
    'a new nickname, logged',
    `${whole(logged.cpuUs)} µs, ${whole(logged.perSecond)}/s`,
    logged.cpuUs / plain.cpuUs,
    'the same without the log',
    `${whole(plain.cpuUs)} µs, ${whole(plain.perSecond)}/s`,
  )
}
