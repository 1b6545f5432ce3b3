/** Creating, changing, publishing and deleting activities. */

import { beforeAll, describe, expect, test } from 'bun:test'

import type { ActivityStatus } from '#db/schema/activities.ts'
import { HOUR, serverZone } from '#platform/clock.ts'

import { ok, type Person, useServer } from '../harness/index.ts'
import { addMembers, createOrg, type Org } from '../orgs/helpers.ts'
import { createActivity, END, getActivity, minimal, setStatus, START, update } from './helpers.ts'

const { server, alice, bob, owner, member } = useServer({ people: ['alice', 'bob', 'owner', 'member'] })
let org: Org

beforeAll(async () => {
  org = await createOrg(owner)
  await addMembers(owner, org, member)
})

const problems = (reply: { status: number; details?: readonly { path: string }[] | undefined }) => [
  reply.status,
  ...(reply.details ?? []).map(({ path }) => path),
]
const create = (person: Person, body: object) => person.post('/api/activities', { ...minimal, ...body })

describe('creation', () => {
  test('POST /api/activities with name and times creates a personal DRAFT that is INVITE_ONLY', async () => {
    const activity = await createActivity(alice)
    const nickname = ok(await alice.call('profile.get')).data.nickname
    expect(activity).toEqual({
      id: activity.id,
      uuid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-[47]/),
      name: 'Lake cleanup',
      description: '',
      region: null,
      location: null,
      latitude: null,
      longitude: null,
      startTime: START,
      endTime: END,
      descriptionFormat: 'PLAIN',
      descriptionHtml: '',
      timeZone: serverZone(),
      language: 'en',
      autoNotices: true,
      contactEmail: null,
      coverFileId: null,
      coverUrl: null,
      hasCheckIn: false,
      hasPass: false,
      ownerType: 'PERSONAL',
      ownerId: alice.id,
      ownerName: nickname,
      createdBy: alice.id,
      visibility: 'INVITE_ONLY',
      restrictedScopeType: null,
      restrictedScopeId: null,
      inviteCode: expect.stringMatching(/^[A-HJ-NP-Z2-9]{10}$/),
      status: 'DRAFT',
      qrContent: `activity:${activity.id}:${activity.inviteCode}`,
      registration: null,
      seriesId: null,
      canManage: true,
      checkInConfig: {
        radiusMeters: null,
        latitude: null,
        longitude: null,
        maxPerUser: 1,
        shortCode: null,
        opensAt: null,
        closesAt: null,
        registeredOnly: false,
        rotatingSeconds: null,
      },
      passConfig: { templateId: null, validFrom: null, validTo: null, maxUses: null, autoIssue: false },
      stats: {
        checkIns: 0,
        checkedInUsers: 0,
        passes: 0,
        passUses: 0,
        registrations: { confirmed: 0, waiting: 0 },
      },
      version: 1,
      createdAt: activity.updatedAt,
      updatedAt: activity.updatedAt,
    })
    expect(await getActivity(alice, activity.id)).toEqual(activity)
  })

  test('the contact address of an activity must be one that the caller has proved', async () => {
    const person = await server.person()
    const { data } = ok(await create(person, {}))
    expect(data).toMatchObject({ autoNotices: true, contactEmail: null })
    expect(problems(await update(person, data.id, { contactEmail: 'other@example.org' }))).toEqual([
      400,
      'body.contactEmail',
    ])
    expect(problems(await create(person, { contactEmail: 'not an address' }))).toEqual([400, 'body.contactEmail'])
    expect(await getActivity(person, data.id)).toEqual(data)
    const changed = ok(await update(person, data.id, { autoNotices: false })).data
    expect(changed.autoNotices).toBe(false)
    const cleared = ok(await update(person, data.id, { contactEmail: null, autoNotices: null })).data
    expect(cleared).toMatchObject({ autoNotices: true, contactEmail: null })
  })

  test('an activity has its own time zone and language, or those of the creator', async () => {
    const person = await server.person()
    const made = async (body: object, headers = {}) =>
      ok(await person.send('POST', '/api/activities', { body: { ...minimal, ...body }, headers })).data
    expect(await made({})).toMatchObject({ timeZone: serverZone(), language: 'en' })
    expect(await made({ timeZone: 'Asia/Kathmandu' }, { 'accept-language': 'zh-CN' })).toMatchObject({
      descriptionFormat: 'PLAIN',
      descriptionHtml: '',
      timeZone: 'Asia/Kathmandu',
      language: 'zh',
    })
    const next = await made({ language: 'en' }, { 'accept-language': 'zh-CN' })
    expect(next).toMatchObject({ timeZone: 'Asia/Kathmandu', language: 'en' })
    const changed = ok(await update(person, next.id, { timeZone: 'Pacific/Apia', language: 'zh' })).data
    expect(changed).toMatchObject({ timeZone: 'Pacific/Apia', language: 'zh', startTime: START, endTime: END })
    expect(ok(await person.get('/api/activities')).data.items[0]).toMatchObject({ timeZone: 'Pacific/Apia' })
    for (const timeZone of ['+08:00', 'UTC+8', 'Mars/Base', '', 'x'.repeat(65), null]) {
      expect(problems(await create(person, { timeZone }))).toEqual([400, 'body.timeZone'])
      expect(problems(await person.put(`/api/activities/${next.id}`, { timeZone }))).toEqual([400, 'body.timeZone'])
    }
    expect(problems(await create(person, { language: 'fr' }))).toEqual([400, 'body.language'])
    expect(await getActivity(person, next.id)).toEqual(changed)
  })

  test('an activity keeps all fields that it is created with, in camelCase or snake_case, and times in ISO 8601', async () => {
    const activity = ok(
      await alice.post('/api/activities', {
        name: '  Trail run  ',
        description: 'Two laps.\nBring water.',
        region: { province: 'Zhejiang', city: 'Hangzhou' },
        location: 'North gate',
        latitude: 30.25,
        longitude: 120.125,
        start_time: '2020-03-01T08:00:00+08:00',
        end_time: '2020-03-01T10:00:00+08:00',
        has_check_in: true,
        has_pass: true,
        visibility: 'PUBLIC',
        status: 'ACTIVE',
        check_in_config: { radius_meters: 100, max_per_user: 0, short_code: 'Lake24', opens_at: 5, closes_at: 9 },
        pass_config: { valid_from: 1, valid_to: 2, max_uses: 3 },
        registration: { capacity: 2, waitlist: true, questions: [{ key: 'size', label: 'Size', required: true }] },
      }),
    ).data
    expect(activity).toMatchObject({
      name: 'Trail run',
      description: 'Two laps.\nBring water.',
      region: { province: 'Zhejiang', city: 'Hangzhou', district: null },
      location: 'North gate',
      latitude: 30.25,
      longitude: 120.125,
      startTime: Date.UTC(2020, 2, 1, 0),
      endTime: Date.UTC(2020, 2, 1, 2),
      hasCheckIn: true,
      hasPass: true,
      visibility: 'PUBLIC',
      inviteCode: null,
      qrContent: `activity:${activity.id}`,
      status: 'DRAFT',
      checkInConfig: { radiusMeters: 100, latitude: null, maxPerUser: 0, shortCode: 'Lake24', opensAt: 5, closesAt: 9 },
      passConfig: { templateId: null, validFrom: 1, validTo: 2, maxUses: 3 },
      registration: {
        capacity: 2,
        waitlist: true,
        opensAt: null,
        closesAt: null,
        questions: [{ key: 'size', label: 'Size', required: true }],
      },
    })
    expect(await getActivity(alice, activity.id)).toEqual(activity)
  })

  test('an activity belongs to the organization of orgId in query or body, or of ownerType and ownerId', async () => {
    for (const [query, body] of [
      ['', { orgId: org.id }],
      [`?orgId=${org.id}`, {}],
      ['', { ownerType: 'ORGANIZATION', ownerId: org.id }],
      [`?orgId=${org.id}`, { ownerType: 'ORGANIZATION', ownerId: org.id }],
    ] as const) {
      const reply = ok(await owner.post(`/api/activities${query}`, { ...minimal, visibility: 'RESTRICTED', ...body }))
      expect(reply.data).toMatchObject({
        ownerType: 'ORGANIZATION',
        ownerId: org.id,
        ownerName: org.name,
        createdBy: owner.id,
        restrictedScopeType: 'ORGANIZATION',
        restrictedScopeId: org.id,
        inviteCode: null,
      })
    }
    const personal = ok(await create(alice, { ownerType: 'PERSONAL', ownerId: bob.id })).data
    expect([personal.ownerType, personal.ownerId]).toEqual(['PERSONAL', alice.id])
  })

  test('owners that disagree, or that the caller may not create activities for, are refused', async () => {
    const another = await createOrg(owner)
    const asOrg = { ownerType: 'ORGANIZATION' }
    expect(problems(await create(owner, { orgId: org.id, ...asOrg, ownerId: another.id }))).toEqual([
      400,
      'body.ownerId',
    ])
    expect(problems(await create(owner, { orgId: org.id, ownerId: another.id }))).toEqual([400, 'body.ownerId'])
    expect(problems(await create(owner, { orgId: org.id, ownerType: 'PERSONAL' }))).toEqual([400, 'body.ownerType'])
    expect(problems(await create(owner, asOrg))).toEqual([400, 'body.ownerId'])
    // Members may read activities only; others may not know the organization.
    for (const person of [member, alice])
      for (const body of [{ orgId: org.id }, { ...asOrg, ownerId: org.id }, { ...asOrg, ownerId: 999_999_999 }])
        expect(problems(await create(person, body))).toEqual([403])
  })

  test('an invalid activity is refused with all problems, and nothing is created', async () => {
    const total = async () => ok(await bob.get('/api/activities')).data.total
    const cases: [object, ...string[]][] = [
      [{ name: '' }, 'body.name'],
      [{ name: null }, 'body.name'],
      [{ startTime: undefined }, 'body.startTime'],
      [{ endTime: START }, 'body.endTime'],
      [{ endTime: START - 1 }, 'body.endTime'],
      [{ endTime: 'tomorrow' }, 'body.endTime'],
      [{ latitude: 1 }, 'body.longitude'],
      [{ latitude: 91, longitude: 0 }, 'body.latitude'],
      [{ visibility: 'SECRET' }, 'body.visibility'],
      [{ visibility: 'RESTRICTED' }, 'body.visibility'],
      [{ restrictedScopeType: 'GROUP' }, 'body.restrictedScopeType'],
      [{ checkInConfig: { radiusMeters: 50 } }, 'body.checkInConfig.radiusMeters'],
      [{ latitude: 1, longitude: 1, checkInConfig: { radiusMeters: 9 } }, 'body.checkInConfig.radiusMeters'],
      [{ latitude: 1, longitude: 1, checkInConfig: { radiusMeters: 100_001 } }, 'body.checkInConfig.radiusMeters'],
      [{ checkInConfig: { longitude: 1 } }, 'body.checkInConfig.latitude'],
      [{ checkInConfig: { shortCode: 'abc' } }, 'body.checkInConfig.shortCode'],
      [{ checkInConfig: { shortCode: 'ab-cd' } }, 'body.checkInConfig.shortCode'],
      [{ checkInConfig: { maxPerUser: -1 } }, 'body.checkInConfig.maxPerUser'],
      [{ checkInConfig: { opensAt: 5, closesAt: 5 } }, 'body.checkInConfig.closesAt'],
      [{ passConfig: { templateId: 999_999_999 } }, 'body.passConfig.templateId'],
      [{ passConfig: { validFrom: 5, validTo: 4 } }, 'body.passConfig.validTo'],
      [{ registration: { capacity: 0 } }, 'body.registration.capacity'],
      [
        { registration: { questions: Array.from({ length: 21 }, (_, i) => ({ key: `k${i}`, label: 'x' })) } },
        'body.registration.questions',
      ],
      [
        {
          registration: {
            questions: [
              { key: 'a', label: 'x' },
              { key: 'a', label: 'y' },
            ],
          },
        },
        'body.registration.questions.1.key',
      ],
      [{ registration: { questions: [{ key: '1a', label: 'x' }] } }, 'body.registration.questions.0.key'],
      [{ coverFileId: 999_999_999 }, 'body.coverFileId'],
      [{ endTime: START, longitude: 1, visibility: 'RESTRICTED' }, 'body.endTime', 'body.latitude', 'body.visibility'],
    ]
    for (const [body, ...paths] of cases) expect(problems(await create(bob, body))).toEqual([400, ...paths])
    expect(await total()).toBe(0)
  })

  test('RESTRICTED names the organization that owns the activity, and no other', async () => {
    const another = await createOrg(owner)
    const restricted = { orgId: org.id, visibility: 'RESTRICTED' }
    expect(problems(await create(owner, { ...restricted, restrictedScopeId: another.id }))).toEqual([
      400,
      'body.restrictedScopeId',
    ])
    ok(await create(owner, { ...restricted, restrictedScopeType: 'ORGANIZATION', restrictedScopeId: org.id }))
  })
})

