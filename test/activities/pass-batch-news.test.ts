/** Batches of passes that notify the holders, and passes for chosen participants. */

import { describe, expect, test } from 'bun:test'

import type { ChangePasses } from '#domains/activities/pass-changes/pass-changes.model.ts'
import type { IssuePasses } from '#domains/activities/pass-issues/pass-issues.model.ts'
import { DAY } from '#platform/clock.ts'

import { useWorld } from '../accounts/helpers.ts'
import { ok, type Person, race, until } from '../harness/index.ts'
import { confirmedGuest, mailsTo, openToGuests } from './guest-helpers.ts'
import { issue, issued } from './pass-helpers.ts'
import { cancel, list, openActivity, register } from './registering.ts'

const world = useWorld()

type Some = { readonly id: number }
const batch = (person: Person, { id }: Some, body: ChangePasses) =>
  person.call('passes.batch', { params: { id }, body })

/** Titles of the notifications about the activity, the oldest first. */
async function titles(person: Person, { id }: Some): Promise<string[]> {
  const { items } = ok(await person.call('notifications.list', { query: { size: 100 } })).data
  return items
    .filter(({ data }) => data['activityId'] === id)
    .map(({ title }) => title)
    .toReversed()
}
const subjects = (address: string, activity: { name: string }): string[] =>
  mailsTo(world, address).flatMap(({ subject }) => (subject.includes(`[${activity.name}] Your pass`) ? [subject] : []))

let n = 0
/** An activity with a user and a guest, who have passes and have read about them. */
async function opened() {
  const organizer = await world.withEmail()
  const user = await world.withEmail()
  const name = `Harvest ${++n}`
  const activity = await openToGuests(world.server, organizer, {}, { hasPass: true, name, language: 'en' })
  ok(await register(user, activity))
  const guest = await confirmedGuest(world, activity)
  const passes = await issued(organizer, activity.id, { toRegistered: true })
  for (const { email } of [user, guest])
    await until(() => subjects(email, activity).length === 1, 'the mail about the new pass arrived')
  return { organizer, user, guest, activity, passes }
}

describe('a batch with `notify`', () => {
  test('notifies users and guests once that their passes are revoked', async () => {
    const { organizer, user, guest, activity } = await opened()
    const asked = { action: 'REVOKE', filter: {}, notify: true, requestId: 'revoke-all-1' } as const
    expect(ok(await batch(organizer, activity, { ...asked, dryRun: true })).data.changed).toBe(2)
    expect(ok(await batch(organizer, activity, asked)).data.changed).toBe(2)
    expect(ok(await batch(organizer, activity, asked)).data.changed).toBe(2)
    ok(await batch(organizer, activity, { ...asked, requestId: 'revoke-all-2' }))
    for (const { email } of [user, guest])
      await until(() => subjects(email, activity).length === 2, 'the mail about the revoked pass arrived')
    await world.allDelivered()
    for (const { email } of [user, guest])
      expect(subjects(email, activity)).toEqual([
        `[${activity.name}] Your pass`,
        `[${activity.name}] Your pass was revoked`,
      ])
    expect((await titles(user, activity)).slice(-1)).toEqual([`Your pass for ${activity.name} was revoked`])
    expect(await titles(user, activity)).toHaveLength(2)
    const { items } = await list(organizer, activity)
    for (const { id: registrationId } of items) {
      const { sent } = ok(await organizer.call('registrations.getAny', { params: { registrationId } })).data
      expect(sent.filter(({ kind, channel }) => kind === 'PASS' && channel === 'EMAIL')).toHaveLength(2)
    }
    // The same id with another answer to the question is another request.
    expect((await batch(organizer, activity, { ...asked, notify: false })).status).toBe(400)
  })

  test('notifies them of other times, with the link of the pass, and of nothing else', async () => {
    const { organizer, user, guest, activity, passes } = await opened()
    const change = (values: NonNullable<ChangePasses['values']>, notify = true) =>
      batch(organizer, activity, { action: 'UPDATE', filter: {}, values, notify })
    expect(ok(await change({ maxUses: 3 })).data.changed).toBe(2)
    expect(ok(await change({ validTo: activity.endTime + DAY }, false)).data.changed).toBe(2)
    expect(ok(await change({ validTo: activity.endTime + 2 * DAY })).data.changed).toBe(2)
    expect(ok(await change({ validTo: activity.endTime + 2 * DAY })).data.changed).toBe(0)
    for (const { email } of [user, guest])
      await until(() => subjects(email, activity).length === 2, 'the mail about the changed pass arrived')
    await world.allDelivered()
    expect(subjects(user.email, activity).slice(1)).toEqual([`[${activity.name}] Your pass has changed`])
    expect(await titles(user, activity)).toHaveLength(2)
    const mail = mailsTo(world, guest.email).findLast(({ subject }) => subject.endsWith('has changed'))!
    expect(mail.text).toContain(passes.find(({ holderUserId }) => holderUserId === null)!.publicUrl)
    expect(mail.calendar).toBe('')
  })

  test('notifies nobody of a pass that another one has replaced', async () => {
    const organizer = await world.withEmail()
    const user = await world.withEmail()
    const activity = await openActivity(world.server, organizer, null, { hasPass: true })
    const [old] = await issued(organizer, activity.id, { userId: user.id })
    ok(await organizer.call('passes.revoke', { params: { passId: old!.id }, body: {} }))
    await issued(organizer, activity.id, { userId: user.id })
    const before = await titles(user, activity)
    const filter = { ids: [old!.id] }
    expect(ok(await batch(organizer, activity, { action: 'REVOKE', filter, notify: true })).data.changed).toBe(0)
    expect(await titles(user, activity)).toEqual(before)
  })

  test('is refused to others, and for values of other types', async () => {
    const { organizer, user, activity } = await opened()
    const body = { action: 'REVOKE', filter: {}, notify: true } as const
    expect((await batch(user, activity, body)).status).toBe(403)
    const path = `/api/activities/${activity.id}/pass/batch`
    expect((await world.server.request('POST', path, { body })).status).toBe(401)
    expect((await organizer.post(path, { ...body, notify: 'everybody' })).status).toBe(400)
    expect(await titles(user, activity)).toHaveLength(1)
  })
})

