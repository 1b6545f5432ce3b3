/** Copies of activities, and series. */

import { afterEach, describe, expect, test } from 'bun:test'

import type { CopyActivity, CreateSeries } from '#domains/activities/copies/copies.model.ts'
import { setSetting } from '#domains/settings/index.ts'
import { DAY, HOUR } from '#platform/clock.ts'

import { createRole } from '../access/helpers.ts'
import { png, uploaded } from '../files/helpers.ts'
import { inProcess, ok, type Person, race, startServer, useServer } from '../harness/index.ts'
import { addMembers, createOrg, setRole } from '../orgs/helpers.ts'
import { createActivity, getActivity, setStatus, START } from './helpers.ts'
import { proveAddresses } from './message-helpers.ts'
import { createTemplate, issued } from './pass-helpers.ts'
import { register } from './registering.ts'

const { server, admin, alice, bob, carol } = useServer({ people: ['alice', 'bob', 'carol'] })

const copy = (person: Person, id: number, body: CopyActivity) =>
  person.call('activities.copy', { params: { id }, body })
const repeat = (person: Person, id: number, body: CreateSeries) =>
  person.call('activities.createSeries', { params: { id }, body })
const later = START + 7 * DAY
const coverOf = async (person: Person, orgId?: number) =>
  (await uploaded(person, png(), { type: 'activity', ...(orgId !== undefined && { orgId }) }, 'cover.png')).id
const storageOf = async (person: Person, orgId?: number): Promise<{ used: number }> =>
  ok(await person.get('/api/auth/quotas', orgId === undefined ? {} : { orgId })).data.storage
const totalOf = async (person: Person, query: object = {}) =>
  ok(await person.call('activities.list', { query: { page: 1, size: 1, ...query } })).data.total

/** Of a user, with everything that an activity can have. */
async function full(person: Person) {
  const templateId = (await createTemplate(person)).id
  const activity = await createActivity(person, {
    status: 'ACTIVE',
    visibility: 'PUBLIC',
    description: 'Bring gloves',
    timeZone: 'Europe/Berlin',
    language: 'zh',
    region: { province: 'Zhejiang', city: 'Hangzhou', district: null },
    location: 'Hall B',
    latitude: 30,
    longitude: 120,
    startTime: Date.now() + DAY,
    endTime: Date.now() + 2 * DAY,
    coverFileId: await coverOf(person),
    hasCheckIn: true,
    hasPass: true,
    checkInConfig: { radiusMeters: 200, shortCode: 'LAKE24', registeredOnly: true, rotatingSeconds: 30 },
    passConfig: { templateId, maxUses: 3, autoIssue: true },
    registration: { capacity: 9, waitlist: true, questions: [{ key: 'q1', label: 'Size', required: false }] },
  })
  ok(await register(carol, activity))
  await issued(person, activity.id, { holderName: 'Guest' })
  return getActivity(person, activity.id)
}

