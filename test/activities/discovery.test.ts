/** Discovery of activities: which ones it shows, filters and orders, and how it stays cheap after years of activities that have passed. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { activities } from '#db/schema/activities.ts'
import type { OrgStatus } from '#db/schema/orgs.ts'
import { removeAllPassed } from '#domains/activities/discovery/discovery.service.ts'
import { setOrgStatus } from '#domains/orgs/index.ts'
import { DAY, HOUR, MINUTE } from '#platform/clock.ts'

import { inProcess, ok, type Person, useServer } from '../harness/index.ts'
import { createOrg } from '../orgs/helpers.ts'
import { allPages } from '../qr-codes/helpers.ts'
import { type ActivityFields, createActivity, getActivity, setStatus, update } from './helpers.ts'

const { server, alice, bob } = useServer({ people: ['alice', 'bob'] })

type Query = Record<string, string | number>

const discover = async (person: Person, query: Query = {}) =>
  ok(await person.get('/api/discover/activities', query)).data as {
    items: Record<string, unknown>[]
    total: number
  }
const namesOf = async (person: Person, query: Query = {}) =>
  (await discover(person, query)).items.map(({ name }) => name)

/** The same for all tests, although they may run in different minutes. */
const now = Math.round(Date.now() / MINUTE) * MINUTE
const later = (ms: number) => now + ms
const publish = (person: Person, name: string, fields: ActivityFields = {}) =>
  createActivity(person, {
    name,
    visibility: 'PUBLIC',
    status: 'ACTIVE',
    startTime: later(DAY),
    endTime: later(DAY + HOUR),
    ...fields,
  })

test('GET /discover/activities answers 401 without a token, and 400 to bad filters', async () => {
  expect((await server.request('GET', '/api/discover/activities')).status).toBe(401)
  for (const query of [{ sort: 'name' }, { from: 'soon' }, { size: 101 }, { page: 0 }] as Query[])
    expect((await alice.get('/api/discover/activities', query)).status).toBe(400)
  expect((await alice.get('/api/discover/activities', { keyword: '', province: '', from: '', sort: '' })).status).toBe(
    200,
  )
})

test('an activity is shown with these fields and no others', async () => {
  const activity = await publish(alice, 'Fair', {
    description: 'Plants\n\nand cake',
    region: { province: '浙江省', city: '杭州市' },
    location: 'Hall B',
    latitude: 30.2,
    longitude: 120.1,
    hasPass: true,
    hasCheckIn: true,
    checkInConfig: { shortCode: 'LAKE24' },
  })
  const { items, total } = await discover(bob, { keyword: 'fair' })
  expect(total).toBe(1)
  expect(items).toEqual([
    {
      id: activity.id,
      uuid: activity.uuid,
      name: 'Fair',
      description: 'Plants\n\nand cake',
      region: { province: '浙江省', city: '杭州市', district: null },
      location: 'Hall B',
      startTime: activity.startTime,
      endTime: activity.endTime,
      timeZone: activity.timeZone,
      coverUrl: null,
      ownerType: 'PERSONAL',
      ownerName: activity.ownerName,
      hasCheckIn: true,
      hasPass: true,
    },
  ])
  expect(activity.ownerName).toBeString()
})

