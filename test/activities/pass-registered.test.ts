/** Passes for everyone who has registered: `toRegistered`. */

import { describe, expect, test } from 'bun:test'

import { dialect } from '#db/dialect.ts'
import { DAY, HOUR } from '#platform/clock.ts'

import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { getActivity, setStatus } from './helpers.ts'
import { createTemplate, issue, issued } from './pass-helpers.ts'
import { addRegistrations, cancel, openActivity, register } from './registering.ts'

const { server, alice, bob, carol, dave, mallory } = useServer({
  people: ['alice', 'bob', 'carol', 'dave', 'mallory'],
})

const open = async (guests: readonly Person[], registration: { capacity?: number; waitlist?: boolean } = {}) => {
  const activity = await openActivity(server, alice, registration, { hasPass: true })
  for (const person of guests) ok(await register(person, activity))
  return activity
}
const passesOf = async (id: number) => (await getActivity(alice, id)).stats!.passes
const holdersOf = (passes: readonly { holderUserId: number | null }[]) => passes.map(({ holderUserId }) => holderUserId)

describe('POST …/pass/issue with toRegistered', () => {
  test('issues passes to users with a place and without a pass, and then to none', async () => {
    const activity = await open([bob, carol, dave, mallory], { capacity: 3, waitlist: true })
    ok(await cancel(carol, activity))
    // mallory has moved up from the waiting list.
    const [own] = await issued(alice, activity.id, { userId: bob.id })
    const passes = await issued(alice, activity.id, { toRegistered: true, fields: { Gate: 'B' }, maxUses: 2 })
    expect(holdersOf(passes)).toEqual([dave.id, mallory.id])
    for (const pass of passes)
      expect(pass).toMatchObject({ maxUses: 2, status: 'ISSUED', fields: [{ label: 'Gate', value: 'B' }] })
    expect(await issued(alice, activity.id, { toRegistered: true })).toEqual([])
    ok(await alice.call('passes.revoke', { params: { passId: own!.id }, body: {} }))
    expect(holdersOf(await issued(alice, activity.id, { toRegistered: true }))).toEqual([bob.id])
    expect(await passesOf(activity.id)).toBe(4)
    const { items } = ok(await dave.call('notifications.list', { query: { size: 100 } })).data
    expect(items.filter(({ title }) => title === `Your pass for ${activity.name}`)).toHaveLength(1)
  })

  test('leaves out users who wait for a place and deleted accounts, and replaces passes that have expired', async () => {
    const gone = await server.person()
    const activity = await open([gone, bob, carol, dave], { capacity: 3, waitlist: true })
    await issued(alice, activity.id, { userId: bob.id, validTo: server.clock.now() - HOUR })
    expect(holdersOf(await issued(alice, activity.id, { toRegistered: true }))).toEqual(
      [gone.id, bob.id, carol.id].toSorted((a, b) => a - b),
    )
    const other = await open([gone, bob])
    ok(await gone.call('auth.deleteAccount'))
    expect(holdersOf(await issued(alice, other.id, { toRegistered: true }))).toEqual([bob.id])
  })

  test('reports a wrong field once, and changes nothing', async () => {
    const activity = await open([bob, carol])
    const template = await createTemplate(alice, { fields: [{ key: 'seat', label: 'Seat' }] })
    const wrong = { toRegistered: true, templateId: template.id, fields: { row: '4' } }
    const { status, details } = await issue(alice, activity.id, wrong)
    expect({ status, paths: details.map(({ path }) => path) }).toEqual({ status: 400, paths: ['body.fields.row'] })
    const tooLong = await issue(alice, activity.id, { toRegistered: true, fields: { Seat: 'x'.repeat(3000) } })
    expect(tooLong.details.map(({ path }) => path)).toEqual(['body.fields.Seat'])
    expect(await passesOf(activity.id)).toBe(0)
  })

  test('is one of the ways to name holders, for managers of activities that are not over', async () => {
    const activity = await open([bob])
    for (const body of [
      { toRegistered: false },
      { toRegistered: true, userId: bob.id },
      { toRegistered: true, holders: [{ name: 'A' }] },
      { toRegistered: 'everyone' as never },
    ])
      expect((await issue(alice, activity.id, body)).status).toBe(400)
    expect((await issue(bob, activity.id, { toRegistered: true })).status).toBe(403)
    expect((await issue(alice, 999_999, { toRegistered: true })).status).toBe(404)
    const path = `/api/activities/${activity.id}/pass/issue`
    expect((await server.request('POST', path, { body: { toRegistered: true } })).status).toBe(401)
    await setStatus(alice, activity.id, 'ENDED')
    expect((await issue(alice, activity.id, { toRegistered: true })).status).toBe(400)
    expect(await passesOf(activity.id)).toBe(0)
  })

  test('works by a template, and with a requestId answers the first passes', async () => {
    const activity = await open([bob])
    const template = await createTemplate(alice, { validDays: 3 })
    const body = { activityId: activity.id, toRegistered: true, requestId: 'everyone-1' }
    const call = async () =>
      ok(await alice.call('passes.issueByTemplate', { params: { templateId: template.id }, body })).data.items
    const first = await call()
    expect(first).toMatchObject([{ templateId: template.id, holderUserId: bob.id }])
    expect(first[0]!.validTo).toBeLessThan(server.clock.now() + 4 * DAY)
    ok(await register(carol, activity))
    expect(await call()).toEqual(first)
    expect(holdersOf(await issued(alice, activity.id, { toRegistered: true }))).toEqual([carol.id])
  })

  test('50 requests at once give every user one pass, while users register and cancel', async () => {
    const people = await Promise.all(Array.from({ length: 12 }, () => server.person()))
    const activity = await open(people.slice(0, 8))
    const answers = await race(50, async (i) => {
      if (i >= 40 && i < 44) return void ok(await register(people[8 + i - 40]!, activity))
      if (i >= 44 && i < 46) return void ok(await cancel(people[i - 44]!, activity))
      if (i === 46) return void (await issue(alice, activity.id, { userId: people[7]!.id }))
      return issued(alice, activity.id, { toRegistered: true })
    })
    const last = await issued(alice, activity.id, { toRegistered: true })
    const given = [...answers.flatMap((passes) => passes ?? []), ...last]
    expect(new Set(holdersOf(given)).size).toBe(given.length)
    const { items } = ok(await alice.call('passes.list', { params: { id: activity.id }, query: { size: 100 } })).data
    const holders = new Set(holdersOf(items))
    expect(holders.size).toBe(items.length)
    for (const person of people.slice(2)) expect(holders.has(person.id)).toBe(true)
    expect(await passesOf(activity.id)).toBe(items.length)
  })
})

// On SQLite only: PostgreSQL takes ten times as long for the rows, and the pages are made by the same code.
test.if(inProcess && dialect === 'sqlite')(
  'of more than 5,000 users who have registered, the next call gives passes to the next ones',
  async () => {
    const activity = await open([])
    const ids = await addRegistrations(
      server,
      activity.id,
      Array.from({ length: 5300 }, () => 'CONFIRMED' as const),
    )
    const first = await issued(alice, activity.id, { toRegistered: true })
    expect(holdersOf(first)).toEqual(ids.slice(0, 5000))
    expect(first[4999]!.holderName).toBe('guest 4999')
    expect(holdersOf(await issued(alice, activity.id, { toRegistered: true }))).toEqual(ids.slice(5000))
    expect(await issued(alice, activity.id, { toRegistered: true })).toEqual([])
    expect(await passesOf(activity.id)).toBe(5300)
  },
)
