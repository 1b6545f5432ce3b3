/** Passes that everyone who has a place gets: `passConfig.autoIssue`. */

import { describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { counters } from '#db/schema/settings.ts'
import { autoIssueJob } from '#domains/activities/pass-issues/auto-issues.service.ts'
import type { ActivityView } from '#domains/activities/register/register.model.ts'
import { DAY, HOUR } from '#platform/clock.ts'

import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { addMembers, createOrg, leave } from '../orgs/helpers.ts'
import { revoke } from './gate-helpers.ts'
import { type ActivityFields, getActivity, setStatus, update } from './helpers.ts'
import { createTemplate, issued } from './pass-helpers.ts'
import { addRegistrations, cancel, openActivity, register } from './registering.ts'

const { server, alice, bob, carol, dave } = useServer({ people: ['alice', 'bob', 'carol', 'dave'] })

const open = (registration: ActivityFields['registration'] = {}, fields: ActivityFields = {}) =>
  openActivity(server, alice, registration, { hasPass: true, passConfig: { autoIssue: true }, ...fields })

/** The status, and the fields that the answer complains about. */
const problems = ({ status, details = [] }: { status: number; details?: readonly { path: string }[] | undefined }) => [
  status,
  ...details.map(({ path }) => path),
]

/** The oldest first; at most 100. */
const passesOf = async ({ id }: Pick<ActivityView, 'id'>, manager = alice) => {
  const { items, total } = ok(await manager.call('passes.list', { params: { id }, query: { size: 100 } })).data
  expect((await getActivity(manager, id)).stats!.passes).toBe(total)
  return items.toReversed()
}
/** Holder and status of each pass, the oldest first. */
const states = async (activity: Pick<ActivityView, 'id'>) =>
  (await passesOf(activity)).map(({ holderUserId, status }) => [holderUserId, status])

describe('a user who gets a place gets a pass', () => {
  test('by registering, with the values of the activity and its template', async () => {
    const template = await createTemplate(alice, { color: '#1f6feb', maxUses: 3 })
    const activity = await open({}, { passConfig: { autoIssue: true, templateId: template.id } })
    expect(activity.passConfig).toMatchObject({ autoIssue: true, templateId: template.id })
    ok(await register(bob, activity))
    const [pass, ...others] = await passesOf(activity)
    expect(others).toEqual([])
    expect(pass).toMatchObject({
      templateId: template.id,
      holderUserId: bob.id,
      color: '#1f6feb',
      fields: [],
      maxUses: 3,
      status: 'ISSUED',
      validTo: activity.endTime,
    })
    const { data } = ok(await server.call('passes.verify', { params: activity, body: { content: pass!.qrContent } }))
    expect(data.pass).toMatchObject({ uuid: pass!.uuid, status: 'ISSUED' })
    ok(await register(bob, activity))
    expect(await passesOf(activity)).toHaveLength(1)
    const { items } = ok(await bob.call('notifications.list', { query: { size: 100 } })).data
    expect(items.filter(({ data }) => data['activityId'] === activity.id)).toHaveLength(1)
  })

  test('by moving up from the waiting list, after a cancellation or with more places', async () => {
    const activity = await open({ capacity: 1, waitlist: true })
    for (const person of [bob, carol, dave]) ok(await register(person, activity))
    expect(await states(activity)).toEqual([[bob.id, 'ISSUED']])
    ok(await cancel(bob, activity))
    expect(await states(activity)).toEqual([
      [bob.id, 'REVOKED'],
      [carol.id, 'ISSUED'],
    ])
    ok(await update(alice, activity.id, { registration: { capacity: 2 } }))
    expect((await states(activity)).at(-1)).toEqual([dave.id, 'ISSUED'])
  })

  test('but no second one', async () => {
    const activity = await open()
    const [own] = await issued(alice, activity.id, { userId: bob.id })
    ok(await register(bob, activity))
    expect(await states(activity)).toEqual([[bob.id, 'ISSUED']])
    // A pass that a manager issued is not revoked with the registration.
    ok(await cancel(bob, activity))
    expect(await states(activity)).toEqual([[bob.id, 'ISSUED']])
    await revoke(alice, own!.id)
    ok(await register(bob, activity))
    expect(await states(activity)).toEqual([
      [bob.id, 'REVOKED'],
      [bob.id, 'ISSUED'],
    ])
  })

  test('100 at once: 100 passes, one each', async () => {
    const crowd = await race(100, () => server.person())
    const activity = await open({ capacity: 100 })
    await race(100, async (i) => void ok(await register(crowd[i]!, activity)))
    const passes = await passesOf(activity)
    expect(new Set(passes.map(({ holderUserId }) => holderUserId))).toEqual(new Set(crowd.map(({ id }) => id)))
    expect(passes).toHaveLength(100)
    expect(new Set(passes.map(({ qrContent }) => qrContent)).size).toBe(100)
    const answers = await race(20, (i) => (i % 2 === 0 ? cancel : register)(crowd[i >> 1]!, activity))
    for (const answer of answers) ok(answer)
    for (const person of crowd.slice(0, 10)) {
      const query = { userId: person.id }
      const own = ok(await alice.call('passes.list', { params: { id: activity.id }, query })).data.items
      const { status } = ok(await person.call('registrations.get', { params: activity })).data
      expect(own.filter((pass) => pass.status === 'ISSUED')).toHaveLength(status === 'CONFIRMED' ? 1 : 0)
    }
  })
})

describe('the end of a registration revokes its pass', () => {
  const expectRevoked = async (activity: ActivityView, { id }: Person) => {
    const [pass] = (await passesOf(activity)).filter(({ holderUserId }) => holderUserId === id)
    expect(pass).toMatchObject({ status: 'REVOKED', revokeReason: 'Registration cancelled' })
  }

  test('by the user, who gets a new one after registering again', async () => {
    const activity = await open()
    ok(await register(bob, activity))
    ok(await cancel(bob, activity))
    await expectRevoked(activity, bob)
    ok(await cancel(bob, activity))
    ok(await register(bob, activity))
    expect(await states(activity)).toEqual([
      [bob.id, 'REVOKED'],
      [bob.id, 'ISSUED'],
    ])
  })

  test('by a manager, also after the switch was turned off', async () => {
    const activity = await open()
    ok(await register(bob, activity))
    ok(await update(alice, activity.id, { passConfig: { autoIssue: false } }))
    ok(await register(carol, activity))
    ok(await alice.call('registrations.cancelOf', { params: { id: activity.id, userId: bob.id } }))
    await expectRevoked(activity, bob)
    expect(await passesOf(activity)).toHaveLength(1)
  })

  test('by the end of the account, and by leaving the organization of a RESTRICTED activity', async () => {
    const gone = await server.person()
    const activity = await open()
    ok(await register(gone, activity))
    ok(await gone.call('auth.deleteAccount'))
    await expectRevoked(activity, gone)

    const [org, member] = [await createOrg(alice), await server.person()]
    await addMembers(alice, org, member)
    const inside = await open({}, { orgId: org.id, visibility: 'RESTRICTED' })
    ok(await register(member, inside))
    ok(await leave(member, org))
    await expectRevoked(inside, member)
  })

  test('leaves the reason of a pass that a manager has revoked, and revokes no other one', async () => {
    const activity = await open()
    ok(await register(bob, activity))
    const [first] = await passesOf(activity)
    await revoke(alice, first!.id)
    await issued(alice, activity.id, { userId: bob.id })
    ok(await cancel(bob, activity))
    expect((await passesOf(activity)).map(({ status, revokeReason }) => [status, revokeReason])).toEqual([
      ['REVOKED', 'Lost'],
      ['ISSUED', null],
    ])
  })
})

describe('autoIssue', () => {
  test('needs passes and registration, at creation and at each change', async () => {
    const create = (fields: ActivityFields) =>
      alice.post('/api/activities', { name: 'A', startTime: 1, endTime: 2, ...fields })
    const passConfig = { autoIssue: true }
    const refused = [400, 'body.passConfig.autoIssue']
    expect(problems(await create({ passConfig }))).toEqual(refused)
    expect(problems(await create({ passConfig, hasPass: true }))).toEqual(refused)
    expect(problems(await create({ passConfig, registration: {} }))).toEqual(refused)
    const { id, version } = await open()
    for (const body of [{ registration: null }, { hasPass: false }])
      expect(problems(await update(alice, id, body))).toEqual(refused)
    expect(await getActivity(alice, id)).toMatchObject({ version, passConfig, hasPass: true })
    const off = ok(await update(alice, id, { registration: null, passConfig: { autoIssue: null } })).data
    expect(off).toMatchObject({ registration: null, passConfig: { autoIssue: false } })
    expect(ok(await update(alice, id, { passConfig: { autoIssue: false } })).data.version).toBe(off.version)
  })

  test.if(inProcess)('that is turned on later makes a job issue the missing passes', async () => {
    const activity = await open({ capacity: 3, waitlist: true }, { passConfig: {} })
    const people = [bob, carol, dave, await server.person()]
    for (const person of people) ok(await register(person, activity))
    await issued(alice, activity.id, { userId: carol.id })
    await autoIssueJob.run(server.ctx)
    expect(await passesOf(activity)).toHaveLength(1)
    ok(await update(alice, activity.id, { passConfig: { autoIssue: true } }))
    await autoIssueJob.run(server.ctx)
    const holders = (await passesOf(activity)).map(({ holderUserId }) => holderUserId)
    expect(holders).toHaveLength(3)
    expect(new Set(holders)).toEqual(new Set([bob.id, carol.id, dave.id]))
    // A pass that a manager has revoked since is not issued again.
    const [pass] = (await passesOf(activity)).filter(({ holderUserId }) => holderUserId === bob.id)
    await revoke(alice, pass!.id)
    ok(await update(alice, activity.id, { passConfig: { maxUses: 2 } }))
    await autoIssueJob.run(server.ctx)
    expect(await passesOf(activity)).toHaveLength(3)
    ok(await cancel(dave, activity))
    expect((await states(activity)).filter(([, status]) => status === 'ISSUED')).toHaveLength(2)
  })

  test.if(inProcess)('issues 5,000 passes in a run of the job, and the others in the next ones', async () => {
    // The scheduler would run it too while a slow machine is at the first one.
    const before = Object.getOwnPropertyDescriptor(server.ctx.processes, 'runsJobs')!
    Object.defineProperty(server.ctx.processes, 'runsJobs', { value: false, configurable: true })
    using _ = { [Symbol.dispose]: () => Object.defineProperty(server.ctx.processes, 'runsJobs', before) }
    const activity = await open({}, { passConfig: {} })
    const other = await open({}, { passConfig: {} })
    ok(await register(bob, other))
    await addRegistrations(
      server,
      activity.id,
      Array.from({ length: 5130 }, () => 'CONFIRMED' as const),
    )
    for (const { id } of [activity, other]) ok(await update(alice, id, { passConfig: { autoIssue: true } }))
    const total = async () => (await getActivity(alice, activity.id)).stats!.passes
    await autoIssueJob.run(server.ctx)
    expect([await total(), (await passesOf(other)).length]).toEqual([5000, 0])
    await autoIssueJob.run(server.ctx)
    expect([await total(), (await passesOf(other)).length]).toEqual([5130, 1])
    await autoIssueJob.run(server.ctx)
    expect(await total()).toBe(5130)
  })

  test.if(inProcess)('waits with passes that would be over already, until the validity is corrected', async () => {
    const now = server.clock.now()
    const activity = await open({}, { passConfig: { autoIssue: true, validFrom: now - DAY, validTo: now - HOUR } })
    ok(await register(bob, activity))
    await autoIssueJob.run(server.ctx)
    expect(await passesOf(activity)).toEqual([])
    ok(await update(alice, activity.id, { passConfig: { validTo: null } }))
    await autoIssueJob.run(server.ctx)
    expect(await states(activity)).toEqual([[bob.id, 'ISSUED']])
  })

  test.if(inProcess)('issues nothing for an activity that is over', async () => {
    const activity = await open({}, { passConfig: {} })
    ok(await register(bob, activity))
    ok(await update(alice, activity.id, { passConfig: { autoIssue: true } }))
    await setStatus(alice, activity.id, 'ENDED')
    await autoIssueJob.run(server.ctx)
    expect(await passesOf(activity)).toEqual([])
  })
})

describe.if(inProcess)('the budget of the creator', () => {
  const { server, alice, bob, carol } = useServer({ people: ['alice', 'bob', 'carol'], rateLimit: true })

  test('lets registrations stand without a pass, and the job goes on when it has ended', async () => {
    const activity = await openActivity(server, alice, {}, { hasPass: true, passConfig: { autoIssue: true } })
    ok(await register(bob, activity))
    expect(await passesOf(activity, alice)).toHaveLength(1)
    await server.ctx.db.write('test.useUp', (tx) =>
      tx
        .update(counters)
        .set({ count: 50_000 })
        .where(sql`${counters.key} = ${`issued-passes:user:${alice.id}`}`),
    )
    expect(ok(await register(carol, activity)).data.status).toBe('CONFIRMED')
    await autoIssueJob.run(server.ctx)
    expect(await passesOf(activity, alice)).toHaveLength(1)
    server.clock.advance(DAY + 1)
    await autoIssueJob.run(server.ctx)
    expect((await passesOf(activity, alice)).map(({ holderUserId }) => holderUserId)).toEqual([bob.id, carol.id])
  })
})