test('nothing that is not PUBLIC and ACTIVE is shown or counted, to anyone, with any filter', async () => {
  const mark = 'unseen'
  const owner = await server.person()
  const org = await createOrg(owner)
  const where = { location: mark, region: { province: mark, city: mark, district: mark } }
  const hidden = [
    await publish(owner, mark, { ...where, status: 'DRAFT' }),
    await publish(owner, mark, { ...where, status: 'ENDED' }),
    await publish(owner, mark, { ...where, status: 'CANCELLED' }),
    await publish(owner, mark, { ...where, visibility: 'INVITE_ONLY' }),
    await publish(owner, mark, { ...where, visibility: 'RESTRICTED', orgId: org.id }),
    await publish(owner, mark, { ...where, startTime: later(-2 * HOUR), endTime: later(-HOUR) }),
  ]
  const deleted = await publish(owner, mark, { ...where, status: 'ENDED' })
  ok(await owner.delete(`/api/activities/${deleted.id}`))
  const region = { province: mark, city: mark, district: mark }
  const queries: Query[] = [
    { keyword: mark },
    { province: mark },
    { province: mark, city: mark },
    region,
    { district: mark },
    { ...region, keyword: mark },
    { ...region, from: later(-3 * HOUR), to: later(2 * DAY) },
  ]
  const everywhere = (await discover(owner)).total
  for (const person of [alice, owner])
    for (const query of queries) expect(await discover(person, query)).toMatchObject({ items: [], total: 0 })
  const text = JSON.stringify(await discover(owner, { size: 100 }))
  for (const { uuid } of [...hidden, deleted]) expect(text).not.toContain(uuid)

  // Each of them appears as soon as it is public, and only then.
  ok(await update(owner, hidden[3]!.id, { visibility: 'PUBLIC' }))
  await setStatus(owner, hidden[0]!.id, 'ACTIVE')
  for (const query of queries) expect((await discover(alice, query)).total).toBe(2)
  expect((await discover(alice)).total).toBe(everywhere + 2)
  ok(await update(owner, hidden[3]!.id, { visibility: 'INVITE_ONLY' }))
  await setStatus(owner, hidden[0]!.id, 'CANCELLED')
  for (const query of queries) expect((await discover(alice, query)).total).toBe(0)
  expect((await discover(alice)).total).toBe(everywhere)
})

test('the activities of a deleted account are no longer shown', async () => {
  const leaving = await server.person()
  await publish(leaving, 'farewell party')
  expect(await namesOf(alice, { keyword: 'farewell' })).toEqual(['farewell party'])
  ok(await leaving.post('/api/auth/account/delete'))
  expect(await discover(alice, { keyword: 'farewell' })).toMatchObject({ items: [], total: 0 })
})

test('the name of an INTERNAL organization is not shown, even to its members', async () => {
  const owner = await server.person()
  const open = await createOrg(owner)
  const internal = await createOrg(owner, { visibility: 'INTERNAL' })
  await publish(owner, 'club evening 1', { orgId: open.id })
  await publish(owner, 'club evening 2', { orgId: internal.id })
  for (const person of [alice, owner]) {
    const { items } = await discover(person, { keyword: 'club evening' })
    expect(items.map(({ ownerName, ownerType }) => [ownerName, ownerType])).toEqual([
      [open.name, 'ORGANIZATION'],
      [null, 'ORGANIZATION'],
    ])
    expect(JSON.stringify(items)).not.toContain(internal.name)
  }
})

