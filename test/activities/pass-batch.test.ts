/** Changes of all passes that a filter selects. */

import { describe, expect, test } from 'bun:test'

import { MAX_CHANGED } from '#domains/activities/batches/batches.model.ts'
import type { ChangePasses } from '#domains/activities/pass-changes/pass-changes.model.ts'
import { DAY, HOUR } from '#platform/clock.ts'

import { inProcess, ok, type Person, race, until, useServer } from '../harness/index.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'
import { nonce, redeemed, revoke } from './gate-helpers.ts'
import { createTemplate, guests, issued, withPasses } from './pass-helpers.ts'

const { server, alice, bob, mallory } = useServer({ people: ['alice', 'bob', 'mallory'] })

const batch = (person: Person, id: number, body: ChangePasses) => person.call('passes.batch', { params: { id }, body })
const result = async (id: number, body: ChangePasses) => ok(await batch(alice, id, body)).data
const totals = async (id: number, status: 'ISSUED' | 'REVOKED' | 'EXPIRED') =>
  ok(await alice.call('passes.list', { params: { id }, query: { status } })).data.total
const shown = async (id: number) =>
  ok(await alice.call('passes.list', { params: { id }, query: { size: 100 } })).data.items.toReversed()

describe('POST …/pass/batch', () => {
  test('revokes what the filter selects, and says in a dry run what it would do', async () => {
    const { id } = await withPasses(alice)
    const all = await issued(alice, id, { holders: guests(450) })
    await revoke(alice, all[0]!.id)
    const asked = { action: 'REVOKE', filter: {}, reason: 'Fair cancelled' } as const
    const numbers = { matched: 450, changed: 449, unchanged: 1, remaining: 0 }
    expect(await result(id, { ...asked, dryRun: true })).toEqual(numbers)
    expect(await totals(id, 'REVOKED')).toBe(1)
    expect(await result(id, asked)).toEqual(numbers)
    expect(await totals(id, 'REVOKED')).toBe(450)
    expect(await result(id, asked)).toEqual({ matched: 450, changed: 0, unchanged: 450, remaining: 0 })
    const reasonOf = async ({ id: passId }: { readonly id: number }) =>
      ok(await alice.call('passes.get', { params: { passId } })).data.revokeReason
    expect([await reasonOf(all[0]!), await reasonOf(all[1]!)]).toEqual(['Lost', 'Fair cancelled'])
  })

  test('updates passes but not revoked ones, and equal values change nothing', async () => {
    const { id, endTime } = await withPasses(alice)
    const [a, b, c] = await issued(alice, id, { holders: guests(3) })
    await revoke(alice, a!.id)
    const validTo = endTime + DAY
    ok(await alice.call('passes.update', { params: { passId: b!.id }, body: { validTo, maxUses: 2 } }))
    const values = { validTo, maxUses: 2, fields: { Hall: '3' } }
    const asked = { action: 'UPDATE', filter: {}, values } as const
    expect(await result(id, asked)).toEqual({ matched: 3, changed: 2, unchanged: 1, remaining: 0 })
    expect(await result(id, asked)).toEqual({ matched: 3, changed: 0, unchanged: 3, remaining: 0 })
    const rows = await shown(id)
    for (const row of rows.slice(1))
      expect(row).toMatchObject({ validTo, maxUses: 2, fields: [{ key: 'Hall', value: '3' }] })
    expect(rows[0]).toMatchObject({ status: 'REVOKED', validTo: endTime, fields: [] })
    const { changed } = ok(await alice.call('passes.revocations', { params: { id } })).data
    expect(changed.map(({ uuid }) => uuid).toSorted()).toEqual([b!.uuid, c!.uuid].toSorted())
  })

  test('makes passes follow again that had the end from before a move', async () => {
    const { id, endTime } = await withPasses(alice)
    await issued(alice, id, { holders: guests(3), validTo: endTime })
    ok(await alice.call('activities.update', { params: { id }, body: { endTime: endTime + DAY } }))
    const asked = { action: 'UPDATE', filter: { status: 'ISSUED' }, values: { followsActivity: true } } as const
    expect(await result(id, asked)).toMatchObject({ changed: 3 })
    expect((await shown(id)).map(({ validTo }) => validTo)).toEqual([1, 2, 3].map(() => endTime + DAY))
  })

  test('selects by status, keyword, user, template, ids and registration', async () => {
    const registration = { capacity: 10, closesAt: server.clock.now() + DAY }
    const { id } = await withPasses(alice, { registration, visibility: 'PUBLIC' })
    const template = await createTemplate(alice)
    ok(await bob.call('registrations.register', { params: { id }, body: {} }))
    const [ofBob] = await issued(alice, id, { userId: bob.id })
    const [byTemplate] = await issued(alice, id, { holderName: 'Zoe', templateId: template.id })
    const [used, plain] = await issued(alice, id, { holders: guests(2) })
    await redeemed(alice, id, { passUuid: used!.uuid, nonce: nonce() })
    const select = async (filter: ChangePasses['filter']): Promise<number[]> => {
      const maxUses = Math.floor(Math.random() * 900_000) + 100
      await result(id, { action: 'UPDATE', filter, values: { maxUses } })
      const found = (await shown(id)).filter((row) => row.maxUses === maxUses).map((row) => row.id)
      // As they were, so that the next filter finds the same.
      if (found.length > 0) await result(id, { action: 'UPDATE', filter: { ids: found }, values: { maxUses: 1 } })
      return found
    }
    const guestIds = [byTemplate!.id, used!.id, plain!.id]
    expect(await select({ status: 'USED' })).toEqual([used!.id])
    expect(await select({ keyword: 'zo' })).toEqual([byTemplate!.id])
    expect(await select({ userId: bob.id })).toEqual([ofBob!.id])
    expect(await select({ templateId: template.id })).toEqual([byTemplate!.id])
    expect(await select({ ids: [ofBob!.id, plain!.id] })).toEqual([ofBob!.id, plain!.id])
    expect(await select({ registration: 'CONFIRMED' })).toEqual([ofBob!.id])
    expect(await select({ registration: 'NONE' })).toEqual(guestIds)
    ok(await bob.call('registrations.cancel', { params: { id } }))
    expect(await select({ registration: 'CANCELLED' })).toEqual([ofBob!.id])
    expect(await select({ registration: 'CANCELLED', status: 'USED' })).toEqual([])
  })

  test('leaves out passes whose holders have another live one, and of two of a holder revives one', async () => {
    const { id, endTime } = await withPasses(alice)
    const now = server.clock.now()
    await issued(alice, id, { userId: bob.id, validTo: now + HOUR })
    server.clock.advance(2 * HOUR)
    await issued(alice, id, { userId: bob.id, validTo: server.clock.now() + HOUR })
    server.clock.advance(2 * HOUR)
    const asked = { action: 'UPDATE', filter: {}, values: { validTo: endTime } } as const
    const numbers = { matched: 2, changed: 1, unchanged: 1, remaining: 0 }
    expect(await result(id, { ...asked, dryRun: true })).toEqual(numbers)
    expect(await result(id, asked)).toEqual(numbers)
    expect(await totals(id, 'ISSUED')).toBe(1)
  })

  test.each([
    ['an unknown field of the filter', { action: 'REVOKE', filter: { statuses: 'USED' } }],
    ['no filter', { action: 'REVOKE' }],
    ['an unknown action', { action: 'DELETE', filter: {} }],
    ['an unknown status', { action: 'REVOKE', filter: { status: 'LOST' } }],
    ['an update without values', { action: 'UPDATE', filter: {} }],
    ['an update with empty values', { action: 'UPDATE', filter: {}, values: {} }],
    ['an end and following', { action: 'UPDATE', filter: {}, values: { validTo: 1, followsActivity: true } }],
    ['an end before the start', { action: 'UPDATE', filter: {}, values: { validTo: 1, validFrom: 2 } }],
    ['a short requestId', { action: 'REVOKE', filter: {}, requestId: 'short' }],
    ['too many ids', { action: 'REVOKE', filter: { ids: Array.from({ length: 5001 }, (_, i) => i + 1) } }],
  ])('refuses %s with 400 and changes nothing', async (_, body) => {
    const { id } = await withPasses(alice)
    await issued(alice, id, { holders: guests(2) })
    expect((await alice.post(`/api/activities/${id}/pass/batch`, body)).status).toBe(400)
    expect(await totals(id, 'ISSUED')).toBe(2)
  })

  test('names the ids that are not passes of the activity, and changes nothing', async () => {
    const [{ id }, other] = [await withPasses(alice), await withPasses(alice)]
    const [own] = await issued(alice, id, { holders: guests(1) })
    const [foreign] = await issued(alice, other.id, { holders: guests(1) })
    const filter = { ids: [own!.id, foreign!.id, 999_999] }
    for (const dryRun of [true, false]) {
      const { status, details } = await alice.post(`/api/activities/${id}/pass/batch`, {
        action: 'REVOKE',
        filter,
        dryRun,
      })
      expect([status, ...details.map(({ path }) => path)]).toEqual([400, 'body.filter.ids.1', 'body.filter.ids.2'])
    }
    expect(await totals(id, 'ISSUED')).toBe(1)
  })

  test('needs pass:issue to update and pass:revoke to revoke', async () => {
    const org = await createOrg(alice)
    await addMembers(alice, org, bob)
    const { id } = await withPasses(alice, { orgId: org.id, visibility: 'RESTRICTED' })
    await issued(alice, id, { holders: guests(2) })
    const revoking = { action: 'REVOKE', filter: {} } as const
    const updating = { action: 'UPDATE', filter: {}, values: { maxUses: 2 } } as const
    for (const body of [revoking, updating]) {
      expect((await batch(bob, id, body)).status).toBe(403)
      expect((await batch(mallory, id, body)).status).toBe(404)
      expect((await server.call('passes.batch', { params: { id }, body })).status).toBe(401)
      expect((await batch(alice, id, { ...body, orgId: org.id + 1 })).status).toBeGreaterThanOrEqual(403)
    }
    expect(await totals(id, 'ISSUED')).toBe(2)
    expect((await batch(alice, id, { ...revoking, orgId: org.id })).status).toBe(200)
  })
})

