/**
 * An event whose processes are killed at random moments, from the first form to its cancellation: three processes on PostgreSQL, one on SQLite.
 * TEST_EVENT_GUESTS plays it with more people, TEST_EVENT_KILLS with more kills, TEST_BINARY with the executable.
 */

import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { type Config, defaultConfig } from '#config/config.ts'
import { DAY, HOUR, MINUTE } from '#platform/clock.ts'

import { newEmail, newIp } from '../accounts/helpers.ts'
import { expectOneEach, mailedTo } from '../activities/message-helpers.ts'
import { send } from '../harness/client.ts'
import { freshDatabase } from '../harness/database.ts'
import { ok, race, type Reply, type RequestOptions, startGateways } from '../harness/index.ts'
import { type Person, person } from '../harness/people.ts'
import { startProxy } from '../harness/proxy.ts'
import { ADMIN, type Child, startChild } from '../harness/server.ts'
import { PATIENCE_MS } from '../harness/until.ts'

const GUESTS = Number(process.env['TEST_EVENT_GUESTS'] || 40)
const KILLS = Number(process.env['TEST_EVENT_KILLS'] || 5)
const PROCESSES = process.env['TEST_DATABASE_URL'] ? 3 : 1
const ACCOUNTS = Math.ceil(GUESTS / 10)
const PLACES = Math.floor((GUESTS * 3) / 4)
const LEAVING = Math.ceil(GUESTS / 20)
/**
 * Of each participant: the form, its mail, the confirmation, and the mails about the pass, the date, the cancelled and the restored registration, the new pass,
 * and the cancelled activity.
 */
const STEPS = GUESTS * 9
const AT_ONCE = 8
/** The ten minutes of all tests, and a second for each further person. */
const TEST_MS = 600_000 + Math.max(0, GUESTS - 40) * 1500
/** Scans in one upload of a gate. */
const UPLOAD = 10

/** Processes behind a proxy, of which `step` kills one now and then and starts it again. `arm` begins. */
async function startMortals(config: Config, folder: string) {
  const start = (i: number): Promise<Child> => startChild({ ...config, dataDir: join(folder, `data-${i}`) })
  const children: Child[] = []
  for (let i = 0; i < PROCESSES; i++) children.push(await start(i))
  const proxy = await startProxy(children.map(({ url }) => url))
  let next = Infinity
  let steps = 0
  let kills = 0
  let killing: Promise<void> | undefined
  const soon = (): number => steps + Math.ceil(Math.random() * 2 * (STEPS / KILLS))
  async function killOne(): Promise<void> {
    const i = Math.floor(Math.random() * PROCESSES)
    await children[i]!.stop('SIGKILL')
    kills++
    children[i] = await start(i)
    proxy.use(children.map(({ url }) => url))
    next = soon()
    killing = undefined
  }
  return {
    url: proxy.url,
    arm() {
      next = soon()
    },
    step() {
      if (++steps >= next) killing ??= killOne()
    },
    /** Kills no more. */
    async disarm(): Promise<number> {
      await killing
      next = Infinity
      return kills
    },
    async stop() {
      await killing
      await proxy.stop()
      await Promise.all(children.map((child) => child.stop()))
    },
  }
}

/** Repeats a request until it is answered, as people and phones do. */
async function surely(url: string, method: string, path: string, options: RequestOptions = {}): Promise<Reply> {
  for (;;) {
    const reply = await send(url, method, path, options).catch(() => undefined)
    // A change of many registrations that was interrupted keeps others away for half a minute.
    if (reply !== undefined && reply.status !== 503 && reply.status !== 429) return reply
    await Bun.sleep(reply?.status === 429 ? 500 : 20)
  }
}

const JSON_WANTED = { accept: 'application/json' }

/** Runs `work` for all items, some at a time. */
async function forAll<T>(items: readonly T[], work: (item: T, i: number) => Promise<void>): Promise<void> {
  let next = 0
  await race(AT_ONCE, async () => {
    while (next < items.length) {
      const i = next++
      await work(items[i]!, i)
    }
  })
}

test(
  'all participants register, get each mail and are let in exactly once, whatever is killed meanwhile',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tessera-event-'))
    const sharedFiles = join(folder, 'files')
    mkdirSync(sharedFiles)
    const database = process.env['TEST_DATABASE_URL'] ? await freshDatabase() : undefined
    let step = (): void => undefined
    const gateways = await startGateways({ onMail: () => void step() })
    const mortals = await startMortals(
      {
        ...defaultConfig,
        ...gateways.config,
        databaseUrl: database?.url ?? '',
        sharedFiles: database ? sharedFiles : '',
        secret: database ? 'the secret of all processes of a test' : '',
        adminUsername: ADMIN.username,
        adminPassword: ADMIN.password,
        logLevel: 'error',
        rateLimit: false,
      },
      folder,
    )
    step = mortals.step
    try {
      await play(gateways, mortals)
    } finally {
      await mortals.stop()
      await gateways.stop()
      await database?.drop()
      rmSync(folder, { recursive: true, force: true })
    }
  },
  TEST_MS,
)

