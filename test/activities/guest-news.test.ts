/** Guests get passes, mails about themselves, messages and notices. Their data is deleted, or moves into an account. */

import { describe, expect, test } from 'bun:test'

import { guestJobs } from '#domains/activities/guests/guests.jobs.ts'
import { autoIssueJob } from '#domains/activities/pass-issues/auto-issues.service.ts'
import { eraseGuests } from '#domains/activities/passes/passes.store.ts'
import { DAY, HOUR } from '#platform/clock.ts'

import { useWorld } from '../accounts/helpers.ts'
import { inProcess, ok, type Person, race, until } from '../harness/index.ts'
import { person } from '../harness/people.ts'
import { act, confirmedGuest, mailsTo, openToGuests, pendingGuest, readPage } from './guest-helpers.ts'
import { setStatus, update } from './helpers.ts'
import { stopPath } from './mail-helpers.ts'
import { list, own, register } from './registering.ts'

const world = useWorld()

const withPasses = { hasPass: true, passConfig: { autoIssue: true } }
const passesOf = async (manager: Person, id: number) =>
  ok(await manager.call('passes.list', { params: { id }, query: { size: 100 } })).data.items

describe('passes', () => {
  test('are issued with the place, mailed, shown on the page, and revoked with the registration', async () => {
    const alice = await world.withEmail()
    const activity = await openToGuests(world.server, alice, { capacity: 5 }, withPasses)
    const { secret, email } = await confirmedGuest(world, activity, { name: 'Lin Mei' })
    const [pass] = await passesOf(alice, activity.id)
    expect(pass).toMatchObject({ holderName: 'Lin Mei', holderUserId: null, status: 'ISSUED' })
    const page = ok(await readPage(world.server, secret)).data
    expect(page.pass).toEqual({ publicUrl: pass!.publicUrl, status: 'ISSUED' })
    await world.mailArrived(email, pass!.publicUrl)
    const sent = mailsTo(world, email).find(({ subject }) => subject.includes('Your pass'))!
    expect(sent.text).toContain(`/s/registration/${secret}`)
    const led = await fetch(`${world.server.url}/s/registration/${secret}/pass`, { redirect: 'manual' })
    expect([led.status, led.headers.get('location')]).toEqual([302, new URL(pass!.publicUrl).pathname])
    ok(await act(world.server, secret, { action: 'resend-pass' }))
    await until(
      () => mailsTo(world, email).filter(({ text }) => text.includes(pass!.publicUrl)).length === 2,
      'it came again',
    )
    ok(await act(world.server, secret, { action: 'cancel' }))
    expect(ok(await readPage(world.server, secret)).data.pass!.status).toBe('REVOKED')
    expect((await act(world.server, secret, { action: 'resend-pass' })).status).toBe(400)
  })

  test.if(inProcess)('are one for each guest, also by `toRegistered` and by the job', async () => {
    const alice = await world.withEmail()
    const activity = await openToGuests(world.server, alice, {}, { hasPass: true })
    const guests = [await confirmedGuest(world, activity), await confirmedGuest(world, activity)]
    await pendingGuest(world, activity)
    const bob = await world.withEmail()
    ok(await register(bob, activity))
    const issue = () => alice.call('passes.issue', { params: { id: activity.id }, body: { toRegistered: true } })
    const first = ok(await issue()).data.items
    expect(first).toHaveLength(3)
    expect(ok(await issue()).data.items).toEqual([])
    ok(await update(alice, activity.id, { passConfig: { autoIssue: true } }))
    await autoIssueJob.run(world.server.ctx)
    expect(await passesOf(alice, activity.id)).toHaveLength(3)
    for (const { email } of guests) await world.mailArrived(email, 'Show its QR code at the entrance')
    const batch = ok(
      await alice.call('passes.batch', {
        params: { id: activity.id },
        body: { action: 'REVOKE', filter: { registration: 'CONFIRMED' } },
      }),
    ).data
    expect(batch).toMatchObject({ matched: 3, changed: 3 })
  })
})