describe('A request of a batch', () => {
  test(`changes at most ${MAX_CHANGED} passes, and says how many remain`, async () => {
    const { id } = await withPasses(alice)
    await issued(alice, id, { holders: guests(MAX_CHANGED) })
    await issued(alice, id, { holders: guests(250) })
    const asked = { action: 'UPDATE', filter: {}, values: { maxUses: 7 } } as const
    const all = MAX_CHANGED + 250
    expect(await result(id, asked)).toEqual({ matched: all, changed: MAX_CHANGED, unchanged: 0, remaining: 250 })
    expect(await result(id, asked)).toEqual({ matched: all, changed: 250, unchanged: MAX_CHANGED, remaining: 0 })
  })

  test('with the id of an earlier one answers the same and changes nothing', async () => {
    const { id } = await withPasses(alice)
    await issued(alice, id, { holders: guests(3) })
    const asked = { action: 'REVOKE', filter: { status: 'ISSUED' }, requestId: 'batch-0001' } as const
    const first = await result(id, asked)
    expect(first).toEqual({ matched: 3, changed: 3, unchanged: 0, remaining: 0 })
    await issued(alice, id, { holders: guests(2) })
    expect(await result(id, asked)).toEqual(first)
    expect(await totals(id, 'ISSUED')).toBe(2)
    expect((await batch(alice, id, { ...asked, reason: 'Other' })).status).toBe(400)
    expect(await result(id, { ...asked, requestId: 'batch-0002' })).toMatchObject({ changed: 2 })
  })

  test('runs alone: those of ten at once that meet another get 429 with code 4022, and the passes have the values of one', async () => {
    const { id } = await withPasses(alice)
    await issued(alice, id, { holders: guests(600) })
    const replies = await race(10, (i) =>
      batch(alice, id, { action: 'UPDATE', filter: {}, values: { maxUses: i + 2 }, requestId: `together-${i}` }),
    )
    const refused = replies.filter(({ status }) => status === 429)
    expect(replies.filter(({ status }) => status === 200).length + refused.length).toBe(10)
    for (const reply of refused)
      expect([reply.code, Number(reply.headers.get('retry-after')) > 0]).toEqual([4022, true])
    expect(new Set((await shown(id)).map(({ maxUses }) => maxUses)).size).toBe(1)
  })

  test.if(inProcess)('goes on where a server that died has stopped, and answers for the whole', async () => {
    const { activityBatches } = await import('#db/schema/activity-batches.ts')
    const { eq } = await import('drizzle-orm')
    const { id } = await withPasses(alice)
    await issued(alice, id, { holders: guests(700) })
    const asked = { action: 'REVOKE', filter: { status: 'ISSUED' }, requestId: 'killed-0001' } as const
    // The process dies between two writes: the third one never comes, and nothing ends the lease.
    const { write } = server.ctx.db
    let writes = 0
    const dead = Promise.withResolvers<never>()
    const died = Promise.withResolvers<void>()
    server.ctx.db.write = ((name: string, ...rest: unknown[]) => {
      if (name === 'activities.changeBatch' && ++writes === 3) {
        died.resolve()
        return dead.promise
      }
      return (write as (...given: unknown[]) => unknown).call(server.ctx.db, name, ...rest)
    }) as typeof write
    void batch(alice, id, asked).catch(() => undefined)
    await died.promise
    server.ctx.db.write = write
    expect(await totals(id, 'REVOKED')).toBe(100)
    expect((await batch(alice, id, asked)).status).toBe(429)
    server.clock.advance(HOUR)
    expect(await result(id, asked)).toEqual({ matched: 700, changed: 700, unchanged: 0, remaining: 0 })
    expect(await totals(id, 'REVOKED')).toBe(700)
    await until(async () => {
      const rows = await server.ctx.db.read.select().from(activityBatches).where(eq(activityBatches.activityId, id))
      return rows.length === 1 && rows[0]!.lease === null
    })
  })
})
