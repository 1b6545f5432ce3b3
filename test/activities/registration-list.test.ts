/** Lists of registrations, and waiting lists of hundreds of users. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { activities } from '#db/schema/activities.ts'
import { findCounters } from '#domains/activities/activities.store.ts'
import { passesOf } from '#domains/activities/participants/participants.store.ts'
import type { ActivityView } from '#domains/activities/register/register.model.ts'
import { facetsPage } from '#domains/activities/registrations/filters.store.ts'
import { fillPlaces, giveFreePlaces } from '#domains/activities/registrations/places.service.ts'
import { countWaitingBefore, registrationsPage } from '#domains/activities/registrations/registrations.store.ts'

import { plansOf } from '../db/plans.ts'
import { inProcess, ok, type Person, useServer } from '../harness/index.ts'
import { addMembers, createOrg, setRole } from '../orgs/helpers.ts'
import { type ActivityFields, update } from './helpers.ts'
import {
  addRegistrations,
  cancel,
  expectSound,
  list,
  openActivity,
  placesNotified,
  register,
  stateOf,
} from './registering.ts'

const { server, host, alice, bob, carol, dave } = useServer({ people: ['host', 'alice', 'bob', 'carol', 'dave'] })

const idsOf = (page: { readonly items: readonly { readonly userId: number | null }[] }) =>
  page.items.map((item) => item.userId!)

describe('the list of registrations', () => {
  let activity: ActivityView

  beforeAll(async () => {
    activity = await openActivity(server, host, { capacity: 2, waitlist: true })
    for (const user of [alice, bob, carol, dave]) ok(await register(user, activity))
    ok(await cancel(bob, activity))
  })

  test('has the newest first, or the oldest', async () => {
    const newest = [dave.id, carol.id, bob.id, alice.id]
    expect(idsOf(await list(host, activity))).toEqual(newest)
    expect(idsOf(await list(host, activity, { sort: 'createdAt' }))).toEqual(newest.toReversed())
    const second = await list(host, activity, { page: 2, size: 3 })
    expect([second.total, idsOf(second)]).toEqual([4, [alice.id]])
  })

  test('is filtered by status', async () => {
    expect(idsOf(await list(host, activity, { status: 'CONFIRMED' }))).toEqual([carol.id, alice.id])
    expect(idsOf(await list(host, activity, { status: 'CANCELLED' }))).toEqual([bob.id])
    const waiting = await list(host, activity, { status: 'WAITING' })
    expect(waiting.items.map((item) => [item.userId, item.position])).toEqual([[dave.id, 1]])
  })

  test('is searched by nickname, also with a status', async () => {
    const { nickname } = (await list(host, activity, { status: 'WAITING' })).items[0]!
    const keyword = nickname.slice(1).toUpperCase()
    expect(idsOf(await list(host, activity, { keyword }))).toEqual([dave.id])
    expect(idsOf(await list(host, activity, { keyword, status: 'WAITING' }))).toEqual([dave.id])
    expect(idsOf(await list(host, activity, { keyword, status: 'CONFIRMED' }))).toEqual([])
    expect((await list(host, activity, { keyword: '%' })).total).toBe(0)
  })

  test('shows a user who registers again as the newest', async () => {
    ok(await register(bob, activity))
    expect(idsOf(await list(host, activity))).toEqual([bob.id, dave.id, carol.id, alice.id])
    ok(await cancel(bob, activity))
  })

  test('is refused to users who do not manage the activity', async () => {
    const listed = (user: typeof host, id: number) => user.get(`/api/activities/${id}/registrations`)
    expect((await listed(alice, activity.id)).status).toBe(403)
    expect((await listed(host, 999_999_999)).status).toBe(404)
    const hidden = await openActivity(server, host, {}, { visibility: 'INVITE_ONLY' })
    expect((await listed(alice, hidden.id)).status).toBe(403)
    const draft = await openActivity(server, host, {}, { status: 'DRAFT' })
    expect((await listed(alice, draft.id)).status).toBe(404)
  })

  test('of an organization is shown to members with checkin:read', async () => {
    const org = await createOrg(host)
    await addMembers(host, org, alice, bob)
    await setRole(host, org, alice, 'ADMIN')
    const ofOrg = await openActivity(server, host, {}, { orgId: org.id, visibility: 'RESTRICTED' })
    ok(await register(bob, ofOrg))
    expect(idsOf(await list(alice, ofOrg))).toEqual([bob.id])
    expect((await list(alice, ofOrg, { orgId: org.id })).total).toBe(1)
    expect((await bob.get(`/api/activities/${ofOrg.id}/registrations`)).status).toBe(403)
    expect((await carol.get(`/api/activities/${ofOrg.id}/registrations`)).status).toBe(404)
  })

  test('answers 400 for unknown filters and pages', async () => {
    for (const query of ['status=GONE', 'sort=nickname', 'page=0', 'size=101'])
      expect((await host.get(`/api/activities/${activity.id}/registrations?${query}`)).status).toBe(400)
  })
})

describe('the activities for which a user has registered', () => {
  test('are those of all owners with a place or a number on the waiting list, as long as the user may know of them', async () => {
    const [user, other] = [await server.person(), await server.person()]
    const org = await createOrg(host)
    await addMembers(host, org, user)
    const on = (fields: ActivityFields, registration: ActivityFields['registration'] = {}) =>
      openActivity(server, host, registration, fields)
    const open = await on({ name: 'Open air' })
    const full = await on({ name: 'Full house' }, { capacity: 1, waitlist: true })
    const secret = await on({ name: 'Secret party', visibility: 'INVITE_ONLY' })
    const internal = await on({ name: 'Members only', orgId: org.id, visibility: 'RESTRICTED' })
    const left = await on({ name: 'Not for me' })
    const deleted = await on({ name: 'Deleted' })
    ok(await register(other, full))
    for (const activity of [open, full, internal, left, deleted]) ok(await register(user, activity))
    ok(await register(user, secret, { inviteCode: secret.inviteCode! }))
    ok(await cancel(user, left))
    ok(await host.call('activities.setStatus', { params: { id: deleted.id }, body: { status: 'CANCELLED' } }))
    ok(await host.call('activities.delete', { params: { id: deleted.id } }))

    const page = (person: Person, query = {}) =>
      person.call('activities.list', { query: { registered: true, ...query } })
    const names = async (person: Person, query = {}) => ok(await page(person, query)).data.items.map(({ name }) => name)
    expect((await names(user)).toSorted()).toEqual(['Full house', 'Members only', 'Open air', 'Secret party'])
    expect(await names(user, { sort: 'name', size: 2, page: 2 })).toEqual(['Open air', 'Secret party'])
    expect(await names(user, { keyword: 'HOUSE' })).toEqual(['Full house'])
    expect(await names(user, { status: 'ENDED' })).toEqual([])
    expect(await names(other)).toEqual(['Full house'])
    expect(await names(host)).toEqual([])
    const { items } = ok(await page(user, { keyword: 'party' })).data
    expect(items).toMatchObject([{ id: secret.id, inviteCode: null, qrContent: null }])
    expect((await page(user, { orgId: org.id })).status).toBe(400)

    ok(await user.post(`/api/orgs/${org.id}/leave`))
    expect(await names(user)).not.toContain('Members only')
  })
})

describe('a manager', () => {
  test('cancels the registration of a user, who is notified, and the next one gets the place', async () => {
    const activity = await openActivity(server, host, { capacity: 1, waitlist: true })
    for (const user of [alice, bob]) ok(await register(user, activity))
    const cancelOf = (person: Person, userId: number, id = activity.id) =>
      person.call('registrations.cancelOf', { params: { id, userId } })
    expect((await cancelOf(bob, alice.id)).status).toBe(403)
    expect((await cancelOf(alice, alice.id)).status).toBe(403)
    expect((await cancelOf(host, carol.id)).status).toBe(404)
    expect(ok(await cancelOf(host, alice.id)).data).toMatchObject({ userId: alice.id, status: 'CANCELLED' })
    expect(ok(await cancelOf(host, alice.id)).data.status).toBe('CANCELLED')
    expect(await stateOf(bob, activity)).toBe('CONFIRMED null')
    expect(await placesNotified(bob, activity)).toBe(1)
    const { items } = ok(await alice.call('notifications.list', { query: { size: 100 } })).data
    const mine = items.filter(({ data }) => data?.['activityId'] === activity.id)
    expect(mine.map(({ title, data }) => [title, data?.['event']])).toEqual([
      ['Your registration was cancelled', 'REGISTRATION_CANCELLED'],
    ])
    await expectSound(host, activity, 0)

    ok(await register(alice, activity))
    expect(await stateOf(alice, activity)).toBe('WAITING 1')
    ok(await host.call('activities.setStatus', { params: { id: activity.id }, body: { status: 'ENDED' } }))
    expect((await cancelOf(host, alice.id)).status).toBe(400)
  })
})

describe.if(inProcess)('a waiting list of 250 users', () => {
  test('moves up by 100 users in one write, and the job continues in order', async () => {
    const activity = await openActivity(server, host, { capacity: 1, waitlist: true })
    ok(await register(alice, activity))
    const waiting = await addRegistrations(
      server,
      activity.id,
      Array.from({ length: 250 }, () => 'WAITING' as const),
    )
    // Within one write, because the job can run at any time after it.
    const counts = await server.ctx.db.write('test', async (tx) => {
      await tx
        .update(activities)
        .set({ capacity: 231 })
        .where(sql`${activities.id} = ${activity.id}`)
      await fillPlaces(server.ctx, tx, activity.id)
      return findCounters(tx, activity.id)
    })
    expect(counts).toMatchObject({ confirmed: 101, waiting: 150 })
    // No one else gets one of the free places.
    expect(ok(await register(bob, activity)).data.status).toBe('WAITING')
    await giveFreePlaces(server.ctx)
    const confirmed = async () => (await list(host, activity, { status: 'CONFIRMED' })).total
    expect(await confirmed()).toBe(231)
    expect(await stateOf(bob, activity)).toBe('WAITING 21')
    const inOrder: number[] = []
    for (const page of [1, 2, 3])
      inOrder.push(...idsOf(await list(host, activity, { status: 'CONFIRMED', sort: 'createdAt', size: 100, page })))
    expect(inOrder).toEqual([alice.id, ...waiting.slice(0, 230)])

    // A repeated run finds nothing to do, and an unlimited capacity has places for everyone.
    await giveFreePlaces(server.ctx)
    expect(await confirmed()).toBe(231)
    ok(await update(host, activity.id, { registration: { capacity: null } }))
    expect(await placesNotified(bob, activity)).toBe(1)
    await expectSound(host, activity, 0)
  })

  test('stays when registration ends, and when the activity is over', async () => {
    const activity = await openActivity(server, host, { capacity: 1, waitlist: true })
    for (const user of [alice, bob]) ok(await register(user, activity))
    ok(await update(host, activity.id, { registration: null }))
    await giveFreePlaces(server.ctx)
    expect(await stateOf(bob, activity)).toBe('WAITING 1')
    ok(await update(host, activity.id, { registration: { capacity: 1, waitlist: true } }))
    const { startTime } = activity
    ok(await update(host, activity.id, { startTime: 1, endTime: 2 }))
    ok(await cancel(alice, activity))
    await giveFreePlaces(server.ctx)
    expect(await stateOf(bob, activity)).toBe('WAITING 1')
    ok(await update(host, activity.id, { endTime: startTime }))
    expect(await stateOf(bob, activity)).toBe('CONFIRMED null')
  })
})

describe.if(inProcess && !process.env['TEST_DATABASE_URL'])('plans of SQLite', () => {
  test('pages of registrations are read in the order of an index', async () => {
    const activity = await openActivity(server, host)
    const statuses = (['CONFIRMED', 'WAITING', 'CANCELLED'] as const).flatMap((one) => Array<typeof one>(400).fill(one))
    await addRegistrations(server, activity.id, statuses)
    const { read } = server.ctx.db
    const pages = async () => {
      for (const status of [undefined, 'WAITING'] as const)
        for (const sort of ['createdAt', '-createdAt'] as const)
          for (const page of [1, 10, 20])
            await registrationsPage(read, activity.id, { page, size: 20, sort, ...(status && { status }) })
    }
    const plans = (await plansOf(read, pages)).flatMap(({ plan }) => plan)
    expect(plans.filter((plan) => plan.includes('registrations')).length).toBeGreaterThan(10)
    expect(plans.filter((plan) => plan.includes('TEMP B-TREE') || plan.startsWith('SCAN'))).toEqual([])
    const filtered = await plansOf(read, async () => {
      for (const isNewestFirst of [true, false])
        await facetsPage(
          read,
          activity.id,
          { status: ['CONFIRMED', 'WAITING'] },
          isNewestFirst ? '-createdAt' : 'createdAt',
          { page: 2, size: 20 },
        )
    })
    const lines = filtered.flatMap(({ plan }) => plan)
    // Each of the two statuses, in both orders.
    expect(lines.filter((line) => line.includes('registrations_facets (activity_id=? AND <expr>=?)'))).toHaveLength(4)
    const page = { page: 2, size: 20 }
    for (const [sort, index] of [
      ['name', 'COVERING INDEX registrations_names'],
      ['-name', 'COVERING INDEX registrations_names'],
      ['-position', 'COVERING INDEX registrations_facets'],
      ['position', 'INDEX registrations_waiting'],
    ] as const) {
      const ordered = (await plansOf(read, () => facetsPage(read, activity.id, {}, sort, page))).flatMap(
        ({ plan }) => plan,
      )
      expect(ordered.join('\n')).toContain(`USING ${index} (activity_id=?`)
      const sorts = ordered.some((line) => line.includes('TEMP B-TREE FOR ORDER BY'))
      // Those who do not wait are in some facets, of which the first rows are sorted.
      expect(sorts).toBe(sort === '-position')
    }
    const [first, second] = (await registrationsPage(read, activity.id, { page: 1, size: 20, status: 'WAITING' })).items
    const counting = (await plansOf(read, () => countWaitingBefore(read, first!, second))).flatMap(({ plan }) => plan)
    expect(counting.join()).toContain('INDEX registrations_waiting (activity_id=? AND <expr>>? AND <expr><?)')
    const people = [
      { id: 1, userId: 2 },
      { id: 3, userId: null },
    ]
    const ofPasses = (await plansOf(read, () => passesOf(read, activity.id, people))).flatMap(({ plan }) => plan)
    for (const index of [
      'passes_holder (holder_user_id=? AND activity_id=?)',
      'passes_registration (registration_id=?)',
    ])
      expect(ofPasses.join()).toContain(`USING INDEX ${index}`)
    expect(lines.filter((line) => /SCAN registrations|\bpasses\b|check_in/.test(line))).toEqual([])
  })
})
