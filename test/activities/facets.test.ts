/** The list of participants by facet: triggers keep whether somebody holds a pass and came in, and the numbers of the filters. */

import { describe, expect, test } from 'bun:test'

import type { ListedRegistration, ListQuery } from '#domains/activities/participants/participants.model.ts'

import { useWorld } from '../accounts/helpers.ts'
import { inProcess, ok, type Person } from '../harness/index.ts'
import { checkIn } from './check-in-helpers.ts'
import { expectFacets } from './facets.ts'
import { redeemed, revoke } from './gate-helpers.ts'
import { act, confirmedGuest, openToGuests, pendingGuest } from './guest-helpers.ts'
import { issued } from './pass-helpers.ts'
import { cancel, list, register } from './registering.ts'

const world = useWorld({ settings: { 'budget.guestMailsPerRecipient': 0 } })

type Query = Partial<ListQuery>
const FILTERS: Query[] = [
  {},
  { status: 'CONFIRMED' },
  { status: 'CONFIRMED,CANCELLED' },
  { status: 'WAITING' },
  { status: 'PENDING' },
  { pass: true },
  { pass: false },
  { checkedIn: true },
  { checkedIn: false, status: 'CONFIRMED' },
  { guest: true },
  { guest: false, pass: true },
  { source: 'GUEST' },
  { source: 'ACCOUNT', checkedIn: true },
]

const byTime = (a: Listed, b: Listed) => a.createdAt - b.createdAt || a.id - b.id
const ORDERS: Record<string, (a: Listed, b: Listed) => number> = {
  createdAt: byTime,
  name: (a, b) => compared(folded(a.nickname), folded(b.nickname)) || byTime(a, b),
  status: (a, b) => compared(a.status, b.status) || byTime(a, b),
  position: (a, b) => (a.position ?? Infinity) - (b.position ?? Infinity) || byTime(a, b),
}
/** The order ignores the case of ASCII letters only. */
const folded = (name: string) => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
const compared = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
type Listed = ListedRegistration

/** Each order has the rows of each filter on pages of two. */
async function expectOrders(manager: Person, activity: { readonly id: number }): Promise<void> {
  for (const query of FILTERS) {
    const shown = (await list(manager, activity, { ...query, sort: 'createdAt', size: 100 })).items
    for (const [name, compare] of Object.entries(ORDERS)) {
      const sorted = shown.toSorted(compare).map(({ id }) => id)
      for (const [sort, expected] of [
        [name, sorted],
        [`-${name}`, sorted.toReversed()],
      ] as const) {
        const ids = []
        for (let page = 1; page <= shown.length / 2 + 2; page++) {
          const one = await list(manager, activity, {
            ...query,
            sort: sort as NonNullable<Query['sort']>,
            page,
            size: 2,
          })
          expect(one.total).toBe(shown.length)
          ids.push(...one.items.map(({ id }) => id))
        }
        expect({ query, sort, ids }).toEqual({ query, sort, ids: expected })
      }
    }
  }
}

/** Each filter has the rows that the whole list shows of it, in both orders and with their number on every page. */
async function expectLists(manager: Person, activity: { readonly id: number }): Promise<void> {
  if (inProcess) await expectFacets(world.server)
  const all = (await list(manager, activity, { sort: '-createdAt', size: 100 })).items
  for (const query of FILTERS) {
    const { status, pass, checkedIn, guest, source } = query
    const isShown = (row: (typeof all)[number]) =>
      (status === undefined || status.split(',').includes(row.status)) &&
      (pass === undefined || pass === ['ISSUED', 'USED'].includes(row.pass?.status ?? '')) &&
      (guest === undefined || guest === (row.userId === null)) &&
      (source === undefined || source === row.source)
    const shown = await list(manager, activity, { ...query, sort: 'createdAt', size: 100 })
    if (checkedIn === undefined)
      expect(shown.items.map(({ id }) => id)).toEqual(
        all
          .filter(isShown)
          .map(({ id }) => id)
          .toReversed(),
      )
    const pages = []
    for (let page = 1; page <= shown.total + 1; page++) {
      const one = await list(manager, activity, { ...query, page, size: 1 })
      expect(one.total).toBe(shown.items.length)
      pages.push(...one.items)
    }
    expect(pages.map(({ id }) => id)).toEqual(shown.items.map(({ id }) => id).toReversed())
  }
}

