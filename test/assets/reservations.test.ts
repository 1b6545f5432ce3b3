/** Reservations of assets: who may reserve what and when, that no asset is reserved twice, and the way from the request to the return. */

import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { assetReservations } from '#db/schema/reservations.ts'
import { tellOfLostAssets } from '#domains/assets/reservations/jobs.service.ts'

import { inProcess, ok, type Person, race, until, useServer } from '../harness/index.ts'
import { addMembers, createOrg, leave, setRole, UNKNOWN_ID } from '../orgs/helpers.ts'
import { addAsset } from './counting.ts'
import { createAsset, scrapAsset, updateAsset } from './helpers.ts'
import * as calls from './reserving.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const MINUTE = 60_000

const { server, alice, guest, stranger } = useServer({ people: ['alice', 'guest', 'stranger'] })
let orgId: number
/** Members, who have reserved nothing yet. */
let bob: Person
let carol: Person
/** Of tablets, which need no approval. */
let free: number
/** Of cameras, whose requests keepers decide. */
let decided: number

const now = () => (inProcess ? server.clock.now() : Date.now())
/** A time some hours after the beginning of the test. */
const at = (hours: number) => begin + hours * HOUR
let begin = 0
const span = (from: number, to: number) => ({ from: at(from), to: at(to) })

const reserve = (person: Person, body: Partial<calls.Body>) => calls.reserve(person, { orgId, ...body })
const reserved = async (person: Person, body: Partial<calls.Body>) => ok(await reserve(person, body)).data
const { act, get, list } = calls

const category = async (booking: object | null, parentId?: number) => calls.addCategory(alice, orgId, booking, parentId)
const asset = (categoryId: number | null, fields: object = {}) => addAsset(alice, { categoryId, ...fields }, orgId)
const notices = (person: Person, event: string, id?: number) => calls.notices(person, event, id)

beforeAll(async () => {
  orgId = (await createOrg(alice)).id
  await addMembers(alice, { id: orgId }, guest)
  await setRole(alice, { id: orgId }, guest, 'GUEST')
  free = await category({ bookable: true, approval: 'NONE' })
  decided = await category({ bookable: true })
})

beforeEach(async () => {
  ;[bob, carol] = [await server.person(), await server.person()]
  await addMembers(alice, { id: orgId }, bob, carol)
  begin = now()
})

