/** Links beside other requests: a minute in which 1,000 people a second scan one code, and an import of 10,000 links. */

import { Database } from 'bun:sqlite'
import { mkdirSync } from 'node:fs'

import { type Bench, fileIn } from '../lib/bench.ts'
import { databaseFile } from '../lib/data.ts'
import { startLoad } from '../lib/load-client.ts'
import type { Started } from '../lib/process.ts'
import { call, get, type Person, register, startProduct } from '../lib/product.ts'
import { round, whole } from '../lib/report.ts'

/** Phones that scan one after the other: together about `RATE` a second. */
const CONNECTIONS = 64
const RATE = 1000
const PHONE = {
  'User-Agent':
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36',
  'Accept-Language': 'de-AT,de;q=0.9,en;q=0.8',
}
/** The other requests, far below the capacity of the server. */
const OTHERS = { connections: 4, pauseMs: 5 }
const ROWS = 10_000
const MAX_IMPORT_SECONDS = 20
const MAX_GROWTH_KB = 100

export async function run(bench: Bench): Promise<void> {
  const dataDir = fileIn(bench, 'links')
  mkdirSync(dataDir, { recursive: true })
  const product = bench.own(await startProduct(dataDir))
  const me = await register(product, 'importer')
  const owner = await register(product, 'owner', 'bench-device-of-the-owner-01')
  const others = { port: product.port, requests: [get('/api/auth/userinfo', owner.headers)], ...OTHERS }
  const readOthers = (seconds: number) => bench.load.run({ ...others, seconds })
  const idle = await readOthers(bench.smoke ? 0.2 : 10)

  const body = { name: 'Menu', content: 'https://example.org/menu', isDynamic: true, isPublic: true }
  const { slug } = (await call(product, 'POST', '/api/qr-codes', owner.headers, body)) as { slug: string }
  const seconds = bench.smoke ? 1.5 : 60
  const before = sizeOf(dataDir)
  const phones = startLoad()
  const [scans, busy] = await Promise.all([
    phones.run({
      port: product.port,
      requests: [get(`/q/${slug}`, PHONE)],
      connections: CONNECTIONS,
      pauseMs: (1000 * CONNECTIONS) / RATE,
      seconds,
    }),
    readOthers(seconds),
  ])
  phones.stop()
  const counted = await countedScans(product, owner)
  // Requests that were under way at the end are counted too.
  if (counted < scans.requests || counted > scans.requests + CONNECTIONS)
    throw new Error(`${scans.requests} scans were answered, and ${counted} were counted`)
  const grown = (sizeOf(dataDir) - before) / 1000
  const what = `${whole(scans.requests)} scans of one code in ${round(seconds)} s`
  const { report } = bench
  const slower = busy.p99Ms / idle.p99Ms
  report.value(
    `p99 of other requests during ${what}`,
    `${round(busy.p99Ms)} ms`,
    slower,
    'idle',
    `${round(idle.p99Ms)} ms`,
    { max: 3 },
  )
  report.value(`growth of the database in ${what}`, `${round(grown)} KB`, grown, '', '', { max: MAX_GROWTH_KB }, 'KB')
  await importing(bench, product, me, { readOthers, idleMs: idle.p99Ms })
}

/** Bytes of the database with its log. */
function sizeOf(dataDir: string): number {
  using db = new Database(databaseFile(dataDir), { readonly: true })
  return db
    .query<{ n: number }, []>('SELECT page_count * page_size AS n FROM pragma_page_count, pragma_page_size')
    .get()!.n
}

async function countedScans(product: Started, { headers }: Person): Promise<number> {
  const { items } = (await call(product, 'GET', '/api/qr-codes', headers)) as { items: { scanCount: number }[] }
  return items[0]!.scanCount
}

interface Beside {
  readonly readOthers: (seconds: number) => Promise<{ readonly p99Ms: number }>
  readonly idleMs: number
}

async function importing(
  { report, smoke }: Bench,
  product: Started,
  { headers }: Person,
  { readOthers, idleMs }: Beside,
): Promise<void> {
  const count = smoke ? 100 : ROWS
  const rows = Array.from({ length: count }, (_, i) => `Product ${i},https://example.org/p/${i},product-${i},${i}`)
  const form = new FormData()
  form.set('file', new File([['title,long_url,slug,clicks', ...rows].join('\n')], 'links.csv', { type: 'text/csv' }))
  const started = performance.now()
  const running = fetch(`http://127.0.0.1:${product.port}/api/qr-codes/import`, { method: 'POST', headers, body: form })
  const ended = running.then(() => (performance.now() - started) / 1000)
  const busy = await readOthers(smoke ? 0.2 : 3)
  const response = await running
  const text = await response.text()
  if (response.status !== 200 || !text.includes(`"created":${count}`))
    throw new Error(`the import answered ${response.status}: ${text.slice(0, 500)}`)
  const seconds = await ended
  const what = `import of ${whole(count)} links`
  report.value(what, `${round(seconds)} s`, seconds, '', '', { max: MAX_IMPORT_SECONDS }, 's')
  report.value(
    `p99 of other requests during the ${what}`,
    `${round(busy.p99Ms)} ms`,
    busy.p99Ms / idleMs,
    'idle',
    `${round(idleMs)} ms`,
  )
}
