/** Loans of assets: check-out, check-in, the list, and what happens when a loan is overdue. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { notifyOfDueLoans } from '#domains/assets/loans/notices.service.ts'

import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { addMembers, createOrg, leave, setRole, UNKNOWN_ID } from '../orgs/helpers.ts'
import { addAsset, addLocation } from './counting.ts'
import { deleteAsset, getAsset, scrapAsset, transfer, transfersOf } from './helpers.ts'

const { server, alice, bob, carol, guest, stranger } = useServer({
  people: ['alice', 'bob', 'carol', 'guest', 'stranger'],
})
let orgId: number
const DAY = 86_400_000

beforeAll(async () => {
  orgId = (await createOrg(alice)).id
  await addMembers(alice, { id: orgId }, bob, carol, guest)
  await setRole(alice, { id: orgId }, carol, 'ADMIN')
  await setRole(alice, { id: orgId }, guest, 'GUEST')
})

const checkOut = (person: Person, id: number, body: object) => person.call('assets.checkOut', { params: { id }, body })
const checkIn = (person: Person, id: number, body: object = {}) =>
  person.call('assets.checkIn', { params: { id }, body })
const loans = async (person: Person, query: object = {}) => ok(await person.call('assets.loans', { query })).data
const now = () => (inProcess ? server.clock.now() : Date.now())

describe('check-out and check-in', () => {
  test('an asset is lent to a member and returned, and shows its loan meanwhile', async () => {
    const asset = await addAsset(alice, { custodianId: carol.id }, orgId)
    const dueAt = now() + DAY
    const loan = ok(await checkOut(alice, asset.id, { userId: bob.id, dueAt, note: 'with charger' })).data
    expect(loan).toMatchObject({
      assetId: asset.id,
      userId: bob.id,
      personName: null,
      dueAt,
      overdue: false,
      note: 'with charger',
      condition: null,
      checkedInAt: null,
      operatorId: alice.id,
    })
    const lent = ok(await getAsset(bob, asset.id)).data
    expect(lent.loan).toEqual({ id: loan.id, userId: bob.id, personName: null, dueAt })
    expect([lent.custodianId, lent.version]).toEqual([carol.id, asset.version + 1])
    const ended = ok(await checkIn(carol, asset.id, { condition: 'DAMAGED', note: 'scratched' })).data
    expect(ended).toEqual({
      ...loan,
      condition: 'DAMAGED',
      returnNote: 'scratched',
      checkedInAt: ended.checkedInAt!,
    })
    expect(ended.checkedInAt).toBeGreaterThan(0)
    const back = ok(await getAsset(alice, asset.id)).data
    expect([back.loan, back.custodianId, back.version]).toEqual([null, carol.id, asset.version + 2])
    ok(await checkOut(alice, asset.id, { personName: 'Ms Chen' }))
  })

  test('a personal asset is lent to a person by name, or to its owner', async () => {
    const { id } = await addAsset(alice)
    expect(ok(await checkOut(alice, id, { personName: 'Ms Chen' })).data).toMatchObject({ personName: 'Ms Chen' })
    ok(await checkIn(alice, id))
    ok(await checkOut(alice, id, { userId: alice.id }))
    ok(await checkIn(alice, id))
    const reply = await checkOut(alice, id, { userId: bob.id })
    expect([reply.status, reply.details[0]?.path]).toEqual([400, 'body.userId'])
    expect(ok(await getAsset(alice, id)).data.loan).toBeNull()
  })

  test('a loan needs exactly one borrower, who is a member', async () => {
    const { id } = await addAsset(alice, {}, orgId)
    for (const [body, path] of [
      [{}, 'body.personName'],
      [{ userId: null, personName: null }, 'body.personName'],
      [{ userId: bob.id, personName: 'Ms Chen' }, 'body.personName'],
      [{ personName: '' }, 'body.personName'],
      [{ userId: stranger.id }, 'body.userId'],
      [{ userId: UNKNOWN_ID }, 'body.userId'],
    ] as const) {
      const reply = await checkOut(alice, id, body)
      expect([reply.status, reply.details[0]?.path]).toEqual([400, path])
    }
    expect((await loans(alice, { orgId, assetId: id })).total).toBe(0)
  })

  test('an asset that is on loan can be neither lent again nor deleted, and one that is not cannot be returned', async () => {
    const { id } = await addAsset(alice)
    expect((await checkIn(alice, id)).status).toBe(400)
    ok(await checkOut(alice, id, { personName: 'a' }))
    expect((await checkOut(alice, id, { personName: 'b' })).status).toBe(400)
    expect((await deleteAsset(alice, id)).status).toBe(400)
    ok(await checkIn(alice, id))
    ok(await deleteAsset(alice, id))
    expect((await checkOut(alice, id, { personName: 'a' })).status).toBe(404)
  })

  test('a scrapped asset cannot be lent, and one that is scrapped while it is on loan can be returned', async () => {
    const [scrapped, lent] = [await addAsset(alice, { isScrapped: true }), await addAsset(alice)]
    expect((await checkOut(alice, scrapped.id, { personName: 'a' })).status).toBe(400)
    ok(await checkOut(alice, lent.id, { personName: 'a' }))
    ok(await scrapAsset(alice, lent.id))
    ok(await checkIn(alice, lent.id))
  })

  test('a return to a location moves the asset and leaves a row in its history', async () => {
    const [here, there] = [await addLocation(alice, orgId), await addLocation(alice, orgId)]
    const { id } = await addAsset(alice, { locationId: here }, orgId)
    ok(await checkOut(alice, id, { userId: bob.id }))
    const refused = await checkIn(alice, id, { locationId: UNKNOWN_ID })
    expect([refused.status, refused.details[0]?.path]).toEqual([400, 'body.locationId'])
    expect(ok(await getAsset(alice, id)).data.loan).not.toBeNull()
    ok(await checkIn(alice, id, { locationId: there, note: 'front desk' }))
    expect(ok(await getAsset(alice, id)).data.locationId).toBe(there)
    expect((await transfersOf(alice, id))[0]).toMatchObject({
      fromLocationId: here,
      toLocationId: there,
      note: 'front desk',
    })
  })

  test('of 50 check-outs of one asset at once one succeeds', async () => {
    const { id } = await addAsset(alice)
    const replies = await race(50, (i) => checkOut(alice, id, { personName: `person ${i}` }))
    expect(replies.filter(({ status }) => status === 200).length).toBe(1)
    expect(replies.filter(({ status }) => status === 400).length).toBe(49)
    expect((await loans(alice, { assetId: id })).total).toBe(1)
  })

  test('of 50 check-ins of one asset at once one succeeds', async () => {
    const { id } = await addAsset(alice)
    ok(await checkOut(alice, id, { personName: 'a' }))
    const replies = await race(50, () => checkIn(alice, id))
    expect(replies.filter(({ status }) => status === 200).length).toBe(1)
  })

  test('loans need asset:transfer, and reading them asset:read', async () => {
    const { id } = await addAsset(alice, {}, orgId)
    for (const [person, status] of [
      [bob, 403],
      [guest, 404],
      [stranger, 404],
    ] as const) {
      expect((await checkOut(person, id, { personName: 'a' })).status).toBe(status)
      expect((await checkIn(person, id)).status).toBe(status)
    }
    for (const person of [guest, stranger])
      expect((await person.call('assets.loans', { query: { orgId } })).status).toBe(403)
    expect((await server.call('assets.loans')).status).toBe(401)
    ok(await checkOut(carol, id, { userId: guest.id }))
    expect((await loans(bob, { orgId, assetId: id })).total).toBe(1)
  })
})

describe('the list', () => {
  test('the list is filtered by state, asset and borrower, newest first', async () => {
    const org = (await createOrg(alice)).id
    await addMembers(alice, { id: org }, bob)
    const lend = async (body: object) => {
      const { id } = await addAsset(alice, {}, org)
      return ok(await checkOut(alice, id, body)).data
    }
    const returned = await lend({ userId: bob.id, dueAt: now() - DAY })
    ok(await checkIn(alice, returned.assetId))
    const late = await lend({ personName: 'a', dueAt: now() - 1 })
    const inTime = await lend({ userId: bob.id, dueAt: now() + DAY })
    const endless = await lend({ personName: 'b' })
    const ids = async (query: object) => (await loans(alice, { orgId: org, ...query })).items.map(({ id }) => id)
    const all = [endless.id, inTime.id, late.id, returned.id]
    expect(await ids({})).toEqual(all)
    expect(await ids({ page: 2, size: 3 })).toEqual([returned.id])
    expect(await ids({ open: true })).toEqual([endless.id, inTime.id, late.id])
    expect(await ids({ open: false })).toEqual([returned.id])
    expect(await ids({ overdue: true })).toEqual([late.id])
    expect(await ids({ overdue: false })).toEqual([endless.id, inTime.id, returned.id])
    expect(await ids({ userId: bob.id, open: true })).toEqual([inTime.id])
    expect(await ids({ assetId: late.assetId })).toEqual([late.id])
    expect((await loans(alice, { assetId: late.assetId })).total).toBe(0)
    expect((await loans(alice, { orgId: org, overdue: true })).items[0]).toMatchObject({ overdue: true })
  })

  test('the loans of an asset go with it to an organization', async () => {
    const { id } = await addAsset(alice)
    const loan = ok(await checkOut(alice, id, { personName: 'a' })).data
    ok(await transfer(alice, id, { toOrgId: orgId }))
    expect((await loans(alice, { assetId: id })).total).toBe(0)
    expect((await loans(alice, { orgId, assetId: id })).items.map((one) => one.id)).toEqual([loan.id])
    ok(await checkIn(carol, id))
  })
})

describe.if(inProcess)('overdue loans', () => {
  const notices = async (person: Person) =>
    ok(await person.call('notifications.list', { query: { size: 100 } })).data.items.filter(
      ({ data }) => data['event'] === 'LOAN_OVERDUE',
    )

  test('the borrower and the user who handed it out are notified of an overdue loan once a week', async () => {
    const { id } = await addAsset(alice, { name: 'Drill' }, orgId)
    const loan = ok(await checkOut(alice, id, { userId: bob.id, dueAt: now() + DAY })).data
    await notifyOfDueLoans(server.ctx)
    expect((await notices(bob)).filter(({ data }) => data['loanId'] === loan.id)).toEqual([])
    server.clock.advance(DAY + 1000)
    await notifyOfDueLoans(server.ctx)
    await notifyOfDueLoans(server.ctx)
    server.clock.advance(3 * DAY)
    await notifyOfDueLoans(server.ctx)
    const found = (await notices(bob)).filter(({ data }) => data['loanId'] === loan.id)
    expect(found.length).toBe(1)
    expect(found[0]).toMatchObject({ type: 'ASSET', data: { assetId: id, orgId, loanId: loan.id } })
    expect(found[0]!.body).toContain('Drill')
    expect((await notices(alice)).filter(({ data }) => data['loanId'] === loan.id)).toHaveLength(1)
  })

  test('the user who lent an asset to a person without an account is notified', async () => {
    const { id } = await addAsset(alice)
    ok(await checkOut(alice, id, { personName: 'Ms Chen', dueAt: now() - 1 }))
    await notifyOfDueLoans(server.ctx)
    const [notice] = (await notices(alice)).filter(({ data }) => data['assetId'] === id)
    expect(notice!.body).toContain('Ms Chen')
  })

  test('users who have left the organization are not told of its loans, but those who remain are', async () => {
    const [borrower, lender] = [await server.person(), await server.person()]
    await addMembers(alice, { id: orgId }, borrower, lender)
    await setRole(alice, { id: orgId }, lender, 'ADMIN')
    const [drill, saw] = [await addAsset(alice, {}, orgId), await addAsset(alice, {}, orgId)]
    ok(await checkOut(lender, drill.id, { userId: borrower.id, dueAt: now() - 1 }))
    ok(await checkOut(lender, saw.id, { personName: 'Ms Chen', dueAt: now() - 1 }))
    ok(await leave(borrower, { id: orgId }))
    await notifyOfDueLoans(server.ctx)
    expect(await notices(borrower)).toEqual([])
    const told = async (person: Person, id: number) =>
      (await notices(person)).filter(({ data }) => [data['assetId'], data['assetIds'] ?? []].flat().includes(id)).length
    expect([await told(lender, drill.id), await told(lender, saw.id)]).toEqual([1, 1])
    const later = await addAsset(alice, {}, orgId)
    ok(await checkOut(lender, later.id, { personName: 'Ms Chen', dueAt: now() - 1 }))
    ok(await leave(lender, { id: orgId }))
    await notifyOfDueLoans(server.ctx)
    expect([await told(lender, later.id), await told(alice, later.id)]).toEqual([0, 1])
  })

  test('nobody is notified of a loan that was returned, or that has no due date', async () => {
    const [returned, endless] = [await addAsset(alice), await addAsset(alice)]
    ok(await checkOut(alice, returned.id, { personName: 'a', dueAt: now() - 1 }))
    ok(await checkOut(alice, endless.id, { personName: 'a' }))
    ok(await checkIn(alice, returned.id))
    await notifyOfDueLoans(server.ctx)
    const ids = (await notices(alice)).map(({ data }) => data['assetId'])
    expect(ids).not.toContain(returned.id)
    expect(ids).not.toContain(endless.id)
  })

  test('more overdue loans than one write notifies of are all notified of, those of each write together', async () => {
    const me = await server.person()
    for (let i = 0; i < 220; i++) {
      const { id } = await addAsset(me)
      ok(await checkOut(me, id, { personName: 'a', dueAt: now() - 1000 }))
    }
    await notifyOfDueLoans(server.ctx)
    const told = (await notices(me)).flatMap(({ data }) => data['loanIds'] as number[])
    expect(new Set(told).size).toBe(220)
    expect((await notices(me)).length).toBeLessThan(10)
  })
})
