/** Reminders of warranties and of loans that are due soon, and the calendar with both. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { assetCalendars } from '#db/schema/assets.ts'
import { notifyOfDueLoans } from '#domains/assets/loans/notices.service.ts'
import { remindOfWarranties } from '#domains/assets/reminders.service.ts'

import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { addMembers, createOrg, leave, setRole } from '../orgs/helpers.ts'
import { addAsset } from './counting.ts'
import { deleteAsset, updateAsset } from './helpers.ts'

const { server, admin, alice, bob, carol, guest } = useServer({
  people: ['alice', 'bob', 'carol', 'guest'],
  // The tests run the jobs of assets themselves. The scheduler would run them too once a test has advanced the clock.
  domains: (product) => product.map((domain) => (domain.name === 'assets' ? { ...domain, jobs: [] } : domain)),
})
let orgId: number
/** The tests advance the clock by less than the seven days of a session. */
const DAY = 86_400_000

beforeAll(async () => {
  orgId = (await createOrg(alice)).id
  await addMembers(alice, { id: orgId }, bob, carol, guest)
  await setRole(alice, { id: orgId }, carol, 'ADMIN')
  await setRole(alice, { id: orgId }, guest, 'GUEST')
})

const now = () => (inProcess ? server.clock.now() : Date.now())
const dayIn = (days: number) =>
  Temporal.Instant.fromEpochMilliseconds(now())
    .toZonedDateTimeISO(Temporal.Now.timeZoneId())
    .toPlainDate()
    .add({ days })
    .toString()
const notices = async (person: Person, event: string) =>
  ok(await person.call('notifications.list', { query: { size: 100 } })).data.items.filter(
    ({ data }) => data['event'] === event,
  )

describe.if(inProcess)('warranties', () => {
  const remind = () => remindOfWarranties(server.ctx)
  const of = async (person: Person) => (await notices(person, 'WARRANTY_ENDING')).map(({ data }) => data['assetIds'])

  test('the owner of personal assets is reminded once of all warranties that end within 30 days', async () => {
    const me = await server.person()
    const soon = await addAsset(me, { name: 'Drill', warrantyExpiry: dayIn(30) })
    const today = await addAsset(me, { warrantyExpiry: dayIn(0) })
    await addAsset(me, { warrantyExpiry: dayIn(31) })
    await addAsset(me, { warrantyExpiry: dayIn(-1) })
    await addAsset(me)
    await addAsset(me, { warrantyExpiry: dayIn(3), isScrapped: true })
    await addAsset(me, { warrantyExpiry: dayIn(3), isDeleted: true })
    await remind()
    await remind()
    expect(await of(me)).toEqual([[today.id, soon.id]])
    const [notice] = await notices(me, 'WARRANTY_ENDING')
    expect(notice!.body).toContain(`Drill (${soon.assetNo}), ${dayIn(30)}`)
  })

  test('a warranty that is extended gets another reminder when its new end is near', async () => {
    const me = await server.person()
    const { id } = await addAsset(me, { warrantyExpiry: dayIn(5) })
    await remind()
    ok(await updateAsset(me, id, { warrantyExpiry: dayIn(31) }))
    await remind()
    expect(await of(me)).toEqual([[id]])
    server.clock.advance(2 * DAY)
    await remind()
    await remind()
    expect(await of(me)).toEqual([[id], [id]])
  })

  test('nobody is reminded of assets of a disabled organization until it is enabled again', async () => {
    const [me, org] = [await server.person(), await createOrg(alice)]
    await addMembers(alice, org, me)
    const { id } = await addAsset(alice, { warrantyExpiry: dayIn(7), custodianId: me.id }, org.id)
    const setStatus = async (status: 'ACTIVE' | 'DISABLED') =>
      ok(await admin.put(`/api/admin/orgs/${org.id}`, { status }))
    await setStatus('DISABLED')
    await remind()
    expect(await of(me)).toEqual([])
    await setStatus('ACTIVE')
    await remind()
    expect(await of(me)).toEqual([[id]])
  })

  test('the custodian of an asset is reminded, else the user who registered it, else the owner of the organization', async () => {
    const org = await createOrg(alice)
    await addMembers(alice, org, bob, carol)
    await setRole(alice, org, carol, 'ADMIN')
    const ending = { warrantyExpiry: dayIn(7) }
    const kept = await addAsset(carol, { ...ending, custodianId: bob.id }, org.id)
    const registered = await addAsset(carol, ending, org.id)
    await remind()
    expect((await of(bob)).at(0)).toEqual([kept.id])
    expect((await of(carol)).at(0)).toEqual([registered.id])
    const left = await addAsset(carol, ending, org.id)
    ok(await leave(carol, org))
    await remind()
    expect((await of(carol)).length).toBe(1)
    expect((await of(alice)).at(0)).toEqual([left.id])
  })

  test('a notification names five of many assets, and all are reminded of', async () => {
    const me = await server.person()
    for (let i = 0; i < 205; i++) await addAsset(me, { warrantyExpiry: dayIn(3) })
    await remind()
    const found = await notices(me, 'WARRANTY_ENDING')
    expect(found.length).toBe(2)
    expect(found.map(({ body }) => body).join()).toContain('and 195 more')
    await remind()
    expect((await notices(me, 'WARRANTY_ENDING')).length).toBe(2)
  })
})

