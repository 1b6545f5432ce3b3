/** Mails to users about their own registration and pass, read as they arrive. */

import { describe, expect, test } from 'bun:test'

import { composePersonalMail } from '#domains/activities/event-mails/event-mails.service.ts'
import { MINUTE } from '#platform/clock.ts'

import { newDevice, newEmail, useWorld } from '../accounts/helpers.ts'
import { inProcess, ok, type Person, until } from '../harness/index.ts'
import type { SentMail } from '../harness/mail-sink.ts'
import { person } from '../harness/people.ts'
import { calendarFields, stopPath } from './mail-helpers.ts'
import { issue, issued } from './pass-helpers.ts'
import { cancel, openActivity, register, stateOf } from './registering.ts'

const world = useWorld()

const about = (to: { readonly email: string }, subject: string): SentMail[] =>
  world.gateways.mails.filter((mail) => mail.to === to.email && mail.subject.includes(subject))

async function arrived(to: { readonly email: string }, subject: string): Promise<SentMail> {
  await until(() => about(to, subject).length > 0, `a mail “${subject}” arrived`)
  return about(to, subject)[0]!
}

/** One of two users has the only place of a new activity, and the other waits. */
async function waiting(fields: Parameters<typeof openActivity>[3] = {}) {
  const organizer = await world.withEmail()
  const [first, second] = [await world.withEmail(), await world.withEmail()]
  const activity = await openActivity(world.server, organizer, { capacity: 1, waitlist: true }, fields)
  ok(await register(first, activity))
  ok(await register(second, activity))
  return { organizer, first, second, activity }
}

/** A request in a language, which the server writes down with the times of last use. */
async function speak(person: Person, language: string): Promise<void> {
  ok(await person.send('GET', '/api/auth/userinfo', { headers: { 'accept-language': language } }))
}

const nicknameOf = async (person: Person): Promise<string> => ok(await person.call('profile.get')).data.nickname