describe('a reservation', () => {
  test('of assets that need no approval is APPROVED at once, and is shown to its person in full', async () => {
    const { id, name, assetNo } = await asset(free)
    const times = span(2, 4)
    const made = await reserved(bob, { items: [{ assetId: id }], ...times, purpose: 'Physics' })
    expect(made).toMatchObject({
      orgId,
      status: 'APPROVED',
      items: [{ assetId: id, supplyId: null, quantity: 1, name, assetNo, state: 'WAITING' }],
      ...times,
      userId: bob.id,
      personName: null,
      purpose: 'Physics',
      note: '',
      reason: '',
      decidedBy: null,
      version: 1,
    })
    expect(made.userName).not.toBeNull()
    expect(ok(await get(bob, made.id)).data).toEqual(made)
    expect((await list(bob, { orgId, mine: true, assetId: id })).items).toEqual([made])
  })

  test('of assets that need an approval is REQUESTED, keepers are asked, and the person is notified of the decision', async () => {
    const [one, two] = [await asset(decided), await asset(decided)]
    const asked = await reserved(bob, { items: [{ assetId: one.id }], ...span(2, 4) })
    expect([asked.status, asked.decidedBy]).toEqual(['REQUESTED', null])
    expect(await notices(alice, 'REQUESTED', asked.id)).toHaveLength(1)
    expect(await notices(carol, 'REQUESTED', asked.id)).toEqual([])
    expect((await act(bob, 'approve', asked.id)).status).toBe(403)
    const approved = ok(await act(alice, 'approve', asked.id, { note: 'room 12' })).data
    expect(approved).toMatchObject({ status: 'APPROVED', note: 'room 12', decidedBy: alice.id, version: 2 })
    expect(await notices(bob, 'APPROVED', asked.id)).toHaveLength(1)
    // Again: nothing changes.
    expect(ok(await act(alice, 'approve', asked.id, { note: 'other' })).data).toEqual(approved)
    const other = await reserved(bob, { items: [{ assetId: two.id }], ...span(2, 4) })
    expect((await act(alice, 'reject', other.id, {})).status).toBe(400)
    const rejected = ok(await act(alice, 'reject', other.id, { reason: 'exams' })).data
    expect(rejected).toMatchObject({ status: 'REJECTED', reason: 'exams', decidedBy: alice.id })
    expect(await notices(bob, 'REJECTED', other.id)).toHaveLength(1)
    expect((await act(alice, 'approve', other.id)).status).toBe(400)
    // Its time is free again.
    await reserved(carol, { items: [{ assetId: two.id }], ...span(2, 4) })
  })

  test('needs an approval if one of its assets does, and its keepers are those of the category', async () => {
    const keeper = await server.person()
    await addMembers(alice, { id: orgId }, keeper)
    const own = await category({ bookable: true, keeperIds: [keeper.id] })
    const [one, two] = [await asset(free), await asset(own)]
    const made = await reserved(bob, { items: [{ assetId: one.id }, { assetId: two.id }], ...span(2, 4) })
    expect(made.status).toBe('REQUESTED')
    expect(await notices(keeper, 'REQUESTED', made.id)).toHaveLength(1)
    expect(await notices(alice, 'REQUESTED', made.id)).toEqual([])
  })

  test('exists in organizations only, for people who may see its assets', async () => {
    const { id } = await asset(free)
    const body = { items: [{ assetId: id }], ...span(2, 3) }
    const personal = await calls.reserve(bob, body)
    expect([personal.status, personal.details?.[0]?.path]).toEqual([400, 'body.orgId'])
    expect((await bob.call('assetReservations.list', {})).status).toBe(400)
    expect((await reserve(stranger, body)).status).toBe(403)
    expect((await server.call('assetReservations.create', { body: { orgId, ...body } })).status).toBe(401)
    const made = await reserved(bob, body)
    expect((await get(stranger, made.id)).status).toBe(404)
    expect((await act(stranger, 'cancel', made.id)).status).toBe(404)
    expect((await get(bob, UNKNOWN_ID)).status).toBe(404)
  })

  test('is refused for assets of others, that are not bookable, scrapped or lost, and for wrong items, and nothing is kept', async () => {
    const mine = await createAsset(alice)
    const plain = await asset(null)
    const never = await asset(free, { bookable: false })
    const scrapped = await asset(free)
    ok(await scrapAsset(alice, scrapped.id))
    const lost = await asset(free, { status: 'LOST' })
    const broken = await asset(free, { status: 'REPAIR' })
    const good = await asset(free)
    const refuse = async (items: object[], path: string) => {
      const answer = await reserve(bob, { items: [{ assetId: good.id }, ...items], ...span(2, 3) })
      expect([answer.status, answer.details?.[0]?.path]).toEqual([400, path])
    }
    for (const { id } of [mine, plain, never, scrapped, lost, broken])
      await refuse([{ assetId: id }], 'body.items.1.assetId')
    await refuse([{ assetId: UNKNOWN_ID }], 'body.items.1.assetId')
    await refuse([{ categoryId: UNKNOWN_ID, quantity: 1 }], 'body.items.1.categoryId')
    await refuse([{ assetId: good.id }], 'body.items.1.assetId')
    await refuse([{}], 'body.items.1')
    await refuse([{ assetId: plain.id, categoryId: free }], 'body.items.1')
    await refuse([{ categoryId: free }], 'body.items.1.quantity')
    await refuse([{ categoryId: free, quantity: 0 }], 'body.items.1.quantity')
    await refuse([{ categoryId: free, quantity: -1 }], 'body.items.1.quantity')
    await refuse([{ categoryId: free, quantity: 1.5 }], 'body.items.1.quantity')
    await refuse([{ assetId: plain.id, quantity: 2 }], 'body.items.1.quantity')
    expect((await reserve(bob, { items: [], ...span(2, 3) })).status).toBe(400)
    const many = Array.from({ length: 101 }, () => ({ assetId: good.id }))
    expect((await reserve(bob, { items: many, ...span(2, 3) })).status).toBe(400)
    expect((await list(alice, { orgId, assetId: good.id })).total).toBe(0)
    // An asset can be bookable although its category is not.
    await reserved(bob, { items: [{ assetId: (await asset(null, { bookable: true })).id }], ...span(2, 3) })
  })

  test('by category gets the first free assets by number, also of the categories below it', async () => {
    const parent = await category({ bookable: true, approval: 'NONE' })
    const child = await category(null, parent)
    const tag = Math.random().toString(36).slice(2, 8)
    const ids: number[] = []
    for (const [i, categoryId] of [parent, child, parent, child].entries())
      ids.push((await asset(categoryId, { assetNo: `${tag}-${i}` })).id)
    await asset(child, { assetNo: `${tag}-0a`, bookable: false })
    await reserved(carol, { items: [{ assetId: ids[1]! }], ...span(2, 4) })
    const made = await reserved(bob, { items: [{ categoryId: parent, quantity: 2 }], ...span(3, 5) })
    expect(made.items.map(({ assetId }) => assetId)).toEqual([ids[0]!, ids[2]!])
    const refused = await reserve(carol, { items: [{ categoryId: parent, quantity: 2 }], ...span(3, 5) })
    expect(refused.status).toBe(400)
    expect(refused.details).toMatchObject([{ path: 'body.items.0.quantity' }])
    expect(refused.details![0]!.message).toContain('1 is free')
  })

  test('a keeper can make for others, of assets that are not bookable, without the rules of times', async () => {
    const plain = await asset(null)
    expect((await reserve(bob, { items: [{ assetId: plain.id }], ...span(2, 3), userId: carol.id })).status).toBe(403)
    expect((await reserve(bob, { items: [{ assetId: plain.id }], ...span(2, 3), personName: 'Ms Chen' })).status).toBe(
      403,
    )
    const made = await reserved(alice, { items: [{ assetId: plain.id }], ...span(24 * 200, 24 * 600), userId: bob.id })
    expect(made).toMatchObject({ status: 'APPROVED', userId: bob.id, decidedBy: alice.id })
    expect(await notices(bob, 'APPROVED', made.id)).toHaveLength(1)
    const named = await reserved(alice, { items: [{ assetId: plain.id }], ...span(2, 3), personName: 'Ms Chen' })
    expect(named).toMatchObject({ userId: null, userName: null, personName: 'Ms Chen' })
    const both = await reserve(alice, {
      items: [{ assetId: plain.id }],
      ...span(4, 5),
      personName: 'x',
      userId: bob.id,
    })
    expect(both.status).toBe(400)
    const unknown = await reserve(alice, { items: [{ assetId: plain.id }], ...span(4, 5), userId: stranger.id })
    expect([unknown.status, unknown.details?.[0]?.path]).toEqual([400, 'body.userId'])
  })

  test('is hidden from other members except for its times', async () => {
    const { id } = await asset(decided)
    const made = await reserved(bob, { items: [{ assetId: id }], ...span(2, 4), purpose: 'secret' })
    const seen = ok(await get(carol, made.id)).data
    expect(seen).toMatchObject({ id: made.id, from: made.from, to: made.to, status: 'REQUESTED' })
    const { userId, userName, personName, purpose, note, reason, decidedBy } = seen
    expect([userId, userName, personName, purpose, note, reason, decidedBy]).toEqual(Array(7).fill(null))
    expect((await list(carol, { orgId, assetId: id })).items).toEqual([seen])
    expect((await list(carol, { orgId, userId: bob.id })).total).toBe(0)
    expect((await list(carol, { orgId, mine: true, assetId: id })).total).toBe(0)
    expect((await list(alice, { orgId, userId: bob.id, assetId: id })).items[0]).toMatchObject({ purpose: 'secret' })
    const calendar = async (person: Person) =>
      ok(await person.call('assetReservations.calendar', { query: { orgId, ...span(0, 48), assetId: id } })).data.items
    expect((await calendar(carol)).map(({ name }) => name)).toEqual([null])
    expect((await calendar(bob))[0]!.name).not.toBeNull()
    expect((await calendar(alice))[0]!.name).not.toBeNull()
    expect((await calls.change(carol, made.id, { purpose: 'mine' })).status).toBe(403)
    expect((await act(carol, 'cancel', made.id)).status).toBe(403)
  })

  test('that is sent again with its requestId answers the first one', async () => {
    const { id } = await asset(free)
    const body = { items: [{ assetId: id }], ...span(2, 4), requestId: `request-${id}` }
    const first = await reserved(bob, body)
    expect(await reserved(bob, body)).toEqual(first)
    expect((await list(bob, { orgId, assetId: id })).total).toBe(1)
    // Of another user, it is another request.
    expect((await reserve(carol, body)).status).toBe(400)
    if (inProcess) {
      await server.ctx.db.write('test.age', (tx) =>
        tx
          .update(assetReservations)
          .set({ createdAt: now() - 7 * DAY - MINUTE })
          .where(eq(assetReservations.id, first.id)),
      )
      expect((await reserved(bob, { ...body, ...span(5, 6) })).id).not.toBe(first.id)
    }
  })
})