describe.if(inProcess)('loans that are due soon', () => {
  const checkOut = async (asset: { id: number }, dueAt: number) =>
    ok(await alice.call('assets.checkOut', { params: { id: asset.id }, body: { userId: bob.id, dueAt } })).data

  test('the borrower is reminded once a day before a loan is due', async () => {
    const asset = await addAsset(alice, {}, orgId)
    const loan = await checkOut(asset, now() + 3 * DAY)
    const found = async () => (await notices(bob, 'LOAN_DUE')).filter(({ data }) => data['loanId'] === loan.id)
    await notifyOfDueLoans(server.ctx)
    expect(await found()).toEqual([])
    server.clock.advance(2 * DAY + 1000)
    await notifyOfDueLoans(server.ctx)
    await notifyOfDueLoans(server.ctx)
    expect((await found()).length).toBe(1)
  })

  test('nobody is reminded that a loan is due soon if it was so at the check-out, or is overdue already', async () => {
    const short = await checkOut(await addAsset(alice, {}, orgId), now() + DAY / 2)
    const late = await checkOut(await addAsset(alice, {}, orgId), now() + 1.2 * DAY)
    await notifyOfDueLoans(server.ctx)
    server.clock.advance(1.5 * DAY)
    await notifyOfDueLoans(server.ctx)
    const idsOf = async (event: string) =>
      (await notices(bob, event)).flatMap(({ data }) => [data['loanId'], data['loanIds'] ?? []].flat())
    const ids = await idsOf('LOAN_DUE')
    expect(ids).not.toContain(short.id)
    expect(ids).not.toContain(late.id)
    expect(await idsOf('LOAN_OVERDUE')).toContain(late.id)
  })
})

