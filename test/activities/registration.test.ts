import { describe, expect, test } from 'bun:test'

import { setOrgStatus } from '#domains/orgs/index.ts'
import { HOUR } from '#platform/clock.ts'

import { inProcess, ok, startServer, useServer } from '../harness/index.ts'
import { addMembers, createOrg, leave } from '../orgs/helpers.ts'
import { setStatus, update } from './helpers.ts'
import { cancel, expectSound, list, openActivity, own, placesNotified, register, stateOf } from './registering.ts'

const { server, host, alice, bob, carol, dave } = useServer({ people: ['host', 'alice', 'bob', 'carol', 'dave'] })

const QUESTIONS = [
  { key: 'size', label: 'Size of the T-shirt', required: true },
  { key: 'note', label: 'Anything else?' },
]

describe('a user who registers', () => {
  test('gets a place, which the user and the managers see', async () => {
    const activity = await openActivity(server, host)
    const registration = ok(await register(alice, activity)).data
    expect(registration).toMatchObject({ userId: alice.id, status: 'CONFIRMED', position: null, answers: {} })
    expect(ok(await own(alice, activity)).data).toEqual(registration)
    const { items, total } = await list(host, activity)
    expect(total).toBe(1)
    expect(items).toMatchObject([{ ...registration, nickname: expect.any(String), pass: null, checkedInAt: null }])
    await expectSound(host, activity, 0)
  })

  test('twice keeps the same registration', async () => {
    const activity = await openActivity(server, host, { capacity: 1 })
    const first = ok(await register(alice, activity)).data
    expect(ok(await register(alice, activity)).data).toEqual(first)
    expect((await list(host, activity)).total).toBe(1)
    await expectSound(host, activity, 1)
  })

  test('is refused when all places are taken and there is no waiting list', async () => {
    const activity = await openActivity(server, host, { capacity: 1 })
    ok(await register(alice, activity))
    const refused = await register(bob, activity)
    expect([refused.status, refused.message]).toEqual([400, 'All places of this activity are taken'])
    expect((await own(bob, activity)).status).toBe(404)
    await expectSound(host, activity, 1)
  })

  test('takes a place as a manager, too', async () => {
    const activity = await openActivity(server, host, { capacity: 1 })
    expect(ok(await register(host, activity)).data.status).toBe('CONFIRMED')
    expect((await register(alice, activity)).status).toBe(400)
  })
})

describe('the waiting list', () => {
  test('moves up in its order when places become free, and notifies the users', async () => {
    const activity = await openActivity(server, host, { capacity: 1, waitlist: true })
    const states = () => Promise.all([alice, bob, carol, dave].map((user) => stateOf(user, activity)))
    for (const user of [alice, bob, carol, dave]) ok(await register(user, activity))
    expect(await states()).toEqual(['CONFIRMED null', 'WAITING 1', 'WAITING 2', 'WAITING 3'])

    ok(await cancel(carol, activity))
    expect(await states()).toEqual(['CONFIRMED null', 'WAITING 1', 'CANCELLED null', 'WAITING 2'])
    expect(await placesNotified(bob, activity)).toBe(0)

    ok(await cancel(alice, activity))
    expect(await states()).toEqual(['CANCELLED null', 'CONFIRMED null', 'CANCELLED null', 'WAITING 1'])
    expect(await placesNotified(bob, activity)).toBe(1)
    expect(await placesNotified(dave, activity)).toBe(0)
    await expectSound(host, activity, 1)
  })

  test('takes users who cancelled and register again at its end', async () => {
    const activity = await openActivity(server, host, { capacity: 1, waitlist: true })
    for (const user of [alice, bob, carol]) ok(await register(user, activity))
    const before = ok(await own(bob, activity)).data
    ok(await cancel(bob, activity))
    const again = ok(await register(bob, activity)).data
    expect(again).toMatchObject({ id: before.id, status: 'WAITING', position: 2 })
    expect(again.createdAt).toBeGreaterThan(before.createdAt)
    expect(await stateOf(carol, activity)).toBe('WAITING 1')
    await expectSound(host, activity, 1)
  })

  test('has one notification for a user who gets a place again and again', async () => {
    const activity = await openActivity(server, host, { capacity: 1, waitlist: true })
    ok(await register(alice, activity))
    for (let i = 0; i < 3; i++) {
      ok(await register(bob, activity))
      ok(await cancel(alice, activity))
      expect(await stateOf(bob, activity)).toBe('CONFIRMED null')
      ok(await register(alice, activity))
      ok(await cancel(bob, activity))
    }
    expect(await placesNotified(bob, activity)).toBe(1)
  })

  test('moves up as far as the capacity is raised, and stays when it is lowered', async () => {
    const activity = await openActivity(server, host, { capacity: 1, waitlist: true })
    for (const user of [alice, bob, carol, dave]) ok(await register(user, activity))
    ok(await update(host, activity.id, { registration: { capacity: 3 } }))
    const states = () => Promise.all([alice, bob, carol, dave].map((user) => stateOf(user, activity)))
    const raised = ['CONFIRMED null', 'CONFIRMED null', 'CONFIRMED null', 'WAITING 1']
    expect(await states()).toEqual(raised)
    ok(await update(host, activity.id, { registration: { capacity: 1 } }))
    expect(await states()).toEqual(raised)
    ok(await cancel(alice, activity))
    expect(await stateOf(dave, activity)).toBe('WAITING 1')
    ok(await cancel(bob, activity))
    ok(await cancel(carol, activity))
    expect(await stateOf(dave, activity)).toBe('CONFIRMED null')
    await expectSound(host, activity, 1)
  })
})

