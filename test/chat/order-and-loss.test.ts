/**
 * Phones write to each other while they lose their connections, answers get lost and are asked for again, servers are killed, and PostgreSQL drops
 * its connections. In the end every phone must know every message of its user exactly once and in order. The whole test of the issue:
 *
 *     CHAT_MESSAGES=50000 bun test --timeout 3600000 test/chat/order-and-loss.test.ts
 *
 * TEST_PROCESSES=3 (on PostgreSQL) runs it with three servers that take turns, of which one is killed each time. SEED repeats the choices of a
 * run, although not their timing.
 */

import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { SQL } from 'bun'

import { randomOf } from '../assets/history-model.ts'
import { send } from '../harness/client.ts'
import { freshDatabase } from '../harness/database.ts'
import { ok, type Person } from '../harness/index.ts'
import { until } from '../harness/until.ts'
import { type Child, startChild } from './child-servers.ts'
import { type Account, type Message, Phone, request, Unavailable } from './phone.ts'
import { registerWriters } from './writers.ts'

const MESSAGES = Number(process.env['CHAT_MESSAGES'] ?? 4000)
const PROCESSES = process.env['TEST_DATABASE_URL'] ? Number(process.env['TEST_PROCESSES'] ?? 1) : 1
const USERS = 24
/** The first eight users have two phones. */
const PHONES = 32
const KILLS = 4
/** Generous: nothing is judged by the time that it takes. */
const PATIENCE = 3_600_000

const seed = Number(process.env['SEED'] ?? 20_261_122)
const { random, pick, chance } = randomOf(seed)

const dataDir = mkdtempSync(join(tmpdir(), 'tessera-order-'))
const database = process.env['TEST_DATABASE_URL'] ? await freshDatabase() : undefined
const servers: Child[] = []
afterAll(async () => {
  await Promise.all(servers.map((server) => server.kill()))
  await database?.drop()
  rmSync(dataDir, { recursive: true, force: true })
})

const env: Record<string, string> = database ? { TESSERA_DATABASE_URL: database.url } : {}
if (PROCESSES > 1) {
  env['TESSERA_SECRET'] = 'the secret of all processes of a test'
  env['TESSERA_PUBLIC_URL'] = 'http://localhost:8080'
  env['TESSERA_SHARED_FILES'] = join(dataDir, 'files')
  mkdirSync(env['TESSERA_SHARED_FILES'])
}
/** Each process has a data directory of its own. */
function startServer(i: number): Promise<Child> {
  const ownDir = join(dataDir, `server-${i}`)
  mkdirSync(ownDir, { recursive: true })
  return startChild(ownDir, env)
}
let turn = 0
const nextUrl = () => servers[turn++ % servers.length]!.url

interface Pins {
  readonly items: readonly Message[]
}

/** A message that the server has acknowledged. */
interface Sent {
  readonly message: Message
  readonly users: readonly number[]
}

