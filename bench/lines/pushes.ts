/** Pushes of 1,000 records from a device, and the reads of another user meanwhile, against a bare server that writes the same rows. */

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

import { type Bench, fileIn } from '../lib/bench.ts'
import { type Started, startServer } from '../lib/process.ts'
import { call, register, ROOT, startProduct } from '../lib/product.ts'
import { round, whole } from '../lib/report.ts'
import { median, percentile } from '../lib/stats.ts'

const RECORDS = 1000
/** Milliseconds between two reads. */
const READ_EVERY = 2

interface Side {
  readonly name: 'Tessera' | 'one transaction, hand-written'
  readonly server: Started
  readonly headers: Record<string, string>
  readonly reader: Record<string, string>
}

export async function run(bench: Bench): Promise<void> {
  const sides = [await product(bench), await peer(bench)]
  const records = bench.smoke ? 50 : RECORDS
  const times = new Map<string, number[]>()
  const waits = new Map<string, number[]>()
  const keyOf = (side: Side, what: string) => `${side.name} ${what}`
  for (let i = 0; i <= (bench.smoke ? 1 : 7); i++)
    for (const side of sides)
      for (const what of ['new', 'updates'] as const) {
        const reads = startReading(side)
        const ms = await push(side, i, what, records)
        const latencies = await reads.stop()
        // The first round warms up.
        if (i === 0) continue
        const key = keyOf(side, what)
        times.set(key, [...(times.get(key) ?? []), ms])
        waits.set(key, [...(waits.get(key) ?? []), ...latencies])
      }
  const [ours, theirs] = sides as [Side, Side]
  for (const what of ['new', 'updates'] as const) {
    const name = `push of ${whole(records)} ${what === 'new' ? 'new QR codes' : 'updates of QR codes'}`
    const [a, b] = [median(times.get(keyOf(ours, what))!), median(times.get(keyOf(theirs, what))!)]
    bench.report.value(name, `${round(a)} ms`, b / a, theirs.name, `${round(b)} ms`)
    const p99 = (side: Side) =>
      percentile(
        waits.get(keyOf(side, what))!.toSorted((x, y) => x - y),
        0.99,
      )
    const [ourWait, theirWait] = [p99(ours), p99(theirs)]
    bench.report.value(
      `${name}, p99 of reads meanwhile`,
      `${round(ourWait)} ms`,
      theirWait / ourWait,
      theirs.name,
      `${round(theirWait)} ms`,
    )
  }
}

async function product(bench: Bench): Promise<Side> {
  const dataDir = fileIn(bench, 'product')
  mkdirSync(dataDir, { recursive: true })
  const server = bench.own(await startProduct(dataDir))
  const { headers } = await register(server, 'pusher')
  const reader = await register(server, 'reader', 'bench-device-of-the-reader-0123456789')
  await call(server, 'POST', '/api/qr-codes', reader.headers, { name: 'read', content: 'https://example.org/read' })
  return { name: 'Tessera', server, headers, reader: reader.headers }
}

async function peer(bench: Bench): Promise<Side> {
  const dataDir = fileIn(bench, 'peer')
  mkdirSync(dataDir, { recursive: true })
  const command = [process.execPath, join(ROOT, 'bench/servers/pushes.ts')]
  const server = bench.own(await startServer(command, { BENCH_DATA_DIR: dataDir }))
  return { name: 'one transaction, hand-written', server, headers: {}, reader: {} }
}

/** Milliseconds until the answer. */
async function push(side: Side, nth: number, what: 'new' | 'updates', count: number): Promise<number> {
  const records = Array.from({ length: count }, (_, i) => ({
    entity: 'qrCode',
    localId: `${nth} ${i}`,
    baseVersion: what === 'new' ? 0 : 1,
    updatedAt: Date.now(),
    data:
      what === 'new'
        ? { name: `Label ${i}`, content: `https://example.org/${nth}/${i}` }
        : { remark: `changed on the way ${i}` },
  }))
  const startedAt = performance.now()
  const { results } = (await call(side.server, 'POST', '/api/sync/push', side.headers, { records })) as {
    results: { status: string }[]
  }
  const ms = performance.now() - startedAt
  if (results.length !== count || results.some(({ status }) => status !== 'APPLIED'))
    throw new Error(`${side.name} did not apply all records`)
  return ms
}

/** Reads a QR code again and again. `stop` returns the milliseconds of each read. */
function startReading({ server, reader }: Side): { stop(): Promise<number[]> } {
  const latencies: number[] = []
  const state = { isRunning: true }
  const reading = (async () => {
    while (state.isRunning) {
      const startedAt = performance.now()
      await call(server, 'GET', '/api/qr-codes/1', reader)
      latencies.push(performance.now() - startedAt)
      await Bun.sleep(READ_EVERY)
    }
  })()
  return {
    async stop() {
      state.isRunning = false
      await reading
      return latencies
    },
  }
}