describe('the rules of a category', () => {
  test('limit how long, how soon and how far ahead its assets can be reserved', async () => {
    const strict = await category({ bookable: true, approval: 'NONE', maxDays: 2, leadHours: 3, aheadDays: 10 })
    const { id } = await asset(strict)
    const refuse = async (times: { from: number; to: number }, path: string) => {
      const answer = await reserve(bob, { items: [{ assetId: id }], ...times })
      expect([answer.status, answer.details?.[0]?.path]).toEqual([400, path])
    }
    await refuse(span(-1, 4), 'body.from')
    await refuse(span(1, 4), 'body.from')
    await refuse(span(4, 4), 'body.to')
    await refuse(span(4, 3), 'body.to')
    await refuse(span(4, 24 * 3), 'body.to')
    await refuse(span(24 * 12, 24 * 13), 'body.from')
    await reserved(bob, { items: [{ assetId: id }], ...span(4, 24 * 2 + 4) })
    await reserved(bob, { items: [{ assetId: id }], ...span(24 * 9, 24 * 10) })
    await reserved(alice, { items: [{ assetId: id }], ...span(0, 1) })
  })

  test('are those of the nearest category above it that has some, with defaults for what it does not say', async () => {
    const child = await category(null, free)
    const tree = ok(await alice.call('assetCategories.tree', { query: { orgId } })).data
    const parent = tree.find((one) => one.id === free)!
    expect(parent.booking).toEqual({
      bookable: true,
      approval: 'NONE',
      maxDays: 14,
      leadHours: 0,
      aheadDays: 90,
      noShowHours: 24,
      keeperIds: [],
    })
    expect(parent.children[0]?.booking).toBeNull()
    const { id } = await asset(child)
    await reserved(bob, { items: [{ assetId: id }], ...span(2, 3) })
    const off = await category({}, free)
    expect((await reserve(bob, { items: [{ assetId: (await asset(off)).id }], ...span(2, 3) })).status).toBe(400)
  })

  test('name members as keepers only, and exist for organizations only', async () => {
    const body = { name: 'x', booking: { keeperIds: [stranger.id] } }
    const foreign = await alice.call('assetCategories.create', { body: { ...body, orgId } })
    expect([foreign.status, foreign.details?.[0]?.path]).toEqual([400, 'body.booking.keeperIds.0'])
    const personal = await alice.call('assetCategories.create', { body: { name: 'x', booking: { bookable: true } } })
    expect([personal.status, personal.details?.[0]?.path]).toEqual([400, 'body.booking'])
    for (const bad of [{ maxDays: 0 }, { maxDays: 367 }, { leadHours: 721 }, { aheadDays: 0 }, { noShowHours: 0 }])
      expect((await alice.call('assetCategories.create', { body: { name: 'x', orgId, booking: bad } })).status).toBe(
        400,
      )
  })

  test.if(inProcess)('a day of a change of summer time counts as one day', async () => {
    const orgs = { id: orgId }
    ok(await alice.call('orgs.update', { params: orgs, body: { timeZone: 'Europe/Berlin' } }))
    const daily = await category({ bookable: true, approval: 'NONE', maxDays: 1, aheadDays: 730 })
    const { id } = await asset(daily)
    // The last Sunday of October, which has 25 hours.
    const year = new Date(now()).getUTCFullYear() + 1
    const days = Array.from({ length: 7 }, (_, i) => Temporal.PlainDate.from({ year, month: 10, day: 31 - i }))
    const day = days.find(({ dayOfWeek }) => dayOfWeek === 7)!
    const start = (date: Temporal.PlainDate) => date.toZonedDateTime('Europe/Berlin').epochMilliseconds
    const times = { from: start(day), to: start(day.add({ days: 1 })) }
    expect(times.to - times.from).toBe(25 * HOUR)
    await reserved(bob, { items: [{ assetId: id }], ...times })
    const longer = { from: times.to, to: times.to + 25 * HOUR }
    expect((await reserve(bob, { items: [{ assetId: id }], ...longer })).status).toBe(400)
    ok(await alice.call('orgs.update', { params: orgs, body: { timeZone: 'UTC' } }))
  })
})