describe('a copy', () => {
  test('has all parts of the activity, and nothing of its participants, passes and codes', async () => {
    const source = await full(alice)
    const { data } = ok(await copy(alice, source.id, { startTime: source.startTime + 7 * DAY, name: 'Again' }))
    const { id, uuid, coverFileId, coverUrl, qrContent, version, createdAt, updatedAt, ...rest } = data
    expect(rest).toEqual({
      ...Object.fromEntries(Object.entries(source).filter(([key]) => key in rest)),
      name: 'Again',
      startTime: source.startTime + 7 * DAY,
      endTime: source.endTime + 7 * DAY,
      status: 'DRAFT',
      stats: { checkIns: 0, checkedInUsers: 0, passes: 0, passUses: 0, registrations: { confirmed: 0, waiting: 0 } },
    } as never)
    expect([id, uuid, coverFileId, qrContent]).not.toContain(source.id)
    expect(uuid).not.toBe(source.uuid)
    expect(coverFileId).not.toBe(source.coverFileId)
    expect(coverUrl).not.toBeNull()
    expect(qrContent).toBe(`activity:${id}`)
    expect([version, createdAt <= updatedAt]).toEqual([1, true])
    expect(await getActivity(alice, source.id)).toEqual(source)
    expect((await alice.call('registrations.list', { params: { id }, query: { page: 1, size: 1 } })).data!.total).toBe(
      0,
    )
  })

  test('has only the parts that are asked for', async () => {
    const source = await full(alice)
    const { data } = ok(await copy(alice, source.id, { startTime: later, include: [] }))
    expect(data).toMatchObject({
      name: source.name,
      description: '',
      location: 'Hall B',
      coverFileId: null,
      hasCheckIn: false,
      hasPass: false,
      checkInConfig: { radiusMeters: null, shortCode: null, registeredOnly: false, rotatingSeconds: null },
      passConfig: { templateId: null, maxUses: null, autoIssue: false },
      registration: { capacity: 9, questions: [] },
    })
  })

  describe('of an activity with check-in lists', () => {
    const listsOf = async (person: Person, id: number) =>
      ok(await person.call('checkInLists.list', { params: { id }, query: { size: 100 } })).data.items
    const addList = async (person: Person, id: number, body: object) =>
      ok(await person.call('checkInLists.create', { params: { id }, body: { name: 'Workshop', ...body } })).data

    test('has the lists without their counts, and their times keep the distance by the clock', async () => {
      // Summer time begins on 31 March.
      const startTime = Date.parse('2030-03-28T10:00:00+01:00')
      const activity = { startTime, endTime: startTime + HOUR, timeZone: 'Europe/Berlin', hasPass: true }
      const source = await createActivity(alice, { ...activity, status: 'ACTIVE' })
      const template = (await createTemplate(alice)).id
      const first = await addList(alice, source.id, {
        name: 'Lunch',
        kind: 'MEAL',
        opensAt: startTime + HOUR,
        closesAt: startTime + 2 * HOUR,
        templateIds: [template],
        requiresEntry: true,
      })
      const second = await addList(alice, source.id, { maxUses: 0, place: 'Room 3' })
      const [pass] = await issued(alice, source.id, { holderName: 'Guest' })
      const body = { passUuid: pass!.uuid, listId: second.id, redeem: true }
      ok(await alice.call('passes.verify', { params: { id: source.id }, body }))
      const start = Date.parse('2030-04-04T10:00:00+02:00')
      const { data } = ok(await copy(alice, source.id, { startTime: start }))
      expect(await listsOf(alice, data.id)).toEqual([
        {
          ...first,
          id: expect.any(Number),
          opensAt: start + HOUR,
          closesAt: start + 2 * HOUR,
          createdAt: expect.any(Number),
        },
        { ...second, id: expect.any(Number), createdAt: expect.any(Number) },
      ])
      expect((await listsOf(alice, source.id))[1]!.admitted).toBe(1)
      const without = ok(await copy(alice, source.id, { startTime: start, include: ['PASS_CONFIG'] })).data
      expect(await listsOf(alice, without.id)).toEqual([])
      const series = ok(await repeat(alice, source.id, { every: 'DAY', count: 3 })).data
      for (const { id } of series.items) expect(await listsOf(alice, id)).toHaveLength(2)
    })

    test('goes to another owner with copies of the templates that its lists admit', async () => {
      const org = await createOrg(alice)
      const templates = [(await createTemplate(alice)).id, (await createTemplate(alice)).id] as const
      const passConfig = { templateId: templates[0] }
      const source = await createActivity(alice, { hasPass: true, passConfig })
      await addList(alice, source.id, { templateIds: templates })
      const { data } = ok(await copy(alice, source.id, { startTime: later, orgId: org.id }))
      const [list] = await listsOf(alice, data.id)
      const query = { orgId: org.id, page: 1, size: 9 }
      const copied = ok(await alice.call('passTemplates.list', { query })).data.items.map(({ id }) => id)
      expect(list!.templateIds.toSorted()).toEqual(copied.toSorted())
      expect(copied).toHaveLength(2)
      expect(list!.templateIds).toContain(data.passConfig!.templateId!)
    })

    test('goes to another owner without the lists whose templates the caller may not read', async () => {
      const org = await createOrg(alice)
      await addMembers(alice, org, bob)
      const permissions = ['activity:read', 'activity:create']
      await createRole(admin, { domain: 'ORG', scopeId: org.id, code: 'COPIER', name: 'COPIER', permissions })
      await setRole(alice, org, bob, 'COPIER')
      const source = await createActivity(alice, { orgId: org.id, hasPass: true })
      const template = await createTemplate(alice, { orgId: org.id })
      await addList(alice, source.id, { name: 'Restricted', templateIds: [template.id] })
      await addList(alice, source.id, { name: 'Open' })
      const { data } = ok(await copy(bob, source.id, { startTime: later, orgId: null }))
      expect((await listsOf(bob, data.id)).map(({ name }) => name)).toEqual(['Open'])
    })
  })

  test('of an activity by invitation has a code of its own', async () => {
    const source = await createActivity(alice)
    const { data } = ok(await copy(alice, source.id, { startTime: later }))
    expect(data.inviteCode).toMatch(/^[A-Z2-9]{10}$/)
    expect(data.inviteCode).not.toBe(source.inviteCode)
  })

  test('its cover stays when that of the activity goes, and counts in the storage', async () => {
    const source = await createActivity(bob, { coverFileId: await coverOf(bob) })
    const before = (await storageOf(bob)).used
    const { data } = ok(await copy(bob, source.id, { startTime: later }))
    expect((await storageOf(bob)).used).toBe(2 * before)
    ok(await bob.call('activities.delete', { params: { id: source.id } }))
    expect((await bob.get(`/api/files/${data.coverFileId}/content`)).status).toBe(200)
    ok(await bob.call('activities.delete', { params: { id: data.id } }))
    expect((await storageOf(bob)).used).toBe(0)
  })

  test('can be made of an activity that is over, by its managers only', async () => {
    const source = await createActivity(alice, { status: 'CANCELLED', visibility: 'PUBLIC' })
    expect((await copy(bob, source.id, { startTime: later })).status).toBe(403)
    expect((await copy(bob, (await createActivity(alice)).id, { startTime: later })).status).toBe(404)
    expect((await copy(alice, 999_999, { startTime: later })).status).toBe(404)
    ok(await copy(alice, source.id, { startTime: later }))
  })

  test.each([
    [{}],
    [{ startTime: -1 }],
    [{ startTime: 8_640_000_000_000_000 }],
    [{ startTime: later, include: ['COVER', 'COVER'] }],
    [{ startTime: later, include: ['PARTICIPANTS'] }],
    [{ startTime: later, name: '' }],
  ])('%p is refused and adds nothing', async (body) => {
    const source = await createActivity(bob)
    const before = await totalOf(bob)
    expect((await copy(bob, source.id, body as never)).status).toBe(400)
    expect(await totalOf(bob)).toBe(before)
  })

  test('goes to an organization in which the caller may create activities, with template and cover', async () => {
    const org = await createOrg(alice)
    const source = await full(alice)
    const { data } = ok(await copy(alice, source.id, { startTime: later, orgId: org.id }))
    expect(data).toMatchObject({ ownerType: 'ORGANIZATION', ownerId: org.id, createdBy: alice.id })
    expect(data.passConfig.templateId).not.toBe(source.passConfig.templateId)
    const { data: templates } = ok(
      await alice.call('passTemplates.list', { query: { orgId: org.id, page: 1, size: 9 } }),
    )
    expect(templates.items.map(({ id }) => id)).toEqual([data.passConfig.templateId!])
    expect((await storageOf(alice, org.id)).used).toBeGreaterThan(0)
    const foreign = await createOrg(bob)
    expect([403, 404]).toContain((await copy(alice, source.id, { startTime: later, orgId: foreign.id })).status)
  })

  test('stays with the organization unless another owner is named, and RESTRICTED becomes INVITE_ONLY with a user', async () => {
    const org = await createOrg(alice)
    const source = await createActivity(alice, { orgId: org.id, visibility: 'RESTRICTED' })
    expect(ok(await copy(alice, source.id, { startTime: later })).data).toMatchObject({
      ownerId: org.id,
      visibility: 'RESTRICTED',
    })
    expect(ok(await copy(alice, source.id, { startTime: later, orgId: null })).data).toMatchObject({
      ownerType: 'PERSONAL',
      ownerId: alice.id,
      visibility: 'INVITE_ONLY',
    })
    const other = await createOrg(alice)
    expect(ok(await copy(alice, source.id, { startTime: later, orgId: other.id })).data).toMatchObject({
      ownerId: other.id,
      visibility: 'RESTRICTED',
      restrictedScopeId: other.id,
    })
  })

  test.if(inProcess)('keeps the contact address with its owner, and has none with another', async () => {
    const person = await server.person()
    const [contactEmail] = await proveAddresses(server, [person.id])
    const source = await createActivity(person, { contactEmail })
    const org = await createOrg(person)
    const contactOf = async (orgId?: number) =>
      ok(await copy(person, source.id, { startTime: later, ...(orgId !== undefined && { orgId }) })).data.contactEmail
    expect([await contactOf(), await contactOf(org.id)]).toEqual([contactEmail!, null])
  })

  test('of an organization goes to another owner without the template and the cover that the caller may not read', async () => {
    const org = await createOrg(alice)
    await addMembers(alice, org, bob)
    const permissions = ['activity:create']
    await createRole(admin, { domain: 'ORG', scopeId: org.id, code: 'CREATOR', name: 'CREATOR', permissions })
    await setRole(alice, org, bob, 'CREATOR')
    const template = await createTemplate(alice, { orgId: org.id })
    const source = await createActivity(alice, {
      orgId: org.id,
      hasPass: true,
      coverFileId: await coverOf(alice, org.id),
      passConfig: { templateId: template.id },
    })
    const mine = ok(await copy(bob, source.id, { startTime: later, orgId: null })).data
    expect(mine).toMatchObject({ ownerId: bob.id, coverFileId: null, passConfig: { templateId: null } })
    const ours = ok(await copy(bob, source.id, { startTime: later })).data
    expect(ours.coverFileId).not.toBeNull()
    expect(ours.passConfig.templateId).toBe(template.id)
  })
})

