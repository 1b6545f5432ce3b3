/** Reservations and loans as time goes by: they expire, and people are reminded. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { notifyOfDueLoans } from '#domains/assets/loans/notices.service.ts'
import { announcePickUps, expireReservations } from '#domains/assets/reservations/jobs.service.ts'

import { inProcess, ok, type Person, useServer } from '../harness/index.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'
import { addAsset } from './counting.ts'
import * as calls from './reserving.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const MINUTE = 60_000

const { server, alice, bob, carol } = useServer({
  people: ['alice', 'bob', 'carol'],
})
let orgId: number
/** Of tablets, which need no approval. */
let free: number
/** Of cameras, whose requests keepers decide. */
let decided: number

const now = () => (inProcess ? server.clock.now() : Date.now())
/** A time some hours from now. */
const at = (hours: number) => now() + hours * HOUR
const span = (from: number, to: number) => ({ from: at(from), to: at(to) })

const reserve = (person: Person, body: Partial<calls.Body>) => calls.reserve(person, { orgId, ...body })
const reserved = async (person: Person, body: Partial<calls.Body>) => ok(await reserve(person, body)).data
const { act, get, list } = calls

const category = async (booking: object | null, parentId?: number) => calls.addCategory(alice, orgId, booking, parentId)
const asset = (categoryId: number | null, fields: object = {}) => addAsset(alice, { categoryId, ...fields }, orgId)
const notices = (person: Person, event: string, id?: number) => calls.notices(person, event, id)

beforeAll(async () => {
  orgId = (await createOrg(alice)).id
  await addMembers(alice, { id: orgId }, bob, carol)
  free = await category({ bookable: true, approval: 'NONE' })
  decided = await category({ bookable: true })
})

describe.if(inProcess)('time', () => {
  test('a request that nobody decides expires at its beginning, and one that nobody picks up later', async () => {
    const slow = await category({ bookable: true, approval: 'NONE', noShowHours: 1 })
    const [one, two] = [await asset(decided), await asset(slow)]
    const asked = await reserved(bob, { items: [{ assetId: one.id }], ...span(1, 6) })
    const missed = await reserved(bob, { items: [{ assetId: two.id }], ...span(1, 6) })
    server.clock.advance(HOUR + 1000)
    expect(ok(await get(bob, asked.id)).data.status).toBe('EXPIRED')
    expect((await act(alice, 'approve', asked.id)).status).toBe(400)
    expect((await list(alice, { orgId, assetId: one.id, status: 'EXPIRED' })).total).toBe(1)
    // Free at once, before the job has run.
    await reserved(carol, { items: [{ assetId: one.id }], ...span(1, 2) })
    expect((await reserve(carol, { items: [{ assetId: two.id }], ...span(0, 1) })).status).toBe(400)
    server.clock.advance(HOUR)
    await expireReservations(server.ctx)
    await expireReservations(server.ctx)
    expect(ok(await get(bob, missed.id)).data.status).toBe('EXPIRED')
    expect(await notices(bob, 'EXPIRED', asked.id)).toHaveLength(1)
    expect(await notices(bob, 'EXPIRED', missed.id)).toHaveLength(1)
    await reserved(carol, { items: [{ assetId: two.id }], ...span(0, 1) })
    expect((await act(alice, 'pick-up', missed.id, {})).status).toBe(400)
  })

  test('assets that were not picked up of a reservation that is out are given back at its end', async () => {
    const [one, two] = [await asset(free), await asset(free)]
    const made = await reserved(bob, { items: [{ assetId: one.id }, { assetId: two.id }], ...span(0, 2) })
    ok(await act(alice, 'pick-up', made.id, { assetIds: [one.id] }))
    ok(await act(alice, 'return', made.id, { assetIds: [one.id] }))
    expect(ok(await get(bob, made.id)).data.status).toBe('OUT')
    server.clock.advance(2 * HOUR + 1)
    await expireReservations(server.ctx)
    expect(ok(await get(bob, made.id)).data.status).toBe('RETURNED')
  })

  test('the person is reminded of the pick-up a day before, once', async () => {
    const { id } = await asset(free)
    const made = await reserved(bob, { items: [{ assetId: id }], ...span(48, 50) })
    await announcePickUps(server.ctx)
    expect(await notices(bob, 'PICK_UP_TOMORROW', made.id)).toEqual([])
    server.clock.advance(DAY + MINUTE)
    await announcePickUps(server.ctx)
    await announcePickUps(server.ctx)
    expect(await notices(bob, 'PICK_UP_TOMORROW', made.id)).toHaveLength(1)
  })

  test('loans of less than a day are announced when a quarter of their time is left, if that is half an hour', async () => {
    const [long, short] = [await asset(free), await asset(free)]
    const lend = async (id: number, dueAt: number) =>
      ok(await alice.call('assets.checkOut', { params: { id }, body: { userId: bob.id, dueAt } })).data.id
    const ids = [await lend(long.id, at(4)), await lend(short.id, at(1))]
    const told = async (event: string) => {
      const found = await notices(bob, event)
      return ids.map((id) => found.filter(({ data }) => data['loanId'] === id).length)
    }
    server.clock.advance(59 * MINUTE)
    await notifyOfDueLoans(server.ctx)
    expect(await told('LOAN_DUE')).toEqual([0, 0])
    server.clock.advance(2 * HOUR + 2 * MINUTE)
    await notifyOfDueLoans(server.ctx)
    expect(await told('LOAN_DUE')).toEqual([1, 0])
    expect(await told('LOAN_OVERDUE')).toEqual([0, 1])
  })

  test('loans of a reservation that are overdue are one notification to the borrower and one to the keeper, then weekly', async () => {
    // Of its own, so that no other loans are in the notifications.
    const own = (await createOrg(alice)).id
    await addMembers(alice, { id: own }, bob)
    const [one, two] = [await addAsset(alice, { bookable: true }, own), await addAsset(alice, { bookable: true }, own)]
    const made = await reserved(alice, {
      orgId: own,
      userId: bob.id,
      items: [{ assetId: one.id }, { assetId: two.id }],
      ...span(0, 48),
    })
    ok(await act(alice, 'pick-up', made.id, {}))
    const counts = async () => [
      (await notices(bob, 'LOAN_DUE', made.id)).length,
      (await notices(bob, 'LOAN_OVERDUE', made.id)).length,
      (await notices(alice, 'LOAN_OVERDUE', made.id)).length,
    ]
    await notifyOfDueLoans(server.ctx)
    expect(await counts()).toEqual([0, 0, 0])
    server.clock.advance(DAY + MINUTE)
    await notifyOfDueLoans(server.ctx)
    await notifyOfDueLoans(server.ctx)
    expect(await counts()).toEqual([1, 0, 0])
    server.clock.advance(DAY)
    await notifyOfDueLoans(server.ctx)
    await notifyOfDueLoans(server.ctx)
    expect(await counts()).toEqual([1, 1, 1])
    const [notice] = await notices(bob, 'LOAN_OVERDUE', made.id)
    expect(notice!.data['assetIds']).toEqual([one.id, two.id])
    for (let week = 0; week < 8; week++) {
      server.clock.advance(7 * DAY)
      await notifyOfDueLoans(server.ctx)
    }
    // Sessions last a week. Stamps do not go back, so this test is the last one.
    server.clock.advance(-8 * 7 * DAY)
    expect(await counts()).toEqual([1, 6, 6])
  })
})
