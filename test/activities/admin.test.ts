/** Activities and check-ins in the console. */

import { describe, expect, test } from 'bun:test'

import type { AdminCreateActivity } from '#domains/activities/admin/activities.admin.model.ts'
import { setOrgStatus } from '#domains/orgs/index.ts'

import { inProcess, ok, race, useServer } from '../harness/index.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'
import { checkIn, openActivity, recordsOf, statsOf } from './check-in-helpers.ts'
import { createActivity, getActivity, minimal } from './helpers.ts'
import { issued, withPasses } from './pass-helpers.ts'

const { server, admin, alice, bob, carol } = useServer({ people: ['alice', 'bob', 'carol'] })

const ACTIVITIES = '/api/admin/activities'
const CHECK_INS = '/api/admin/check-in'
const list = async (path: string, query: Record<string, string | number> = {}) =>
  ok(await admin.get(path, { size: 100, ...query })).data
const idsOf = (page: { items: readonly { id: number }[] }) => page.items.map((row) => row.id)
const newestLog = async () => ok(await admin.call('operationLog.list', { query: { size: 1 } })).data.items[0]!
const countOf = (replies: readonly { status: number }[], status: number) =>
  replies.filter((reply) => reply.status === status).length

describe('administrators', () => {
  test('list the activities of all owners, newest first, whatever their visibility and status', async () => {
    const org = await createOrg(alice, { name: 'Library' })
    const draft = await createActivity(alice)
    const others = await createActivity(bob, { visibility: 'PUBLIC', status: 'ENDED' })
    const ofOrg = await createActivity(alice, { orgId: org.id, visibility: 'RESTRICTED', status: 'ACTIVE' })
    const { items } = await list(ACTIVITIES)
    expect(idsOf({ items }).slice(0, 3)).toEqual([ofOrg.id, others.id, draft.id])
    const { language: _, checkInConfig: __, passConfig: ___, stats: ____, ...more } = ofOrg
    const {
      descriptionFormat: _____,
      descriptionHtml: ______,
      autoNotices: _______,
      contactEmail: ________,
      ...item
    } = more
    expect(items[0]).toEqual({
      ...item,
      owner: { userId: alice.id, username: 'alice', nickname: expect.any(String) },
      orgId: org.id,
      orgName: 'Library',
    })
    expect(items[1]).toMatchObject({ owner: { userId: bob.id }, orgId: null, orgName: null })
    expect(idsOf(await list(ACTIVITIES, { sort: 'createdAt' })).slice(-3)).toEqual([draft.id, others.id, ofOrg.id])
    ok(await bob.delete(`/api/activities/${others.id}`))
    expect(idsOf(await list(ACTIVITIES)).slice(0, 2)).toEqual([ofOrg.id, draft.id])
  })

  test('filter activities by owner, organization, status, visibility, time of creation and keyword', async () => {
    const [user, org] = [await server.person(), await createOrg(bob)]
    const own = await createActivity(user, { name: 'Needle 17', location: 'Quay', visibility: 'PUBLIC' })
    const ofOrg = await createActivity(bob, { orgId: org.id, status: 'CANCELLED', description: 'Haystack 18' })
    const userId = user.id
    for (const query of [
      { userId },
      { ownerType: 'PERSONAL', ownerId: userId },
      { keyword: 'needle' },
      { keyword: 'QUAY', userId },
      { userId, status: 'DRAFT' },
      { userId, visibility: 'PUBLIC' },
      { userId, ownerType: 'PERSONAL' },
      { userId, from: own.createdAt, to: own.createdAt + 1 },
    ])
      expect(idsOf(await list(ACTIVITIES, query as never)), JSON.stringify(query)).toEqual([own.id])
    for (const query of [
      { orgId: org.id },
      { ownerType: 'ORGANIZATION', ownerId: org.id },
      { keyword: 'haystack 18', ownerId: org.id },
      { orgId: org.id, ownerType: 'ORGANIZATION', status: 'CANCELLED' },
    ])
      expect(idsOf(await list(ACTIVITIES, query as never)), JSON.stringify(query)).toEqual([ofOrg.id])
    for (const query of [
      { userId: 999_999 },
      { orgId: 999_999 },
      { ownerId: 999_999 },
      { userId, status: 'ENDED' },
      { userId, ownerType: 'ORGANIZATION' },
      { userId, to: own.createdAt },
    ])
      expect(await list(ACTIVITIES, query as never), JSON.stringify(query)).toMatchObject({ items: [], total: 0 })
    for (const query of [
      { status: 'GONE' },
      { visibility: 'x' },
      { ownerType: 'x' },
      { sort: 'name' },
      { userId: 'x' },
    ])
      expect((await admin.get(ACTIVITIES, query as never)).status, JSON.stringify(query)).toBe(400)
  })

  test('see every detail of an activity without its invite code', async () => {
    const activity = await createActivity(alice, { status: 'ACTIVE', checkInConfig: { shortCode: 'LAKE24' } })
    const { data } = ok(await admin.get(`${ACTIVITIES}/${activity.id}`))
    expect(data).toEqual({ ...activity, owner: expect.anything(), orgId: null, orgName: null })
    expect((await admin.get(`${ACTIVITIES}/999999`)).status).toBe(404)
  })

  test('create an activity for a user or an organization, who then manage it', async () => {
    const org = await createOrg(bob)
    await addMembers(bob, org, carol)
    const create = (body: Partial<AdminCreateActivity>) => admin.post(ACTIVITIES, { ...minimal, ...body })
    const own = ok(await create({ ownerType: 'PERSONAL', ownerId: alice.id, visibility: 'PUBLIC' })).data
    expect(own).toMatchObject({ status: 'DRAFT', ownerType: 'PERSONAL', ownerId: alice.id, createdBy: alice.id })
    expect(await getActivity(alice, own.id)).toMatchObject({ canManage: true })
    const ofOrg = ok(await create({ ownerType: 'ORGANIZATION', ownerId: org.id, visibility: 'RESTRICTED' })).data
    expect(ofOrg).toMatchObject({ orgId: org.id, ownerId: org.id, createdBy: bob.id, restrictedScopeId: org.id })
    ok(await bob.patch(`/api/activities/${ofOrg.id}/status`, { status: 'ACTIVE' }))
    expect(await getActivity(carol, ofOrg.id)).toMatchObject({ canManage: false })

    const { total } = await list(ACTIVITIES)
    for (const body of [
      {},
      { ownerType: 'PERSONAL' },
      { ownerId: alice.id },
      { ownerType: 'PERSONAL', ownerId: 999_999 },
      { ownerType: 'ORGANIZATION', ownerId: 999_999 },
      { ownerType: 'PERSONAL', ownerId: alice.id, endTime: minimal.startTime },
      { ownerType: 'PERSONAL', ownerId: alice.id, visibility: 'RESTRICTED' },
      { ownerType: 'PERSONAL', ownerId: alice.id, name: '' },
      { ownerType: 'PERSONAL', ownerId: alice.id, passConfig: { templateId: 999_999 } },
    ] as Partial<AdminCreateActivity>[]) {
      const reply = await create(body)
      expect(reply.status, JSON.stringify(body)).toBe(400)
      expect(reply.details.length, JSON.stringify(body)).toBeGreaterThan(0)
    }
    expect((await list(ACTIVITIES)).total).toBe(total)
  })

  test('update an activity by the rules that bind its owner', async () => {
    const activity = await withPasses(alice, { capacity: null } as never)
    await issued(alice, activity.id, { holderName: 'Lin Mei' })
    const path = `${ACTIVITIES}/${activity.id}`
    const before = await getActivity(alice, activity.id)
    for (const body of [
      { hasPass: false },
      { endTime: 1 },
      { name: '' },
      { latitude: 1 },
      { visibility: 'RESTRICTED' },
    ])
      expect((await admin.put(path, body)).status, JSON.stringify(body)).toBe(400)
    expect(await getActivity(alice, activity.id)).toEqual(before)
    const { data } = ok(await admin.put(path, { name: 'Renamed', checkInConfig: { shortCode: 'HIDDEN7' } }))
    expect(data).toMatchObject({ name: 'Renamed', status: 'ACTIVE', version: before.version + 1 })
    expect(await getActivity(alice, activity.id)).toMatchObject({ name: 'Renamed' })
    const { action, before: old, after } = await newestLog()
    expect({ action, old, after } as object).toEqual({
      action: 'ACTIVITY_UPDATE',
      old: { name: before.name, version: before.version },
      after: { name: 'Renamed', version: before.version + 1 },
    })
    ok(await alice.patch(`/api/activities/${activity.id}/status`, { status: 'ENDED' }))
    expect((await admin.put(path, { name: 'Too late' })).status).toBe(400)
    expect((await admin.put(`${ACTIVITIES}/999999`, { name: 'x' })).status).toBe(404)
  })

  test('list the check-ins of all activities, newest first, and filter them', async () => {
    const [org, person] = [await createOrg(alice, { name: 'Rowers' }), await server.person()]
    await addMembers(alice, org, person)
    const regatta = await openActivity(server, alice, { name: 'Regatta 88', orgId: org.id })
    const picnic = await openActivity(server, bob, { checkInConfig: { shortCode: 'PIC4' } })
    const first = ok(await checkIn(person, regatta)).data
    const second = ok(await checkIn(carol, regatta)).data
    const third = ok(await checkIn(person, picnic, { shortCode: 'PIC4' })).data
    const { items } = await list(CHECK_INS)
    expect(idsOf({ items }).slice(0, 3)).toEqual([third.id, second.id, first.id])
    expect(items[2]).toEqual({
      ...first,
      activityName: 'Regatta 88',
      owner: { userId: person.id, username: expect.anything(), nickname: first.nickname },
      orgId: org.id,
      orgName: 'Rowers',
    })
    expect(items[0]).toMatchObject({ orgId: null, orgName: null })
    for (const [query, expected] of [
      [{ activityId: regatta.id }, [second, first]],
      [{ userId: person.id }, [third, first]],
      [{ userId: person.id, activityId: picnic.id }, [third]],
      [{ orgId: org.id }, [second, first]],
      [{ method: 'CODE', userId: person.id }, [third]],
      [{ keyword: 'REGATTA 88' }, [second, first]],
      [{ keyword: first.nickname, activityId: regatta.id }, [first]],
      [{ activityId: regatta.id, from: second.checkedInAt }, [second]],
      [{ activityId: regatta.id, to: second.checkedInAt }, [first]],
      [{ activityId: 999_999 }, []],
      [{ userId: 999_999 }, []],
    ] as const)
      expect(await list(CHECK_INS, query as never), JSON.stringify(query)).toMatchObject({
        items: expected.map(({ id }) => ({ id })),
        total: expected.length,
      })
    expect((await admin.get(CHECK_INS, { method: 'X' })).status).toBe(400)
  })

  test('delete a check-in from all counts, and the user can check in again with a new number', async () => {
    const activity = await openActivity(server, alice, { checkInConfig: { maxPerUser: 3 } })
    const own = []
    for (let i = 0; i < 3; i++) own.push(ok(await checkIn(bob, activity)).data)
    const only = ok(await checkIn(carol, activity)).data
    expect((await checkIn(bob, activity)).status).toBe(400)

    ok(await admin.delete(`${CHECK_INS}/${own[1]!.id}`))
    ok(await admin.delete(`${CHECK_INS}/${only.id}`))
    expect((await admin.delete(`${CHECK_INS}/${only.id}`)).status).toBe(404)
    const stats = ok(await statsOf(alice, activity)).data
    expect(stats).toMatchObject({ total: 2, users: 1, repeated: 1, byMethod: { GPS: 0, CODE: 0, QR: 2 } })
    expect(stats.byHour.reduce((sum, { count }) => sum + count, 0)).toBe(2)
    expect((await getActivity(alice, activity.id)).stats).toMatchObject({ checkIns: 2, checkedInUsers: 1 })
    expect(ok(await recordsOf(alice, activity)).data.items.map(({ sequence }) => sequence)).toEqual([3, 1])

    expect(ok(await checkIn(bob, activity)).data.sequence).toBe(4)
    expect((await checkIn(bob, activity)).status).toBe(400)
    expect(ok(await checkIn(carol, activity)).data.sequence).toBe(1)
    expect((await getActivity(alice, activity.id)).stats).toMatchObject({ checkIns: 4, checkedInUsers: 2 })
  })

  test('delete a check-in exactly once in a race of deletions and new check-ins', async () => {
    const activity = await openActivity(server, alice, { checkInConfig: { maxPerUser: 2 } })
    const { id } = ok(await checkIn(bob, activity)).data
    const replies = await race(20, (i) => (i % 2 === 0 ? admin.delete(`${CHECK_INS}/${id}`) : checkIn(bob, activity)))
    const deletions = replies.filter((_, i) => i % 2 === 0)
    expect([countOf(deletions, 200), countOf(deletions, 404)]).toEqual([1, 9])
    const left = ok(await recordsOf(alice, activity)).data
    expect(left.total).toBe(countOf(replies, 200) - 1)
    expect(new Set(left.items.map(({ sequence }) => sequence)).size).toBe(left.total)
    expect((await getActivity(alice, activity.id)).stats).toMatchObject({ checkIns: left.total, checkedInUsers: 1 })
  })

  test.if(inProcess)('are refused by a disabled organization, which is read-only', async () => {
    const org = await createOrg(alice)
    const activity = await createActivity(alice, { orgId: org.id })
    await server.ctx.db.write('test', (tx) => setOrgStatus(server.ctx, tx, org.id, 'DISABLED'))
    const body = { ...minimal, ownerType: 'ORGANIZATION', ownerId: org.id }
    expect((await admin.post(ACTIVITIES, body)).status).toBe(403)
    expect((await admin.put(`${ACTIVITIES}/${activity.id}`, { name: 'x' })).status).toBe(403)
  })
})

test('operations on all activities and check-ins need a token and a PLATFORM role', async () => {
  const activity = await openActivity(server, alice)
  const { id } = ok(await checkIn(bob, activity)).data
  const body = { ...minimal, ownerType: 'PERSONAL', ownerId: alice.id }
  for (const [method, path, options] of [
    ['GET', ACTIVITIES, {}],
    ['POST', ACTIVITIES, { body }],
    ['GET', `${ACTIVITIES}/${activity.id}`, {}],
    ['PUT', `${ACTIVITIES}/${activity.id}`, { body: { name: 'x' } }],
    ['GET', CHECK_INS, {}],
    ['DELETE', `${CHECK_INS}/${id}`, {}],
  ] as const) {
    expect((await alice.send(method, path, options)).status, `${method} ${path}`).toBe(403)
    expect((await server.request(method, path, options)).status, `${method} ${path}`).toBe(401)
  }
  expect(ok(await recordsOf(alice, activity)).data.total).toBe(1)
  expect(await getActivity(alice, activity.id)).toMatchObject({ name: activity.name })
})