describe('a user who is moved up from the waiting list', () => {
  test('gets one mail with time, zone, place, links and a calendar file', async () => {
    const { organizer, first, second, activity } = await waiting({
      name: 'Seeufer putzen',
      location: 'Willow Street 5',
      timeZone: 'Asia/Shanghai',
      startTime: Date.UTC(2027, 5, 1, 6),
      endTime: Date.UTC(2027, 5, 1, 8),
    })
    ok(await cancel(first, activity))
    const mail = await arrived(second, 'You have a place')
    await world.allDelivered()
    expect(about(second, activity.name)).toHaveLength(1)
    expect(about(first, activity.name)).toEqual([])
    expect(mail.subject).toBe('[Seeufer putzen] You have a place')
    expect(mail.headers.get('from')).toBe(`${await nicknameOf(organizer)} <no-reply@example.org>`)
    expect(mail.headers.get('list-unsubscribe')).toMatch(/^<https?:\/\/.+\/public\/mail\/[\w-]+>$/)
    expect(mail.headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
    for (const part of [mail.text, mail.html]) {
      expect(part).toMatch(/Tuesday, June 1, 2027.+2:00.+4:00\sPM \(China Standard Time, UTC\+8\)/)
      expect(part).toContain('Willow Street 5')
      expect(part).toContain(`/console/activities/${activity.id}`)
    }
    expect(mail.html).not.toMatch(/<img|<script|src=/i)
    expect(mail.calendarMethod).toBe('PUBLISH')
    expect(mail.files).toEqual(['event.ics'])
    const fields = calendarFields(mail.calendar)
    const file = ok(await second.get(`/api/activities/${activity.id}/calendar.ics`)).text
    expect(fields.get('UID')).toBe(calendarFields(file).get('UID')!)
    expect(fields.get('SEQUENCE')).toBe(String(activity.version))
    expect(fields.get('STATUS')).toBe('CONFIRMED')
    expect(fields.get('METHOD')).toBe('PUBLISH')
  })

  test.if(inProcess)(
    'gets it in the language of their latest request, and otherwise in that of the activity',
    async () => {
      const { first, second, activity } = await waiting({ language: 'zh' })
      await speak(second, 'en-GB')
      world.server.clock.advance(2 * MINUTE)
      await speak(second, 'zh-CN,zh;q=0.9')
      world.server.clock.advance(2 * MINUTE)
      await speak(second, 'zh-CN,zh;q=0.9')
      ok(await cancel(first, activity))
      const mail = await arrived(second, '你已获得名额')
      expect(mail.text).toContain('有名额空出')
      expect(mail.html).toContain('<html lang="zh-CN">')
    },
  )

  test('gets no mail at an address that they have only claimed', async () => {
    const organizer = await world.withEmail()
    const first = await world.withEmail()
    const email = newEmail()
    const deviceId = newDevice()
    const body = { username: `claims${organizer.id}`, password: 'correct horse battery', email }
    const claimant = person(
      world.server.url,
      await world.post('/api/auth/register', body, { deviceId }),
      '',
      '',
      deviceId,
    )
    expect(ok(await claimant.call('profile.get')).data.email).toBe(email)
    const activity = await openActivity(world.server, organizer, { capacity: 1, waitlist: true })
    ok(await register(first, activity))
    ok(await register(claimant, activity))
    ok(await cancel(first, activity))
    expect(await stateOf(claimant, activity)).toBe('CONFIRMED null')
    await world.allDelivered()
    expect(world.gateways.mails.filter((mail) => mail.to === email)).toEqual([])
  })
})

test('a user whose registration the organizer cancels gets one mail, without a calendar file', async () => {
  const { organizer, first, activity } = await waiting()
  const remove = () => organizer.call('registrations.cancelOf', { params: { id: activity.id, userId: first.id } })
  ok(await remove())
  ok(await remove())
  const mail = await arrived(first, 'Your registration was cancelled')
  expect(mail.calendar).toBe('')
  expect(mail.text).toContain(`${await nicknameOf(organizer)} has cancelled your registration`)
  await world.allDelivered()
  expect(about(first, activity.name)).toHaveLength(1)
})

test.if(inProcess)('news that is no longer true when its mail leaves is not sent', async () => {
  const { first, second, activity } = await waiting()
  const { ctx } = world.server
  const compose = (kind: string, { id, email }: { id: number; email: string }) =>
    composePersonalMail(ctx, email, { kind, activityId: activity.id, userId: id })
  expect((await compose('CONFIRMED', first))?.subject).toBe(`[${activity.name}] You have a place`)
  expect(await compose('CONFIRMED', second)).toBeUndefined()
  expect(await compose('REMOVED', first)).toBeUndefined()
  expect(await compose('PASS', first)).toBeUndefined()
  expect(await compose('CONFIRMED', { id: first.id, email: second.email })).toBeUndefined()
})

test('the holder of a new pass gets one mail with its link, which is in no other mail', async () => {
  const organizer = await world.withEmail()
  const holder = await world.withEmail()
  const activity = await openActivity(world.server, organizer, null, { hasPass: true })
  const [pass] = await issued(organizer, activity.id, { holders: [{ userId: holder.id }] })
  const mail = await arrived(holder, 'Your pass')
  expect(mail.text).toContain(pass!.publicUrl)
  expect(mail.html).toContain(`href="${pass!.publicUrl}"`)
  expect((await issue(organizer, activity.id, { holders: [{ userId: holder.id }] })).status).toBe(400)
  await world.allDelivered()
  expect(about(holder, 'Your pass')).toHaveLength(1)
})

test('hostile names change neither headers nor markup nor the calendar file', async () => {
  const name = `a]]><script>alert(1)</script>"; X: ${'很长的名字'.repeat(10)}`
  const { organizer, first, second, activity } = await waiting({ name, location: 'END:VEVENT \\n;,: <b>' })
  ok(await organizer.put('/api/auth/userinfo', { nickname: 'Evil" <x@y.z>, Bcc: x' }))
  ok(await cancel(first, activity))
  const mail = await arrived(second, 'You have a place')
  expect(mail.subject).toBe(`[${name}] You have a place`)
  expect(mail.headers.get('from')).toMatch(/<no-reply@example\.org>$/)
  expect([...mail.headers.keys()].filter((key) => key === 'x' || key === 'bcc')).toEqual([])
  expect(mail.html).not.toMatch(/<script|<b>/)
  const lines = mail.calendar.split('\r\n')
  expect(lines.filter((line) => line.startsWith('END:VEVENT'))).toHaveLength(1)
  for (const line of lines) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
  for (const line of mail.raw.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThan(998)
})

describe('the address for answers', () => {
  test('is that of the activity, in the headers of its mails', async () => {
    const { organizer, first, second, activity } = await waiting()
    const { data } = ok(
      await organizer.call('activities.update', {
        params: { id: activity.id },
        body: { contactEmail: organizer.email.toUpperCase() },
      }),
    )
    expect(data.contactEmail).toBe(organizer.email)
    ok(await cancel(first, activity))
    expect((await arrived(second, 'You have a place')).headers.get('reply-to')).toBe(organizer.email)
  })

  test('is refused unless the caller has proved it, and cleared by null', async () => {
    const organizer = await world.withEmail()
    const stranger = await world.withEmail()
    const activity = await openActivity(world.server, organizer, {}, { contactEmail: organizer.email })
    expect(activity.contactEmail).toBe(organizer.email)
    for (const contactEmail of [stranger.email, 'no address', `x\r\nBcc: ${stranger.email}`]) {
      const refused = await organizer.put(`/api/activities/${activity.id}`, { contactEmail, name: 'Changed' })
      expect(refused.status).toBe(400)
      expect(refused.details[0]!.path).toBe('body.contactEmail')
    }
    const body = { contactEmail: null }
    const { data } = ok(await organizer.call('activities.update', { params: { id: activity.id }, body }))
    expect([data.contactEmail, data.name]).toEqual([null, activity.name])
  })
})

describe('the page on which mails are stopped', () => {
  test('changes nothing when it is opened, and one click of a mail program keeps mails about the registration', async () => {
    const { organizer, first, second, activity } = await waiting()
    ok(await cancel(first, activity))
    const mail = await arrived(second, 'You have a place')
    const page = await world.server.request('GET', stopPath(mail))
    expect(page.status).toBe(200)
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
    expect(page.headers.get('x-robots-tag')).toBe('noindex')
    expect(page.text).toContain(`${second.email.slice(0, 1)}***@example.org`)
    expect(page.text).not.toContain(second.email)
    expect(page.text).toContain('At present: all mails about activities.')
    expect(page.text).not.toContain('<script')
    expect((await world.server.request('GET', `${stopPath(mail)}?lang=zh`)).text).toContain('当前：接收全部活动邮件')
    const oneClick = new FormData()
    oneClick.set('List-Unsubscribe', 'One-Click')
    const stopped = await world.server.request('POST', stopPath(mail), { body: oneClick })
    expect(stopped.status).toBe(200)
    expect(stopped.text).toContain(`At present: no messages of ${await nicknameOf(organizer)}`)
    ok(await organizer.call('registrations.cancelOf', { params: { id: activity.id, userId: second.id } }))
    await arrived(second, 'Your registration was cancelled')
  })

  test('stops everything for NONE, until the account or the page takes it back', async () => {
    const { organizer, first, second, activity } = await waiting()
    ok(await cancel(first, activity))
    const mail = await arrived(second, 'You have a place')
    const choose = (choice: string) =>
      world.server.request('POST', stopPath(mail), {
        body: `choice=${choice}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
    expect((await choose('SOMETIMES')).status).toBe(400)
    expect((await choose('NONE')).text).toContain('At present: no mails about activities.')
    const preferences = async () => ok(await second.call('notifications.preferences')).data.emailActivities
    expect(await preferences()).toBe('NONE')
    ok(await organizer.call('registrations.cancelOf', { params: { id: activity.id, userId: second.id } }))
    await world.allDelivered()
    expect(about(second, 'Your registration was cancelled')).toEqual([])
    ok(await second.call('notifications.changePreferences', { body: { emailActivities: 'IMPORTANT' } }))
    expect(await preferences()).toBe('IMPORTANT')
    expect((await choose('ALL')).text).toContain('At present: all mails')
    ok(await register(second, activity))
    ok(await organizer.call('registrations.cancelOf', { params: { id: activity.id, userId: second.id } }))
    await arrived(second, 'Your registration was cancelled')
  })

  test('is answered with 404 for a token that was changed', async () => {
    for (const path of ['/public/mail/x', `/public/mail/${'A'.repeat(200)}`])
      for (const method of ['GET', 'POST'] as const) {
        const { status, text } = await world.server.request(method, path, { body: method === 'POST' ? {} : undefined })
        expect([status, text.includes('***')]).toEqual([404, false])
      }
  })
})