describe('a message', () => {
  test('reaches guests by mail, with their page, and stops by one click', async () => {
    const alice = await world.withEmail()
    const bob = await world.withEmail()
    const activity = await openToGuests(world.server, alice)
    ok(await register(bob, activity))
    const [first, second] = [
      await confirmedGuest(world, activity, { name: 'Lin' }),
      await confirmedGuest(world, activity),
    ]
    const pending = await pendingGuest(world, activity)
    const send = (subject: string, more: object = {}) =>
      alice.call('activityMessages.create', {
        params: { id: activity.id },
        body: { subject, body: 'Bring **gloves**', ...more },
      })
    expect(ok(await send('How many', { dryRun: true })).data).toMatchObject({
      recipients: 3,
      app: 1,
      email: 3,
      withoutChannel: 0,
    })
    const { id } = ok(await send('Gloves')).data as { id: number }
    for (const { email } of [first, second, bob]) await world.mailArrived(email, 'Gloves')
    await world.allDelivered()
    expect(mailsTo(world, pending.email)).toHaveLength(1)
    const mail = mailsTo(world, first.email).find(({ subject }) => subject.includes('Gloves'))!
    expect(mail.text).toContain(`/s/registration/${first.secret}`)
    const params = { id: activity.id, messageId: id }
    await until(
      async () => ok(await alice.call('activityMessages.get', { params })).data.state === 'DONE',
      'it is done',
    )
    expect(ok(await alice.call('activityMessages.get', { params })).data).toMatchObject({
      recipients: 3,
      app: { sent: 1 },
      email: { sent: 3, skipped: 0 },
    })
    const { items } = ok(await alice.call('activityMessages.recipients', { params, query: { channel: 'EMAIL' } })).data
    expect(items.map(({ name }) => name)).toContain('Lin')

    const stop = await fetch(world.server.url + stopPath(mail), {
      method: 'POST',
      body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
    })
    expect(stop.status).toBe(200)
    const next = ok(await send('Boots')).data as { id: number }
    await world.mailArrived(second.email, 'Boots')
    const after = { id: activity.id, messageId: next.id }
    await until(
      async () => ok(await alice.call('activityMessages.get', { params: after })).data.state === 'DONE',
      'it is done',
    )
    const skipped = ok(
      await alice.call('activityMessages.recipients', { params: after, query: { state: 'SKIPPED' } }),
    ).data
    expect(skipped.items).toMatchObject([{ name: 'Lin', reason: 'OPTED_OUT' }])
    expect(mailsTo(world, first.email).some(({ subject }) => subject.includes('Boots'))).toBe(false)
    // A cancellation is important.
    await setStatus(alice, activity.id, 'CANCELLED')
    await world.mailArrived(first.email, 'Cancelled')
  })
})

describe('claiming', () => {
  const claim = (person: Person, secret: string) => person.call('guests.claim', { body: { secret } })

  test('moves registration, pass and check-ins into the account, and ends the link', async () => {
    const alice = await world.withEmail()
    const bob = await world.withEmail()
    const activity = await openToGuests(world.server, alice, { capacity: 1 }, withPasses)
    const { secret } = await confirmedGuest(world, activity, { name: 'Lin' })
    const claimed = ok(await claim(bob, secret)).data
    expect(claimed).toMatchObject({ userId: bob.id, source: 'GUEST', guest: null, status: 'CONFIRMED' })
    expect((await readPage(world.server, secret)).status).toBe(404)
    expect((await claim(bob, secret)).status).toBe(404)
    expect(ok(await own(bob, activity)).data.id).toBe(claimed.id)
    const [pass] = await passesOf(alice, activity.id)
    expect(pass).toMatchObject({ holderUserId: bob.id, status: 'ISSUED' })
    expect((await list(alice, activity)).total).toBe(1)
    ok(await bob.call('registrations.cancel', { params: { id: activity.id } }))
    expect((await passesOf(alice, activity.id))[0]!.status).toBe('REVOKED')
  })

  test('by 20 accounts at once succeeds for one, and the others get 404', async () => {
    const alice = await world.withEmail()
    const activity = await openToGuests(world.server, alice, {}, withPasses)
    const { secret } = await confirmedGuest(world, activity)
    const people = await Promise.all(Array.from({ length: 10 }, () => world.server.person()))
    const statuses = (await race(20, (i) => claim(people[i % 10]!, secret))).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(new Set(statuses)).toEqual(new Set([200, 404]))
    expect((await list(alice, activity)).total).toBe(1)
  })

  test('is refused to users who have registered, for guests who are not confirmed, and without signing in', async () => {
    const alice = await world.withEmail()
    const bob = await world.withEmail()
    const activity = await openToGuests(world.server, alice)
    const pending = await pendingGuest(world, activity)
    expect((await claim(bob, pending.secret)).status).toBe(400)
    ok(await act(world.server, pending.secret, { action: 'confirm' }))
    ok(await register(bob, activity))
    expect((await claim(bob, pending.secret)).status).toBe(400)
    ok(await bob.call('registrations.cancel', { params: { id: activity.id } }))
    const reply = await world.server.request('POST', '/api/registrations/guest/claim', {
      body: { secret: pending.secret },
    })
    expect(reply.status).toBe(401)
    expect((await claim(bob, `${pending.secret.slice(1)}x`)).status).toBe(404)
    ok(await claim(bob, pending.secret))
    expect((await list(alice, activity)).items.map(({ userId }) => userId)).toEqual([bob.id])
  })

  test('is suggested to an account that proves the same address, and nothing moves by itself', async () => {
    const alice = await world.withEmail()
    const activity = await openToGuests(world.server, alice)
    const { email, secret } = await confirmedGuest(world, activity)
    const bob = await world.withEmail(email)
    const { items } = ok(await bob.call('notifications.list', { query: { size: 100 } })).data
    expect(items.filter(({ data }) => data['event'] === 'GUEST_REGISTRATION')).toMatchObject([
      { data: { activityId: activity.id } },
    ])
    expect(ok(await readPage(world.server, secret)).data.status).toBe('CONFIRMED')
    expect((await own(bob, activity)).status).toBe(404)
  })
})

