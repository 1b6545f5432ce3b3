/** Redeeming passes: uses, nonces, entries and exits, and many gates at once. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { passes } from '#db/schema/passes.ts'
import { findPass } from '#domains/activities/passes/passes.store.ts'
import { setOrgStatus } from '#domains/orgs/index.ts'

import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { issueOne, nonce, redeem, redeemed, revoke, usesOf, verdict, verdicts } from './gate-helpers.ts'
import { getActivity, setStatus } from './helpers.ts'
import { guests, issued, withPasses } from './pass-helpers.ts'

const { server, alice } = useServer({ people: ['alice'] })

let activity: number
beforeAll(async () => {
  activity = (await withPasses(alice)).id
})

/** Accepted uses by direction, the uses of the passes, and the counter of the activity, which must agree. */
async function countsOf(person: Person, id: number) {
  const { items, total } = await usesOf(person, id)
  expect(items).toHaveLength(total)
  const accepted = (direction: string) =>
    items.filter((use) => use.result === 'ACCEPTED' && use.direction === direction).length
  const passes = ok(await person.call('passes.list', { params: { id }, query: { size: 100 } })).data.items
  const used = passes.reduce((sum, pass) => sum + pass.usedCount, 0)
  const { stats } = await getActivity(person, id)
  expect(stats!.passUses).toBe(used)
  return { entries: accepted('ENTRY'), exits: accepted('EXIT'), used, rows: total }
}

