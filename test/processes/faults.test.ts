/**
 * Clients write through three processes and note every answer, while processes are killed or stopped and PostgreSQL drops connections. In the
 * end every noted row exists exactly once, the operation log is one chain, and all processes answer the same. For about ten minutes:
 *
 *     FAULTS=100 TEST_DATABASE_URL=… bun test --timeout 3600000 test/processes/faults.test.ts
 */

import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { SQL } from 'bun'

import { issueOne } from '../activities/gate-helpers.ts'
import { createActivity } from '../activities/helpers.ts'
import { randomOf } from '../assets/history-model.ts'
import { Phone } from '../chat/phone.ts'
import { registerWriters } from '../chat/writers.ts'
import { send } from '../harness/client.ts'
import { freshDatabase } from '../harness/database.ts'
import { startGateways } from '../harness/gateways.ts'
import { ADMIN, ok, type Person, until } from '../harness/index.ts'
import { person } from '../harness/people.ts'
import { allItems, NotingClients, type Work } from './noting-clients.ts'
import { onPostgres } from './several.ts'

const MAIN = join(import.meta.dir, '../../src/main.ts')
const FAULTS = Number(process.env['FAULTS'] ?? 3)
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
    await clients.start(nth)
  },
  () => dropConnections(databaseUrl),
  async function stopOneForAWhile() {
    const server = pick(clients.servers)
    server.signal('SIGSTOP')
    await clients.moreAnswers(BETWEEN)
    server.signal('SIGCONT')
  },
]

async function administrator(url: string): Promise<Person> {
  const headers = { 'x-device-id': 'device-of-the-administrator' }
  const body = { account: ADMIN.username, password: ADMIN.password }
  const login = await send(url, 'POST', '/api/admin/auth/login', { headers, body })
  return person(url, login, ADMIN.username, ADMIN.password, headers['x-device-id'])
}

const mailbox = (nth: number): string => `person${nth}@example.org`

interface People {
  readonly ann: Person
  readonly bob: Person
  readonly carol: Person
  readonly admin: Person
}

/** Writes of every kind, each by one client, and the paths by which their rows are read. */
async function worksOf({ ann, bob, carol, admin }: People) {
  const hour = 3_600_000
  const { id } = await createActivity(carol, {
    visibility: 'PUBLIC',
    status: 'ACTIVE',
    startTime: Date.now() - hour,
    endTime: Date.now() + 24 * hour,
    hasCheckIn: true,
    checkInConfig: { maxPerUser: 0 },
    hasPass: true,
  })
  const pass = await issueOne(carol, id, { maxUses: 1_000_000 })
  const code = (who: Person): Work => ({
    who,
    path: '/api/qr-codes',
    body: (nth) => ({ name: `code ${nth}`, content: 'x' }),
  })
  const message = (who: Person, to: Person): Work => ({
    who,
    path: '/api/chats/messages',
    body: (nth) => ({ toUserId: to.id, clientMsgId: `key-${nth}`, type: 'TEXT', content: { text: `${nth}` } }),
    idOf: ({ messages }) => messages[0].id,
  })
  let mails = 0
  const works: Readonly<Record<string, Work>> = {
    codes: code(ann),
    'codes of the same user': code(ann),
    messages: message(ann, bob),
    answers: message(bob, ann),
    'check-ins': { who: bob, path: `/api/activities/${id}/check-in`, body: () => ({}) },
    uses: {
      who: carol,
      path: `/api/activities/${id}/pass/verify`,
      body: (nth) => ({ passUuid: pass.uuid, redeem: true, nonce: `nonce-${String(nth).padStart(6, '0')}` }),
      idOf: ({ use }) => use.id,
    },
    roles: {
      who: admin,
      path: '/api/rbac/roles',
      body: (nth) => ({ domain: 'APP', code: `ROLE_${nth}`, name: 'x' }),
    },
    mails: {
      who: carol,
      path: '/api/auth/email/bind-code',
      body: (nth) => ({ email: mailbox(nth) }),
      // An address may ask for some codes a day only.
      headers: (nth) => ({ 'x-forwarded-for': `198.18.${nth >> 8}.${nth & 255}` }),
      idOf: () => mails++,
      // A second code within a minute is refused.
      isDone: ({ status }) => status === 429,
    },
  }
  return {
    works,
    checkIns: `/api/activities/${id}/check-in/records`,
    uses: `/api/passes/${pass.id}/records`,
  }
}

