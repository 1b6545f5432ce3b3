/** The screen that shows the check-in code, and codes that rotate. */

import { describe, expect, test } from 'bun:test'

import { activityKiosks } from '#db/schema/activities.ts'
import { setOrgStatus } from '#domains/orgs/index.ts'
import { SECOND } from '#platform/clock.ts'

import { inProcess, ok, type Person, race, startServer, type TestServer, useServer } from '../harness/index.ts'
import { createOrg } from '../orgs/helpers.ts'
import { checkIn, checkInLink, openActivity } from './check-in-helpers.ts'
import { setStatus, update } from './helpers.ts'
import { openActivity as openWithRegistration, register } from './registering.ts'

const { server, alice, bob } = useServer({ people: ['alice', 'bob'] })

const EXPIRED = 'This code has expired. Scan the screen again'
/** The longest step, so that none ends while a test that began with `nextStep` runs. */
const SECONDS = 300

const kioskUrl = async (person: Person, { id }: { id: number }): Promise<string> =>
  ok(await person.call('activities.openKiosk', { params: { id } })).data.url
const secretOf = (url: string): string => url.slice(url.lastIndexOf('/') + 1)
const stateAt = (at: TestServer, secret: string) => fetch(`${at.url}/public/kiosk/${secret}`)
const pageAt = (at: TestServer, secret: string) => fetch(`${at.url}/s/kiosk/${secret}`)
const read = async (secret: string, at: TestServer = server) =>
  ((await (await stateAt(at, secret)).json()) as { data: { content: string; validUntil: number; checkIns: number } })
    .data

/** Moves the clock to the beginning of a step. */
const nextStep = ({ clock }: TestServer = server) =>
  clock.advance(SECONDS * SECOND - (clock.now() % (SECONDS * SECOND)))

const rotating = (config: object = {}) =>
  openActivity(server, alice, { checkInConfig: { rotatingSeconds: SECONDS, maxPerUser: 0, ...config } })

describe('the link of a kiosk', () => {
  test('is the same each time, and another one after it was ended', async () => {
    const activity = await rotating()
    const url = await kioskUrl(alice, activity)
    expect(secretOf(url)).toMatch(/^[\w-]{43}$/)
    expect(new Set(await race(10, () => kioskUrl(alice, activity)))).toEqual(new Set([url]))
    ok(await alice.call('activities.endKiosk', { params: { id: activity.id } }))
    ok(await alice.call('activities.endKiosk', { params: { id: activity.id } }))
    expect((await stateAt(server, secretOf(url))).status).toBe(404)
    const other = await kioskUrl(alice, activity)
    expect(other).not.toBe(url)
    expect((await stateAt(server, secretOf(other))).status).toBe(200)
  })

  test('is one link for activities whose first requests come at once', async () => {
    const activity = await rotating()
    expect(new Set(await race(20, () => kioskUrl(alice, activity))).size).toBe(1)
  })

  test('is for managers of an activity with check-in that is not over', async () => {
    const activity = await rotating()
    const params = { id: activity.id }
    expect((await bob.call('activities.openKiosk', { params })).status).toBe(403)
    expect((await bob.call('activities.endKiosk', { params })).status).toBe(403)
    const without = await openActivity(server, alice, { hasCheckIn: false })
    expect((await alice.call('activities.openKiosk', { params: { id: without.id } })).status).toBe(400)
    await setStatus(alice, activity.id, 'ENDED')
    expect((await alice.call('activities.openKiosk', { params })).status).toBe(400)
    expect((await alice.call('activities.openKiosk', { params: { id: 999_999 } })).status).toBe(404)
  })

  test('unknown, altered and ended links and those of deleted activities are the same 404', async () => {
    const activity = await rotating()
    const secret = secretOf(await kioskUrl(alice, activity))
    const altered = secret.slice(0, -1) + (secret.endsWith('A') ? 'B' : 'A')
    const ended = await rotating()
    const endedSecret = secretOf(await kioskUrl(alice, ended))
    await setStatus(alice, ended.id, 'ENDED')
    ok(await alice.call('activities.delete', { params: { id: ended.id } }))
    const bodies = new Set<string>()
    for (const wrong of [altered, secret.toLowerCase() + 'x', 'x', endedSecret]) {
      const answer = await stateAt(server, wrong)
      expect(answer.status).toBe(404)
      bodies.add(((await answer.json()) as { message: string }).message)
      const page = await pageAt(server, wrong)
      expect(page.status).toBe(404)
      expect(await page.text()).not.toContain(activity.name)
    }
    expect(bodies.size).toBe(1)
  })

  test('its answers are stored nowhere, found by no search engine, and name the address to no other site', async () => {
    const secret = secretOf(await kioskUrl(alice, await rotating()))
    for (const answer of [await stateAt(server, secret), await pageAt(server, secret)]) {
      expect(answer.status).toBe(200)
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
      expect(answer.headers.get('x-robots-tag')).toBe('noindex')
    }
  })

  test.if(inProcess)('is stored encrypted', async () => {
    const secret = secretOf(await kioskUrl(alice, await rotating()))
    expect(JSON.stringify(await server.ctx.db.read.select().from(activityKiosks))).not.toContain(secret)
  })

  test('wrong links count and right ones do not, because a venue shares an address', async () => {
    await using limited = await startServer({ rateLimit: true, noAdmin: true })
    const owner = await limited.person()
    const activity = await openActivity(limited, owner)
    const secret = secretOf(await kioskUrl(owner, activity))
    const wrong = async () => (await stateAt(limited, 'wrong')).status
    const statuses = await race(61, wrong)
    // Signing in counts in the same limit.
    expect(statuses.filter((status) => status === 404).length).toBeWithin(50, 61)
    expect(new Set(statuses)).toEqual(new Set([404, 429]))
    expect((await pageAt(limited, 'wrong')).status).toBe(429)
    const right = await race(61, async () => (await stateAt(limited, secret)).status)
    expect(right.filter((status) => status === 200).length).toBe(60)
    expect(right.filter((status) => status === 429).length).toBe(1)
  })

  test.if(inProcess)('is refused in a disabled organization, whose screens show no code', async () => {
    const org = await createOrg(alice)
    const activity = await openActivity(server, alice, { orgId: org.id })
    const secret = secretOf(await kioskUrl(alice, activity))
    await server.ctx.db.write('test', (tx) => setOrgStatus(server.ctx, tx, org.id, 'DISABLED'))
    expect((await alice.call('activities.openKiosk', { params: { id: activity.id } })).status).toBe(403)
    expect((await alice.call('activities.endKiosk', { params: { id: activity.id } })).status).toBe(403)
    expect(await read(secret)).toMatchObject({ content: null })
  })
})