describe('a cancellation', () => {
  test('has no effect when it is repeated', async () => {
    const activity = await openActivity(server, host, { capacity: 1, waitlist: true })
    for (const user of [alice, bob, carol]) ok(await register(user, activity))
    const first = ok(await cancel(alice, activity)).data
    expect(first).toMatchObject({ status: 'CANCELLED', position: null })
    expect(ok(await cancel(alice, activity)).data).toEqual(first)
    expect(await stateOf(carol, activity)).toBe('WAITING 1')
    await expectSound(host, activity, 1)
  })

  test('without a registration answers 404', async () => {
    const activity = await openActivity(server, host)
    expect((await cancel(alice, activity)).status).toBe(404)
    expect((await cancel(alice, { id: 999_999_999 })).status).toBe(404)
  })

  test('of an activity that is over is refused, and repeated ones are not', async () => {
    const activity = await openActivity(server, host)
    for (const user of [alice, bob]) ok(await register(user, activity))
    ok(await cancel(bob, activity))
    await setStatus(host, activity.id, 'ENDED')
    expect((await cancel(alice, activity)).status).toBe(400)
    expect(await stateOf(alice, activity)).toBe('CONFIRMED null')
    expect((await cancel(bob, activity)).status).toBe(200)
  })
})

describe('the time of registration', () => {
  test('registration is refused for activities that have none', async () => {
    const activity = await openActivity(server, host, null)
    const refused = await register(alice, activity)
    expect([refused.status, refused.message]).toEqual([400, 'This activity has no registration'])
  })

  test('registration is open only while the activity is ACTIVE', async () => {
    const activity = await openActivity(server, host, {}, { status: 'DRAFT' })
    expect((await register(host, activity)).status).toBe(400)
    expect((await register(alice, activity)).status).toBe(404)
    await setStatus(host, activity.id, 'ACTIVE')
    const registration = ok(await register(alice, activity)).data
    await setStatus(host, activity.id, 'CANCELLED')
    expect((await register(bob, activity)).status).toBe(400)
    expect(ok(await register(alice, activity)).data).toEqual(registration)
  })

  test.if(inProcess)('registration is open from opensAt to closesAt', async () => {
    const world = await startServer({ noAdmin: true })
    try {
      const [owner, user] = [await world.person(), await world.person()]
      const now = world.clock.now()
      const activity = await openActivity(world, owner, { opensAt: now + HOUR, closesAt: now + 2 * HOUR })
      const attempt = async () => {
        const { status, message } = await register(user, activity)
        return status === 200 ? 200 : `${status} ${message}`
      }
      expect(await attempt()).toBe('400 Registration for this activity is not open yet')
      world.clock.advance(HOUR)
      expect(await attempt()).toBe(200)
      ok(await cancel(user, activity))
      world.clock.advance(HOUR)
      expect(await attempt()).toBe('400 Registration for this activity is closed')
      expect(await stateOf(user, activity)).toBe('CANCELLED null')
    } finally {
      await world.stop()
    }
  })

  test.if(inProcess)('registration without closesAt is open until the activity starts', async () => {
    const world = await startServer({ noAdmin: true })
    try {
      const [owner, user, late] = [await world.person(), await world.person(), await world.person()]
      const startTime = world.clock.now() + HOUR
      const times = { startTime, endTime: startTime + HOUR }
      const activity = await openActivity(world, owner, { capacity: 1, waitlist: true }, times)
      for (const person of [user, owner]) ok(await register(person, activity))
      world.clock.advance(HOUR)
      expect((await register(late, activity)).status).toBe(400)
      // Users on the waiting list still get places that become free.
      ok(await cancel(user, activity))
      expect(await stateOf(owner, activity)).toBe('CONFIRMED null')
    } finally {
      await world.stop()
    }
  })
})

