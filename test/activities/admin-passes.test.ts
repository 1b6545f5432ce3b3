/** Passes in the console, and the permanent deletion of passes and activities. */

import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import {
  activities as activitiesTable,
  activityCounters,
  checkIns,
  checkInSlots,
  checkInUsers,
  purgedActivities,
  registrations,
} from '#db/schema/activities.ts'
import { checkInLists, passes, passIssues, passListUses, passUses, purgedPasses } from '#db/schema/passes.ts'
import { purgeJobs } from '#domains/activities/purging.service.ts'
import { HOUR } from '#platform/clock.ts'

import { inProcess, ok, race, useServer } from '../harness/index.ts'
import { createOrg } from '../orgs/helpers.ts'
import { addMany, checkIn, recordsOf } from './check-in-helpers.ts'
import { issueOne, nonce, redeemed, upload, usesOf, verdict, verified } from './gate-helpers.ts'
import { getActivity } from './helpers.ts'
import { guests, issue, issued, withPasses } from './pass-helpers.ts'

const { server, admin, alice, bob, carol } = useServer({ people: ['alice', 'bob', 'carol'] })

const PASSES = '/api/admin/passes'
const ACTIVITIES = '/api/admin/activities'
const list = async (query: Record<string, string | number> = {}) =>
  ok(await admin.get(PASSES, { size: 100, ...query })).data
const idsOf = (page: { items: readonly { id: number }[] }) => page.items.map((row) => row.id)
const passesOf = async (id: number) =>
  ok(await alice.call('passes.list', { params: { id }, query: { size: 100 } })).data
const revoked = async (id: number) =>
  ok(await alice.call('passes.revocations', { params: { id }, query: {} })).data.revoked.map(({ uuid }) => uuid)
const runJobs = async () => {
  for (const job of purgeJobs) await job.run(server.ctx)
}

