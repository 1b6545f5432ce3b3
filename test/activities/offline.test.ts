/** Redemptions that gates made without a connection and upload later. */

import { beforeAll, describe, expect, test } from 'bun:test'

import type { RedemptionItem } from '#domains/activities/gates/offline.model.ts'
import type { PassView } from '#domains/activities/passes/passes.model.ts'
import { DAY, HOUR, MINUTE } from '#platform/clock.ts'

import { inProcess, ok, race, useServer } from '../harness/index.ts'
import { issueOne, nonce, redeemed, revoke, upload, usesOf, verdict } from './gate-helpers.ts'
import { getActivity, setStatus } from './helpers.ts'
import { createTemplate, guests, issued, withPasses } from './pass-helpers.ts'

const { server, alice, mallory } = useServer({ people: ['alice', 'mallory'] })

let id: number
beforeAll(async () => {
  id = (await withPasses(alice)).id
})

const minutesAgo = (minutes: number): number => Date.now() - minutes * MINUTE
const item = (pass: PassView, usedAt: number, more: Partial<RedemptionItem> = {}): RedemptionItem => ({
  content: pass.qrContent,
  nonce: nonce(),
  usedAt,
  ...more,
})
const results = (items: readonly { result: string; reason: string | null }[]) =>
  items.map(({ result, reason }) => (reason === null ? result : `${result} ${reason}`))
const passOf = async (passId: number, activity = id) => {
  const { items } = ok(await alice.call('passes.list', { params: { id: activity }, query: { size: 100 } })).data
  return items.find((pass) => pass.id === passId)!
}

describe('an upload', () => {
  test('counts each pass at the time of the gate, and answers in the order of the items', async () => {
    const [one, two] = await issued(alice, id, { holders: guests(2) })
    const at = minutesAgo(30)
    const items = [
      item(one!, at),
      item(two!, at + 1, { content: null, passUuid: two!.uuid }),
      item(one!, at, { content: 'x' }),
    ]
    const outcomes = await upload(alice, id, items)
    expect(outcomes).toEqual([
      { nonce: items[0]!.nonce, result: 'ACCEPTED', reason: null, undone: false },
      { nonce: items[1]!.nonce, result: 'ACCEPTED', reason: null, undone: false },
      { nonce: items[2]!.nonce, result: 'REFUSED', reason: 'MALFORMED', undone: false },
    ])
    expect(await passOf(one!.id)).toMatchObject({ status: 'USED', usedCount: 1, lastUsedAt: at })
    const { items: uses } = await usesOf(alice, id, { passId: one!.id })
    expect(uses).toEqual([
      expect.objectContaining({ result: 'ACCEPTED', offline: true, usedAt: at, verifierUserId: alice.id }),
    ])
  })

  test('answers DUPLICATE with the first reasons and changes nothing when it is sent again', async () => {
    const activity = (await withPasses(alice)).id
    const pass = await issueOne(alice, activity)
    const items = [item(pass, minutesAgo(9)), item(pass, minutesAgo(8)), item(pass, minutesAgo(7), { content: 'x' })]
    const repeated = [...items, items[0]!]
    expect(results(await upload(alice, activity, repeated))).toEqual([
      'ACCEPTED',
      'DOUBLE_USE USED',
      'REFUSED MALFORMED',
      'DUPLICATE',
    ])
    const before = [await usesOf(alice, activity), await passOf(pass.id, activity), await getActivity(alice, activity)]
    expect(results(await upload(alice, activity, repeated))).toEqual([
      'DUPLICATE',
      'DUPLICATE USED',
      'DUPLICATE MALFORMED',
      'DUPLICATE',
    ])
    expect([
      await usesOf(alice, activity),
      await passOf(pass.id, activity),
      await getActivity(alice, activity),
    ]).toEqual(before)
    expect(before[2]).toMatchObject({ stats: { passUses: 1 } })
  })

  test('with a nonce of another pass answers 400 that names the items, and counts nothing', async () => {
    const [one, two] = await issued(alice, id, { holders: guests(2) })
    const known = nonce()
    await redeemed(alice, id, { content: one!.qrContent!, nonce: known })
    const twice = nonce()
    const items = [
      item(two!, minutesAgo(5)),
      item(two!, minutesAgo(4), { nonce: known }),
      item(two!, minutesAgo(3), { nonce: twice }),
      item(one!, minutesAgo(3), { nonce: twice }),
    ]
    const reply = await alice.call('passes.uploadRedemptions', { params: { id }, body: { items } })
    expect([reply.status, reply.details.map(({ path }) => path)]).toEqual([
      400,
      ['body.items.1.nonce', 'body.items.3.nonce'],
    ])
    expect(await passOf(two!.id)).toMatchObject({ usedCount: 0 })
  })

  test('of no items, of 1,001, or of items that are not valid answers 400', async () => {
    const pass = await issueOne(alice, id)
    const good = item(pass, minutesAgo(1))
    for (const items of [
      [],
      Array.from({ length: 1001 }, () => item(pass, 1)),
      [{ ...good, passUuid: pass.uuid }],
      [{ ...good, content: null }],
      [{ ...good, nonce: 'short' }],
      [good, { ...good, usedAt: Date.now() + 2 * DAY }],
    ])
      expect((await alice.call('passes.uploadRedemptions', { params: { id }, body: { items } })).status).toBe(400)
    expect(await passOf(pass.id)).toMatchObject({ usedCount: 0 })
  })

  test('answers 403 or 404 to users who do not manage the activity', async () => {
    const open = (await withPasses(alice, { visibility: 'PUBLIC' })).id
    const draft = (await withPasses(alice, { status: 'DRAFT' })).id
    const pass = await issueOne(alice, open)
    const body = { items: [item(pass, minutesAgo(1))] }
    expect((await mallory.call('passes.uploadRedemptions', { params: { id: open }, body })).status).toBe(403)
    expect((await mallory.call('passes.uploadRedemptions', { params: { id: draft }, body })).status).toBe(404)
    expect((await server.call('passes.uploadRedemptions', { params: { id: open }, body })).status).toBe(401)
    expect((await usesOf(alice, open)).total).toBe(0)
  })
})

