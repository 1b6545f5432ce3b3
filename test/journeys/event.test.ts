/**
 * An event from its announcement to the list of participants: guests without accounts behind one address, a waiting list, a move of the date, two gates
 * without a connection, a cancellation that is taken back, speakers from a spreadsheet, and the export. TEST_EVENT_GUESTS plays it with more people.
 */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { resolve } from 'node:path'

import { DAY, HOUR, MINUTE, SECOND } from '#platform/clock.ts'

import { newEmail } from '../accounts/helpers.ts'
import { ok, race, startGateways, until, useServer } from '../harness/index.ts'

const { verifyPass, verifyRevocations } = (await import(resolve(import.meta.dir, '../../docs/pass-verifier.js'))) as {
  verifyPass(input: object): Promise<{ valid: boolean }>
  verifyRevocations(input: object): Promise<boolean>
}

const GUESTS = Number(process.env['TEST_EVENT_GUESTS'] ?? 60)
/** Three of four guests get a place. */
const PLACES = (GUESTS * 3) / 4
const SPEAKERS = 5
/** Requests at the same time. */
const AT_ONCE = 8

const gateways = await startGateways()
afterAll(gateways.stop)
const { server, organizer } = useServer({
  people: ['organizer'],
  config: gateways.config,
  settings: { 'activities.noticeDelaySeconds': 0 },
})

const guests = Array.from({ length: GUESTS }, (_, i) => ({ name: `Guest ${i}`, email: newEmail(), secret: '' }))
let id = 0
let uuid = ''
const at = (rest: string): string => `/api/activities/${id}${rest}`

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

const mailsAbout = (words: string) => gateways.mails.filter(({ subject }) => subject.includes(words))
const JSON_WANTED = { accept: 'application/json' }
const pageOf = async (secret: string) =>
  ok(await server.request('GET', `/s/registration/${secret}`, { headers: JSON_WANTED })).data
const onPage = (secret: string, body: object) =>
  server.request('POST', `/s/registration/${secret}`, { body, headers: JSON_WANTED })
async function everyPass(): Promise<{ status: string; qrContent: string }[]> {
  const passes = []
  for (let page = 1; ; page++) {
    const { items, total } = ok(await organizer.get(at('/pass/passes'), { page, size: 100 })).data
    passes.push(...items)
    if (passes.length >= total) return passes
  }
}
/** The secrets of guests with this status. */
async function withStatus(status: string): Promise<string[]> {
  const found: string[] = []
  await forAll(guests, async ({ secret }) => {
    if ((await pageOf(secret)).status === status) found.push(secret)
  })
  return found
}

beforeAll(async () => {
  const startTime = server.clock.now() + 7 * DAY
  const activity = ok(
    await organizer.post('/api/activities', {
      name: 'Harvest festival',
      timeZone: 'Asia/Shanghai',
      location: 'Town hall',
      startTime,
      endTime: startTime + 8 * HOUR,
      visibility: 'PUBLIC',
      hasPass: true,
      passConfig: { autoIssue: true },
      registration: {
        capacity: PLACES,
        waitlist: true,
        guests: true,
        questions: [{ key: 'size', label: 'T-shirt', required: true }],
      },
    }),
  ).data
  ;({ id, uuid } = activity)
  ok(await organizer.patch(at('/status'), { status: 'ACTIVE' }))
})

/** A form that is sent at once was not filled in by a person. */
const FILLING_IN = 2100
/** Uses of one form. */
const FORM_USES = 5