describe('administrators', () => {
  test('list the passes of all activities, newest first, without the links that open gates', async () => {
    const org = await createOrg(alice, { name: 'Rowers' })
    const own = await withPasses(alice, { name: 'Regatta' })
    const ofOrg = await withPasses(alice, { orgId: org.id })
    const [guest] = await issued(alice, own.id, { holderName: 'Needle 17' })
    const member = await issueOne(alice, ofOrg.id, { userId: bob.id })
    ok(await alice.put(`/api/passes/${guest!.id}/revoke`, {}))
    const page = await list()
    expect(idsOf(page).slice(0, 2)).toEqual([member.id, guest!.id])
    const secrets = { uuid: null, qrContent: null, publicUrl: null }
    expect(page.items[0]).toEqual({
      ...member,
      ...secrets,
      activityName: ofOrg.name,
      owner: { userId: bob.id, username: 'bob', nickname: member.holderName },
      orgId: org.id,
      orgName: 'Rowers',
    })
    expect(page.items[1]).toMatchObject({
      ...secrets,
      activityName: 'Regatta',
      owner: null,
      orgId: null,
      orgName: null,
    })
    const secret = [guest!.uuid, member.uuid, member.qrContent!.slice(-100)]
    for (const text of secret) expect(JSON.stringify(page)).not.toContain(text)

    for (const [query, expected] of [
      [{ activityId: own.id }, [guest!.id]],
      [{ userId: bob.id }, [member.id]],
      [{ userId: bob.id, activityId: ofOrg.id, status: 'ISSUED' }, [member.id]],
      [{ orgId: org.id }, [member.id]],
      [{ status: 'REVOKED', activityId: own.id }, [guest!.id]],
      [{ keyword: 'NEEDLE 17' }, [guest!.id]],
      [{ keyword: guest!.uuid }, [guest!.id]],
      [{ activityId: own.id, from: guest!.createdAt, to: guest!.createdAt + 1 }, [guest!.id]],
      [{ from: member.createdAt, to: member.createdAt + 1 }, [member.id]],
      [{ activityId: own.id, to: guest!.createdAt }, []],
      [{ userId: bob.id, activityId: own.id }, []],
      [{ userId: 999_999 }, []],
      [{ activityId: own.id, status: 'ISSUED' }, []],
    ] as const)
      expect({ query, ids: idsOf(await list(query as never)) }).toEqual({ query, ids: [...expected] })
    expect((await admin.get(PASSES, { status: 'VALID' })).status).toBe(400)
  })

  test('revoke a pass at once and finally', async () => {
    const { id } = await withPasses(alice)
    const pass = await issueOne(alice, id)
    const revoke = (reason: string) => admin.put(`${PASSES}/${pass.id}/revoke`, { reason })
    const { data } = ok(await revoke('Stolen'))
    expect(data).toMatchObject({ id: pass.id, status: 'REVOKED', revokeReason: 'Stolen', uuid: null, qrContent: null })
    expect(ok(await revoke('again')).data).toEqual(data)
    expect(verdict(await verified(alice, id, { content: pass.qrContent! }))).toBe('REVOKED')
    expect((await admin.put(`${PASSES}/999999/revoke`, {})).status).toBe(404)
  })

  test('delete a pass, which gates then refuse, and take its uses out of the counts', async () => {
    const { id } = await withPasses(alice)
    const [lost, kept] = await issued(alice, id, {
      holders: [{ userId: bob.id }, { name: 'Guest' }],
      maxUses: 0,
      requestId: 'batch-0001',
    })
    for (const pass of [lost!, lost!, kept!]) {
      await redeemed(alice, id, { content: pass.qrContent! })
      await redeemed(alice, id, { content: pass.qrContent!, direction: 'EXIT' })
      await redeemed(alice, id, { content: pass.qrContent! })
    }
    const before = (await getActivity(alice, id)).stats!
    const ofKept = (await usesOf(alice, id, { passId: kept!.id })).items
    ok(await admin.delete(`${PASSES}/${lost!.id}`))
    expect((await admin.delete(`${PASSES}/${lost!.id}`)).status).toBe(404)
    expect((await admin.put(`${PASSES}/${lost!.id}/revoke`, {})).status).toBe(404)
    expect((await alice.put(`/api/passes/${lost!.id}/revoke`, {})).status).toBe(404)
    expect((await server.request('GET', `/s/pass/${lost!.uuid}`)).status).toBe(404)
    expect(idsOf(await passesOf(id))).toEqual([kept!.id])
    expect(idsOf(await list({ activityId: id }))).toEqual([kept!.id])
    expect((await getActivity(alice, id)).stats).toEqual({ ...before, passes: 1, passUses: 1 })
    expect((await usesOf(alice, id)).items).toEqual(ofKept)

    // At the gates, with and without a connection.
    expect(verdict(await redeemed(alice, id, { content: lost!.qrContent! }))).toBe('UNKNOWN')
    expect(await revoked(id)).toEqual([lost!.uuid])
    const [late] = await upload(alice, id, [{ content: lost!.qrContent!, nonce: nonce(), usedAt: Date.now() }])
    expect(late).toMatchObject({ result: 'REFUSED', reason: 'UNKNOWN' })

    // The request that issued it does not issue it again, and the holder can get a new one.
    const again = ok(await issue(alice, id, { holders: [{ userId: bob.id }], requestId: 'batch-0001' })).data
    expect(idsOf(again)).toEqual([kept!.id])
    await issueOne(alice, id, { userId: bob.id })
  })

  test('delete a pass exactly once in a race with gates, and the counts stay exact', async () => {
    const { id } = await withPasses(alice)
    const [pass, other] = await issued(alice, id, { holders: guests(2), maxUses: 0 })
    await redeemed(alice, id, { content: other!.qrContent! })
    const replies = await race(20, (i) =>
      i % 2 === 0
        ? admin.delete(`${PASSES}/${pass!.id}`)
        : alice.call('passes.verify', {
            params: { id },
            body: { content: pass!.qrContent!, redeem: true, direction: 'ENTRY' },
          }),
    )
    const statuses = replies.filter((_, i) => i % 2 === 0).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, ...Array.from({ length: 9 }, () => 404)])
    for (const reply of replies.filter((_, i) => i % 2 === 1)) ok(reply)
    expect((await getActivity(alice, id)).stats).toMatchObject({ passes: 1, passUses: 1 })
  })

  test('delete an activity with everything that belongs to it, whatever its status', async () => {
    const activity = await withPasses(alice, { hasCheckIn: true, visibility: 'PUBLIC', registration: {} })
    const { id } = activity
    const pass = await issueOne(alice, id, { userId: bob.id })
    await redeemed(alice, id, { content: pass.qrContent! })
    const record = ok(await checkIn(bob, activity)).data
    expect(idsOf(ok(await carol.get('/api/discover/activities', { size: 100 })).data)).toContain(id)
    ok(await admin.delete(`${ACTIVITIES}/${id}`))
    expect((await admin.delete(`${ACTIVITIES}/${id}`)).status).toBe(404)
    for (const [person, path] of [
      [admin, `${ACTIVITIES}/${id}`],
      [alice, `/api/activities/${id}`],
      [alice, `/api/activities/${id}/check-in/records`],
      [alice, `/api/activities/${id}/pass/passes`],
      [bob, `/api/passes/${pass.id}/records`],
    ] as const)
      expect((await person.get(path)).status, path).toBe(404)
    for (const path of [`/s/activity/${activity.uuid}`, `/s/pass/${pass.uuid}`])
      expect((await server.request('GET', path)).status, path).toBe(404)
    expect(idsOf(ok(await carol.get('/api/discover/activities', { size: 100 })).data)).not.toContain(id)
    expect(idsOf(ok(await admin.get(ACTIVITIES, { size: 100 })).data)).not.toContain(id)
    expect(idsOf(await list())).not.toContain(pass.id)
    expect(idsOf(ok(await admin.get('/api/admin/check-in', { size: 100 })).data)).not.toContain(record.id)
    expect((await admin.delete(`/api/admin/check-in/${record.id}`)).status).toBe(404)
    expect((await checkIn(bob, activity)).status).toBe(404)
    expect((await issue(alice, id, { holderName: 'Guest' })).status).toBe(404)
  })

  test('delete an activity exactly once in a race with users, and no request fails', async () => {
    const activity = await withPasses(alice, {
      hasCheckIn: true,
      visibility: 'PUBLIC',
      checkInConfig: { maxPerUser: 0 },
    })
    const { id } = activity
    const pass = await issueOne(alice, id, { maxUses: 0 })
    const calls = [
      () => admin.delete(`${ACTIVITIES}/${id}`),
      () => checkIn(bob, activity),
      () => alice.call('passes.verify', { params: { id }, body: { content: pass.qrContent!, redeem: true } }),
      () => issue(alice, id, { holderName: 'Guest' }),
      () => admin.delete(`${PASSES}/${pass.id}`),
    ]
    const replies = await race(50, async (i) => (await calls[i % calls.length]!()).status)
    expect(replies.filter((status) => status >= 500)).toEqual([])
    expect(replies.filter((status, i) => i % calls.length === 0 && status === 200)).toHaveLength(1)
    expect((await alice.get(`/api/activities/${id}`)).status).toBe(404)
  })

  test('need a token and a PLATFORM role for all of it', async () => {
    const { id } = await withPasses(alice)
    const pass = await issueOne(alice, id)
    for (const [method, path, options] of [
      ['GET', PASSES, {}],
      ['PUT', `${PASSES}/${pass.id}/revoke`, { body: {} }],
      ['DELETE', `${PASSES}/${pass.id}`, {}],
      ['DELETE', `${ACTIVITIES}/${id}`, {}],
    ] as const) {
      expect((await alice.send(method, path, options)).status, `${method} ${path}`).toBe(403)
      expect((await server.request(method, path, options)).status, `${method} ${path}`).toBe(401)
    }
    expect((await passesOf(id)).items).toMatchObject([{ id: pass.id, status: 'ISSUED' }])
  })
})

