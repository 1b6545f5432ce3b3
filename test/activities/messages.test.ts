/** Messages of organizers to the participants of an activity. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { identities } from '#db/schema/accounts.ts'
import { activityMessageRecipients, activityMessages } from '#db/schema/activity-messages.ts'
import { wake } from '#domains/delivery/index.ts'
import { setSetting } from '#domains/settings/index.ts'
import { DAY, HOUR } from '#platform/clock.ts'

import {
  type Gateways,
  inProcess,
  ok,
  type Person,
  race,
  startGateways,
  startServer,
  type TestServer,
  until,
} from '../harness/index.ts'
import type { Refusal } from '../harness/mail-sink.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'
import { setStatus, update } from './helpers.ts'
import {
  addParticipants,
  expectOneEach,
  forecast,
  mailedTo,
  message,
  messages,
  notifiedOf,
  proveAddresses,
  recipientsOf,
  send,
  sent,
  untilDone,
  work,
} from './message-helpers.ts'
import { cancel, openActivity, register } from './registering.ts'

let gateways: Gateways
let server: TestServer
let alice: Person
let bob: Person
let carol: Person
let mallory: Person
/** The answer of the mail server to a recipient. */
let refuse: (to: string) => Refusal | undefined = () => undefined
/** Holds the answer of the mail server to a mail. */
let hold: (subject: string) => Promise<undefined> | undefined = () => undefined

beforeAll(async () => {
  gateways = await startGateways({ onRecipient: (to) => refuse(to), onMail: ({ subject }) => hold(subject) })
  server = await startServer({ config: gateways.config, settings: { 'activities.noticeDelaySeconds': 0 } })
  ;[alice, bob, carol, mallory] = await Promise.all([
    server.person('alice'),
    server.person('bob'),
    server.person('carol'),
    server.person('mallory'),
  ])
})
afterAll(async () => {
  await server.stop()
  await gateways.stop()
})

const opened = (fields = {}) => openActivity(server, alice, {}, fields)
const problems = (reply: { status: number; details?: readonly { path: string }[] | undefined }) => [
  reply.status,
  ...(reply.details ?? []).map(({ path }) => path),
]

