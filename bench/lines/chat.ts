/**
 * The chat: messages of one sender to a group whose members have 1,000 sockets, direct messages a second, edits, time of delivery, and the memory of 10,000
 * sockets, against a service written with Fastify, `ws` and better-sqlite3.
 */

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

import { SignJWT } from 'jose'

import { type Bench, fileIn, measure } from '../lib/bench.ts'
import { addChat, closeDatabase, openDatabase } from '../lib/data.ts'
import { COUNTER, request } from '../lib/load-spec.ts'
import { PEERS } from '../lib/peers.ts'
import { cpuSeconds, residentMiB, type Started, startServer } from '../lib/process.ts'
import { call, signedIn, startProduct } from '../lib/product.ts'
import { round, times, whole } from '../lib/report.ts'
import { type SocketClients, startSockets } from '../lib/socket-client.ts'
import { median } from '../lib/stats.ts'

/** Connections of senders. */
const CONNECTIONS = 64
const PEER_SECRET = 'a secret of the benchmark, long enough for HS256'
const TEXT = 'See you at the lake at nine, bring a headlamp and something warm'

interface User {
  readonly id: number
  readonly headers: Record<string, string>
  readonly path: string
}

interface Side {
  readonly name: string
  readonly server: Started
  /** All of them are members of the group, and each one is a contact of the next. */
  readonly users: readonly User[]
  readonly groupId: number
}

export async function run(bench: Bench): Promise<void> {
  const users = bench.smoke ? 20 : 500
  const sides = [await product(bench, users)]
  if (bench.peers) sides.push(await peer(bench, users))
  await sameAnswers(sides)
  const clients = startSockets()
  try {
    await persisted(bench, sides)
    await edits(bench, sides[0]!)
    await fanOut(bench, sides, clients)
    await delivery(bench, sides, clients)
    await idle(bench, sides, clients)
  } finally {
    clients.stop()
  }
}

const message = (target: object) => ({
  ...target,
  clientMsgId: `bench-${COUNTER}`,
  type: 'TEXT',
  content: { text: TEXT },
})
const post = (user: User, target: object) => request('POST', '/api/chats/messages', user.headers, message(target))

/** Direct messages to users without a socket. */
async function persisted(bench: Bench, sides: readonly Side[]): Promise<void> {
  const what = `direct messages a second, ${CONNECTIONS} senders`
  const contenders = sides.map(({ name, server, users }) => ({
    name,
    pid: server.pid,
    load: {
      port: server.port,
      requests: users.map((user, i) => post(user, { toUserId: users[(i + 1) % users.length]!.id })),
      connections: CONNECTIONS,
    },
  }))
  const of = await measure(bench, contenders)
  const ours = of('Tessera')
  const goal = { min: 40_000 }
  bench.report.value(
    what,
    `${whole(ours.perSecond)}/s, p99 ${round(ours.p99Ms)} ms`,
    ours.perSecond,
    '',
    '',
    bench.smoke ? undefined : goal,
    '/s',
  )
  for (const { name } of sides.slice(1)) bench.report.http(what, name, ours, of(name), 'rate')
}

/** Edits of direct messages, each by another sender, against new messages of the same senders. */
async function edits(bench: Bench, { name, server, users }: Side): Promise<void> {
  const what = `edits of messages, ${CONNECTIONS} senders`
  const { pid, port } = server
  const toNext = users.map((_, i) => ({ toUserId: users[(i + 1) % users.length]!.id }))
  const edited = await Promise.all(
    users.map(async ({ headers }, i) => {
      const body = { ...message(toNext[i]!), clientMsgId: 'edited' }
      return [
        headers,
        ((await call(server, 'POST', '/api/chats/messages', headers, body)) as { messages: [{ id: number }] })
          .messages[0].id,
      ] as const
    }),
  )
  const content = { text: `${TEXT} ${COUNTER}` }
  const [editing, sending] = [`${name}, edits`, `${name}, messages`]
  const contenders = [
    [editing, edited.map(([headers, id]) => request('PATCH', `/api/chats/messages/${id}`, headers, { content }))],
    [sending, users.map((user, i) => post(user, toNext[i]!))],
  ] as const
  const of = await measure(
    bench,
    contenders.map(([who, requests]) => ({ name: who, pid, load: { port, requests, connections: CONNECTIONS } })),
  )
  const [edit, sent] = [of(editing), of(sending)]
  const ratio = edit.cpuUs / sent.cpuUs
  bench.report.add({
    what,
    against: 'new messages',
    ours: `${whole(edit.perSecond)}/s, ${round(edit.cpuUs)} µs`,
    theirs: `${whole(sent.perSecond)}/s, ${round(sent.cpuUs)} µs`,
    ratio: `${times(ratio)} CPU`,
    ...(!bench.smoke && { goal: '≤ 1.3 CPU', met: ratio <= 1.3 }),
  })
}

