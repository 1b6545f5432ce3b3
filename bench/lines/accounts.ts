/** Logins per second while 64 are always waiting, the latency of other requests meanwhile, and refresh-token exchanges per second. */

import { mkdirSync } from 'node:fs'

import { type Bench, fileIn } from '../lib/bench.ts'
import { startLoad } from '../lib/load-client.ts'
import { request } from '../lib/load-spec.ts'
import { call, get, PASSWORD, register, startProduct } from '../lib/product.ts'
import { round } from '../lib/report.ts'
import { median } from '../lib/stats.ts'

const WAITING = 64
/** 16 phones, together about 3,000 requests a second. */
const OTHERS = { connections: 16, pauseMs: 5 }
/** Acceptable latency of other requests. */
const MAX_P99_MS = 100
/** Sessions refreshed in parallel. A refresh token works once, so each exchange of a session waits for the previous one. */
const REFRESHING = 64

export async function run(bench: Bench): Promise<void> {
  const dataDir = fileIn(bench, 'accounts')
  mkdirSync(dataDir, { recursive: true })
  const product = bench.own(await startProduct(dataDir))
  const other = await register(product, 'other')
  await register(product, 'crowd', 'bench-device-of-the-crowd-01')
  const login = request('POST', '/api/auth/login', {}, { account: 'crowd', password: PASSWORD })
  const others = { port: product.port, requests: [get('/api/auth/userinfo', other.headers)], ...OTHERS }
  const seconds = bench.smoke ? 0.3 : 4
  const crowd = startLoad()
  const p99s: number[] = []
  let logins = 0
  let loginSeconds = 0
  try {
    for (let i = 0; i < (bench.smoke ? 1 : 3); i++) {
      const signing = crowd.run({ port: product.port, requests: [login], connections: WAITING, seconds: seconds + 1 })
      await Bun.sleep(500)
      p99s.push((await bench.load.run({ ...others, seconds })).p99Ms)
      const result = await signing
      const refused = Object.keys(result.statuses).filter((status) => status !== '200')
      if (refused.length > 0)
        throw new Error(`logins answered ${JSON.stringify(result.statuses)}: ${result.firstAnswer}`)
      logins += result.requests
      loginSeconds += result.seconds
      // Waits until the logins that were pending when the generator disconnected are done.
      await Bun.sleep(bench.smoke ? 100 : 3000)
    }
  } finally {
    crowd.stop()
  }
  const perSecond = logins / loginSeconds
  const p99 = median(p99s)
  bench.report.value(
    `p99 of other requests while ${WAITING} logins wait (${round(perSecond)} logins/s)`,
    `${round(p99)} ms`,
    p99 / MAX_P99_MS,
    'the limit',
    `${MAX_P99_MS} ms`,
    { max: 1 },
  )

  const tokens: string[] = []
  for (let i = 0; i < REFRESHING; i++) {
    const name = { 'x-device-id': `bench-device-that-refreshes-${i}` }
    const session = (await call(product, 'POST', '/api/auth/device-login', name, {})) as { refreshToken: string }
    tokens.push(session.refreshToken)
  }
  const until = performance.now() + seconds * 1000
  const startedAt = performance.now()
  let exchanges = 0
  await Promise.all(
    tokens.map(async (token) => {
      for (let refreshToken = token; performance.now() < until; exchanges++)
        ({ refreshToken } = (await call(product, 'POST', '/api/auth/refresh', {}, { refreshToken })) as {
          refreshToken: string
        })
    }),
  )
  const refreshes = (exchanges / (performance.now() - startedAt)) * 1000
  bench.report.value(
    `refresh-token exchanges, ${REFRESHING} sessions`,
    `${round(refreshes)}/s`,
    refreshes / perSecond,
    'logins on the same server',
    `${round(perSecond)}/s`,
    { min: 10 },
  )
  bench.report.note(
    'The refresh-token exchanges are sent with `fetch` by the benchmark itself, which costs as much CPU as the server.',
  )
}
