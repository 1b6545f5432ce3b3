/** The invitation of a participant, as managers read about it. */

import { expect, test } from 'bun:test'

import { newEmail, useWorld } from '../accounts/helpers.ts'
import { ok, type Person, until } from '../harness/index.ts'
import { createOrg } from '../orgs/helpers.ts'
import { confirmedGuest } from './guest-helpers.ts'
import { invitationNow, invited } from './inviting.ts'
import { cancel, list, openActivity, register } from './registering.ts'

const world = useWorld()

async function opened() {
  const manager = await world.withEmail()
  const org = await createOrg(manager, { name: 'Green Lake Club' })
  return { manager, activity: await openActivity(world.server, manager, { guests: true }, { orgId: org.id }) }
}

const detailsOf = (person: Person, registrationId: number) =>
  person.call('registrations.getAny', { params: { registrationId } })

/** `INVITATION EMAIL SENT null`, the latest first. */
async function sentTo(manager: Person, registrationId: number): Promise<string[]> {
  const { sent } = ok(await detailsOf(manager, registrationId)).data
  for (const { state, sentAt } of sent) expect(sentAt !== null).toBe(state === 'SENT')
  return sent.map(({ kind, channel, state, reason }) => `${kind} ${channel} ${state} ${reason}`)
}

const only = async (manager: Person, activity: { id: number }) => (await list(manager, activity)).items[0]!.id

test('the mail of an invitation is among what was sent to the user who has used it', async () => {
  const { manager, activity } = await opened()
  const user = await world.server.person()
  const [invitation] = await invited(manager, activity, { items: [{ email: newEmail() }] })
  await until(async () => (await invitationNow(manager, activity, invitation!)).mail?.state === 'SENT')
  const answer = ok(await register(user, activity, { code: invitation!.code }))
  expect(answer.text).not.toContain('INVITATION')
  const id = await only(manager, activity)
  expect(await sentTo(manager, id)).toEqual(['INVITATION EMAIL SENT null'])
  // The second one was used after a cancellation.
  ok(await cancel(user, activity))
  const [second] = await invited(manager, activity, { count: 1 })
  ok(await register(user, activity, { code: second!.code }))
  expect(await sentTo(manager, id)).toEqual(['INVITATION EMAIL SENT null'])
})

test('that of a guest is there too, with the reason if it was not mailed', async () => {
  const { manager, activity } = await opened()
  const email = newEmail()
  for (let i = 0; i < 3; i++) {
    const other = await openActivity(world.server, manager, {}, { orgId: activity.ownerId })
    await invited(manager, other, { items: [{ email }] })
  }
  const [invitation] = await invited(manager, activity, { items: [{ email }] })
  expect(invitation!.mail).toEqual({ state: 'SKIPPED', reason: 'TOO_MANY' })
  await confirmedGuest(world, activity, { code: invitation!.code })
  expect(await sentTo(manager, await only(manager, activity))).toContain('INVITATION EMAIL SKIPPED TOO_MANY')
})

test('an invitation without a mail, and one of somebody else, are not there', async () => {
  const { manager, activity } = await opened()
  const user = await world.server.person()
  const [link] = await invited(manager, activity, { count: 1 })
  await invited(manager, activity, { items: [{ email: newEmail() }] })
  ok(await register(user, activity, { code: link!.code }))
  const id = await only(manager, activity)
  expect(await sentTo(manager, id)).toEqual([])
  const stranger = await world.server.person()
  expect((await detailsOf(user, id)).status).toBe(403)
  expect((await detailsOf(stranger, id)).status).toBe(404)
  expect((await detailsOf(manager, 999_999_999)).status).toBe(404)
  expect((await world.server.request('GET', `/api/registrations/${id}`)).status).toBe(401)
  expect((await manager.get('/api/registrations/x')).status).toBe(400)
})
