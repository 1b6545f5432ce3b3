/** Lists of activities: who sees which, order, filters, search, pages and plans. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { fieldsOf, NEW_ACTIVITY } from '#domains/activities/register/register.rules.ts'
import {
  activitiesPage,
  insertActivity,
  type Section,
  updateActivity,
} from '#domains/activities/register/register.store.ts'
import type { Owner } from '#http/endpoint.ts'
import { DAY, HOUR } from '#platform/clock.ts'

import { createRole } from '../access/helpers.ts'
import { plansOf } from '../db/plans.ts'
import { inProcess, ok, type Person, useServer } from '../harness/index.ts'
import { addMembers, createOrg, type Org, setRole } from '../orgs/helpers.ts'
import { createActivity, minimal, START } from './helpers.ts'

type Query = Record<string, string | number | boolean>

const { server, admin, alice, bob, owner, member } = useServer({ people: ['alice', 'bob', 'owner', 'member'] })

const list = async (person: Person, query: Query = {}) => ok(await person.get('/api/activities', query)).data
const names = async (person: Person, query: Query = {}) =>
  (await list(person, query)).items.map(({ name }: { name: string }) => name)

/** An activity of an hour, `hour` hours after START. */
const at = (hour: number) => ({ startTime: START + hour * HOUR, endTime: START + (hour + 1) * HOUR })

