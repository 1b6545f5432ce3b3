/** Managers add participants, change many of them at once, move them and check them in. */

import { describe, expect, test } from 'bun:test'

import type { AddRegistrations, ChangeRegistrations } from '#domains/activities/additions/additions.model.ts'

import { inProcess, ok, type Person, race, startServer, useServer } from '../harness/index.ts'
import { update as updateActivity } from './helpers.ts'
import { addRegistrations, list, openActivity, own, placesNotified, register, stateOf } from './registering.ts'

const { server, host, alice, bob, mallory } = useServer({ people: ['host', 'alice', 'bob', 'mallory'] })

type Some = { readonly id: number }
const add = (manager: Person, { id }: Some, items: AddRegistrations['items'], more: Partial<AddRegistrations> = {}) =>
  manager.call('registrations.add', { params: { id }, body: { items, ...more } })
const batch = (manager: Person, { id }: Some, body: ChangeRegistrations) =>
  manager.call('registrations.batch', { params: { id }, body })
const move = (manager: Person, registrationId: number, activityId: number, overCapacity = false) =>
  manager.call('registrations.move', { params: { registrationId }, body: { activityId, overCapacity } })
const checkIn = (manager: Person, registrationId: number, body: { undo?: boolean } = {}) =>
  manager.call('registrations.checkIn', { params: { registrationId }, body })
const confirmed = async (activity: Some) =>
  ok(await host.call('activities.get', { params: { id: activity.id } })).data.stats!.registrations

const questions = [{ key: 'size', label: 'Size', required: true }]

describe('a manager who adds people', () => {
  test('gives places to users and guests, and notifies the users', async () => {
    const activity = await openActivity(server, host, { questions, capacity: 2, waitlist: true })
    const guest = {
      name: 'Lin Mei',
      email: 'Lin@Example.org',
      answers: { size: 'M' },
      note: 'VIP',
      language: 'zh',
    } as const
    const { items } = ok(
      await add(host, activity, [{ userId: alice.id }, guest, { name: 'Bo', status: 'WAITING' }]),
    ).data
    expect(items).toMatchObject([
      { userId: alice.id, status: 'CONFIRMED', source: 'MANUAL', guest: null },
      {
        userId: null,
        nickname: 'Lin Mei',
        email: 'lin@example.org',
        answers: { size: 'M' },
        note: 'VIP',
        source: 'MANUAL',
      },
      { userId: null, status: 'WAITING', position: 1, email: null },
    ])
    expect(items[1]!.guest).toEqual({ name: 'Lin Mei', email: 'lin@example.org', language: 'zh', confirmedAt: null })
    expect(await placesNotified(alice, activity)).toBe(1)
    expect(await stateOf(alice, activity)).toBe('CONFIRMED null')
    expect(await confirmed(activity)).toEqual({ confirmed: 2, waiting: 1 })
    expect((await list(host, activity, { guest: true })).total).toBe(2)
    expect((await list(host, activity, { keyword: 'LIN@' })).total).toBe(1)
    expect((await list(host, activity, { source: 'GUEST' })).total).toBe(0)
    expect((await list(host, activity, { ids: `${items[0]!.id},${items[2]!.id}` })).total).toBe(2)
    const byName = await list(host, activity, { guest: true, sort: '-name' })
    expect(byName.items.map(({ nickname }) => nickname)).toEqual(['Lin Mei', 'Bo'])
  })

  test('adds all or nobody', async () => {
    const activity = await openActivity(server, host, { questions, capacity: 2 })
    ok(await add(host, activity, [{ name: 'Lin', email: 'lin@example.org' }]))
    const bad: AddRegistrations['items'][] = [
      [{ name: 'A' }, { name: 'B' }],
      [{ name: 'A' }, { userId: 999_999_999 }],
      [{ name: 'A', email: 'no address' }],
      [
        { name: 'A', email: 'a@example.org' },
        { name: 'B', email: 'A@example.org' },
      ],
      [{ name: 'A', email: 'LIN@example.org' }],
      [{ userId: alice.id, name: 'A' }],
      [{ userId: alice.id, email: 'a@example.org' }],
      [{ name: 'A', answers: { unknown: 'x' } }],
      [{ name: 'A', note: 'x'.repeat(2001) }],
      [],
    ]
    for (const items of bad) expect((await add(host, activity, items)).status, JSON.stringify(items)).toBe(400)
    expect((await add(mallory, activity, [{ name: 'A' }])).status).toBe(403)
    expect(await confirmed(activity)).toEqual({ confirmed: 1, waiting: 0 })
    ok(await add(host, activity, [{ name: 'A' }, { name: 'B' }], { overCapacity: true }))
    expect(await confirmed(activity)).toEqual({ confirmed: 3, waiting: 0 })
    expect((await register(alice, activity, { answers: { size: 'M' } })).status).toBe(400)
  })

  test('gets the first answer again for a repeated requestId', async () => {
    const activity = await openActivity(server, host, {})
    const requestId = 'by-hand-1'
    const answers = await race(5, () => add(host, activity, [{ name: 'Lin' }], { requestId }))
    const good = answers.filter(({ status }) => status === 200)
    expect(good.length).toBeGreaterThan(0)
    expect(new Set(good.map((answer) => ok(answer).data.items[0]!.id)).size).toBe(1)
    expect(await confirmed(activity)).toEqual({ confirmed: 1, waiting: 0 })
    expect((await add(host, activity, [{ name: 'Bo' }], { requestId })).status).toBe(400)
  })
})