describe('changes', () => {
  test('PUT changes the fields that are given only; null clears a field or sets its default', async () => {
    const before = await createActivity(alice, {
      description: 'old',
      region: { city: 'Hangzhou', district: 'Xihu' },
      location: 'old',
      latitude: 1,
      longitude: 2,
      hasPass: true,
      checkInConfig: { radiusMeters: 50, shortCode: 'ABCD' },
      passConfig: { maxUses: 5 },
      registration: { capacity: 3, questions: [{ key: 'a', label: 'A' }] },
    })
    const partly = ok(
      await update(alice, before.id, {
        name: 'new',
        region: { city: 'Suzhou' },
        checkInConfig: { maxPerUser: 3 },
        passConfig: { validTo: 9 },
        registration: { waitlist: true },
      }),
    ).data
    expect(partly).toEqual({
      ...before,
      name: 'new',
      region: { province: null, city: 'Suzhou', district: null },
      checkInConfig: { ...before.checkInConfig, maxPerUser: 3 },
      passConfig: { ...before.passConfig, validTo: 9 },
      registration: { ...before.registration!, waitlist: true },
      version: 2,
      updatedAt: partly.updatedAt,
    })
    expect(partly.updatedAt).toBeGreaterThan(before.updatedAt)
    const cleared = ok(
      await update(alice, before.id, {
        description: null,
        region: null,
        location: null,
        latitude: null,
        longitude: null,
        hasPass: null,
        checkInConfig: null,
        passConfig: null,
        registration: null,
      }),
    ).data
    const empty = await createActivity(alice)
    const { id, uuid, name, inviteCode, qrContent, version, createdAt, updatedAt } = cleared
    expect(cleared).toEqual({ ...empty, id, uuid, name, inviteCode, qrContent, version, createdAt, updatedAt })
    for (const body of [{ name: null }, { startTime: null }, { endTime: null }])
      expect(problems(await alice.put(`/api/activities/${before.id}`, body))).toEqual([
        400,
        `body.${Object.keys(body)[0]}`,
      ])
    ok(await update(alice, before.id, { registration: {} }))
    expect((await getActivity(alice, before.id)).registration).toMatchObject({ capacity: null, questions: [] })
  })

  test('PUT checks the activity as a whole, with the fields that it has already', async () => {
    const activity = await createActivity(alice, { latitude: 1, longitude: 2, checkInConfig: { radiusMeters: 50 } })
    const refused = async (body: object) => problems(await alice.put(`/api/activities/${activity.id}`, body))
    expect(await refused({ startTime: END })).toEqual([400, 'body.endTime'])
    expect(await refused({ latitude: null, longitude: null })).toEqual([400, 'body.checkInConfig.radiusMeters'])
    expect(await refused({ longitude: null })).toEqual([400, 'body.longitude'])
    expect(await refused({ visibility: 'RESTRICTED' })).toEqual([400, 'body.visibility'])
    expect(await getActivity(alice, activity.id)).toEqual(activity)
    ok(
      await update(alice, activity.id, {
        latitude: null,
        longitude: null,
        checkInConfig: { latitude: 3, longitude: 4 },
      }),
    )
  })

  test('PUT cannot change the owner, the status, the creator or any id', async () => {
    const activity = await createActivity(owner)
    const body = {
      id: 1,
      uuid: 'x',
      ownerType: 'ORGANIZATION',
      ownerId: org.id,
      status: 'ACTIVE',
      createdBy: bob.id,
      inviteCode: 'AAAAAAAAAA',
      version: 9,
      stats: {},
    }
    expect(ok(await owner.put(`/api/activities/${activity.id}`, body)).data).toEqual(activity)
    expect((await owner.put(`/api/activities/${activity.id}`, { orgId: org.id, name: 'x' })).status).toBe(404)
  })

  test('an activity that becomes INVITE_ONLY gets a new invite code, and has none otherwise', async () => {
    const activity = await createActivity(alice)
    const published = ok(await update(alice, activity.id, { visibility: 'PUBLIC' })).data
    expect([published.inviteCode, published.qrContent]).toEqual([null, `activity:${activity.id}`])
    const again = ok(await update(alice, activity.id, { visibility: 'INVITE_ONLY' })).data
    expect(again.inviteCode).toMatch(/^[A-Z2-9]{10}$/)
    expect(again.inviteCode).not.toBe(activity.inviteCode)
    const same = ok(await update(alice, activity.id, { visibility: 'INVITE_ONLY', name: 'x' })).data
    expect(same.inviteCode).toBe(again.inviteCode)
    // The default is INVITE_ONLY.
    expect(ok(await update(alice, activity.id, { visibility: null })).data.inviteCode).toBe(again.inviteCode)
  })

  test('PATCH /invite-code replaces the code at once, and refuses activities without one', async () => {
    const activity = await createActivity(alice, { status: 'ACTIVE' })
    const open = (code: string) => bob.get(`/api/activities/${activity.id}`, { code })
    ok(await open(activity.inviteCode!))
    const { data } = ok(await alice.call('activities.resetInviteCode', { params: { id: activity.id } }))
    expect(data).toMatchObject({
      version: activity.version + 1,
      qrContent: `activity:${activity.id}:${data.inviteCode}`,
    })
    expect(data.inviteCode).not.toBe(activity.inviteCode)
    expect((await open(activity.inviteCode!)).status).toBe(403)
    // Case, spaces and dashes do not matter.
    const typed = data.inviteCode!.toLowerCase()
    ok(await open(` ${typed.slice(0, 5)}-${typed.slice(5)} `))
    const everyones = await createActivity(alice, { visibility: 'PUBLIC' })
    expect((await alice.call('activities.resetInviteCode', { params: { id: everyones.id } })).status).toBe(400)
  })
})

