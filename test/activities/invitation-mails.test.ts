/** Invitations by mail to addresses that nobody has proved, read as they arrive. */

import { afterEach, describe, expect, test } from 'bun:test'

import type { ActivityView } from '#domains/activities/register/register.model.ts'
import { DAY } from '#platform/clock.ts'

import { newEmail, useWorld } from '../accounts/helpers.ts'
import { inProcess, ok, type Person, race, until } from '../harness/index.ts'
import type { SentMail } from '../harness/mail-sink.ts'
import { createOrg } from '../orgs/helpers.ts'
import { createActivity } from './helpers.ts'
import { invitationNow, invitations, invite, invited, revoke, sendAgain } from './inviting.ts'
import { stopPath } from './mail-helpers.ts'
import { openActivity } from './registering.ts'

const world = useWorld()

const to = (email: string): SentMail[] => world.gateways.mails.filter((mail) => mail.to === email)
async function arrived(email: string, count = 1): Promise<SentMail> {
  await until(() => to(email).length >= count, `mail ${count} to ${email} arrived`)
  return to(email)[count - 1]!
}

/** To a user, who gets other mails too. */
async function about(email: string, words: string): Promise<SentMail> {
  const find = () => to(email).find(({ subject }) => subject.includes(words))
  await until(() => find() !== undefined, `a mail about ${words} to ${email} arrived`)
  return find()!
}

const DEFAULTS = { 'mail.invitations': 'ORGANIZATIONS', 'budget.invitationMailsPerOwner': 1000 }
async function configure(values: Partial<typeof DEFAULTS>): Promise<void> {
  const admin = await world.server.admin()
  ok(await admin.call('admin.settings.update', { body: { values: { ...DEFAULTS, ...values } } }))
}
afterEach(() => configure({}))

/** An ACTIVE activity of a new organization. */
async function ofOrganization(fields: Parameters<typeof openActivity>[3] = {}) {
  const manager = await world.withEmail()
  const org = await createOrg(manager, { name: 'Green Lake Club' })
  return { manager, org, activity: await openActivity(world.server, manager, {}, { orgId: org.id, ...fields }) }
}

const inviteOne = async (manager: Person, activity: ActivityView, email = newEmail(), fields: object = {}) =>
  (await invited(manager, activity, { items: [{ email }], ...fields }))[0]!

const stop = (mail: SentMail, body = 'List-Unsubscribe=One-Click') =>
  fetch(world.server.url + stopPath(mail), {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body,
  })
const OPTED_OUT = { state: 'SKIPPED', reason: 'OPTED_OUT' } as const