describe('a message', () => {
  test('reaches everybody who is registered once, in the app', async () => {
    const activity = await opened()
    ok(await register(bob, activity))
    ok(await register(carol, activity))
    ok(await cancel(carol, activity))
    const created = await sent(alice, activity, { channels: ['APP'] })
    expect(created).toMatchObject({ kind: 'MESSAGE', subject: 'Things to bring', createdBy: alice.id, filter: null })
    expect(created.bodyHtml).toContain('<strong>gloves</strong>')
    const done = await untilDone(alice, activity, created.id)
    expect(done).toMatchObject({
      recipients: 1,
      app: { sent: 1 },
      email: { queued: 0, sent: 0, failed: 0, skipped: 0 },
      channels: ['APP'],
      changes: [],
    })
    expect(done.finishedAt).toBeGreaterThanOrEqual(done.createdAt)
    const [notification, ...more] = await notifiedOf(bob, activity)
    expect(more).toEqual([])
    expect(notification).toMatchObject({
      type: 'ACTIVITY',
      title: 'Lake cleanup: Things to bring',
      body: 'Please bring gloves.',
      data: { activityId: activity.id, event: 'MESSAGE', messageId: created.id },
    })
    const shown = ok(await bob.call('notifications.detail', { params: { id: notification!.id } })).data
    expect(shown.bodyHtml).toContain('<strong>gloves</strong>')
    expect(await notifiedOf(carol, activity)).toEqual([])
    const { items } = await recipientsOf(alice, activity, created.id)
    expect(items).toMatchObject([{ channel: 'APP', state: 'SENT', reason: null }])
    expect((await messages(alice, activity)).map(({ id }) => id)).toEqual([created.id])
  })

  test('is written and read by managers of the activity only', async () => {
    const activity = await opened()
    ok(await register(bob, activity))
    const created = await sent(alice, activity, { channels: ['APP'] })
    const other = await opened()
    const at = { params: { id: activity.id, messageId: created.id } }
    for (const person of [bob, mallory]) {
      expect((await send(person, activity)).status).toBe(403)
      expect((await person.call('activityMessages.list', { params: activity, query: {} })).status).toBe(403)
      expect((await person.call('activityMessages.get', at)).status).toBe(403)
      expect((await person.call('activityMessages.recipients', { ...at, query: {} })).status).toBe(403)
      expect((await person.call('activityMessages.delete', at)).status).toBe(403)
    }
    expect((await server.call('activityMessages.get', at)).status).toBe(401)
    const elsewhere = { params: { id: other.id, messageId: created.id } }
    expect((await alice.call('activityMessages.get', elsewhere)).status).toBe(404)
    expect((await alice.call('activityMessages.recipients', { ...elsewhere, query: {} })).status).toBe(404)
    expect((await alice.call('activityMessages.delete', elsewhere)).status).toBe(404)
    const draft = await openActivity(server, mallory, {}, { visibility: 'INVITE_ONLY' })
    expect((await send(alice, draft)).status).toBe(403)
  })

  test('with bad input is refused, and nothing is sent', async () => {
    const activity = await opened()
    const other = await opened()
    ok(await register(bob, activity))
    const theirs = ok(await register(bob, other)).data.id
    const post = (body: object) =>
      alice.post(`/api/activities/${activity.id}/messages`, { subject: 'Hello', body: 'Text', ...body })
    expect(problems(await post({ subject: '' }))).toEqual([400, 'body.subject'])
    expect(problems(await post({ subject: 'x'.repeat(101) }))).toEqual([400, 'body.subject'])
    expect(problems(await post({ subject: 'Hello\r\nBcc: all@example.org' }))).toEqual([400, 'body.subject'])
    expect(problems(await post({ body: 'x'.repeat(5001) }))).toEqual([400, 'body.body'])
    expect(problems(await post({ channels: [] }))).toEqual([400, 'body.channels'])
    expect(problems(await post({ channels: ['SMS'] }))[0]).toBe(400)
    expect(problems(await post({ filter: { status: 'PENDING' } }))).toEqual([400, 'body.filter.status'])
    expect(problems(await post({ filter: { colour: 'red' } }))).toEqual([400, 'body.filter.colour'])
    expect(problems(await post({ filter: { ids: [theirs] } }))).toEqual([400, 'body.filter.ids.0'])
    expect(problems(await post({ sendAt: server.clock.now() + 91 * DAY }))).toEqual([400, 'body.sendAt'])
    expect(problems(await post({ requestId: 'short' }))).toEqual([400, 'body.requestId'])
    expect(await messages(alice, activity)).toEqual([])
    expect(await notifiedOf(bob, activity)).toEqual([])
  })

  test('with a filter reaches those who meet all of it', async () => {
    const activity = await opened({ hasCheckIn: true, hasPass: true })
    for (const person of [bob, carol, mallory]) ok(await register(person, activity))
    ok(await cancel(mallory, activity))
    const { id } = activity
    ok(await alice.call('passes.issue', { params: { id }, body: { userId: bob.id } }))
    const count = async (filter: object) => (await forecast(alice, activity, { filter })).recipients
    expect(await count({})).toBe(2)
    expect(await count({ status: 'CANCELLED' })).toBe(1)
    expect(await count({ status: 'CONFIRMED,CANCELLED' })).toBe(3)
    expect(await count({ pass: true })).toBe(1)
    expect(await count({ pass: false })).toBe(1)
    expect(await count({ checkedIn: true })).toBe(0)
    expect(await count({ checkedIn: false })).toBe(2)
    expect(await count({ keyword: 'nobody has this name' })).toBe(0)
    expect(await count({ ids: [] })).toBe(0)
    const { id: ofCarol } = ok(await carol.call('registrations.get', { params: { id } })).data
    expect(await count({ ids: [ofCarol] })).toBe(1)
    expect(await count({ ids: [ofCarol], pass: true })).toBe(0)
    const created = await sent(alice, activity, { channels: ['APP'], filter: { pass: true } })
    expect((await untilDone(alice, activity, created.id)).recipients).toBe(1)
    expect(await notifiedOf(bob, activity)).toHaveLength(1)
    expect(await notifiedOf(carol, activity)).toEqual([])
    expect(created.filter).toEqual({ pass: true })
  })

  test('without a filter also reaches holders of live passes who have not registered', async () => {
    const activity = await opened({ hasPass: true })
    const { id } = activity
    ok(await register(bob, activity))
    ok(await alice.call('passes.issue', { params: { id }, body: { userId: bob.id } }))
    const { items } = ok(await alice.call('passes.issue', { params: { id }, body: { userId: carol.id } })).data
    const passOfMallory = ok(await alice.call('passes.issue', { params: { id }, body: { userId: mallory.id } })).data
    ok(await alice.call('passes.revoke', { params: { passId: passOfMallory.items[0]!.id }, body: {} }))
    expect(items).toHaveLength(1)
    const created = await sent(alice, activity, { channels: ['APP'] })
    expect((await untilDone(alice, activity, created.id)).recipients).toBe(2)
    for (const person of [bob, carol]) expect(await notifiedOf(person, activity)).toHaveLength(1)
    expect(await notifiedOf(mallory, activity)).toEqual([])
    const rows = (await recipientsOf(alice, activity, created.id)).items
    expect(rows.filter(({ registrationId }) => registrationId === null)).toHaveLength(1)
  })

  test('for later waits for its time, and can be cancelled until then', async () => {
    const activity = await opened()
    ok(await register(bob, activity))
    const sendAt = server.clock.now() + HOUR
    const created = await sent(alice, activity, { channels: ['APP'], sendAt })
    expect(created).toMatchObject({ state: 'SCHEDULED', sendAt, recipients: 1, app: { sent: 0 } })
    const cancelled = await sent(alice, activity, { channels: ['APP'], sendAt })
    const at = { params: { id: activity.id, messageId: cancelled.id } }
    expect(ok(await alice.call('activityMessages.delete', at)).data).toBeNull()
    expect(ok(await alice.call('activityMessages.delete', at)).data).toBeNull()
    if (!inProcess) return
    await work(server)
    expect(await notifiedOf(bob, activity)).toEqual([])
    server.clock.advance(HOUR)
    await work(server)
    await untilDone(alice, activity, created.id)
    expect(await notifiedOf(bob, activity)).toHaveLength(1)
    expect((await message(alice, activity, cancelled.id)).state).toBe('CANCELLED')
    const late = { params: { id: activity.id, messageId: created.id } }
    expect((await alice.call('activityMessages.delete', late)).status).toBe(400)
  })

  test('of an activity that was deleted is not sent', async () => {
    const activity = await opened()
    ok(await register(bob, activity))
    await sent(alice, activity, { channels: ['APP'], sendAt: server.clock.now() + HOUR })
    await setStatus(alice, activity.id, 'ENDED')
    ok(await alice.call('activities.delete', { params: { id: activity.id } }))
    if (!inProcess) return
    server.clock.advance(HOUR)
    await work(server)
    expect(await notifiedOf(bob, activity)).toEqual([])
  })

  test('of a disabled organization is refused, and one that waits is stopped', async () => {
    const owner = await server.person('owner')
    const org = await createOrg(owner)
    await addMembers(owner, org, carol)
    const activity = await openActivity(server, owner, {}, { orgId: org.id })
    ok(await register(bob, activity))
    const waiting = await sent(owner, activity, { channels: ['APP'], sendAt: server.clock.now() + HOUR })
    const admin = await server.admin()
    const set = (status: 'ACTIVE' | 'DISABLED') =>
      admin.call('admin.orgs.update', { params: { orgId: org.id }, body: { status } })
    ok(await set('DISABLED'))
    const at = { params: { id: activity.id, messageId: waiting.id } }
    expect((await send(owner, activity)).status).toBe(403)
    expect((await owner.call('activityMessages.delete', at)).status).toBe(403)
    expect((await message(owner, activity, waiting.id)).state).toBe('SCHEDULED')
    if (!inProcess) return
    server.clock.advance(HOUR)
    await work(server)
    ok(await set('ACTIVE'))
    expect((await message(owner, activity, waiting.id)).state).toBe('CANCELLED')
    expect(await notifiedOf(bob, activity)).toEqual([])
  })

  test('of any activity is listed and cancelled by administrators, and the log has no text of it', async () => {
    const activity = await opened()
    const created = await sent(alice, activity, { subject: 'Secret plan', sendAt: server.clock.now() + HOUR })
    const admin = await server.admin()
    const at = { params: { activityId: activity.id, messageId: created.id } }
    const listed = ok(
      await admin.call('admin.activityMessages.list', { params: { activityId: activity.id }, query: {} }),
    )
    expect(listed.data.items).toMatchObject([{ id: created.id, subject: 'Secret plan' }])
    expect((await alice.call('admin.activityMessages.delete', at)).status).toBe(403)
    ok(await admin.call('admin.activityMessages.delete', at))
    expect((await message(alice, activity, created.id)).state).toBe('CANCELLED')
    const log = ok(await admin.get('/api/admin/logs', { action: 'ACTIVITY_MESSAGE_DELETE' }))
    expect(log.data.items).toHaveLength(1)
    expect(JSON.stringify(log.data.items)).not.toContain('Secret plan')
  })
})

