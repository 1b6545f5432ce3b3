/** GET of one row, list of 20 with total, and POST: Tessera against a bare server, hand-written code, Fastify and Express. */

import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

import { SignJWT } from 'jose'

import { type Bench, fileIn, measure } from '../lib/bench.ts'
import type { Contender } from '../lib/compare.ts'
import { addCodes, addUsers, closeDatabase, codeIds, databaseFile, openDatabase, sessionOf } from '../lib/data.ts'
import { COUNTER, request } from '../lib/load-spec.ts'
import { PEERS } from '../lib/peers.ts'
import { type Started, startServer } from '../lib/process.ts'
import { call, get, register, signedIn, startProduct } from '../lib/product.ts'

const CODES_OF_THE_USER = 200
const OTHER_USERS = 10
const CONNECTIONS = 64
/** Given a secret as text, jsonwebtoken first tries to parse it as a PEM key. The goals are for the peers that avoid this. */
const AS_IN_THE_MANUAL = 'Express, jwt.verify(token, text)'
const PEER_SECRET = 'a secret of the benchmark, long enough for HS256'
const NEW_CODE = {
  name: 'Shelf label',
  content: `https://example.org/products/${COUNTER}?ref=qr`,
  tags: ['shelf', 'north'],
  remark: 'Second floor',
}

interface Operation {
  name: string
  requests: (headers: Record<string, string>) => string[]
  by: 'cpu' | 'rate'
  /** Goals against hand-written code, Fastify and Express. */
  goals: [hand: number, fastify: number, express: number]
}

/** A server to measure, and the headers of its caller. */
interface Side {
  name: string
  server: Started
  headers: Record<string, string>
}

export async function run(bench: Bench): Promise<void> {
  const { ids, sides, logging } = await start(bench)
  const operations: Operation[] = [
    {
      name: 'GET /api/qr-codes/{id}',
      requests: (h) => ids.map((id) => get(`/api/qr-codes/${id}`, h)),
      by: 'cpu',
      goals: [0.85, 2, 10],
    },
    {
      name: 'GET /api/qr-codes?size=20',
      requests: (h) => [get('/api/qr-codes?size=20', h)],
      by: 'cpu',
      goals: [0.95, 2, 10],
    },
    {
      name: 'POST /api/qr-codes',
      requests: (h) => [request('POST', '/api/qr-codes', h, NEW_CODE)],
      by: 'rate',
      goals: [0.85, 2, 10],
    },
  ]
  await sameAnswers(sides, ids[0]!)
  const product = sides[0]!
  const sizes = await Promise.all(operations.map((o) => answerSize(bench, product, o)))
  const bare = bench.own(
    await startServer([process.execPath, join(PEERS, 'bare.ts')], { BENCH_BYTES: sizes.join(',') }),
  )
  for (const [i, operation] of operations.entries()) {
    const contenders: Contender[] = [...sides, logging].map((side) => ({
      name: side.name,
      pid: side.server.pid,
      load: { port: side.server.port, requests: operation.requests(side.headers), connections: CONNECTIONS },
    }))
    contenders.push({
      name: 'bare',
      pid: bare.pid,
      load: { port: bare.port, requests: [get(`/${i}`)], connections: CONNECTIONS },
    })
    const of = await measure(bench, contenders)
    const ours = of(product.name)
    const goals = new Map([
      ['hand-written', operation.goals[0]],
      ['Fastify', operation.goals[1]],
      ['Express', operation.goals[2]],
    ])
    for (const peer of sides.slice(1))
      bench.report.http(operation.name, peer.name, ours, of(peer.name), operation.by, goals.get(peer.name))
    bench.report.http(operation.name, `bare Bun.serve, ${sizes[i]} B`, ours, of('bare'), operation.by)
    bench.report.http(`${operation.name}, access log on`, 'access log off', of(logging.name), ours, operation.by)
  }
}