describe('no asset is reserved twice', () => {
  test('times that overlap are refused with the busy times, times that touch are not', async () => {
    const { id } = await asset(free)
    const [from, to] = [at(10), at(12)]
    await reserved(bob, { items: [{ assetId: id }], from, to })
    const tryAt = async (a: number, b: number) =>
      (await reserve(carol, { items: [{ assetId: id }], from: a, to: b })).status
    expect(await tryAt(from, to)).toBe(400)
    expect(await tryAt(from - HOUR, from + 1)).toBe(400)
    expect(await tryAt(to - 1, to + HOUR)).toBe(400)
    expect(await tryAt(from + 1, to - 1)).toBe(400)
    expect(await tryAt(from - HOUR, to + HOUR)).toBe(400)
    const refused = await reserve(carol, { items: [{ assetId: id }], from, to })
    const shown = new Date(from).toISOString().slice(0, 16).replace('T', ' ')
    expect(refused.details).toMatchObject([{ path: 'body.items.0.assetId' }])
    expect(refused.details![0]!.message).toContain(shown)
    expect(await tryAt(from - HOUR, from)).toBe(200)
    expect(await tryAt(to, to + HOUR)).toBe(200)
    // A millisecond.
    expect(await tryAt(to + HOUR, to + HOUR + 1)).toBe(200)
    expect(await tryAt(to + HOUR, to + HOUR + 1)).toBe(400)
  })

  test('a year keeps everybody else out', async () => {
    const { id } = await asset(free)
    await reserved(alice, { items: [{ assetId: id }], ...span(1, 24 * 365) })
    expect((await reserve(bob, { items: [{ assetId: id }], ...span(24 * 80, 24 * 81) })).status).toBe(400)
    expect((await reserve(bob, { items: [{ assetId: id }], ...span(0, 1) })).status).toBe(200)
  })

  test('of 20 requests for one asset and time at once exactly one succeeds', async () => {
    const { id } = await asset(free)
    const times = span(2, 4)
    const answers = await race(20, (i) => reserve(i % 2 ? bob : carol, { items: [{ assetId: id }], ...times }))
    const statuses = answers.map(({ status }) => status).toSorted()
    expect(statuses).toEqual([200, ...Array<number>(19).fill(400)])
    expect((await list(alice, { orgId, assetId: id })).total).toBe(1)
  })

  test('of requests for overlapping but unequal times at once, those that succeed do not overlap', async () => {
    const { id } = await asset(free)
    const base = at(5)
    const answers = await race(20, (i) =>
      reserve(i % 2 ? bob : carol, {
        items: [{ assetId: id }],
        from: base + i * 20 * MINUTE,
        to: base + i * 20 * MINUTE + HOUR,
      }),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 400]))
    const kept = (await list(alice, { orgId, assetId: id, size: 100 })).items.toSorted((a, b) => a.from - b.from)
    expect(kept.length).toBe(answers.filter(({ status }) => status === 200).length)
    for (const [i, one] of kept.entries()) if (i > 0) expect(one.from).toBeGreaterThanOrEqual(kept[i - 1]!.to)
  })

  test('two requests for 30 of 40 by category at once: one gets 30, and the other hears that 10 are free', async () => {
    const tablets = await category({ bookable: true, approval: 'NONE' })
    for (let i = 0; i < 40; i++) await asset(tablets)
    const teachers = [await server.person(), await server.person()]
    await addMembers(alice, { id: orgId }, ...teachers)
    const times = span(2, 4)
    const answers = await race(2, (i) =>
      reserve(teachers[i]!, { items: [{ categoryId: tablets, quantity: 30 }], ...times }),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400])
    const refused = answers.find(({ status }) => status === 400)!
    expect(refused.details![0]!.message).toContain('10 are free')
    const all = (await list(alice, { orgId, categoryId: tablets })).items
    expect(all.map(({ items }) => items.length)).toEqual([30])
    expect(new Set(all[0]!.items.map(({ assetId }) => assetId)).size).toBe(30)
  })

  test('a check-out and a reservation at once never both succeed', async () => {
    for (let round = 0; round < 6; round++) {
      const { id } = await asset(free)
      const [out, made] = await Promise.all([
        alice.call('assets.checkOut', { params: { id }, body: { personName: 'Ms Chen', dueAt: at(5) } }),
        reserve(bob, { items: [{ assetId: id }], ...span(2, 4) }),
      ])
      expect([out.status, made.status].toSorted()).toEqual([200, 400])
    }
  })

  test('an open loan keeps its asset until it is due, forever without a due date, and no longer when it is overdue', async () => {
    const [due, endless, overdue] = [await asset(free), await asset(free), await asset(free)]
    const lend = async (id: number, dueAt?: number) =>
      ok(await alice.call('assets.checkOut', { params: { id }, body: { personName: 'x', ...(dueAt && { dueAt }) } }))
    await lend(due.id, at(3))
    await lend(endless.id)
    await lend(overdue.id, now() - MINUTE)
    const tryAt = async (id: number, from: number) =>
      (await reserve(bob, { items: [{ assetId: id }], ...span(from, from + 1) })).status
    expect([await tryAt(due.id, 2), await tryAt(due.id, 3)]).toEqual([400, 200])
    expect(await tryAt(endless.id, 24 * 60)).toBe(400)
    expect(await tryAt(overdue.id, 2)).toBe(200)
  })

  test('a check-out of an asset that somebody else has reserved is refused, unless reservations are ignored', async () => {
    const { id } = await asset(free)
    await reserved(bob, { items: [{ assetId: id }], ...span(2, 4) })
    const checkOut = (body: object) =>
      alice.call('assets.checkOut', { params: { id }, body: { userId: carol.id, ...body } })
    const refused = await checkOut({ dueAt: at(3) })
    expect(refused.status).toBe(400)
    expect(refused.details?.[0]?.path).toBe('body.dueAt')
    expect((await checkOut({})).status).toBe(400)
    ok(await checkOut({ dueAt: at(2) - 1 }))
    ok(await alice.call('assets.checkIn', { params: { id }, body: {} }))
    // It is the borrower's own reservation.
    ok(await checkOut({ userId: bob.id, dueAt: at(3) }))
    ok(await alice.call('assets.checkIn', { params: { id }, body: {} }))
    ok(await checkOut({ dueAt: at(3), ignoreReservations: true }))
  })
})

