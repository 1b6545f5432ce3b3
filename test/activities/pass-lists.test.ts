/** Lists, files, revocation and expiry of passes. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { unzipSync } from 'fflate'

import { activities } from '#domains/activities/index.ts'
import { DAY, HOUR } from '#platform/clock.ts'

import { inProcess, ok, type Person, race, startServer, useServer } from '../harness/index.ts'
import { readByZxing } from '../lib/qr-pictures.ts'
import { addMembers, createOrg, type Org, setRole } from '../orgs/helpers.ts'
import { getActivity, setStatus, update } from './helpers.ts'
import { guests, issue, issued, withPasses } from './pass-helpers.ts'

const { server, alice, bob, carol, mallory } = useServer({ people: ['alice', 'bob', 'carol', 'mallory'] })
let org: Org

beforeAll(async () => {
  org = await createOrg(alice)
  await addMembers(alice, org, bob, carol)
})

type Query = Parameters<typeof list>[2]
const request = (person: Person, id: number, query: Record<string, string | number> = {}) =>
  person.call('passes.list', { params: { id }, query: query as never })
const list = async (person: Person, id: number, query: Record<string, string | number> = {}) =>
  ok(await request(person, id, query)).data
const names = async (person: Person, id: number, query?: Query) =>
  (await list(person, id, query)).items.map(({ holderName }) => holderName)
const revoke = (person: Person, passId: number, reason?: string) =>
  person.call('passes.revoke', { params: { passId }, body: reason === undefined ? {} : { reason } })

describe('GET /api/activities/:id/pass/passes', () => {
  test('shows managers all passes, the newest first, and other users only their own', async () => {
    const { id } = await withPasses(alice, { orgId: org.id, visibility: 'RESTRICTED' })
    await issued(alice, id, { holders: guests(5) })
    const [ofBob] = await issued(alice, id, { userId: bob.id })
    expect(await list(alice, id, { size: 2 })).toMatchObject({ total: 6, items: [ofBob!, { holderName: 'Guest 5' }] })
    expect(await names(alice, id, { page: 3, size: 2 })).toEqual(['Guest 2', 'Guest 1'])
    expect((await list(bob, id)).items).toEqual([ofBob!])
    expect(await list(carol, id)).toEqual({ items: [], total: 0, page: 1, size: 20 })
    expect((await list(bob, id, { userId: bob.id })).total).toBe(1)
    expect((await list(bob, id, { userId: alice.id })).total).toBe(0)
    expect((await request(mallory, id)).status).toBe(404)
    await setRole(alice, org, carol, 'ADMIN')
    expect((await list(carol, id)).total).toBe(6)
    await setRole(alice, org, carol, 'MEMBER')
  })

  test('shows holders their passes of an activity by invitation only, without the code', async () => {
    const { id, inviteCode } = await withPasses(alice)
    await issued(alice, id, { userId: bob.id })
    expect((await list(bob, id)).total).toBe(1)
    expect((await request(mallory, id)).status).toBe(403)
    expect(await list(mallory, id, { code: inviteCode! })).toMatchObject({ items: [], total: 0 })
  })

  test('is filtered by status, keyword and user', async () => {
    const { id } = await withPasses(alice)
    const [expired] = await issued(alice, id, { holderName: 'Ended', validTo: Date.now() - HOUR })
    const [revoked] = await issued(alice, id, { holderName: 'Lost', validTo: Date.now() - HOUR })
    const [live] = await issued(alice, id, { holderName: '王小明', fields: { Seat: 'Row 100%' } })
    const [ofBob] = await issued(alice, id, { userId: bob.id })
    ok(await revoke(alice, revoked!.id))
    expect(await names(alice, id, { status: 'EXPIRED' })).toEqual([expired!.holderName])
    expect(await names(alice, id, { status: 'REVOKED' })).toEqual(['Lost'])
    expect(await names(alice, id, { status: 'ISSUED' })).toEqual([ofBob!.holderName, '王小明'])
    expect(await names(alice, id, { status: 'USED' })).toEqual([])
    for (const keyword of ['小明', '100%', live!.uuid]) expect(await names(alice, id, { keyword })).toEqual(['王小明'])
    expect(await names(alice, id, { keyword: 'Seat%' })).toEqual([])
    expect(await names(alice, id, { userId: bob.id })).toEqual([ofBob!.holderName])
    expect((await request(alice, id, { status: 'LOST' })).status).toBe(400)
    expect((await server.request('GET', `/api/activities/${id}/pass/passes`)).status).toBe(401)
  })
})

describe('Files of passes', () => {
  test('a table contains the passes that the filters select, in the order of their issue', async () => {
    const { id } = await withPasses(alice)
    const passes = await issued(alice, id, {
      holders: [...guests(120), { name: '王小明, "A"', fields: { Seat: '1' } }],
    })
    const { text, headers } = await request(alice, id, { format: 'csv' })
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const lines = text.trim().split('\r\n')
    expect(lines).toHaveLength(122)
    expect(lines[1]).toContain(`,${passes[0]!.uuid},Guest 1,`)
    expect(lines[121]).toContain('"王小明, ""A""",,Seat: 1,ISSUED,')
    expect(lines[121]).toContain(passes[120]!.qrContent!)
    const some = (await request(alice, id, { format: 'csv', keyword: '小明' })).text.trim().split('\r\n')
    expect(some).toEqual([lines[0]!, lines[121]!])
  })

  test('a zip contains a picture of each code, which a scanner reads, and the table', async () => {
    const { id } = await withPasses(alice)
    const passes = await issued(alice, id, { holders: [{ name: 'A' }, { name: 'A' }, { name: 'b/c' }] })
    const { bytes } = await request(alice, id, { format: 'zip' })
    const files = new Map(Object.entries(unzipSync(bytes)))
    expect([...files.keys()]).toEqual(['A.png', 'A (2).png', 'b_c.png', 'index.csv'])
    const contents = await Promise.all([...files.values()].slice(0, 3).map((png) => readByZxing(png)))
    expect(contents.map((read) => read?.text)).toEqual(passes.map(({ qrContent }) => qrContent!))
  })

  test('are refused to users who do not manage the activity', async () => {
    const { id } = await withPasses(alice, { visibility: 'PUBLIC' })
    await issued(alice, id, { userId: bob.id })
    for (const person of [bob, mallory]) expect((await request(person, id, { format: 'csv' })).status).toBe(403)
    expect((await request(alice, id, { format: 'doc' })).status).toBe(400)
  })
})

describe('PUT /api/passes/:passId/revoke', () => {
  test('revokes a pass once and for all, and its holder can get a new one', async () => {
    const { id } = await withPasses(alice)
    const [pass] = await issued(alice, id, { userId: bob.id })
    const revoked = ok(await revoke(alice, pass!.id, 'Lost')).data
    expect(revoked).toEqual({ ...pass!, status: 'REVOKED', revokedAt: expect.any(Number), revokeReason: 'Lost' })
    expect(ok(await revoke(alice, pass!.id, 'Stolen')).data).toEqual(revoked)
    expect((await list(bob, id)).items).toEqual([revoked])
    expect(await issued(alice, id, { userId: bob.id })).toHaveLength(1)
  })

  test('answers 403 to the holder and 404 to everyone else, and changes nothing', async () => {
    const { id } = await withPasses(alice, { visibility: 'PUBLIC', orgId: org.id })
    const [pass] = await issued(alice, id, { userId: bob.id })
    expect((await revoke(bob, pass!.id)).status).toBe(403)
    for (const person of [carol, mallory]) expect((await revoke(person, pass!.id)).status).toBe(404)
    expect((await revoke(alice, 999_999)).status).toBe(404)
    expect((await server.request('PUT', `/api/passes/${pass!.id}/revoke`, { body: {} })).status).toBe(401)
    expect((await list(bob, id)).items).toEqual([pass!])
    await setRole(alice, org, carol, 'ADMIN')
    expect((await revoke(carol, pass!.id)).status).toBe(200)
    await setRole(alice, org, carol, 'MEMBER')
  })

  test('50 requests at once revoke a pass once', async () => {
    const { id } = await withPasses(alice)
    const [pass] = await issued(alice, id, { holderName: 'A' })
    const answers = await race(50, (i) => revoke(alice, pass!.id, `reason ${i}`))
    expect(new Set(answers.map((answer) => JSON.stringify(ok(answer).data))).size).toBe(1)
  })

  test('also revokes a pass of an activity that has ended, and none of a deleted activity', async () => {
    const { id } = await withPasses(alice)
    const [first, second] = await issued(alice, id, { holders: guests(2) })
    await setStatus(alice, id, 'ENDED')
    expect((await revoke(alice, first!.id)).status).toBe(200)
    ok(await alice.call('activities.delete', { params: { id } }))
    expect((await revoke(alice, second!.id)).status).toBe(404)
    expect((await request(alice, id)).status).toBe(404)
    expect((await issue(alice, id, { holderName: 'A' })).status).toBe(404)
  })
})

test('a deleted account leaves its pass to the activity, and no pass or record shows the name any longer', async () => {
  const { id } = await withPasses(alice)
  const user = await server.person()
  const [pass] = await issued(alice, id, { userId: user.id })
  const verified = await alice.call('passes.verify', { params: { id }, body: { passUuid: pass!.uuid, redeem: true } })
  expect(ok(verified).data.use!.holderName).toBe(pass!.holderName)
  ok(await user.call('auth.deleteAccount'))
  const [left] = (await list(alice, id)).items
  expect(left).toEqual({
    ...pass!,
    holderName: 'Deleted user',
    usedCount: 1,
    status: 'USED',
    lastUsedAt: left!.lastUsedAt,
  })
  const records = ok(await alice.call('passes.activityRecords', { params: { id } })).data.items
  expect(records.map(({ holderName }) => holderName)).toEqual(['Deleted user'])
})

test.if(inProcess)('the job ends passes whose validity has ended, however many, and frees their holders', async () => {
  await using here = await startServer()
  const owner = await here.person('owner')
  const holder = await here.person('holder')
  const { id, endTime } = await withPasses(owner, { endTime: Date.now() + DAY })
  await issued(owner, id, { holders: [...guests(1100), { userId: holder.id }] })
  const [later] = await issued(owner, id, { holderName: 'later', validTo: endTime + DAY })
  here.clock.advance(endTime - here.clock.now() + HOUR)
  const page = async () => (await list(owner, id, { size: 100 })).items.map(({ status }) => status)
  expect(new Set((await page()).slice(1))).toEqual(new Set(['EXPIRED']))
  await activities.jobs.find(({ name }) => name === 'passes.expire')!.run(here.ctx)
  expect(await page()).toEqual([later!.status, ...Array.from({ length: 99 }, () => 'EXPIRED' as const)])
  expect((await list(owner, id, { status: 'EXPIRED' })).total).toBe(1101)
  expect(await issued(owner, id, { userId: holder.id, validTo: endTime + DAY })).toHaveLength(1)
  expect((await getActivity(owner, id)).stats?.passes).toBe(1103)
  expect((await update(owner, id, { name: 'x' })).status).toBe(200)
})