describe('answers', () => {
  test('are kept, trimmed, and replaced when the user registers again', async () => {
    const activity = await openActivity(server, host, { questions: QUESTIONS })
    const first = ok(await register(alice, activity, { answers: { size: ' M ', note: '' } })).data
    expect(first.answers).toEqual({ size: 'M' })
    expect(ok(await register(alice, activity)).data.answers).toEqual({ size: 'M' })
    const changed = ok(await register(alice, activity, { answers: { size: 'L', note: 'two\nlines' } })).data
    expect(changed).toEqual({ ...first, answers: { size: 'L', note: 'two\nlines' } })
    expect((await list(host, activity)).items[0]!.answers).toEqual(changed.answers)
  })

  test('stay as they are when registration is closed', async () => {
    const activity = await openActivity(server, host, { questions: QUESTIONS })
    const first = ok(await register(alice, activity, { answers: { size: 'M' } })).data
    ok(await update(host, activity.id, { registration: { closesAt: server.clock.now() - 1 } }))
    expect(ok(await register(alice, activity, { answers: { size: 'L' } })).data).toEqual(first)
  })

  const refused: [string, Record<string, string>, string[]][] = [
    ['without a required one', {}, ['body.answers.size']],
    ['with a required one of spaces', { size: '  ' }, ['body.answers.size']],
    ['to unknown questions', { size: 'M', colour: 'red' }, ['body.answers.colour']],
    ['to __proto__', JSON.parse('{"size":"M","__proto__":"x"}'), ['body.answers.__proto__']],
    ['that are too long', { size: 'M', note: 'x'.repeat(1001) }, ['body.answers.note']],
    ['with control characters', { size: 'M\u0007' }, ['body.answers.size']],
  ]
  for (const [name, answers, paths] of refused)
    test(`${name} are refused and take no place`, async () => {
      const activity = await openActivity(server, host, { capacity: 1, questions: QUESTIONS })
      const reply = await register(alice, activity, { answers })
      expect([reply.status, reply.details?.map((detail) => detail.path)]).toEqual([400, paths])
      expect((await list(host, activity)).total).toBe(0)
      await expectSound(host, activity, 1)
    })

  test('are refused if they are not strings', async () => {
    const activity = await openActivity(server, host, { questions: QUESTIONS })
    for (const answers of [{ size: 1 }, { size: null }, ['M'], 'M'])
      expect((await alice.post(`/api/activities/${activity.id}/registration`, { answers })).status).toBe(400)
    expect((await list(host, activity)).total).toBe(0)
  })
})