describe('changing and cancelling', () => {
  test('other times need the rules, a free time and, where keepers decide, another approval', async () => {
    const { id } = await asset(decided)
    const made = await reserved(bob, { items: [{ assetId: id }], ...span(4, 6) })
    ok(await act(alice, 'approve', made.id))
    await reserved(carol, { items: [{ assetId: id }], ...span(8, 9) })
    const shorter = ok(await calls.change(bob, made.id, { from: at(5) })).data
    expect([shorter.status, shorter.from]).toEqual(['APPROVED', at(5)])
    expect((await calls.change(bob, made.id, { to: at(8) + 1 })).status).toBe(400)
    expect((await calls.change(bob, made.id, { to: at(24 * 30) })).status).toBe(400)
    expect((await calls.change(bob, made.id, { to: at(4) })).status).toBe(400)
    const longer = ok(await calls.change(bob, made.id, { to: at(8) })).data
    expect([longer.status, longer.to, longer.decidedBy]).toEqual(['REQUESTED', at(8), null])
    expect(await notices(alice, 'REQUESTED', made.id)).toHaveLength(2)
    // Where it was before is free now.
    await reserved(carol, { items: [{ assetId: id }], ...span(4, 5) })
    expect(ok(await calls.change(bob, made.id, { purpose: 'other' })).data).toMatchObject({ purpose: 'other' })
    const same = ok(await calls.change(bob, made.id, { purpose: 'other' })).data
    expect(same.version).toBe(longer.version + 1)
  })

  test('other items replace all of them', async () => {
    const [one, two] = [await asset(free), await asset(free)]
    const made = await reserved(bob, { items: [{ assetId: one.id }], ...span(2, 4) })
    const changed = ok(await calls.change(bob, made.id, { items: [{ assetId: two.id }, { assetId: one.id }] })).data
    expect(changed.items.map(({ assetId }) => assetId)).toEqual([two.id, one.id])
    ok(await calls.change(bob, made.id, { items: [{ assetId: two.id }] }))
    await reserved(carol, { items: [{ assetId: one.id }], ...span(2, 4) })
    expect((await calls.change(bob, made.id, { items: [{ assetId: one.id }] })).status).toBe(400)
    expect(ok(await get(bob, made.id)).data.items.map(({ assetId }) => assetId)).toEqual([two.id])
  })

  test('cancelling frees the time at once, and the person is notified if a keeper does it', async () => {
    const { id } = await asset(free)
    const made = await reserved(bob, { items: [{ assetId: id }], ...span(2, 4) })
    const cancelled = ok(await act(alice, 'cancel', made.id, { reason: 'broken' })).data
    expect(cancelled).toMatchObject({ status: 'CANCELLED', reason: 'broken' })
    const [notice] = await notices(bob, 'CANCELLED', made.id)
    expect(notice).toMatchObject({ type: 'ASSET', data: { reservationId: made.id, assetId: id, orgId } })
    expect(notice!.body).toContain('broken')
    expect(ok(await act(bob, 'cancel', made.id)).data).toEqual(cancelled)
    const again = await reserved(carol, { items: [{ assetId: id }], ...span(2, 4) })
    ok(await act(carol, 'cancel', again.id))
    expect(await notices(carol, 'CANCELLED', again.id)).toEqual([])
    expect((await calls.change(carol, again.id, { purpose: 'x' })).status).toBe(400)
  })

  test('a member has at most 20 open reservations and 100 assets in them', async () => {
    const me = await server.person()
    await addMembers(alice, { id: orgId }, me)
    const many = await category({ bookable: true, approval: 'NONE' })
    for (let i = 0; i < 101; i++) await asset(many)
    const { id } = await asset(free)
    expect((await reserve(me, { items: [{ categoryId: many, quantity: 101 }], ...span(2, 3) })).status).toBe(400)
    const big = await reserved(me, { items: [{ categoryId: many, quantity: 81 }], ...span(2, 3) })
    for (let i = 0; i < 19; i++) await reserved(me, { items: [{ assetId: id }], ...span(i, i + 1) })
    expect((await reserve(me, { items: [{ assetId: id }], ...span(30, 31) })).status).toBe(400)
    ok(await act(me, 'cancel', big.id))
    const answers = await race(3, (i) => reserve(me, { items: [{ assetId: id }], ...span(40 + i, 41 + i) }))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })
})

