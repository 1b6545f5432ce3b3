/**
 * Clients write through a proxy of three processes and note every answer, while processes are killed or stopped and PostgreSQL drops connections. In
 * the end every noted row exists exactly once, the operation log is one chain, and all processes answer the same. For an hour behind nginx, with
 * about thirty writes a second and three faults a minute:
 *
 *     MINUTES=60 TEST_NGINX=/usr/sbin/nginx TEST_DATABASE_URL=… bun test test/processes/faults.test.ts
 */

import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { SQL } from 'bun'

import { KEPT } from '#domains/notifications/notifications.model.ts'

import { randomOf } from '../assets/history-model.ts'
import { Phone } from '../chat/phone.ts'
import { registerWriters } from '../chat/writers.ts'
import { send } from '../harness/client.ts'
import { freshDatabase } from '../harness/database.ts'
import { startGateways } from '../harness/gateways.ts'
import { ADMIN, ok, type Person, until } from '../harness/index.ts'
import { person } from '../harness/people.ts'
import { program } from '../harness/program.ts'
import { Phone as Device } from '../sync/phone.ts'
import { allItems, NotingClients, type Work } from './noting-clients.ts'
import { onPostgres } from './several.ts'
import { mailbox, newsTitle, type People, worksOf } from './works.ts'

/** Without it, the test ends after the first three faults. */
const MINUTES = Number(process.env['MINUTES'] ?? 0)
const PAUSE_MS = MINUTES > 0 ? 400 : 0
const STOPPED_MS = MINUTES > 0 ? 8000 : 0
/** Answers before and after each fault. */
const BETWEEN = 30
const { random, pick } = randomOf(Number(process.env['SEED'] ?? 20_261_128))