test('guests behind one address register, and exactly as many as there are places are confirmed', async () => {
  const forms: string[] = []
  await race(Math.ceil(GUESTS / FORM_USES), async () => {
    forms.push(ok(await server.request('GET', `/public/activities/${uuid}/guests/form`)).data.formToken)
  })
  await Bun.sleep(FILLING_IN)
  await forAll(guests, async ({ name, email }, i) => {
    const body = {
      name,
      email,
      language: i % 2 ? 'zh' : 'en',
      answers: { size: '=1+1' },
      formToken: forms[Math.floor(i / FORM_USES)],
    }
    const reply = await server.request('POST', `/public/activities/${uuid}/guests`, { body, headers: JSON_WANTED })
    expect(ok(reply).data).toEqual({ state: 'CHECK_MAIL' })
  })
  await forAll(guests, async (guest) => {
    const { text } = await gateways.mailFor(guest.email)
    guest.secret = /\/s\/registration\/([\w-]+)/.exec(text)![1]!
  })
  await forAll(guests, async ({ secret }) => void ok(await onPage(secret, { action: 'confirm' })))
  const { stats } = ok(await organizer.get(at(''))).data
  expect(stats.registrations).toMatchObject({ confirmed: PLACES, waiting: GUESTS - PLACES })
  await until(async () => mailsAbout('Your pass').length + mailsAbout('你的通行证').length === PLACES)
})

test('a move of the date reaches each of them once, and the passes follow', async () => {
  const { data: before } = ok(await organizer.get(at('')))
  const times = { startTime: Date.now() - HOUR, endTime: before.endTime + 3 * DAY }
  ok(await organizer.put(at(''), { ...times, noticeText: 'The hall was double-booked.' }))
  await until(async () => ok(await organizer.get(at('/messages'))).data.items[0]?.state === 'DONE')
  const told = [...mailsAbout('New date'), ...mailsAbout('活动改期')]
  expect(told.map(({ to }) => to).toSorted()).toEqual(guests.map(({ email }) => email).toSorted())
  expect(new Set(told.map(({ headers }) => headers.get('message-id'))).size).toBe(GUESTS)
  const later = { now: before.endTime + SECOND, keys: ok(await server.request('GET', at('/pass/keys'))).data.keys }
  const { data: revocations } = ok(await organizer.get(at('/pass/revocations')))
  for (const { qrContent } of await everyPass())
    expect(await verifyPass({ ...later, revocations, activityId: id, content: qrContent })).toMatchObject({
      valid: true,
    })
})

test('a place that is given up goes to the first who waits, and a manager can give it back', async () => {
  const [leaving] = await withStatus('CONFIRMED')
  const waiting = await withStatus('WAITING')
  const first = (await Promise.all(waiting.map(pageOf))).find(({ position }) => position === 1)!
  expect(ok(await onPage(leaving!, { action: 'cancel' })).data).toMatchObject({
    status: 'CANCELLED',
    pass: { status: 'REVOKED' },
  })
  const { items } = ok(await organizer.get(at('/registrations'), { status: 'CANCELLED' })).data
  expect(items).toMatchObject([{ source: 'GUEST', status: 'CANCELLED' }])
  const moved = ok(await organizer.get(at('/registrations'), { keyword: first.name, status: 'CONFIRMED' })).data.items
  expect(moved).toHaveLength(1)

  const back = (body: object) => organizer.patch(`/api/registrations/${items[0].id}`, { status: 'CONFIRMED', ...body })
  expect((await back({})).status).toBe(400)
  expect(ok(await back({ overCapacity: true })).data.status).toBe('CONFIRMED')
  expect((await pageOf(leaving!)).pass).not.toBeNull()
})

const importTable = async (rows: string, fields: Record<string, string> = {}) => {
  const body = new FormData()
  for (const [name, value] of Object.entries(fields)) body.set(name, value)
  body.set('file', new File([rows], 'people.csv'))
  return organizer.send('POST', at('/registrations/import'), { body })
}