describe('lists', () => {
  test('without a filter, the list holds the personal activities of the caller, the latest start first', async () => {
    const user = await server.person()
    await createActivity(user, { name: 'b', ...at(2), status: 'ACTIVE' })
    await createActivity(user, { name: 'c', ...at(1) })
    await createActivity(user, { name: 'a', ...at(3), status: 'ENDED' })
    const org = await createOrg(user)
    await createActivity(user, { name: 'of the organization', orgId: org.id })
    await createActivity(bob, { name: 'of another user', visibility: 'PUBLIC', status: 'ACTIVE' })
    expect(await list(user)).toMatchObject({ total: 3, page: 1, size: 20 })
    for (const [query, expected] of [
      [{}, 'abc'],
      [{ ownerType: 'PERSONAL' }, 'abc'],
      [{ ownerType: 'PERSONAL', ownerId: user.id }, 'abc'],
      [{ ownerId: user.id }, 'abc'],
      [{ orgId: '', ownerType: '', ownerId: '', status: '', keyword: '' }, 'abc'],
      [{ sort: 'startTime' }, 'cba'],
      [{ sort: 'createdAt' }, 'bca'],
      [{ sort: '-createdAt' }, 'acb'],
      [{ sort: 'name' }, 'abc'],
      [{ sort: '-name' }, 'cba'],
      [{ size: 2, page: 2 }, 'c'],
    ] as const)
      expect((await names(user, query)).join('')).toBe(expected)
    expect((await user.get('/api/activities', { sort: 'status' })).status).toBe(400)
  })

  test('items leave out the configurations and the numbers, and have all other fields', async () => {
    const user = await server.person()
    const ofDetailOnly = [
      'language',
      'descriptionFormat',
      'descriptionHtml',
      'autoNotices',
      'contactEmail',
      'checkInConfig',
      'passConfig',
      'stats',
    ]
    const fields = Object.entries(await createActivity(user, { hasCheckIn: true }))
    const item = Object.fromEntries(fields.filter(([name]) => !ofDetailOnly.includes(name)))
    expect((await list(user)).items as object[]).toEqual([item])
  })

  test('another user’s activities, and those of organizations of which the caller is not a member, answer 403', async () => {
    const org = await createOrg(owner)
    const queries: Query[] = [
      { ownerType: 'PERSONAL', ownerId: bob.id },
      { ownerId: bob.id },
      { orgId: org.id },
      { ownerType: 'ORGANIZATION', ownerId: org.id },
      { ownerType: 'ORGANIZATION', ownerId: 999_999_999 },
    ]
    for (const query of queries) expect((await alice.get('/api/activities', query)).status).toBe(403)
    expect((await owner.get('/api/activities', { orgId: org.id, ownerId: org.id + 1 })).status).toBe(400)
    expect((await owner.get('/api/activities', { orgId: org.id, ownerType: 'PERSONAL' })).status).toBe(400)
    expect((await owner.get('/api/activities', { ownerType: 'ORGANIZATION' })).status).toBe(400)
  })

  test('managers of an organization see all of its activities, members the PUBLIC and RESTRICTED ones that are not DRAFTs', async () => {
    const org = await createOrg(owner)
    await addMembers(owner, org, member)
    for (const visibility of ['PUBLIC', 'RESTRICTED', 'INVITE_ONLY'] as const)
      for (const status of ['DRAFT', 'ACTIVE', 'ENDED', 'CANCELLED'] as const)
        await createActivity(owner, { orgId: org.id, name: `${visibility} ${status}`, visibility, status })
    const expected = ['PUBLIC', 'RESTRICTED'].flatMap((v) => ['ACTIVE', 'CANCELLED', 'ENDED'].map((s) => `${v} ${s}`))
    const owners: Query[] = [{ orgId: org.id }, { ownerType: 'ORGANIZATION', ownerId: org.id }]
    const hidden: Query[] = [{ status: 'DRAFT' }, { visibility: 'INVITE_ONLY' }, { keyword: 'INVITE' }]
    for (const named of owners) {
      expect((await list(owner, named)).total).toBe(12)
      expect(await names(member, { ...named, sort: 'name' })).toEqual(expected)
      expect(await list(member, { ...named, size: 1 })).toMatchObject({ total: 6 })
      // Filters, searches and their totals are no way around.
      for (const query of hidden)
        expect(await list(member, { ...named, ...query })).toMatchObject({ total: 0, items: [] })
    }
    expect((await list(member, { orgId: org.id })).items[0]).toMatchObject({ canManage: false, inviteCode: null })
    expect((await list(owner, { orgId: org.id, visibility: 'INVITE_ONLY' })).items[0]).toMatchObject({
      canManage: true,
    })
  })

  test('members who may create activities, but not change all, also see those that they created', async () => {
    const org = await createOrg(owner)
    const creator = await server.person()
    await addMembers(owner, org, creator)
    const permissions = ['activity:read', 'activity:create']
    await createRole(admin, { domain: 'ORG', scopeId: org.id, code: 'CREATOR', name: 'Creator', permissions })
    await setRole(owner, org, creator, 'CREATOR')
    const inOrg = { orgId: org.id }
    await createActivity(owner, { ...inOrg, name: 'hidden lake' })
    await createActivity(owner, { ...inOrg, name: 'public lake', visibility: 'PUBLIC', status: 'ACTIVE', ...at(1) })
    expect(await names(creator, inOrg)).toEqual(['public lake'])
    await createActivity(creator, { ...inOrg, name: 'own lake', ...at(2) })
    await createActivity(creator, { ...inOrg, name: 'own party', status: 'ACTIVE', ...at(3) })
    expect(await list(creator, inOrg)).toMatchObject({
      total: 3,
      items: [
        { name: 'own party', canManage: true },
        { name: 'own lake', canManage: true },
        { name: 'public lake', canManage: false },
      ],
    })
    expect(await names(creator, { ...inOrg, keyword: 'LAKE' })).toEqual(['own lake', 'public lake'])
    expect(await names(creator, { ...inOrg, status: 'DRAFT' })).toEqual(['own lake'])
    expect(await names(creator, { ...inOrg, page: 2, size: 2, sort: 'startTime' })).toEqual(['own party'])
  })

  test('lists follow the visibility and status of their activities', async () => {
    const org = await createOrg(owner)
    await addMembers(owner, org, member)
    const activity = await createActivity(owner, { orgId: org.id, visibility: 'PUBLIC', startTime: 1, endTime: 2 })
    const isListed = async () =>
      (await names(member, { orgId: org.id, sort: 'startTime', size: 1 })).includes(activity.name)
    const path = `/api/activities/${activity.id}`
    expect(await isListed()).toBe(false)
    ok(await owner.patch(`${path}/status`, { status: 'ACTIVE' }))
    expect(await isListed()).toBe(true)
    ok(await owner.put(path, { visibility: 'INVITE_ONLY' }))
    expect(await isListed()).toBe(false)
    ok(await owner.put(path, { visibility: 'RESTRICTED' }))
    expect(await isListed()).toBe(true)
    ok(await owner.patch(`${path}/status`, { status: 'CANCELLED' }))
    expect(await isListed()).toBe(true)
    ok(await owner.delete(path))
    expect(await isListed()).toBe(false)
  })

  test('lists are filtered by status, visibility, keyword, and an overlap with from and to', async () => {
    const user = await server.person()
    await createActivity(user, { name: 'a', ...at(0), visibility: 'PUBLIC', status: 'ACTIVE', location: 'Hall 100%' })
    await createActivity(user, { name: 'b', ...at(2), description: 'Around the 西湖\nlake' })
    await createActivity(user, { name: 'c', ...at(4), status: 'CANCELLED' })
    const from = (hour: number) => ({ from: START + hour * HOUR })
    const to = (hour: number) => ({ to: START + hour * HOUR })
    for (const [query, expected] of [
      [{ status: 'ACTIVE' }, 'a'],
      [{ visibility: 'INVITE_ONLY' }, 'bc'],
      [{ visibility: 'INVITE_ONLY', status: 'DRAFT' }, 'b'],
      [{ keyword: 'LAKE' }, 'b'],
      [{ keyword: '西湖' }, 'b'],
      [{ keyword: 'hall 100%' }, 'a'],
      [{ keyword: '_' }, ''],
      [{ keyword: 'c', status: 'CANCELLED' }, 'c'],
      // An activity that ends or starts at the very moment overlaps.
      [from(1), 'abc'],
      [from(1.1), 'bc'],
      [to(2), 'ab'],
      [to(1.9), 'a'],
      [{ ...from(2.5), ...to(2.6) }, 'b'],
      [{ ...from(3.1), ...to(3.9) }, ''],
      [{ from: new Date(START + 5 * HOUR).toISOString() }, 'c'],
      [{ ...from(2), keyword: 'b' }, 'b'],
    ] as const)
      expect([query, (await names(user, { ...query, sort: 'name' })).join('')]).toEqual([query, expected])
    expect((await user.get('/api/activities', { status: 'OPEN' })).status).toBe(400)
    expect((await user.get('/api/activities', { from: 'soon' })).status).toBe(400)
  })

  test('each activity is in exactly one phase by its times, and in PAST if it was ended or cancelled', async () => {
    const user = await server.person()
    const now = Date.now()
    const during = (from: number, to: number) => ({ startTime: now + from * DAY, endTime: now + to * DAY })
    await createActivity(user, { name: 'a', ...during(-1, 1), status: 'ACTIVE' })
    await createActivity(user, { name: 'b', ...during(-1, 2) })
    await createActivity(user, { name: 'c', ...during(2, 3), status: 'ACTIVE' })
    await createActivity(user, { name: 'd', ...during(1, 2) })
    await createActivity(user, { name: 'e', ...during(-8, -7), status: 'ACTIVE' })
    await createActivity(user, { name: 'f', ...during(-9, -8) })
    await createActivity(user, { name: 'g', ...during(-1, 1), status: 'ENDED' })
    await createActivity(user, { name: 'h', ...during(1, 2), status: 'CANCELLED' })
    for (const [query, expected] of [
      [{ phase: 'NOW' }, 'ab'],
      [{ phase: 'NOW', status: 'ACTIVE' }, 'a'],
      [{ phase: 'UPCOMING', sort: 'startTime' }, 'dc'],
      [{ phase: 'PAST', sort: 'name' }, 'efgh'],
      [{ phase: 'PAST', keyword: 'e' }, 'e'],
      [{ phase: 'NOW', keyword: 'e' }, ''],
    ] as const)
      expect([query, (await names(user, { sort: 'name', ...query })).join('')]).toEqual([query, expected])
    expect(await list(user, { phase: 'PAST', size: 1 })).toMatchObject({ total: 4 })
    expect((await user.get('/api/activities', { phase: 'SOON' })).status).toBe(400)

    const visitor = await server.person()
    for (const [name, times] of [
      ['x', during(-1, 1)],
      ['y', during(1, 2)],
    ] as const) {
      const registration = { closesAt: now + 2 * DAY }
      const fields = { name, ...times, registration, visibility: 'PUBLIC', status: 'ACTIVE' } as const
      const { id } = await createActivity(user, fields)
      ok(await visitor.call('registrations.register', { params: { id }, body: {} }))
    }
    expect(await names(visitor, { registered: true, phase: 'NOW' })).toEqual(['x'])
    expect(await names(visitor, { registered: true, phase: 'UPCOMING' })).toEqual(['y'])
    expect(await names(visitor, { registered: true, phase: 'PAST' })).toEqual([])
  })
})