/** The result of `tessera log verify`. */
async function verifyLog(env: Readonly<Record<string, string>>, folder: string): Promise<unknown> {
  const program = process.env['TEST_BINARY'] ? [process.env['TEST_BINARY']] : [process.execPath, MAIN]
  const child = Bun.spawn([...program, 'log', 'verify', '--json'], {
    cwd: folder,
    env: { ...env, PATH: process.env['PATH'], TESSERA_DATA_DIR: join(folder, 'server-0') },
    stdout: 'pipe',
  })
  return JSON.parse(await child.stdout.text())
}

/** The parts of a list or page that all processes must answer alike. */
async function readAll(server: { readonly url: string }, { ann, carol, admin }: People, paths: readonly string[]) {
  const read = async (who: Person, path: string): Promise<unknown> => {
    const { token, deviceId } = who
    return ok(await send(server.url, 'GET', path, { token, deviceId })).data
  }
  return {
    codes: await allItems(server, ann, '/api/qr-codes?sort=name'),
    stats: await read(ann, '/api/qr-codes/stats'),
    pull: ((await read(ann, '/api/sync/pull?since=0')) as { changes: unknown }).changes,
    conversations: await read(ann, '/api/chats/conversations'),
    roles: await read(admin, '/api/rbac/roles?domain=APP&page=1&size=20'),
    ofCarol: await Promise.all(paths.map((path) => read(carol, path))),
  }
}

test.if(onPostgres)(
  `after ${FAULTS} faults, every answered write exists once and three processes answer alike`,
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
    const clients = new NotingClients(folder, env)
    // A long transaction of another program.
    const other = new SQL({ url: database.url, max: 1 })
    try {
      await clients.startAll()
      const { servers } = clients
      const [ann, bob, carol] = (await registerWriters(servers[0]!.url, 3)) as [Person, Person, Person]
      const people = { ann, bob, carol, admin: await administrator(servers[0]!.url) }
      const { works, checkIns, uses } = await worksOf(people)
      const writing = clients.write(works)
      writing.catch(() => undefined)
      const faults = faultsOf(clients, database.url)
      await other.unsafe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM users').simple()
      for (let nth = 0; nth < FAULTS; nth++) {
        await clients.moreAnswers(BETWEEN)
        await faults[nth % faults.length]!()
      }
      await clients.moreAnswers(BETWEEN)
      clients.stop()
      await writing
      const idsOf = async (who: Person, path: string) =>
        (await allItems(servers[0]!, who, path)).map(({ id }) => id).toSorted((a, b) => a - b)
      expect(await idsOf(ann, '/api/qr-codes')).toEqual(clients.noted('codes', 'codes of the same user'))
      expect(await idsOf(carol, checkIns)).toEqual(clients.noted('check-ins'))
      expect(await idsOf(carol, uses)).toEqual(clients.noted('uses'))
      const ofSystem = new Set(clients.noted('roles'))
      expect((await idsOf(people.admin, '/api/rbac/roles?domain=APP')).filter((id) => ofSystem.has(id))).toEqual(
        clients.noted('roles'),
      )
      for (const server of servers) {
        const phone = new Phone(ann, () => server.url)
        await phone.catchUp()
        expect(phone.written.map(({ id }) => id)).toEqual(clients.noted('messages', 'answers'))
        expect(phone.problems).toEqual([])
      }

      // A mail comes again if its process was killed or stopped between the answer of the mail server and its own commit: four at once at most.
      const mailsTo = (nth: number) => gateways.mails.filter(({ to }) => to === mailbox(nth)).length
      await until(() => clients.noted('mails').every((nth) => mailsTo(nth) > 0))
      const repeated = clients.noted('mails').filter((nth) => mailsTo(nth) > 1)
      expect(repeated.length).toBeLessThanOrEqual(4 * FAULTS)
      console.log(`faults: ${JSON.stringify({ FAULTS, ...clients.counts, repeatedMails: repeated.length })}`)
      expect(await verifyLog(env, folder)).toMatchObject({ ok: true })

      const [first, ...rest] = await Promise.all(servers.map((server) => readAll(server, people, [checkIns, uses])))
      for (const answers of rest) expect(answers).toEqual(first!)
    } finally {
      await other.close()
      await Promise.all(clients.servers.map((server) => server.kill()))
      await gateways.stop()
      await database.drop()
      rmSync(folder, { recursive: true, force: true })
    }
  },
)
