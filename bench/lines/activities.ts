/**
 * Activities: passes verified a second by 64 gates, with and without redeeming them, 5,000 passes issued at once, one signature check, and
 * check-ins, against a service written with Fastify, better-sqlite3 and jsonwebtoken.
 */

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

import { SignJWT } from 'jose'

import { type Bench, fileIn, measure } from '../lib/bench.ts'
import { COUNTER, request } from '../lib/load-spec.ts'
import { PEERS } from '../lib/peers.ts'
import { cpuSeconds, type Started, startServer } from '../lib/process.ts'
import { call, register, signedIn, startGates, startProduct } from '../lib/product.ts'
import { round, times, whole } from '../lib/report.ts'
import { median } from '../lib/stats.ts'

/** Gates, and phones that check in. */
const CONNECTIONS = 64
const PASSES = 5000
const PEER_SECRET = 'a secret of the benchmark, long enough for HS256'
/** jsonwebtoken has no Ed25519. RS256 is what most services use; ES256 has short signatures, as passes need them. */
const ALGORITHMS = ['RS256', 'ES256']

/** A server to measure, with an activity that has passes and check-in. */
interface Side {
  name: string
  server: Started
  activityId: number
  manager: Record<string, string>
  /** The headers of each user who checks in. */
  visitors: Record<string, string>[]
  /** Contents of passes with any number of uses. */
  contents: string[]
}

interface Pass {
  qrContent: string
}

export async function run(bench: Bench): Promise<void> {
  const sides = [await product(bench)]
  if (bench.peers) for (const algorithm of ALGORITHMS) sides.push(await peer(bench, algorithm))
  await sameAnswers(sides)
  await issue(bench, sides)
  await load(bench, sides, 'pass verifications a second with redeem, 64 gates', (side) => {
    const body = (content: string) => ({ content, redeem: true, nonce: COUNTER })
    return side.contents.map((content) => request('POST', pathOf(side, 'pass/verify'), side.manager, body(content)))
  })
  await load(bench, sides, 'pass verifications a second without redeem, 64 gates', (side) =>
    side.contents.map((content) => request('POST', pathOf(side, 'pass/verify'), {}, { content })),
  )
  await load(bench, sides, 'check-ins a second, 64 phones', (side) =>
    side.visitors.map((headers) => request('POST', pathOf(side, 'check-in'), headers, {})),
  )
  await signatures(bench, sides)
}

const pathOf = ({ activityId }: Pick<Side, 'activityId'>, rest: string): string =>
  `/api/activities/${activityId}/${rest}`

async function load(bench: Bench, sides: Side[], what: string, requests: (side: Side) => string[]): Promise<void> {
  const contenders = sides.map((side) => ({
    name: side.name,
    pid: side.server.pid,
    load: { port: side.server.port, requests: requests(side), connections: CONNECTIONS },
  }))
  const of = await measure(bench, contenders)
  const [ours, ...others] = sides.map(({ name }) => name)
  for (const other of others) bench.report.http(what, other, of(ours!), of(other), 'rate')
  if (others.length === 0) {
    const { perSecond, p99Ms } = of(ours!)
    bench.report.value(what, `${whole(perSecond)}/s, p99 ${round(p99Ms)} ms`, perSecond, '', '', undefined, '/s')
  }
}

/** Issues passes to 5,000 guests in one request, in turns, and keeps the last ones for the gates. */
async function issue(bench: Bench, sides: Side[]): Promise<void> {
  const holders = Array.from({ length: bench.smoke ? 50 : PASSES }, (_, i) => ({ name: `Guest ${i + 1}` }))
  const taken = new Map<Side, { ms: number; cpuMs: number }[]>(sides.map((side) => [side, []]))
  for (let i = 0; i < (bench.smoke ? 1 : 3); i++)
    for (const side of sides) {
      const cpuBefore = cpuSeconds(side.server.pid)
      const startedAt = performance.now()
      const body = { holders, maxUses: 0 }
      const { items } = (await call(side.server, 'POST', pathOf(side, 'pass/issue'), side.manager, body)) as {
        items: Pass[]
      }
      const ms = performance.now() - startedAt
      if (items.length !== holders.length) throw new Error(`${side.name} issued ${items.length} passes`)
      taken.get(side)!.push({ ms, cpuMs: (cpuSeconds(side.server.pid) - cpuBefore) * 1000 })
      side.contents = items.map(({ qrContent }) => qrContent)
    }
  const of = (side: Side, key: 'ms' | 'cpuMs') => median(taken.get(side)!.map((t) => t[key]))
  const show = (side: Side) => `${whole(of(side, 'ms'))} ms, CPU ${whole(of(side, 'cpuMs'))} ms`
  const [ours, ...others] = sides as [Side, ...Side[]]
  const what = `issue of ${whole(holders.length)} passes`
  if (others.length === 0) bench.report.value(what, show(ours), of(ours, 'ms'), '', '', undefined, 'ms')
  for (const other of others)
    bench.report.add({
      what,
      against: other.name,
      ours: show(ours),
      theirs: show(other),
      ratio: `${times(of(other, 'ms') / of(ours, 'ms'))} passes/s, ${times(of(other, 'cpuMs') / of(ours, 'cpuMs'))} CPU`,
    })
}

