/** Invitations to organizations by mail, to addresses with and without an account. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { outbox } from '#db/schema/delivery.ts'
import { orgInvitations } from '#db/schema/orgs.ts'
import { wake } from '#domains/delivery/index.ts'
import { inviteMailsJob } from '#domains/orgs/invite-mails/invite-mails.service.ts'
import { HOUR } from '#platform/clock.ts'

import { newEmail, useWorld } from '../accounts/helpers.ts'
import { inProcess, ok, type Person, race, startGateways, startServer, until } from '../harness/index.ts'
import { addMembers, createOrg, getOrg, type Org } from './helpers.ts'

const world = useWorld()
let admin: Person
let owner: Person
let org: Org

beforeAll(async () => {
  admin = await world.server.admin()
  owner = await world.withEmail()
  org = await createOrg(owner, { name: 'Green Lake School' })
})

const setting = async (key: string, value: boolean | number | null) =>
  ok(await admin.call('admin.settings.update', { body: { values: { [key]: value } } }))
const invite = (who: Person, to: { id: number }, body: object) => who.post(`/api/orgs/${to.id}/invite-mails`, body)
const statuses = async (emails: string[], more: object = {}) =>
  ok(await invite(owner, org, { emails, ...more })).data.items.map(({ status }: { status: string }) => status)

const mailsTo = (email: string) => world.gateways.mails.filter(({ to }) => to === email)
const tokenIn = (text: string) => /\/console\/invited#(\S{43})/.exec(text)![1]!
/** The token in the newest mail to this address. */
async function tokenTo(email: string, count = 1): Promise<string> {
  await until(() => mailsTo(email).length >= count, `an invitation arrived at ${email}`)
  return tokenIn(mailsTo(email).at(-1)!.text)
}
async function invited(to = org, more: object = {}): Promise<{ email: string; token: string }> {
  const email = newEmail()
  const { items } = ok(await invite(owner, to, { emails: [email], ...more })).data
  expect(items).toEqual([{ target: email, status: 'SENT' }])
  return { email, token: await tokenTo(email) }
}
const show = (token: string) => world.server.request('GET', `/api/invitations/${token}`)
const accept = (who: Person, token: string) => who.post(`/api/invitations/${token}/accept`)
const decline = (token: string) => world.server.request('POST', `/api/invitations/${token}/decline`, { body: {} })
const register = (body: object) => world.post('/api/auth/register', { password: 'a password of their own', ...body })
const listed = async () => ok(await owner.call('orgs.invitations', { params: { id: org.id } })).data.items
const members = async () =>
  ok(await owner.call('orgs.members', { params: { orgId: org.id }, query: { size: 100 } })).data.items

