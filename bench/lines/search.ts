/** A hostile search of many large codes: how much longer it takes than a harmless one, and how long others wait meanwhile. */

import { mkdirSync } from 'node:fs'

import { type Bench, fileIn } from '../lib/bench.ts'
import { addCodes, closeDatabase, openDatabase } from '../lib/data.ts'
import { call, type Person, register, startProduct } from '../lib/product.ts'
import { round, whole } from '../lib/report.ts'
import { median } from '../lib/stats.ts'

/** Almost matches at every position of a content of the letter a. */
const HOSTILE = `${'a'.repeat(99)}b`
const HARMLESS = 'z'.repeat(100)
/** Searches that run at once. Each needs a user, because the searches of one user wait for each other. */
const ATTACKERS = 4

export async function run(bench: Bench): Promise<void> {
  const codes = bench.smoke ? 500 : 5000
  const rounds = bench.smoke ? 2 : 5
  const dataDir = fileIn(bench, 'search')
  mkdirSync(dataDir, { recursive: true })
  const first = await startProduct(dataDir)
  const attackers: Person[] = []
  for (let i = 0; i < ATTACKERS; i++)
    attackers.push(await register(first, `attacker${i}`, `bench-device-of-attacker-${i}`))
  const one = await register(first, 'one')
  await first.stop()
  const db = openDatabase(dataDir)
  for (const { userId } of attackers) addCodes(db, userId, codes)
  db.run(`UPDATE qr_codes SET content = printf('%.*c', 2900, 'a'), remark = printf('%.*c', 2000, 'a')`)
  addCodes(db, one.userId, 100)
  closeDatabase(db)

  const server = bench.own(await startProduct(dataDir))
  const search = (person: Person, keyword: string): Promise<unknown> =>
    call(server, 'GET', `/api/qr-codes?keyword=${keyword}`, person.headers)
  const health = (): Promise<unknown> => fetch(`http://127.0.0.1:${server.port}/actuator/health`).then((r) => r.text())

  const hostile: number[] = []
  const harmless: number[] = []
  for (let i = 0; i < rounds; i++) {
    harmless.push(await timed(() => search(attackers[0]!, HARMLESS)))
    hostile.push(await timed(() => search(attackers[0]!, HOSTILE)))
  }
  compare(
    bench,
    `search of ${whole(codes)} codes of 5 KB for a keyword that almost matches`,
    median(hostile),
    'that differs',
    median(harmless),
    10,
  )

  const during = async (request: () => Promise<unknown>): Promise<number> => {
    const waits: number[] = []
    const state = { running: true }
    const attack = Promise.all(attackers.map((person) => search(person, HOSTILE))).finally(() => {
      state.running = false
    })
    while (state.running) waits.push(await timed(request))
    await attack
    return median(waits)
  }
  for (const [what, request] of [
    ['health check', health],
    ["another user's search of 100 codes", () => search(one, 'product')],
  ] as const) {
    const alone: number[] = []
    const busy: number[] = []
    for (let i = 0; i < rounds; i++) {
      alone.push(await timed(request))
      busy.push(await during(request))
    }
    compare(bench, `${what} during ${ATTACKERS} such searches`, median(busy), 'alone', median(alone))
  }
}

async function timed(request: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await request()
  return performance.now() - startedAt
}

function compare(bench: Bench, what: string, ms: number, against: string, theirs: number, max?: number): void {
  const goal = max === undefined ? undefined : { max }
  bench.report.value(what, `${round(ms)} ms`, ms / theirs, against, `${round(theirs)} ms`, goal)
}
