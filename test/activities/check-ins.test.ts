/** Checking in: rules of the activity, visibility, limits, races and guesses. */

import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { activityCounters, checkIns, checkInSlots, checkInUsers } from '#db/schema/activities.ts'
import type { CreateCheckIn } from '#domains/activities/check-ins/check-ins.model.ts'
import { CHECK_IN_BUDGET } from '#domains/activities/check-ins/check-ins.rules.ts'
import { insertCheckIns } from '#domains/activities/check-ins/check-ins.store.ts'
import { setOrgStatus } from '#domains/orgs/index.ts'
import { DAY, HOUR, MINUTE } from '#platform/clock.ts'

import { inProcess, ok, type Person, race, startServer, useServer } from '../harness/index.ts'
import { addMembers, createOrg, UNKNOWN_ID } from '../orgs/helpers.ts'
import { checkIn, checkInLink, northOf, openActivity, PLACE, recordsOf, statsOf } from './check-in-helpers.ts'
import { createActivity, getActivity, setStatus } from './helpers.ts'

const { server, alice, bob, carol } = useServer({ people: ['alice', 'bob', 'carol'], noAdmin: true })

/** The numbers of an activity's check-ins, as each table counts them. */
async function counts({ id }: { readonly id: number }) {
  const { read } = server.ctx.db
  const rows = await read.select().from(checkIns).where(eq(checkIns.activityId, id))
  const ofUsers = await read.select().from(checkInUsers).where(eq(checkInUsers.activityId, id))
  const slots = await read.select().from(checkInSlots).where(eq(checkInSlots.activityId, id))
  const [counters] = await read.select().from(activityCounters).where(eq(activityCounters.activityId, id))
  const sum = (list: readonly { count: number }[]) => list.reduce((total, { count }) => total + count, 0)
  return {
    rows: rows.length,
    ofUsers: sum(ofUsers),
    slots: sum(slots),
    checkIns: counters!.checkIns,
    users: [ofUsers.length, counters!.checkedInUsers],
    sequences: rows.map(({ sequence }) => sequence).toSorted((a, b) => a - b),
  }
}
const all = (n: number) => ({ rows: n, ofUsers: n, slots: n, checkIns: n })

/** Sends a check-in that must be refused with 400 for this reason. */
async function refused(person: Person, activity: { readonly id: number }, body: CreateCheckIn, message: string) {
  const reply = await checkIn(person, activity, body)
  expect([reply.status, reply.message]).toEqual([400, message])
}