describe('pick-up and return', () => {
  test('make loans for the person that are due at the end, and end them', async () => {
    const [one, two] = [await asset(free), await asset(free)]
    const times = span(0, 2)
    const made = await reserved(bob, { items: [{ assetId: one.id }, { assetId: two.id }], ...times })
    expect((await act(bob, 'pick-up', made.id)).status).toBe(403)
    const first = ok(await act(alice, 'pick-up', made.id, { assetIds: [one.id], note: 'with charger' })).data
    expect(first.status).toBe('OUT')
    expect(first.items.map(({ state }) => state)).toEqual(['OUT', 'WAITING'])
    expect(first.results).toEqual([{ code: null, assetId: one.id, result: 'OUT' }])
    const [loan] = ok(await alice.call('assets.loans', { query: { orgId, assetId: one.id } })).data.items
    expect(loan).toMatchObject({ userId: bob.id, dueAt: times.to, reservationId: made.id, operatorId: alice.id })
    const second = ok(await act(alice, 'pick-up', made.id, {})).data
    expect(second.results).toEqual([{ code: null, assetId: two.id, result: 'OUT' }])
    expect((await act(alice, 'pick-up', made.id, {})).status).toBe(400)
    expect((await act(bob, 'cancel', made.id)).status).toBe(400)
    // The check-in of a loan is a return too.
    ok(await alice.call('assets.checkIn', { params: { id: one.id }, body: {} }))
    expect(ok(await get(bob, made.id)).data).toMatchObject({
      status: 'OUT',
      items: [{ state: 'RETURNED' }, { state: 'OUT' }],
    })
    const back = ok(await act(alice, 'return', made.id, { condition: 'DAMAGED', note: 'scratched' })).data
    expect([back.status, back.results]).toEqual(['RETURNED', [{ code: null, assetId: two.id, result: 'RETURNED' }]])
    const [ended] = ok(await alice.call('assets.loans', { query: { orgId, assetId: two.id } })).data.items
    expect(ended).toMatchObject({ condition: 'DAMAGED', returnNote: 'scratched' })
    expect((await act(alice, 'return', made.id, {})).status).toBe(400)
    // The rest of the time is free.
    await reserved(carol, { items: [{ assetId: one.id }, { assetId: two.id }], ...times })
  })

  test('judge scanned codes one by one, and exchange assets that were reserved by category', async () => {
    const tablets = await category({ bookable: true, approval: 'NONE' })
    const tag = Math.random().toString(36).slice(2, 8)
    const made: { id: number; assetNo: string; publicUrl: string }[] = []
    for (let i = 0; i < 5; i++) made.push(await asset(tablets, { assetNo: `${tag}-${i}` }))
    const [a, b, c, d, e] = made as [
      (typeof made)[0],
      (typeof made)[0],
      (typeof made)[0],
      (typeof made)[0],
      (typeof made)[0],
    ]
    const other = await asset(free)
    const held = await reserved(carol, { items: [{ assetId: d.id }], ...span(1, 3) })
    const times = span(0, 2)
    const { id } = await reserved(bob, { items: [{ categoryId: tablets, quantity: 2 }], ...times })
    const scans = [a.assetNo, c.publicUrl, d.assetNo, other.assetNo, 'nothing of ours', e.assetNo]
    const out = ok(await act(alice, 'pick-up', id, { codes: scans })).data
    expect(out.results.map(({ result }) => result)).toEqual([
      'OUT',
      'EXCHANGED',
      'NOT_PART',
      'NOT_PART',
      'UNKNOWN',
      'NOT_PART',
    ])
    expect(out.items.map(({ assetId, state }) => [assetId, state])).toEqual([
      [a.id, 'OUT'],
      [c.id, 'OUT'],
    ])
    // Both times have followed.
    await reserved(carol, { items: [{ assetId: b.id }], ...times })
    expect((await reserve(carol, { items: [{ assetId: c.id }], ...times })).status).toBe(400)
    // A scan that is sent again.
    expect(ok(await act(alice, 'pick-up', id, { codes: [a.assetNo] })).data.results[0]!.result).toBe('OUT')
    const back = ok(await act(alice, 'return', id, { codes: [c.assetNo, b.assetNo, 'x'] })).data
    expect(back.results.map(({ result }) => result)).toEqual(['RETURNED', 'NOT_PART', 'UNKNOWN'])
    expect(back.status).toBe('OUT')
    expect(ok(await act(alice, 'return', id, { codes: [c.assetNo, a.assetNo] })).data.status).toBe('RETURNED')
    ok(await act(alice, 'cancel', held.id))
  })

  test('an asset that others have reserved cannot be exchanged in, and nothing is exchanged in a reservation of named assets', async () => {
    const tablets = await category({ bookable: true, approval: 'NONE' })
    const tag = Math.random().toString(36).slice(2, 8)
    const [a, b] = [await asset(tablets, { assetNo: `${tag}-a` }), await asset(tablets, { assetNo: `${tag}-b` })]
    const { id } = await reserved(bob, { items: [{ categoryId: tablets, quantity: 1 }], ...span(0, 2) })
    const taken = await reserved(carol, { items: [{ assetId: b.id }], ...span(1, 3) })
    const scan = async () => ok(await act(alice, 'pick-up', id, { codes: [b.assetNo] })).data.results[0]!.result
    expect(await scan()).toBe('UNAVAILABLE')
    ok(await act(alice, 'cancel', taken.id))
    expect(await scan()).toBe('EXCHANGED')
    const named = await reserved(bob, { items: [{ assetId: a.id }], ...span(0, 2) })
    ok(await act(alice, 'return', id, {}))
    const answer = ok(await act(alice, 'pick-up', named.id, { codes: [b.assetNo] })).data
    expect(answer.results[0]!.result).toBe('NOT_PART')
    expect(answer.status).toBe('APPROVED')
  })

  test('an asset that is still with somebody is refused with their name, and nothing is handed out', async () => {
    const [one, two] = [await asset(free), await asset(free)]
    ok(
      await alice.call('assets.checkOut', {
        params: { id: two.id },
        body: { personName: 'Ms Chen', dueAt: now() - MINUTE },
      }),
    )
    const made = await reserved(bob, { items: [{ assetId: one.id }, { assetId: two.id }], ...span(0, 2) })
    const refused = await act(alice, 'pick-up', made.id, {})
    expect(refused.status).toBe(400)
    expect(refused.message).toContain('still with Ms Chen')
    expect(ok(await get(bob, made.id)).data).toMatchObject({
      status: 'APPROVED',
      items: [{ state: 'WAITING' }, { state: 'WAITING' }],
    })
    const scanned = ok(await act(alice, 'pick-up', made.id, { codes: [one.assetNo, two.assetNo] })).data
    expect(scanned.results.map(({ result }) => result)).toEqual(['OUT', 'UNAVAILABLE'])
  })

  test('prolonging moves the loans if the time is free, and only keepers do it', async () => {
    const { id } = await asset(free)
    const made = await reserved(bob, { items: [{ assetId: id }], ...span(0, 2) })
    await reserved(carol, { items: [{ assetId: id }], ...span(5, 6) })
    ok(await act(alice, 'pick-up', made.id, {}))
    expect((await calls.change(bob, made.id, { to: at(3) })).status).toBe(403)
    expect((await calls.change(alice, made.id, { to: at(6) })).status).toBe(400)
    expect((await calls.change(alice, made.id, { from: at(1) })).status).toBe(400)
    const later = at(5)
    expect(ok(await calls.change(alice, made.id, { to: later })).data).toMatchObject({ status: 'OUT', to: later })
    const [loan] = ok(await alice.call('assets.loans', { query: { orgId, assetId: id } })).data.items
    expect(loan!.dueAt).toBe(later)
  })

  test('a loan that is due later than the reservation ends keeps the asset until then', async () => {
    const { id } = await asset(free)
    const made = await reserved(bob, { items: [{ assetId: id }], ...span(0, 2) })
    ok(await act(alice, 'pick-up', made.id, { dueAt: at(4) }))
    expect((await reserve(carol, { items: [{ assetId: id }], ...span(3, 5) })).status).toBe(400)
    await reserved(carol, { items: [{ assetId: id }], ...span(4, 5) })
    const { id: other } = await asset(free)
    const short = await reserved(bob, { items: [{ assetId: other }], ...span(0, 2) })
    await reserved(carol, { items: [{ assetId: other }], ...span(2, 3) })
    expect((await act(alice, 'pick-up', short.id, { dueAt: at(3) })).status).toBe(400)
    expect((await act(alice, 'pick-up', short.id, { dueAt: now() - 1 })).status).toBe(400)
    ok(await act(alice, 'pick-up', short.id, {}))
  })
})

