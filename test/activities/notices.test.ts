/** Automatic notices about the date and place of an activity, and about its cancellation. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { setSetting } from '#domains/settings/index.ts'
import { dayText } from '#lib/moments.ts'
import { DAY, HOUR, MINUTE, SECOND } from '#platform/clock.ts'

import {
  type Gateways,
  inProcess,
  ok,
  type Person,
  startGateways,
  startServer,
  type TestServer,
  until,
} from '../harness/index.ts'
import { setStatus, update } from './helpers.ts'
import {
  addParticipants,
  messages,
  notifiedOf,
  recipientsOf,
  sent,
  type Some,
  untilDone,
  work,
} from './message-helpers.ts'
import { openActivity, register } from './registering.ts'

const DELAY = 120 * SECOND

let gateways: Gateways
let server: TestServer
let alice: Person
let bob: Person

beforeAll(async () => {
  gateways = await startGateways()
  server = await startServer({ config: gateways.config })
  alice = await server.person('alice')
  bob = await server.person('bob')
})
afterAll(async () => {
  await server.stop()
  await gateways.stop()
})

/** An ACTIVE activity for which bob has registered. */
async function registered(fields: Parameters<typeof openActivity>[3] = {}) {
  const activity = await openActivity(server, alice, {}, { location: 'Hall A', ...fields })
  ok(await register(bob, activity))
  return activity
}

const cancelIt = (activity: Some, body: object = {}) =>
  alice.patch(`/api/activities/${activity.id}/status`, { status: 'CANCELLED', ...body })
/** Kinds of the notices that bob has, the newest first. */
const toldOf = async (activity: Some) => (await notifiedOf(bob, activity)).map(({ data }) => data['event'])

async function pass(ms: number): Promise<void> {
  server.clock.advance(ms)
  await work(server)
}