describe('redeem', () => {
  test('counts a use, answers the whole pass and the record, and refuses the next entry', async () => {
    const pass = await issueOne(alice, activity)
    const first = await redeemed(alice, activity, { content: pass.qrContent! })
    expect(first).toMatchObject({ valid: true, reason: null })
    expect(first.pass).toEqual({ ...pass, status: 'USED', usedCount: 1, lastUsedAt: first.use!.usedAt } as never)
    expect(first.use).toEqual({
      id: expect.any(Number),
      passId: pass.id,
      passUuid: pass.uuid,
      holderName: 'Lin Mei',
      result: 'ACCEPTED',
      reason: null,
      direction: 'ENTRY',
      list: null,
      nonce: null,
      offline: false,
      isDoubleUse: false,
      verifierUserId: alice.id,
      gate: null,
      usedAt: expect.any(Number),
      undoneAt: null,
      undoneBy: null,
      undoReason: null,
      createdAt: expect.any(Number),
    })
    const second = await redeemed(alice, activity, { passUuid: pass.uuid })
    expect(second).toMatchObject({ valid: false, reason: 'USED', use: { result: 'REFUSED' }, pass: { usedCount: 1 } })
  })

  test('counts every entry of a pass with several uses, and of one without a limit', async () => {
    const { id } = await withPasses(alice)
    const [three, any] = [await issueOne(alice, id, { maxUses: 3 }), await issueOne(alice, id, { maxUses: 0 })]
    const answers: string[] = []
    for (let i = 0; i < 4; i++) answers.push(verdict(await redeemed(alice, id, { content: three.qrContent! })))
    expect(answers).toEqual(['valid', 'valid', 'valid', 'USED'])
    for (let i = 0; i < 5; i++) expect(verdict(await redeemed(alice, id, { content: any.qrContent! }))).toBe('valid')
    expect(await countsOf(alice, id)).toEqual({ entries: 8, exits: 0, used: 8, rows: 9 })
  })

  test('answers the result of an earlier try with the same nonce, even if the pass has changed since', async () => {
    const { id } = await withPasses(alice)
    const pass = await issueOne(alice, id)
    const [accepted, refused, malformed] = [nonce(), nonce(), nonce()]
    const body = { content: pass.qrContent!, nonce: accepted }
    const first = await redeemed(alice, id, body)
    const used = await redeemed(alice, id, { ...body, nonce: refused })
    await redeemed(alice, id, { content: 'x', nonce: malformed })
    await revoke(alice, pass.id)
    const again = await redeemed(alice, id, { passUuid: pass.uuid, nonce: accepted, direction: 'EXIT' })
    expect(again).toMatchObject({ valid: true, reason: null, pass: { status: 'REVOKED', usedCount: 1 } })
    expect(again.use).toEqual(first.use)
    expect((await redeemed(alice, id, { ...body, nonce: refused })).use).toEqual(used.use)
    expect(used.reason).toBe('USED')
    expect(await redeemed(alice, id, { content: 'y', nonce: malformed })).toMatchObject({ reason: 'MALFORMED' })
    expect((await countsOf(alice, id)).rows).toBe(3)
  })

  test('with the nonce of another pass answers 400 and counts nothing; another activity has its own nonces', async () => {
    const { id } = await withPasses(alice)
    const [one, two] = [await issueOne(alice, id), await issueOne(alice, id)]
    const same = nonce()
    await redeemed(alice, id, { content: one.qrContent!, nonce: same })
    expect((await redeem(alice, id, { content: two.qrContent!, nonce: same })).status).toBe(400)
    expect((await redeem(alice, id, { content: 'x', nonce: same })).status).toBe(400)
    expect(await countsOf(alice, id)).toEqual({ entries: 1, exits: 0, used: 1, rows: 1 })
    const elsewhere = await issueOne(alice, activity)
    expect(verdict(await redeemed(alice, activity, { content: elsewhere.qrContent!, nonce: same }))).toBe('valid')
  })

  test('an exit needs an entry, takes no use and makes the next entry free once', async () => {
    const { id } = await withPasses(alice)
    const { qrContent } = await issueOne(alice, id)
    const go = async (direction: 'ENTRY' | 'EXIT') => {
      const { pass, ...answer } = await redeemed(alice, id, { content: qrContent!, direction })
      return `${direction} ${verdict(answer)} ${(pass as { usedCount: number }).usedCount}`
    }
    const steps = ['EXIT', 'ENTRY', 'ENTRY', 'EXIT', 'EXIT', 'ENTRY', 'ENTRY', 'EXIT', 'ENTRY'] as const
    const answers: string[] = []
    for (const step of steps) answers.push(await go(step))
    expect(answers).toEqual([
      'EXIT NOT_YET_VALID 0',
      'ENTRY valid 1',
      'ENTRY USED 1',
      'EXIT valid 1',
      'EXIT USED 1',
      'ENTRY valid 1',
      'ENTRY USED 1',
      'EXIT valid 1',
      'ENTRY valid 1',
    ])
    expect(await countsOf(alice, id)).toEqual({ entries: 3, exits: 2, used: 1, rows: 9 })
  })

  test.if(inProcess)('in a disabled organization answers 403, and is possible again afterwards', async () => {
    const org = ok(await alice.call('orgs.create', { body: { name: 'Club' } })).data
    const { id } = await withPasses(alice, { orgId: org.id, visibility: 'RESTRICTED' })
    const { qrContent } = await issueOne(alice, id)
    const setOrg = (status: 'ACTIVE' | 'DISABLED') =>
      server.ctx.db.write('test', (tx) => setOrgStatus(server.ctx, tx, org.id, status))
    await setOrg('DISABLED')
    expect((await redeem(alice, id, { content: qrContent! })).status).toBe(403)
    await setOrg('ACTIVE')
    expect(verdict(await redeemed(alice, id, { content: qrContent! }))).toBe('valid')
  })
})

