/** The latency of other requests while 200 users sign in at once: password hashing must not starve them. */

import { mkdirSync } from 'node:fs'

import { type Bench, fileIn } from '../lib/bench.ts'
import { startLoad } from '../lib/load-client.ts'
import { request } from '../lib/load-spec.ts'
import { get, PASSWORD, register, startProduct } from '../lib/product.ts'
import { round, times } from '../lib/report.ts'
import { median } from '../lib/stats.ts'

const WAITING = 200
/** The other requests: 16 phones with together about 3,000 requests per second, far below the capacity of the server. */
const OTHERS = { connections: 16, pauseMs: 5 }

export async function run(bench: Bench): Promise<void> {
  const dataDir = fileIn(bench, 'logins')
  mkdirSync(dataDir, { recursive: true })
  const product = bench.own(await startProduct(dataDir))
  const other = await register(product, 'other')
  await register(product, 'crowd', 'bench-device-of-the-crowd-01')
  const login = request('POST', '/api/auth/login', {}, { account: 'crowd', password: PASSWORD })
  const others = { port: product.port, requests: [get('/api/auth/userinfo', other.headers)], ...OTHERS }
  const seconds = bench.smoke ? 0.3 : 4
  const crowd = startLoad()
  const idle: number[] = []
  const busy: number[] = []
  let signedIn = 0
  let signedInSeconds = 0
  try {
    for (let round = 0; round < (bench.smoke ? 1 : 3); round++) {
      idle.push((await bench.load.run({ ...others, seconds })).p99Ms)
      const logins = crowd.run({ port: product.port, requests: [login], connections: WAITING, seconds: seconds + 1 })
      await Bun.sleep(500)
      busy.push((await bench.load.run({ ...others, seconds })).p99Ms)
      const result = await logins
      const refused = Object.keys(result.statuses).filter((status) => status !== '200')
      if (refused.length > 0)
        throw new Error(`logins answered ${JSON.stringify(result.statuses)}: ${result.firstAnswer}`)
      signedIn += result.requests
      signedInSeconds += result.seconds
      // Waits until the logins that were pending when the generator disconnected are done.
      await Bun.sleep(bench.smoke ? 100 : 8000)
    }
  } finally {
    crowd.stop()
  }
  const [quiet, loud] = [median(idle), median(busy)]
  bench.report.value(
    `p99 of other requests while ${WAITING} logins wait (${round(signedIn / signedInSeconds)} logins/s)`,
    `${round(loud)} ms`,
    loud / quiet,
    'the same server without logins',
    `${round(quiet)} ms`,
    { max: 3 },
  )
  bench.report.note(
    `p99 per round: without logins ${idle.map(round).join(', ')} ms; with logins ${busy.map(round).join(', ')} ms: ${times(loud / quiet)}.`,
  )
}