/** Adds drafts, and publishes every second one for members. */
async function addMany(by: Owner, count: number): Promise<void> {
  for (let done = 0; done < count; done += 100)
    await server.ctx.db.write('test.addMany', async (tx) => {
      for (let i = done; i < done + 100; i++) {
        const times = { startTime: START + (i % 50) * HOUR, endTime: START + 100 * HOUR }
        const input = { ...minimal, ...times, name: `n${i % 70}`, visibility: 'PUBLIC' as const }
        const row = await insertActivity(tx, by, fieldsOf(input, NEW_ACTIVITY))
        if (i % 2 === 0) await updateActivity(tx, row, { status: 'ACTIVE' })
      }
    })
}

describe.if(inProcess && !process.env['TEST_DATABASE_URL'])('long lists', () => {
  const ROWS = 1500
  let org: Org

  beforeAll(async () => {
    org = await createOrg(owner)
    await addMembers(owner, org, member)
    await addMany({ userId: owner.id, orgId: org.id }, ROWS)
  })

  test('all pages together hold every activity once, and the total', async () => {
    for (const [person, total] of [
      [owner, ROWS],
      [member, ROWS / 2],
    ] as const) {
      const ids = new Set<number>()
      for (let page = 1; page <= total / 100 + 1; page++) {
        const found = await list(person, { orgId: org.id, page, size: 100, sort: 'name' })
        expect(found.total).toBe(total)
        for (const { id } of found.items) ids.add(id)
      }
      expect(ids.size).toBe(total)
    }
  })

  for (const unlisted of ['all', 'none'] as const)
    for (const sort of ['startTime', '-startTime', 'createdAt', '-createdAt', 'name', '-name', undefined] as const)
      test(`any page of the list for ${unlisted === 'all' ? 'managers' : 'members'} by ${sort ?? 'default'} is read in the order of an index`, async () => {
        const section: Section = { owner: org.id, unlisted }
        for (const page of [1, 20, 37]) {
          const input = { page, size: 20, sort } as const
          await activitiesPage(server.ctx.db.read, section, input)
          const { read } = server.ctx.db
          const plans = await plansOf(read, () => activitiesPage(read, section, input), 'from "activities"')
          expect(plans.length).toBeGreaterThan(0)
          const lines = plans.flatMap(({ plan }) => plan)
          expect(lines.filter((line) => line.includes('TEMP B-TREE') || line.startsWith('SCAN'))).toEqual([])
          const indexed = /^SEARCH activities USING (COVERING )?INDEX activities_\w+ \(owner=\?/
          expect(lines.filter((line) => line.includes(' activities') && !indexed.test(line))).toEqual([])
        }
      })
})