test('speakers come from a spreadsheet, past the places of the guests, and get passes but no mail', async () => {
  const speakers = Array.from({ length: SPEAKERS }, (_, i) => ({ name: `Speaker ${i}`, email: newEmail() }))
  const rows = [
    'Speakers of the festival',
    '姓名,邮箱,T-shirt',
    ...speakers.map(({ name, email }) => `${name},${email},L`),
  ]
  const file = rows.join('\n')
  expect((await importTable(file)).status).toBe(400)
  expect(ok(await importTable(file, { overCapacity: 'true' })).data).toMatchObject({ created: SPEAKERS, errorCount: 0 })
  const { items } = ok(await organizer.get(at('/registrations'), { source: 'IMPORT', pass: true })).data
  expect(items).toHaveLength(SPEAKERS)
  expect(gateways.mails.filter(({ to }) => speakers.some(({ email }) => email === to))).toEqual([])
})

test('two gates without a connection admit everybody once, and their uploads agree', async () => {
  const gates = await Promise.all(
    ['North', 'South'].map(async (name) => {
      const { url } = ok(await organizer.post(at('/gates'), { name, showNames: false, maxDevices: 1 })).data
      const body = { secret: new URL(url).hash.slice(1), deviceId: `device-of-${name}-gate`, deviceName: name }
      return ok(await server.request('POST', '/public/gate/session', { body })).data.token as string
    }),
  )
  const passes = await everyPass()
  const live = passes.filter(({ status }) => status === 'ISSUED')
  expect(live).toHaveLength(PLACES + 1 + SPEAKERS)

  // All that the phones know when the network of the hall fails.
  const { keys } = ok(await server.request('GET', at('/pass/keys'))).data
  const { data: revocations } = ok(await server.request('GET', '/public/gate/revocations', { token: gates[0]! }))
  expect(await verifyRevocations({ keys, activityId: id, revocations })).toBe(true)
  const now = Date.now() - MINUTE
  const verdicts = await Promise.all(
    passes.map(({ qrContent }) => verifyPass({ keys, revocations, activityId: id, now, content: qrContent })),
  )
  expect(verdicts.filter(({ valid }) => valid)).toHaveLength(live.length)

  // Every tenth person is let in at both gates.
  const results = await Promise.all(
    gates.map(async (token, gate) => {
      const seen = live.filter((_, i) => i % 2 === gate || i % 10 === 0)
      const items = seen.map(({ qrContent }, i) => ({
        content: qrContent,
        nonce: `scan-of-gate-${gate}-${i}`,
        usedAt: now + gate * SECOND,
      }))
      const upload = async (): Promise<string[]> =>
        ok(await server.request('POST', '/public/gate/redemptions', { token, body: { items } })).data.items.map(
          ({ result }: { result: string }) => result,
        )
      const first = await upload()
      // A phone that lost the answer sends all of them again.
      expect(new Set(await upload())).toEqual(new Set(['DUPLICATE']))
      return first
    }),
  )
  const counted = (result: string) => results.flat().filter((one) => one === result).length
  const twice = Math.ceil(live.length / 10)
  expect({ accepted: counted('ACCEPTED'), twice: counted('DOUBLE_USE') }).toEqual({ accepted: live.length, twice })
  const overview = ok(await organizer.get(at('/overview'))).data
  expect(overview.passes.used).toBe(live.length)
  expect(overview.registrations).toMatchObject({ confirmed: PLACES + 1 + SPEAKERS, capacity: PLACES })
})

test('the exported list has every guest with the answer as it was typed, and is imported again unchanged', async () => {
  const { text } = ok(await organizer.send('GET', at('/registrations'), { query: { format: 'csv', lang: 'en' } }))
  const rows = text.trim().split(/\r?\n/)
  expect(rows).toHaveLength(GUESTS + SPEAKERS + 1)
  for (const { name, email } of guests) expect(rows.find((row) => row.includes(`${name},`))).toContain(email)
  expect(text).not.toMatch(/(^|,)=1\+1/m)
  expect(ok(await importTable(text)).data).toMatchObject({ created: 0, updated: 0, unchanged: GUESTS + SPEAKERS })
})