describe('a batch', () => {
  test.if(inProcess)('confirms as many as there are places', async () => {
    const activity = await openActivity(server, host, { capacity: 60, approval: true })
    await addRegistrations(
      server,
      activity.id,
      Array.from({ length: 70 }, () => 'WAITING' as const),
    )
    const dry = ok(await batch(host, activity, { action: 'CONFIRM', filter: {}, dryRun: true })).data
    expect(dry).toEqual({ matched: 70, changed: 60, unchanged: 10, remaining: 0 })
    expect(await confirmed(activity)).toEqual({ confirmed: 0, waiting: 70 })
    const body = { action: 'CONFIRM', filter: { status: 'WAITING' }, requestId: 'confirm-1' } as const
    expect(ok(await batch(host, activity, body)).data).toEqual(dry)
    expect(ok(await batch(host, activity, body)).data).toEqual(dry)
    expect(await confirmed(activity)).toEqual({ confirmed: 60, waiting: 10 })
    expect((await batch(host, activity, { ...body, action: 'REJECT' })).status).toBe(400)
    ok(await batch(host, activity, { action: 'REJECT', filter: { status: 'WAITING' }, reason: 'Full' }))
    expect(await confirmed(activity)).toEqual({ confirmed: 60, waiting: 0 })
    const { items } = await list(host, activity, { status: 'REJECTED' })
    expect(items.map(({ reason }) => reason)).toEqual(Array.from({ length: 10 }, () => 'Full'))
  })

  test.if(inProcess)('that cancels does not reach those who move up', async () => {
    const activity = await openActivity(server, host, { capacity: 3, waitlist: true })
    await addRegistrations(server, activity.id, ['CONFIRMED', 'CONFIRMED', 'CONFIRMED', 'WAITING', 'WAITING'])
    const result = ok(await batch(host, activity, { action: 'CANCEL', filter: { status: 'CONFIRMED' } })).data
    expect(result).toEqual({ matched: 3, changed: 3, unchanged: 0, remaining: 0 })
    expect(await confirmed(activity)).toEqual({ confirmed: 2, waiting: 0 })
    const bad = await host.send('POST', `/api/activities/${activity.id}/registrations/batch`, {
      body: { action: 'CANCEL', filter: { unknown: 1 } },
    })
    expect(bad.status).toBe(400)
    const other = await openActivity(server, host)
    const [foreign] = ok(await add(host, other, [{ name: 'Lin' }])).data.items
    const ofOther = await batch(host, activity, { action: 'CANCEL', filter: { ids: [foreign!.id] } })
    expect([ofOther.status, ofOther.details[0]?.path]).toEqual([400, 'body.filter.ids.0'])
    expect((await batch(mallory, activity, { action: 'CANCEL', filter: {} })).status).toBe(403)
  })

  test.if(inProcess)(
    'fills 600 places from 700 who wait, exactly, while visitors register and another place is given',
    async () => {
      const activity = await openActivity(server, host, { capacity: 600, waitlist: true, approval: true })
      const [first] = await addRegistrations(server, activity.id, Array<'WAITING'>(700).fill('WAITING'))
      const visitors = await race(10, () => server.person())
      const one = (await list(host, activity, { sort: 'createdAt', size: 1 })).items[0]!
      expect(one.userId).toBe(first!)
      const [result, given, ...registered] = await Promise.all([
        batch(host, activity, { action: 'CONFIRM', filter: { status: 'WAITING' } }),
        host.call('registrations.update', { params: { registrationId: one.id }, body: { status: 'CONFIRMED' } }),
        ...visitors.map((visitor) => register(visitor, activity)),
      ])
      ok(given)
      for (const reply of registered) expect(ok(reply).data.status).toBe('WAITING')
      const { changed, remaining } = ok(result).data
      expect([600, 599]).toContain(changed)
      expect(remaining).toBe(0)
      expect((await list(host, activity, { status: 'CONFIRMED', size: 1 })).total).toBe(600)
      expect((await list(host, activity, { status: 'WAITING', size: 1 })).total).toBe(110)
      // Nobody of those who came first was left out.
      const waiting = await list(host, activity, { status: 'WAITING', sort: 'createdAt', size: 100 })
      expect(waiting.items[0]!.id).toBe(one.id + 600)
      const again = ok(await batch(host, activity, { action: 'CONFIRM', filter: { status: 'WAITING' } })).data
      expect(again).toMatchObject({ matched: 110, changed: 0, remaining: 0 })
      const over = ok(
        await batch(host, activity, { action: 'CONFIRM', filter: { status: 'WAITING' }, overCapacity: true }),
      ).data
      expect(over).toMatchObject({ changed: 110, remaining: 0 })
    },
  )
})

