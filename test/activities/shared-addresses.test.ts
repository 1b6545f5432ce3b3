/** E-mail addresses of accounts that register: managers see them only where the activity asks for them. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { useWorld } from '../accounts/helpers.ts'
import { ok, type Person } from '../harness/index.ts'
import { createGate, deviceAt, scan, searchFrom } from './gate-link-helpers.ts'
import { createActivity, update } from './helpers.ts'
import { issued } from './pass-helpers.ts'
import { cancel, list, openActivity, own, register } from './registering.ts'

const world = useWorld()
let organizer: Person & { email: string }
let member: Person & { email: string }

beforeAll(async () => {
  organizer = await world.withEmail()
  member = await world.withEmail()
})

const EMAIL = { contact: 'EMAIL' } as const
type Some = { readonly id: number }

const rowOf = async (person: Person, activity: Some) =>
  (await list(organizer, activity)).items.find(({ userId }) => userId === person.id)!
const detailOf = async (registrationId: number) =>
  ok(await organizer.call('registrations.getAny', { params: { registrationId } })).data
const tableOf = async ({ id }: Some, query = {}) =>
  ok(await organizer.get(`/api/activities/${id}/registrations`, { format: 'csv', ...query })).text

describe('an activity with contact EMAIL', () => {
  test('shows the proved address of the moment of registration in list, sheet and table', async () => {
    const activity = await openActivity(world.server, organizer, EMAIL)
    const seen = ok(await member.call('activities.get', { params: { id: activity.id } })).data
    expect(seen.registration?.contact).toBe('EMAIL')
    ok(await register(member, activity))
    const { id, email, guest } = await rowOf(member, activity)
    expect({ email, guest }).toEqual({ email: member.email, guest: null })
    expect((await detailOf(id)).email).toBe(member.email)
    expect(await tableOf(activity)).toContain(member.email)
    expect((await list(organizer, activity, { keyword: member.email.slice(0, 12) })).total).toBe(1)
    // The person's own answer has the shape of the other activities.
    expect(ok(await own(member, activity)).text).not.toContain(member.email)
  })

  test('refuses accounts without a proved address, and takes no place', async () => {
    const activity = await openActivity(world.server, organizer, { ...EMAIL, capacity: 1 })
    const nobody = await world.server.person()
    const refused = await register(nobody, activity)
    expect([refused.status, refused.details.map(({ path }) => path)]).toEqual([400, ['body.contact']])
    ok(await register(member, activity))
    expect((await list(organizer, activity)).items.map(({ userId }) => userId)).toEqual([member.id])
  })

  test('does not show those who registered before, also when they change their answers', async () => {
    const questions = [{ key: 'size', label: 'Size' }]
    const activity = await openActivity(world.server, organizer, { questions })
    ok(await register(member, activity))
    ok(await update(organizer, activity.id, { registration: EMAIL }))
    ok(await register(member, activity, { answers: { size: 'M' } }))
    expect((await rowOf(member, activity)).email).toBeNull()
    // Who registers again reads the form again.
    ok(await cancel(member, activity))
    ok(await register(member, activity))
    expect((await rowOf(member, activity)).email).toBe(member.email)
  })

  test('does not show accounts that a manager has added', async () => {
    const activity = await openActivity(world.server, organizer, EMAIL)
    const items = [{ userId: member.id }]
    const added = ok(await organizer.call('registrations.add', { params: { id: activity.id }, body: { items } })).data
    expect(added.items.map(({ email }) => email)).toEqual([null])
  })

  test('hides the addresses everywhere once it no longer asks for them', async () => {
    const fields = { hasPass: true, hasCheckIn: true }
    const activity = await openActivity(world.server, organizer, EMAIL, fields)
    ok(await register(member, activity))
    const { id } = await rowOf(member, activity)
    const [pass] = await issued(organizer, activity.id, { toRegistered: true })
    ok(await update(organizer, activity.id, { registration: { contact: 'NONE' } }))
    const gate = await createGate(organizer, activity.id)
    const device = await deviceAt(world.server, gate)
    const { nickname } = ok(await member.call('profile.get')).data
    const answers = [
      (await list(organizer, activity)).items,
      await detailOf(id),
      await tableOf(activity, { notes: true }),
      ok(await organizer.call('registrations.update', { params: { registrationId: id }, body: { note: 'x' } })).text,
      ok(await scan(device, { content: pass!.qrContent, nonce: 'hidden-address-1' })).text,
      ok(await searchFrom(device, nickname)).text,
      ok(await organizer.get('/api/sync/pull', { since: 0 })).text,
    ]
    for (const answer of answers) expect(JSON.stringify(answer)).not.toContain(member.email)
    // Nor can it be guessed.
    expect((await list(organizer, activity, { keyword: member.email })).total).toBe(0)
  })

  test('is nothing but a setting in the operation log', async () => {
    const activity = await openActivity(world.server, organizer, EMAIL)
    ok(await register(member, activity))
    const admin = await world.server.admin()
    ok(await admin.put(`/api/admin/activities/${activity.id}`, { name: 'Renamed', registration: { contact: 'NONE' } }))
    const log = ok(await admin.call('operationLog.list', { query: { size: 100 } as never })).text
    expect(log).toContain('"contact":"NONE"')
    expect(log).not.toContain(member.email)
  })
})

test('copies keep the setting, and a moved participant is shown only where it is EMAIL', async () => {
  const activity = await openActivity(world.server, organizer, EMAIL)
  const body = { startTime: activity.startTime }
  const copy = ok(await organizer.call('activities.copy', { params: { id: activity.id }, body })).data
  expect(copy.registration?.contact).toBe('EMAIL')
  ok(await register(member, activity))
  const registrationId = (await rowOf(member, activity)).id
  const other = await openActivity(world.server, organizer)
  const moved = ok(
    await organizer.call('registrations.move', { params: { registrationId }, body: { activityId: other.id } }),
  ).data
  expect(moved.email).toBeNull()
  ok(await update(organizer, other.id, { registration: EMAIL }))
  expect((await rowOf(member, other)).email).toBeNull()
})

test('the address is deleted with the account', async () => {
  const leaving = await world.withEmail()
  const activity = await openActivity(world.server, organizer, EMAIL)
  ok(await register(leaving, activity))
  expect((await rowOf(leaving, activity)).email).toBe(leaving.email)
  ok(await leaving.call('auth.deleteAccount'))
  const { items } = await list(organizer, activity)
  expect(items.map(({ status, email }) => ({ status, email }))).toEqual([{ status: 'CANCELLED', email: null }])
})

test('NONE is the default, null sets it, and other values are refused', async () => {
  const activity = await createActivity(organizer, { registration: {} })
  expect(activity.registration?.contact).toBe('NONE')
  const set = (contact: unknown) => organizer.put(`/api/activities/${activity.id}`, { registration: { contact } })
  expect(ok(await set('EMAIL')).data.registration.contact).toBe('EMAIL')
  for (const wrong of ['PHONE', 'email', 1, []]) expect((await set(wrong)).status, String(wrong)).toBe(400)
  expect(ok(await set(null)).data.registration.contact).toBe('NONE')
  expect((await world.server.request('POST', `/api/activities/${activity.id}/registration`, { body: {} })).status).toBe(
    401,
  )
})
