/** The cost of TLS: the same small answer with and without it, and other clients while one connects again and again. */

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'

import { type Bench, fileIn, measure } from '../lib/bench.ts'
import type { Started } from '../lib/process.ts'
import { get, ROOT, startProduct } from '../lib/product.ts'
import { round } from '../lib/report.ts'

const CONNECTIONS = 32
/** Who are served while another client connects. */
const OTHERS = 8
const PATH = '/api/server'
const TLS = join(ROOT, 'test/harness/tls')

export async function run(bench: Bench): Promise<void> {
  const [plain, tls] = [await start(bench, 'plain'), await start(bench, 'tls')]
  const contender = (name: string, { pid, port }: Started, isTls: boolean, connections = CONNECTIONS) => ({
    name,
    pid,
    load: { port, requests: [get(PATH)], connections, isTls },
  })
  const of = await measure(bench, [contender('https', tls, true), contender('http', plain, false)])
  bench.report.http(`GET ${PATH} by https`, 'http', of('https'), of('http'), 'rate', 0.75)
  const more = of('https').cpuUs - of('http').cpuUs
  bench.report.value('CPU of TLS for a request', `${round(more)} µs`, more, 'at most', '4 µs', { max: 4 }, ' µs')

  // Some requests a second each, so that what they wait for is the handshakes.
  const calm = contender('others', tls, true, OTHERS)
  const seconds = bench.smoke ? 0.2 : 5
  const others = bench.load.run({ ...calm.load, pauseMs: 20, seconds })
  const made = await connectFor(tls.port, seconds)
  const { p99Ms } = await others
  bench.report.value(
    `${OTHERS} clients while another connects ${Math.round(made / seconds)} times a second, p99`,
    `${round(p99Ms)} ms`,
    p99Ms,
    'at most',
    '10 ms',
    { max: 10 },
    ' ms',
  )
}

async function start(bench: Bench, name: 'plain' | 'tls'): Promise<Started> {
  const dataDir = fileIn(bench, name)
  mkdirSync(dataDir, { recursive: true })
  const files = {
    TESSERA_TLS_CERT: join(TLS, 'localhost-1.cert.pem'),
    TESSERA_TLS_KEY: join(TLS, 'localhost-1.key.pem'),
    TESSERA_PUBLIC_URL: 'https://localhost',
  }
  return bench.own(await startProduct(dataDir, name === 'tls' ? { env: files } : {}))
}

/** Full handshakes, one after the other. Returns their number. */
async function connectFor(port: number, seconds: number): Promise<number> {
  let made = 0
  for (const end = performance.now() + seconds * 1000; performance.now() < end; made++)
    await new Promise<void>((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => socket.end())
      socket.on('error', reject).on('close', () => resolve())
    })
  return made
}