describe('a POOL of supplies', () => {
  const pool = async (quantity: number, fields: object = {}) => {
    const body = { name: 'chairs', kind: 'POOL' as const, orgId, ...fields }
    const { id } = ok(await alice.call('supplies.create', { body })).data
    ok(await alice.call('supplies.move', { params: { id }, body: { type: 'IN', quantity } }))
    return id
  }
  const supply = async (id: number) => ok(await alice.call('supplies.get', { params: { id } })).data

  test('is reserved in numbers, of which there are never more at one time than it has', async () => {
    const id = await pool(40)
    const chairs = (quantity: number) => [{ supplyId: id, quantity }]
    const made = await reserved(bob, { items: chairs(30), ...span(2, 4) })
    expect(made.items).toMatchObject([{ assetId: null, supplyId: id, quantity: 30, state: 'WAITING' }])
    const refused = await reserve(carol, { items: chairs(11), ...span(3, 5) })
    expect(refused.details).toMatchObject([{ path: 'body.items.0.quantity' }])
    expect(refused.details![0]!.message).toContain('10 are free')
    await reserved(carol, { items: chairs(10), ...span(3, 5) })
    await reserved(carol, { items: chairs(30), ...span(4, 5) })
    expect((await calls.change(bob, made.id, { items: chairs(31) })).status).toBe(400)
    ok(await calls.change(bob, made.id, { items: chairs(29) }))
    const answers = await race(20, (i) => reserve(i % 2 ? bob : carol, { items: chairs(4), ...span(8, 9) }))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
    expect((await alice.call('supplies.delete', { params: { id } })).status).toBe(400)
    const consumed = ok(
      await alice.call('supplies.create', { body: { name: 'chalk', kind: 'CONSUMABLE', orgId } }),
    ).data
    const none = await reserve(bob, { items: [{ supplyId: consumed.id, quantity: 1 }], ...span(2, 3) })
    expect(none.details).toMatchObject([{ path: 'body.items.0.supplyId' }])
  })

  test('is handed out and taken back with the assets of a reservation', async () => {
    const shelf = ok(await alice.call('locations.create', { params: { orgId }, body: { name: 'shelf' } })).data.id
    const id = await pool(20)
    ok(await alice.call('supplies.move', { params: { id }, body: { type: 'MOVE', quantity: 8, toLocationId: shelf } }))
    const one = await asset(free)
    const items = [{ assetId: one.id }, { supplyId: id, quantity: 15 }]
    const made = await reserved(alice, { items, ...span(0, 2), userId: bob.id })
    const out = ok(await act(alice, 'pick-up', made.id, {})).data
    expect(out.items.map(({ state }) => state)).toEqual(['OUT', 'OUT'])
    expect(await supply(id)).toMatchObject({ stock: 5, lent: 15 })
    // Some come back without the reservation.
    ok(await alice.call('supplies.move', { params: { id }, body: { type: 'RETURN', quantity: 5, userId: bob.id } }))
    const back = ok(await act(alice, 'return', made.id, { codes: [one.assetNo, (await supply(id)).publicUrl] })).data
    expect(back.results.map(({ result }) => result)).toEqual(['RETURNED', 'RETURNED'])
    expect(back.status).toBe('RETURNED')
    expect(await supply(id)).toMatchObject({ stock: 20, lent: 0 })
    const more = await reserved(alice, {
      items: [{ supplyId: id, quantity: 20 }],
      ...span(0, 2),
      personName: 'Ms Chen',
    })
    ok(
      await alice.call('supplies.move', {
        params: { id },
        body: { type: 'TAKE', quantity: 1, userId: carol.id, locationId: shelf },
      }),
    )
    expect((await act(alice, 'pick-up', more.id, {})).status).toBe(400)
    expect(await supply(id)).toMatchObject({ stock: 19, lent: 1 })
  })

  test('is due at the new end when its reservation is prolonged or shortened, unless more of it is due later', async () => {
    const [id, other] = [await pool(20), await pool(5)]
    const due = async (supplyId: number) =>
      ok(await alice.call('supplies.loans', { params: { id: supplyId }, query: {} })).data.items.map((loan) => [
        loan.userId ?? loan.personName,
        loan.dueAt,
      ])
    const items = [
      { supplyId: id, quantity: 15 },
      { supplyId: other, quantity: 1 },
    ]
    const made = await reserved(alice, { items, ...span(0, 2), userId: bob.id })
    const named = await reserved(alice, {
      items: [{ supplyId: other, quantity: 2 }],
      ...span(0, 2),
      personName: 'Ms Chen',
    })
    for (const { id: reservationId } of [made, named]) ok(await act(alice, 'pick-up', reservationId, {}))
    const take = { type: 'TAKE' as const, quantity: 1, userId: carol.id, dueAt: at(3) }
    ok(await alice.call('supplies.move', { params: { id: other }, body: take }))
    expect(await due(id)).toEqual([[bob.id, at(2)]])
    ok(await calls.change(alice, made.id, { to: at(5) }))
    expect([await due(id), await due(other)]).toEqual([
      [[bob.id, at(5)]],
      expect.arrayContaining([
        ['Ms Chen', at(2)],
        [bob.id, at(5)],
        [carol.id, at(3)],
      ]),
    ])
    ok(await calls.change(alice, named.id, { to: at(4) }))
    ok(await calls.change(alice, made.id, { to: at(3) }))
    expect(await due(id)).toEqual([[bob.id, at(3)]])
    expect(await due(other)).toContainEqual(['Ms Chen', at(4)])

    // Others have the rest of them in that time.
    await reserved(carol, { items: [{ supplyId: id, quantity: 10 }], ...span(3, 4) })
    const refused = await calls.change(alice, made.id, { to: at(4) })
    expect([refused.status, refused.details?.[0]?.path]).toEqual([400, 'body.to'])
    expect(await due(id)).toEqual([[bob.id, at(3)]])

    // Some that was taken without the reservation is due later.
    ok(
      await alice.call('supplies.move', {
        params: { id },
        body: { type: 'TAKE', quantity: 1, userId: bob.id, dueAt: at(9) },
      }),
    )
    ok(await calls.change(alice, made.id, { to: at(2.5) }))
    expect(await due(id)).toEqual([[bob.id, at(9)]])
  })

  test('is due when the last of it is, if one person has it by two reservations and without one', async () => {
    const id = await pool(20)
    const dueOf = async (person: number | string) =>
      ok(await alice.call('supplies.loans', { params: { id }, query: {} })).data.items.find(
        (loan) => (loan.userId ?? loan.personName) === person,
      )!.dueAt
    for (const person of [{ userId: bob.id }, { personName: 'Ms Chen' }]) {
      const who = person.userId ?? person.personName!
      const out = async (until: number) => {
        const made = await reserved(alice, { items: [{ supplyId: id, quantity: 2 }], ...span(0, until), ...person })
        ok(await act(alice, 'pick-up', made.id, {}))
        return made.id
      }
      const [first, second] = [await out(5), await out(3)]
      const moves: [number, number, number][] = [
        // The reservation that ends, and when all of it is due.
        [second, 5, 5],
        [first, 2, 5],
        [second, 4, 4],
        [second, 1, 2],
        [first, 6, 6],
      ]
      for (const [reservation, to, expected] of moves) {
        ok(await calls.change(alice, reservation, { to: at(to) }))
        expect([who, to, await dueOf(who)]).toEqual([who, to, at(expected)])
      }
      // A keeper lends one more, due between the two.
      const take = { type: 'TAKE' as const, quantity: 1, dueAt: at(4), ...person }
      ok(await alice.call('supplies.move', { params: { id }, body: take }))
      expect(await dueOf(who)).toBe(at(6))
      ok(await calls.change(alice, first, { to: at(3) }))
      expect(await dueOf(who)).toBe(at(4))
      ok(await calls.change(alice, first, { to: at(5) }))
      ok(await act(alice, 'return', first, {}))
      expect(await dueOf(who)).toBe(at(4))
      ok(await calls.change(alice, second, { to: at(2) }))
      expect(await dueOf(who)).toBe(at(4))
    }
  })
})