async function start(bench: Bench): Promise<{ ids: number[]; sides: Side[]; logging: Side }> {
  const dataDir = fileIn(bench, 'product')
  mkdirSync(dataDir, { recursive: true })
  const first = await startProduct(dataDir)
  const person = await register(first, 'bench')
  await first.stop()

  const db = openDatabase(dataDir)
  addCodes(db, person.userId, CODES_OF_THE_USER)
  for (const userId of addUsers(db, OTHER_USERS)) addCodes(db, userId, CODES_OF_THE_USER)
  const ids = codeIds(db, person.userId, CODES_OF_THE_USER)
  const sid = sessionOf(db, person.userId)
  closeDatabase(db)

  const copy = (name: string): string => {
    mkdirSync(fileIn(bench, name), { recursive: true })
    copyFileSync(databaseFile(dataDir), databaseFile(fileIn(bench, name)))
    return databaseFile(fileIn(bench, name))
  }
  const peerHeaders = signedIn(await peerToken(person.userId, sid))
  const peer = async (
    name: string,
    command: string[],
    folder: string,
    more: Record<string, string> = {},
  ): Promise<Side> => {
    const env = {
      ...more,
      BENCH_DB: copy(folder),
      BENCH_SECRET: PEER_SECRET,
      BENCH_PUBLIC_URL: 'http://localhost:8080',
      NODE_ENV: 'production',
    }
    return { name, server: bench.own(await startServer(command, env)), headers: peerHeaders }
  }

  const sides: Side[] = []
  // The database is copied before Tessera opens it again.
  sides.push(await peer('hand-written', [process.execPath, join(PEERS, 'handwritten.ts')], 'hand'))
  if (bench.peers) {
    sides.push(await peer('Fastify', ['node', join(PEERS, 'fastify/server.mjs')], 'fastify'))
    sides.push(await peer('Express', ['node', join(PEERS, 'express/server.mjs')], 'express'))
    sides.push(
      await peer(AS_IN_THE_MANUAL, ['node', join(PEERS, 'express/server.mjs')], 'express-text', {
        BENCH_TEXT_SECRET: '1',
      }),
    )
  }
  copy('logging')
  const loggingDir = fileIn(bench, 'logging')
  await copyKeys(dataDir, loggingDir)
  const withLog = bench.own(await startProduct(loggingDir, { logTo: fileIn(bench, 'access.log') }))
  const server = bench.own(await startProduct(dataDir))
  sides.unshift({ name: 'Tessera', server, headers: person.headers })
  return { ids, sides, logging: { name: 'Tessera, access log on', server: withLog, headers: person.headers } }
}

/** Copies the signing key, so that the token is valid on the copy too. */
async function copyKeys(from: string, to: string): Promise<void> {
  const copied = await Bun.$`cp -a ${join(from, 'keys')} ${to}/`.nothrow().quiet()
  if (copied.exitCode !== 0) throw new Error(copied.stderr.toString())
}

const peerToken = (userId: number, sid: number): Promise<string> =>
  new SignJWT({ sid, tv: 0 })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(String(userId))
    .setIssuedAt()
    .setExpirationTime('7d')
    .setJti(crypto.randomUUID())
    .sign(new TextEncoder().encode(PEER_SECRET))

/** @throws Error if a peer answers differently: its speed could not be compared then */
async function sameAnswers(sides: Side[], id: number): Promise<void> {
  const asked: [method: string, path: string, body?: object][] = [
    ['GET', `/api/qr-codes/${id}`],
    ['GET', '/api/qr-codes?size=20'],
    ['POST', '/api/qr-codes', NEW_CODE],
  ]
  for (const [method, path, body] of asked) {
    const answers = await Promise.all(
      sides.map(async (side) => comparable(await call(side.server, method, path, side.headers, body))),
    )
    for (const [i, answer] of answers.entries())
      if (!Bun.deepEquals(answer, answers[0]))
        throw new Error(
          `${sides[i]!.name} answers ${method} ${path} differently from ${sides[0]!.name}:\n${JSON.stringify(answer)}\n${JSON.stringify(answers[0])}`,
        )
  }
}

/** Removes the fields of a new code that are random or depend on the time. */
function comparable(data: unknown): unknown {
  const varying = new Set(['uuid', 'publicUrl', 'createdAt', 'updatedAt'])
  return Object.fromEntries(Object.entries(data as object).filter(([name]) => !varying.has(name)))
}

/** Bytes of the body of Tessera's answer. */
async function answerSize(bench: Bench, side: Side, operation: Operation): Promise<number> {
  const { firstAnswer } = await bench.load.run({
    port: side.server.port,
    requests: operation.requests(side.headers).slice(0, 1),
    connections: 1,
    seconds: 5,
    count: 1,
  })
  return Number(/content-length: *(\d+)/i.exec(firstAnswer)?.[1] ?? 0)
}