describe('filters and orders', () => {
  const PLACE = 'Elbland'
  beforeAll(async () => {
    const at = (province: string, city: string, district: string) => ({ region: { province, city, district } })
    await publish(alice, 'one', { ...at(PLACE, 'Pirna', 'West'), startTime: later(3 * DAY), endTime: later(5 * DAY) })
    await publish(alice, 'two', { ...at(PLACE, 'Meissen', 'West'), startTime: later(DAY), endTime: later(9 * DAY) })
    await publish(alice, 'three', { ...at(PLACE, 'Pirna', 'East'), startTime: later(6 * DAY), endTime: later(7 * DAY) })
    await publish(alice, 'four', {
      ...at('Saale', 'Pirna', 'West'),
      startTime: later(2 * DAY),
      endTime: later(3 * DAY),
      description: `near ${PLACE}`,
    })
  })

  const cases: [query: Query, names: string[]][] = [
    [{ province: PLACE }, ['two', 'one', 'three']],
    [{ province: PLACE, sort: 'startTime' }, ['two', 'one', 'three']],
    [{ province: PLACE, sort: '-startTime' }, ['three', 'one', 'two']],
    [{ province: PLACE, sort: 'createdAt' }, ['one', 'two', 'three']],
    [{ province: PLACE, sort: '-createdAt' }, ['three', 'two', 'one']],
    [{ province: PLACE, city: 'Pirna' }, ['one', 'three']],
    [{ province: PLACE, city: 'Pirna', sort: '-createdAt' }, ['three', 'one']],
    [{ province: PLACE, city: 'Pirna', district: 'West' }, ['one']],
    [{ province: PLACE, district: 'West', sort: 'createdAt' }, ['one', 'two']],
    [{ city: 'Pirna' }, ['four', 'one', 'three']],
    [{ city: 'Pirna', sort: 'createdAt' }, ['one', 'three', 'four']],
    [{ province: PLACE.toLowerCase() }, []],
    [{ keyword: PLACE.toUpperCase() }, ['four']],
    [{ keyword: 'e', province: PLACE }, ['one', 'three']],
    [{ keyword: 'e', district: 'West', province: PLACE }, ['one']],
    [{ keyword: 'e', city: 'Pirna', sort: '-startTime' }, ['three', 'one', 'four']],
    [{ keyword: '%' }, []],
    [{ province: PLACE, from: later(6 * DAY) }, ['two', 'three']],
    [{ province: PLACE, to: later(3 * DAY) }, ['two', 'one']],
    [{ province: PLACE, from: later(5 * DAY), to: later(5 * DAY) }, ['two', 'one']],
    [{ province: PLACE, from: later(5 * DAY) + 1, to: later(6 * DAY) - 1 }, ['two']],
    [{ province: PLACE, from: later(4 * DAY), to: later(6 * DAY), sort: '-startTime' }, ['three', 'one', 'two']],
    [{ province: PLACE, from: later(4 * DAY), to: later(6 * DAY), sort: 'createdAt' }, ['one', 'two', 'three']],
    [{ province: PLACE, keyword: 'o', from: later(4 * DAY) }, ['two', 'one']],
    [{ province: PLACE, from: later(-9 * DAY) }, ['two', 'one', 'three']],
    [{ province: PLACE, from: later(10 * DAY) }, []],
    [{ province: PLACE, from: later(8 * DAY), to: later(DAY) }, ['two']],
  ]
  for (const [query, names] of cases)
    test(`${JSON.stringify(Object.keys(query))} finds ${names.join(', ') || 'nothing'} (${JSON.stringify(query['sort'] ?? 'default order')})`, async () => {
      const { items, total } = await discover(bob, query)
      expect(items.map(({ name }) => name)).toEqual(names)
      expect(total).toBe(names.length)
    })

  test('pages neither repeat nor skip an activity, also where many begin at the same time', async () => {
    for (let i = 0; i < 7; i++) await publish(alice, `stall ${i}`, { region: { province: 'Aue' } })
    for (const query of [{ province: 'Aue' }, { province: 'Aue', from: later(HOUR) }, { keyword: 'stall' }] as Query[])
      for (const sort of ['startTime', '-startTime', 'createdAt']) {
        const items = await allPages<{ name: string }>(bob, '/api/discover/activities', 3, { ...query, sort })
        expect(items.map(({ name }) => name).toSorted()).toEqual(Array.from({ length: 7 }, (_, i) => `stall ${i}`))
      }
  })
})

test('the longest names of a region can be published and found', async () => {
  // Three bytes in UTF-8 for each of the 250 units that a name may have.
  const long = '한'.repeat(50)
  const combined = `ก${'\u0e4d'.repeat(4)}`.repeat(50)
  for (const part of [long, combined]) {
    const region = { province: part, city: part, district: part }
    await publish(alice, 'far away', { region })
    expect(await namesOf(bob, region)).toEqual(['far away'])
  }
  const body = { name: 'x', startTime: 1, endTime: 2, region: { province: `${combined}\u0e4d` } }
  expect((await alice.call('activities.create', { body })).status).toBe(400)
})