describe('filters of the list of participants', () => {
  test('follow passes, entries, check-ins, claims and cancellations', async () => {
    const { server } = world
    const [host, ann, bob, eve] = [
      await server.person(),
      await server.person(),
      await server.person(),
      await server.person(),
    ]
    const activity = await openToGuests(server, host, {}, { hasPass: true, hasCheckIn: true })
    const inside = async () =>
      (await list(host, activity, { checkedIn: true, sort: 'createdAt' })).items.map(({ id }) => id)
    const guest = await confirmedGuest(world, activity)
    const other = await confirmedGuest(world, activity)
    for (const person of [ann, bob]) ok(await register(person, activity))
    // Eve holds a pass before she registers.
    await issued(host, activity.id, { userId: eve.id })
    ok(await register(eve, activity))
    await expectLists(host, activity)

    const passes = await issued(host, activity.id, { toRegistered: true })
    expect(passes).toHaveLength(4)
    await expectLists(host, activity)
    const rows = (await list(host, activity, { sort: 'createdAt' })).items
    const [first, second, ofAnn, ofBob] = rows.map(({ id }) => id)

    for (const { uuid } of passes.slice(0, 3))
      expect((await redeemed(host, activity.id, { passUuid: uuid })).valid).toBe(true)
    const entered = await inside()
    expect(entered).toHaveLength(3)
    ok(await checkIn(bob, activity))
    expect(await inside()).toContain(ofBob!)
    await expectLists(host, activity)

    // An entry that a gate takes back no longer counts, unless the person has checked in too.
    const { items } = ok(await host.get(`/api/activities/${activity.id}/pass/records`)).data
    for (const { id } of items) ok(await host.post(`/api/activities/${activity.id}/pass/records/${id}/undo`))
    expect(await inside()).toEqual([ofBob!])
    const manual = (id: number, undo: boolean) => host.post(`/api/registrations/${id}/check-in`, undo ? { undo } : {})
    ok(await manual(first!, false))
    expect(await inside()).toEqual([first!, ofBob!])
    await expectLists(host, activity)
    ok(await manual(first!, true))
    expect(await inside()).toEqual([ofBob!])
    ok(await manual(first!, false))

    // A claim takes pass and check-in along.
    const account = await server.person()
    ok(await account.post('/api/registrations/guest/claim', { secret: guest.secret }))
    expect((await list(host, activity, { guest: true })).items.map(({ id }) => id)).toEqual([second!])
    expect((await list(host, activity, { guest: false, checkedIn: true })).total).toBe(2)
    await expectLists(host, activity)

    await revoke(host, passes.find(({ holderUserId }) => holderUserId === ann.id)!.id)
    expect((await list(host, activity, { pass: false })).items.map(({ id }) => id)).toEqual([ofAnn!])
    ok(await cancel(bob, activity))
    ok(await act(server, other.secret, { action: 'cancel' }))
    await expectLists(host, activity)
    // The same row is used again.
    ok(await register(bob, activity))
    await expectLists(host, activity)
  })

  test('are sorted by name, status and place, also after people were renamed', async () => {
    const { server } = world
    const host = await server.person()
    const registration = { capacity: 4, waitlist: true, guests: true }
    const activity = await openToGuests(server, host, registration, { hasPass: true, hasCheckIn: true })
    const people = []
    for (const nickname of ['zoe', 'Anna', '王伟', 'bob', 'anna', 'Bob', '李娜', 'carl', 'Émile', 'Ｚ']) {
      const person = await server.person()
      ok(await person.put('/api/users/userinfo', { nickname }))
      ok(await register(person, activity))
      people.push(person)
    }
    for (let i = 0; i < 2; i++) await confirmedGuest(world, activity)
    await pendingGuest(world, activity)
    const named = async (person: Person) =>
      (await list(host, activity, { sort: 'name' })).items.find(({ userId }) => userId === person.id)!
    await expectOrders(host, activity)

    ok(await people[0]!.put('/api/users/userinfo', { nickname: 'Aaron' }))
    expect((await named(people[0]!)).nickname).toBe('Aaron')
    ok(await host.patch(`/api/registrations/${(await named(people[7]!)).id}`, { position: 1 }))
    ok(await cancel(people[1]!, activity))
    const [guest] = (await list(host, activity, { guest: true })).items
    ok(await host.patch(`/api/registrations/${guest!.id}`, { name: 'Aa' }))
    expect((await list(host, activity, { sort: 'name', size: 1 })).items[0]!.id).toBe(guest!.id)
    await issued(host, activity.id, { toRegistered: true })
    await expectOrders(host, activity)
    if (inProcess) await expectFacets(server)
  })
})
