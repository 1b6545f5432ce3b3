/** Personal invitations to an activity: making, using, listing and revoking them. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { activityInvitations } from '#db/schema/activity-invitations.ts'
import { invitationsJob } from '#domains/activities/invitations/invitations.jobs.ts'
import { setOrgStatus } from '#domains/orgs/index.ts'
import { DAY, HOUR, MINUTE } from '#platform/clock.ts'

import { inProcess, ok, type Person, race, type Reply, type TestServer, useServer } from '../harness/index.ts'
import { createOrg } from '../orgs/helpers.ts'
import { createActivity, getActivity, setStatus, update } from './helpers.ts'
import { invitationNow, invitations, invite, invited, revoke, sendAgain, withCode } from './inviting.ts'
import { cancel, expectSound, list, openActivity, own, register, stateOf } from './registering.ts'

const { server, alice, bob, carol } = useServer({ people: ['alice', 'bob', 'carol'] })

const byInvitation = { visibility: 'INVITE_ONLY' } as const
const messageOf = (reply: Reply) => [reply.status, reply.message]
const USED = [400, 'This invitation was already used']
const pageAt = (at: TestServer, url: string) => fetch(at.url + url.slice(new URL(url).origin.length))
const WRONG = [400, 'This invitation code is wrong or has ended']
const NEEDED = [400, 'Registering for this activity needs a personal invitation']

describe('an invitation', () => {
  test('shows an INVITE_ONLY activity and registers one person', async () => {
    const activity = await openActivity(server, alice, {}, byInvitation)
    const invitation = await withCode(alice, activity)
    expect(invitation).toMatchObject({ state: 'OPEN', registrationId: null, openedAt: null, mail: null, email: null })
    expect(invitation.code).toMatch(/^[A-HJ-NP-Z2-9]{12}$/)
    expect(invitation.url).toEndWith(`/s/activity/${activity.uuid}?code=${invitation.code}`)
    expect((await register(bob, activity)).status).toBe(403)
    // Codes are typed in many ways.
    const typed = invitation.code.toLowerCase().replace(/(.{4})/g, '$1 ')
    const { data } = ok(await register(bob, activity, { code: typed }))
    expect(data.status).toBe('CONFIRMED')
    expect(await invitationNow(alice, activity, invitation)).toMatchObject({ state: 'USED', registrationId: data.id })
    // A second request is answered with the registration, by somebody else refused.
    expect(ok(await register(bob, activity, { code: invitation.code })).data.id).toBe(data.id)
    expect(messageOf(await register(carol, activity, { code: invitation.code }))).toEqual(USED)
    expect((await list(alice, activity)).total).toBe(1)
  })

  test('is not free again after a cancellation', async () => {
    const activity = await openActivity(server, alice, {}, byInvitation)
    const { code } = await withCode(alice, activity)
    ok(await register(bob, activity, { code }))
    ok(await cancel(bob, activity))
    for (const person of [bob, carol]) expect(messageOf(await register(person, activity, { code }))).toEqual(USED)
  })

  test('is not used by a registration that fails', async () => {
    const activity = await openActivity(server, alice, { capacity: 1 })
    ok(await register(carol, activity))
    const invitation = await withCode(alice, activity)
    const refused = await register(bob, activity, { code: invitation.code })
    expect(messageOf(refused)).toEqual([400, 'All places of this activity are taken'])
    expect((await invitationNow(alice, activity, invitation)).state).toBe('OPEN')
    ok(await cancel(carol, activity))
    ok(await register(bob, activity, { code: invitation.code }))
  })

  test('of a PUBLIC activity gives no better place, unless it says so', async () => {
    const activity = await openActivity(server, alice, { capacity: 1, waitlist: true })
    ok(await register(carol, activity))
    const [plain, over] = [await withCode(alice, activity), await withCode(alice, activity, { overCapacity: true })]
    ok(await register(bob, activity, { code: plain.code }))
    expect(await stateOf(bob, activity)).toBe('WAITING 1')
    const dora = await server.person()
    ok(await register(dora, activity, { code: over.code }))
    expect(await stateOf(dora, activity)).toBe('CONFIRMED null')
    expect((await getActivity(alice, activity.id)).stats!.registrations).toEqual({ confirmed: 2, waiting: 1 })
    // Nobody moves up while there are more people than places.
    ok(await cancel(carol, activity))
    expect(await stateOf(bob, activity)).toBe('WAITING 1')
    ok(await cancel(dora, activity))
    expect(await stateOf(bob, activity)).toBe('CONFIRMED null')
    await expectSound(alice, activity, 1)
  })

  test('that was revoked has a wrong code', async () => {
    const hidden = await openActivity(server, alice, {}, byInvitation)
    const open = await openActivity(server, alice)
    for (const [activity, refusal] of [
      [hidden, [403, 'This activity is by invitation only: enter its invite code']],
      [open, WRONG],
    ] as const) {
      const invitation = await withCode(alice, activity)
      ok(await revoke(alice, activity, invitation))
      ok(await revoke(alice, activity, invitation))
      expect((await invitationNow(alice, activity, invitation)).state).toBe('REVOKED')
      expect(messageOf(await register(bob, activity, { code: invitation.code }))).toEqual([...refusal])
      ok(await register(bob, activity, { code: (await withCode(alice, activity)).code }))
    }
  })

  test.if(inProcess)('is EXPIRED from its end on, without a job', async () => {
    const activity = await openActivity(server, alice)
    const invitation = await withCode(alice, activity, { expiresAt: server.clock.now() + HOUR })
    server.clock.advance(HOUR)
    expect((await invitationNow(alice, activity, invitation)).state).toBe('EXPIRED')
    expect(messageOf(await register(bob, activity, { code: invitation.code }))).toEqual(WRONG)
    expect((await sendAgain(alice, activity, invitation)).status).toBe(400)
  })

  test('of another activity is a wrong code', async () => {
    const [activity, other] = [await openActivity(server, alice), await openActivity(server, alice)]
    const { code } = await withCode(alice, other)
    expect(messageOf(await register(bob, activity, { code }))).toEqual(WRONG)
    const hidden = await openActivity(server, alice, {}, byInvitation)
    expect((await register(bob, hidden, { code })).status).toBe(403)
    ok(await register(bob, other, { code }))
  })

  test('that was used cannot be revoked', async () => {
    const activity = await openActivity(server, alice)
    const invitation = await withCode(alice, activity)
    ok(await register(bob, activity, { code: invitation.code }))
    expect((await revoke(alice, activity, invitation)).status).toBe(400)
    expect(await stateOf(bob, activity)).toBe('CONFIRMED null')
  })

  test('records when its page was opened first, and the page does not tell the common code', async () => {
    const activity = await openActivity(server, alice, {}, byInvitation)
    const invitation = await withCode(alice, activity)
    const open = async () => (await pageAt(server, invitation.url)).text()
    const page = await open()
    expect(page).toContain(`activity:${activity.id}:${invitation.code}`)
    expect(page).not.toContain(activity.inviteCode!)
    const { openedAt } = await invitationNow(alice, activity, invitation)
    expect(openedAt).not.toBeNull()
    await open()
    expect((await invitationNow(alice, activity, invitation)).openedAt).toBe(openedAt)
    const other = await withCode(alice, activity)
    ok(await bob.call('activities.get', { params: { id: activity.id }, query: { code: other.code } }))
    expect((await invitationNow(alice, activity, other)).openedAt).not.toBeNull()
  })
})

describe('an activity with personalOnly', () => {
  test('is shown by the common code, and takes registrations with personal ones only', async () => {
    const activity = await openActivity(server, alice, { personalOnly: true }, byInvitation)
    const code = activity.inviteCode!
    const seen = ok(await bob.call('activities.get', { params: { id: activity.id }, query: { code } })).data
    expect(seen.registration?.personalOnly).toBe(true)
    expect(messageOf(await register(bob, activity, { code }))).toEqual(NEEDED)
    ok(await register(bob, activity, { code: (await withCode(alice, activity)).code }))
    // The manager needs one too.
    expect(messageOf(await register(alice, activity))).toEqual(NEEDED)
    ok(await update(alice, activity.id, { registration: { personalOnly: false } }))
    ok(await register(carol, activity, { code }))
  })

  test('is not the default', async () => {
    expect((await openActivity(server, alice)).registration?.personalOnly).toBe(false)
  })

  test('keeps who has registered', async () => {
    const activity = await openActivity(server, alice)
    ok(await register(bob, activity))
    ok(await update(alice, activity.id, { registration: { personalOnly: true } }))
    ok(await register(bob, activity))
    expect(ok(await own(bob, activity)).data.status).toBe('CONFIRMED')
  })
})

describe('many requests at once', () => {
  let crowd: Person[]
  beforeAll(async () => {
    crowd = await race(20, () => server.person())
  })
  const counts = (replies: readonly Reply[]) =>
    Object.fromEntries(Object.entries(Object.groupBy(replies, ({ status }) => status)).map(([k, v]) => [k, v!.length]))

  test('with one code register one person, and the others hear that it was used', async () => {
    const activity = await openActivity(server, alice, {}, byInvitation)
    const { code } = await withCode(alice, activity)
    const replies = await race(20, (i) => register(crowd[i]!, activity, { code }))
    expect(counts(replies)).toEqual({ 200: 1, 400: 19 })
    for (const reply of replies.filter(({ status }) => status === 400)) expect(messageOf(reply)).toEqual(USED)
    const { items } = await list(alice, activity)
    expect(items).toHaveLength(1)
    expect(await invitations(alice, activity)).toMatchObject([{ state: 'USED', registrationId: items[0]!.id }])
  })

  test('with a code each past the capacity give a place each', async () => {
    const activity = await openActivity(server, alice, { capacity: 1 })
    const codes = await invited(alice, activity, { count: 20, overCapacity: true })
    const replies = await race(20, (i) => register(crowd[i]!, activity, { code: codes[i]!.code }))
    expect(counts(replies)).toEqual({ 200: 20 })
    expect((await getActivity(alice, activity.id)).stats!.registrations).toEqual({ confirmed: 20, waiting: 0 })
  })

  test('of a revocation and registrations leave it used or revoked, never both', async () => {
    const activity = await openActivity(server, alice)
    const invitation = await withCode(alice, activity)
    const [revoked, ...replies] = await Promise.all([
      revoke(alice, activity, invitation),
      ...crowd.map((person) => register(person, activity, { code: invitation.code })),
    ])
    const registered = replies.filter(({ status }) => status === 200).length
    expect([revoked.status, registered]).toEqual(revoked.status === 200 ? [200, 0] : [400, 1])
    const { state } = await invitationNow(alice, activity, invitation)
    expect(state).toBe(registered === 1 ? 'USED' : 'REVOKED')
  })

  test('with one requestId make the invitations once', async () => {
    const activity = await openActivity(server, alice)
    const body = { count: 3, requestId: 'the-same-request' }
    const made = await race(10, () => invited(alice, activity, body))
    expect(new Set(made.map((items) => items.map(({ id }) => id).join())).size).toBe(1)
    expect(await invitations(alice, activity)).toHaveLength(3)
    const other = await invite(alice, activity, { ...body, count: 4 })
    expect([other.status, other.details[0]!.path]).toEqual([400, 'body.requestId'])
  })
})

describe.if(inProcess)('wrong codes', () => {
  const limited = useServer({ people: ['host', 'guest'], rateLimit: true })

  test('of PUBLIC and INVITE_ONLY activities count among the 20 a minute of an address', async () => {
    const { host, guest } = limited
    const open = await openActivity(limited.server, host)
    const hidden = await openActivity(limited.server, host, {}, byInvitation)
    const { code } = await withCode(host, hidden)
    const look = ({ id }: { id: number }, wrong: string) =>
      guest.call('activities.get', { params: { id }, query: { code: wrong } })
    for (let i = 0; i < 10; i++) {
      ok(await look(open, `WRONGCODE23${'ABCDEFGHJK'[i]}`))
      expect((await look(hidden, `WRONGCODE24${'ABCDEFGHJK'[i]}`)).status).toBe(403)
    }
    for (const activity of [open, hidden]) expect((await look(activity, code)).status).toBe(429)
    expect((await register(guest, hidden, { code })).status).toBe(429)
    ok(await guest.call('activities.get', { params: { id: open.id } }))
    limited.server.clock.advance(MINUTE)
    ok(await register(guest, hidden, { code }))
  })

  test('are no right ones: many people use theirs from one address', async () => {
    const { host } = limited
    const activity = await openActivity(limited.server, host, {}, byInvitation)
    const codes = await invited(host, activity, { count: 30 })
    for (const { url } of codes) expect((await pageAt(limited.server, url)).status).toBe(200)
  })
})

describe('the list of invitations', () => {
  test('has filters and pages, newest first', async () => {
    const activity = await openActivity(server, alice)
    const items = [{ email: 'Ann@Example.org', name: 'Ann Li' }, { email: 'ben@example.com' }, { name: 'Cem Öz' }]
    const [ann, ben, cem] = await invited(alice, activity, { items, send: false })
    expect(ann).toMatchObject({ email: 'ann@example.org', name: 'Ann Li', mail: null, sentAt: null })
    ok(await revoke(alice, activity, ben!))
    ok(await register(bob, activity, { code: cem!.code }))
    const ids = async (query: object) => (await invitations(alice, activity, query)).map(({ id }) => id)
    expect(await ids({})).toEqual([cem!.id, ben!.id, ann!.id])
    expect(await ids({ state: 'OPEN' })).toEqual([ann!.id])
    expect(await ids({ state: 'USED' })).toEqual([cem!.id])
    expect(await ids({ state: 'REVOKED' })).toEqual([ben!.id])
    expect(await ids({ state: 'EXPIRED' })).toEqual([])
    expect(await ids({ keyword: 'EXAMPLE' })).toEqual([ben!.id, ann!.id])
    expect(await ids({ keyword: 'cem' })).toEqual([cem!.id])
    expect(await ids({ keyword: ann!.code.toLowerCase().slice(0, 6) })).toEqual([ann!.id])
    expect(await ids({ keyword: '%' })).toEqual([])
    expect(await ids({ size: 1, page: 2 })).toEqual([ben!.id])
  })
})

describe('bad input', () => {
  test('is refused with 400 and makes nothing', async () => {
    const activity = await openActivity(server, alice)
    const [open] = await invited(alice, activity, { items: [{ email: 'open@example.org' }], send: false })
    for (const [body, path] of [
      [{}, 'body.items'],
      [{ count: 1, items: [{}] }, 'body.items'],
      [{ items: [] }, 'body.items'],
      [{ count: 0 }, 'body.count'],
      [{ count: 1001 }, 'body.count'],
      [{ items: Array.from({ length: 1001 }, () => ({})) }, 'body.items'],
      [{ items: [{}, { email: 'no address' }] }, 'body.items.1.email'],
      [{ items: [{ email: 'a@example.org\r\nBcc: b@example.org' }] }, 'body.items.0.email'],
      [{ items: [{ email: 'a@example.org' }, { email: 'A@example.org' }] }, 'body.items.1.email'],
      [{ items: [{ email: 'new@example.org' }, { email: 'OPEN@example.org' }], send: false }, 'body.items.1.email'],
      [{ items: [{ name: 'a\nb' }] }, 'body.items.0.name'],
      [{ items: [{ language: 'fr' }] }, 'body.items.0.language'],
      [{ count: 1, expiresAt: 1 }, 'body.expiresAt'],
      [{ count: 1, text: 'a'.repeat(501) }, 'body.text'],
      [{ count: 1, requestId: 'short' }, 'body.requestId'],
    ] as const) {
      const refused = await alice.post(`/api/activities/${activity.id}/invitations`, body)
      expect([refused.status, refused.details[0]?.path]).toEqual([400, path])
    }
    expect(await invitations(alice, activity)).toMatchObject([{ id: open!.id }])
    ok(await revoke(alice, activity, open!))
    ok(await invite(alice, activity, { items: [{ email: 'open@example.org' }], send: false }))
  })

  test('includes mails from a server without a mail server', async () => {
    const activity = await openActivity(server, alice)
    const refused = await invite(alice, activity, { items: [{ email: 'ann@example.org' }] })
    expect([refused.status, refused.message]).toEqual([
      400,
      'This server sends no mails: invite without mails, and pass on the links',
    ])
    expect(await invitations(alice, activity)).toEqual([])
    const [made] = await invited(alice, activity, { items: [{ email: 'ann@example.org' }], send: false })
    expect((await sendAgain(alice, activity, made!)).status).toBe(400)
  })

  test('includes activities that are over, and RESTRICTED ones', async () => {
    const ended = await openActivity(server, alice)
    await setStatus(alice, ended.id, 'ENDED')
    expect((await invite(alice, ended, { count: 1 })).status).toBe(400)
    const org = await createOrg(alice)
    const restricted = await createActivity(alice, { orgId: org.id, visibility: 'RESTRICTED' })
    expect((await invite(alice, restricted, { count: 1 })).status).toBe(400)
    ok(await invite(alice, await createActivity(alice), { count: 1 }))
  })

  test.if(inProcess)('includes more than 20,000 invitations of an activity', async () => {
    const activity = await openActivity(server, alice)
    const { ctx } = server
    for (let at = 0; at < 19_999; at += 1000)
      await ctx.db.write('test.invitations', async (tx) => {
        const rows = Array.from({ length: Math.min(1000, 19_999 - at) }, (_, i) => ({
          activityId: activity.id,
          code: `CODE${String(at + i).padStart(8, '0')}`,
          createdBy: alice.id,
          createdAt: tx.stamp,
        }))
        await tx.insert(activityInvitations).values(rows)
      })
    expect((await invite(alice, activity, { count: 2 })).status).toBe(400)
    const replies = await race(5, () => invite(alice, activity, { count: 1 }))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
  })
})

describe('invitations', () => {
  test('are for managers of the activity, and of that activity', async () => {
    const activity = await openActivity(server, alice)
    const hidden = await openActivity(server, alice, {}, byInvitation)
    const other = await openActivity(server, alice)
    const invitation = await withCode(alice, activity)
    for (const [at, status] of [
      [activity, 403],
      [hidden, 403],
      [await createActivity(alice), 404],
    ] as const) {
      expect((await invite(bob, at, { count: 1 })).status).toBe(status)
      const params = { id: at.id }
      expect((await bob.call('activityInvitations.list', { params, query: {} })).status).toBe(status)
      expect((await revoke(bob, at, invitation)).status).toBe(status)
      expect((await sendAgain(bob, at, invitation)).status).toBe(status)
    }
    expect((await revoke(alice, other, invitation)).status).toBe(404)
    expect((await invitationNow(alice, activity, invitation)).state).toBe('OPEN')
    expect((await server.request('GET', `/api/activities/${activity.id}/invitations`)).status).toBe(401)
  })

  test.if(inProcess)('of a DISABLED organization are read, and not changed', async () => {
    const org = await createOrg(alice)
    const activity = await openActivity(server, alice, {}, { orgId: org.id })
    const invitation = await withCode(alice, activity)
    await server.ctx.db.write('test', (tx) => setOrgStatus(server.ctx, tx, org.id, 'DISABLED'))
    expect((await invite(alice, activity, { count: 1 })).status).toBe(403)
    expect((await revoke(alice, activity, invitation)).status).toBe(403)
    expect((await sendAgain(alice, activity, invitation)).status).toBe(403)
    expect((await register(bob, activity, { code: invitation.code })).status).toBe(403)
    expect(await invitations(alice, activity)).toHaveLength(1)
  })

  test('end with the activity', async () => {
    const activity = await createActivity(alice, { registration: {} })
    const invitation = await withCode(alice, activity)
    ok(await alice.call('activities.delete', { params: { id: activity.id } }))
    expect((await pageAt(server, invitation.url)).status).toBe(404)
    expect((await alice.get(`/api/activities/${activity.id}/invitations`)).status).toBe(404)
  })

  test('are not copied', async () => {
    const activity = await openActivity(server, alice, { personalOnly: true })
    const invitation = await withCode(alice, activity)
    const copy = ok(
      await alice.call('activities.copy', {
        params: { id: activity.id },
        body: { startTime: server.clock.now() + DAY },
      }),
    ).data
    expect(copy.registration?.personalOnly).toBe(true)
    expect(await invitations(alice, copy)).toEqual([])
    await setStatus(alice, copy.id, 'ACTIVE')
    expect((await register(bob, copy, { code: invitation.code })).status).toBe(400)
  })

  test('of any activity are listed and revoked by administrators, and the log has neither code nor address', async () => {
    const activity = await openActivity(server, alice)
    const [invitation] = await invited(alice, activity, { items: [{ email: 'secret@example.org' }], send: false })
    const admin = await server.admin()
    const params = { activityId: activity.id }
    const listed = ok(await admin.call('admin.activityInvitations.list', { params, query: { keyword: 'secret' } }))
    expect(listed.data.items).toMatchObject([{ id: invitation!.id, email: 'secret@example.org' }])
    const at = { params: { ...params, invitationId: invitation!.id } }
    expect((await alice.call('admin.activityInvitations.revoke', at)).status).toBe(403)
    ok(await admin.call('admin.activityInvitations.revoke', at))
    ok(await admin.call('admin.activityInvitations.revoke', at))
    expect((await invitationNow(alice, activity, invitation!)).state).toBe('REVOKED')
    const { items } = ok(await admin.get('/api/admin/logs', { action: 'INVITATION_REVOKE' })).data
    expect(items).toMatchObject([{ targetId: invitation!.id }])
    expect(JSON.stringify(items)).not.toMatch(new RegExp(`secret@|${invitation!.code}`))
  })

  // The last one, because sessions end meanwhile.
  test.if(inProcess)('lose their addresses with the retention of guests, or when the activity is deleted', async () => {
    const items = [{ email: 'ann@example.org', name: 'Ann' }]
    const retention = { guestRetentionDays: 3 }
    const [over, other, deleted] = [
      await openActivity(server, alice, retention),
      await openActivity(server, alice, { guestRetentionDays: 300 }),
      await createActivity(alice, { registration: {} }),
    ]
    for (const activity of [over, other, deleted]) await invited(alice, activity, { items, send: false, text: 'Hello' })
    ok(await alice.call('activities.delete', { params: { id: deleted.id } }))
    const kept = async () => {
      await invitationsJob.run(server.ctx)
      const rows = await server.ctx.db.read.select().from(activityInvitations)
      const of = ({ id }: { id: number }) => rows.filter(({ activityId }) => activityId === id)
      return [over, other, deleted].map((activity) => of(activity).map(({ email, name, text }) => [email, name, text]))
    }
    const [whole, erased] = [[['ann@example.org', 'Ann', 'Hello']], [[null, null, '']]]
    expect(await kept()).toEqual([whole, whole, erased])
    server.clock.advance(11 * DAY)
    expect(await kept()).toEqual([erased, whole, erased])
  })
})