describe.if(inProcess)('in this process', () => {
  const untilOf = async (id: number) => {
    const [row] = await server.ctx.db.read
      .select({ until: activities.discoverUntil })
      .from(activities)
      .where(eq(activities.id, id))
    return row!.until
  }

  test('the activities of a disabled organization are left out, and return with it', async () => {
    const owner = await server.person()
    const org = await createOrg(owner)
    const query = { keyword: 'reading circle' }
    const change = (status: OrgStatus) =>
      server.ctx.db.write('test', (tx) => setOrgStatus(server.ctx, tx, org.id, status))
    const [shown, ended, draft] = [
      await publish(owner, 'reading circle', { orgId: org.id }),
      await publish(owner, 'reading circle', { orgId: org.id, status: 'ENDED' }),
      await publish(owner, 'reading circle', { orgId: org.id, status: 'DRAFT' }),
    ]
    const before = (await discover(bob)).total
    await change('DISABLED')
    expect((await discover(bob, query)).total).toBe(0)
    expect((await discover(bob)).total).toBe(before - 1)
    await change('ACTIVE')
    expect((await discover(bob, query)).items.map(({ id }) => id)).toEqual([shown.id])
    expect((await discover(bob)).total).toBe(before)
    for (const { id } of [ended, draft]) expect(await untilOf(id)).toBeNull()
  })

  test('an activity leaves discovery at its end, unchanged, and returns when its end is moved to a later time', async () => {
    const now = () => server.clock.now()
    const one = await publish(alice, 'evening walk', { startTime: now(), endTime: now() + HOUR })
    const queries: Query[] = [{ keyword: 'evening walk' }, { keyword: 'evening walk', from: now() - DAY }]
    const before = (await discover(bob)).total
    for (const query of queries) expect((await discover(bob, query)).total).toBe(1)
    const stored = await getActivity(alice, one.id)
    server.clock.advance(HOUR + 1000)
    for (const query of queries) expect(await discover(bob, query)).toMatchObject({ items: [], total: 0 })
    expect((await discover(bob)).total).toBe(before - 1)
    expect(await untilOf(one.id)).toBeNull()
    expect(await getActivity(alice, one.id)).toEqual(stored)
    ok(await update(alice, one.id, { endTime: now() + HOUR }))
    expect((await discover(bob)).total).toBe(before)
    ok(await update(alice, one.id, { name: 'evening walk, longer' }))
    expect((await discover(bob)).total).toBe(before)
  })

  test('no request shows or counts what has passed, even if more has passed than one write takes out', async () => {
    const user = await server.person()
    const template = await publish(user, 'market day', { region: { province: 'Past' } })
    const COUNT = 500
    const begin = server.clock.now()
    const { id: _, ...columns } = (
      await server.ctx.db.read.select().from(activities).where(eq(activities.id, template.id))
    )[0]!
    const copies = Array.from({ length: COUNT }, (_unused, i) => {
      const endTime = begin + HOUR + i
      return {
        ...columns,
        uuid: crypto.randomUUID(),
        checkInUuid: crypto.randomUUID(),
        endTime,
        discoverUntil: endTime,
      }
    })
    for (let at = 0; at < COUNT; at += 100)
      await server.ctx.db.write('test', (tx) =>
        tx
          .insert(activities)
          .values(copies.slice(at, at + 100))
          .returning({ id: activities.id }),
      )
    const queries: Query[] = [{ province: 'Past' }, { province: 'Past', to: later(9 * DAY) }, { keyword: 'market day' }]
    for (const query of queries) expect((await discover(bob, query)).total).toBe(COUNT + 1)
    server.clock.advance(HOUR + MINUTE)
    const answers = await Promise.all(queries.map((query) => discover(bob, query)))
    expect(answers.map(({ total }) => total)).toEqual([1, 1, 1])
    await removeAllPassed(server.ctx)
    const [left] = await server.ctx.db.read
      .select({ id: activities.id })
      .from(activities)
      .where(eq(activities.discoverUntil, copies.at(-1)!.endTime))
    expect(left).toBeUndefined()
    for (const query of queries) expect((await discover(bob, query)).total).toBe(1)
  })
})