describe('passes for chosen participants', () => {
  const choose = (registrationIds: number[], more: Partial<IssuePasses> = {}): IssuePasses => ({
    toRegistered: true,
    registrationIds,
    ...more,
  })

  test('go to users and guests with a place and without a pass, and to nobody else', async () => {
    const organizer = await world.withEmail()
    const [user, other, waiting] = [await world.withEmail(), await world.withEmail(), await world.withEmail()]
    const registration = { capacity: 3, waitlist: true }
    const activity = await openToGuests(world.server, organizer, registration, { hasPass: true })
    for (const person of [user, other]) ok(await register(person, activity))
    await confirmedGuest(world, activity)
    ok(await register(waiting, activity))
    const { items } = await list(organizer, activity)
    const idOf = (userId: number | null) => items.find((one) => one.userId === userId)!.id
    const replies = await race(5, () => issue(organizer, activity.id, choose([idOf(user.id)])))
    expect(replies.flatMap((reply) => ok(reply).data.items).map(({ holderUserId }) => holderUserId)).toEqual([user.id])
    const passes = await issued(organizer, activity.id, choose([idOf(user.id), idOf(null), idOf(waiting.id)]))
    expect(passes.map(({ holderUserId }) => holderUserId)).toEqual([null])
    const shown = (await list(organizer, activity)).items
    expect(shown.filter(({ pass }) => pass !== null).map(({ userId }) => userId)).toEqual([null, user.id])
    ok(await cancel(other, activity))
    expect(await issued(organizer, activity.id, choose([idOf(other.id)]))).toEqual([])
  })

  test('are refused for other activities, without `toRegistered`, and to others', async () => {
    const organizer = await world.withEmail()
    const user = await world.withEmail()
    const activity = await openActivity(world.server, organizer, {}, { hasPass: true })
    const other = await openActivity(world.server, organizer, {}, { hasPass: true })
    for (const one of [activity, other]) ok(await register(user, one))
    const own = (await list(organizer, activity)).items[0]!.id
    const foreign = (await list(organizer, other)).items[0]!.id
    const wrong = await issue(organizer, activity.id, choose([own, foreign, 999_999_999]))
    expect([wrong.status, wrong.details.map(({ path }) => path)]).toEqual([
      400,
      ['body.registrationIds.1', 'body.registrationIds.2'],
    ])
    const path = `/api/activities/${activity.id}/pass/issue`
    const bad: object[] = [
      { userId: user.id, registrationIds: [own] },
      { toRegistered: true, registrationIds: [] },
      { toRegistered: true, registrationIds: [own, own] },
      { toRegistered: true, registrationIds: ['x'] },
      { toRegistered: true, registrationIds: Array.from({ length: 501 }, (_, i) => i + 1) },
    ]
    for (const body of bad) expect((await organizer.post(path, body)).status, JSON.stringify(body)).toBe(400)
    expect((await issue(user, activity.id, choose([own]))).status).toBe(403)
    expect((await world.server.request('POST', path, { body: choose([own]) })).status).toBe(401)
    expect((await list(organizer, activity)).items[0]!.pass).toBeNull()
  })
})