describe('50 gates at once', () => {
  test('accept the last use of a pass once', async () => {
    const { id } = await withPasses(alice)
    const pass = await issueOne(alice, id, { maxUses: 3 })
    const replies = await race(50, () => redeem(alice, id, { content: pass.qrContent!, nonce: nonce() }))
    expect(verdicts(replies)).toEqual({ valid: 3, USED: 47 })
    expect(await countsOf(alice, id)).toEqual({ entries: 3, exits: 0, used: 3, rows: 50 })
  })

  test('answer the same result for one nonce, and count it once', async () => {
    const { id } = await withPasses(alice)
    const pass = await issueOne(alice, id, { maxUses: 0 })
    const body = { content: pass.qrContent!, nonce: nonce() }
    const replies = await race(50, () => redeem(alice, id, body))
    expect(verdicts(replies)).toEqual({ valid: 50 })
    expect(new Set(replies.map(({ data }) => data.use!.id)).size).toBe(1)
    expect(await countsOf(alice, id)).toEqual({ entries: 1, exits: 0, used: 1, rows: 1 })
  })

  test('accept one of two passes that share a nonce', async () => {
    const { id } = await withPasses(alice)
    const passes = await issued(alice, id, { holders: guests(2), maxUses: 0 })
    const same = nonce()
    const replies = await race(50, (i) => redeem(alice, id, { content: passes[i % 2]!.qrContent!, nonce: same }))
    expect(verdicts(replies)).toEqual({ valid: 25, 400: 25 })
    expect(await countsOf(alice, id)).toEqual({ entries: 1, exits: 0, used: 1, rows: 1 })
  })

  test('never let a pass out more often than in, and let it in again for each exit', async () => {
    const { id } = await withPasses(alice)
    const pass = await issueOne(alice, id)
    await race(50, (i) => redeem(alice, id, { content: pass.qrContent!, direction: i % 2 === 0 ? 'ENTRY' : 'EXIT' }))
    const { entries, exits, used, rows } = await countsOf(alice, id)
    expect([used, rows]).toEqual([1, 50])
    expect(entries - exits === 0 || entries - exits === 1).toBe(true)
    // In the order of the writes, entries and exits take turns.
    const { items } = await usesOf(alice, id, { result: 'ACCEPTED' })
    const directions = items.toSorted((a, b) => a.id - b.id).map((use) => use.direction)
    expect(directions).toEqual(directions.map((_, i) => (i % 2 === 0 ? 'ENTRY' : 'EXIT')))
  })

  test('accept nothing after the answer to a revocation, or to the end of the activity', async () => {
    for (const end of ['revoke', 'ENDED'] as const) {
      const { id } = await withPasses(alice)
      const pass = await issueOne(alice, id, { maxUses: 0 })
      const early = race(25, () => redeem(alice, id, { content: pass.qrContent! }))
      await (end === 'revoke' ? revoke(alice, pass.id) : setStatus(alice, id, end))
      const late = await race(25, () => redeem(alice, id, { content: pass.qrContent! }))
      const reason = end === 'revoke' ? 'REVOKED' : 'ACTIVITY_NOT_ACTIVE'
      expect(verdicts(late)).toEqual({ [reason]: 25 })
      const { valid = 0, [reason]: refused = 0 } = verdicts(await early)
      expect(valid + refused).toBe(25)
      expect(await countsOf(alice, id)).toMatchObject({ entries: valid, used: valid, rows: 50 })
    }
  })
})

test.if(inProcess)('a pass that is revoked between its check and its write is refused by the write', async () => {
  const { id } = await withPasses(alice)
  const pass = await issueOne(alice, id)
  const { promise: started, resolve: start } = Promise.withResolvers<void>()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  // The write of the redemption waits for this one, or conflicts with it on PostgreSQL.
  const revoking = server.ctx.db.write('test', async (tx) => {
    await tx.update(passes).set({ revokedAt: tx.stamp }).where(eq(passes.id, pass.id))
    start()
    await released
  })
  await started
  const redeeming = redeem(alice, id, { content: pass.qrContent! })
  // The check of the redemption has read the pass before it waits.
  await Bun.sleep(50)
  release()
  await revoking
  expect((await redeeming).data).toMatchObject({ valid: false, reason: 'REVOKED', use: { result: 'REFUSED' } })
  expect((await findPass(server.ctx.db.read, pass.id))!.usedCount).toBe(0)
})
