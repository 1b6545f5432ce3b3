/** Personal invitations of people without an account. */

import { describe, expect, test } from 'bun:test'

import { useWorld } from '../accounts/helpers.ts'
import { ok, type Person, race, until } from '../harness/index.ts'
import { createOrg } from '../orgs/helpers.ts'
import {
  act,
  mailsTo,
  newAddress,
  openToGuests,
  pendingGuest,
  readPage,
  ripeToken,
  secretFor,
  sendForm,
} from './guest-helpers.ts'
import { invitationNow, invited, withCode } from './inviting.ts'
import { list } from './registering.ts'

const world = useWorld()

type Open = Parameters<typeof openToGuests>

async function opened(registration: Open[2] = {}, fields: Open[3] = {}) {
  const manager = await world.withEmail()
  const org = await createOrg(manager)
  const activity = await openToGuests(world.server, manager, registration, {
    orgId: org.id,
    visibility: 'INVITE_ONLY',
    ...fields,
  })
  return { manager, activity }
}

/** The invitation was mailed to the address. */
async function mailed(manager: Person, activity: { id: number }, email: string) {
  const [invitation] = await invited(manager, activity, { items: [{ email }] })
  await until(
    async () => (await invitationNow(manager, activity, invitation!)).sentAt !== null,
    'the invitation is recorded as sent',
  )
  return invitation!
}

describe('a guest with the code of an invitation', () => {
  test('that was mailed to their address is registered by the form', async () => {
    const { manager, activity } = await opened({ personalOnly: true }, { visibility: 'PUBLIC' })
    const email = newAddress()
    const invitation = await mailed(manager, activity, email)
    const formToken = await ripeToken(world.server, activity)
    ok(await sendForm(world.server, activity, { email, code: invitation.code, formToken }))
    const [registration] = (await list(manager, activity)).items
    expect(registration).toMatchObject({ status: 'CONFIRMED', guest: { email } })
    expect(registration!.guest!.confirmedAt).not.toBeNull()
    expect(await invitationNow(manager, activity, invitation)).toMatchObject({
      state: 'USED',
      registrationId: registration!.id,
    })
    // The link of the page comes as always.
    const page = ok(await readPage(world.server, await secretFor(world, email))).data
    expect(page).toMatchObject({ status: 'CONFIRMED', canConfirm: false })
  })

  test('that was mailed to another address, or passed on by hand, confirms by mail, and uses the code then', async () => {
    const { manager, activity } = await opened({ personalOnly: true }, { visibility: 'PUBLIC' })
    const [byHand] = await invited(manager, activity, { items: [{ email: newAddress() }], send: false })
    const toAnother = await mailed(manager, activity, newAddress())
    for (const [invitation, email] of [
      [byHand!, byHand!.email!],
      [toAnother, newAddress()],
    ] as const) {
      const guest = await pendingGuest(world, activity, { email, code: invitation.code })
      expect((await invitationNow(manager, activity, invitation)).state).toBe('OPEN')
      expect(ok(await act(world.server, guest.secret, { action: 'confirm' })).data.status).toBe('CONFIRMED')
      expect((await invitationNow(manager, activity, invitation)).state).toBe('USED')
    }
    expect((await list(manager, activity)).total).toBe(2)
  })

  test('shares it with others: of ten who confirm at once, one has it', async () => {
    const { manager, activity } = await opened({}, { visibility: 'PUBLIC' })
    const invitation = await withCode(manager, activity)
    const guests: { secret: string }[] = []
    for (let i = 0; i < 10; i++) guests.push(await pendingGuest(world, activity, { code: invitation.code }))
    const replies = await race(10, (i) => act(world.server, guests[i]!.secret, { action: 'confirm' }))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const { status, message } of replies)
      if (status !== 200) expect([status, message]).toEqual([400, 'This invitation was already used'])
    expect((await list(manager, activity)).total).toBe(1)
  })

  test('gets a place past the capacity, and one without a code does not', async () => {
    const { manager, activity } = await opened({ capacity: 1 }, { visibility: 'PUBLIC' })
    const first = await pendingGuest(world, activity)
    ok(await act(world.server, first.secret, { action: 'confirm' }))
    const [plain, over] = [await withCode(manager, activity), await withCode(manager, activity, { overCapacity: true })]
    const refused = await pendingGuest(world, activity, { code: plain.code })
    expect(ok(await act(world.server, refused.secret, { action: 'confirm' })).data.status).toBe('CANCELLED')
    // The invitation is not lost.
    expect((await invitationNow(manager, activity, plain)).state).toBe('OPEN')
    const second = await pendingGuest(world, activity, { code: over.code })
    expect(ok(await act(world.server, second.secret, { action: 'confirm' })).data.status).toBe('CONFIRMED')
  })
})

describe('the form of a guest', () => {
  test('is refused with 400 without a personal code where one is needed, and with a wrong or used one', async () => {
    const { manager, activity } = await opened({ personalOnly: true }, { visibility: 'PUBLIC' })
    const used = await mailed(manager, activity, newAddress())
    const formToken = await ripeToken(world.server, activity)
    ok(await sendForm(world.server, activity, { email: used.email!, code: used.code, formToken }))
    const email = newAddress()
    for (const [code, message] of [
      [undefined, 'Registering for this activity needs a personal invitation'],
      ['WRONGCODE234', 'This invitation code is wrong or has ended'],
      [used.code, 'This invitation was already used'],
    ] as const) {
      const refused = await sendForm(world.server, activity, { email, formToken, ...(code && { code }) })
      expect([refused.status, refused.message]).toEqual([400, message])
    }
    await world.allDelivered()
    expect(mailsTo(world, email)).toEqual([])
  })
})