describe('the mail of an invitation', () => {
  test('says first who invites and how it ends, and has the link, and is counted as sent', async () => {
    const { manager, activity } = await ofOrganization({ name: 'Lake cleanup', language: 'en' })
    const invitation = await inviteOne(manager, activity, newEmail(), { text: 'We would be glad.\n\nLin' })
    expect(invitation).toMatchObject({ mail: { state: 'QUEUED', reason: null }, sentAt: null })
    const mail = await arrived(invitation.email!)
    expect(mail.subject).toBe('[Lake cleanup] Invitation')
    expect(mail.headers.get('from')).toStartWith('Green Lake Club <')
    const first =
      'Green Lake Club invites you to Lake cleanup. If you want no invitations, choose “Never write to me again” below'
    expect(mail.text).toStartWith(first)
    expect(mail.text).toMatch(/We would be glad\.\s+Lin/)
    for (const part of [mail.text, mail.html]) expect(part).toContain(invitation.url)
    expect(mail.headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
    await world.allDelivered()
    const sent = await invitationNow(manager, activity, invitation)
    expect(sent.mail).toEqual({ state: 'SENT', reason: null })
    expect(sent.sentAt).not.toBeNull()
  })

  test('is in the language of the item, and otherwise in that of the activity', async () => {
    const { manager, activity } = await ofOrganization({ language: 'zh' })
    const [chinese, english] = [newEmail(), newEmail()]
    await invited(manager, activity, { items: [{ email: chinese }, { email: english, language: 'en' }] })
    expect((await arrived(chinese)).text).toContain('邀请你参加')
    expect((await arrived(english)).text).toContain('invites you to')
  })

  test('has no link but ours, whatever the organizer writes', async () => {
    const { manager, activity } = await ofOrganization({
      name: 'Win https://evil.example/a at evil.example',
      location: 'www.evil.example',
    })
    const text = '<a href="https://evil.example">here</a> http://evil.example/x www.evil.example x@evil.example\u202e'
    const mail = await arrived((await inviteOne(manager, activity, newEmail(), { text })).email!)
    const links = [...mail.html.matchAll(/href="([^"]*)"/g)].map(([, href]) => new URL(href!).host)
    expect(new Set(links)).toEqual(
      new Set([new URL(world.server.ctx?.config.publicUrl ?? mail.text.match(/https?:\/\/\S+/)![0]).host]),
    )
    for (const part of [mail.subject, mail.text, mail.html]) {
      expect(part).not.toMatch(/evil\.example|www\.evil|:\/\/evil|@evil|\u202e/)
      expect(part).not.toContain('<a href="https://evil')
    }
    expect(mail.html).toContain('&lt;a href=')
  })

  test('has one line in the subject and no header of the organizer', async () => {
    const { manager, activity } = await ofOrganization()
    const name = 'Lake\u2028Bcc: evil@example.com\u202e ]]><script>'
    const changed = await manager.put(`/api/activities/${activity.id}`, { name })
    // Line breaks are refused where names are written; those that mail programs may take for one are shown as spaces.
    const mail = await arrived((await inviteOne(manager, activity)).email!)
    expect(mail.subject).not.toMatch(/[\r\n\u2028\u202e]/)
    expect(mail.headers.get('bcc')).toBeUndefined()
    expect(mail.html).not.toContain('<script>')
    expect([200, 400]).toContain(changed.status)
  })
})

describe('“never write to me again”', () => {
  test('ends the invitations of every organizer with one click, and only that', async () => {
    const { manager, activity } = await ofOrganization()
    const email = newEmail()
    const mail = await arrived((await inviteOne(manager, activity, email)).email!)
    // Opening the page changes nothing: programs that check links do it.
    const page = await fetch(world.server.url + stopPath(mail))
    expect(await page.text()).toContain('Never write to me again')
    const other = await ofOrganization()
    expect((await inviteOne(other.manager, other.activity, email)).mail).toMatchObject({ state: 'QUEUED' })
    await arrived(email, 2)
    expect((await stop(mail)).status).toBe(200)
    const third = await ofOrganization()
    const refused = await inviteOne(third.manager, third.activity, email.toUpperCase())
    expect(refused.mail).toEqual(OPTED_OUT)
    expect((await sendAgain(third.manager, third.activity, refused)).status).toBe(400)
    const [first] = await invitations(manager, activity)
    expect((await sendAgain(manager, activity, first!)).status).toBe(400)
    await world.allDelivered()
    expect(to(email)).toHaveLength(2)
    // And back again.
    expect(await (await stop(mail, 'choice=ALL')).text()).toContain('Never write to me again')
    ok(await sendAgain(third.manager, third.activity, refused))
    await arrived(email, 3)
  })

  test('leaves the mails to participants as they are', async () => {
    const { manager, activity } = await ofOrganization()
    const participant = await world.withEmail()
    const { email } = await inviteOne(manager, activity, participant.email)
    const mail = await about(email!, 'Invitation')
    expect((await stop(mail)).status).toBe(200)
    expect(ok(await participant.call('notifications.preferences')).data.emailActivities).toBe('ALL')
  })

  test('is chosen by everybody who wants no mails about activities, or none of this organizer', async () => {
    const { manager, activity } = await ofOrganization()
    const participant = await world.withEmail()
    ok(await participant.call('registrations.register', { params: { id: activity.id }, body: {} }))
    ok(
      await manager.call('activityMessages.create', {
        params: { id: activity.id },
        body: { subject: 'Things to bring', body: 'Gloves' },
      }),
    )
    const message = await about(participant.email, 'Things to bring')
    expect((await stop(message)).status).toBe(200)
    expect((await inviteOne(manager, activity, participant.email)).mail).toEqual(OPTED_OUT)
    const other = await ofOrganization()
    expect((await inviteOne(other.manager, other.activity, participant.email)).mail?.state).toBe('QUEUED')
    expect((await stop(message, 'choice=NONE')).status).toBe(200)
    const third = await ofOrganization()
    expect((await inviteOne(third.manager, third.activity, participant.email)).mail).toEqual(OPTED_OUT)
  })
})

describe('limits', () => {
  test('an address gets three invitations a day from the whole server', async () => {
    const email = newEmail()
    for (let i = 0; i < 3; i++) {
      const { manager, activity } = await ofOrganization()
      expect((await inviteOne(manager, activity, email)).mail?.state).toBe('QUEUED')
      await arrived(email, i + 1)
    }
    const { manager, activity } = await ofOrganization()
    const [fourth, another] = await invited(manager, activity, { items: [{ email }, { email: newEmail() }] })
    expect(fourth!.mail).toEqual({ state: 'SKIPPED', reason: 'TOO_MANY' })
    expect(another!.mail?.state).toBe('QUEUED')
    const again = await sendAgain(manager, activity, fourth!)
    expect([again.status, again.code]).toEqual([429, 4022])
    await world.allDelivered()
    expect(to(email)).toHaveLength(3)
    if (!inProcess) return
    await world.passDays(1)
    ok(await sendAgain(manager, activity, fourth!))
    await arrived(email, 4)
  })

  test('ten organizers at once send an address three', async () => {
    const email = newEmail()
    const all = await race(10, () => ofOrganization())
    const made = await race(10, (i) => inviteOne(all[i]!.manager, all[i]!.activity, email))
    expect(made.filter(({ mail }) => mail?.state === 'QUEUED')).toHaveLength(3)
    await arrived(email, 3)
    await world.allDelivered()
    expect(to(email)).toHaveLength(3)
  })

  test('an organization mails its budget a day, and a request that needs more makes nothing', async () => {
    await configure({ 'budget.invitationMailsPerOwner': 3 })
    const { manager, org, activity } = await ofOrganization()
    const items = (n: number) => Array.from({ length: n }, () => ({ email: newEmail() }))
    await invited(manager, activity, { items: items(2) })
    // Those of all activities of the organization.
    const other = await openActivity(world.server, manager, {}, { orgId: org.id })
    const refused = await invite(manager, other, { items: items(2) })
    expect([refused.status, refused.message]).toEqual([
      429,
      'These invitations need 2 mails, and 1 are left today. Nothing was sent',
    ])
    expect(refused.headers.get('retry-after')).not.toBeNull()
    expect(await invitations(manager, other)).toEqual([])
    // Others without mails are free.
    ok(await invite(manager, other, { items: items(20), send: false }))
    const replies = await race(5, () => invite(manager, other, { items: items(1) }))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('personal activities mail none by default, and with the setting ALL 50 a day', async () => {
    const owner = await world.withEmail()
    const activity = await openActivity(world.server, owner)
    const one = { items: [{ email: newEmail() }] }
    expect((await invite(owner, activity, one)).status).toBe(400)
    await configure({ 'mail.invitations': 'ALL' })
    ok(await invite(owner, activity, one))
    const more = Array.from({ length: 50 }, () => ({ email: newEmail() }))
    const refused = await invite(owner, activity, { items: more })
    expect([refused.status, refused.message]).toEqual([
      429,
      'These invitations need 50 mails, and 49 are left today. Nothing was sent',
    ])
    const unproved = await world.byPhone()
    const theirs = await openActivity(world.server, unproved)
    const none = await invite(unproved, theirs, { items: [{ email: newEmail() }] })
    expect([none.status, none.message]).toEqual([
      400,
      'Prove an e-mail address of yours before you invite others by mail',
    ])
  })

  test('nobody mails invitations with the setting OFF', async () => {
    await configure({ 'mail.invitations': 'OFF' })
    const { manager, activity } = await ofOrganization()
    expect((await invite(manager, activity, { items: [{ email: newEmail() }] })).status).toBe(400)
  })

  test('a DRAFT has invitations without mails only', async () => {
    const { manager, org } = await ofOrganization()
    const draft = await createActivity(manager, { orgId: org.id, visibility: 'INVITE_ONLY' })
    expect((await invite(manager, draft, { items: [{ email: newEmail() }] })).status).toBe(400)
    ok(await invite(manager, draft, { items: [{ email: newEmail() }], send: false }))
  })
})

describe('sending again', () => {
  test('mails once more, and once for requests at the same time', async () => {
    const { manager, activity } = await ofOrganization()
    const invitation = await inviteOne(manager, activity)
    await arrived(invitation.email!)
    await until(
      async () => (await invitationNow(manager, activity, invitation)).mail?.state === 'SENT',
      'the mail is recorded as sent',
    )
    if (inProcess) await world.passDays(1)
    const replies = await race(5, () => sendAgain(manager, activity, invitation))
    for (const reply of replies) ok(reply)
    await arrived(invitation.email!, 2)
    await world.allDelivered()
    expect(to(invitation.email!).length).toBeLessThanOrEqual(3)
  })

  test('is refused for invitations without an address, revoked and used ones', async () => {
    const { manager, activity } = await ofOrganization()
    const [bare, revoked] = await invited(manager, activity, { items: [{}, { email: newEmail() }], send: false })
    expect((await sendAgain(manager, activity, bare!)).status).toBe(400)
    ok(await revoke(manager, activity, revoked!))
    expect((await sendAgain(manager, activity, revoked!)).status).toBe(400)
  })
})

test.if(inProcess)('a mail that waits is not sent when its invitation was revoked', async () => {
  const { composeInvitation } = await import('#domains/activities/invitations/mails.service.ts')
  const { manager, activity } = await ofOrganization()
  const invitation = await inviteOne(manager, activity)
  await arrived(invitation.email!)
  const compose = (email: string) => composeInvitation(world.server.ctx, email, { id: invitation.id })
  expect(await compose(invitation.email!)).toBeDefined()
  expect(await compose('other@example.org')).toBeUndefined()
  ok(await revoke(manager, activity, invitation))
  expect(await compose(invitation.email!)).toBeUndefined()
  world.server.clock.advance(DAY)
})