describe.if(inProcess)('permanent deletion of passes', () => {
  const COUNT = 450

  /** Adds accepted entries of a pass, and counts them. */
  const addUses = (activityId: number, passId: number, passUuid: string) =>
    server.ctx.db.write('test', async (tx) => {
      const now = tx.stamp
      const use = {
        activityId,
        passId,
        passUuid,
        result: 'ACCEPTED',
        direction: 'ENTRY',
        usedAt: now,
        createdAt: now,
      } as const
      await tx.insert(passUses).values(Array.from({ length: COUNT }, () => use))
      await tx.update(passes).set({ usedCount: COUNT }).where(eq(passes.id, passId)).returning({ id: passes.id })
      await tx
        .update(activityCounters)
        .set({ passUses: COUNT })
        .where(eq(activityCounters.activityId, activityId))
        .returning({ id: activityCounters.activityId })
    })

  test('deleting a pass deletes at most 200 of its uses in the same write, and a job deletes the others', async () => {
    const { id } = await withPasses(alice)
    const pass = await issueOne(alice, id, { maxUses: 0 })
    await addUses(id, pass.id, pass.uuid)
    const left = async () =>
      (await server.ctx.db.read.select().from(passUses).where(eq(passUses.passId, pass.id))).length
    ok(await admin.delete(`${PASSES}/${pass.id}`))
    expect(await left()).toBe(COUNT - 200)
    expect((await getActivity(alice, id)).stats).toMatchObject({ passes: 0, passUses: 0 })
    await runJobs()
    expect(await left()).toBe(0)
    expect(await server.ctx.db.read.select().from(purgedPasses)).toEqual([])
    expect(await revoked(id)).toEqual([pass.uuid])
  })

  test('deleting a pass takes its uses out of the counts of check-in lists', async () => {
    const { id } = await withPasses(alice)
    const [pass, other] = [await issueOne(alice, id), await issueOne(alice, id)]
    const list = { params: { id }, body: { name: 'Lunch', maxUses: 3 } }
    const listId = ok(await alice.call('checkInLists.create', list)).data.id
    for (const { uuid } of [pass, pass, other]) await redeemed(alice, id, { passUuid: uuid, listId })
    const lists = async () => ok(await alice.call('checkInLists.list', { params: { id }, query: {} })).data.items
    expect(await lists()).toMatchObject([{ admitted: 3, inside: 2 }])
    ok(await admin.delete(`${PASSES}/${pass.id}`))
    expect(await lists()).toMatchObject([{ admitted: 1, inside: 1 }])
  })

  test('deleting an activity deletes its check-in lists, and their uses', async () => {
    const { id } = await withPasses(alice)
    const pass = await issueOne(alice, id)
    const list = { params: { id }, body: { name: 'Lunch' } }
    const listId = ok(await alice.call('checkInLists.create', list)).data.id
    await redeemed(alice, id, { passUuid: pass.uuid, listId })
    ok(await admin.delete(`/api/admin/activities/${id}`))
    expect((await alice.call('checkInLists.list', { params: { id }, query: {} })).status).toBe(404)
    const { read } = server.ctx.db
    await runJobs()
    expect(await read.select().from(passListUses).where(eq(passListUses.activityId, id))).toEqual([])
    server.clock.advance(HOUR + 1)
    await runJobs()
    expect(await read.select().from(checkInLists).where(eq(checkInLists.activityId, id))).toEqual([])
  })

  test('deleting an activity hides its rows at once, and a job deletes them, the activity itself after an hour', async () => {
    const activity = await withPasses(alice, { hasCheckIn: true, registration: {} })
    const { id } = activity
    const other = await withPasses(alice, { hasCheckIn: true })
    const [pass] = await issued(alice, id, { holders: guests(3) })
    await issueOne(alice, other.id)
    await addUses(id, pass!.id, pass!.uuid)
    await addMany(server, activity, COUNT, [bob, carol])
    await addMany(server, other, 10, [bob])
    const ofActivity = async () =>
      Promise.all(
        [checkIns, checkInUsers, checkInSlots, registrations, passUses, passes, passIssues, activityCounters].map(
          async (table) => (await server.ctx.db.read.select().from(table).where(eq(table.activityId, id))).length,
        ),
      )
    ok(await admin.delete(`${ACTIVITIES}/${id}`))
    const [left] = await ofActivity()
    expect(left).toBe(COUNT - 200)
    for (const path of ['/api/admin/check-in', PASSES])
      expect(ok(await admin.get(path, { activityId: id })).data).toMatchObject({ items: [], total: 0 })

    await runJobs()
    const [records, users, slots, registered, uses, stubs] = await ofActivity()
    expect([records, users, slots, registered, uses]).toEqual([0, 0, 0, 0, 0])
    expect(stubs).toBe(3)
    expect(idsOf(await list())).not.toContain(pass!.id)

    server.clock.advance(HOUR)
    await runJobs()
    await runJobs()
    expect(await ofActivity()).toEqual([0, 0, 0, 0, 0, 0, 0, 0])
    expect(await server.ctx.db.read.select().from(purgedActivities)).toEqual([])
    expect(await server.ctx.db.read.select().from(activitiesTable).where(eq(activitiesTable.id, id))).toEqual([])
    expect(ok(await recordsOf(alice, other)).data.total).toBe(10)
    expect((await passesOf(other.id)).total).toBe(1)
  })
})