describe('moving a participant', () => {
  test('keeps the answers and frees the place', async () => {
    const from = await openActivity(server, host, {
      questions: [...questions, { key: 'old', label: 'Old' }],
      capacity: 1,
      waitlist: true,
    })
    const to = await openActivity(server, host, { questions, capacity: 1 })
    const { id } = ok(await register(alice, from, { answers: { size: 'M', old: 'x' } })).data
    ok(await register(bob, from, { answers: { size: 'L' } }))
    const moved = ok(await move(host, id, to.id)).data
    expect(moved).toMatchObject({ activityId: to.id, userId: alice.id, status: 'CONFIRMED', answers: { size: 'M' } })
    expect(ok(await own(alice, from)).data).toMatchObject({ status: 'CANCELLED', reason: `Moved to ${to.name}` })
    expect(await stateOf(bob, from)).toBe('CONFIRMED null')
    const { id: other } = ok(await own(bob, from)).data
    expect((await move(host, other, to.id)).status).toBe(400)
    expect(await stateOf(bob, from)).toBe('CONFIRMED null')
    expect((await move(host, other, from.id)).status).toBe(400)
    expect((await move(host, other, (await openActivity(server, mallory, {})).id)).status).toBe(400)
    expect((await move(mallory, other, to.id)).status).toBe(404)
    expect(ok(await move(host, other, to.id, true)).data.status).toBe('CONFIRMED')
  })

  test.if(inProcess)('gives exactly the places that are left', async () => {
    const from = await openActivity(server, host, {})
    const to = await openActivity(server, host, { capacity: 5 })
    await addRegistrations(
      server,
      from.id,
      Array.from({ length: 12 }, () => 'CONFIRMED' as const),
    )
    const { items } = await list(host, from, { size: 100 })
    const answers = await race(12, (i) => move(host, items[i]!.id, to.id))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
    expect(await confirmed(to)).toEqual({ confirmed: 5, waiting: 0 })
    expect(await confirmed(from)).toEqual({ confirmed: 7, waiting: 0 })
  })
})

