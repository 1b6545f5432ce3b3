/** The records of the uses of passes: who sees which, filters, and how long refused checks are kept. */

import { expect, test } from 'bun:test'

import { passUses } from '#db/schema/passes.ts'
import { refusedChecksJob } from '#domains/activities/gates/gates.jobs.ts'
import { DAY, MINUTE } from '#platform/clock.ts'

import { inProcess, ok, useServer } from '../harness/index.ts'
import { addMembers, createOrg, setRole, UNKNOWN_ID } from '../orgs/helpers.ts'
import { issueOne, nonce, redeemed, upload, usesOf, verified } from './gate-helpers.ts'
import { withPasses } from './pass-helpers.ts'

const { server, admin, alice, bob, mallory } = useServer({ people: ['alice', 'bob', 'mallory'] })

const usesOfPass = (who: typeof alice, passId: number, query: object = {}) =>
  who.call('passes.records', { params: { passId }, query })

test('the records of an activity and of a pass are the newest first, with filters', async () => {
  const { id } = await withPasses(alice)
  const [one, two] = [await issueOne(alice, id), await issueOne(alice, id)]
  const at = Date.now() - 10 * MINUTE
  await upload(alice, id, [
    { content: one.qrContent, nonce: nonce(), usedAt: at },
    { content: one.qrContent, nonce: nonce(), usedAt: at + 2 },
    { content: two.qrContent, nonce: nonce(), usedAt: at + 1 },
  ])
  await verified(server, id, { content: 'x' })
  const listed = async (query: object) =>
    (await usesOf(alice, id, query)).items.map((use) => `${use.passId ?? ''} ${use.reason ?? 'ok'}`)
  const [x, b, c, a] = [' MALFORMED', `${one.id} USED`, `${two.id} ok`, `${one.id} ok`]
  expect(await listed({})).toEqual([x, b, c, a])
  expect(await listed({ passId: one.id })).toEqual([b, a])
  expect(await listed({ result: 'ACCEPTED' })).toEqual([c, a])
  expect(await listed({ result: 'REFUSED', passId: one.id })).toEqual([b])
  expect(await listed({ isDoubleUse: true })).toEqual([b])
  expect(await listed({ from: at + 1, to: at + 2 })).toEqual([b, c])
  expect(await listed({ page: 2, size: 3 })).toEqual([a])
  const other = await withPasses(alice)
  expect((await usesOf(alice, other.id, { passId: one.id })).total).toBe(0)
  const ofPass = ok(await usesOfPass(alice, one.id)).data
  expect(ofPass.items.map((use) => use.reason)).toEqual(['USED', null])
  expect(ok(await usesOfPass(alice, one.id, { result: 'ACCEPTED' })).data.total).toBe(1)
})

test('a holder sees the uses of the own pass without verifier, and other users see none', async () => {
  const { id } = await withPasses(alice, { visibility: 'PUBLIC' })
  const [own, guest] = [await issueOne(alice, id, { userId: bob.id }), await issueOne(alice, id)]
  for (const pass of [own, guest]) await redeemed(alice, id, { content: pass.qrContent! })
  const seen = (await usesOf(bob, id)).items
  expect(seen.map((use) => [use.passId, use.verifierUserId])).toEqual([[own.id, null]])
  expect((await usesOf(bob, id, { passId: guest.id })).total).toBe(0)
  expect(ok(await usesOfPass(bob, own.id)).data.items).toEqual(seen)
  expect((await usesOfPass(bob, guest.id)).status).toBe(404)
  expect((await usesOf(mallory, id)).items).toEqual([])
  for (const passId of [own.id, UNKNOWN_ID]) expect((await usesOfPass(mallory, passId)).status).toBe(404)
})

test('holders list the uses of their passes without the invite code of the activity', async () => {
  const { id } = await withPasses(alice, { visibility: 'INVITE_ONLY' })
  const pass = await issueOne(alice, id, { userId: bob.id })
  await redeemed(alice, id, { content: pass.qrContent! })
  expect((await usesOf(bob, id)).items.map((use) => use.passId)).toEqual([pass.id])
  expect((await mallory.call('passes.activityRecords', { params: { id } })).status).toBe(403)
})

test('an invite-only activity asks for its code, and a draft is unknown to others', async () => {
  const invited = await withPasses(alice)
  const records = (code?: string) =>
    mallory.call('passes.activityRecords', { params: { id: invited.id }, query: code === undefined ? {} : { code } })
  expect((await records()).status).toBe(403)
  expect(ok(await records(invited.inviteCode!)).data.total).toBe(0)
  const draft = await withPasses(alice, { status: 'DRAFT' })
  expect((await mallory.call('passes.activityRecords', { params: { id: draft.id } })).status).toBe(404)
})

test('in an organization, a member with nothing but pass:read sees all records', async () => {
  const org = await createOrg(alice)
  await addMembers(alice, org, bob)
  const role = { code: 'DOOR', name: 'Door', domain: 'ORG' as const, scopeId: org.id, permissions: ['pass:read'] }
  await admin.call('access.createRole', { body: role })
  await setRole(alice, org, bob, 'DOOR')
  const { id } = await withPasses(alice, { orgId: org.id, visibility: 'RESTRICTED' })
  const pass = await issueOne(alice, id)
  await redeemed(alice, id, { content: pass.qrContent! })
  for (const query of [{}, { orgId: org.id }]) {
    expect((await usesOf(bob, id, query)).items.map((use) => use.verifierUserId)).toEqual([alice.id])
    expect(ok(await usesOfPass(bob, pass.id, query)).data.total).toBe(1)
  }
  const hers = (await createOrg(alice)).id
  expect((await usesOfPass(alice, pass.id, { orgId: hers })).status).toBe(404)
  expect((await usesOfPass(mallory, pass.id)).status).toBe(404)
})

test.if(inProcess)(
  'the job keeps the newest 10,000 refused checks of an activity for 30 days, and every redemption',
  async () => {
    const { id } = await withPasses(alice)
    const other = (await withPasses(alice)).id
    const pass = await issueOne(alice, id)
    await redeemed(alice, id, { content: pass.qrContent! })
    await redeemed(alice, id, { content: 'x' })
    await verified(server, other, { content: 'x' })
    const [{ id: _, ...row }] = (await server.ctx.db.read.select().from(passUses)).filter(
      (use) => use.activityId === other,
    ) as [typeof passUses.$inferSelect]
    await server.ctx.db.write('test', async (tx) => {
      for (let i = 0; i < 21; i++)
        await tx.insert(passUses).values(Array.from({ length: 500 }, () => ({ ...row, activityId: id })))
    })
    expect((await usesOf(alice, id)).total).toBe(10_502)
    await refusedChecksJob.run(server.ctx)
    expect((await usesOf(alice, id)).total).toBe(10_002)
    expect((await usesOf(alice, other)).total).toBe(1)
    server.clock.advance(30 * DAY + MINUTE)
    await refusedChecksJob.run(server.ctx)
    expect((await server.ctx.db.read.select().from(passUses)).filter((use) => use.verifierUserId === null)).toEqual([])
    expect((await server.ctx.db.read.select().from(passUses)).filter((use) => use.activityId === id)).toHaveLength(2)
  },
)
