/** Users are found by an e-mail address or phone number only if they proved that it is theirs. */

import { describe, expect, test } from 'bun:test'

import { newDevice, newEmail, newPhone, useWorld } from '../accounts/helpers.ts'
import { type Person, person } from '../harness/people.ts'
import { createOrg, getOrg, ok, respond } from './helpers.ts'

const world = useWorld()

/** Registers with an address that nobody confirms. */
async function claim(email: string): Promise<Person> {
  const deviceId = newDevice()
  const made = await world.post('/api/auth/register', { email, password: 'a long password' }, { deviceId })
  return person(world.server.url, made, email, 'a long password', deviceId)
}

const invite = async (owner: Person, org: { id: number }, body: { emails?: string[]; phones?: string[] }) =>
  ok(await owner.call('orgs.invite', { params: { id: org.id }, body })).data.items
const share = async (owner: Person, org: { id: number }, body: { emails?: string[]; phones?: string[] }) =>
  ok(await owner.call('orgs.shareJoinLink', { params: { id: org.id }, body })).data.items
const search = async (who: Person, q: string) =>
  ok(await who.call('orgs.searchUsers', { query: { q } })).data.items.map((user) => user.id)

describe('proved contacts', () => {
  test('inviting by e-mail or phone finds the user with exactly that contact and never shows it', async () => {
    const owner = await world.server.person()
    const [mei, tom] = [await world.withEmail(), await world.withPhone()]
    const org = await createOrg(owner, { visibility: 'INTERNAL' })
    const body = { emails: [mei.email.toUpperCase(), `${mei.email}x`], phones: [tom.phone, newPhone()] }
    const items = await invite(owner, org, body)
    expect(items.map((item) => item.status)).toEqual(['INVITED', 'NOT_FOUND', 'INVITED', 'NOT_FOUND'])
    const list = ok(await owner.call('orgs.invitations', { params: { id: org.id } })).data
    expect(list.items.map((row) => row.inviteeId)).toEqual([tom.id, mei.id])
    for (const contact of [mei.email, tom.phone]) expect(JSON.stringify(list).toLowerCase()).not.toContain(contact)
    ok(await respond(mei, items[0]!.invitationId!, true))
    expect((await getOrg(mei, org)).roleName).toBe('Member')
  })

  test('sharing a join link and searching for a user find a confirmed e-mail', async () => {
    const [owner, mei] = [await world.server.person(), await world.withEmail()]
    const org = await createOrg(owner)
    expect(await share(owner, org, { emails: [mei.email] })).toEqual([
      { target: mei.email, userId: null, contact: mei.email, status: 'SENT' },
    ])
    expect((await mei.call('notifications.list')).data.items[0]).toMatchObject({ type: 'ORG_JOIN_LINK' })
    expect(await search(owner, mei.email.toUpperCase())).toEqual([mei.id])
    expect(await search(owner, mei.email.slice(0, -1))).toEqual([])
    expect(await search(mei, mei.email)).toEqual([])
  })
})

describe('an e-mail that was only typed at registration', () => {
  test('inviting, sharing a join link and searching answer as for an unknown address, and the claimant learns nothing', async () => {
    const [owner, email] = [await world.server.person(), newEmail()]
    const org = await createOrg(owner, { visibility: 'INTERNAL' })
    const open = await createOrg(owner)
    const unknown = [{ target: email, userId: null, contact: email, status: 'NOT_FOUND' as const }]
    const mallory = await claim(email)
    expect(await invite(owner, org, { emails: [email] })).toEqual(unknown)
    expect(await share(owner, open, { emails: [email] })).toEqual(unknown)
    expect(await search(owner, email)).toEqual([])
    expect(ok(await mallory.call('orgs.myInvitations')).data.total).toBe(0)
    expect((await mallory.call('notifications.list')).data.total).toBe(0)
    expect((await mallory.call('orgs.get', { params: { id: org.id } })).status).toBe(403)
  })

  test('its user is found as soon as a code has confirmed it', async () => {
    const [owner, email] = [await world.server.person(), newEmail()]
    const org = await createOrg(owner)
    const mei = await claim(email)
    const code = await world.codeBy(mei, '/api/auth/email/bind-code', { email }, email)
    ok(await mei.call('auth.emailBind', { body: { email, code } }))
    expect((await invite(owner, org, { emails: [email] }))[0]).toMatchObject({ status: 'INVITED' })
    expect(await search(owner, email)).toEqual([mei.id])
  })
})
