/** Statistics of check-ins: totals, methods, and hours of the day in any time zone. */

import { describe, expect, test } from 'bun:test'

import { insertCheckIns } from '#domains/activities/check-ins/check-ins.store.ts'

import { inProcess, ok, type Person, type TestServer, useServer } from '../harness/index.ts'
import { addMembers, createOrg, setRole } from '../orgs/helpers.ts'
import { checkIn, checkInLink, openActivity, PLACE, statsOf } from './check-in-helpers.ts'

const { server, alice, bob, carol } = useServer({ people: ['alice', 'bob', 'carol'], noAdmin: true })

interface Hour {
  readonly hour: number
  readonly count: number
}
/** The hours with check-ins, and their numbers. */
const counted = (hours: readonly Hour[]) =>
  Object.fromEntries(hours.filter(({ count }) => count > 0).map(({ hour, count }) => [hour, count]))

test('GET /activities/:id/check-in/stats gives zeros for an activity without check-ins', async () => {
  const { data } = ok(await statsOf(alice, await openActivity(server, alice)))
  expect(data).toEqual({
    total: 0,
    users: 0,
    repeated: 0,
    byHour: Array.from({ length: 24 }, (_, hour) => ({ hour, count: 0 })),
    byMethod: { GPS: 0, CODE: 0, QR: 0 },
  })
})

test.if(inProcess)('statistics count check-ins, users, repeated check-ins and methods of one activity', async () => {
  const checkInConfig = { shortCode: '4711', maxPerUser: 0 }
  const activity = await openActivity(server, alice, { checkInConfig })
  const code = await checkInLink(server, activity)
  for (const person of [bob, bob, carol]) ok(await checkIn(person, activity, { shortCode: '4711' }))
  ok(await checkIn(bob, activity, { code }))
  ok(
    await alice.call('activities.update', {
      params: { id: activity.id },
      body: { checkInConfig: { radiusMeters: 100, shortCode: null }, ...PLACE },
    }),
  )
  ok(await checkIn(carol, activity, PLACE))
  expect((await checkIn(carol, activity, { ...PLACE, latitude: 0 })).status).toBe(400)
  ok(await checkIn(bob, await openActivity(server, alice)))

  const { data } = ok(await statsOf(alice, activity))
  expect(data).toMatchObject({ total: 5, users: 2, repeated: 3, byMethod: { GPS: 1, CODE: 3, QR: 1 } })
  expect(data.byHour.reduce((sum, { count }) => sum + count, 0)).toBe(5)
})

test('statistics are for managers: others get 403, and 404 if they may not know of the activity', async () => {
  const activity = await openActivity(server, alice)
  expect((await statsOf(bob, activity)).status).toBe(403)
  const invited = await openActivity(server, alice, { visibility: 'INVITE_ONLY' })
  expect((await statsOf(bob, invited)).status).toBe(403)
  expect((await statsOf(bob, invited, { code: invited.inviteCode })).status).toBe(403)
  expect((await statsOf(bob, await openActivity(server, alice, { status: 'DRAFT' }))).status).toBe(404)
  expect((await server.request('GET', `/api/activities/${activity.id}/check-in/stats`)).status).toBe(401)

  const org = await createOrg(alice)
  await addMembers(alice, org, bob, carol)
  await setRole(alice, org, carol, 'ADMIN')
  const ofOrg = await openActivity(server, alice, { orgId: org.id, visibility: 'RESTRICTED' })
  expect((await statsOf(bob, ofOrg)).status).toBe(403)
  ok(await statsOf(carol, ofOrg))
  ok(await statsOf(carol, ofOrg, { orgId: org.id }))
  expect((await statsOf(carol, activity, { orgId: org.id })).status).toBe(404)
})

test('an unknown time zone is 400', async () => {
  const activity = await openActivity(server, alice)
  for (const tz of ['Mars/Olympus', '+25:00', '../etc/passwd'])
    expect((await statsOf(alice, activity, { tz })).status).toBe(400)
  for (const tz of ['', 'Asia/Shanghai', '+08:00', '-03:30']) ok(await statsOf(alice, activity, { tz }))
})