describe('a check-in by hand', () => {
  test('counts once for users and guests, and can be taken back', async () => {
    const activity = await openActivity(server, host, {}, { hasCheckIn: true })
    const { items } = ok(
      await add(host, activity, [{ userId: alice.id }, { name: 'Lin' }, { name: 'Bo', status: 'WAITING' }]),
    ).data
    const [user, guest, waiting] = items.map(({ id }) => id) as [number, number, number]
    const answers = await race(5, () => checkIn(host, guest))
    expect(new Set(answers.map((answer) => ok(answer).data.id)).size).toBe(1)
    const ofGuest = { userId: null, registrationId: guest, nickname: 'Lin', method: 'MANUAL', sequence: 1 } as const
    expect(ok(answers[0]!).data).toMatchObject(ofGuest)
    const ofUser = { userId: alice.id, registrationId: null, method: 'MANUAL' } as const
    expect(ok(await checkIn(host, user)).data).toMatchObject(ofUser)
    const records = ok(await host.call('activities.checkInRecords', { params: { id: activity.id }, query: {} })).data
      .items
    expect(records).toMatchObject([ofUser, ofGuest])
    expect((await checkIn(host, waiting)).status).toBe(400)
    expect((await checkIn(alice, user)).status).toBe(403)
    expect((await checkIn(mallory, user)).status).toBe(404)
    expect((await list(host, activity, { checkedIn: true })).total).toBe(2)
    expect((await list(host, activity, { checkedIn: false })).total).toBe(1)
    expect((await list(host, activity, { guest: true })).items.map(({ checkedInAt }) => checkedInAt !== null)).toEqual([
      false,
      true,
    ])
    ok(await checkIn(host, guest, { undo: true }))
    expect((await checkIn(host, guest, { undo: true })).status).toBe(400)
    const stats = ok(await host.call('activities.get', { params: { id: activity.id } })).data.stats!
    expect([stats.checkIns, stats.checkedInUsers]).toEqual([1, 1])
    expect(ok(await checkIn(host, guest)).data.sequence).toBe(1)
    ok(await updateActivity(host, activity.id, { hasCheckIn: false }))
    expect((await checkIn(host, guest)).status).toBe(400)
  })
})

test.if(inProcess)('people whom the manager does not know count in a budget', async () => {
  await using limited = await startServer({ rateLimit: true })
  const manager = await limited.person()
  const [known, activity] = [await openActivity(limited, manager, {}), await openActivity(limited, manager, {})]
  const foreign = await openActivity(limited, await limited.person(), {})
  const cancelled = (count: number) => Array.from({ length: count }, () => 'CANCELLED' as const)
  const items = (ids: readonly number[]) => ids.map((userId) => ({ userId }))
  const strangers = await addRegistrations(limited, foreign.id, cancelled(202))
  ok(await add(manager, activity, items(await addRegistrations(limited, known.id, cancelled(5)))))
  ok(await add(manager, activity, items(strangers.slice(0, 199))))
  expect((await add(manager, activity, items(strangers.slice(199)))).status).toBe(429)
  ok(await add(manager, activity, items(strangers.slice(199, 200))))
})

describe('the data of a guest', () => {
  const erase = (manager: Person, registrationId: number) =>
    manager.call('registrations.cancelAny', { params: { registrationId }, query: { erase: true } })
  const guest = { name: 'Lin Mei', email: 'lin@example.org', answers: { size: 'M' }, note: 'VIP' }

  test('are deleted by a manager at once, and the place is free again', async () => {
    const activity = await openActivity(server, host, { questions, capacity: 1, waitlist: true })
    const { items } = ok(await add(host, activity, [guest, { name: 'Bo', status: 'WAITING' }])).data
    expect((await erase(mallory, items[0]!.id)).status).toBe(404)
    ok(await erase(host, items[0]!.id))
    const text = JSON.stringify(await list(host, activity))
    expect(text).not.toMatch(/Lin Mei|lin@example|VIP|"M"/)
    expect(await confirmed(activity)).toEqual({ confirmed: 1, waiting: 0 })
    expect((await list(host, activity, { status: 'CONFIRMED' })).items[0]!.nickname).toBe('Bo')
  })

  test('are deleted after the activity too, which keeps its numbers', async () => {
    const activity = await openActivity(server, host, { questions })
    const { items } = ok(await add(host, activity, [guest])).data
    ok(await host.call('activities.setStatus', { params: { id: activity.id }, body: { status: 'ENDED' } }))
    ok(await erase(host, items[0]!.id))
    expect(JSON.stringify(await list(host, activity))).not.toMatch(/Lin Mei|lin@example|VIP/)
    expect(await confirmed(activity)).toEqual({ confirmed: 1, waiting: 0 })
  })

  test('cannot be deleted of a user', async () => {
    const activity = await openActivity(server, host, {})
    const { data } = ok(await register(alice, activity))
    expect(await erase(host, data.id)).toMatchObject({ status: 400, details: [{ path: 'query.erase' }] })
    expect(await stateOf(alice, activity)).toBe('CONFIRMED null')
  })
})