describe('the rules of an activity', () => {
  test('POST /activities/:id/check-in without rules records a check-in by QR', async () => {
    const activity = await openActivity(server, alice)
    const before = server.clock.now()
    const { data } = ok(await checkIn(bob, activity))
    const { nickname } = ok(await bob.get('/api/auth/userinfo')).data
    expect(data).toEqual({
      id: data.id,
      activityId: activity.id,
      userId: bob.id,
      registrationId: null,
      nickname,
      method: 'QR',
      distance: null,
      sequence: 1,
      checkedInAt: data.checkedInAt,
    })
    expect(data.checkedInAt).toBeGreaterThanOrEqual(before)
    expect(ok(await recordsOf(alice, activity)).data).toMatchObject({ total: 1, items: [data] })
    expect((await getActivity(alice, activity.id)).stats).toMatchObject({ checkIns: 1 })
  })

  test('a radius accepts positions within it, forgives up to 50 m of accuracy, and records whole metres', async () => {
    const activity = await openActivity(server, alice, {
      checkInConfig: { radiusMeters: 100, maxPerUser: 0 },
      ...PLACE,
    })
    await refused(bob, activity, {}, 'Your position is needed to check in here')
    const away = 'You are 149 m away: you can check in within 100 m of the activity'
    await refused(bob, activity, northOf(149), away)
    await refused(bob, activity, { ...northOf(149), accuracy: 48 }, away)
    expect(ok(await checkIn(bob, activity, { ...northOf(149.2), accuracy: 900 })).data).toMatchObject({
      method: 'GPS',
      distance: 149,
      sequence: 1,
    })
    expect(ok(await checkIn(bob, activity, PLACE)).data).toMatchObject({ method: 'GPS', distance: 0, sequence: 2 })
  })

  test('the centre of the radius can be elsewhere than the activity', async () => {
    const checkInConfig = { radiusMeters: 10, latitude: -89.9999, longitude: 179 }
    const activity = await openActivity(server, alice, { checkInConfig, ...PLACE })
    expect((await checkIn(bob, activity, PLACE)).message).toContain('m away')
    const { data } = ok(await checkIn(bob, activity, { latitude: -89.9999, longitude: -179 }))
    expect(data).toMatchObject({ method: 'GPS', distance: 0 })
  })

  test('a short code is compared without case', async () => {
    const activity = await openActivity(server, alice, { checkInConfig: { shortCode: 'Lake7' } })
    await refused(bob, activity, {}, 'Enter the check-in code that is shown at the activity')
    await refused(bob, activity, { shortCode: '' }, 'Enter the check-in code that is shown at the activity')
    await refused(bob, activity, { shortCode: 'lake8' }, 'The check-in code is wrong')
    expect(ok(await checkIn(bob, activity, { shortCode: 'LAKE7' })).data).toMatchObject({
      method: 'CODE',
      distance: null,
    })
  })

  test('with a radius and a short code both are needed', async () => {
    const checkInConfig = { shortCode: '4711', radiusMeters: 50 }
    const activity = await openActivity(server, alice, { checkInConfig, ...PLACE })
    await refused(bob, activity, { shortCode: '4711' }, 'Your position is needed to check in here')
    await refused(bob, activity, PLACE, 'Enter the check-in code that is shown at the activity')
    expect(ok(await checkIn(bob, activity, { ...PLACE, shortCode: '4711' })).data).toMatchObject({
      method: 'CODE',
      distance: 0,
    })
  })

  test.if(inProcess)('the scanned code of the check-in page replaces the short code, but not the radius', async () => {
    const activity = await openActivity(server, alice, { checkInConfig: { shortCode: '4711' } })
    const code = await checkInLink(server, activity)
    expect(ok(await checkIn(bob, activity, { code })).data).toMatchObject({ method: 'QR' })
    expect(ok(await checkIn(carol, activity, { code, shortCode: 'wrong' })).data).toMatchObject({ method: 'QR' })

    const checkInConfig = { shortCode: '4711', radiusMeters: 50 }
    const near = await openActivity(server, alice, { checkInConfig, ...PLACE })
    const its = await checkInLink(server, near)
    await refused(bob, near, { code: its }, 'Your position is needed to check in here')
    await refused(bob, near, { ...PLACE, code }, 'This code does not belong to this activity')
    expect(ok(await checkIn(bob, near, { ...PLACE, code: its })).data).toMatchObject({ method: 'GPS', distance: 0 })
  })

  test('the code of another activity is 400, and other codes of this activity need the short code too', async () => {
    const [one, other] = [
      await openActivity(server, alice, { checkInConfig: { shortCode: '4711' } }),
      await openActivity(server, alice),
    ]
    const message = 'This code does not belong to this activity'
    const foreign = [`activity:${other.id}`, 'https://example.com', 'ABCDEFGHJK', one.uuid, 'activity:']
    for (const code of foreign) await refused(bob, one, { code, shortCode: '4711' }, message)
    await refused(bob, one, { code: `activity:${one.id}` }, 'Enter the check-in code that is shown at the activity')
    ok(await checkIn(bob, one, { code: `activity:${one.id}`, shortCode: '4711' }))
    ok(await checkIn(bob, other, { code: ` ${one.qrContent!.replace(String(one.id), String(other.id))} ` }))
  })

  test('each state of the activity refuses with a sentence of its own, in both languages', async () => {
    const sentences = new Map<string, string>()
    const expectRefusal = async (activity: { id: number }, en: string, zh: string) => {
      await refused(alice, activity, {}, en)
      const headers = { 'accept-language': 'zh-CN' }
      const path = `/api/activities/${activity.id}/check-in`
      const reply = await alice.send('POST', path, { body: {}, headers })
      expect([reply.status, reply.message]).toEqual([400, zh])
      sentences.set(en, zh)
    }
    const now = server.clock.now()
    await expectRefusal(
      await openActivity(server, alice, { hasCheckIn: false }),
      'This activity has no check-in',
      '该活动未开启签到',
    )
    await expectRefusal(
      await openActivity(server, alice, { status: 'DRAFT' }),
      'This activity has not been published yet',
      '该活动尚未发布',
    )
    await expectRefusal(
      await openActivity(server, alice, { status: 'ENDED' }),
      'This activity has ended',
      '该活动已结束',
    )
    await expectRefusal(
      await openActivity(server, alice, { status: 'CANCELLED' }),
      'This activity was cancelled',
      '该活动已取消',
    )
    const later = await openActivity(server, alice, { checkInConfig: { opensAt: now + HOUR } })
    await expectRefusal(later, 'Check-in has not opened yet', '签到尚未开始')
    const past = await openActivity(server, alice, { startTime: now - 2 * DAY, endTime: now - DAY })
    await expectRefusal(past, 'Check-in has closed', '签到已截止')
    const closed = await openActivity(server, alice, { checkInConfig: { closesAt: now - 1 } })
    await expectRefusal(closed, 'Check-in has closed', '签到已截止')
    // An activity that has not started yet takes check-ins as soon as it is ACTIVE.
    ok(await checkIn(bob, await openActivity(server, alice, { startTime: now + HOUR })))
    expect(sentences.size).toBe(6)
  })

  test.if(inProcess)('check-in opens and closes by the clock', async () => {
    await using timed = await startServer({ noAdmin: true })
    const [host, guest] = [await timed.person(), await timed.person()]
    const opensAt = timed.clock.now() + HOUR
    const checkInConfig = { opensAt, closesAt: opensAt + HOUR, maxPerUser: 0 }
    const activity = await openActivity(timed, host, { checkInConfig })
    expect((await checkIn(guest, activity)).message).toBe('Check-in has not opened yet')
    timed.clock.advance(HOUR)
    ok(await checkIn(guest, activity))
    timed.clock.advance(HOUR - MINUTE)
    expect(ok(await checkIn(guest, activity)).data.sequence).toBe(2)
    timed.clock.advance(2 * MINUTE)
    expect((await checkIn(guest, activity)).message).toBe('Check-in has closed')
    expect(ok(await recordsOf(host, activity)).data.total).toBe(2)
  })

  test('an activity that ends stops taking check-ins, and a deleted one is 404', async () => {
    const activity = await openActivity(server, alice, { checkInConfig: { maxPerUser: 0 } })
    ok(await checkIn(bob, activity))
    await setStatus(alice, activity.id, 'ENDED')
    await refused(bob, activity, {}, 'This activity has ended')
    expect(ok(await recordsOf(alice, activity)).data.total).toBe(1)
    ok(await alice.call('activities.delete', { params: { id: activity.id } }))
    expect((await checkIn(bob, activity)).status).toBe(404)
    expect((await recordsOf(alice, activity)).status).toBe(404)
    expect((await statsOf(alice, activity)).status).toBe(404)
  })

  test('invalid bodies are 400 and record nothing', async () => {
    const activity = await openActivity(server, alice)
    const path = `/api/activities/${activity.id}/check-in`
    for (const body of [
      { latitude: 30 },
      { longitude: 120 },
      { latitude: 91, longitude: 0 },
      { latitude: 0, longitude: -180.1 },
      { latitude: '', longitude: 'x' },
      { ...PLACE, accuracy: -1 },
      { ...PLACE, accuracy: 'near' },
      { shortCode: 4711 },
      { shortCode: 'x'.repeat(1000) },
      { code: 'x'.repeat(2001) },
      { code: 'a\u0000b' },
      { inviteCode: {} },
    ])
      expect([body, (await bob.post(path, body)).status]).toEqual([body, 400])
    expect((await server.request('POST', path, { body: {} })).status).toBe(401)
    expect(ok(await recordsOf(alice, activity)).data.total).toBe(0)
    // Null stands for absent.
    const nothing = { latitude: null, longitude: null, accuracy: null, shortCode: null, code: null, inviteCode: null }
    ok(await bob.post(path, nothing))
  })
})

