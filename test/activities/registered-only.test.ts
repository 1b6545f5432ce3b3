/** Check-in for the registered only, and what a registration for an activity by invitation opens. */

import { describe, expect, test } from 'bun:test'

import { ok, type Person, race, startServer, useServer } from '../harness/index.ts'
import { checkIn } from './check-in-helpers.ts'
import { update } from './helpers.ts'
import { cancel, openActivity, register } from './registering.ts'

const { server, alice, bob, carol } = useServer({ people: ['alice', 'bob', 'carol'] })

const SENTENCE = 'Only registered participants can check in'

const forRegistered = (registration: object = {}) =>
  openActivity(server, alice, registration, { hasCheckIn: true, checkInConfig: { registeredOnly: true } })

describe('with registeredOnly', () => {
  test('users with a place check in, and others are refused with a sentence', async () => {
    const activity = await forRegistered({ capacity: 1, waitlist: true })
    ok(await register(bob, activity))
    ok(await register(carol, activity))
    ok(await checkIn(bob, activity))
    for (const person of [carol, alice])
      expect(await checkIn(person, activity)).toMatchObject({ status: 400, message: SENTENCE })
  })

  test('a user who has cancelled is refused, and one who moved up checks in', async () => {
    const activity = await forRegistered({ capacity: 1, waitlist: true })
    ok(await register(bob, activity))
    ok(await register(carol, activity))
    ok(await cancel(bob, activity))
    expect(await checkIn(bob, activity)).toMatchObject({ status: 400, message: SENTENCE })
    ok(await checkIn(carol, activity))
  })

  test('a foreign code is named before the missing registration, and the limit after it', async () => {
    const activity = await forRegistered()
    expect(await checkIn(bob, activity, { code: 'activity:1' })).toMatchObject({
      message: 'This code does not belong to this activity',
    })
    ok(await register(bob, activity))
    ok(await checkIn(bob, activity))
    expect(await checkIn(bob, activity)).toMatchObject({ message: 'You have already checked in' })
    ok(await cancel(bob, activity))
    expect(await checkIn(bob, activity)).toMatchObject({ message: SENTENCE })
  })

  test('of users who cancel and check in at once, nobody is checked in by a registration that had ended', async () => {
    const activity = await forRegistered()
    ok(await update(alice, activity.id, { checkInConfig: { maxPerUser: 0 } }))
    ok(await register(bob, activity))
    const replies = await race(20, async (i): Promise<{ status: number; message: string | undefined }> =>
      i === 10 ? cancel(bob, activity) : checkIn(bob, activity),
    )
    for (const { status, message } of replies) expect(['', SENTENCE]).toContain(status === 200 ? '' : message!)
    expect(await checkIn(bob, activity)).toMatchObject({ status: 400, message: SENTENCE })
  })

  test('null turns it off, and other values are refused', async () => {
    const activity = await forRegistered()
    expect(
      (await update(alice, activity.id, { checkInConfig: { registeredOnly: 'yes' as unknown as true } })).status,
    ).toBe(400)
    const { data } = ok(await update(alice, activity.id, { checkInConfig: { registeredOnly: null } }))
    expect(data.checkInConfig.registeredOnly).toBe(false)
    ok(await checkIn(bob, activity))
  })
})

describe('a registration for an activity by invitation', () => {
  const invited = async (people: readonly Person[]) => {
    const fields = { visibility: 'INVITE_ONLY', hasCheckIn: true } as const
    const activity = await openActivity(server, alice, { capacity: 1, waitlist: true }, fields)
    for (const person of people) ok(await register(person, activity, { inviteCode: activity.inviteCode! }))
    ok(await alice.call('activities.resetInviteCode', { params: { id: activity.id } }))
    return activity
  }
  const reads = (id: number, old: string): [name: string, (person: Person) => Promise<{ status: number }>][] => [
    ['the activity', (person) => person.call('activities.get', { params: { id } })],
    [
      'the activity with the old code',
      (person) => person.call('activities.get', { params: { id }, query: { code: old } }),
    ],
    ['its calendar', (person) => person.get(`/api/activities/${id}/calendar.ics`)],
    ['its own check-ins', (person) => person.call('activities.checkInRecords', { params: { id } })],
  ]

  test('opens it, its calendar and its check-in after the code was replaced, also from the waiting list', async () => {
    const activity = await invited([bob, carol])
    for (const person of [bob, carol]) {
      for (const [name, read] of reads(activity.id, activity.inviteCode!))
        expect((await read(person)).status, name).toBe(200)
      ok(await checkIn(person, activity))
    }
  })

  test('opens nothing after it was cancelled, nor to others', async () => {
    const activity = await invited([bob])
    ok(await cancel(bob, activity))
    for (const person of [bob, carol]) {
      for (const [name, read] of reads(activity.id, activity.inviteCode!))
        expect((await read(person)).status, name).toBe(403)
      expect((await checkIn(person, activity)).status).toBe(403)
    }
  })

  test('does not open another activity, nor a draft, and shows nothing that only managers see', async () => {
    const activity = await invited([bob])
    const other = await invited([])
    expect((await bob.call('activities.get', { params: { id: other.id } })).status).toBe(403)
    const { data } = ok(await bob.call('activities.get', { params: { id: activity.id } }))
    expect(data).toMatchObject({ canManage: false, inviteCode: null, qrContent: null, stats: null })
    expect((await bob.call('activities.update', { params: { id: activity.id }, body: { name: 'x' } })).status).toBe(403)
  })

  test('an old code of a registered user is no wrong guess', async () => {
    await using limited = await startServer({ rateLimit: true, noAdmin: true })
    const [owner, guest] = [await limited.person(), await limited.person()]
    const activity = await openActivity(limited, owner, {}, { visibility: 'INVITE_ONLY' })
    ok(await register(guest, activity, { inviteCode: activity.inviteCode! }))
    ok(await owner.call('activities.resetInviteCode', { params: { id: activity.id } }))
    const read = { params: { id: activity.id }, query: { code: activity.inviteCode! } }
    for (let i = 0; i < 25; i++) expect((await guest.call('activities.get', read)).status).toBe(200)
  })
})