/** Opens the same number of sockets for each user. */
const connect = (clients: SocketClients, { server, users }: Side, each: number) =>
  clients.run({ do: 'open', port: server.port, paths: users.flatMap(({ path }) => Array<string>(each).fill(path)) })

async function fanOut(bench: Bench, sides: readonly Side[], clients: SocketClients): Promise<void> {
  const taken = new Map<Side, { perSecond: number; cpuUs: number }[]>(sides.map((side) => [side, []]))
  for (let i = 0; i < bench.rounds.rounds; i++)
    for (const side of sides) {
      const { server, users, groupId } = side
      const { open } = await connect(clients, side, 2)
      const load = {
        port: server.port,
        requests: [post(users[0]!, { conversationId: groupId })],
        connections: CONNECTIONS,
      }
      const once = async (seconds: number) => {
        await clients.run({ do: 'reset' })
        const cpuBefore = cpuSeconds(server.pid)
        const { requests, statuses, firstAnswer } = await bench.load.run({ ...load, seconds })
        if (Object.keys(statuses).join() !== '200') throw new Error(`${side.name} answered ${firstAnswer}`)
        const result = await clients.run({ do: 'wait', frames: requests * open })
        return {
          perSecond: result.frames / result.seconds,
          cpuUs: ((cpuSeconds(server.pid) - cpuBefore) * 1e6) / result.frames,
        }
      }
      await once(bench.rounds.warmUpSeconds)
      taken.get(side)!.push(await once(bench.rounds.seconds))
      await clients.run({ do: 'close' })
    }
  const of = (side: Side, key: 'perSecond' | 'cpuUs') => median(taken.get(side)!.map((t) => t[key]))
  const show = (side: Side) => `${whole(of(side, 'perSecond'))}/s, ${round(of(side, 'cpuUs'))} µs`
  const [ours, ...others] = sides as [Side, ...Side[]]
  const what = `frames a second, one sender, ${whole(ours.users.length * 2)} sockets of a group of ${ours.users.length}`
  if (others.length === 0) bench.report.value(what, show(ours), of(ours, 'perSecond'), '', '', undefined, '/s')
  for (const other of others) {
    const rate = of(ours, 'perSecond') / of(other, 'perSecond')
    const cpu = of(other, 'cpuUs') / of(ours, 'cpuUs')
    bench.report.add({
      what,
      against: other.name,
      ours: show(ours),
      theirs: show(other),
      ratio: `${times(rate)} frames/s, ${times(cpu)} CPU`,
      ...(!bench.smoke && { goal: '≥ 5 CPU', met: cpu >= 5 }),
    })
  }
}

/** The time from a request to its frame, with ten messages a second. */
async function delivery(bench: Bench, sides: readonly Side[], clients: SocketClients): Promise<void> {
  const figures: { p50Ms: number; p99Ms: number }[] = []
  for (const side of sides) {
    const { open } = await connect(clients, side, 2)
    const { port } = side.server
    const { headers } = side.users[0]!
    const target = { conversationId: side.groupId }
    const paced = { do: 'paced', port, headers, target, everyMs: 100, frames: open } as const
    await clients.run({ ...paced, count: bench.smoke ? 1 : 10 })
    figures.push(await clients.run({ ...paced, count: bench.smoke ? 2 : 100 }))
    await clients.run({ do: 'close' })
  }
  const show = ({ p50Ms, p99Ms }: { p50Ms: number; p99Ms: number }) => `p50 ${round(p50Ms)} ms, p99 ${round(p99Ms)} ms`
  const [ours, theirs] = figures
  bench.report.add({
    what: `delivery to ${whole(sides[0]!.users.length * 2)} sockets`,
    against: sides[1]?.name ?? '',
    ours: show(ours!),
    theirs: theirs ? show(theirs) : '',
    ratio: theirs ? `${times(theirs.p99Ms / ours!.p99Ms)} p99` : '',
  })
}

