/** Which mails users want, and addresses that mail servers refuse. */

import { describe, expect, test } from 'bun:test'

import { refusalsToMail, unsubscribeUrl } from '#domains/notifications/index.ts'
import { DAY, serverZone } from '#platform/clock.ts'

import { newEmail, useWorld } from '../accounts/helpers.ts'
import { openActivity } from '../activities/registering.ts'
import { inProcess, ok, type Person, startServer, until } from '../harness/index.ts'
import { useRefusals } from './refusing.ts'

const world = useWorld()

const change = (person: Person, body: object) => person.put('/api/notifications/preferences', body)
const preferencesOf = async (person: Person) => ok(await person.call('notifications.preferences')).data

describe('preferences', () => {
  test('are all mails, a digest at 7 and the zone of the server, until the user changes them, field by field', async () => {
    const defaults = { emailActivities: 'ALL', emailAssets: 'DAILY', digestHour: 7, timeZone: serverZone() } as const
    const user = await world.server.person()
    expect(await preferencesOf(user)).toEqual(defaults)
    const changed = { ...defaults, emailActivities: 'IMPORTANT' } as const
    expect(ok(await change(user, { emailActivities: 'IMPORTANT' })).data).toEqual(changed)
    ok(await change(user, { timeZone: 'Asia/Kathmandu' }))
    expect(await preferencesOf(user)).toEqual({ ...changed, timeZone: 'Asia/Kathmandu' })
    ok(await change(user, { timeZone: null }))
    expect(await preferencesOf(user)).toEqual(changed)
    ok(await change(user, { emailAssets: 'AT_ONCE' }))
    expect(ok(await change(user, { digestHour: 0 })).data).toEqual({
      ...changed,
      emailAssets: 'AT_ONCE',
      digestHour: 0,
    })
    expect(await preferencesOf(await world.server.person())).toEqual(defaults)
  })

  test('are refused with 400 for unknown values, and then stay', async () => {
    const user = await world.server.person()
    for (const [body, path] of [
      [{ emailActivities: 'SOME' }, 'body.emailActivities'],
      [{ emailActivities: 'NONE', timeZone: 'UTC+08:00' }, 'body.timeZone'],
      [{ emailActivities: 'NONE', timeZone: 'Mars/Base' }, 'body.timeZone'],
      [{ emailActivities: 'NONE', emailAssets: 'ALL' }, 'body.emailAssets'],
      [{ emailActivities: 'NONE', emailAssets: null }, 'body.emailAssets'],
      [{ emailActivities: 'NONE', digestHour: 24 }, 'body.digestHour'],
      [{ emailActivities: 'NONE', digestHour: -1 }, 'body.digestHour'],
      [{ emailActivities: 'NONE', digestHour: 7.5 }, 'body.digestHour'],
    ] as const) {
      const refused = await change(user, body)
      expect([refused.status, refused.details[0]!.path]).toEqual([400, path])
    }
    expect((await preferencesOf(user)).emailActivities).toBe('ALL')
    for (const method of ['GET', 'PUT'] as const)
      expect((await world.server.request(method, '/api/notifications/preferences')).status).toBe(401)
  })
})

test('GET /api/auth/userinfo says whether the server has a mail server', async () => {
  expect(ok(await (await world.server.person()).call('profile.get')).data.mailAvailable).toBe(true)
  const other = await startServer()
  try {
    expect(ok(await (await other.person()).call('profile.get')).data.mailAvailable).toBe(false)
  } finally {
    await other.stop()
  }
})

test.if(inProcess)('wrong links of mails count among 60 a minute from an address, right ones do not', async () => {
  const server = await startServer({ rateLimit: true })
  try {
    const right = new URL(unsubscribeUrl(server.ctx, -1, 'ann@example.com')).pathname
    const open = async (path: string) => (await server.request('GET', path)).status
    for (let i = 0; i < 70; i++) expect(await open(right)).toBe(200)
    for (let i = 0; i < 60; i++) expect(await open(`/public/mail/wrong${i}`)).toBe(404)
    expect(await open('/public/mail/wrong')).toBe(429)
  } finally {
    await server.stop()
  }
})