describe.if(inProcess)('mails of a message', () => {
  test('go to proved addresses, one each, and the record says why others get none', async () => {
    const activity = await opened({ hasPass: true })
    const { addresses } = await addParticipants(server, activity, 5)
    ok(await register(bob, activity))
    expect(await forecast(alice, activity)).toEqual({
      recipients: 6,
      app: 6,
      email: 5,
      withoutChannel: 0,
      mailBudgetLeft: expect.any(Number) as number,
    })
    expect(await forecast(alice, activity, { channels: ['EMAIL'] })).toMatchObject({ app: 0, withoutChannel: 1 })
    const created = await sent(alice, activity, { subject: 'One each' })
    const done = await untilDone(alice, activity, created.id)
    expect(done).toMatchObject({
      recipients: 6,
      app: { sent: 6 },
      email: { queued: 0, sent: 5, failed: 0, skipped: 1 },
    })
    expectOneEach(mailedTo(gateways, 'One each'), addresses)
    const skipped = await recipientsOf(alice, activity, created.id, { state: 'SKIPPED', channel: 'EMAIL' })
    expect(skipped.items).toMatchObject([{ reason: 'NO_ADDRESS', sentAt: null }])
    expect((await recipientsOf(alice, activity, created.id)).total).toBe(12)
  })

  test('need a mail server: without one, people are notified in the app alone, and the record says why', async () => {
    await using bare = await startServer()
    const [host, guest] = [await bare.person(), await bare.person()]
    const activity = await openActivity(bare, host)
    ok(await register(guest, activity))
    for (const dryRun of [true, false]) {
      const refused = await send(host, activity, { channels: ['EMAIL'], dryRun })
      expect([refused.status, refused.details[0]?.path]).toEqual([400, 'body.channels'])
    }
    const { id } = await sent(host, activity)
    expect((await untilDone(host, activity, id)).app).toEqual({ sent: 1 })
    const { items } = await recipientsOf(host, activity, id, { channel: 'EMAIL' })
    expect(items).toMatchObject([{ state: 'SKIPPED', reason: 'NO_MAIL_SERVER' }])
    expect((await messages(host, activity)).length).toBe(1)
  })

  test('link to the live pass of their reader, if the organizer wants that', async () => {
    const activity = await opened({ hasPass: true })
    const { userIds } = await addParticipants(server, activity, 2)
    const params = { id: activity.id }
    const { items } = ok(await alice.call('passes.issue', { params, body: { userId: userIds[0]! } })).data
    const created = await sent(alice, activity, { subject: 'With pass', attachPass: true })
    await untilDone(alice, activity, created.id)
    const mails = gateways.mails.filter(({ subject }) => subject.includes('With pass'))
    expect(mails).toHaveLength(2)
    for (const { to, text } of mails)
      expect(text.includes(items[0]!.publicUrl), to).toBe(to === `u${userIds[0]}@example.org`)
  })

  test('wait while the mail server is away, and are skipped if the account has another address by then', async () => {
    const activity = await opened()
    const { userIds, addresses } = await addParticipants(server, activity, 2)
    let isAway = true
    const refused = new Set<string>()
    refuse = (to) => (isAway ? (refused.add(to), { code: 451, message: 'try later' }) : undefined)
    const created = await sent(alice, activity, { subject: 'Too late' })
    await until(() => refused.size === 2)
    expect((await message(alice, activity, created.id)).email.queued).toBe(2)
    await server.ctx.db.write('test.rebind', async (tx) => {
      const other = { credential: 'other@example.org' }
      await tx.update(identities).set(other).where(eq(identities.userId, userIds[0]!))
    })
    isAway = false
    server.clock.advance(HOUR)
    wake(server.ctx, 'EVENT')
    const done = await untilDone(alice, activity, created.id)
    expect(done.email).toEqual({ queued: 0, sent: 1, failed: 0, skipped: 1 })
    expectOneEach(mailedTo(gateways, 'Too late'), [addresses[1]!])
  })
})

