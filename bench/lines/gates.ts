/** The cost of access control: an endpoint that needs a session or a permission against an open one, and the checks alone. */

import { decodeJwt, jwtVerify, SignJWT } from 'jose'

import { type Bench, fileIn, measure } from '../lib/bench.ts'
import { call, get, register, startGates } from '../lib/product.ts'
import { round } from '../lib/report.ts'
import { median } from '../lib/stats.ts'

const CONNECTIONS = 64
/** Verifications of the peer in one timing: 20 µs each. */
const PEER_CHECKS = 20_000

export async function run(bench: Bench): Promise<void> {
  const server = bench.own(await startGates(fileIn(bench, 'gates')))
  const { headers, token } = await register(server, 'bench')
  const contender = (name: string, path: string, given: Record<string, string>) => ({
    name,
    pid: server.pid,
    load: { port: server.port, requests: [get(path, given)], connections: CONNECTIONS },
  })
  const of = await measure(bench, [
    // All of them get the same bytes, so that reading headers makes no difference.
    contender('open', '/api/bench/open', headers),
    contender('signed in', '/api/bench/signed-in', headers),
    contender('permitted', '/api/bench/permitted', headers),
  ])
  bench.report.http('trivial endpoint, signed in', 'trivial endpoint, open', of('signed in'), of('open'), 'cpu', 0.85)
  bench.report.http(
    'trivial endpoint, signed in with permission',
    'trivial endpoint, open',
    of('permitted'),
    of('open'),
    'cpu',
  )

  const checks: number[] = []
  const verifications: number[] = []
  for (let i = 0; i < (bench.smoke ? 1 : 5); i++) {
    checks.push(((await call(server, 'GET', '/api/bench/token-check', headers)) as { us: number }).us)
    verifications.push(await timeVerification(token))
  }
  const [ours, theirs] = [median(checks), median(verifications)]
  bench.report.value(
    'token, session and device check, cached',
    `${round(ours)} µs`,
    ours,
    'jwtVerify of jose for each request',
    `${round(theirs)} µs`,
    { max: 1.5 },
    'µs',
  )

  const permission = (await call(server, 'GET', '/api/bench/permission-check', headers)) as {
    cached: number
    cold: number
  }
  bench.report.value(
    'permission check, cached',
    `${round(permission.cached)} µs`,
    permission.cached,
    'the same, reading the user and the role from the database',
    `${round(permission.cold)} µs`,
    undefined,
    'µs',
  )
}

/** Microseconds to verify a token with the same claims, without anything else. */
async function timeVerification(token: string): Promise<number> {
  const key = crypto.getRandomValues(new Uint8Array(32))
  const resigned = await new SignJWT(decodeJwt(token)).setProtectedHeader({ alg: 'HS256' }).sign(key)
  const startedAt = Bun.nanoseconds()
  for (let i = 0; i < PEER_CHECKS; i++) await jwtVerify(resigned, key, { algorithms: ['HS256'] })
  return (Bun.nanoseconds() - startedAt) / 1000 / PEER_CHECKS
}