test(
  `${PHONES} phones receive all of ${MESSAGES} messages once and in order despite ${KILLS} kills (SEED=${seed})`,
  async () => {
    for (let i = 0; i < PROCESSES; i++) servers.push(await startServer(i))
    const users = await registerWriters(servers[0]!.url, USERS)
    const groups = await createGroups(users)
    const phones = await signInPhones(users)
    for (const phone of phones) phone.start()
    // Later, a phone may catch up until the last message: the writers are faster than the pages, and servers are killed after half a second.
    await until(() => phones.every(({ counts: { caughtUp } }) => caughtUp > 0))

    const sent: Sent[] = []
    const recalled = new Set<number>()
    const edited = new Map<number, string>()
    /** Messages that users have deleted for themselves. */
    const deleted = new Map<number, Set<number>>(users.map(({ id }) => [id, new Set()]))
    /** Messages of groups that their writers no longer change. */
    const settled: Message[] = []
    const removed = new Set<number>()
    const counts = { lost: 0, repeated: 0, unavailable: 0, kills: 0, disconnects: 0, terminated: 0, pins: 0 }
    const failures: string[] = []
    let left = MESSAGES

    /** Repeats a request until it is answered. Some answers are lost on purpose. */
    async function surely<T>(account: Account, path: string, body: unknown, method = 'POST'): Promise<T> {
      for (;;) {
        const signal = chance(3) ? AbortSignal.timeout(1 + random(15)) : undefined
        if (signal) counts.lost++
        try {
          const data = await request<T>(account, nextUrl, method, path, { body, ...(signal && { signal }) })
          // An answer that never arrives although the server sent it.
          if (chance(2)) continue
          return data
        } catch (error) {
          // The answer of an earlier try was lost.
          if (method === 'DELETE' && String(error).includes('answered 404')) return undefined as T
          if (!(error instanceof Unavailable)) throw error
          counts.unavailable++
          await Bun.sleep(random(30))
        }
      }
    }

    /** Pins a message in the place of the oldest one. Others can take the place first, and another phone of this user can delete the message. */
    async function pin(account: Account, { id, conversationId }: Message): Promise<void> {
      try {
        const pins = await surely<Pins>(account, `/api/chats/conversations/${conversationId}/pins`, undefined, 'GET')
        if (pins.items.length === 3) await surely(account, `/api/chats/messages/${pins.items[2]!.id}/unpin`, {})
        await surely(account, `/api/chats/messages/${id}/pin`, {})
        counts.pins++
      } catch (error) {
        if (!/answered 40[04]/.test(String(error))) throw error
      }
    }

    async function write(phone: Phone, index: number): Promise<void> {
      let lastId = 0
      for (let n = 0; left > 0; n++) {
        left--
        const { account } = phone
        const own = groups.filter(({ userIds }) => userIds.includes(account.id))
        const group = own.length > 0 && chance(10) ? pick(own) : undefined
        const to = pick(users.filter(({ id }) => id !== account.id))
        const target = group === undefined ? { toUserId: to.id } : { conversationId: group.id }
        const body = { ...target, clientMsgId: `${index}-${n}`, type: 'TEXT', content: { text: `${index} ${n}` } }
        const answer = await surely<{ messages: Message[] }>(account, '/api/chats/messages', body)
        const message = answer.messages[0]!
        expect(message).toMatchObject({ senderId: account.id, content: body.content, clientMsgId: body.clientMsgId })
        if (message.id <= lastId) failures.push(`${message.id} was acknowledged after ${lastId}`)
        lastId = message.id
        sent.push({ message, users: group?.userIds ?? [account.id, to.id] })
        if (chance(3)) {
          counts.repeated++
          const again = await surely<typeof answer>(account, '/api/chats/messages', body)
          if (again.messages.length !== 1 || again.messages[0]!.id !== message.id)
            failures.push(`${message.id} was sent again as ${again.messages.map(({ id }) => id).join()}`)
        }
        if (chance(2)) {
          await surely(account, `/api/chats/messages/${message.id}/recall`, {})
          recalled.add(message.id)
        } else if (chance(3)) {
          edited.set(message.id, `${body.content.text} edited`)
          const content = { text: edited.get(message.id) }
          await surely(account, `/api/chats/messages/${message.id}`, { content }, 'PATCH')
        } else if (chance(1)) {
          await surely(account, `/api/chats/messages/${message.id}`, undefined, 'DELETE')
          deleted.get(account.id)!.add(message.id)
        } else if (group !== undefined && chance(30)) await pin(account, message)
        const isHere = ({ conversationId, id }: Message) =>
          conversationId === group?.id && !deleted.get(account.id)!.has(id) && !recalled.has(id)
        if (group?.userIds[0] === account.id && chance(60)) {
          const unwanted = settled.findLast(isHere)
          if (unwanted !== undefined) {
            await surely(account, `/api/chats/messages/${unwanted.id}/remove`, { reason: 'Be brief' })
            recalled.add(unwanted.id)
            removed.add(unwanted.id)
          }
        }
        if (group !== undefined) settled.push(message)
        if (chance(1)) {
          counts.disconnects++
          pick(phones).disconnect()
        }
      }
    }

    /** Kills a server, or all connections to the database, at even distances. */
    async function disturb(): Promise<void> {
      for (let kill = 1; kill <= KILLS; kill++) {
        while (left > MESSAGES - (MESSAGES * kill) / (KILLS + 1)) await Bun.sleep(5)
        const i = random(servers.length)
        await servers[i]!.kill()
        counts.kills++
        if (PROCESSES > 1) {
          // The others serve meanwhile.
          const [killed] = servers.splice(i, 1)
          const until = left - Math.floor(MESSAGES / (KILLS + 1) / 3)
          while (left > until && left > 0) await Bun.sleep(5)
          servers.splice(i, 0, killed!)
        }
        servers[i] = await startServer(i)
        if (database) counts.terminated += await terminateConnections(database.url)
      }
    }

    await Promise.all([...phones.map(write), disturb()])
    expect(failures).toEqual([])
    const total = sent.length
    expect(total).toBe(MESSAGES)

    // The connected phones get the last messages without asking: they keep their connections now.
    const idsOf = ({ account }: Phone) =>
      sent.flatMap(({ message, users: ids }) => (ids.includes(account.id) ? [message.id] : []))
    // A phone that learns of a message after its deletion never gets it.
    const mayMiss = ({ account }: Phone) => deleted.get(account.id)!
    const wanted = new Map(phones.map((phone) => [phone, new Set(idsOf(phone)).difference(mayMiss(phone)).size]))
    const isComplete = (phone: Phone) =>
      phone.written.filter(({ id }) => !mayMiss(phone).has(id)).length >= wanted.get(phone)!
    // If it is in vain, the phones that miss something are named below.
    await until(() => phones.every(isComplete)).catch(() => undefined)
    const late = phones.filter((phone) => !isComplete(phone)).map(({ name }) => name)
    for (const phone of phones) await phone.end()
    for (const phone of phones) await phone.catchUp(pick([1, 7, 100, 500]))

    const byFrame = phones.reduce((sum, { counts: { byFrame: n } }) => sum + n, 0)
    const bySync = phones.reduce((sum, { counts: { bySync: n } }) => sum + n, 0)
    const sockets = phones.reduce((sum, { counts: { sockets: n } }) => sum + n, 0)
    console.log(
      `order and loss: ${JSON.stringify({ ...counts, byFrame, bySync, sockets, recalled: recalled.size, removed: removed.size, edited: edited.size })}`,
    )

    const problems = phones.flatMap((phone) => phone.problems)
    for (const phone of phones) {
      const isKept = (id: number) => !mayMiss(phone).has(id)
      const expected = idsOf(phone)
        .toSorted((a, b) => a - b)
        .filter((id) => isKept(id))
      const got = phone.written.map(({ id }) => id).filter((id) => isKept(id))
      if (Bun.deepEquals(got, expected)) continue
      const missing = expected.filter((id) => !got.includes(id)).slice(0, 10)
      const foreign = got.filter((id) => !expected.includes(id)).slice(0, 10)
      problems.push(`${phone.name}: ${got.length} of ${expected.length}, missing ${missing}, foreign ${foreign}`)
    }
    expect(problems.slice(0, 20), stderr()).toEqual([])
    expect(late, 'phones with a socket that had to ask for the last messages').toEqual([])

    const bodies = new Map(sent.map(({ message }) => [message.id, message.content['text']]))
    for (const phone of phones) {
      for (const { id, content, recalledAt } of phone.written)
        if (recalledAt === null && !mayMiss(phone).has(id) && content['text'] !== (edited.get(id) ?? bodies.get(id)))
          problems.push(`${phone.name}: ${id} is another text`)
      const expected = idsOf(phone).filter((id) => recalled.has(id) || mayMiss(phone).has(id))
      if (!Bun.deepEquals([...phone.recalled].toSorted(), expected.toSorted()))
        problems.push(`${phone.name}: knows ${phone.recalled.size} of ${expected.length} recalls`)
    }
    expect(problems.slice(0, 20)).toEqual([])

    for (const phone of phones)
      for (const { id: group, userIds } of groups) {
        if (!userIds.includes(phone.account.id)) continue
        const path = `/api/chats/conversations/${group}/pins`
        const { items } = await request<Pins>(phone.account, nextUrl, 'GET', path)
        const pinned = phone.messages.filter(
          (message) => message.conversationId === group && message.pin !== null && !phone.recalled.has(message.id),
        )
        expect(
          pinned.map(({ id, pin: by }) => [id, by]),
          phone.name,
        ).toEqual(items.toSorted((a, b) => a.id - b.id).map(({ id, pin: by }) => [id, by]))
      }

    // A new phone learns the same from nothing.
    for (const phone of phones.slice(0, 8)) {
      const fresh = new Phone(phone.account, nextUrl, `${phone.name}, new`)
      await fresh.catchUp(500)
      const kept = phone.messages.filter(({ id }) => !mayMiss(phone).has(id))
      expect(fresh.messages.map(({ id, content }) => [id, recalled.has(id) ? {} : content])).toEqual(
        kept.map(({ id, content }) => [id, recalled.has(id) ? {} : content]),
      )
      expect(
        fresh.messages.filter(({ recalledAt, content }) => recalledAt !== null && Object.keys(content).length > 0),
      ).toEqual([])
      expect(fresh.messages.filter(({ id, removal }) => removed.has(id) !== (removal?.by === 'GROUP'))).toEqual([])
      expect(fresh.problems).toEqual([])
    }
    // Otherwise the run would show nothing about lost connections and kills.
    expect(counts.kills).toBe(KILLS)
    for (const happened of [
      counts.lost,
      counts.repeated,
      counts.disconnects,
      byFrame,
      bySync,
      recalled.size,
      edited.size,
      removed.size,
      counts.pins,
    ])
      expect(happened).toBeGreaterThan(0)
  },
  PATIENCE,
)