describe.if(inProcess)('a mail server', () => {
  test('that does not answer still gets codes for signing in, and at most two mails of messages at a time', async () => {
    const activity = await opened()
    const { addresses } = await addParticipants(server, activity, 8)
    const released = Promise.withResolvers<undefined>()
    let held = 0
    let most = 0
    hold = (subject) => {
      if (!subject.includes('Hanging')) return undefined
      most = Math.max(most, ++held)
      return released.promise.finally(() => held--)
    }
    const created = await sent(alice, activity, { subject: 'Hanging' })
    await until(() => held === 2)
    for (const to of ['first@example.org', 'second@example.org', 'third@example.org']) {
      ok(await server.request('POST', '/api/auth/email/send-code', { body: { email: to, purpose: 'LOGIN' } }))
      await gateways.codeFor(to)
    }
    expect(most).toBe(2)
    released.resolve(undefined)
    expect((await untilDone(alice, activity, created.id)).email.sent).toBe(8)
    expect(most).toBe(2)
    expectOneEach(mailedTo(gateways, 'Hanging'), addresses)
  })

  test('that permanently refuses an address makes its mail FAILED, and after the third time SUPPRESSED', async () => {
    const activity = await opened()
    const { addresses } = await addParticipants(server, activity, 2)
    refuse = (to) => (to === addresses[0] ? { code: 550, message: 'no such user' } : undefined)
    const results = []
    for (let i = 1; i <= 4; i++) {
      const { id } = await sent(alice, activity, { subject: `Refused ${i}` })
      const { email } = await untilDone(alice, activity, id)
      const { items } = await recipientsOf(alice, activity, id, { channel: 'EMAIL' })
      results.push([email.sent, email.failed, email.skipped, items.find(({ state }) => state !== 'SENT')!.reason])
    }
    refuse = () => undefined
    expect(results).toEqual([
      [1, 1, 0, null],
      [1, 1, 0, null],
      [1, 1, 0, null],
      [1, 0, 1, 'SUPPRESSED'],
    ])
  })

  test('gets no message for people who want only important mails, but the notice of a cancellation', async () => {
    const activity = await opened({ name: 'Important only' })
    ok(await register(carol, activity))
    const [address] = await proveAddresses(server, [carol.id])
    ok(await carol.call('notifications.changePreferences', { body: { emailActivities: 'IMPORTANT' } }))
    const { id } = await sent(alice, activity, { subject: 'Not important' })
    await untilDone(alice, activity, id)
    const { items } = await recipientsOf(alice, activity, id, { channel: 'EMAIL' })
    expect(items).toMatchObject([{ state: 'SKIPPED', reason: 'OPTED_OUT' }])
    await setStatus(alice, activity.id, 'CANCELLED')
    const [notice] = await messages(alice, activity)
    await untilDone(alice, activity, notice!.id)
    const mails = gateways.mails.filter(({ to, subject }) => to === address && subject.includes('Important only'))
    expect(mails).toHaveLength(1)
    expect(mails[0]!.calendarMethod).toBe('CANCEL')
  })

  test('gets the contact address of the activity for answers', async () => {
    const activity = await opened()
    const [address] = await proveAddresses(server, [alice.id])
    const set = (contactEmail: string) => update(alice, activity.id, { contactEmail })
    expect(problems(await set('other@example.org'))).toEqual([400, 'body.contactEmail'])
    expect(ok(await set(address!.toUpperCase())).data.contactEmail).toBe(address!)
    await addParticipants(server, activity, 1)
    const { id } = await sent(alice, activity, { subject: 'Answer me' })
    await untilDone(alice, activity, id)
    const mail = gateways.mails.find(({ subject }) => subject.includes('Answer me'))!
    expect(mail.headers.get('reply-to')).toContain(address!)
    expect(mail.headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
  })
})

describe('the same request', () => {
  test('repeated with its id answers the first message, and is refused with another body', async () => {
    const activity = await opened()
    ok(await register(bob, activity))
    const body = { channels: ['APP'] as ('APP' | 'EMAIL')[], requestId: 'request-0001' }
    const first = await sent(alice, activity, body)
    await untilDone(alice, activity, first.id)
    expect((await sent(alice, activity, body)).id).toBe(first.id)
    expect(problems(await send(alice, activity, { ...body, subject: 'Another' }))).toEqual([400, 'body.requestId'])
    expect(await messages(alice, activity)).toHaveLength(1)
    expect(await notifiedOf(bob, activity)).toHaveLength(1)
    if (!inProcess) return
    await server.ctx.db.write('test.age', async (tx) => {
      await tx
        .update(activityMessages)
        .set({ createdAt: first.createdAt - 7 * DAY })
        .where(eq(activityMessages.id, first.id))
    })
    expect((await sent(alice, activity, body)).id).not.toBe(first.id)
  })

  test('sent twice at once makes one message', async () => {
    const activity = await opened()
    ok(await register(bob, activity))
    const replies = await race(8, () => send(alice, activity, { channels: ['APP'], requestId: 'request-0002' }))
    expect(new Set(replies.map((reply) => (ok(reply).data as { id: number }).id)).size).toBe(1)
    const [only, ...others] = await messages(alice, activity)
    expect(others).toEqual([])
    await untilDone(alice, activity, only!.id)
    expect(await notifiedOf(bob, activity)).toHaveLength(1)
  })
})

describe('limits', () => {
  test('let exactly ten of twenty messages a day to an activity pass', async () => {
    const activity = await opened()
    const replies = await race(20, () => send(alice, activity, { channels: ['APP'] }))
    expect(replies.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(10)
    expect(replies.map(({ status }) => status).filter((status) => status === 429)).toHaveLength(10)
    expect(await messages(alice, activity)).toHaveLength(10)
  })

  test('let a user write at most fifty messages a day', async () => {
    const writer = await server.person('writer')
    for (let i = 0; i < 5; i++) {
      const activity = await openActivity(server, writer)
      for (let n = 0; n < 10; n++) ok(await send(writer, activity, { channels: ['APP'] }))
    }
    const reply = await send(writer, await openActivity(server, writer))
    expect(reply.status).toBe(429)
    expect(reply.message).toContain('50')
  })

  test.if(inProcess)(
    'refuse a message that needs more mails than are left, with the number, and send nothing',
    async () => {
      const writer = await server.person('mailer')
      const activity = await openActivity(server, writer)
      const { addresses } = await addParticipants(server, activity, 7)
      const set = (
        limit: number,
        key: 'budget.eventMailsPerOwner' | 'budget.eventMailsPerDay' = 'budget.eventMailsPerOwner',
      ) => server.ctx.db.write('test.setting', (tx) => setSetting(tx, key, limit))
      await set(10)
      const first = await sent(writer, activity, { subject: 'First seven' })
      await untilDone(writer, activity, first.id)
      expect((await forecast(writer, activity)).mailBudgetLeft).toBe(3)
      const reply = await send(writer, activity, { subject: 'Next seven' })
      expect(reply.status).toBe(429)
      expect(reply.message).toContain('7 mails')
      expect(reply.message).toContain('3 are left')
      expect(await messages(writer, activity)).toHaveLength(1)
      // In the app alone it needs none.
      await untilDone(writer, activity, (await sent(writer, activity, { channels: ['APP'] })).id)
      await set(0)
      await set(0, 'budget.eventMailsPerDay')
      expect((await forecast(writer, activity)).mailBudgetLeft).toBeNull()
      const later = await sent(writer, activity, { subject: 'Unlimited' })
      await untilDone(writer, activity, later.id)
      expectOneEach(mailedTo(gateways, 'Unlimited'), addresses)
      expect(mailedTo(gateways, 'Next seven').size).toBe(0)
    },
  )
})

test.if(inProcess)('messages and their recipients are deleted with the activity', async () => {
  const activity = await opened()
  await addParticipants(server, activity, 3)
  const created = await sent(alice, activity)
  await untilDone(alice, activity, created.id)
  const admin = await server.admin()
  ok(await admin.call('admin.activities.delete', { params: { activityId: activity.id } }))
  const rows = await server.ctx.db.read
    .select()
    .from(activityMessageRecipients)
    .where(eq(activityMessageRecipients.messageId, created.id))
  const kept = await server.ctx.db.read.select().from(activityMessages).where(eq(activityMessages.id, created.id))
  expect([rows, kept]).toEqual([[], []])
})