describe.if(inProcess)('a notice', () => {
  test('names the new date after the delay, with the one before', async () => {
    const activity = await registered()
    const startTime = activity.startTime + DAY
    const endTime = activity.endTime + DAY
    ok(await update(alice, activity.id, { startTime, endTime, noticeText: 'The hall is closed.' }))
    const [waiting, ...others] = await messages(alice, activity)
    expect(others).toEqual([])
    expect(waiting).toMatchObject({
      kind: 'MOVED',
      state: 'SCHEDULED',
      createdBy: null,
      body: 'The hall is closed.',
      bodyHtml: '<p>The hall is closed.</p>\n',
      subject: 'New date or time',
      changes: [
        { field: 'startTime', before: activity.startTime, after: startTime },
        { field: 'endTime', before: activity.endTime, after: endTime },
      ],
    })
    await pass(DELAY - SECOND)
    expect(await toldOf(activity)).toEqual([])
    await pass(2 * SECOND)
    await untilDone(alice, activity, waiting!.id)
    const [notification, ...more] = await notifiedOf(bob, activity)
    expect(more).toEqual([])
    expect(notification).toMatchObject({
      title: 'Lake cleanup: New date or time',
      data: { activityId: activity.id, event: 'MOVED', messageId: waiting!.id },
    })
    expect(notification!.body).toContain('before:')
    expect(notification!.body).toContain('The hall is closed.')
    const inChinese = await bob.send('GET', `/api/notifications/${notification!.id}`, {
      headers: { 'accept-language': 'zh' },
    })
    expect(inChinese.data.title).toBe('Lake cleanup：时间有变')
  })

  test('lets the page of the activity say from when it was moved, until it is moved back', async () => {
    const timeZone = 'Pacific/Apia'
    const activity = await registered({ timeZone })
    const page = async () =>
      (await server.request('GET', `/s/activity/${activity.uuid}`, { headers: { accept: 'text/html' } })).text
    const move = async (by: number) => {
      ok(await update(alice, activity.id, { startTime: activity.startTime + by, endTime: activity.endTime + by }))
      expect(await page()).not.toContain('EventRescheduled')
      await pass(DELAY + SECOND)
      const [newest] = await messages(alice, activity)
      await untilDone(alice, activity, newest!.id)
      return page()
    }
    expect(await page()).not.toContain('Moved from')
    const moved = await move(2 * DAY)
    const day = dayText(activity.startTime, timeZone, 'en', server.clock.now())
    expect(moved).toContain(`Moved from ${day}\n`)
    expect(moved).toContain('"eventStatus":"https://schema.org/EventRescheduled","previousStartDate":"')
    ok(await update(alice, activity.id, { startTime: activity.startTime, endTime: activity.endTime, notify: false }))
    expect(await page()).not.toContain('Moved from')
  })

  test('about several changes is one, with the first old and the last new values', async () => {
    const activity = await registered()
    ok(await update(alice, activity.id, { location: 'Hall B' }))
    await pass(DELAY - SECOND)
    ok(await update(alice, activity.id, { location: 'Hall C', endTime: activity.endTime + HOUR }))
    await pass(DELAY - SECOND)
    expect(await toldOf(activity)).toEqual([])
    await pass(2 * SECOND)
    expect(await toldOf(activity)).toEqual(['MOVED'])
    const [only, ...others] = await messages(alice, activity)
    expect(others).toEqual([])
    expect(only!.changes).toEqual([
      { field: 'endTime', before: activity.endTime, after: activity.endTime + HOUR },
      { field: 'location', before: 'Hall A', after: 'Hall C' },
    ])
  })

  test('waits at most five times the delay after the first change', async () => {
    const activity = await registered()
    for (let i = 1; i <= 6; i++) {
      ok(await update(alice, activity.id, { location: `Hall ${i}` }))
      await pass(DELAY - 5 * SECOND)
    }
    await until(async () => (await toldOf(activity)).length > 0)
    expect(await toldOf(activity)).toEqual(['PLACE'])
  })

  test('is not sent if everything was changed back, also by a request that sends no notice', async () => {
    for (const back of [{}, { notify: false }]) {
      const activity = await registered()
      ok(await update(alice, activity.id, { startTime: activity.startTime + MINUTE, location: 'Hall B' }))
      ok(await update(alice, activity.id, { startTime: activity.startTime, location: 'Hall A', ...back }))
      expect(await messages(alice, activity)).toEqual([])
      await pass(2 * DELAY)
      expect(await toldOf(activity)).toEqual([])
    }
  })

  test('names the new place, but no position that moved by less than 100 m', async () => {
    const activity = await registered({ latitude: 30.25, longitude: 120.15 })
    ok(await update(alice, activity.id, { latitude: 30.2505, longitude: 120.15 }))
    ok(await update(alice, activity.id, { description: 'New text', capacity: 5 } as object))
    expect(await messages(alice, activity)).toEqual([])
    ok(await update(alice, activity.id, { latitude: 30.26, longitude: 120.15, region: { city: 'Hangzhou' } }))
    const [waiting] = await messages(alice, activity)
    expect(waiting).toMatchObject({
      kind: 'PLACE',
      changes: [
        { field: 'region', before: null, after: 'Hangzhou' },
        { field: 'position', before: '30.2505, 120.15', after: '30.26, 120.15' },
      ],
    })
  })

  test('is sent only as the activity or the request says', async () => {
    const silent = await registered({ autoNotices: false })
    ok(await update(alice, silent.id, { location: 'Hall B' }))
    expect(await messages(alice, silent)).toEqual([])
    ok(await update(alice, silent.id, { location: 'Hall C', notify: true }))
    expect((await messages(alice, silent)).map(({ changes }) => changes)).toEqual([
      [{ field: 'location', before: 'Hall B', after: 'Hall C' }],
    ])
    const loud = await registered()
    ok(await update(alice, loud.id, { location: 'Hall B', notify: false }))
    ok(await cancelIt(loud, { notify: false }))
    expect(await messages(alice, loud)).toEqual([])
    expect(await toldOf(loud)).toEqual([])
  })

  test('is not sent about a DRAFT, about an activity that is over, or after its end', async () => {
    const draft = await openActivity(server, alice, {}, { status: 'DRAFT' })
    ok(await update(alice, draft.id, { location: 'Hall B' }))
    expect(await messages(alice, draft)).toEqual([])
    const now = server.clock.now()
    const past = await registered({ startTime: now + HOUR, endTime: now + 2 * HOUR })
    server.clock.advance(3 * HOUR)
    ok(await update(alice, past.id, { location: 'Hall B' }))
    ok(await cancelIt(past))
    expect(await messages(alice, past)).toEqual([])
    const ended = await registered()
    ok(await update(alice, ended.id, { location: 'Hall B' }))
    await setStatus(alice, ended.id, 'ENDED')
    expect(await messages(alice, ended)).toEqual([])
  })

  test('about a cancellation is sent at once, in place of one that waits', async () => {
    const activity = await registered()
    const { addresses } = await addParticipants(server, activity, 3)
    ok(await update(alice, activity.id, { location: 'Hall B' }))
    ok(await cancelIt(activity, { noticeText: 'A storm is coming.' }))
    const [notice, ...others] = await messages(alice, activity)
    expect(others).toEqual([])
    expect(notice).toMatchObject({ kind: 'CANCELLED', createdBy: null, body: 'A storm is coming.' })
    const done = await untilDone(alice, activity, notice!.id)
    expect(done).toMatchObject({ recipients: 4, app: { sent: 4 }, email: { sent: 3, skipped: 1 } })
    expect(await toldOf(activity)).toEqual(['CANCELLED'])
    expect((await notifiedOf(bob, activity))[0]!.body).toContain('A storm is coming.')
    for (const address of addresses)
      expect(
        gateways.mails.filter(({ to, text }) => to === address && text.includes('A storm is coming.')),
      ).toHaveLength(1)
    ok(await alice.call('activities.delete', { params: { id: activity.id } }))
  })

  test('about a cancellation follows from the end of the account of the organizer', async () => {
    const carol = await server.person('carol')
    const activity = await openActivity(server, carol)
    ok(await register(bob, activity))
    const silent = await openActivity(server, carol, {}, { autoNotices: false })
    ok(await register(bob, silent))
    ok(await carol.call('auth.deleteAccount'))
    await until(async () => (await toldOf(activity)).length > 0)
    expect(await toldOf(activity)).toEqual(['CANCELLED'])
    expect(await toldOf(silent)).toEqual([])
  })

  test('is skipped for mails beyond the budget, unless it is about a cancellation', async () => {
    const organizer = await server.person('organizer')
    const set = (limit: number) =>
      server.ctx.db.write('test.setting', (tx) => setSetting(tx, 'budget.eventMailsPerOwner', limit))
    const activity = await openActivity(server, organizer, {}, { name: 'Short of mails' })
    await addParticipants(server, activity, 5)
    await set(3)
    ok(await update(organizer, activity.id, { location: 'Hall B' }))
    await pass(DELAY + SECOND)
    const [moved] = await messages(organizer, activity)
    expect((await untilDone(organizer, activity, moved!.id)).email).toEqual({
      queued: 0,
      sent: 3,
      failed: 0,
      skipped: 2,
    })
    const skipped = await recipientsOf(organizer, activity, moved!.id, { state: 'SKIPPED' })
    expect(skipped.items.map(({ reason }) => reason)).toEqual(['BUDGET', 'BUDGET'])
    await setStatus(organizer, activity.id, 'CANCELLED')
    const [cancelled] = await messages(organizer, activity)
    expect((await untilDone(organizer, activity, cancelled!.id)).email).toMatchObject({ sent: 5, skipped: 0 })
    const other = await openActivity(server, organizer, {}, { name: 'The next one' })
    await addParticipants(server, other, 1)
    const reply = await organizer.post(`/api/activities/${other.id}/messages`, { subject: 'Hello', body: 'Text' })
    expect(reply.status).toBe(429)
    await set(5000)
  })

  test('that waits does not count in the messages that an activity may have', async () => {
    const activity = await registered()
    for (let i = 0; i < 12; i++) {
      ok(await update(alice, activity.id, { location: `Hall ${i}` }))
      await pass(DELAY + SECOND)
    }
    const created = await sent(alice, activity, { channels: ['APP'] })
    await untilDone(alice, activity, created.id)
    expect(await messages(alice, activity)).toHaveLength(13)
  })
})
