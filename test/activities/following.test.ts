/** Passes that follow the end of their activity, and changes of single passes. */

import { beforeAll, describe, expect, test } from 'bun:test'
import { resolve } from 'node:path'

import { activities } from '#domains/activities/index.ts'
import type { UpdatePass } from '#domains/activities/pass-changes/pass-changes.model.ts'
import { decodeToken } from '#domains/activities/pass-keys/pass-keys.rules.ts'
import { DAY, HOUR } from '#platform/clock.ts'

import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'
import { issueOne, nonce, redeemed, revoke, upload, verdict, verified } from './gate-helpers.ts'
import { setStatus, update } from './helpers.ts'
import { createTemplate, guests, issued, withPasses } from './pass-helpers.ts'

interface Verifier {
  verifyPass(input: object): Promise<{
    valid: boolean
    reason: string | null
    pass: { validFrom: number | null; validTo: number | null } | null
  }>
  verifyRevocations(input: object): Promise<boolean>
}
const verifier = resolve(import.meta.dir, '../../docs/pass-verifier.js')
const { verifyPass, verifyRevocations } = (await import(verifier)) as Verifier

const { server, alice, bob, carol } = useServer({ people: ['alice', 'bob', 'carol'] })

const getPass = (person: Person, passId: number) => person.call('passes.get', { params: { passId } })
const pass = async (passId: number) => ok(await getPass(alice, passId)).data
const change = (person: Person, passId: number, body: UpdatePass) =>
  person.call('passes.update', { params: { passId }, body })
const changed = async (passId: number, body: UpdatePass) => ok(await change(alice, passId, body)).data
const list = async (id: number, query: object = {}) =>
  ok(await alice.call('passes.list', { params: { id }, query: { size: 100, ...query } })).data
const lists = async (id: number, since?: number) =>
  ok(await alice.call('passes.revocations', { params: { id }, query: since === undefined ? {} : { since } })).data
const keysOf = async (id: number) => ok(await server.call('passes.keys', { params: { id } })).data.keys

/** An activity that ends in an hour by the clock of the server. */
const endingSoon = async (fields: object = {}) => {
  const now = server.clock.now()
  return withPasses(alice, { startTime: now - DAY, endTime: now + HOUR, ...fields })
}
const move = async (id: number, endTime: number) => ok(await update(alice, id, { endTime }))

const noticesOf = async (person: Person, activityId: number): Promise<string[]> =>
  ok(await person.call('notifications.list', { query: { size: 100 } }))
    .data.items.filter(({ data }) => data['activityId'] === activityId)
    .map(({ title }) => title)

