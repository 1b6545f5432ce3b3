/** Mails to people whose address a manager has entered: they are invited to confirm it. */

import { afterEach, expect, test } from 'bun:test'

import type { AddRegistrations } from '#domains/activities/additions/additions.model.ts'

import { newEmail, useWorld } from '../accounts/helpers.ts'
import { ok, type Person } from '../harness/index.ts'
import { createOrg } from '../orgs/helpers.ts'
import { act, mailsTo, readPage, secretFor } from './guest-helpers.ts'
import { invited } from './inviting.ts'
import { stopPath } from './mail-helpers.ts'
import { openActivity } from './registering.ts'

const world = useWorld()

const DEFAULTS = { 'mail.invitations': 'ORGANIZATIONS', 'budget.invitationMailsPerOwner': 1000 }
async function configure(values: Partial<typeof DEFAULTS>): Promise<void> {
  const admin = await world.server.admin()
  ok(await admin.call('admin.settings.update', { body: { values: { ...DEFAULTS, ...values } } }))
}
afterEach(() => configure({}))

async function ofOrganization(fields: Parameters<typeof openActivity>[3] = {}) {
  const manager = await world.withEmail()
  const org = await createOrg(manager, { name: 'Green Lake Club' })
  const activity = await openActivity(world.server, manager, {}, { orgId: org.id, name: 'Harvest', ...fields })
  return { manager, org, activity }
}

type Some = { readonly id: number }
const add = async (manager: Person, { id }: Some, items: AddRegistrations['items'], more: object = {}) =>
  ok(await manager.call('registrations.add', { params: { id }, body: { items, ...more } })).data.items

/** `INVITATION EMAIL BUDGET`: what was sent to the guest, or why it was not. */
async function sentTo(manager: Person, { id }: Some): Promise<string[]> {
  const { sent } = ok(await manager.call('registrations.getAny', { params: { registrationId: id } })).data
  return sent.map(({ kind, channel, reason }) => `${kind} ${channel} ${reason}`)
}

test('an address that a manager has entered is invited, and confirmed on the page of the guest', async () => {
  const { manager, activity } = await ofOrganization()
  const email = newEmail()
  const [guest] = await add(manager, activity, [{ name: 'Lin Mei', email, language: 'en' }])
  const secret = await secretFor(world, email)
  const [mail] = mailsTo(world, email)
  expect(mail!.subject).toBe('[Harvest] Your registration')
  expect(mail!.text.trimStart()).toStartWith('Green Lake Club has registered you for Harvest.')
  expect(mail!.text).toContain('Never write to me again')
  expect(mail!.headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
  expect(await sentTo(manager, guest!)).toEqual(['INVITATION EMAIL null'])
  expect(ok(await readPage(world.server, secret)).data.canConfirm).toBe(true)
  ok(await act(world.server, secret, { action: 'confirm' }))
  const { guest: after } = ok(
    await manager.call('registrations.getAny', { params: { registrationId: guest!.id } }),
  ).data
  expect(after!.confirmedAt).not.toBeNull()
})

test('an address from a file is invited with `notify` only', async () => {
  const { manager, activity } = await ofOrganization()
  const [told, silent] = [newEmail(), newEmail()]
  const load = async (email: string, notify: boolean) => {
    const form = new FormData()
    form.set('file', new File([`Name,E-mail\nLin,${email}`], 'people.csv'))
    form.set('notify', String(notify))
    ok(await manager.send('POST', `/api/activities/${activity.id}/registrations/import`, { body: form }))
  }
  await load(silent, false)
  await load(told, true)
  ok(await act(world.server, await secretFor(world, told), { action: 'confirm' }))
  // The row is now that of a guest who has confirmed the address, and nothing changes.
  await load(told, true)
  await world.allDelivered()
  expect([mailsTo(world, told).length, mailsTo(world, silent).length]).toEqual([1, 0])
})

test('one click of a stranger ends such mails of all organizers', async () => {
  const { manager, activity } = await ofOrganization()
  const email = newEmail()
  await add(manager, activity, [{ name: 'Lin', email }])
  await secretFor(world, email)
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const body = 'List-Unsubscribe=One-Click'
  expect(
    (await fetch(world.server.url + stopPath(mailsTo(world, email)[0]!), { method: 'POST', headers, body })).status,
  ).toBe(200)
  const other = await ofOrganization()
  const [guest] = await add(other.manager, other.activity, [{ name: 'Lin', email }])
  expect(await sentTo(other.manager, guest!)).toEqual(['INVITATION EMAIL OPTED_OUT'])
  await world.allDelivered()
  expect(mailsTo(world, email)).toHaveLength(1)
})

test('they count among the invitations of the owner and of the address, and nobody is refused for them', async () => {
  const { manager, activity, org } = await ofOrganization()
  await configure({ 'budget.invitationMailsPerOwner': 2 })
  const guests = await add(
    manager,
    activity,
    [1, 2, 3].map((i) => ({ name: `Guest ${i}`, email: newEmail() })),
  )
  expect((await Promise.all(guests.map((guest) => sentTo(manager, guest)))).flat().toSorted()).toEqual([
    'INVITATION EMAIL BUDGET',
    'INVITATION EMAIL null',
    'INVITATION EMAIL null',
  ])
  await configure({})
  const email = newEmail()
  for (let i = 0; i < 3; i++) {
    const one = await openActivity(world.server, manager, {}, { orgId: org.id })
    await invited(manager, one, { items: [{ email }] })
  }
  const [guest] = await add(manager, activity, [{ name: 'Lin', email }])
  expect(await sentTo(manager, guest!)).toEqual(['INVITATION EMAIL BUDGET'])
})

test('nothing is mailed without `notify`, where the server mails no invitations, or without automatic notices', async () => {
  const { manager, activity } = await ofOrganization()
  const person = () => ({ name: 'Lin', email: newEmail() })
  const [silent] = await add(manager, activity, [person()], { notify: false })
  expect(await sentTo(manager, silent!)).toEqual([])
  await configure({ 'mail.invitations': 'OFF' })
  const [off] = await add(manager, activity, [person()])
  expect(await sentTo(manager, off!)).toEqual(['CONFIRMED EMAIL NO_ADDRESS'])
  await configure({})
  const personal = await openActivity(world.server, manager)
  const [own] = await add(manager, personal, [person()])
  expect(await sentTo(manager, own!)).toEqual(['CONFIRMED EMAIL NO_ADDRESS'])
  const quiet = await ofOrganization({ autoNotices: false })
  const [unnoticed] = await add(quiet.manager, quiet.activity, [person()])
  expect(await sentTo(quiet.manager, unnoticed!)).toEqual([])
  // Neither has somebody without an address.
  const [nameless] = await add(manager, activity, [{ name: 'Bo' }])
  expect(await sentTo(manager, nameless!)).toEqual(['CONFIRMED EMAIL NO_ADDRESS'])
})
