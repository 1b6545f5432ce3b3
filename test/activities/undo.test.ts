/** Undoing uses of passes. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { and, eq } from 'drizzle-orm'

import { passUses } from '#db/schema/passes.ts'
import { setOrgStatus } from '#domains/orgs/index.ts'
import { MINUTE } from '#platform/clock.ts'

import { inProcess, ok, type Person, race, type Reply, useServer } from '../harness/index.ts'
import { issueOne, nonce, redeem, redeemed, revoke, upload, usesOf, verdict } from './gate-helpers.ts'
import { getActivity, setStatus } from './helpers.ts'
import { withPasses } from './pass-helpers.ts'

const { server, alice, bob, owner } = useServer({ people: ['alice', 'bob', 'owner'] })

let activity: number
beforeAll(async () => {
  activity = (await withPasses(alice)).id
})

const undo = (person: Person, id: number, recordId: number, reason?: string) =>
  person.call('passes.undo', { params: { id, recordId }, body: reason === undefined ? {} : { reason } })

/** One pass with its use: the id of its record. */
async function used(id: number, pass: { passUuid: string }, direction: 'ENTRY' | 'EXIT' = 'ENTRY'): Promise<number> {
  const { valid, use } = await redeemed(alice, id, { ...pass, direction })
  expect(valid).toBe(true)
  return use!.id
}

async function passOf(id: number, passId: number) {
  const { items } = ok(await alice.call('passes.list', { params: { id }, query: { size: 100 } })).data
  return items.find((pass) => pass.id === passId)!
}

/** Accepted entries that count, which the passes and the counter of the activity must agree with. Without exits. */
async function counted(id: number): Promise<number> {
  const { items, total } = await usesOf(alice, id, { result: 'ACCEPTED' })
  expect(items).toHaveLength(total)
  const passes = ok(await alice.call('passes.list', { params: { id }, query: { size: 100 } })).data.items
  const used = passes.reduce((sum, pass) => sum + pass.usedCount, 0)
  expect((await getActivity(alice, id)).stats!.passUses).toBe(used)
  expect(items.filter(({ undoneAt }) => undoneAt === null)).toHaveLength(used)
  return used
}

