/** Managers change registrations: statuses, places in the waiting list, and notes. */

import { describe, expect, test } from 'bun:test'

import type { UpdateRegistration } from '#domains/activities/participants/participants.model.ts'

import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { addMembers, createOrg, setRole } from '../orgs/helpers.ts'
import { update as updateActivity } from './helpers.ts'
import { addRegistrations, list, openActivity, own, placesNotified, register, stateOf } from './registering.ts'

const VISITORS = Array.from({ length: 20 }, (_, i) => `visitor${i}` as const)
const { server, host, alice, bob, carol, mallory, ...others } = useServer({
  people: ['host', 'alice', 'bob', 'carol', 'mallory', ...VISITORS],
})

const change = (manager: Person, registrationId: number, body: UpdateRegistration) =>
  manager.call('registrations.update', { params: { registrationId }, body })
const get = async (manager: Person, registrationId: number) =>
  ok(await manager.call('registrations.getAny', { params: { registrationId } })).data
const registered = async (person: Person, activity: { readonly id: number }) =>
  ok(await register(person, activity)).data

describe('a manager', () => {
  test('rejects a registration, and the person cannot register again', async () => {
    const activity = await openActivity(server, host, { capacity: 1, waitlist: true })
    const { id } = await registered(alice, activity)
    await registered(bob, activity)
    const rejected = ok(await change(host, id, { status: 'REJECTED', reason: 'For beginners' })).data
    expect(rejected).toMatchObject({ status: 'REJECTED', reason: 'For beginners', activityId: activity.id })
    expect(await stateOf(bob, activity)).toBe('CONFIRMED null')
    expect(ok(await own(alice, activity)).data).toMatchObject({ status: 'REJECTED', reason: 'For beginners' })
    expect((await register(alice, activity)).status).toBe(400)
    expect(await placesNotified(alice, activity)).toBe(1)
    const { sent } = await get(host, id)
    expect(sent.filter(({ channel }) => channel === 'APP')).toMatchObject([{ kind: 'REJECTED', state: 'SENT' }])
    expect(ok(await change(host, id, { status: 'WAITING' })).data).toMatchObject({ status: 'WAITING', position: 1 })
    expect((await change(host, id, { status: 'CONFIRMED' })).status).toBe(400)
    const over = ok(await change(host, id, { status: 'CONFIRMED', overCapacity: true })).data
    expect(over).toMatchObject({ status: 'CONFIRMED', reason: null })
  })

  test('makes only the changes of status that are possible', async () => {
    const activity = await openActivity(server, host, {})
    const { id } = await registered(alice, activity)
    expect(ok(await change(host, id, { status: 'CONFIRMED' })).data.status).toBe('CONFIRMED')
    expect(await placesNotified(alice, activity)).toBe(0)
    expect(ok(await change(host, id, { status: 'CANCELLED', notify: false })).data.status).toBe('CANCELLED')
    expect(await placesNotified(alice, activity)).toBe(0)
    expect((await change(host, id, { status: 'REJECTED' })).status).toBe(400)
    expect(ok(await host.call('registrations.cancelAny', { params: { registrationId: id } })).data.status).toBe(
      'CANCELLED',
    )
    const bad = await host.call('registrations.update', {
      params: { registrationId: id },
      body: { status: 'PENDING' as never },
    })
    expect(bad.status).toBe(400)
  })

  test('who may only read the registrations is refused with 403', async () => {
    const org = await createOrg(host)
    await addMembers(host, org, bob)
    const permissions = ['activity:read', 'checkin:read']
    ok(await host.post(`/api/orgs/${org.id}/roles`, { name: 'Desk', code: 'DESK', permissions }))
    await setRole(host, org, bob, 'DESK')
    const activity = await openActivity(server, host, {}, { orgId: org.id })
    const { id } = await registered(alice, activity)
    expect((await get(bob, id)).id).toBe(id)
    expect((await change(bob, id, { note: 'mine' })).status).toBe(403)
    expect((await change(mallory, id, { note: 'mine' })).status).toBe(404)
  })

  test('sees and writes notes, which the person never sees', async () => {
    const activity = await openActivity(server, host, {})
    const { id } = await registered(alice, activity)
    ok(await change(host, id, { note: 'Wheelchair' }))
    expect((await get(host, id)).note).toBe('Wheelchair')
    expect((await list(host, activity, { keyword: 'wheel' })).total).toBe(1)
    const answers = [await own(alice, activity), await register(alice, activity)]
    for (const answer of answers) expect(JSON.stringify(answer)).not.toContain('Wheelchair')
    expect((await change(host, id, { name: 'Lin' })).status).toBe(400)
    expect((await change(alice, id, { note: 'mine' })).status).toBe(403)
    expect((await change(mallory, id, { note: 'mine' })).status).toBe(404)
    expect((await mallory.call('registrations.getAny', { params: { registrationId: id } })).status).toBe(404)
    expect((await mallory.call('registrations.cancelAny', { params: { registrationId: id } })).status).toBe(404)
  })

  test.if(inProcess)('puts people at any place of the waiting list', async () => {
    const activity = await openActivity(server, host, { capacity: 1, waitlist: true })
    await addRegistrations(server, activity.id, ['CONFIRMED', 'WAITING', 'WAITING', 'WAITING', 'WAITING', 'WAITING'])
    const waiting = async () =>
      (await list(host, activity, { status: 'WAITING', sort: 'position' })).items.map(({ id, position }) => [
        position,
        id,
      ])
    const before = (await waiting()).map(([, id]) => id!)
    const [a, b, c, d, e] = before as [number, number, number, number, number]
    const expectOrder = async (...ids: number[]) => expect(await waiting()).toEqual(ids.map((id, i) => [i + 1, id]))
    expect(ok(await change(host, e, { position: 2 })).data.position).toBe(2)
    await expectOrder(a, e, b, c, d)
    ok(await change(host, a, { position: 99 }))
    await expectOrder(e, b, c, d, a)
    ok(await change(host, c, { position: -5 }))
    await expectOrder(c, e, b, d, a)
    ok(await change(host, c, { position: 1 }))
    await expectOrder(c, e, b, d, a)
    // So often that no number is left between two of them.
    for (let i = 0; i < 70; i++) ok(await change(host, [b, d][i % 2]!, { position: 2 }))
    await expectOrder(c, d, b, e, a)
    const [first] = (await list(host, activity, { status: 'CONFIRMED' })).items
    expect((await change(host, first!.id, { position: 1 })).status).toBe(400)
    ok(await change(host, first!.id, { status: 'WAITING' }))
    await expectOrder(d, b, e, a, first!.id)
  })

  test('confirms people one by one where registrations need approval', async () => {
    const activity = await openActivity(server, host, { capacity: 2, approval: true })
    const rows = []
    for (const person of [alice, bob, carol]) rows.push(await registered(person, activity))
    expect(rows.map(({ status, position }) => `${status} ${position}`)).toEqual(['WAITING 1', 'WAITING 2', 'WAITING 3'])
    ok(await change(host, rows[2]!.id, { status: 'CONFIRMED' }))
    expect(await stateOf(bob, activity)).toBe('WAITING 2')
    ok(await updateActivity(host, activity.id, { registration: { approval: false } }))
    expect(await stateOf(alice, activity)).toBe('CONFIRMED null')
    expect(await stateOf(bob, activity)).toBe('WAITING 1')
  })
})

test.if(inProcess)('managers and visitors at once confirm exactly the free places', async () => {
  const activity = await openActivity(server, host, { capacity: 15 })
  await addRegistrations(
    server,
    activity.id,
    Array.from({ length: 20 }, () => 'CANCELLED' as const),
  )
  const { items } = await list(host, activity, { size: 100 })
  const answers = await race(40, (i) => {
    if (i % 2 === 1) return register(others[VISITORS[(i - 1) / 2]!]!, activity)
    return change(host, items[i / 2]!.id, { status: 'CONFIRMED', notify: false })
  })
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(15)
  expect(answers.filter(({ status }) => status === 400)).toHaveLength(25)
  expect((await list(host, activity, { status: 'CONFIRMED' })).total).toBe(15)
  const { stats } = ok(await host.call('activities.get', { params: { id: activity.id } })).data
  expect(stats?.registrations).toEqual({ confirmed: 15, waiting: 0 })
})