/** Ends about half of the connections of the processes. */
async function dropConnections(url: string): Promise<void> {
  await using sql = new SQL({ url, max: 1 })
  await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'tessera' AND random() < 0.5`
}

const faultsOf = (clients: NotingClients, databaseUrl: string): readonly (() => Promise<void>)[] => [
  async function killOne() {
    const nth = random(clients.servers.length)
    await clients.servers[nth]!.kill()
    await clients.moreAnswers(BETWEEN)
    await clients.restart(nth)
  },
  () => dropConnections(databaseUrl),
  async function stopOneForAWhile() {
    const server = pick(clients.servers)
    server.signal('SIGSTOP')
    await clients.moreAnswers(BETWEEN)
    await Bun.sleep(STOPPED_MS)
    server.signal('SIGCONT')
  },
]

/** The faults, one after the other, again in each minute. Returns their number. */
async function disturb(clients: NotingClients, databaseUrl: string): Promise<number> {
  const faults = faultsOf(clients, databaseUrl)
  const end = performance.now() + MINUTES * 60_000
  let count = 0
  do {
    const next = performance.now() + Math.min(MINUTES, 1) * 60_000
    for (const fault of faults) {
      await clients.moreAnswers(BETWEEN)
      await fault()
      count++
    }
    const { answers, repeats } = clients.counts
    if (MINUTES > 0) console.log(`${count} faults, ${answers} answers, ${repeats} repeats`)
    while (clients.isWriting && performance.now() < next) await Bun.sleep(100)
  } while (clients.isWriting && performance.now() < end)
  await clients.moreAnswers(BETWEEN)
  return count
}

async function administrator(url: string): Promise<Person> {
  const headers = { 'x-device-id': 'device-of-the-administrator' }
  const body = { account: ADMIN.username, password: ADMIN.password }
  const login = await send(url, 'POST', '/api/admin/auth/login', { headers, body })
  return person(url, login, ADMIN.username, ADMIN.password, headers['x-device-id'])
}

/** The result of `tessera log verify`. */
async function verifyLog(env: Readonly<Record<string, string>>, folder: string): Promise<unknown> {
  const child = Bun.spawn([...program, 'log', 'verify', '--json'], {
    cwd: folder,
    env: { ...env, PATH: process.env['PATH'], TESSERA_DATA_DIR: join(folder, 'server-0') },
    stdout: 'pipe',
  })
  return JSON.parse(await child.stdout.text())
}

/** Pulls through the proxy until the clients stop. */
async function keepPulling(device: Device, clients: NotingClients): Promise<number> {
  let pulls = 0
  for (; clients.isWriting; pulls++) {
    try {
      await device.pull()
    } catch (error) {
      // The process was killed, or has no database at the moment.
      if (!/got 50\d|ECONN|socket|closed|timed out/i.test(String(error))) throw error
    }
    await Bun.sleep(PAUSE_MS)
  }
  return pulls
}

const keyOf = ({ who, path }: NonNullable<Work['list']>): string => `${path} of ${who.username}`

/** The ids of all lists that the works fill, through one process. */
async function idsOf(server: { readonly url: string }, works: readonly Work[]): Promise<Record<string, number[]>> {
  const found: Record<string, number[]> = {}
  for (const { list } of works) {
    if (list === undefined) continue
    found[keyOf(list)] ??= (await allItems(server, list.who, list.path)).map(({ id }) => id).toSorted((a, b) => a - b)
  }
  return found
}

/** Those that the clients have noted, with those that were there before. */
function expectedIds(works: Readonly<Record<string, Work>>, clients: NotingClients, before: Record<string, number[]>) {
  const ids = structuredClone(before)
  for (const [name, { list }] of Object.entries(works)) if (list) ids[keyOf(list)]!.push(...clients.noted(name))
  for (const list of Object.values(ids)) list.sort((a, b) => a - b)
  return ids
}

/** Pages that all processes must answer alike. */
async function readAll(server: { readonly url: string }, { ann, bob, carol, admin }: People, paths: readonly string[]) {
  const read = async ({ token, deviceId }: Person, path: string): Promise<unknown> =>
    ok(await send(server.url, 'GET', path, { token, deviceId })).data
  return {
    stats: await read(ann, '/api/qr-codes/stats'),
    quotas: await Promise.all([ann, bob].map((who) => read(who, '/api/auth/quotas'))),
    pull: ((await read(ann, '/api/sync/pull?since=0')) as { changes: unknown }).changes,
    conversations: await read(ann, '/api/chats/conversations'),
    roles: await read(admin, '/api/rbac/roles?domain=APP&page=1&size=20'),
    ofCarol: await Promise.all(paths.map((path) => read(carol, path))),
  }
}

test.if(onPostgres)(
  'after kills, stops and lost connections, every answered write exists once and three processes answer alike',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tessera-faults-'))
    const [database, gateways] = [await freshDatabase(), await startGateways()]
    const env = {
      TESSERA_DATABASE_URL: database.url,
      TESSERA_SHARED_FILES: join(folder, 'files'),
      TESSERA_SECRET: 'the secret of all processes of a test',
      TESSERA_PUBLIC_URL: 'http://localhost:8080',
      TESSERA_SMTP_URL: gateways.config.smtpUrl,
      TESSERA_MAIL_FROM: gateways.config.mailFrom,
    }
    mkdirSync(env.TESSERA_SHARED_FILES)
    const clients = new NotingClients(folder, env, PAUSE_MS)
    // A long transaction of another program.
    const other = new SQL({ url: database.url, max: 1 })
    let phones: Phone[] = []
    try {
      await clients.startAll()
      const { servers, proxy } = clients
      const [ann, bob, carol] = (await registerWriters(proxy.url, 3)) as [Person, Person, Person]
      const people = { ann, bob, carol, admin: await administrator(proxy.url) }
      const quotas = { 'quota.qrCodes': 1_000_000, 'quota.scanRecords': 1_000_000 }
      ok(await people.admin.call('admin.settings.update', { body: { values: quotas } }))
      const works = await worksOf(people)
      const kinds = Object.values<Work>(works)
      const before = await idsOf(servers[0]!, kinds)

      const writing = clients.write(works)
      writing.catch(() => undefined)
      phones = [ann, bob].map((who) => new Phone(who, () => proxy.url))
      for (const phone of phones) phone.start()
      const device = new Device(ann)
      const pulling = keepPulling(device, clients)
      pulling.catch(() => clients.stop())
      await other.unsafe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM users').simple()
      const faults = await disturb(clients, database.url)
      clients.stop()
      await writing
      const pulls = await pulling

      const expected = expectedIds(works, clients, before)
      for (const server of servers) expect(await idsOf(server, kinds)).toEqual(expected)
      await device.expectCurrent()
      expect(device.all('qrCode').map(({ id }) => id)).toEqual(expected[keyOf(works.codes.list)]!)
      const messages = clients.noted('messages', 'answers')
      for (const phone of phones) {
        await until(() => phone.written.length >= messages.length)
        await phone.end()
      }
      for (const { url } of servers) phones.push(new Phone(ann, () => url))
      for (const phone of phones) {
        await phone.catchUp()
        expect(phone.written.map(({ id }) => id)).toEqual(messages)
        expect(phone.problems).toEqual([])
      }
      const news = clients.noted('news').length
      const newsOfBob = async () => (await allItems(servers[0]!, bob, '/api/notifications?type=SYSTEM')) as object[]
      // A user keeps so many of them, which an hour exceeds; a job deletes older ones later.
      await until(async () => (await newsOfBob()).length >= Math.min(news, KEPT))
      const titles = (await newsOfBob()).map((one) => (one as { title: string }).title)
      const all = Array.from({ length: news }, (_, nth) => newsTitle(nth))
      expect(titles.toSorted()).toEqual(all.slice(news - titles.length).toSorted())

      // A mail comes again if its process was killed or stopped between the answer of the mail server and its own commit: four at once at most.
      const mailed = () => new Set(gateways.mails.map(({ to }) => to))
      await until(() => clients.noted('mails').every((nth) => mailed().has(mailbox(nth))))
      const repeated = gateways.mails.length - mailed().size
      expect(repeated).toBeLessThanOrEqual(4 * faults)
      const noted = Object.fromEntries([...clients.notes].map(([name, ids]) => [name, ids.length]))
      const { byFrame, bySync, sockets } = phones[0]!.counts
      const counts = { faults, ...clients.counts, pulls, byFrame, bySync, sockets, repeatedMails: repeated }
      console.log(`faults: ${JSON.stringify({ ...counts, noted })}`)
      expect(await verifyLog(env, folder)).toMatchObject({ ok: true })

      const ofCarol = [works['check-ins'], works.uses, works.registrations].map(({ list }) => list.path)
      const [first, ...rest] = await Promise.all(servers.map((server) => readAll(server, people, ofCarol)))
      for (const answers of rest) expect(answers).toEqual(first!)
    } finally {
      clients.stop()
      await Promise.all(phones.map((phone) => phone.end()))
      await other.close()
      await clients.stopAll()
      await gateways.stop()
      await database.drop()
      rmSync(folder, { recursive: true, force: true })
    }
  },
  // The run of an hour ends later than other tests may.
  (MINUTES + 10) * 60_000,
)