describe('assets and people that go', () => {
  test('a scrapped or lost asset ends the items that wait for it, and the person is notified', async () => {
    const [one, two, three] = [await asset(free), await asset(free), await asset(free)]
    const both = await reserved(bob, { items: [{ assetId: one.id }, { assetId: two.id }], ...span(2, 4) })
    const alone = await reserved(bob, { items: [{ assetId: three.id }], ...span(2, 4) })
    ok(await scrapAsset(alice, one.id))
    ok(await updateAsset(alice, three.id, { status: 'LOST' }))
    expect(ok(await get(bob, alone.id)).data.status).toBe('CANCELLED')
    await until(async () => (await notices(bob, 'ASSET_LOST', both.id)).length > 0)
    await until(async () => (await notices(bob, 'CANCELLED', alone.id)).length > 0)
    expect(ok(await get(bob, both.id)).data).toMatchObject({ status: 'APPROVED', items: [{ assetId: two.id }] })
    if (inProcess) await tellOfLostAssets(server.ctx)
    expect(await notices(bob, 'ASSET_LOST', both.id)).toHaveLength(1)
  })

  test('a reserved asset is deleted by force only', async () => {
    const { id } = await asset(free)
    const made = await reserved(bob, { items: [{ assetId: id }], ...span(2, 4) })
    expect((await alice.call('assets.delete', { params: { id } })).status).toBe(400)
    ok(await alice.call('assets.delete', { params: { id }, query: { force: true } }))
    expect(ok(await get(bob, made.id)).data.status).toBe('CANCELLED')
  })

  test('a member who leaves loses what they had reserved', async () => {
    const me = await server.person()
    await addMembers(alice, { id: orgId }, me)
    const [one, two] = [await asset(free), await asset(free)]
    const made = await reserved(me, { items: [{ assetId: one.id }], ...span(2, 4) })
    const out = await reserved(me, { items: [{ assetId: two.id }], ...span(0, 4) })
    ok(await act(alice, 'pick-up', out.id, {}))
    ok(await leave(me, { id: orgId }))
    expect(ok(await get(alice, made.id)).data.status).toBe('CANCELLED')
    expect(ok(await get(alice, out.id)).data).toMatchObject({ status: 'OUT', userId: me.id })
    await reserved(bob, { items: [{ assetId: one.id }], ...span(2, 4) })
  })
})

describe('the calendar and what is available', () => {
  test('show reservations, loans and maintenance in their order, an asset that is out once', async () => {
    const own = await category({ bookable: true, approval: 'NONE' })
    const [one, two] = [await asset(own), await asset(own)]
    const out = await reserved(bob, { items: [{ assetId: one.id }], ...span(0, 2) })
    ok(await act(alice, 'pick-up', out.id, {}))
    await reserved(bob, { items: [{ assetId: one.id }], ...span(3, 4) })
    ok(await alice.call('assets.checkOut', { params: { id: two.id }, body: { personName: 'Ms Chen' } }))
    const query = { orgId, from: at(-1), to: at(48), categoryId: own }
    const { items, truncated } = ok(await alice.call('assetReservations.calendar', { query })).data
    expect(truncated).toBe(false)
    const short = items.map(({ assetId, kind, name, to }) => `${assetId} ${kind} ${name !== null} ${to === null}`)
    const [first, second] = [`${one.id} RESERVATION true false`, `${two.id} LOAN true true`]
    expect(short.toSorted()).toEqual([first, first, second].toSorted())
    const refuse = async (more: object) =>
      (await alice.call('assetReservations.calendar', { query: { ...query, ...more } })).status
    expect([await refuse({ to: at(24 * 94) }), await refuse({ to: query.from })]).toEqual([400, 400])
    const listed = await alice.call('assetReservations.list', { query: { orgId, from: query.from, to: query.from } })
    expect([listed.status, listed.details[0]?.path]).toEqual([400, 'query.to'])
  })

  test('available lists the bookable assets that are free, by number', async () => {
    const own = await category({ bookable: true, approval: 'NONE' })
    const tag = Math.random().toString(36).slice(2, 8)
    const ids: number[] = []
    for (const i of [3, 1, 2]) ids.push((await asset(own, { assetNo: `${tag}-${i}` })).id)
    const [c, a, b] = ids as [number, number, number]
    await asset(own, { bookable: false })
    await reserved(bob, { items: [{ assetId: a }], ...span(2, 4) })
    const free = async (from: number, to: number) =>
      ok(await bob.call('assets.available', { query: { orgId, ...span(from, to), categoryId: own } })).data.items.map(
        ({ id }) => id,
      )
    expect(await free(3, 5)).toEqual([b, c])
    expect(await free(4, 5)).toEqual([a, b, c])
    expect((await bob.call('assets.available', { query: { orgId, from: at(3), to: at(2) } })).status).toBe(400)
    expect((await bob.call('assets.available', { query: span(2, 3) })).status).toBe(400)
  })
})
