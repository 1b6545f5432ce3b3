/**
 * Pulls of 1,000 changes out of a million rows against hand-written code, the same with a thousand rows, pulls without changes, and the first
 * pull of a million rows.
 */

import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

import { SignJWT } from 'jose'

import { type Bench, fileIn, measure } from '../lib/bench.ts'
import { addCodes, closeDatabase, databaseFile, openDatabase, sessionOf } from '../lib/data.ts'
import { PEERS } from '../lib/peers.ts'
import { cpuSeconds, residentMiB, type Started, startServer } from '../lib/process.ts'
import { call, get, type Person, register, signedIn, startProduct } from '../lib/product.ts'
import { round, whole } from '../lib/report.ts'

const CHANGES = 1000
const CONNECTIONS = 4
const PAGE = 2000
const PEER_SECRET = 'a secret of the benchmark, long enough for HS256'
/** Microseconds. */
const GOAL = { max: 2000 }

interface Side {
  readonly name: string
  readonly server: Started
  readonly headers: Record<string, string>
  /** The path of a pull that finds the last 1,000 changes. */
  readonly path: string
}

interface Page {
  readonly serverTime: number
  readonly hasMore: boolean
  readonly changes: { readonly qrCode: { readonly updated: readonly unknown[] } }
}

export async function run(bench: Bench): Promise<void> {
  const rows = bench.smoke ? 5000 : 1_000_000
  const { ours, theirs, empty, person } = await start(bench, rows)
  const { ours: few } = await start(bench, CHANGES + 1)
  for (const side of [ours, theirs, few]) await checkAnswer(side)
  const contenders = [ours, { ...theirs }, { ...few, name: 'few rows' }, { ...ours, name: 'empty', path: empty }]
  const of = await measure(
    bench,
    contenders.map(({ name, server, headers, path }) => ({
      name,
      pid: server.pid,
      load: { port: server.port, requests: [get(path, headers)], connections: CONNECTIONS },
    })),
  )
  const what = `pull of ${whole(CHANGES)} changes out of ${whole(rows)} rows`
  const { cpuUs } = of(ours.name)
  bench.report.value(`${what}, CPU`, `${round(cpuUs)} µs`, cpuUs, '', '', bench.smoke ? undefined : GOAL, 'µs')
  bench.report.http(what, theirs.name, of(ours.name), of(theirs.name), 'cpu')
  bench.report.http(what, `the same out of ${whole(CHANGES + 1)} rows`, of(ours.name), of('few rows'), 'cpu')
  const { cpuUs: emptyUs } = of('empty')
  bench.report.value('pull without changes, CPU', `${round(emptyUs)} µs`, emptyUs, '', '', undefined, 'µs')
  await first(bench, ours.server, person, rows)
}

async function start(bench: Bench, rows: number) {
  const dataDir = fileIn(bench, `product-${rows}`)
  mkdirSync(dataDir, { recursive: true })
  const before = await startProduct(dataDir)
  const person = await register(before, 'bench')
  await before.stop()
  const db = openDatabase(dataDir)
  addCodes(db, person.userId, rows)
  const sid = sessionOf(db, person.userId)
  const stamps = db.query<{ at: number }, [number]>(
    'SELECT updated_at AS at FROM qr_codes ORDER BY updated_at DESC LIMIT 1 OFFSET ?',
  )
  const [since, last] = [stamps.get(CHANGES)!.at, stamps.get(0)!.at]
  closeDatabase(db)
  const folder = fileIn(bench, `peer-${rows}`)
  mkdirSync(folder, { recursive: true })
  copyFileSync(databaseFile(dataDir), databaseFile(folder))

  const server = bench.own(await startProduct(dataDir))
  // Clients with old stamps are only served if they have started recently.
  await call(server, 'GET', '/api/sync/pull?since=0&limit=1', person.headers)
  const path = (from: number) => `/api/sync/pull?since=${from}&limit=${PAGE}`
  const env = { BENCH_DB: databaseFile(folder), BENCH_SECRET: PEER_SECRET, BENCH_PUBLIC_URL: 'http://localhost:8080' }
  const hand = bench.own(await startServer([process.execPath, join(PEERS, 'handwritten.ts')], env))
  const token = await new SignJWT({ sid })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(String(person.userId))
    .setExpirationTime('1h')
    .sign(new TextEncoder().encode(PEER_SECRET))
  const ours: Side = { name: 'Tessera', server, headers: person.headers, path: path(since) }
  const theirs: Side = { name: 'hand-written', server: hand, headers: signedIn(token), path: path(since) }
  return { ours, theirs, empty: path(last), person }
}

async function checkAnswer({ name, server, headers, path }: Side): Promise<void> {
  const { changes } = (await call(server, 'GET', path, headers)) as Page
  const found = changes.qrCode.updated.length
  if (found !== CHANGES) throw new Error(`${name} answered with ${found} rows`)
}

/** One client pages through everything, and then once more: memory that grows with the rows would grow again. */
async function first(bench: Bench, server: Started, { headers }: Person, rows: number): Promise<void> {
  const what = `first pull of ${whole(rows)} rows, pages of ${whole(PAGE)}`
  const cpuBefore = cpuSeconds(server.pid)
  const startedAt = performance.now()
  const memory = await pullAll(server, headers, rows)
  const seconds = (performance.now() - startedAt) / 1000
  const cpu = cpuSeconds(server.pid) - cpuBefore
  bench.report.value(what, `${round(seconds)} s, CPU ${round(cpu)} s`, rows / seconds, '', '', undefined, 'rows/s')
  const again = Math.max(...(await pullAll(server, headers, rows)))
  const highest = Math.max(...memory)
  const report = (figure: string, mib: number, peer: string, than: number) =>
    bench.report.value(
      `${what}, ${figure}`,
      `${round(mib)} MiB`,
      mib - than,
      peer,
      `${round(than)} MiB`,
      undefined,
      'MiB',
    )
  // After the first pages, whose memory is reused.
  report('memory', highest, 'after 20 pages', memory[Math.min(memory.length - 1, 20)]!)
  report('memory of a second one', again, 'of the first', highest)
}

/** Returns the resident memory after each page, in MiB. */
async function pullAll(server: Started, headers: Record<string, string>, rows: number): Promise<number[]> {
  const memory = [residentMiB(server.pid)]
  let since = 0
  let found = 0
  for (let hasMore = true; hasMore;) {
    const page = (await call(server, 'GET', `/api/sync/pull?since=${since}&limit=${PAGE}`, headers)) as Page
    since = page.serverTime
    found += page.changes.qrCode.updated.length
    hasMore = page.hasMore
    memory.push(residentMiB(server.pid))
  }
  if (found !== rows) throw new Error(`the first pull has ${found} of ${rows} rows`)
  return memory
}