/** Microseconds to check the signature of one pass in the process of the server, without a request. */
async function signatures(bench: Bench, sides: Side[]): Promise<void> {
  const server = bench.own(await startGates(fileIn(bench, 'signatures')))
  const rest = sides.slice(1).map(({ name, server: other }) => ({ name, server: other, us: [] as number[] }))
  const ours: number[] = []
  const check = async (on: Started): Promise<number> =>
    ((await call(on, 'GET', '/api/bench/pass-check', {})) as { us: number }).us
  for (let i = 0; i < (bench.smoke ? 1 : 5); i++) {
    ours.push(await check(server))
    for (const other of rest) other.us.push(await check(other.server))
  }
  const us = median(ours)
  const what = 'check of the signature of a pass'
  if (rest.length === 0) bench.report.value(what, `${round(us)} µs`, us, '', '', undefined, 'µs')
  for (const other of rest) {
    const theirs = median(other.us)
    bench.report.add({
      what,
      against: `${other.name}, jwt.verify`,
      ours: `${round(us)} µs`,
      theirs: `${round(theirs)} µs`,
      ratio: times(theirs / us),
    })
  }
}

async function product(bench: Bench): Promise<Side> {
  const dataDir = fileIn(bench, 'product')
  mkdirSync(dataDir, { recursive: true })
  const server = bench.own(await startProduct(dataDir))
  const { headers: manager } = await register(server, 'manager')
  const now = Date.now()
  const { id } = (await call(server, 'POST', '/api/activities', manager, {
    name: 'Bench',
    startTime: now,
    endTime: now + 86_400_000,
    visibility: 'PUBLIC',
    hasCheckIn: true,
    hasPass: true,
    checkInConfig: { maxPerUser: 0 },
  })) as { id: number }
  await call(server, 'PATCH', `/api/activities/${id}/status`, manager, { status: 'ACTIVE' })
  const visitors: Record<string, string>[] = []
  for (let i = 0; i < CONNECTIONS; i++) {
    const deviceId = `bench-device-that-checks-in-${i}`
    const session = await call(server, 'POST', '/api/auth/device-login', { 'x-device-id': deviceId }, {})
    visitors.push(signedIn((session as { accessToken: string }).accessToken, deviceId))
  }
  return { name: 'Tessera', server, activityId: id, manager, visitors, contents: [] }
}

async function peer(bench: Bench, algorithm: string): Promise<Side> {
  const dataDir = fileIn(bench, algorithm)
  mkdirSync(dataDir, { recursive: true })
  const env = {
    BENCH_ALGORITHM: algorithm,
    BENCH_DB: join(dataDir, 'passes.db'),
    BENCH_SECRET: PEER_SECRET,
    BENCH_PUBLIC_URL: 'http://localhost:8080',
    BENCH_USERS: String(CONNECTIONS),
    NODE_ENV: 'production',
  }
  const server = bench.own(await startServer(['node', join(PEERS, 'fastify/passes.mjs')], env))
  const visitors: Record<string, string>[] = []
  for (let id = 1; id <= CONNECTIONS; id++) visitors.push(signedIn(await peerToken(id)))
  return { name: `Fastify, ${algorithm}`, server, activityId: 1, manager: visitors[0]!, visitors, contents: [] }
}

/** The users of the peer have one session each, with the same id. */
const peerToken = (userId: number): Promise<string> =>
  new SignJWT({ sid: userId, tv: 0 })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(String(userId))
    .setIssuedAt()
    .setExpirationTime('1d')
    .setJti(crypto.randomUUID())
    .sign(new TextEncoder().encode(PEER_SECRET))

/** @throws Error if a peer answers with other fields: its speed could not be compared then */
async function sameAnswers(sides: Side[]): Promise<void> {
  const answers = await Promise.all(
    sides.map(async (side) => {
      const post = (rest: string, headers: Record<string, string>, body: object) =>
        call(side.server, 'POST', pathOf(side, rest), headers, body)
      const issued = await post('pass/issue', side.manager, { holders: [{ name: 'Ann' }], maxUses: 0 })
      const content = (issued as { items: Pass[] }).items[0]!.qrContent
      return [
        issued,
        await post('pass/verify', side.manager, { content, redeem: true, nonce: '0000-same-answers' }),
        await post('pass/verify', {}, { content }),
        await post('check-in', side.visitors[0]!, {}),
      ].map(shapeOf)
    }),
  )
  for (const [i, answer] of answers.entries())
    if (!Bun.deepEquals(answer, answers[0]))
      throw new Error(
        `${sides[i]!.name} answers differently from ${sides[0]!.name}:\n${JSON.stringify(answer)}\n${JSON.stringify(answers[0])}`,
      )
}

/** The names of all fields, without their values. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value !== 'object' || value === null) return null
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shapeOf(field)]))
}
