/** Many registrations and cancellations at once: never more places than there are, and the order of the waiting list is kept. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { ok, type Person, race, type Reply, useServer } from '../harness/index.ts'
import { update } from './helpers.ts'
import { cancel, expectSound, list, openActivity, placesNotified, register, stateOf } from './registering.ts'

const { server, host } = useServer({ people: ['host'] })
let crowd: Person[]

beforeAll(async () => {
  crowd = await race(50, () => server.person())
})

function countByStatus(replies: readonly Pick<Reply, 'status'>[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

describe('50 users who register at once', () => {
  test('compete for the last place, and exactly one gets it', async () => {
    const activity = await openActivity(server, host, { capacity: 2 })
    ok(await register(host, activity))
    const replies = await race(50, (i) => register(crowd[i]!, activity))
    expect(countByStatus(replies)).toEqual({ 200: 1, 400: 49 })
    expect((await list(host, activity)).total).toBe(2)
    await expectSound(host, activity, 2)
  })

  test('get the 10 places there are, and the other 40 get consecutive positions on the waiting list', async () => {
    const activity = await openActivity(server, host, { capacity: 10, waitlist: true })
    const replies = await race(50, (i) => register(crowd[i]!, activity))
    expect(countByStatus(replies)).toEqual({ 200: 50 })
    expect((await list(host, activity, { status: 'CONFIRMED' })).total).toBe(10)
    expect((await list(host, activity, { status: 'WAITING' })).total).toBe(40)
    await expectSound(host, activity, 10)
  })
})

test('a user who registers 50 times at once takes one place', async () => {
  const activity = await openActivity(server, host, { capacity: 5, waitlist: true })
  const replies = await race(50, () => register(crowd[0]!, activity))
  expect(countByStatus(replies)).toEqual({ 200: 50 })
  expect(new Set(replies.map((reply) => ok(reply).data.id)).size).toBe(1)
  expect((await list(host, activity)).total).toBe(1)
  await expectSound(host, activity, 5)
})

test('a user who cancels 50 times at once frees one place', async () => {
  const activity = await openActivity(server, host, { capacity: 2, waitlist: true })
  for (const user of crowd.slice(0, 5)) ok(await register(user, activity))
  const replies = await race(50, () => cancel(crowd[0]!, activity))
  expect(countByStatus(replies)).toEqual({ 200: 50 })
  expect(await stateOf(crowd[2]!, activity)).toBe('CONFIRMED null')
  expect(await stateOf(crowd[3]!, activity)).toBe('WAITING 1')
  await expectSound(host, activity, 2)
})

test('of 49 users who register while another cancels, one gets the place at most', async () => {
  const activity = await openActivity(server, host, { capacity: 1 })
  ok(await register(crowd[0]!, activity))
  const [, ...replies] = await race(50, (i) => (i === 0 ? cancel : register)(crowd[i]!, activity))
  const winners = replies.filter((reply) => reply.status === 200).length
  expect(winners).toBeLessThanOrEqual(1)
  expect((await list(host, activity, { status: 'CONFIRMED' })).total).toBe(winners)
  await expectSound(host, activity, 1)
})

test('25 cancellations at once give the places to the first 25 of 25 waiting users, and notify each once', async () => {
  const activity = await openActivity(server, host, { capacity: 25, waitlist: true })
  for (const user of crowd) ok(await register(user, activity))
  const replies = await race(25, (i) => cancel(crowd[i]!, activity))
  expect(countByStatus(replies)).toEqual({ 200: 25 })
  const confirmed = await list(host, activity, { status: 'CONFIRMED', size: 100 })
  expect(new Set(confirmed.items.map((item) => item.userId))).toEqual(new Set(crowd.slice(25).map((user) => user.id)))
  for (const user of [crowd[25]!, crowd[49]!]) expect(await placesNotified(user, activity)).toBe(1)
  await expectSound(host, activity, 25)
})

test('two cancellations at once give places to the first two of the waiting list', async () => {
  for (let round = 0; round < 5; round++) {
    const activity = await openActivity(server, host, { capacity: 2, waitlist: true })
    for (const user of crowd.slice(0, 6)) ok(await register(user, activity))
    await race(2, async (i) => ok(await cancel(crowd[i]!, activity)))
    const states = await Promise.all(crowd.slice(2, 6).map((user) => stateOf(user, activity)))
    expect(states).toEqual(['CONFIRMED null', 'CONFIRMED null', 'WAITING 1', 'WAITING 2'])
    await expectSound(host, activity, 2)
  }
})

test('registrations, cancellations and changes of the capacity at once leave everything sound', async () => {
  const activity = await openActivity(server, host, { capacity: 5, waitlist: true })
  for (const user of crowd.slice(0, 20)) ok(await register(user, activity))
  let capacity = 5
  await race(50, async (i) => {
    if (i % 10 === 9) ok(await update(host, activity.id, { registration: { capacity: (capacity += 2) } }))
    else ok(await (i < 15 ? cancel : register)(crowd[i]!, activity))
  })
  // A request that was overtaken may have lowered the capacity again, which cancels nobody.
  ok(await update(host, activity.id, { registration: { capacity } }))
  await expectSound(host, activity, capacity)
})