describe('an invitation by mail', () => {
  test('is accepted once by anyone who has the link, and lists the address shortened', async () => {
    const { email, token } = await invited(org, { message: 'See you at evil.example.com' })
    const mail = mailsTo(email)[0]!
    expect(mail.subject).toBe('Invitation to Green Lake School')
    expect(mail.text).not.toContain('evil.example.com')
    expect(mail.html).not.toContain('href="http://evil')
    const view = ok(await show(token)).data
    expect(view).toMatchObject({
      org: { name: 'Green Lake School', memberCount: expect.any(Number) },
      email: `p***@example.org`,
      registrationOpen: true,
    })
    expect(JSON.stringify(view)).not.toContain(email)
    expect((await listed())[0]).toMatchObject({ inviteeId: null, inviteeNickname: null, target: 'p***@example.org' })

    const [forwarded, another] = [await world.server.person(), await world.server.person()]
    const member = ok(await accept(forwarded, token)).data
    expect(member).toMatchObject({ userId: forwarded.id, roleCode: 'MEMBER' })
    expect(ok(await accept(forwarded, token)).data).toEqual(member)
    for (const reply of [await accept(another, token), await show(token), await decline(token)])
      expect(reply.status).toBe(404)
    expect((await listed())[0]).toMatchObject({ status: 'ACCEPTED', inviteeId: forwarded.id })
    const told = ok(await owner.call('notifications.list')).data.items
    expect(told[0]!.data).toMatchObject({ event: 'ORG_INVITATION_ACCEPTED', userId: forwarded.id })
  })

  test('may give the role GUEST and no higher one', async () => {
    const { token } = await invited(org, { roleCode: 'GUEST' })
    const guest = await world.server.person()
    expect(ok(await accept(guest, token)).data.roleCode).toBe('GUEST')
    for (const roleCode of ['ADMIN', 'OWNER'])
      expect((await invite(owner, org, { emails: [newEmail()], roleCode })).status).toBe(400)
  })

  test('registers its address without a code and joins, in one step', async () => {
    const { email, token } = await invited()
    const reply = ok(await register({ username: `new${crypto.randomUUID().slice(0, 8)}`, invitationToken: token }))
    expect(reply.data.user.identities).toMatchObject([{ provider: 'EMAIL', credential: email, verified: true }])
    expect((await members()).map(({ userId }) => userId)).toContain(reply.data.user.id)
    const again = await register({ username: `new${crypto.randomUUID().slice(0, 8)}`, invitationToken: token })
    expect([again.status, again.details[0]?.path]).toEqual([400, 'body.invitationToken'])
  })

  test('proves no other address than its own', async () => {
    const { token } = await invited()
    const other = newEmail()
    const reply = ok(await register({ email: other, invitationToken: token }))
    expect(reply.data.user.identities).toMatchObject([{ credential: other, verified: false }])
  })

  test('allows registration while it is off only with the setting', async () => {
    const { token } = await invited()
    await setting('registration.enabled', false)
    try {
      expect((await register({ invitationToken: token })).status).toBe(403)
      expect(ok(await show(token)).data.registrationOpen).toBe(false)
      await setting('registration.byInvitation', true)
      expect(ok(await show(token)).data.registrationOpen).toBe(true)
      expect((await register({ invitationToken: 'x'.repeat(43), username: 'somebody' })).status).toBe(403)
      expect((await register({ username: 'somebody' })).status).toBe(403)
      ok(await register({ invitationToken: token }))
    } finally {
      await setting('registration.enabled', true)
      await setting('registration.byInvitation', false)
    }
  })

  test('is declined without an account, cancelled by the organization, and expires', async () => {
    const { token } = await invited()
    ok(await decline(token))
    expect((await accept(await world.server.person(), token)).status).toBe(404)
    const second = await invited()
    const [row] = await listed()
    ok(await owner.call('orgs.cancelInvitation', { params: { id: org.id, invitationId: row!.id } }))
    expect((await show(second.token)).status).toBe(404)
    // The address can be invited again.
    expect(await statuses([second.email])).toEqual(['SENT'])
    expect((await show('x'.repeat(43))).status).toBe(404)
  })

  test('is one per organization and address, also for requests at the same time', async () => {
    const email = newEmail()
    const replies = await race(4, () => statuses([email.toUpperCase()]))
    expect(replies.flat().toSorted()).toEqual(['ALREADY_INVITED', 'ALREADY_INVITED', 'ALREADY_INVITED', 'SENT'])
    await tokenTo(email)
    expect(mailsTo(email)).toHaveLength(1)
    const double = newEmail()
    expect(await statuses([double, ` ${double}`])).toEqual(['SENT', 'ALREADY_INVITED'])
  })

  test('has the same answer for addresses with and without an account', async () => {
    const known = await world.withEmail()
    expect(await statuses([known.email, newEmail()])).toEqual(['SENT', 'SENT'])
  })

  test('never comes again after its link for that was used', async () => {
    const { email } = await invited()
    const { text } = mailsTo(email)[0]!
    const page = /Never invite this address again: (\S+)/.exec(text)![1]!
    const address = world.server.url + new URL(page).pathname
    expect(await (await fetch(address)).text()).toContain('p***@example.org')
    const form = {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'choice=NONE',
    }
    expect((await fetch(address, form)).status).toBe(200)
    const other = await createOrg(owner)
    expect(ok(await invite(owner, other, { emails: [email] })).data.items[0].status).toBe('REFUSED')
  })

  test('is refused for strangers, members without the permission, users without an address, and bad input', async () => {
    const [stranger, member, unproved] = [await world.withEmail(), await world.withEmail(), await world.server.person()]
    await addMembers(owner, org, member)
    const body = { emails: [newEmail()] }
    expect((await world.server.request('POST', `/api/orgs/${org.id}/invite-mails`, { body })).status).toBe(401)
    for (const who of [stranger, member]) expect((await invite(who, org, body)).status).toBe(403)
    expect((await invite(unproved, await createOrg(unproved), body)).status).toBe(403)
    for (const bad of [
      { emails: [] },
      { emails: ['no address'] },
      { emails: Array.from({ length: 501 }, () => newEmail()) },
      { ...body, expiresInDays: 31 },
      { ...body, message: 'x'.repeat(501) },
      { ...body, language: 'fr' },
    ])
      expect((await invite(owner, org, bad)).status).toBe(400)
  })

  test('of 30 acceptances at once, exactly as many succeed as there are places', async () => {
    const full = await createOrg(owner, { memberLimit: 12 })
    const emails = Array.from({ length: 30 }, newEmail)
    ok(await invite(owner, full, { emails }))
    const tokens = await Promise.all(emails.map((email) => tokenTo(email)))
    const people = await Promise.all(emails.map(() => world.server.person()))
    const replies = await race(30, (i) => accept(people[i]!, tokens[i]!))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(11)
    expect(replies.filter(({ status }) => status === 400)).toHaveLength(19)
    expect((await getOrg(owner, full)).memberCount).toBe(12)
    // The others stay open.
    expect((await show(tokens[replies.findIndex(({ status }) => status === 400)]!)).status).toBe(200)
  })
})