describe('visibility', () => {
  test('an INVITE_ONLY activity needs its invite code, in any form in which a user can have it', async () => {
    const fields = { visibility: 'INVITE_ONLY', checkInConfig: { maxPerUser: 0 } } as const
    const activity = await openActivity(server, alice, fields)
    const other = await openActivity(server, alice, fields)
    const inviteCode = activity.inviteCode!
    const wrong = [
      {},
      { inviteCode: other.inviteCode },
      { code: other.qrContent },
      { code: `activity:${activity.id}` },
      { code: `activity:${other.id}:${inviteCode}` },
      { shortCode: inviteCode },
    ]
    for (const body of wrong) expect([body, (await checkIn(bob, activity, body)).status]).toEqual([body, 403])
    expect(ok(await recordsOf(alice, activity)).data.total).toBe(0)
    const right = [{ inviteCode }, { code: inviteCode.toLowerCase() }, { code: activity.qrContent }]
    for (const body of right) ok(await checkIn(bob, activity, body))
    // The code is not remembered.
    expect((await checkIn(bob, activity)).status).toBe(403)
    expect((await recordsOf(bob, activity)).status).toBe(403)
    expect(ok(await recordsOf(bob, activity, { code: inviteCode })).data.total).toBe(right.length)
    // The manager needs none.
    ok(await checkIn(alice, activity))
  })

  test.if(inProcess)(
    'the landing link opens an INVITE_ONLY activity, and the check-in link alone does not',
    async () => {
      const fields = { visibility: 'INVITE_ONLY', checkInConfig: { shortCode: '4711' } } as const
      const activity = await openActivity(server, alice, fields)
      const page = `${server.ctx.config.publicUrl}/s/activity/${activity.uuid}`
      const checkInPage = await checkInLink(server, activity)
      expect((await checkIn(bob, activity, { code: page, shortCode: '4711' })).status).toBe(403)
      expect((await checkIn(bob, activity, { code: checkInPage })).status).toBe(403)
      ok(await checkIn(bob, activity, { code: `${page}?code=${activity.inviteCode}`, shortCode: '4711' }))
      ok(await checkIn(carol, activity, { code: checkInPage, inviteCode: activity.inviteCode }))
    },
  )

  test('a RESTRICTED activity is for members, a DRAFT for managers, and others get 404', async () => {
    const org = await createOrg(alice)
    await addMembers(alice, org, bob)
    const activity = await openActivity(server, alice, { orgId: org.id, visibility: 'RESTRICTED' })
    expect((await checkIn(carol, activity)).status).toBe(404)
    ok(await checkIn(bob, activity))
    const ofMember = await createActivity(alice, { orgId: org.id, visibility: 'RESTRICTED', hasCheckIn: true })
    expect((await checkIn(bob, ofMember)).status).toBe(404)
    await refused(alice, ofMember, {}, 'This activity has not been published yet')
    expect((await checkIn(bob, { id: UNKNOWN_ID })).status).toBe(404)
    // Another organization, and an organization of which the caller is not a member.
    const body = { orgId: (await createOrg(alice)).id }
    expect((await checkIn(alice, activity, body)).status).toBe(404)
    expect((await checkIn(bob, activity, body)).status).toBe(403)
    ok(await checkIn(alice, activity, { orgId: org.id }))
    expect(ok(await recordsOf(alice, activity)).data.total).toBe(2)
  })

  test.if(inProcess)('activities of a disabled organization take no check-ins: 403', async () => {
    const org = await createOrg(alice)
    await addMembers(alice, org, bob)
    const activity = await openActivity(server, alice, { orgId: org.id })
    ok(await checkIn(bob, activity))
    await server.ctx.db.write('test', (tx) => setOrgStatus(server.ctx, tx, org.id, 'DISABLED'))
    for (const person of [alice, bob, carol]) expect((await checkIn(person, activity)).status).toBe(403)
    expect(ok(await recordsOf(bob, activity)).data.total).toBe(1)
  })
})