describe('a series', () => {
  test('adds drafts with one seriesId, which the list selects, and leaves the activity as it is', async () => {
    const startTime = Date.UTC(2026, 0, 31, 9)
    const source = await createActivity(alice, { timeZone: 'Europe/Berlin', startTime, endTime: startTime + HOUR })
    const { data } = ok(await repeat(alice, source.id, { every: 'MONTH', count: 3 }))
    expect(data.skipped).toEqual(['2026-02-31', '2026-04-31', '2026-06-31'])
    expect(data.starts).toEqual([Date.UTC(2026, 2, 31, 8), Date.UTC(2026, 4, 31, 8), Date.UTC(2026, 6, 31, 8)])
    expect(data.items.map((item) => item.startTime)).toEqual([...data.starts])
    expect(data.items.map((item) => item.endTime - item.startTime)).toEqual([HOUR, HOUR, HOUR])
    expect(new Set(data.items.map(({ status, seriesId }) => `${status} ${seriesId}`))).toEqual(
      new Set([`DRAFT ${data.seriesId}`]),
    )
    const { items, total } = ok(
      await alice.call('activities.list', { query: { page: 1, size: 9, seriesId: data.seriesId!, sort: 'startTime' } }),
    ).data
    expect(items.map(({ id }) => id)).toEqual(data.items.map(({ id }) => id))
    expect([total, items[0]!.seriesId]).toEqual([3, data.seriesId])
    expect(await totalOf(alice, { seriesId: crypto.randomUUID() })).toBe(0)
    expect(await totalOf(bob, { seriesId: data.seriesId! })).toBe(0)
    expect(await getActivity(alice, source.id)).toEqual(source)
  })

  test('takes given dates in their order', async () => {
    const source = await createActivity(alice)
    const dates = [START + 3 * DAY, START - DAY, START + 9 * DAY]
    const { data } = ok(await repeat(alice, source.id, { dates }))
    expect(data.items.map((item) => item.startTime)).toEqual(dates.toSorted((a, b) => a - b))
    expect(data.skipped).toEqual([])
  })

  test('has covers of their own', async () => {
    const source = await createActivity(alice, { coverFileId: await coverOf(alice) })
    const { data } = ok(await repeat(alice, source.id, { every: 'DAY', count: 3 }))
    expect(new Set([source.coverFileId, ...data.items.map(({ coverFileId }) => coverFileId)]).size).toBe(4)
  })

  test('is only shown with dryRun', async () => {
    const source = await createActivity(carol)
    const { data } = ok(await repeat(carol, source.id, { every: 'WEEK', count: 4, dryRun: true }))
    expect(data).toMatchObject({ seriesId: null, items: [], skipped: [] })
    expect(data.starts.length).toBe(4)
    expect(await totalOf(carol)).toBe(1)
  })

  test.each([
    [{}, 'body.every'],
    [{ every: 'DAY' }, 'body.count'],
    [{ every: 'DAY', count: 2, until: later }, 'body.count'],
    [{ every: 'DAY', count: 2, dates: [later] }, 'body.every'],
    [{ dates: [later], count: 1 }, 'body.count'],
    [{ every: 'DAY', count: 2, weekdays: [1] }, 'body.weekdays'],
    [{ every: 'DAY', until: START }, 'body.until'],
    [{ every: 'DAY', until: START + 100 * DAY }, 'body.until'],
    [{ every: 'YEAR', count: 2 }, 'body.every'],
    [{ every: 'DAY', count: 53 }, 'body.count'],
    [{ every: 'DAY', count: 0 }, 'body.count'],
    [{ every: 'DAY', count: 2, interval: 13 }, 'body.interval'],
    [{ every: 'WEEK', count: 2, weekdays: [0] }, 'body.weekdays.0'],
    [{ every: 'WEEK', count: 2, weekdays: [] }, 'body.weekdays'],
    [{ dates: [later, later] }, 'body.dates'],
    [{ dates: [later, 8_640_000_000_000_000] }, 'body.startTime'],
  ])('%p is refused by %s and adds nothing', async (body, path) => {
    const person = await server.person()
    const source = await createActivity(person)
    const reply = await repeat(person, source.id, body as never)
    expect(reply.status).toBe(400)
    expect(reply.details?.map((detail) => detail.path)).toContain(path)
    expect(await totalOf(person)).toBe(1)
  })

  test('is for managers of the activity, and its organization if the request names one', async () => {
    const org = await createOrg(alice)
    const source = await createActivity(alice, { orgId: org.id, visibility: 'RESTRICTED' })
    const series = { every: 'DAY', count: 1 } as const
    expect((await repeat(bob, source.id, series)).status).toBe(404)
    await addMembers(alice, org, bob)
    await setStatus(alice, source.id, 'ACTIVE')
    expect((await repeat(bob, source.id, series)).status).toBe(403)
    expect(ok(await repeat(alice, source.id, { ...series, orgId: org.id })).data.items[0]!.ownerId).toBe(org.id)
    const other = await createOrg(alice)
    expect((await repeat(alice, source.id, { ...series, orgId: other.id })).status).toBe(404)
  })
})