async function idle(bench: Bench, sides: readonly Side[], clients: SocketClients): Promise<void> {
  const grown: number[] = []
  for (const side of sides) {
    const { pid } = side.server
    const before = await settledMiB(bench, pid)
    await connect(clients, side, bench.smoke ? 5 : 20)
    grown.push((await settledMiB(bench, pid)) - before)
    await clients.run({ do: 'close' })
  }
  const [ours, theirs] = grown
  bench.report.value(
    `memory of ${whole(sides[0]!.users.length * (bench.smoke ? 5 : 20))} idle sockets`,
    `${round(ours!)} MiB`,
    ours!,
    sides[1]?.name ?? '',
    theirs === undefined ? '' : `${round(theirs)} MiB`,
    bench.smoke ? undefined : { max: 60 },
    'MiB',
  )
}

/** The least memory within half a minute: the engine collects garbage, here of messages and of handshakes, up to so long after it was made. */
async function settledMiB(bench: Bench, pid: number): Promise<number> {
  let least = residentMiB(pid)
  for (let i = 0; i < (bench.smoke ? 1 : 60); i++) {
    await Bun.sleep(bench.smoke ? 100 : 500)
    least = Math.min(least, residentMiB(pid))
  }
  return least
}

async function product(bench: Bench, count: number): Promise<Side> {
  const dataDir = fileIn(bench, 'product')
  mkdirSync(dataDir, { recursive: true })
  const first = await startProduct(dataDir)
  const users: User[] = []
  for (let i = 0; i < count; i++) {
    const deviceId = `bench-device-of-chat-user-${i}`
    const data = (await call(first, 'POST', '/api/auth/device-login', { 'x-device-id': deviceId }, {})) as {
      accessToken: string
      user: { id: number }
    }
    const headers = signedIn(data.accessToken, deviceId)
    users.push({ id: data.user.id, headers, path: `/ws/chat?token=${data.accessToken}` })
  }
  await first.stop()
  const db = openDatabase(dataDir)
  const groupId = addChat(
    db,
    users.map(({ id }) => id),
  )
  closeDatabase(db)
  return { name: 'Tessera', server: bench.own(await startProduct(dataDir)), users, groupId }
}

async function peer(bench: Bench, count: number): Promise<Side> {
  const dataDir = fileIn(bench, 'peer')
  mkdirSync(dataDir, { recursive: true })
  const env = {
    BENCH_DB: join(dataDir, 'chat.db'),
    BENCH_SECRET: PEER_SECRET,
    BENCH_USERS: String(count),
    NODE_ENV: 'production',
  }
  const server = bench.own(await startServer(['node', join(PEERS, 'fastify/chat.mjs')], env))
  const users = await Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const token = await peerToken(i + 1)
      return { id: i + 1, headers: signedIn(token), path: `/ws/chat?token=${token}` }
    }),
  )
  return { name: 'Fastify with ws', server, users, groupId: 1 }
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

/** @throws Error if the peer answers with other fields: its speed could not be compared then */
async function sameAnswers(sides: readonly Side[]): Promise<void> {
  const answers = await Promise.all(
    sides.map(async ({ server, users, groupId }) => {
      const [user, next] = users as [User, User]
      const send = (target: object) =>
        call(server, 'POST', '/api/chats/messages', user.headers, {
          ...message(target),
          clientMsgId: `same-answers-${Object.keys(target).join()}`,
        })
      return [await send({ toUserId: next.id }), await send({ conversationId: groupId })].map(shapeOf)
    }),
  )
  for (const answer of answers)
    if (!Bun.deepEquals(answer, answers[0]))
      throw new Error(`the peer answers differently:\n${JSON.stringify(answer)}\n${JSON.stringify(answers[0])}`)
}

/** The names of all fields, without their values. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value !== 'object' || value === null) return null
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shapeOf(field)]))
}