describe('limits', () => {
  test('a user can check in as often as the activity allows', async () => {
    const [once, thrice] = [
      await openActivity(server, alice),
      await openActivity(server, alice, { checkInConfig: { maxPerUser: 3 } }),
    ]
    ok(await checkIn(bob, once))
    await refused(bob, once, {}, 'You have already checked in')
    for (const sequence of [1, 2, 3]) expect(ok(await checkIn(bob, thrice)).data.sequence).toBe(sequence)
    await refused(bob, thrice, {}, 'You have already checked in 3 times, which is the limit')
    expect(ok(await checkIn(carol, thrice)).data.sequence).toBe(1)
  })

  for (const maxPerUser of [1, 3])
    test.if(inProcess)(`of 50 check-ins of one user at once, ${maxPerUser} count`, async () => {
      const activity = await openActivity(server, alice, { checkInConfig: { maxPerUser } })
      const replies = await race(50, () => checkIn(bob, activity))
      const accepted = replies.filter(({ status }) => status === 200)
      expect(accepted.map(({ data }) => data.sequence).toSorted()).toEqual([1, 2, 3].slice(0, maxPerUser))
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 400]))
      const message =
        maxPerUser === 1
          ? 'You have already checked in'
          : `You have already checked in ${maxPerUser} times, which is the limit`
      for (const { status, message: given } of replies) if (status === 400) expect(given).toBe(message)
      expect(await counts(activity)).toEqual({
        ...all(maxPerUser),
        users: [1, 1],
        sequences: [1, 2, 3].slice(0, maxPerUser),
      })
    })

  test.if(inProcess)('50 users who check in twice at once count once each', async () => {
    const people: Person[] = []
    for (let i = 0; i < 50; i++) people.push(await server.person())
    const activity = await openActivity(server, alice)
    const replies = await race(100, (i) => checkIn(people[i % 50]!, activity))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(50)
    expect(replies.filter(({ status }) => status === 400)).toHaveLength(50)
    expect(await counts(activity)).toEqual({
      ...all(50),
      users: [50, 50],
      sequences: Array.from({ length: 50 }, () => 1),
    })
    const { data } = ok(await recordsOf(alice, activity, { size: 100 }))
    expect(new Set(data.items.map(({ userId }) => userId)).size).toBe(50)
  })

  test.if(inProcess)('check-ins while the activity ends are recorded before the end or refused', async () => {
    const people: Person[] = []
    for (let i = 0; i < 20; i++) people.push(await server.person())
    const activity = await openActivity(server, alice)
    const [replies] = await Promise.all([
      race(20, (i) => checkIn(people[i]!, activity)),
      setStatus(alice, activity.id, 'ENDED'),
    ])
    for (const { status, message } of replies)
      expect([200, 'This activity has ended']).toContain(status === 200 ? 200 : message)
    const accepted = replies.filter(({ status }) => status === 200).length
    // A check-in that was decided on before the end and is written after it.
    const late = { activityId: activity.id, userId: alice.id, max: 1, registeredOnly: false }
    const written = server.ctx.db.write('test', (tx) => insertCheckIns(tx, [{ ...late, method: 'QR', distance: null }]))
    expect(await written).toEqual([undefined])
    expect(await counts(activity)).toMatchObject({ ...all(accepted), users: [accepted, accepted] })
  })

  test('after 20 wrong short codes in a minute from an address, right ones are 429 too, and check-in without a code goes on', async () => {
    await using limited = await startServer({ noAdmin: true, rateLimit: true })
    const host = await limited.person()
    const [activity, another, open] = [
      await openActivity(limited, host, { checkInConfig: { shortCode: '4711' } }),
      await openActivity(limited, host, { checkInConfig: { shortCode: '0815' } }),
      await openActivity(limited, host),
    ]
    const guests = [await limited.person(), await limited.person(), await limited.person()]
    // Right codes are not counted: a queue of visitors shares the address of the venue.
    ok(await checkIn(guests[2]!, activity, { shortCode: '4711' }))
    for (let i = 0; i < 20; i++) {
      const reply = await checkIn(guests[i % 2]!, i < 10 ? activity : another, { shortCode: `wrong${i}` })
      expect([i, reply.status]).toEqual([i, 400])
    }
    for (const shortCode of ['wrong', '4711']) {
      const reply = await checkIn(guests[0]!, activity, { shortCode })
      expect([reply.status, reply.code, Number(reply.headers.get('retry-after')) > 0]).toEqual([429, 4022, true])
    }
    ok(await checkIn(guests[0]!, open, { shortCode: 'any' }))
    expect(ok(await recordsOf(host, activity)).data.total).toBe(1)
    if (!inProcess) return
    limited.clock.advance(MINUTE)
    ok(await checkIn(guests[0]!, activity, { shortCode: '4711' }))
  })

  test('a user can try a limited number of check-ins in an hour, also if the activity allows any number', async () => {
    await using limited = await startServer({ noAdmin: true, rateLimit: true })
    const [host, guest] = [await limited.person(), await limited.person()]
    const activity = await openActivity(limited, host, { checkInConfig: { maxPerUser: 0 } })
    for (let i = 0; i < CHECK_IN_BUDGET.limit; i++) ok(await checkIn(guest, activity))
    const reply = await checkIn(guest, activity)
    expect([reply.status, reply.code]).toEqual([429, 4022])
    ok(await checkIn(host, activity))
    expect(ok(await recordsOf(host, activity)).data.total).toBe(CHECK_IN_BUDGET.limit + 1)
  })
})