describe.if(inProcess)('people who may be mailed', () => {
  const refusals = (
    owner: number,
    importance: 'MESSAGE' | 'IMPORTANT',
    people: { userId: number | null; address: string }[],
  ) => refusalsToMail(world.server.ctx, world.server.ctx.db.read, owner, importance, people)

  test('are those who have not opted out in their account or for this organizer', async () => {
    const [all, important, none] = [await world.withEmail(), await world.withEmail(), await world.withEmail()]
    ok(await change(important, { emailActivities: 'IMPORTANT' }))
    ok(await change(none, { emailActivities: 'NONE' }))
    const guest = newEmail()
    const { ctx } = world.server
    const owner = -all.id
    const path = new URL(unsubscribeUrl(ctx, owner, guest)).pathname
    expect((await world.server.request('POST', path, { body: {} })).status).toBe(200)
    const people = [
      ...[all, important, none].map(({ id, email }) => ({ userId: id, address: email })),
      { userId: null, address: guest.toUpperCase() },
    ]
    expect(await refusals(owner, 'MESSAGE', people)).toEqual([null, 'OPTED_OUT', 'OPTED_OUT', 'OPTED_OUT'])
    expect(await refusals(owner, 'IMPORTANT', people)).toEqual([null, null, 'OPTED_OUT', null])
    expect(await refusals(owner + 1, 'MESSAGE', people)).toEqual([null, 'OPTED_OUT', 'OPTED_OUT', null])
    expect(await refusals(owner, 'MESSAGE', [])).toEqual([])
  })

  test('have choices that end with the account, and those of an address that outlive it', async () => {
    const user = await world.withEmail()
    const { ctx } = world.server
    const organizer = await world.withEmail()
    const path = new URL(unsubscribeUrl(ctx, -organizer.id, user.email)).pathname
    expect((await world.server.request('POST', path, { body: { choice: 'NONE' } })).status).toBe(200)
    ok(await change(user, { timeZone: 'Asia/Kathmandu' }))
    ok(await user.call('auth.deleteAccount'))
    expect(await refusals(-organizer.id, 'IMPORTANT', [{ userId: null, address: user.email }])).toEqual(['OPTED_OUT'])
    const text = JSON.stringify(
      await ctx.db.read.select().from((await import('#db/schema/notifications.ts')).mailChoices),
    )
    expect(text).not.toContain(user.email)
  })
})

describe.if(inProcess)('an address that mail servers refuse', () => {
  const refusing = useRefusals()

  test('is suppressed after three final refusals in a row for 30 days, or until it is proved again', async () => {
    const { server } = refusing
    const [organizer, user] = [await refusing.withEmail(), await refusing.withEmail()]
    const activity = await openActivity(server, organizer, {})
    const state = async () => {
      const people = [{ userId: user.id, address: user.email }]
      return (await refusalsToMail(server.ctx, server.ctx.db.read, -organizer.id, 'IMPORTANT', people))[0]
    }
    const removal = async () => {
      const before = refusing.asked(user.email)
      ok(await user.call('registrations.register', { params: { id: activity.id }, body: {} }))
      ok(await organizer.call('registrations.cancelOf', { params: { id: activity.id, userId: user.id } }))
      await refusing.settled()
      return refusing.asked(user.email) - before
    }
    refusing.refuse(user.email, 550)
    expect([await removal(), await removal(), await state()]).toEqual([1, 1, null])
    // A mail that is accepted begins the count again.
    refusing.refuse(user.email, undefined)
    expect(await removal()).toBe(1)
    refusing.refuse(user.email, 550)
    expect([await removal(), await removal(), await state()]).toEqual([1, 1, null])
    expect([await removal(), await state()]).toEqual([1, 'SUPPRESSED'])
    refusing.refuse(user.email, undefined)
    // No mail is tried now, but codes are, and one that arrives ends it.
    expect(await removal()).toBe(0)
    await refusing.prove(user)
    expect([await state(), await removal()]).toEqual([null, 1])
    refusing.refuse(user.email, 550)
    expect([await removal(), await removal(), await removal(), await state()]).toEqual([1, 1, 1, 'SUPPRESSED'])
    server.clock.advance(30 * DAY)
    expect(await state()).toBe(null)
  })

  test('is tried again after a temporary refusal, which does not count', async () => {
    const { server } = refusing
    const [organizer, user] = [await refusing.withEmail(), await refusing.withEmail()]
    const activity = await openActivity(server, organizer, {})
    ok(await user.call('registrations.register', { params: { id: activity.id }, body: {} }))
    refusing.refuse(user.email, 451)
    ok(await organizer.call('registrations.cancelOf', { params: { id: activity.id, userId: user.id } }))
    await until(() => refusing.asked(user.email) > 1, 'the mail was tried')
    refusing.refuse(user.email, undefined)
    await refusing.settled()
    const subjects = refusing.mails.filter(({ to }) => to === user.email).map(({ subject }) => subject)
    expect(subjects.filter((subject) => subject.includes('Your registration was cancelled'))).toHaveLength(1)
  })
})
