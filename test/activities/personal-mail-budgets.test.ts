/** The budgets of mails to participants, as mails to one person about their registration or pass use them. */

import { afterEach, expect, test } from 'bun:test'

import { useWorld } from '../accounts/helpers.ts'
import { ok, type Person, race } from '../harness/index.ts'
import { confirmedGuest } from './guest-helpers.ts'
import { update } from './helpers.ts'
import { forecast, send } from './message-helpers.ts'
import { list, openActivity, register } from './registering.ts'

const world = useWorld()

const DEFAULTS = { 'budget.eventMailsPerOwner': 5000, 'budget.eventMailsPerDay': 20_000 }
async function configure(values: Partial<typeof DEFAULTS>): Promise<void> {
  const admin = await world.server.admin()
  ok(await admin.call('admin.settings.update', { body: { values: { ...DEFAULTS, ...values } } }))
}
afterEach(() => configure({}))

type Some = { readonly id: number }
const remove = (organizer: Person, { id }: Some, person: Person) =>
  organizer.call('registrations.cancelOf', { params: { id, userId: person.id } })

/** `CANCELLED QUEUED null`: the mails to a participant, the first one first. A mail that has left counts as queued. */
async function mailsTo(organizer: Person, activity: Some, person: Person): Promise<string[]> {
  const { items } = await list(organizer, activity, { size: 100 })
  const registrationId = items.find(({ userId }) => userId === person.id)!.id
  const { sent } = ok(await organizer.call('registrations.getAny', { params: { registrationId } })).data
  return sent
    .filter(({ channel }) => channel === 'EMAIL')
    .map(({ kind, state, reason }) => `${kind} ${state === 'SENT' ? 'QUEUED' : state} ${reason}`)
    .toReversed()
}

test('mails beyond the budget of the owner are skipped, and messages have the rest', async () => {
  const organizer = await world.withEmail()
  const other = await world.withEmail()
  const people = [await world.withEmail(), await world.withEmail(), await world.withEmail()]
  const [activity, ofOther] = [await openActivity(world.server, organizer), await openActivity(world.server, other)]
  for (const person of people) ok(await register(person, activity))
  await configure({ 'budget.eventMailsPerOwner': 2 })
  ok(await remove(organizer, activity, people[0]!))
  expect((await forecast(organizer, activity)).mailBudgetLeft).toBe(1)
  // Two mails for one that is left.
  expect((await send(organizer, activity)).status).toBe(429)
  // At once, one of two gets the last mail.
  await race(2, (i) => remove(organizer, activity, people[i + 1]!))
  const states = await Promise.all(people.map((person) => mailsTo(organizer, activity, person)))
  expect(states.flat().toSorted()).toEqual([
    'CANCELLED QUEUED null',
    'CANCELLED QUEUED null',
    'CANCELLED SKIPPED BUDGET',
  ])
  expect((await forecast(organizer, activity)).mailBudgetLeft).toBe(0)
  // News in the app and the mails of other owners go on.
  for (const person of people) {
    const { items } = ok(await person.call('notifications.list', {})).data
    expect(items.filter(({ data }) => data['activityId'] === activity.id)).toHaveLength(1)
  }
  ok(await register(people[0]!, ofOther))
  ok(await remove(other, ofOther, people[0]!))
  expect(await mailsTo(other, ofOther, people[0]!)).toEqual(['CANCELLED QUEUED null'])
})

test('mails beyond the budget of the server are skipped', async () => {
  const organizer = await world.withEmail()
  const person = await world.withEmail()
  const activity = await openActivity(world.server, organizer)
  ok(await register(person, activity))
  // Other tests have used more than one.
  await configure({ 'budget.eventMailsPerDay': 1 })
  ok(await remove(organizer, activity, person))
  expect(await mailsTo(organizer, activity, person)).toEqual(['CANCELLED SKIPPED BUDGET'])
})

test('one address gets 20 a day from all organizers, however often its owner registers', async () => {
  const person = await world.withEmail()
  const next = await world.withEmail()
  const organizers = [await world.withEmail(), await world.withEmail()]
  const activities = await Promise.all(organizers.map((organizer) => openActivity(world.server, organizer)))
  for (let i = 0; i < 21; i++) {
    ok(await register(person, activities[i % 2]!))
    ok(await remove(organizers[i % 2]!, activities[i % 2]!, person))
  }
  const mails = await Promise.all(activities.map((activity, i) => mailsTo(organizers[i]!, activity, person)))
  expect(mails[0]!.at(-1)).toBe('CANCELLED SKIPPED BUDGET')
  // A mail that was no longer true when it left was counted too.
  expect(mails.flat()).toHaveLength(21)
  expect(mails.flat().filter((mail) => mail.endsWith('BUDGET'))).toHaveLength(1)
  // A mail that the bound of the address refuses costs the owner nothing.
  expect((await forecast(organizers[0]!, activities[0]!)).mailBudgetLeft).toBe(4990)
  ok(await register(next, activities[0]!))
  ok(await remove(organizers[0]!, activities[0]!, next))
  expect(await mailsTo(organizers[0]!, activities[0]!, next)).toEqual(['CANCELLED QUEUED null'])
})

test('a user and a guest with one address who move up together get a mail each', async () => {
  const organizer = await world.withEmail()
  const [first, person] = [await world.withEmail(), await world.withEmail()]
  const activity = await openActivity(world.server, organizer, { capacity: 1, waitlist: true, guests: true })
  ok(await register(first, activity))
  ok(await register(person, activity))
  await confirmedGuest(world, activity, { email: person.email })
  ok(await update(organizer, activity.id, { registration: { capacity: 3 } }))
  const { items } = await list(organizer, activity, { size: 100 })
  expect(items.map(({ status }) => status)).toEqual(['CONFIRMED', 'CONFIRMED', 'CONFIRMED'])
  expect((await forecast(organizer, activity)).mailBudgetLeft).toBe(4998)
})