describe.if(inProcess)('budgets of invitations by mail', () => {
  const limited = useWorld({ rateLimit: true })
  test('an address gets two a day from the whole server, and mails beyond the budget wait', async () => {
    const root = await limited.server.admin()
    const set = (value: number) =>
      root.call('admin.settings.update', { body: { values: { 'budget.invitationMailsPerDay': value } } })
    const orgs = [await createOrg(root), await createOrg(root), await createOrg(root)]
    const email = newEmail()
    const found: string[] = []
    for (const to of orgs) found.push(ok(await invite(root, to, { emails: [email] })).data.items[0].status)
    expect(found).toEqual(['SENT', 'SENT', 'REFUSED'])

    ok(await set(3))
    const [first, second] = [newEmail(), newEmail()]
    const { items } = ok(await invite(root, orgs[2]!, { emails: [first, second] })).data
    expect(items.map(({ status }: { status: string }) => status)).toEqual(['SENT', 'QUEUED'])
    await limited.mailArrived(first, 'Invitation')
    const { ctx, clock } = limited.server
    await inviteMailsJob.run(ctx)
    await limited.allDelivered()
    expect(limited.gateways.mails.some(({ to }) => to === second)).toBe(false)
    await limited.passDays(1.1)
    await inviteMailsJob.run(ctx)
    await limited.mailArrived(second, 'Invitation')
    const mail = limited.gateways.mails.find(({ to }) => to === second)!
    ok(await limited.server.request('GET', `/api/invitations/${tokenIn(mail.text)}`))

    ok(await set(1))
    const [third, fourth] = [newEmail(), newEmail()]
    ok(await invite(root, orgs[0]!, { emails: [third, fourth] }))
    clock.advance(3.1 * 24 * 3_600_000)
    await inviteMailsJob.run(ctx)
    await limited.allDelivered()
    expect(limited.gateways.mails.some(({ to }) => to === fourth)).toBe(false)
  })
})