describe('undo', () => {
  test('takes back an entry: the pass is as before, and can enter again', async () => {
    const { id } = await withPasses(alice)
    const pass = await issueOne(alice, id)
    const record = await used(id, { passUuid: pass.uuid })
    const undone = ok(await undo(alice, id, record, 'Wrong person')).data
    const nickname = ok(await alice.call('profile.get')).data.nickname
    expect(undone).toMatchObject({
      id: record,
      holderName: 'Lin Mei',
      result: 'ACCEPTED',
      undoneBy: { userId: alice.id, name: nickname },
      undoReason: 'Wrong person',
    })
    expect(undone.undoneAt).toBeNumber()
    expect(await passOf(id, pass.id)).toEqual(pass)
    expect(await counted(id)).toBe(0)
    expect((await usesOf(alice, id)).items).toEqual([undone])
    expect(verdict(await redeemed(alice, id, { passUuid: pass.uuid, direction: 'EXIT' }))).toBe('NOT_YET_VALID')
    await used(id, { passUuid: pass.uuid })
    expect(await passOf(id, pass.id)).toMatchObject({ status: 'USED', usedCount: 1 })
    expect(await counted(id)).toBe(1)
  })

  test('goes back step by step through entries, exits and free entries', async () => {
    const { id } = await withPasses(alice)
    const pass = await issueOne(alice, id, { maxUses: 2 })
    const shown = { passUuid: pass.uuid }
    const states: unknown[] = [await passOf(id, pass.id)]
    const records: number[] = []
    for (const direction of ['ENTRY', 'EXIT', 'ENTRY', 'EXIT', 'ENTRY', 'ENTRY'] as const) {
      records.push(await used(id, shown, direction))
      states.push(await passOf(id, pass.id))
    }
    expect(await passOf(id, pass.id)).toMatchObject({ usedCount: 2, status: 'USED' })
    // Whether the holder is inside shows in what an exit answers.
    for (const isInside of [true, false, true, false, true, false]) {
      ok(await undo(alice, id, records.pop()!))
      states.pop()
      expect(await passOf(id, pass.id)).toEqual(states.at(-1) as never)
      const exit = await redeemed(alice, id, { ...shown, direction: 'EXIT' })
      expect(exit.valid).toBe(isInside)
      if (isInside) ok(await undo(alice, id, exit.use!.id))
    }
    expect((await getActivity(alice, id)).stats!.passUses).toBe(0)
  })

  test('of an older use answers 400 and names the later one, and of a refused pass 400', async () => {
    const { id } = await withPasses(alice)
    const pass = await issueOne(alice, id, { maxUses: 2 })
    const [first, second] = [await used(id, { passUuid: pass.uuid }), await used(id, { passUuid: pass.uuid })]
    const refused = await redeemed(alice, id, { passUuid: pass.uuid })
    const reply = await undo(alice, id, first)
    expect(reply.status).toBe(400)
    expect(reply.message).toContain(`record ${second}`)
    const malformed = await redeemed(alice, id, { content: 'x' })
    for (const { use } of [refused, malformed]) expect((await undo(alice, id, use!.id)).status).toBe(400)
    expect(await counted(id)).toBe(2)
    ok(await undo(alice, id, second))
    ok(await undo(alice, id, first))
    expect(await counted(id)).toBe(0)
  })

  test('again answers the same and changes nothing, also after a later use', async () => {
    const { id } = await withPasses(alice)
    const pass = await issueOne(alice, id)
    const record = await used(id, { passUuid: pass.uuid })
    const first = ok(await undo(alice, id, record, 'Wrong person')).data
    expect(ok(await undo(alice, id, record, 'Another reason')).data).toEqual(first)
    await used(id, { passUuid: pass.uuid })
    expect(ok(await undo(alice, id, record)).data).toEqual(first)
    expect(await counted(id)).toBe(1)
  })

  test('leaves the nonce spent: the old scan is answered with its first result, online and offline', async () => {
    const { id } = await withPasses(alice)
    const [online, offline] = [await issueOne(alice, id), await issueOne(alice, id)]
    const scan = { passUuid: online.uuid, nonce: nonce() }
    const later = { passUuid: offline.uuid, nonce: nonce(), usedAt: Date.now() - MINUTE }
    const first = await redeemed(alice, id, scan)
    expect(first).toMatchObject({ valid: true, undone: false })
    expect(await upload(alice, id, [later])).toEqual([
      { nonce: later.nonce, result: 'ACCEPTED', reason: null, undone: false },
    ])
    for (const use of (await usesOf(alice, id)).items) ok(await undo(alice, id, use.id))
    expect(await redeemed(alice, id, scan)).toMatchObject({
      valid: true,
      reason: null,
      undone: true,
      use: { id: first.use!.id, result: 'ACCEPTED', undoneBy: { userId: alice.id } },
      pass: { usedCount: 0, status: 'ISSUED' },
    })
    const again = { passUuid: online.uuid, nonce: scan.nonce, usedAt: Date.now() - MINUTE }
    expect(await upload(alice, id, [later, again])).toEqual([
      { nonce: later.nonce, result: 'DUPLICATE', reason: null, undone: true },
      { nonce: scan.nonce, result: 'DUPLICATE', reason: null, undone: true },
    ])
    expect(await counted(id)).toBe(0)
    expect((await usesOf(alice, id)).total).toBe(2)
  })

  test('does not count for an offline scan that is uploaded later', async () => {
    const { id } = await withPasses(alice)
    const pass = await issueOne(alice, id)
    const at = Date.now() - MINUTE
    const item = (usedAt: number, direction: 'ENTRY' | 'EXIT') => ({
      passUuid: pass.uuid,
      nonce: nonce(),
      usedAt,
      direction,
    })
    await upload(alice, id, [item(at, 'ENTRY'), item(at + 2, 'EXIT')])
    const [exit] = (await usesOf(alice, id)).items
    ok(await undo(alice, id, exit!.id))
    // Nobody has left, so this is no free entry.
    expect(await upload(alice, id, [item(at + 3, 'ENTRY')])).toMatchObject([{ result: 'DOUBLE_USE' }])
    expect(await upload(alice, id, [item(at + 4, 'EXIT'), item(at + 5, 'ENTRY')])).toMatchObject([
      { result: 'ACCEPTED' },
      { result: 'ACCEPTED' },
    ])
    expect(await passOf(id, pass.id)).toMatchObject({ usedCount: 1, lastUsedAt: at + 5 })
  })

  test('works for passes that were revoked and activities that are over', async () => {
    const { id } = await withPasses(alice)
    const pass = await issueOne(alice, id)
    const record = await used(id, { passUuid: pass.uuid })
    await revoke(alice, pass.id)
    await setStatus(alice, id, 'ENDED')
    ok(await undo(alice, id, record))
    expect(await passOf(id, pass.id)).toMatchObject({ status: 'REVOKED', usedCount: 0, lastUsedAt: null })
    expect(await counted(id)).toBe(0)
  })

  test('is for those who may verify passes of the activity, and records of it', async () => {
    const pass = await issueOne(alice, activity, { userId: bob.id })
    const record = await used(activity, { passUuid: pass.uuid })
    const other = (await withPasses(alice)).id
    expect((await undo(bob, activity, record)).status).toBe(403)
    expect((await undo(alice, other, record)).status).toBe(404)
    expect((await undo(alice, activity, 999_999_999)).status).toBe(404)
    const path = `/api/activities/${activity}/pass/records/${record}/undo`
    expect((await server.request('POST', path, { body: {} })).status).toBe(401)
    expect((await alice.post(path, { reason: 'x'.repeat(201) })).status).toBe(400)
    expect((await passOf(activity, pass.id)).usedCount).toBe(1)
    ok(await undo(alice, activity, record, 'Private'))
    // The holder sees that it was undone, but not by whom.
    const [own] = (await usesOf(bob, activity)).items
    expect(own).toMatchObject({ id: record, undoneBy: null, undoReason: 'Private', verifierUserId: null })
    expect(own!.undoneAt).toBeNumber()
  })

  test.if(inProcess)('is refused in a disabled organization', async () => {
    const org = ok(await owner.call('orgs.create', { body: { name: 'Gate club' } })).data
    const { id } = await withPasses(owner, { orgId: org.id, visibility: 'RESTRICTED' })
    const pass = await issueOne(owner, id)
    const { use } = await redeemed(owner, id, { passUuid: pass.uuid })
    await server.ctx.db.write('test.disable', (tx) => setOrgStatus(server.ctx, tx, org.id, 'DISABLED'))
    expect((await undo(owner, id, use!.id)).status).toBe(403)
    expect((await usesOf(owner, id)).items).toMatchObject([{ undoneAt: null }])
  })

  test.if(inProcess)('of a use that an older version recorded knows whether it took a use', async () => {
    const { id } = await withPasses(alice)
    const pass = await issueOne(alice, id)
    const records: number[] = []
    for (const direction of ['ENTRY', 'EXIT', 'ENTRY'] as const)
      records.push(await used(id, { passUuid: pass.uuid }, direction))
    await server.ctx.db.write('test.forget', (tx) =>
      tx
        .update(passUses)
        .set({ takesUse: null })
        .where(and(eq(passUses.activityId, id), eq(passUses.passId, pass.id))),
    )
    const counts: number[] = []
    for (const record of records.toReversed()) {
      ok(await undo(alice, id, record))
      counts.push((await passOf(id, pass.id)).usedCount)
    }
    expect(counts).toEqual([1, 1, 0])
  })
})