const stderr = () =>
  servers.map((_, i) => readFileSync(join(dataDir, `server-${i}`, 'stderr.log'), 'utf8').slice(-5000)).join('\n')

/** Three groups of six to 24 members. */
async function createGroups(users: readonly Person[]): Promise<{ id: number; userIds: number[] }[]> {
  const groups = []
  for (const size of [6, 12, USERS]) {
    const [owner, ...members] = users.slice(-size)
    const body = { name: `group of ${size}`, userIds: members.map(({ id }) => id) }
    const orgId = ok(await owner!.get('/api/orgs')).data.items[0].id
    const { data } = ok(await owner!.post('/api/chats/groups', { ...body, orgId }))
    ok(await owner!.put(`/api/chats/groups/${data.id}`, { membersPin: true }))
    groups.push({ id: data.id as number, userIds: [owner!.id, ...body.userIds] })
  }
  return groups
}

async function signInPhones(users: readonly Person[]): Promise<Phone[]> {
  const phones = users.map(({ id, token, deviceId }) => new Phone({ id, token, deviceId }, nextUrl))
  for (const { id, username, password } of users.slice(0, PHONES - USERS)) {
    const deviceId = `second-device-${crypto.randomUUID()}`
    const body = { account: username, password }
    const headers = { 'x-device-id': deviceId }
    const { data } = ok(await send(nextUrl(), 'POST', '/api/auth/login', { headers, body }))
    phones.push(new Phone({ id, token: data.accessToken, deviceId }, nextUrl, `user ${id}, second phone`))
  }
  return phones
}

/** Returns how many connections PostgreSQL has dropped. */
async function terminateConnections(url: string): Promise<number> {
  const sql = new SQL({ url, max: 1 })
  try {
    const rows = await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`
    return rows.length
  } finally {
    await sql.close()
  }
}
