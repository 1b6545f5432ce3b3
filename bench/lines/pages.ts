/** The cost of a page of 20 with its total must not grow with the table: first, middle and last page at three sizes. */
import { mkdirSync, rmSync } from 'node:fs'

import { type Bench, fileIn, measure } from '../lib/bench.ts'
import type { Contender } from '../lib/compare.ts'
import { addCodes, addScanRecords, addUsers, closeDatabase, openDatabase } from '../lib/data.ts'
import type { Started } from '../lib/process.ts'
import { get, type Person, register, startProduct } from '../lib/product.ts'
import { whole } from '../lib/report.ts'

const SIZE = 20
/** A library somebody really scrolls, in tables of any size. */
const OWN = 1000
const CONNECTIONS = 4
const GOAL = 1.5

interface Table {
  rows: number
  server: Started
  /** Owns `OWN` rows, whatever the table holds. */
  one: Person
  /** Owns every row of the table. */
  all: Person
}

export async function run(bench: Bench): Promise<void> {
  const sizes = bench.smoke ? [1000, 2000] : [1000, 100_000, 1_000_000]
  const tables: Table[] = []
  for (const rows of sizes) tables.push(await table(bench, rows))

  const lists = [
    { name: 'codes', path: '/api/qr-codes' },
    { name: 'scan records', path: '/api/scan-records' },
  ]
  for (const { name, path } of lists) {
    await against(bench, tables, `page of ${name}, user with ${whole(OWN)} rows`, (t) => [
      t.one,
      `${path}?size=${SIZE}`,
    ])
    for (const where of ['first', 'middle', 'last'] as const)
      await against(bench, tables, `${where} page of ${name}, user owning all rows`, (t) => [
        t.all,
        `${path}?size=${SIZE}&page=${pageNumber(where, t.rows)}`,
      ])
  }
  for (const { rows, server } of tables) {
    await server.kill()
    rmSync(fileIn(bench, `rows-${rows}`), { recursive: true, force: true })
  }
}

const pageNumber = (where: 'first' | 'middle' | 'last', rows: number): number =>
  where === 'first' ? 1 : where === 'middle' ? Math.floor(rows / SIZE / 2) : Math.floor(rows / SIZE)

async function against(
  bench: Bench,
  tables: Table[],
  what: string,
  ask: (t: Table) => [Person, string],
): Promise<void> {
  const contenders: Contender[] = tables.map((t) => {
    const [person, path] = ask(t)
    return {
      name: String(t.rows),
      pid: t.server.pid,
      load: { port: t.server.port, requests: [get(path, person.headers)], connections: CONNECTIONS },
    }
  })
  const of = await measure(bench, contenders, {
    ...bench.rounds,
    rounds: bench.smoke ? 1 : 3,
    seconds: bench.smoke ? 0.2 : 1,
  })
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

async function table(bench: Bench, rows: number): Promise<Table> {
  const dataDir = fileIn(bench, `rows-${rows}`)
  mkdirSync(dataDir, { recursive: true })
  const first = await startProduct(dataDir)
  const one = await register(first, 'one')
  const all = await register(first, 'all', 'bench-device-of-the-owner-of-all')
  await first.stop()
  const db = openDatabase(dataDir)
  addCodes(db, one.userId, Math.min(OWN, rows))
  addScanRecords(db, one.userId, Math.min(OWN, rows))
  addCodes(db, all.userId, rows)
  addScanRecords(db, all.userId, rows)
  for (const userId of addUsers(db, 10)) addCodes(db, userId, 20)
  closeDatabase(db)
  const server = bench.own(await startProduct(dataDir))
  return { rows, server, one, all }
}