describe.if(inProcess)('the data of guests', () => {
  /** Sessions end while the clock moves on. */
  const signInAgain = async ({ username, password, deviceId }: Person): Promise<Person> => {
    const login = await world.post('/api/auth/login', { account: username, password }, { deviceId })
    return person(world.server.url, login, username, password, deviceId)
  }
  const runJobs = async () => {
    for (const job of guestJobs) await job.run(world.server.ctx)
  }

  test('is deleted some days after the end, while the numbers stay', async () => {
    const alice = await world.withEmail()
    const activity = await openToGuests(
      world.server,
      alice,
      { guestRetentionDays: 2, questions: [{ key: 'size', label: 'Size', required: false }] },
      withPasses,
    )
    const { email, secret } = await confirmedGuest(world, activity, { name: 'Lin Mei', answers: { size: 'M' } })
    const other = await openToGuests(world.server, alice)
    const kept = await confirmedGuest(world, other)
    ok(
      await alice.call('activityMessages.create', {
        params: { id: activity.id },
        body: { subject: 'Hello', body: 'World' },
      }),
    )
    await world.mailArrived(email, 'Hello')
    await world.allDelivered()
    world.server.clock.advance(activity.endTime - world.server.clock.now() + 2 * DAY - HOUR)
    await runJobs()
    expect((await readPage(world.server, secret)).status).toBe(200)
    world.server.clock.advance(2 * HOUR)
    await runJobs()
    expect((await readPage(world.server, secret)).status).toBe(404)
    const later = await signInAgain(alice)
    const [row] = (await list(later, activity)).items
    expect(row).toMatchObject({
      nickname: 'Guest',
      status: 'CONFIRMED',
      answers: {},
      guest: { name: 'Guest', email: null, language: null, confirmedAt: null },
    })
    expect((await passesOf(later, activity.id))[0]!.holderName).toBe('Guest')
    const [message] = ok(await later.call('activityMessages.list', { params: { id: activity.id } })).data.items
    const recipients = ok(
      await later.call('activityMessages.recipients', { params: { id: activity.id, messageId: message!.id } }),
    ).data
    expect(recipients.items.map(({ name }) => name)).toEqual(['Guest'])
    expect((await readPage(world.server, kept.secret)).status).toBe(200)
  })

  test('is deleted a week after they cancelled, and at once by hand', async () => {
    const alice = await world.withEmail()
    const startTime = world.server.clock.now() + 60 * DAY
    const activity = await openToGuests(world.server, alice, {}, { startTime, endTime: startTime + HOUR })
    const [gone, stays] = [await confirmedGuest(world, activity), await confirmedGuest(world, activity)]
    ok(await act(world.server, gone.secret, { action: 'cancel' }))
    await world.allDelivered()
    world.server.clock.advance(7 * DAY - HOUR)
    await runJobs()
    expect((await readPage(world.server, gone.secret)).status).toBe(200)
    world.server.clock.advance(2 * HOUR)
    await runJobs()
    expect((await readPage(world.server, gone.secret)).status).toBe(404)
    expect((await readPage(world.server, stays.secret)).status).toBe(200)
    const rows = (await list(await signInAgain(alice), activity, { status: 'CONFIRMED' })).items
    await world.server.ctx.db.write('test.erase', (tx) => eraseGuests(tx, [rows[0]!.id]))
    expect((await readPage(world.server, stays.secret)).status).toBe(404)
  })
})
