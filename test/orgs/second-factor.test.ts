/** Organizations that require a second factor: members without one can only leave. */

import { describe, expect, test } from 'bun:test'

import { stepAt, totp } from '#lib/totp.ts'

import { fromBase32 } from '../accounts/helpers.ts'
import { addPasskey } from '../harness/authenticator.ts'
import { ok, type Reply, useServer } from '../harness/index.ts'
import type { Person } from '../harness/people.ts'

const LOCKED = [403, 4035]
const answer = ({ status, code }: Reply) => [status, code]

describe('an organization that requires a second factor', () => {
  const { owner, chief, mei, loner } = useServer({
    people: ['owner', 'chief', 'mei', 'loner'],
  })

  async function requirePasskey(who: Person) {
    await addPasskey(who)
    ok(await who.call('passkeys.require', { body: { required: true } }))
  }

  async function enableTotp(who: Person) {
    const { secret } = ok(await who.call('auth.startTotp')).data
    ok(await who.call('auth.confirmTotp', { body: { totp: totp(fromBase32(secret), stepAt(Date.now())) } }))
  }

  const setRequired = (who: Person, id: number, requireSecondFactor: boolean) =>
    who.call('orgs.update', { params: { id }, body: { requireSecondFactor } })

  async function join(id: number, who: Person, roleCode: 'ADMIN' | 'MEMBER') {
    const code = ok(await owner.call('orgs.get', { params: { id } })).data.code
    ok(await who.call('orgs.joinByCode', { body: { code } }))
    ok(await owner.call('orgs.changeMember', { params: { orgId: id, userId: who.id }, body: { roleCode } }))
  }

  async function newOrg() {
    const org = ok(await owner.call('orgs.create', { body: { name: 'School', joinPolicy: 'FREE' } })).data
    await join(org.id, chief, 'ADMIN')
    await join(org.id, mei, 'MEMBER')
    return org
  }

  test('can be made so by its owner only, who must have one', async () => {
    const org = await newOrg()
    expect(org.requireSecondFactor).toBe(false)
    expect((await setRequired(owner, org.id, true)).status).toBe(400)
    await requirePasskey(owner)
    await requirePasskey(chief)
    expect(answer(await setRequired(chief, org.id, true))).toEqual([403, 403])
    // A value that is there already changes nothing.
    ok(await setRequired(chief, org.id, false))
    expect(ok(await setRequired(owner, org.id, true)).data.requireSecondFactor).toBe(true)
    expect((await owner.put(`/api/orgs/${org.id}`, { requireSecondFactor: 'yes' })).status).toBe(400)
    ok(await setRequired(owner, org.id, false))
  })

  test('answers members without one with 4035 to reads and writes, until they have one', async () => {
    const org = await newOrg()
    const { id } = org
    const code = ok(
      await owner.call('qrCodes.create', { body: { orgId: id, name: 'Desk', content: 'https://example.org/1' } }),
    ).data
    const activity = ok(
      await owner.post('/api/activities', {
        orgId: id,
        name: 'Fair',
        startTime: Date.now() + 86_400_000,
        endTime: Date.now() + 90_000_000,
      }),
    ).data
    ok(await mei.call('qrCodes.get', { params: { id: code.id } }))
    ok(await setRequired(owner, id, true))
    const refused = () =>
      Promise.all([
        mei.call('orgs.members', { params: { orgId: id } }),
        mei.call('orgs.stats', { params: { id } }),
        mei.call('orgs.switch', { params: { id } }),
        mei.call('profile.quotas', { query: { orgId: id } }),
        mei.call('qrCodes.list', { query: { orgId: id } }),
        mei.call('qrCodes.get', { params: { id: code.id } }),
        mei.get('/api/activities', { orgId: String(id) }),
        mei.get(`/api/activities/${activity.id}`, { orgId: String(id) }),
        mei.get(`/api/activities/${activity.id}`),
        mei.get('/api/sync/pull', { since: '0', orgId: String(id) }),
        mei.put(`/api/orgs/${id}`, { name: 'Mine' }),
        mei.put(`/api/qr-codes/${code.id}`, { name: 'Mine' }),
        mei.call('qrCodes.create', { body: { orgId: id, name: 'Mine', content: 'https://example.org/2' } }),
      ])
    for (const reply of await refused()) expect(answer(reply)).toEqual(LOCKED)
    // They still see that they belong to it, and what it asks of them.
    expect(ok(await mei.call('orgs.get', { params: { id } })).data).toMatchObject({
      requireSecondFactor: true,
      permissions: [],
    })
    // Nothing changes for the others, for strangers, and for their own things.
    ok(await chief.call('orgs.members', { params: { orgId: id } }))
    expect(answer(await loner.call('orgs.members', { params: { orgId: id } }))).toEqual([403, 403])
    expect((await loner.call('qrCodes.get', { params: { id: code.id } })).status).toBe(404)
    ok(await mei.call('qrCodes.list'))

    await enableTotp(mei)
    ok(await mei.call('orgs.members', { params: { orgId: id } }))
    ok(await mei.call('qrCodes.get', { params: { id: code.id } }))
  })

  test('lets members without one leave', async () => {
    const org = ok(await owner.call('orgs.create', { body: { name: 'Club', joinPolicy: 'FREE' } })).data
    await join(org.id, loner, 'MEMBER')
    ok(await setRequired(owner, org.id, true))
    expect(answer(await loner.call('orgs.stats', { params: { id: org.id } }))).toEqual(LOCKED)
    ok(await loner.call('orgs.leave', { params: { id: org.id } }))
    expect(ok(await owner.call('orgs.members', { params: { orgId: org.id } })).data.total).toBe(1)
  })

  test('shows who has one to those who may change members', async () => {
    const org = ok(await owner.call('orgs.create', { body: { name: 'Choir', joinPolicy: 'FREE' } })).data
    await join(org.id, loner, 'MEMBER')
    const seenBy = async (who: Person) =>
      ok(await who.call('orgs.members', { params: { orgId: org.id } })).data.items.map(
        ({ secondFactor }) => secondFactor,
      )
    expect(await seenBy(owner)).toEqual([true, false])
    expect(await seenBy(loner)).toEqual([undefined, undefined])
  })

  test('is closed again to members who switch theirs off', async () => {
    const org = ok(await owner.call('orgs.create', { body: { name: 'Team', joinPolicy: 'FREE' } })).data
    await join(org.id, chief, 'MEMBER')
    ok(await setRequired(owner, org.id, true))
    ok(await chief.call('orgs.stats', { params: { id: org.id } }))
    ok(await chief.call('passkeys.require', { body: { required: false } }))
    expect(answer(await chief.call('orgs.stats', { params: { id: org.id } }))).toEqual(LOCKED)
  })
})