describe('a code that rotates', () => {
  test('admits in its step and the next one; a photo of it does not later', async () => {
    const activity = await rotating()
    const secret = secretOf(await kioskUrl(alice, activity))
    nextStep()
    const { content, validUntil, checkIns } = await read(secret)
    expect(content).toMatch(/\/s\/check-in\/[\w-]{36}\?t=[A-Z2-9]{8}$/)
    expect(validUntil % (SECONDS * SECOND)).toBe(0)
    expect(validUntil - server.clock.now()).toBeGreaterThan(0)
    expect(validUntil - server.clock.now()).toBeLessThanOrEqual(SECONDS * SECOND)
    expect(checkIns).toBe(0)
    expect(ok(await checkIn(bob, activity, { code: content })).data.method).toBe('QR')
    server.clock.advance(SECONDS * SECOND)
    const next = await read(secret)
    expect(next.content).not.toBe(content)
    expect(next.checkIns).toBe(1)
    ok(await checkIn(bob, activity, { code: content }))
    ok(await checkIn(bob, activity, { code: next.content }))
    server.clock.advance(SECONDS * SECOND)
    expect(await checkIn(bob, activity, { code: content })).toMatchObject({ status: 400, message: EXPIRED })
    ok(await checkIn(bob, activity, { code: next.content }))
  })

  test.if(inProcess)('is needed: poster, short code, code of the activity and no code do not suffice', async () => {
    const activity = await rotating({ shortCode: 'LAKE24' })
    const poster = await checkInLink(server, activity)
    for (const body of [
      {},
      { shortCode: 'LAKE24' },
      { code: poster },
      { code: poster, shortCode: 'LAKE24' },
      { code: `${poster}?t=AAAAAAAA` },
      { code: activity.qrContent! },
    ])
      expect(await checkIn(bob, activity, body)).toMatchObject({ status: 400, message: EXPIRED })
    nextStep()
    const { content } = await read(secretOf(await kioskUrl(alice, activity)))
    expect(ok(await checkIn(bob, activity, { code: content })).data.method).toBe('QR')
    expect(await checkIn(bob, activity, { code: new URL(content).searchParams.get('t')! })).toMatchObject({
      message: 'This code does not belong to this activity',
    })
  })

  test('of another activity is foreign', async () => {
    const [activity, other] = [await rotating(), await rotating()]
    nextStep()
    const { content } = await read(secretOf(await kioskUrl(alice, other)))
    expect(await checkIn(bob, activity, { code: content })).toMatchObject({
      message: 'This code does not belong to this activity',
    })
  })

  test('admits everyone who arrives within one step, and wrong ones of others block nobody', async () => {
    await using limited = await startServer({ rateLimit: true, noAdmin: true })
    const owner = await limited.person()
    const activity = await openActivity(limited, owner, { checkInConfig: { rotatingSeconds: SECONDS, maxPerUser: 0 } })
    const secret = secretOf(await kioskUrl(owner, activity))
    nextStep(limited)
    const { content } = await read(secret, limited)
    const people = await race(10, () => limited.person())
    const late = await race(50, (i) => checkIn(people[i % 10]!, activity))
    expect(new Set(late.map(({ message }) => message))).toEqual(new Set([EXPIRED]))
    const replies = await race(500, (i) => checkIn(people[i % 10]!, activity, { code: content }))
    expect(replies.filter(({ status }) => status === 200).length).toBe(500)
    expect((await read(secret, limited)).checkIns).toBe(500)
  })

  test('is shown only while people can check in', async () => {
    const activity = await rotating()
    const secret = secretOf(await kioskUrl(alice, activity))
    ok(await update(alice, activity.id, { checkInConfig: { opensAt: server.clock.now() + 1000 * SECOND } }))
    expect(await read(secret)).toEqual({ content: null, validUntil: null, checkIns: 0 } as never)
    server.clock.advance(1001 * SECOND)
    expect((await read(secret)).content).toContain('?t=')
    await setStatus(alice, activity.id, 'ENDED')
    expect(await read(secret)).toMatchObject({ content: null })
  })

  test('is the link of the poster if the code does not rotate', async () => {
    const activity = await openActivity(server, alice)
    const { content, validUntil } = await read(secretOf(await kioskUrl(alice, activity)))
    expect(content).toMatch(/\/s\/check-in\/[\w-]{36}$/)
    expect(validUntil).toBeNull()
    ok(await checkIn(bob, activity, { code: content }))
  })

  test('admits users who have registered to an activity by invitation, without the invite code', async () => {
    const fields = { visibility: 'INVITE_ONLY', hasCheckIn: true, checkInConfig: { rotatingSeconds: SECONDS } } as const
    const activity = await openWithRegistration(server, alice, {}, fields)
    const secret = secretOf(await kioskUrl(alice, activity))
    nextStep()
    const { content } = await read(secret)
    expect((await checkIn(bob, activity, { code: content })).status).toBe(403)
    ok(await register(bob, activity, { inviteCode: activity.inviteCode! }))
    ok(await checkIn(bob, activity, { code: content }))
  })

  test.each([14, 301, 20.5, 0, '30'])('every %p seconds is refused', async (rotatingSeconds) => {
    const activity = await rotating()
    const body = { checkInConfig: { rotatingSeconds } } as object
    expect((await update(alice, activity.id, body)).status).toBe(400)
  })
})