describe.if(inProcess)('an invitation by mail that is old', () => {
  const old = useWorld()
  test('is deleted with its address 30 days after its end, and one that was accepted loses the address', async () => {
    const root = await old.server.admin()
    const to = await createOrg(root)
    const emails = [newEmail(), newEmail(), newEmail()]
    const [accepted, declined] = emails as [string, string]
    ok(await invite(root, to, { emails, message: 'See you on Monday.' }))
    await old.allDelivered()
    const tokenOf = (email: string) => tokenIn(old.gateways.mails.find((mail) => mail.to === email)!.text)
    const pupil = await old.server.person()
    ok(await accept(pupil, tokenOf(accepted)))
    ok(await old.server.request('POST', `/api/invitations/${tokenOf(declined)}/decline`, { body: {} }))
    const targets = async () => {
      await inviteMailsJob.run(old.server.ctx)
      const { data } = ok(await (await old.server.admin()).call('orgs.invitations', { params: { id: to.id } }))
      return data.items.map(({ target, inviteeId }) => [target, inviteeId])
    }
    await old.passDays(36.9)
    const shortened = 'p***@example.org'
    expect(await targets()).toEqual([
      [shortened, null],
      [shortened, null],
      [shortened, pupil.id],
    ])
    await old.passDays(0.2)
    expect(await targets()).toEqual([[null, pupil.id]])
    const rows = await old.server.ctx.db.read.select().from(orgInvitations)
    expect(rows.map(({ email, message }) => [email, message])).toEqual([[null, '']])
  })
})

describe.if(inProcess)('while the mail server is down', () => {
  test('an invitation is SENT and tried again for a day, and then the address can be invited again', async () => {
    let isDown = true
    const gateways = await startGateways({ onSender: () => (isDown ? { code: 421, message: 'Try later' } : undefined) })
    const server = await startServer({ config: gateways.config })
    try {
      const root = await server.admin()
      const to = await createOrg(root)
      const inviteOne = async (email: string) =>
        ok(await invite(root, to, { emails: [email] })).data.items[0].status as string
      const waiting = () => server.ctx.db.read.select().from(outbox)
      const isTried = async (times: number) => {
        const rows = await waiting()
        return rows.length === 1 && rows[0]!.attempts >= times
      }
      const [first, second] = [newEmail(), newEmail()]
      expect(await inviteOne(first)).toBe('SENT')
      await until(() => isTried(1), 'the mail was tried')
      expect(await inviteOne(first)).toBe('ALREADY_INVITED')
      isDown = false
      server.clock.advance(3 * HOUR)
      wake(server.ctx, 'EVENT')
      await until(async () => (await waiting()).length === 0, 'the mail was sent')
      // The clock may have been moved during an attempt, which then counts as interrupted.
      expect([...new Set(gateways.mails.map((mail) => mail.to))]).toEqual([first])
      ok(await server.request('GET', `/api/invitations/${tokenIn(gateways.mails[0]!.text)}`))

      isDown = true
      expect(await inviteOne(second)).toBe('SENT')
      await until(() => isTried(1), 'the mail was tried')
      server.clock.advance(25 * HOUR)
      wake(server.ctx, 'EVENT')
      await until(async () => (await waiting()).length === 0, 'the mail was given up')
      const again = await server.admin()
      const [given] = ok(await again.call('orgs.invitations', { params: { id: to.id } })).data.items
      expect(given!.status).toBe('EXPIRED')
      isDown = false
      const retried = ok(await invite(again, to, { emails: [second] })).data.items[0]
      expect(retried.status).toBe('SENT')
      await until(() => gateways.mails.some((mail) => mail.to === second), 'the second mail arrived')
    } finally {
      await server.stop()
      await gateways.stop()
    }
  })
})

describe.if(inProcess)('without a mail server', () => {
  test('nobody is invited by mail', async () => {
    await using server = await startServer()
    const root = await server.admin()
    const reply = await invite(root, await createOrg(root), { emails: [newEmail()] })
    expect([reply.status, reply.message]).toEqual([400, expect.stringContaining('sends no mails')])
  })
})