describe('A pass that is issued without an end', () => {
  test('has the end of its activity wherever it is read, also after that is moved', async () => {
    const { id, endTime } = await withPasses(alice)
    const [one] = await issued(alice, id, { userId: bob.id })
    expect(one).toMatchObject({ followsActivity: true, validTo: endTime })
    const moved = endTime + 10 * DAY
    await move(id, moved)
    expect(await pass(one!.id)).toMatchObject({ followsActivity: true, validTo: moved })
    expect((await list(id)).items[0]).toMatchObject({ validTo: moved })
    expect((await list(id, { keyword: one!.uuid })).items[0]).toMatchObject({ validTo: moved })
    expect((await verified(server, id, { passUuid: one!.uuid })).pass).toMatchObject({ validTo: moved })
    const page = await fetch(one!.publicUrl.replace(/^https?:\/\/[^/]+/, server.url), {
      headers: { accept: 'application/json' },
    })
    expect(((await page.json()) as { data: unknown }).data).toMatchObject({ validTo: moved })
    expect(ok(await bob.call('passes.list', { params: { id } })).data.items[0]).toMatchObject({ validTo: moved })
  })

  test('has no end in its code, which stays the same when the end is moved', async () => {
    const { id, endTime } = await withPasses(alice)
    const one = await issueOne(alice, id)
    expect(decodeToken(one.qrContent!)!.validTo).toBeNull()
    await move(id, endTime + DAY)
    expect((await pass(one.id)).qrContent).toBe(one.qrContent)
  })

  test('does not follow if the request, the template or the activity gives an end', async () => {
    const { id, endTime } = await withPasses(alice)
    const validTo = endTime - DAY
    expect(await issueOne(alice, id, { validTo })).toMatchObject({ followsActivity: false, validTo })
    const template = await createTemplate(alice, { validDays: 3 })
    const [byTemplate] = await issued(alice, id, { holderName: 'Guest', templateId: template.id })
    expect(byTemplate!.followsActivity).toBe(false)
    ok(await update(alice, id, { passConfig: { validTo } }))
    expect(await issueOne(alice, id)).toMatchObject({ followsActivity: false, validTo })
  })

  test('expires at the end, and lives again when the end is moved to a later time', async () => {
    const { id, endTime } = await endingSoon()
    const [one, used] = await issued(alice, id, { holders: [{ userId: bob.id }, { name: 'Guest' }] })
    expect(verdict(await redeemed(alice, id, { passUuid: used!.uuid }))).toBe('valid')
    server.clock.advance(2 * HOUR)
    for (const job of activities.jobs) if (inProcess && job.name === 'passes.expire') await job.run(server.ctx)
    expect([(await pass(one!.id)).status, (await pass(used!.id)).status]).toEqual(['EXPIRED', 'EXPIRED'])
    expect(verdict(await verified(server, id, { passUuid: one!.uuid }))).toBe('EXPIRED')
    expect((await list(id, { status: 'EXPIRED' })).total).toBe(2)
    await move(id, endTime + 10 * DAY)
    expect([(await pass(one!.id)).status, (await pass(used!.id)).status]).toEqual(['ISSUED', 'USED'])
    expect((await list(id, { status: 'ISSUED' })).items.map((row) => row.id)).toEqual([one!.id])
    expect((await list(id, { status: 'EXPIRED' })).total).toBe(0)
    expect(verdict(await redeemed(alice, id, { passUuid: one!.uuid }))).toBe('valid')
    await move(id, server.clock.now() - HOUR)
    expect((await list(id, { status: 'EXPIRED' })).total).toBe(2)
  })

  test('keeps its old end if its holder got another live pass meanwhile', async () => {
    const { id, endTime } = await endingSoon()
    const [old] = await issued(alice, id, { userId: bob.id })
    server.clock.advance(2 * HOUR)
    const [next] = await issued(alice, id, { userId: bob.id, validTo: endTime + 30 * DAY })
    await move(id, endTime + 10 * DAY)
    expect(await pass(old!.id)).toMatchObject({ status: 'EXPIRED', followsActivity: false, validTo: endTime })
    expect((await pass(next!.id)).status).toBe('ISSUED')
    const { changed: entries } = await lists(id)
    expect(entries).toEqual([{ uuid: old!.uuid, validFrom: null, validTo: endTime, followsActivity: false }])
    const refused = await change(alice, old!.id, { followsActivity: true })
    expect(refused.status).toBe(400)
  })

  test('counts as the live pass of its holder after the end is moved', async () => {
    const { id, endTime } = await endingSoon()
    await issued(alice, id, { userId: bob.id })
    server.clock.advance(2 * HOUR)
    await move(id, endTime + 10 * DAY)
    const again = await alice.call('passes.issue', { params: { id }, body: { userId: bob.id } })
    expect(again.status).toBe(400)
    const off = await update(alice, id, { hasPass: false })
    expect(off.status).toBe(400)
  })

  test('is refused as ACTIVITY_NOT_ACTIVE when the activity is cancelled, and keeps its status', async () => {
    const { id } = await withPasses(alice)
    const one = await issueOne(alice, id)
    await setStatus(alice, id, 'CANCELLED')
    expect((await pass(one.id)).status).toBe('ISSUED')
    expect(verdict(await verified(server, id, { passUuid: one.uuid }))).toBe('ACTIVITY_NOT_ACTIVE')
  })
})