/** Polls until `holds` does. However long all mails take, one comes now and then. */
async function untilMailed(gateways: Gateways, holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  let mails = 0
  for (let end = 0; !(await holds()); await Bun.sleep(20)) {
    if (mails !== (mails = gateways.mails.length)) end = performance.now() + PATIENCE_MS
    if (performance.now() > end) throw new Error(`waited in vain until ${what}, after ${mails} mails`)
  }
}

type Gateways = Awaited<ReturnType<typeof startGateways>>
type Mortals = Awaited<ReturnType<typeof startMortals>>

async function signIn(url: string, path: string, body: object): Promise<Person> {
  const deviceId = `device-${crypto.randomUUID()}`
  const login = await send(url, 'POST', path, {
    deviceId,
    headers: { 'x-forwarded-for': newIp() },
    body,
  })
  return person(url, login, '', '', deviceId)
}
const register = (url: string, username: string) =>
  signIn(url, '/api/auth/register', { username, password: `secret of ${username}` })

async function play(gateways: Gateways, mortals: Mortals): Promise<void> {
  const { url } = mortals
  /** A request of `who`, or without signing in. */
  const ask = async (who: Person | undefined, method: string, path: string, options: RequestOptions = {}) => {
    const signed = who === undefined ? {} : { token: who.token, deviceId: who.deviceId }
    const reply = await surely(url, method, path, { ...signed, ...options })
    // While the test waits for something, it reads, and nothing need be killed for it.
    if (method !== 'GET') mortals.step()
    return ok(reply).data
  }
  const admin = await signIn(url, '/api/admin/auth/login', {
    account: ADMIN.username,
    password: ADMIN.password,
  })
  // A guest repeats a form that was not answered, and each time gets a mail.
  const values = {
    'activities.noticeDelaySeconds': 0,
    'budget.guestMailsPerRecipient': 0,
    'budget.eventMailsPerOwner': 0,
    'budget.eventMailsPerDay': 0,
  }
  ok(await admin.put('/api/admin/settings', { values }))
  const organizer = await register(url, 'organizer')
  const members: (Person & { email: string })[] = []
  for (let i = 0; i < ACCOUNTS; i++) {
    const member = await register(url, `member${i}`)
    const email = newEmail()
    const headers = { 'x-forwarded-for': newIp() }
    ok(await member.send('POST', '/api/auth/email/bind-code', { body: { email }, headers }))
    ok(await member.post('/api/auth/email-bind', { email, code: await gateways.codeFor(email) }))
    members.push(Object.assign(member, { email }))
  }
  const startTime = Date.now() + 7 * DAY
  const { id, uuid } = ok(
    await organizer.post('/api/activities', {
      name: 'Harvest festival',
      startTime,
      endTime: startTime + 8 * HOUR,
      visibility: 'PUBLIC',
      hasPass: true,
      passConfig: { autoIssue: true },
      registration: { capacity: PLACES, waitlist: true, guests: true },
    }),
  ).data
  const at = (rest: string): string => `/api/activities/${id}${rest}`
  ok(await organizer.patch(at('/status'), { status: 'ACTIVE' }))
  const all = async (path: string, query: Record<string, string> = {}) => {
    // oxlint-disable-next-line typescript/no-explicit-any -- items of several lists
    const items: any[] = []
    for (let page = 1; ; page++) {
      const answer = await ask(organizer, 'GET', at(path), {
        query: { ...query, page, size: 100 },
      })
      items.push(...answer.items)
      if (items.length >= answer.total) return items
    }
  }

  const guests = Array.from({ length: GUESTS - ACCOUNTS }, (_, i) => ({
    name: `Guest ${i}`,
    email: newEmail(),
    formToken: '',
    secret: '',
  }))
  await forAll(guests, async (guest) => {
    guest.formToken = (await ask(undefined, 'GET', `/public/activities/${uuid}/guests/form`)).formToken
  })
  // A form that is sent at once was not filled in by a person.
  await Bun.sleep(2100)
  const onPage = (secret: string, action: string) =>
    ask(undefined, 'POST', `/s/registration/${secret}`, { body: { action }, headers: JSON_WANTED })

  mortals.arm()
  await Promise.all([
    forAll(members, async (member) => void (await ask(member, 'POST', at('/registration'), { body: {} }))),
    forAll(guests, async (guest) => {
      const { name, email, formToken } = guest
      const body = { name, email, formToken }
      await ask(undefined, 'POST', `/public/activities/${uuid}/guests`, {
        body,
        headers: JSON_WANTED,
      })
    }),
  ])
  await forAll(guests, async (guest) => {
    const mail = () => gateways.mails.find(({ to }) => to === guest.email)
    await untilMailed(gateways, () => mail() !== undefined, `${guest.email} got the link`)
    guest.secret = /\/s\/registration\/([\w-]+)/.exec(mail()!.text)![1]!
    await onPage(guest.secret, 'confirm')
  })

  // The date moves while some give up their places.
  const leaving = guests.slice(0, LEAVING)
  const times = { startTime: Date.now() - HOUR, endTime: startTime + DAY }
  await Promise.all([
    ask(organizer, 'PUT', at(''), { body: times }),
    forAll(leaving, async ({ secret }) => {
      expect((await onPage(secret, 'cancel')).status).toBe('CANCELLED')
    }),
  ])
  const isDone = async () => (await ask(organizer, 'GET', at('/messages'))).items[0]?.state === 'DONE'
  await untilMailed(gateways, isDone, 'the notice is DONE')
  const [moved, ...others] = await all('/messages')
  expect([moved.kind, others]).toEqual(['MOVED', []])

  let live = await all('/pass/passes', { status: 'ISSUED' })
  const isIssued = async () => (live = await all('/pass/passes', { status: 'ISSUED' })).length === PLACES
  await untilMailed(gateways, isIssued, 'everybody with a place has a pass')
  const everybody = [...guests, ...members].map(({ email }) => email)
  const staying = new Set(everybody.filter((email) => !leaving.some((one) => one.email === email)))
  const emailOf = ({ email, userId }: { email: string | null; userId: number | null }) =>
    members.find((member) => member.id === userId)?.email ?? email!
  /** The mails to those who stay. */
  const mailed = (subject: string) => new Map([...mailedTo(gateways, subject)].filter(([email]) => staying.has(email)))
  const hasMailed = (subject: string, people: number) =>
    untilMailed(gateways, () => mailed(subject).size === people, `${people} people got “${subject}”`)
  const idsOf = (passes: ReadonlyMap<string, ReadonlySet<string>>) => [...passes.values()].map((ids) => ids.size)
  await hasMailed('Your pass', PLACES)
  expect(new Set(idsOf(mailed('Your pass')))).toEqual(new Set([1]))

  // All who stay are cancelled by mistake, those who wait before those who make places free, and restored.
  const confirmed = await all('/registrations', { status: 'CONFIRMED' })
  const waiting = await all('/registrations', { status: 'WAITING' })
  expect([confirmed.length, waiting.length]).toEqual([PLACES, GUESTS - PLACES - LEAVING])
  const change = async (action: string, rows: readonly { id: number }[], status: string) => {
    const filter = { ids: rows.map((row) => row.id), status }
    const body = { action, filter, requestId: `${action}-in-the-play-${rows.length}` }
    expect(await ask(organizer, 'POST', at('/registrations/batch'), { body })).toMatchObject({
      changed: rows.length,
    })
  }
  /** Each of them got one mail with this subject, and users see it in the app. */
  const told = async (subject: string, rows: readonly { email: string | null; userId: number | null }[]) => {
    await hasMailed(subject, rows.length)
    expectOneEach(mailed(subject), rows.map(emailOf))
    const accounts = members.filter(({ id: userId }) => rows.some((row) => row.userId === userId))
    await forAll(accounts, async (member) => {
      const query = { type: 'SYSTEM', size: 100 }
      const { items } = await ask(member, 'GET', '/api/notifications', { query })
      expect(items.filter(({ title }: { title: string }) => title === subject)).toHaveLength(1)
    })
  }
  await change('CANCEL', waiting, 'WAITING')
  await change('CANCEL', confirmed, 'CONFIRMED')
  // News that are no longer true when their mail is due are not mailed.
  await told('Your registration was cancelled', [...confirmed, ...waiting])
  expect(await all('/pass/passes', { status: 'ISSUED' })).toEqual([])
  await change('CONFIRM', confirmed, 'CANCELLED')
  await change('WAIT', waiting, 'CANCELLED')
  await told('Your registration is confirmed', confirmed)
  await told('You are on the waiting list', waiting)
  await untilMailed(gateways, isIssued, 'everybody has a pass again')
  const isMailedTwice = () => idsOf(mailed('Your pass')).every((ids) => ids === 2)
  await untilMailed(gateways, isMailedTwice, 'everybody got the new pass')

  // Two gates without a connection have let everybody in, and upload it until they get an answer.
  const tokens: string[] = []
  await race(2, async (i) => {
    const headers = { 'idempotency-key': `gate-of-the-play-${i}` }
    const gate = await ask(organizer, 'POST', at('/gates'), {
      body: { name: `Gate ${i}`, maxDevices: 1 },
      headers,
    })
    const body = { secret: new URL(gate.url).hash.slice(1), deviceId: `device-of-the-gate-${i}` }
    const { token } = await ask(undefined, 'POST', '/public/gate/session', { body })
    tokens.push(token)
    const scans = live
      .filter((_, nth) => nth % 2 === i)
      .map(({ qrContent }, nth) => ({
        content: qrContent,
        nonce: `scan-of-gate-${i}-${nth}`,
        usedAt: Date.now() - MINUTE,
      }))
    for (let from = 0; from < scans.length; from += UPLOAD) {
      const items = scans.slice(from, from + UPLOAD)
      const answer = await ask(undefined, 'POST', '/public/gate/redemptions', {
        token,
        body: { items },
      })
      for (const { result } of answer.items) expect(['ACCEPTED', 'DUPLICATE']).toContain(result)
    }
  })
  const overview = await ask(organizer, 'GET', at('/overview'))

  // The storm: the activity itself is cancelled, which is final.
  await ask(organizer, 'PATCH', at('/status'), {
    body: { status: 'CANCELLED', noticeText: 'A storm is coming.' },
  })
  await untilMailed(gateways, isDone, 'the notice of the cancellation is DONE')
  const kills = await mortals.disarm()
  expect(kills).toBeGreaterThan(0)
  const [ended, ...earlier] = await all('/messages')
  expect([ended.kind, earlier.map(({ kind }) => kind)]).toEqual(['CANCELLED', ['MOVED']])
  expect((await organizer.patch(at('/status'), { status: 'ACTIVE' })).status).toBe(400)
  for (const token of tokens) {
    const gate = await surely(url, 'GET', '/public/gate/revocations', { token })
    expect(gate.status).toBe(401)
  }
  expectOneEach(mailedTo(gateways, 'Cancelled'), [...staying])

  const registered = await all('/registrations')
  expect(registered.map(emailOf).toSorted()).toEqual(everybody.toSorted())
  const counted = (status: string) => registered.filter((one) => one.status === status).length
  expect(['CONFIRMED', 'WAITING', 'CANCELLED'].map(counted)).toEqual([PLACES, GUESTS - PLACES - LEAVING, LEAVING])
  const passes = await all('/pass/passes')
  const records = await all('/pass/records')
  expect(records.map(({ result }) => result)).toEqual(live.map(() => 'ACCEPTED'))
  expect(new Set(records.map(({ passId }) => passId)).size).toBe(PLACES)
  expect(passes.filter(({ status }) => status === 'USED').map(({ usedCount }) => usedCount)).toEqual(live.map(() => 1))
  expect(overview.registrations).toMatchObject({
    confirmed: PLACES,
    waiting: GUESTS - PLACES - LEAVING,
  })
  expect(overview.passes).toMatchObject({ used: PLACES, revoked: passes.length - PLACES })
  const admitted = overview.gates.map((gate: { admitted: number }) => gate.admitted)
  expect(admitted.toSorted()).toEqual([Math.floor(PLACES / 2), Math.ceil(PLACES / 2)])

  // Those who cancelled before the notice was written were not told.
  const movers = await all(`/messages/${moved.id}/recipients`, { channel: 'EMAIL' })
  expect(movers.map(({ state }) => state)).toEqual(movers.map(() => 'SENT'))
  expect(movers.length).toBeGreaterThanOrEqual(GUESTS - LEAVING)
  const mails = mailedTo(gateways, 'New date')
  const emails = new Map(registered.map((row) => [row.id, emailOf(row)]))
  expectOneEach(
    mails,
    movers.map(({ registrationId }) => emails.get(registrationId)!),
  )
  for (const email of staying) expect(mails.has(email)).toBe(true)
  expect(idsOf(mailed('Your pass'))).toEqual(Array.from({ length: PLACES }, () => 2))
  await forAll(members, async (member) => {
    const { items } = await ask(member, 'GET', '/api/notifications', { query: { type: 'ACTIVITY' } })
    const events = items.map(({ data }: { data: { event: string } }) => data.event)
    expect(events).toEqual(['CANCELLED', 'MOVED'])
  })
  const distinct = new Set(gateways.mails.map((mail) => mail.headers.get('message-id')))
  if (process.env['TEST_EVENT_GUESTS'])
    console.log({
      kills,
      mails: gateways.mails.length,
      again: gateways.mails.length - distinct.size,
    })
  expect(gateways.mails.length - distinct.size).toBeLessThanOrEqual(2 * kills)
}
