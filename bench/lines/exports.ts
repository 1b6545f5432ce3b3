/** The latency of other requests while two users export pictures of their codes: drawing them must not starve the others. */

import { mkdirSync } from 'node:fs'

import { type Bench, fileIn } from '../lib/bench.ts'
import { addCodes, closeDatabase, openDatabase } from '../lib/data.ts'
import { get, type Person, register, startProduct } from '../lib/product.ts'
import { round } from '../lib/report.ts'
import { median } from '../lib/stats.ts'

/** Codes in one export: seconds of work at this size of pictures. */
const CODES = 2000
const PICTURE = 1024
/** The other requests: 16 phones with together about 3,000 requests per second, far below the capacity of the server. */
const OTHERS = { connections: 16, pauseMs: 5 }

export async function run(bench: Bench): Promise<void> {
  const dataDir = fileIn(bench, 'exports')
  mkdirSync(dataDir, { recursive: true })
  const setUp = await startProduct(dataDir)
  const other = await register(setUp, 'other', 'bench-device-of-the-other-01')
  const exporting: Person[] = []
  for (const name of ['exporter1', 'exporter2']) exporting.push(await register(setUp, name, `bench-device-of-${name}`))
  await setUp.stop()
  const codes = bench.smoke ? 20 : CODES
  const db = openDatabase(dataDir)
  for (const { userId } of exporting) addCodes(db, userId, codes)
  closeDatabase(db)

  const product = bench.own(await startProduct(dataDir))
  const others = { port: product.port, requests: [get('/api/auth/userinfo', other.headers)], ...OTHERS }
  const seconds = bench.smoke ? 0.3 : 4
  const idle: number[] = []
  const busy: number[] = []
  const exports: number[] = []
  for (let i = 0; i < (bench.smoke ? 1 : 3); i++) {
    idle.push((await bench.load.run({ ...others, seconds })).p99Ms)
    const measured = new AbortController()
    const running = exporting.map(async ({ headers }) => {
      while (!measured.signal.aborted) {
        const startedAt = performance.now()
        const response = await fetch(`http://127.0.0.1:${product.port}/api/qr-codes/batch/export`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify({ format: 'zip', size: PICTURE }),
        })
        if (response.status !== 200) throw new Error(`an export answered ${response.status}: ${await response.text()}`)
        await response.arrayBuffer()
        exports.push(performance.now() - startedAt)
      }
    })
    busy.push((await bench.load.run({ ...others, seconds })).p99Ms)
    measured.abort()
    await Promise.all(running)
  }
  const [quiet, loud] = [median(idle), median(busy)]
  bench.report.value(
    `p99 of other requests while two users export ${codes} pictures each (${round(median(exports))} ms an export)`,
    `${round(loud)} ms`,
    loud / quiet,
    'the same server without exports',
    `${round(quiet)} ms`,
  )
}