describe('700 passes of an activity whose end is moved by ten days', () => {
  const PASSES = 700
  test('are valid a second after the old end, online and without a connection', async () => {
    const { id, endTime } = await endingSoon()
    const all = await issued(alice, id, { holders: guests(PASSES) })
    // Codes that were printed when the pass had an end of its own.
    const printed = new Map<string, string>()
    for (const { id: passId, uuid } of all.slice(0, 5)) {
      printed.set(uuid, (await changed(passId, { followsActivity: false })).qrContent!)
      await changed(passId, { followsActivity: true })
    }
    const keys = await keysOf(id)
    const before = await lists(id)
    const moved = endTime + 10 * DAY
    await move(id, moved)
    server.clock.advance(endTime + 1000 - server.clock.now())
    const now = endTime + 1000
    const online = await race(20, (i) => verified(server, id, { passUuid: all[i * 35]!.uuid }))
    expect(online.every(({ valid }) => valid)).toBe(true)
    const revocations = await lists(id)
    expect(await verifyRevocations({ revocations, keys, activityId: id })).toBe(true)
    const offline = async (content: string, given?: typeof revocations, at = now) =>
      verifyPass({ content, keys, activityId: id, now: at, ...(given && { revocations: given }) })
    let valid = 0
    for (const { uuid, qrContent } of all)
      if ((await offline(printed.get(uuid) ?? qrContent!, revocations)).valid) valid++
    expect(valid).toBe(PASSES)
    const [old] = [...printed.values()]
    const fresh = all.at(-1)!.qrContent!
    // By the list from before the change, a printed end counts as long as nothing newer is known.
    expect((await offline(fresh, before)).reason).toBe('EXPIRED')
    expect((await offline(old!)).reason).toBe('EXPIRED')
    expect((await offline(fresh)).valid).toBe(true)
    expect((await offline(fresh, revocations, moved + 1000)).reason).toBe('EXPIRED')
    expect((await offline(old!, revocations, moved + 1000)).reason).toBe('EXPIRED')
    // A scan that a phone uploads later is judged by the present end.
    const items = [fresh, old!].map((content) => ({ content, nonce: nonce(), usedAt: now - 500 }))
    expect((await upload(alice, id, items)).map(({ result }) => result)).toEqual(['ACCEPTED', 'ACCEPTED'])
  })

  test('are not rewritten when the end is moved', async () => {
    const { id, endTime } = await endingSoon()
    const [one] = await issued(alice, id, { holders: guests(1) })
    const { until } = await lists(id)
    await move(id, endTime + DAY)
    const { activity, changed: entries } = await lists(id, until)
    expect([activity.endTime, entries]).toEqual([endTime + DAY, []])
    expect((await verifyPass({ content: one!.qrContent!, keys: await keysOf(id) })).valid).toBe(true)
  })
})

describe('The list of changes', () => {
  test('is signed, names passes in the order of their change, and continues from until', async () => {
    const { id, endTime } = await withPasses(alice)
    const [a, b, c] = await issued(alice, id, { holders: guests(3) })
    const validTo = endTime + DAY
    await changed(b!.id, { validTo })
    const first = await lists(id)
    expect(first.changed).toEqual([{ uuid: b!.uuid, validFrom: null, validTo, followsActivity: false }])
    const validFrom = endTime - DAY
    await changed(a!.id, { validFrom })
    await changed(c!.id, { maxUses: 5 })
    const second = await lists(id, first.until)
    expect(second.changed).toEqual([{ uuid: a!.uuid, validFrom, validTo: endTime, followsActivity: true }])
    const keys = await keysOf(id)
    const check = (revocations: typeof second) => verifyRevocations({ revocations, keys, activityId: id })
    expect(await check(second)).toBe(true)
    expect(await check({ ...second, changed: [] })).toBe(false)
    expect(await check({ ...second, activity: { ...second.activity, endTime: 1 } })).toBe(false)
    const { changesSignature: _, ...without } = second
    expect(await check(without as typeof second)).toBe(false)
    const { activity: __, changed: ___, changesSignature: ____, ...old } = second
    expect(await verifyRevocations({ revocations: old, keys, activityId: id })).toBe(true)
    const { pass: shown, reason } = await verifyPass({ content: a!.qrContent!, keys, revocations: second })
    expect([reason, shown!.validFrom, shown!.validTo]).toEqual(['NOT_YET_VALID', validFrom, endTime])
  })
})

