/** The cost of a page of 20 with its total must not grow with the table: first, last and scattered pages of three sizes of tables. */

import { mkdirSync, rmSync } from 'node:fs'

import { type Bench, fileIn, measure } from '../lib/bench.ts'
import type { Contender } from '../lib/compare.ts'
import { addCodes, addScanRecords, addUsers, closeDatabase, openDatabase } from '../lib/data.ts'
import type { Started } from '../lib/process.ts'
import { call, get, type Person, register, startProduct } from '../lib/product.ts'
import { round, whole } from '../lib/report.ts'

export const SIZE = 20
/** Rows of an ordinary user, in tables of any size. */
const OWN = 1000
const CONNECTIONS = 4
const GOAL = 1.5
/** Number of different pages that are requested in turn. */
const DIFFERENT = 500
const LISTS = [
  { name: 'codes', path: `/api/qr-codes?size=${SIZE}` },
  { name: 'scan records', path: `/api/scan-records?size=${SIZE}` },
] as const

export interface Table {
  rows: number
  server: Started
  /** Owns `OWN` rows in a table of any size. */
  one: Person
  /** Owns `rows` codes and scan records. */
  all: Person
}

interface CodesTable extends Table {
  /** Owns an organization with `rows` codes. */
  boss: Person
  orgId: number
}

export async function run(bench: Bench): Promise<void> {
  const sizes = bench.smoke ? [1000, 2000] : [1000, 100_000, 1_000_000]
  const tables: CodesTable[] = []
  for (const rows of sizes) tables.push(await table(bench, rows))

  for (const { name, path } of LISTS) {
    const by = (where: string): string => `${where} of ${name}, user owning all rows`
    await atStart(bench, tables, name, path)
    await against(bench, tables, `page of ${name}, user with ${whole(OWN)} rows`, (t) => [t.one, [path]])
    await against(bench, tables, by('first page'), (t) => [t.all, [path]])
    await against(bench, tables, by('last page'), (t) => [t.all, [onPage(path, t.rows / SIZE)]])
    await against(bench, tables, by('scattered pages'), (t) => [t.all, scattered(path, t.rows / SIZE)])
  }
  const ends = [tables[0]!, tables.at(-1)!]
  const codes = LISTS[0].path
  for (const sort of ['-createdAt', 'updatedAt', 'name', '-scanCount']) {
    await against(bench, ends, `first page by ${sort}, user`, (t) => [t.all, [`${codes}&sort=${sort}`]])
    await against(bench, ends, `scattered pages by ${sort}, user`, (t) => [
      t.all,
      scattered(`${codes}&sort=${sort}`, t.rows / SIZE),
    ])
  }
  const ofOrg = (t: CodesTable): string => `${codes}&orgId=${t.orgId}`
  await against(bench, ends, 'first page, organization', (t) => [t.boss, [ofOrg(t)]])
  await against(bench, ends, 'scattered pages, organization', (t) => [t.boss, scattered(ofOrg(t), t.rows / SIZE)])
  await against(bench, ends, 'scattered pages by -name, organization', (t) => [
    t.boss,
    scattered(`${ofOrg(t)}&sort=-name`, t.rows / SIZE),
  ])
  for (const { rows, server } of tables) {
    await server.kill()
    rmSync(fileIn(bench, `rows-${rows}`), { recursive: true, force: true })
  }
}

const onPage = (path: string, page: number): string => `${path}&page=${Math.floor(page)}`

/** Different pages, so that none profits from the previous one. */
const scattered = (path: string, pages: number): string[] =>
  Array.from({ length: Math.min(pages, DIFFERENT) }, (_, i) => onPage(path, 1 + ((i * 7919) % pages)))

/**
 * The first and then the last page requested after a start, when nothing is in memory. They are single requests, so they have no
 * goal.
 */
async function atStart(bench: Bench, tables: Table[], name: string, path: string): Promise<void> {
  for (const where of ['first', 'last']) {
    const took: number[] = []
    for (const { rows, server, all } of tables) {
      const startedAt = performance.now()
      await call(server, 'GET', onPage(path, where === 'first' ? 1 : rows / SIZE), all.headers)
      took.push(performance.now() - startedAt)
    }
    for (const [i, { rows }] of tables.entries())
      if (i > 0)
        bench.report.value(
          `${where} page of ${name} right after a start, user owning ${whole(rows)} rows`,
          `${round(took[i]!)} ms`,
          took[i]! / took[0]!,
          `${whole(tables[0]!.rows)} rows`,
          `${round(took[0]!)} ms`,
        )
  }
}

/** Compares CPU per request of each size with that of the smallest table. */
export async function against<T extends Table>(
  bench: Bench,
  tables: T[],
  what: string,
  ask: (t: T) => [Person, string[]],
): Promise<void> {
  // The first request of an order builds its index, which may take longer than the warm-up.
  for (const t of tables) {
    const [person, [path]] = ask(t)
    const { items } = (await call(t.server, 'GET', path!, person.headers)) as { items?: unknown[] }
    if (items !== undefined && items.length < SIZE)
      throw new Error(`${what}: a page of ${items.length} items cannot be compared with one of ${SIZE}`)
  }
  const contenders: Contender[] = tables.map((t) => {
    const [person, paths] = ask(t)
    return {
      name: String(t.rows),
      pid: t.server.pid,
      load: { port: t.server.port, requests: paths.map((path) => get(path, person.headers)), connections: CONNECTIONS },
    }
  })
  const rounds = bench.smoke
    ? { rounds: 1, seconds: 0.2, warmUpSeconds: 0.1 }
    : { rounds: 3, seconds: 1, warmUpSeconds: 1 }
  const of = await measure(bench, contenders, rounds)
  const small = of(String(tables[0]!.rows))
  for (const { rows } of tables.slice(1)) {
    const big = of(String(rows))
    const us = (n: number): string => `${whole(n)} µs`
    bench.report.value(
      `${what}, ${whole(rows)} in the table`,
      us(big.cpuUs),
      big.cpuUs / small.cpuUs,
      `${whole(tables[0]!.rows)} in the table`,
      us(small.cpuUs),
      { max: GOAL },
    )
  }
}

async function table(bench: Bench, rows: number): Promise<CodesTable> {
  const dataDir = fileIn(bench, `rows-${rows}`)
  mkdirSync(dataDir, { recursive: true })
  const first = await startProduct(dataDir)
  const one = await register(first, 'one')
  const all = await register(first, 'all', 'bench-device-of-the-owner-of-all')
  const boss = await register(first, 'boss', 'bench-device-of-the-owner-of-the-organization')
  const org = (await call(first, 'POST', '/api/orgs', boss.headers, { name: 'Everything' })) as { id: number }
  await first.stop()
  const db = openDatabase(dataDir)
  addCodes(db, one.userId, Math.min(OWN, rows))
  addScanRecords(db, one.userId, Math.min(OWN, rows))
  addCodes(db, all.userId, rows)
  addScanRecords(db, all.userId, rows)
  addCodes(db, boss.userId, rows, org.id)
  for (const userId of addUsers(db, 10)) addCodes(db, userId, 20)
  closeDatabase(db)
  const server = bench.own(await startProduct(dataDir))
  return { rows, server, one, all, boss, orgId: org.id }
}