describe('permission to register', () => {
  test('users need the invite code to register for an INVITE_ONLY activity, and never again afterwards', async () => {
    const activity = await openActivity(server, host, {}, { visibility: 'INVITE_ONLY' })
    const code = activity.inviteCode!
    expect((await register(alice, activity)).status).toBe(403)
    expect((await register(alice, activity, { inviteCode: 'AAAAAAAAAA' })).status).toBe(403)
    expect((await own(alice, activity)).status).toBe(403)
    expect((await own(alice, activity, code)).status).toBe(404)
    expect((await cancel(alice, activity)).status).toBe(403)
    expect((await list(host, activity)).total).toBe(0)
    ok(await register(alice, activity, { inviteCode: code }))
    ok(await register(bob, activity, { code }))
    ok(await host.call('activities.resetInviteCode', { params: { id: activity.id } }))
    expect(await stateOf(alice, activity)).toBe('CONFIRMED null')
    expect(ok(await cancel(alice, activity)).data.status).toBe('CANCELLED')
    expect((await register(alice, activity, { inviteCode: code })).status).toBe(403)
  })

  test('only members can register for a RESTRICTED activity, and their places become free when they leave', async () => {
    const org = await createOrg(host)
    await addMembers(host, org, alice, bob)
    const fields = { orgId: org.id, visibility: 'RESTRICTED' as const }
    const activity = await openActivity(server, host, { capacity: 1, waitlist: true }, fields)
    const open = await openActivity(server, host, {}, { orgId: org.id })
    expect((await register(carol, activity)).status).toBe(404)
    ok(await register(alice, activity))
    ok(await register(bob, activity))
    ok(await register(alice, open))
    ok(await leave(alice, org))
    expect(await stateOf(alice, activity)).toBe('CANCELLED null')
    expect(await stateOf(bob, activity)).toBe('CONFIRMED null')
    expect(await placesNotified(bob, activity)).toBe(1)
    // Users need not be members for this one.
    expect(await stateOf(alice, open)).toBe('CONFIRMED null')
    await expectSound(host, activity, 1)
  })

  test('only members of the organization in orgId can register, if it owns the activity', async () => {
    const [org, elsewhere] = [await createOrg(host), await createOrg(carol)]
    await addMembers(host, org, alice)
    const activity = await openActivity(server, host, {}, { orgId: org.id, visibility: 'RESTRICTED' })
    const personal = await openActivity(server, alice)
    ok(await register(alice, personal))
    for (const method of ['POST', 'GET', 'DELETE'] as const) {
      const statusFor = async (user: typeof alice, { id }: { id: number }, orgId: number) =>
        (await user.send(method, `/api/activities/${id}/registration`, { query: { orgId } })).status
      expect(await statusFor(carol, activity, org.id)).toBe(403)
      expect(await statusFor(carol, activity, elsewhere.id)).toBe(404)
      expect(await statusFor(alice, personal, org.id)).toBe(404)
      expect(await statusFor(alice, activity, org.id)).toBe(200)
    }
    expect(await stateOf(alice, personal)).toBe('CONFIRMED null')
  })

  test('nobody can register without a token', async () => {
    const activity = await openActivity(server, host)
    for (const method of ['POST', 'GET', 'DELETE'] as const)
      expect((await server.request(method, `/api/activities/${activity.id}/registration`)).status).toBe(401)
    expect((await server.request('GET', `/api/activities/${activity.id}/registrations`)).status).toBe(401)
  })

  // The console has no operation for it yet, so the test calls the function that it will use.
  test.if(inProcess)('nobody can register or cancel while the organization is DISABLED', async () => {
    const org = await createOrg(host)
    const activity = await openActivity(server, host, {}, { orgId: org.id })
    ok(await register(alice, activity))
    await server.ctx.db.write('test', (tx) => setOrgStatus(server.ctx, tx, org.id, 'DISABLED'))
    expect((await register(bob, activity)).status).toBe(403)
    expect((await cancel(alice, activity)).status).toBe(403)
    expect(await stateOf(alice, activity)).toBe('CONFIRMED null')
  })
})

test('a deleted account frees its places and loses its answers', async () => {
  const activity = await openActivity(server, host, { capacity: 1, waitlist: true, questions: QUESTIONS })
  const leaving = await server.person()
  ok(await register(leaving, activity, { answers: { size: 'secret-size' } }))
  ok(await register(bob, activity, { answers: { size: 'M' } }))
  ok(await leaving.post('/api/auth/account/delete'))
  expect(await stateOf(bob, activity)).toBe('CONFIRMED null')
  expect(await placesNotified(bob, activity)).toBe(1)
  const { items } = await list(host, activity)
  expect(items.find((item) => item.userId === leaving.id)).toMatchObject({ status: 'CANCELLED', answers: {} })
  await expectSound(host, activity, 1)
})

test('a deleted activity answers 404 to its registered users', async () => {
  const activity = await openActivity(server, host)
  ok(await register(alice, activity))
  await setStatus(host, activity.id, 'ENDED')
  ok(await host.call('activities.delete', { params: { id: activity.id } }))
  expect((await own(alice, activity)).status).toBe(404)
  expect((await cancel(alice, activity)).status).toBe(404)
  expect((await register(alice, activity)).status).toBe(404)
})

test('an account can register and cancel 60 times an hour', async () => {
  const world = await startServer({ noAdmin: true, rateLimit: true })
  try {
    const [owner, user] = [await world.person(), await world.person()]
    const activity = await openActivity(world, owner)
    for (let i = 0; i < 30; i++) {
      ok(await register(user, activity))
      ok(await cancel(user, activity))
    }
    expect((await register(user, activity)).status).toBe(429)
    expect(await stateOf(user, activity)).toBe('CANCELLED null')
    expect((await register(owner, activity)).status).toBe(200)
  } finally {
    await world.stop()
  }
})