describe('PATCH /api/passes/:passId', () => {
  test('changes the fields that are given, and its code stays good', async () => {
    const { id, endTime } = await withPasses(alice)
    const [one] = await issued(alice, id, { holderName: 'Lin', fields: { Seat: 'A1', Row: '4' } })
    const validTo = endTime + DAY
    const after = await changed(one!.id, {
      holderName: 'Lin Mei',
      validTo,
      maxUses: 3,
      fields: { Seat: 'B2', Row: '', Table: '9' },
    })
    expect(after).toMatchObject({ holderName: 'Lin Mei', validTo, followsActivity: false, maxUses: 3 })
    expect(after.fields).toEqual([
      { key: 'Seat', label: 'Seat', value: 'B2' },
      { key: 'Table', label: 'Table', value: '9' },
    ])
    expect(decodeToken(after.qrContent!)!.validTo).toBe(Math.floor(validTo / 1000) * 1000)
    expect(verdict(await verified(server, id, { content: one!.qrContent! }))).toBe('valid')
    expect(await changed(one!.id, { validTo: null })).toMatchObject({ followsActivity: true, validTo: endTime })
    expect(await changed(one!.id, { followsActivity: false })).toMatchObject({
      followsActivity: false,
      validTo: endTime,
    })
  })

  test('makes a pass with fewer entries than were used USED, and valid again with more', async () => {
    const { id } = await withPasses(alice)
    const one = await issueOne(alice, id, { maxUses: 3 })
    for (let i = 0; i < 2; i++) await redeemed(alice, id, { passUuid: one.uuid, nonce: nonce() })
    expect((await changed(one.id, { maxUses: 1 })).status).toBe('USED')
    expect((await changed(one.id, { maxUses: 5 })).status).toBe('ISSUED')
  })

  test('makes an expired pass live again, unless its holder has another one', async () => {
    const { id, endTime } = await withPasses(alice)
    const now = server.clock.now()
    const [old] = await issued(alice, id, { userId: bob.id, validTo: now + HOUR })
    server.clock.advance(2 * HOUR)
    expect((await pass(old!.id)).status).toBe('EXPIRED')
    expect((await changed(old!.id, { validTo: endTime })).status).toBe('ISSUED')
    expect((await alice.call('passes.issue', { params: { id }, body: { userId: bob.id } })).status).toBe(400)
    expect((await changed(old!.id, { validTo: server.clock.now() - 1 })).status).toBe('EXPIRED')
    const [next] = await issued(alice, id, { userId: bob.id })
    expect((await change(alice, old!.id, { validTo: endTime })).status).toBe(400)
    await revoke(alice, next!.id)
    expect((await changed(old!.id, { validTo: endTime })).status).toBe('ISSUED')
  })

  test('notifies the holder once of other times, and of nothing else', async () => {
    const { id, endTime } = await withPasses(alice, { name: 'Fair' })
    const [one] = await issued(alice, id, { userId: carol.id })
    await changed(one!.id, { validTo: endTime - DAY })
    await changed(one!.id, { validTo: endTime - DAY })
    await changed(one!.id, { maxUses: 4 })
    await revoke(alice, one!.id)
    await revoke(alice, one!.id)
    expect((await noticesOf(carol, id)).toSorted()).toEqual([
      'Your pass for Fair',
      'Your pass for Fair has changed',
      'Your pass for Fair was revoked',
    ])
  })

  test.each([
    ['an end before the start', { validFrom: 2_000_000_000_000, validTo: 1_900_000_000_000 }],
    ['a start after the end of the activity', { validFrom: 4_000_000_000_000 }],
    ['an end and following', { validTo: 4_000_000_000_000, followsActivity: true }],
    ['no end and not following', { validTo: null, followsActivity: false }],
    ['uses below 0', { maxUses: -1 }],
    ['an empty name', { holderName: '' }],
    ['a field that is too long', { fields: { Seat: 'x'.repeat(201) } }],
    ['a field without a label', { fields: { ' ': 'x' } }],
  ])('refuses %s with 400 and changes nothing', async (_, body) => {
    const { id } = await withPasses(alice)
    const one = await issueOne(alice, id)
    expect((await change(alice, one.id, body)).status).toBe(400)
    expect(await pass(one.id)).toEqual({ ...one, lists: [] })
  })

  test('refuses fields that the template of the pass does not have, and takes those that it has', async () => {
    const { id } = await withPasses(alice)
    const template = await createTemplate(alice, { fields: [{ key: 'seat', label: 'Seat' }] })
    const [one] = await issued(alice, id, { holderName: 'Guest', templateId: template.id })
    expect((await change(alice, one!.id, { fields: { table: '1' } })).status).toBe(400)
    expect((await changed(one!.id, { fields: { seat: '7' } })).fields).toEqual([
      { key: 'seat', label: 'Seat', value: '7' },
    ])
  })

  test('refuses a revoked pass with 400', async () => {
    const { id } = await withPasses(alice)
    const one = await issueOne(alice, id)
    await revoke(alice, one.id)
    expect((await change(alice, one.id, { maxUses: 2 })).status).toBe(400)
  })
})

describe('Who may', () => {
  let passId: number
  beforeAll(async () => {
    const org = await createOrg(alice)
    await addMembers(alice, org, bob)
    const { id } = await withPasses(alice, { orgId: org.id, visibility: 'RESTRICTED' })
    const [one] = await issued(alice, id, { userId: bob.id })
    passId = one!.id
  })

  test('read a pass: managers and the holder; others get 404', async () => {
    expect((await getPass(alice, passId)).status).toBe(200)
    expect(ok(await getPass(bob, passId)).data.qrContent).not.toBeNull()
    expect((await getPass(carol, passId)).status).toBe(404)
    expect((await server.call('passes.get', { params: { passId } })).status).toBe(401)
    expect((await getPass(alice, 999_999)).status).toBe(404)
  })

  test('change a pass: managers; the holder gets 403 and others 404', async () => {
    expect((await change(bob, passId, { maxUses: 9 })).status).toBe(403)
    expect((await change(carol, passId, { maxUses: 9 })).status).toBe(404)
    expect((await server.call('passes.update', { params: { passId }, body: { maxUses: 9 } })).status).toBe(401)
    expect((await pass(passId)).maxUses).toBe(1)
  })
})
