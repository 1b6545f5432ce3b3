/** The cost of a request with an API key, against the same request of the same user with a token, in turns on one server. */

import { mkdirSync } from 'node:fs'

import { type Bench, fileIn, measure } from '../lib/bench.ts'
import { call, get, register, startProduct } from '../lib/product.ts'
import { round } from '../lib/report.ts'

const CONNECTIONS = 64
/** The contract: microseconds of CPU that a request with a key may cost more. */
const MAX_MORE = 20

export async function run(bench: Bench): Promise<void> {
  const dataDir = fileIn(bench, 'keys')
  mkdirSync(dataDir)
  const server = bench.own(await startProduct(dataDir))
  const person = await register(server, 'keys')
  const made = (await call(server, 'POST', '/api/auth/api-keys', person.headers, {
    name: 'Bench',
    points: ['category:read', 'qr_code:read', 'asset:read'],
  })) as { key: string }
  const byKey = { Authorization: `Bearer ${made.key}` }
  const asked = (name: string, path: string, headers: Record<string, string>) => ({
    name,
    pid: server.pid,
    load: { port: server.port, requests: [get(path, headers)], connections: CONNECTIONS },
  })
  for (const [what, path] of [
    ['a list without rows', '/api/categories'],
    ['a list of a user or an organization', '/api/qr-codes'],
  ] as const) {
    const of = await measure(bench, [asked('token', path, person.headers), asked('key', path, byKey)])
    const [token, key] = [of('token'), of('key')]
    const micros = (figures: typeof token) => figures.cpuUs
    bench.report.value(
      `GET ${path} with an API key (${what}): more CPU`,
      `${round(micros(key))} µs`,
      micros(key) - micros(token),
      'with a token',
      `${round(micros(token))} µs`,
      { max: MAX_MORE },
      ' µs',
    )
  }
}