describe('the pages', () => {
  test('of a kiosk has the name, its script, and a sentence for browsers without scripts, in both languages', async () => {
    const activity = await openActivity(server, alice, { name: 'Lake <cleanup>', timeZone: 'Asia/Kathmandu' })
    const secret = secretOf(await kioskUrl(alice, activity))
    const page = await pageAt(server, secret)
    const text = await page.text()
    expect(text).toContain('Lake &lt;cleanup&gt;')
    expect(text).toContain('data-zone="Asia/Kathmandu"')
    expect(text).toContain('This page needs JavaScript')
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'; connect-src 'self'")
    expect(await (await fetch(`${server.url}/s/kiosk/${secret}?lang=zh`)).text()).toContain('需要 JavaScript')
    const script = await fetch(`${server.url}/kiosk.js`)
    expect(script.headers.get('content-type')).toStartWith('text/javascript')
  })

  test.if(inProcess)(
    'of the check-in of a rotating code shows no poster, and keeps the code of the screen for the application',
    async () => {
      const activity = await rotating()
      const link = new URL(await checkInLink(server, activity)).pathname
      const text = await (await fetch(`${server.url}${link}?t=KQ7MPX2W`)).text()
      expect(text).not.toContain('<img class="qr"')
      expect(text).not.toContain('class="poster"')
      expect(text).toContain(`href="/console${link}?t=KQ7MPX2W"`)
    },
  )
})
