/** Issuing passes, singly and in bulk. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { REPEATED_PASSES } from '#domains/activities/pass-issues/pass-issues.model.ts'
import { decodeToken } from '#domains/activities/pass-keys/pass-keys.rules.ts'
import { verifyToken } from '#domains/activities/pass-keys/pass-keys.service.ts'
import { usesOf } from '#http/budget.ts'
import { DAY } from '#platform/clock.ts'

import { inProcess, ok, type Person, race, startServer, useServer } from '../harness/index.ts'
import { addMembers, createOrg, type Org, setRole } from '../orgs/helpers.ts'
import { createActivity, getActivity, setStatus } from './helpers.ts'
import { createTemplate, guests, issue, issued, withPasses } from './pass-helpers.ts'

const { server, alice, bob, carol, mallory } = useServer({ people: ['alice', 'bob', 'carol', 'mallory'] })
let org: Org

beforeAll(async () => {
  org = await createOrg(alice)
  await addMembers(alice, org, bob, carol)
})

const passesOf = async (id: number): Promise<number> => (await getActivity(alice, id)).stats?.passes ?? -1

const notificationsOf = async (person: Person) =>
  ok(await person.call('notifications.list', { query: { size: 100 } })).data.items.filter(
    ({ data }) => 'activityId' in data,
  )

describe('One pass', () => {
  test('is issued to a user, who is notified once for each activity', async () => {
    const { id } = await withPasses(alice, { name: 'Concert' })
    const before = (await notificationsOf(bob)).length
    const [pass] = await issued(alice, id, { userId: bob.id })
    expect(pass).toEqual({
      id: expect.any(Number),
      uuid: expect.stringMatching(/^[\da-f-]{36}$/),
      activityId: id,
      templateId: null,
      holderUserId: bob.id,
      holderName: expect.any(String),
      fields: [],
      color: null,
      status: 'ISSUED',
      validFrom: null,
      validTo: expect.any(Number),
      followsActivity: true,
      maxUses: 1,
      usedCount: 0,
      lastUsedAt: null,
      revokedAt: null,
      revokeReason: null,
      qrContent: expect.stringMatching(/^HTTP:\/\/[A-Z\d.:]+\/S\/PASS\/[A-Z2-7]{154}$/),
      publicUrl: expect.stringContaining(`/s/pass/${pass!.uuid}`),
      createdAt: expect.any(Number),
    })
    const notifications = await notificationsOf(bob)
    expect(notifications).toHaveLength(before + 1)
    expect(notifications[0]).toMatchObject({ type: 'SYSTEM', title: 'Your pass for Concert', data: { activityId: id } })
    expect(await passesOf(id)).toBe(1)
  })

  test.if(inProcess)('has a content that its key verifies, with the validity of the pass', async () => {
    const { id, endTime } = await withPasses(alice)
    const validFrom = endTime - 7 * DAY
    const [pass] = await issued(alice, id, { holderName: '王小明', validFrom, validTo: endTime })
    const token = decodeToken(pass!.qrContent!)!
    expect(token).toMatchObject({ uuid: pass!.uuid, activityId: id })
    expect([token.validFrom! - validFrom, endTime - token.validTo!].every((ms) => ms >= 0 && ms < 1000)).toBe(true)
    expect(await verifyToken(server.ctx, token)).toBe(true)
  })

  test('takes a name and fields for a guest without an account', async () => {
    const { id } = await withPasses(alice)
    const [pass] = await issued(alice, id, { holderName: ' 王小明 ', fields: { Seat: 'A 1', Table: '' } })
    expect(pass).toMatchObject({
      holderUserId: null,
      holderName: '王小明',
      fields: [{ key: 'Seat', label: 'Seat', value: 'A 1' }],
    })
  })
})

describe('The values of a pass', () => {
  test('come from the request, then the template, then the activity', async () => {
    const endTime = Date.now() + 90 * DAY
    const template = await createTemplate(alice, {
      color: '#1F6FEB',
      fields: [
        { key: 'seat', label: 'Seat' },
        { key: 'row', label: 'Row' },
      ],
      validTo: endTime - DAY,
      maxUses: 5,
    })
    const config = { validFrom: endTime - 80 * DAY, validTo: endTime - 2 * DAY, maxUses: 3 }
    const { id } = await withPasses(alice, { endTime, passConfig: config })
    const [plain] = await issued(alice, id, { holderName: 'plain' })
    expect(plain).toMatchObject({ ...config, templateId: null })

    const holders = [{ name: 'with', fields: { row: '4', seat: '12' } }]
    const [byTemplate] = await issued(alice, id, { holders, templateId: template.id })
    expect(byTemplate).toMatchObject({
      templateId: template.id,
      color: '#1f6feb',
      fields: [
        { key: 'seat', label: 'Seat', value: '12' },
        { key: 'row', label: 'Row', value: '4' },
      ],
      validFrom: config.validFrom,
      validTo: endTime - DAY,
      maxUses: 5,
    })

    const given = { validFrom: endTime - 5 * DAY, validTo: endTime - 4 * DAY, maxUses: 0 }
    expect((await issued(alice, id, { holders, templateId: template.id, ...given }))[0]).toMatchObject(given)
  })

  test('are those of the template of the activity, whose days count from the issue', async () => {
    const template = await createTemplate(alice, { validDays: 3 })
    const { id } = await withPasses(alice, { passConfig: { templateId: template.id } })
    const before = Date.now()
    const [pass] = await issued(alice, id, { holderName: 'A' })
    expect(pass).toMatchObject({ templateId: template.id, validFrom: null, maxUses: 1 })
    expect(pass!.validTo! - 3 * DAY).toBeGreaterThanOrEqual(before - 1000)
    expect(pass!.validTo! - 3 * DAY).toBeLessThan(before + 600_000)
    const validFrom = before + 10 * DAY
    expect((await issued(alice, id, { holderName: 'B', validFrom }))[0]!.validTo).toBe(validFrom + 3 * DAY)
  })

  test('are by default one use until the end of the activity', async () => {
    const { id, endTime } = await withPasses(alice)
    expect((await issued(alice, id, { holderName: 'A' }))[0]).toMatchObject({
      validFrom: null,
      validTo: endTime,
      maxUses: 1,
    })
  })

  test('a pass whose validity has ended is EXPIRED, and does not keep its holder from a new one', async () => {
    const { id } = await withPasses(alice)
    const [old] = await issued(alice, id, { userId: bob.id, validTo: Date.now() - 60_000 })
    expect(old!.status).toBe('EXPIRED')
    expect((await issued(alice, id, { userId: bob.id }))[0]!.status).toBe('ISSUED')
  })
})

describe('Passes in bulk', () => {
  test('share the fields of the request, unless a holder has others', async () => {
    const { id } = await withPasses(alice)
    const holders = [{ name: 'A' }, { name: 'B', fields: { Gate: '2', Seat: '7' } }]
    const passes = await issued(alice, id, { holders, fields: { Gate: '1' } })
    expect(passes.map(({ fields }) => fields.map(({ label, value }) => `${label} ${value}`))).toEqual([
      ['Gate 1'],
      ['Gate 2', 'Seat 7'],
    ])
  })

  test('are issued in the order of the holders, and the counter of the activity rises by their number', async () => {
    const { id } = await withPasses(alice, { orgId: org.id, visibility: 'RESTRICTED' })
    const holders = [{ name: 'Z' }, { userId: carol.id }, { name: 'A' }, { userId: bob.id }, ...guests(300)]
    const passes = await issued(alice, id, { holders })
    expect(passes.map((pass) => pass.holderUserId ?? pass.holderName)).toEqual(
      holders.map((holder) => ('userId' in holder ? holder.userId : holder.name)),
    )
    expect(new Set(passes.map(({ uuid }) => uuid)).size).toBe(304)
    expect(new Set(passes.map(({ qrContent }) => qrContent)).size).toBe(304)
    expect(await passesOf(id)).toBe(304)
  })

  test('are issued all or not at all, and the details list every holder who cannot get one', async () => {
    const { id } = await withPasses(alice)
    await issued(alice, id, { userId: carol.id })
    const before = (await notificationsOf(bob)).length
    const holders = [
      { name: 'fine' },
      { userId: 999_999 },
      { userId: bob.id },
      { userId: bob.id },
      { userId: carol.id },
      {},
      { userId: alice.id, name: 'both' },
      { name: '' },
      { name: 'fields', fields: { a: 7, ['x'.repeat(60)]: 'y' } },
    ]
    const refused = await issue(alice, id, { holders: holders as never })
    expect(refused.status).toBe(400)
    expect(refused.details.map(({ path }) => path).toSorted()).toEqual([
      'body.holders.1.userId',
      'body.holders.3.userId',
      'body.holders.4.userId',
      'body.holders.5',
      'body.holders.6',
      'body.holders.7.name',
      'body.holders.8.fields.a',
      `body.holders.8.fields.${'x'.repeat(50)}`,
    ])
    expect(await passesOf(id)).toBe(1)
    expect(await notificationsOf(bob)).toHaveLength(before)
  })

  test('more than 5,000 holders, none, and two ways to name them are refused', async () => {
    const { id } = await withPasses(alice)
    for (const body of [
      { holders: guests(5001) },
      { holders: [] },
      {},
      { userId: bob.id, holderName: 'Bob' },
      { holders: guests(1), userId: bob.id },
    ])
      expect((await issue(alice, id, body)).status).toBe(400)
    expect(await passesOf(id)).toBe(0)
  })

  test('more than 10 fields are refused before they are merged with those of each holder', async () => {
    const { id } = await withPasses(alice)
    const fields = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`field ${i}`, 'text']))
    const { status, details } = await issue(alice, id, { holders: guests(50), fields })
    expect(status).toBe(400)
    expect(details).toEqual([{ path: 'body.fields', message: 'must have at most 10 items' }])
    const ofHolder = await issue(alice, id, { holders: [{ name: 'A', fields }] })
    expect(ofHolder.details).toEqual([{ path: 'body.holders.0.fields', message: 'must have at most 10 items' }])
  })

  test('a deleted user looks like an unknown one', async () => {
    const { id } = await withPasses(alice)
    const gone = await server.person()
    ok(await gone.call('auth.deleteAccount'))
    const messages = []
    for (const userId of [gone.id, 888_888]) {
      const { status, details } = await issue(alice, id, { userId })
      messages.push({ status, details })
    }
    expect(messages[0]).toEqual(messages[1]!)
    expect(messages[0]!.status).toBe(400)
  })
})

describe('Refused passes', () => {
  test('issuing is refused in an activity without passes, and in one that is over', async () => {
    const without = await createActivity(alice, { status: 'ACTIVE' })
    const ended = await withPasses(alice)
    await setStatus(alice, ended.id, 'ENDED')
    const cancelled = await withPasses(alice)
    await setStatus(alice, cancelled.id, 'CANCELLED')
    for (const { id } of [without, ended, cancelled])
      expect((await issue(alice, id, { holderName: 'A' })).status).toBe(400)
  })

  test('issuing is allowed before the activity begins: passes of a DRAFT can be printed', async () => {
    const { id } = await withPasses(alice, { status: 'DRAFT' })
    expect(await issued(alice, id, { holderName: 'A' })).toHaveLength(1)
  })

  test('issuing answers 403 to users who see the activity but do not manage it, and 404 to all others', async () => {
    const personal = await withPasses(alice, { visibility: 'PUBLIC' })
    expect((await issue(mallory, personal.id, { holderName: 'A' })).status).toBe(403)
    const ofOrg = await withPasses(alice, { orgId: org.id, visibility: 'RESTRICTED' })
    expect((await issue(mallory, ofOrg.id, { holderName: 'A' })).status).toBe(404)
    expect((await issue(bob, ofOrg.id, { holderName: 'A' })).status).toBe(403)
    await setRole(alice, org, bob, 'ADMIN')
    expect((await issue(bob, ofOrg.id, { holderName: 'A' })).status).toBe(200)
    await setRole(alice, org, bob, 'MEMBER')
    expect(
      (await server.request('POST', `/api/activities/${ofOrg.id}/pass/issue`, { body: { holderName: 'A' } })).status,
    ).toBe(401)
    expect(await passesOf(ofOrg.id)).toBe(1)
  })

  test('issuing is refused with a template of another owner, an unknown field, or an end before the beginning', async () => {
    const { id } = await withPasses(alice)
    const foreign = await createTemplate(mallory)
    const ofOrg = await createTemplate(alice, { orgId: org.id })
    for (const { id: templateId } of [foreign, ofOrg])
      expect((await issue(alice, id, { holderName: 'A', templateId })).status).toBe(404)
    const own = await createTemplate(alice, { fields: [{ key: 'seat', label: 'Seat' }] })
    const bad = [
      { templateId: own.id, fields: { gate: 'B' } },
      { validFrom: Date.now() + 2 * DAY, validTo: Date.now() + DAY },
      { validFrom: 4_294_967_296_000 },
      { validFrom: Date.now() + 3650 * DAY },
    ]
    for (const body of bad) expect((await issue(alice, id, { holderName: 'A', ...body })).status).toBe(400)
    expect(await passesOf(id)).toBe(0)
  })
})

describe('POST /api/pass/templates/:templateId/issue', () => {
  test('issues passes of an activity of the same owner', async () => {
    const template = await createTemplate(alice, { maxUses: 2 })
    const { id } = await withPasses(alice)
    const call = (person: Person, activityId: number, templateId = template.id) =>
      person.call('passes.issueByTemplate', { params: { templateId }, body: { activityId, holderName: 'A' } })
    expect(ok(await call(alice, id)).data.items[0]).toMatchObject({ templateId: template.id, maxUses: 2 })
    const ofOrg = await withPasses(alice, { orgId: org.id })
    const ofBob = await withPasses(bob, { visibility: 'PUBLIC' })
    expect((await call(alice, ofOrg.id)).status).toBe(404)
    expect([403, 404]).toContain((await call(alice, ofBob.id)).status)
    expect((await call(bob, ofBob.id)).status).toBe(404)
    expect((await call(alice, 999_999)).status).toBe(404)
    const shared = await createTemplate(alice, { orgId: org.id })
    expect((await call(alice, ofOrg.id, shared.id)).status).toBe(200)
    expect((await call(bob, ofOrg.id, shared.id)).status).toBe(404)
  })
})

describe('Races', () => {
  test('50 requests at once give a user one live pass', async () => {
    const { id } = await withPasses(alice)
    const answers = await race(50, () => issue(alice, id, { userId: bob.id }))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 400]))
    expect(await passesOf(id)).toBe(1)
  })

  test('50 equal requests at once with one requestId issue one batch, and a later one answers it again', async () => {
    const { id } = await withPasses(alice)
    const body = { holders: [...guests(20), { userId: bob.id }], requestId: 'batch-0001' }
    const answers = await race(50, () => issued(alice, id, body))
    expect(new Set(answers.map((passes) => passes.map(({ uuid }) => uuid).join())).size).toBe(1)
    expect(await passesOf(id)).toBe(21)
    const again = await issued(alice, id, { holderName: 'other', requestId: 'batch-0001' })
    expect(again).toEqual(answers[0]!)
    await setStatus(alice, id, 'ENDED')
    expect(await issued(alice, id, body)).toEqual(answers[0]!)
    expect(await passesOf(id)).toBe(21)
  })

  test('large requests run one after another, also after one that was refused', async () => {
    const { id } = await withPasses(alice)
    const twice = [...guests(200), { userId: bob.id }, { userId: bob.id }]
    const bodies = [
      { holders: guests(101), requestId: 'large-001' },
      { holders: twice },
      { holders: guests(101), requestId: 'large-001' },
      { holders: guests(300) },
    ]
    const answers = await race(4, (i) => issue(alice, id, bodies[i]!))
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 200, 200])
    expect(answers[2]!.data).toEqual(answers[0]!.data)
    expect(await passesOf(id)).toBe(401)
  })

  test.if(inProcess)('a user can have four large requests at once, and others can have theirs meanwhile', async () => {
    const { id } = await withPasses(alice)
    const other = await withPasses(bob)
    // None of them is finished before all have come.
    const { db } = server.ctx
    const refused = Promise.withResolvers<void>()
    const write = db.write.bind(db)
    db.write = async (name, ...rest) => {
      if (name === 'passes.issue') await refused.promise
      return write(name, ...rest)
    }
    const statuses: string[] = []
    const requests = Array.from({ length: 6 }, async () => {
      const { status, code } = await issue(alice, id, { holders: guests(101) })
      statuses.push(`${status} ${code}`)
      if (statuses.length === 2) refused.resolve()
    })
    const ofBob = issue(bob, other.id, { holders: guests(101) })
    await Promise.all(requests)
    db.write = write
    expect(statuses).toEqual([
      ...Array.from({ length: 2 }, () => '429 4022'),
      ...Array.from({ length: 4 }, () => '200 200'),
    ])
    expect((await ofBob).status).toBe(200)
    expect(await passesOf(id)).toBe(404)
    expect((await issue(alice, id, { holders: guests(101) })).status).toBe(200)
  })

  test('a request that was refused does not use up its requestId, and others have their own', async () => {
    const { id } = await withPasses(alice, { orgId: org.id })
    const requestId = 'batch-0002'
    expect((await issue(alice, id, { userId: 999_999, requestId })).status).toBe(400)
    const [first] = await issued(alice, id, { holderName: 'A', requestId })
    await setRole(alice, org, carol, 'ADMIN')
    const [second] = await issued(carol, id, { holderName: 'B', requestId })
    expect([first!.holderName, second!.holderName]).toEqual(['A', 'B'])
  })
})

test('users who do not take part are limited to 200 a day, also in requests that are refused', async () => {
  await using limited = await startServer({ rateLimit: true })
  const [owner, member] = [await limited.person('owner'), await limited.person('member')]
  const place = await createOrg(owner)
  await addMembers(owner, place, member)
  const { id } = await withPasses(owner, { orgId: place.id })
  const unknown = (from: number, count: number) => ({
    holders: Array.from({ length: count }, (_, i) => ({ userId: from + i })),
  })
  expect((await issue(owner, id, unknown(10_000, 150))).status).toBe(400)
  expect((await issue(owner, id, unknown(20_000, 51))).status).toBe(429)
  expect((await issue(owner, id, unknown(20_000, 50))).status).toBe(400)
  expect((await issue(owner, id, unknown(30_000, 1))).status).toBe(429)
  expect(
    (await issue(owner, id, { holders: [{ userId: member.id }, { userId: owner.id }, ...guests(10)] })).status,
  ).toBe(200)
})

test.if(inProcess)('a user is answered repeated requests with 50,000 passes an hour at most', async () => {
  await using limited = await startServer({ rateLimit: true })
  const user = await limited.person()
  const { id } = await withPasses(user)
  const requestId = 'repeated-1'
  const first = await issued(user, id, { holders: guests(3), requestId })
  const { ctx } = limited
  const spent = (REPEATED_PASSES.limit as number) - 5
  const uses = await usesOf(ctx, REPEATED_PASSES, { actor: { userId: user.id }, caller: { ip: '' } }, spent)
  expect(ctx.limiter.takeAll(uses)).toBeUndefined()
  expect(await issued(user, id, { holders: guests(3), requestId })).toEqual(first)
  expect((await issue(user, id, { holderName: 'A', requestId })).status).toBe(429)
  expect(await issued(user, id, { holderName: 'A', requestId: 'another-1' })).toHaveLength(1)
})