describe('status', () => {
  const STATUSES: readonly ActivityStatus[] = ['DRAFT', 'ACTIVE', 'ENDED', 'CANCELLED']
  const ALLOWED = ['DRAFT ACTIVE', 'ACTIVE ENDED', 'ACTIVE CANCELLED']

  for (const from of STATUSES)
    for (const to of STATUSES) {
      const outcome = from === to ? 'changes nothing' : ALLOWED.includes(`${from} ${to}`) ? 'is possible' : 'is refused'
      test(`PATCH /status from ${from} to ${to} ${outcome}`, async () => {
        const before = await createActivity(alice, { status: from })
        const reply = await alice.call('activities.setStatus', { params: { id: before.id }, body: { status: to } })
        expect(reply.status).toBe(outcome === 'is refused' ? 400 : 200)
        const after = await getActivity(alice, before.id)
        const changed = { ...before, status: to, version: before.version + 1, updatedAt: after.updatedAt }
        expect(after).toEqual(outcome === 'is possible' ? changed : before)
      })
    }

  for (const status of STATUSES) {
    const isOver = status === 'ENDED' || status === 'CANCELLED'
    test(`a ${status} activity can${isOver ? 'not' : ''} be edited, and can${status === 'ACTIVE' ? 'not' : ''} be deleted`, async () => {
      const before = await createActivity(alice, { status })
      expect((await update(alice, before.id, { name: 'new' })).status).toBe(isOver ? 400 : 200)
      expect((await getActivity(alice, before.id)).name).toBe(isOver ? before.name : 'new')
      // Also for the values that are already there.
      expect((await update(alice, before.id, {})).status).toBe(isOver ? 400 : 200)
      const reply = await alice.call('activities.delete', { params: { id: before.id } })
      expect(reply.status).toBe(status === 'ACTIVE' ? 400 : 200)
      expect((await alice.get(`/api/activities/${before.id}`)).status).toBe(status === 'ACTIVE' ? 200 : 404)
    })
  }

  test('an activity does not end when its end time passes', async () => {
    const activity = await createActivity(alice, { startTime: 1, endTime: HOUR, status: 'ACTIVE' })
    expect((await getActivity(alice, activity.id)).status).toBe('ACTIVE')
    expect((await setStatus(alice, activity.id, 'ENDED')).status).toBe('ENDED')
  })

  test('every operation answers 404 for a deleted activity, and lists leave it out', async () => {
    const activity = await createActivity(alice, { name: 'to delete' })
    ok(await alice.call('activities.delete', { params: { id: activity.id } }))
    const path = `/api/activities/${activity.id}`
    const replies = [
      await alice.get(path),
      await alice.put(path, { name: 'x' }),
      await alice.delete(path),
      await alice.patch(`${path}/status`, { status: 'ACTIVE' }),
      await alice.patch(`${path}/invite-code`),
    ]
    expect(replies.map((reply) => reply.status)).toEqual([404, 404, 404, 404, 404])
    expect(ok(await alice.get('/api/activities', { keyword: 'to delete' })).data.total).toBe(0)
  })
})