describe('an item is judged as of its time', () => {
  test('a later revocation, the end of the activity and the clock of a fast phone do not refuse it', async () => {
    const activity = (await withPasses(alice)).id
    const [revoked, other, fast] = await issued(alice, activity, { holders: guests(3) })
    await revoke(alice, revoked!.id)
    const before = minutesAgo(20)
    await setStatus(alice, activity, 'ENDED')
    const items = [item(revoked!, before), item(other!, before), item(fast!, Date.now() + HOUR)]
    // The last one was let through now, by the clock of the server, and so after the end.
    expect(results(await upload(alice, activity, items))).toEqual([
      'ACCEPTED',
      'ACCEPTED',
      'REFUSED ACTIVITY_NOT_ACTIVE',
    ])
    expect(await passOf(revoked!.id, activity)).toMatchObject({ status: 'REVOKED', usedCount: 1 })
    const { items: uses } = await usesOf(alice, activity, { result: 'REFUSED' })
    expect(uses[0]!.usedAt).toBeLessThan(Date.now() + MINUTE)
  })

  test.if(inProcess)(
    'a pass that has expired since counts, one that had expired then or was revoked then does not',
    async () => {
      const validTo = server.clock.now() + HOUR
      const [good, late] = await issued(alice, id, { holders: guests(2), validTo })
      const lost = await issueOne(alice, id)
      await revoke(alice, lost.id)
      server.clock.advance(2 * HOUR)
      const items = [item(good!, validTo), item(late!, validTo + 1), item(lost, server.clock.now())]
      expect(results(await upload(alice, id, items))).toEqual(['ACCEPTED', 'REFUSED EXPIRED', 'REFUSED REVOKED'])
      expect(await passOf(good!.id)).toMatchObject({ status: 'EXPIRED', usedCount: 1 })
    },
  )

  test.if(inProcess)('a change of an activity that has ended does not move its end', async () => {
    const template = await createTemplate(alice)
    const { id: activity } = await withPasses(alice, { passConfig: { templateId: template.id } })
    const passes = await issued(alice, activity, { holders: guests(2) })
    await setStatus(alice, activity, 'ENDED')
    server.clock.advance(2 * MINUTE)
    const afterTheEnd = server.clock.now()
    server.clock.advance(2 * MINUTE)
    ok(await alice.call('activities.resetInviteCode', { params: { id: activity } }))
    expect(results(await upload(alice, activity, [item(passes[0]!, afterTheEnd)]))).toEqual([
      'REFUSED ACTIVITY_NOT_ACTIVE',
    ])
    ok(await alice.call('passTemplates.delete', { params: { templateId: template.id } }))
    expect(results(await upload(alice, activity, [item(passes[1]!, afterTheEnd)]))).toEqual([
      'REFUSED ACTIVITY_NOT_ACTIVE',
    ])
  })

  test('the use of a copy is found even if the first holder has left again meanwhile', async () => {
    const activity = (await withPasses(alice)).id
    const pass = await issueOne(alice, activity)
    const at = minutesAgo(60)
    // One gate: in at 0, out at 30. Another gate let a copy in at 15.
    await upload(alice, activity, [item(pass, at), item(pass, at + 30 * MINUTE, { direction: 'EXIT' })])
    expect(results(await upload(alice, activity, [item(pass, at + 15 * MINUTE)]))).toEqual(['DOUBLE_USE USED'])
    // The exit still allows one entry, and not two.
    expect(results(await upload(alice, activity, [item(pass, at + 50 * MINUTE)]))).toEqual(['ACCEPTED'])
    expect(results(await upload(alice, activity, [item(pass, at + 40 * MINUTE)]))).toEqual(['DOUBLE_USE USED'])
    expect(await passOf(pass.id, activity)).toMatchObject({ usedCount: 1, lastUsedAt: at + 50 * MINUTE })
    const doubles = await usesOf(alice, activity, { isDoubleUse: true })
    expect(doubles.items.map((use) => [use.result, use.reason, use.usedAt - at])).toEqual([
      ['REFUSED', 'USED', 40 * MINUTE],
      ['REFUSED', 'USED', 15 * MINUTE],
    ])
  })

  test('an entry that another gate made online is found too, and later entries online need an exit', async () => {
    const pass = await issueOne(alice, id)
    await redeemed(alice, id, { content: pass.qrContent! })
    expect(results(await upload(alice, id, [item(pass, minutesAgo(5))]))).toEqual(['DOUBLE_USE USED'])
    expect(verdict(await redeemed(alice, id, { content: pass.qrContent! }))).toBe('USED')
    const second = await issueOne(alice, id)
    await upload(alice, id, [item(second, minutesAgo(5))])
    expect(verdict(await redeemed(alice, id, { content: second.qrContent!, direction: 'EXIT' }))).toBe('valid')
    expect(verdict(await redeemed(alice, id, { content: second.qrContent! }))).toBe('valid')
  })
})

test('two gates that upload the same 120 redemptions at once count each once', async () => {
  const activity = (await withPasses(alice)).id
  const passes = await issued(alice, activity, { holders: guests(100) })
  // 20 of the passes were shown twice.
  const items = [...passes, ...passes.slice(0, 20)].map((pass, i) => item(pass, minutesAgo(60) + i))
  const uploads = await race(2, () => upload(alice, activity, items))
  const counts: Record<string, number> = {}
  for (const { result } of uploads.flat()) counts[result] = (counts[result] ?? 0) + 1
  expect(counts).toEqual({ ACCEPTED: 100, DOUBLE_USE: 20, DUPLICATE: 120 })
  expect((await getActivity(alice, activity)).stats).toMatchObject({ passUses: 100 })
  expect((await usesOf(alice, activity, { isDoubleUse: true })).total).toBe(20)
})