describe('the calendar', () => {
  const create = async (person: Person, org?: number) =>
    ok(await person.call('assetCalendars.create', { body: { orgId: org ?? null } })).data.url
  const read = (url: string) => server.request('GET', new URL(url).pathname)

  test('the calendar has the ends of warranties and the due dates of open loans of its owner', async () => {
    const me = await server.person()
    const dueAt = Math.floor(now() / 1000) * 1000 + DAY
    const [warranty, lent] = [
      await addAsset(me, { name: 'Drill; A, B', warrantyExpiry: dayIn(10) }),
      await addAsset(me),
    ]
    const returned = await addAsset(me, { name: 'returned' })
    for (const { id } of [lent, returned])
      ok(await me.call('assets.checkOut', { params: { id }, body: { personName: 'Ms Chen', dueAt } }))
    ok(await me.call('assets.checkIn', { params: { id: returned.id }, body: {} }))
    await addAsset(me, { name: 'far away', warrantyExpiry: dayIn(500) })
    await addAsset(me, { name: 'long ago', warrantyExpiry: dayIn(-40) })
    await addAsset(alice, { name: 'of another user', warrantyExpiry: dayIn(10) })
    const url = await create(me)
    expect(url).toMatch(/\/public\/calendars\/[\w-]{43}\.ics$/)
    const reply = ok(await read(url))
    expect(reply.headers.get('content-type')).toStartWith('text/calendar')
    const lines = reply.text.replaceAll('\r\n ', '').split('\r\n')
    const day = dayIn(10).replaceAll('-', '')
    expect(lines).toContain(`DTSTART;VALUE=DATE:${day}`)
    expect(lines).toContain(String.raw`SUMMARY:Warranty ends: Drill\; A\, B (${warranty.assetNo})`)
    expect(lines).toContain(String.raw`SUMMARY:Loan due: ${lent.name} (${lent.assetNo})\, Ms Chen`)
    const due = new Date(dueAt).toISOString().replaceAll(/[-:]|\.000/g, '')
    expect(lines).toContain(`DTSTART:${due}`)
    expect(lines.filter((line) => line === 'BEGIN:VEVENT').length).toBe(2)
  })

  test('a new link ends the one before, and a deleted link answers 404', async () => {
    const me = await server.person()
    const state = async () => ok(await me.call('assetCalendars.get')).data
    expect(await state()).toEqual({ enabled: false, createdAt: null })
    expect((await me.call('assetCalendars.delete')).status).toBe(404)
    const [first, second] = [await create(me), await create(me)]
    expect((await read(first)).status).toBe(404)
    ok(await read(second))
    expect(await state()).toMatchObject({ enabled: true })
    ok(await me.call('assetCalendars.delete'))
    expect((await read(second)).status).toBe(404)
    expect((await me.call('assetCalendars.delete')).status).toBe(404)
    expect((await server.request('GET', `/public/calendars/${'a'.repeat(43)}.ics`)).status).toBe(404)
  })

  test('of 50 new links made at once one works', async () => {
    const me = await server.person()
    const urls = await race(50, () => create(me))
    const replies = await Promise.all(urls.map(read))
    expect(replies.filter(({ status }) => status === 200).length).toBe(1)
  })

  test('the calendar of an organization works for members with asset:read, until they leave, and not after they rejoin', async () => {
    const org = await createOrg(alice)
    await addMembers(alice, org, bob, guest)
    await setRole(alice, org, guest, 'GUEST')
    await addAsset(alice, { name: 'Shared drill', warrantyExpiry: dayIn(3) }, org.id)
    expect((await guest.call('assetCalendars.create', { body: { orgId: org.id } })).status).toBe(403)
    const [ofBob, own] = [await create(bob, org.id), await create(bob)]
    expect(ok(await read(ofBob)).text).toContain('Shared drill')
    expect(ok(await read(own)).text).not.toContain('Shared drill')
    ok(await leave(bob, org))
    expect((await read(ofBob)).status).toBe(404)
    await addMembers(alice, org, bob)
    expect((await read(ofBob)).status).toBe(404)
    expect(ok(await bob.call('assetCalendars.get', { query: { orgId: org.id } })).data.enabled).toBe(false)
    ok(await read(await create(bob, org.id)))
    ok(await read(own))
  })

  test('the calendar of an organization has the reservations of its user, and for keepers all of them', async () => {
    const org = await createOrg(alice)
    await addMembers(alice, org, bob, guest)
    const { id } = await addAsset(alice, { name: 'Shared drill', bookable: true }, org.id)
    const hour = 3_600_000
    const from = now() + hour
    const times = { from, to: from + hour }
    const reserve = (person: Person, more: object = {}) =>
      person.call('assetReservations.create', { body: { orgId: org.id, items: [{ assetId: id }], ...times, ...more } })
    ok(await reserve(bob))
    ok(await reserve(alice, { from: from + hour, to: from + 2 * hour }))
    const events = async (person: Person) =>
      ok(await read(await create(person, org.id))).text.split('UID:reservation-').length - 1
    expect(await events(alice)).toBe(2)
    expect(await events(bob)).toBe(1)
  })

  test.if(inProcess)('a dissolved organization leaves no calendar of its members', async () => {
    const [org, other] = [await createOrg(alice), await createOrg(alice)]
    for (const each of [org, other]) {
      await addMembers(alice, each, bob)
      for (const person of [alice, bob]) await create(person, each.id)
    }
    ok(await alice.call('orgs.dissolve', { params: { id: org.id }, query: { force: true } }))
    const left = await server.ctx.db.read.select({ owner: assetCalendars.owner }).from(assetCalendars)
    expect(left.filter(({ owner }) => owner === org.id)).toEqual([])
    expect(left.filter(({ owner }) => owner === other.id)).toHaveLength(2)
  })

  test('the link of a deleted account does not work', async () => {
    const me = await server.person()
    const url = await create(me)
    await addAsset(me, { warrantyExpiry: dayIn(3) }).then(({ id }) => deleteAsset(me, id))
    ok(await me.post('/api/auth/account/delete', { confirm: true }))
    expect((await read(url)).status).toBe(404)
  })
})