/** Of different operations. */
type Answered = Pick<Reply, 'status'>

describe('at the same time', () => {
  test('20 requests that undo a use change it once, and all answer the same', async () => {
    const { id } = await withPasses(alice)
    const pass = await issueOne(alice, id, { maxUses: 0 })
    await used(id, { passUuid: pass.uuid })
    const record = await used(id, { passUuid: pass.uuid })
    const replies = await race(20, (i) => undo(alice, id, record, `reason ${i}`))
    expect(new Set(replies.map((reply) => JSON.stringify(ok(reply).data))).size).toBe(1)
    expect(await counted(id)).toBe(1)
    expect((await passOf(id, pass.id)).usedCount).toBe(1)
  })

  test('20 requests that undo and 20 that redeem the same pass leave as many uses as were accepted and not undone', async () => {
    const { id } = await withPasses(alice)
    const pass = await issueOne(alice, id, { maxUses: 25 })
    const shown = { passUuid: pass.uuid }
    const records: number[] = []
    for (let i = 0; i < 20; i++) records.push(await used(id, shown))
    const replies = await race(40, (i): Promise<Answered> =>
      i % 2 === 0 ? redeem(alice, id, { ...shown, nonce: nonce() }) : undo(alice, id, records[19 - (i - 1) / 2]!),
    )
    expect(new Set(replies.map(({ status }) => status)).difference(new Set([200, 400])).size).toBe(0)
    const left = await counted(id)
    const { usedCount, lastUsedAt } = await passOf(id, pass.id)
    expect(usedCount).toBe(left)
    expect(usedCount).toBeLessThanOrEqual(25)
    const accepted = (await usesOf(alice, id, { result: 'ACCEPTED' })).items.filter((use) => use.undoneAt === null)
    expect(lastUsedAt).toBe(Math.max(...accepted.map(({ usedAt }) => usedAt)))
    // The latest one first, all can be undone.
    for (const use of accepted) ok(await undo(alice, id, use.id))
    expect(await counted(id)).toBe(0)
    expect(await passOf(id, pass.id)).toEqual(pass)
  })

  test('20 gates that redeem a pass while its only use is undone let one visitor in', async () => {
    const { id } = await withPasses(alice)
    for (let round = 0; round < 3; round++) {
      const pass = await issueOne(alice, id)
      const record = await used(id, { passUuid: pass.uuid })
      const replies = await race(21, (i): Promise<Answered> =>
        i === 10 ? undo(alice, id, record) : redeem(alice, id, { passUuid: pass.uuid, nonce: nonce() }),
      )
      expect(replies[10]!.status).toBe(200)
      const uses = (await usesOf(alice, id, { passId: pass.id, result: 'ACCEPTED' })).items
      const { usedCount } = await passOf(id, pass.id)
      expect(uses.filter((use) => use.undoneAt === null)).toHaveLength(usedCount)
      expect(usedCount).toBeLessThanOrEqual(1)
    }
  })
})