describe.if(inProcess)('quotas', () => {
  const quota = (name: 'quota.activities' | 'quota.storage', limit: number) =>
    server.ctx.db.write('test', (tx) => setSetting(tx, name, limit))
  afterEach(async () => {
    await quota('quota.activities', 10_000)
    await quota('quota.storage', 1_073_741_824)
  })

  test('of series and copies at once, as many are added as the quota of activities allows, each series whole', async () => {
    const person = await server.person()
    const source = await createActivity(person)
    await quota('quota.activities', 20)
    const replies = await race(30, (i): Promise<{ status: number; code: number }> =>
      i % 3 === 0
        ? copy(person, source.id, { startTime: later })
        : repeat(person, source.id, { every: 'DAY', count: 4 }),
    )
    const refused = replies.filter(({ status }) => status !== 200)
    expect(new Set(refused.map(({ status, code }) => `${status} ${code}`))).toEqual(new Set(['429 4022']))
    const added = replies.reduce((sum, { status }, i) => sum + (status !== 200 ? 0 : i % 3 === 0 ? 1 : 4), 1)
    expect(await totalOf(person)).toBe(added)
    // Ten copies fill what the last series left.
    expect(added).toBe(20)
    const { items } = ok(await person.call('activities.list', { query: { page: 1, size: 100 } })).data
    for (const [seriesId, group] of Map.groupBy(items, (item) => item.seriesId))
      if (seriesId !== null) expect(group.length).toBe(4)
  })

  test('a series whose covers do not fit into the storage adds nothing', async () => {
    const person = await server.person()
    const source = await createActivity(person, { coverFileId: await coverOf(person) })
    const { used } = await storageOf(person)
    await quota('quota.storage', 3 * used)
    expect((await repeat(person, source.id, { every: 'DAY', count: 3 })).status).toBe(429)
    expect([await totalOf(person), (await storageOf(person)).used]).toEqual([1, used])
    ok(await repeat(person, source.id, { every: 'DAY', count: 2 }))
    expect([await totalOf(person), (await storageOf(person)).used]).toEqual([3, 3 * used])
  })

  test('a series counts each activity of the 500 that a user can create in an hour', async () => {
    await using limited = await startServer({ rateLimit: true, noAdmin: true })
    const person = await limited.person()
    const source = await createActivity(person)
    // One is spent; nine series of 52 leave 31.
    for (let i = 0; i < 9; i++) ok(await repeat(person, source.id, { every: 'DAY', count: 52 }))
    expect((await repeat(person, source.id, { every: 'DAY', count: 32 })).status).toBe(429)
    const replies = await race(10, () => repeat(person, source.id, { every: 'DAY', count: 5 }))
    expect(replies.filter(({ status }) => status === 200).length).toBe(6)
    ok(await copy(person, source.id, { startTime: later }))
    expect((await copy(person, source.id, { startTime: later })).status).toBe(429)
    expect(await totalOf(person)).toBe(500)
  })
})