describe.if(inProcess)('hours of the day', () => {
  const { server: timed, host } = useServer({ people: ['host'], noAdmin: true })

  /** Signs in again: tokens do not outlive the months that these tests skip. */
  async function signIn(person: Person) {
    const body = { account: person.username, password: person.password }
    const headers = { 'x-device-id': person.deviceId }
    person.token = ok(await timed.request('POST', '/api/auth/login', { body, headers })).data.accessToken
  }

  async function checkInAt({ ctx, clock }: TestServer, activityId: number, at: number) {
    clock.advance(at - clock.now())
    const by = { activityId, userId: host.id, max: 0, registeredOnly: false }
    const [row] = await ctx.db.write('test', (tx) => insertCheckIns(tx, [{ ...by, method: 'QR', distance: null }]))
    expect(Math.abs(row!.checkedInAt - at)).toBeLessThan(60_000)
  }

  /** Minutes from midnight that avoid the edges of quarters, because the clock of the test runs on. */
  const random = (() => {
    let state = 7
    return (below: number) => (state = (state * 48_271) % 2_147_483_647) % below
  })()

  test('check-ins are counted by the hour that clocks in the zone showed, across changes of its UTC offset', async () => {
    const activity = await openActivity(timed, host, { checkInConfig: { maxPerUser: 0 } })
    const year = new Date(timed.clock.now()).getUTCFullYear() + 1
    const quarter = 900_000
    const times = Array.from({ length: 250 }, () => Date.UTC(year, 0, 1) + random(365 * 96) * quarter + 300_000)
    // Around the changes in New York and on Lord Howe Island, whose clocks change by half an hour.
    for (const [month, from, to] of [
      [2, 7, 15],
      [3, 1, 8],
      [9, 1, 8],
      [10, 1, 8],
    ] as const)
      for (let i = 0; i < 40; i++)
        times.push(Date.UTC(year, month, from) + random((to - from) * 96) * quarter + 300_000)
    times.sort((a, b) => a - b)
    for (const at of times) await checkInAt(timed, activity.id, at)
    await signIn(host)

    for (const tz of [
      'UTC',
      'Asia/Shanghai',
      'Asia/Kolkata',
      'Asia/Kathmandu',
      'Australia/Eucla',
      'America/New_York',
      'Australia/Lord_Howe',
      'Pacific/Chatham',
    ]) {
      const format = new Intl.DateTimeFormat('en-GB', { timeZone: tz, hour: '2-digit', hourCycle: 'h23' })
      const expected: Record<string, number> = {}
      for (const at of times) {
        const hour = String(Number(format.format(at)))
        expected[hour] = (expected[hour] ?? 0) + 1
      }
      const { data } = ok(await statsOf(host, activity, { tz }))
      expect([tz, counted(data.byHour)]).toEqual([tz, expected])
      expect(data.byHour.map(({ hour }) => hour)).toEqual(Array.from({ length: 24 }, (_, hour) => hour))
    }
    const fixed = ok(await statsOf(host, activity, { tz: '+05:45' })).data
    expect(fixed.byHour).toEqual(ok(await statsOf(host, activity, { tz: 'Asia/Kathmandu' })).data.byHour)
  })

  test('an hour that a change of the offset repeats is one hour of the day, and one that it skips is empty', async () => {
    await signIn(host)
    const activity = await openActivity(timed, host, { checkInConfig: { maxPerUser: 0 } })
    const year = new Date(timed.clock.now()).getUTCFullYear() + 1
    const sunday = (month: number, n: number) =>
      1 + ((7 - new Date(Date.UTC(year, month, 1)).getUTCDay()) % 7) + (n - 1) * 7
    const [spring, autumn] = [Date.UTC(year, 2, sunday(2, 2)), Date.UTC(year, 10, sunday(10, 1))]
    const at = (day: number, hour: number) => day + hour * 3_600_000 + 1_800_000
    // 01:30 and 03:30 in spring, twice 01:30 in autumn.
    for (const time of [at(spring, 6), at(spring, 7), at(autumn, 5), at(autumn, 6)])
      await checkInAt(timed, activity.id, time)
    await signIn(host)
    const { data } = ok(await statsOf(host, activity, { tz: 'America/New_York' }))
    expect(counted(data.byHour)).toEqual({ 1: 3, 3: 1 })
  })
})
