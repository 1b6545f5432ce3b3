/** Mails about an activity as a mail server gets them: messages of organizers, another time or place, a cancellation. */

import { describe, expect, test } from 'bun:test'

import { type ActivityRow, findActivity } from '#domains/activities/activities.store.ts'
import type { EventNews, Recipient } from '#domains/activities/event-mails/event-mails.model.ts'
import { eventMails } from '#domains/activities/event-mails/event-mails.service.ts'
import { mailerOf } from '#domains/delivery/index.ts'
import { HOUR } from '#platform/clock.ts'

import { newEmail, useWorld } from '../accounts/helpers.ts'
import { inProcess, ok, type Person } from '../harness/index.ts'
import type { SentMail } from '../harness/mail-sink.ts'
import { createActivity } from './helpers.ts'
import { calendarFields } from './mail-helpers.ts'

const world = useWorld()

/** Mails the news to a new address, and returns the mail as it arrived. `changes`: of the row of a new activity. */
async function mailed(
  news: EventNews,
  changes: Partial<ActivityRow> = {},
  recipient: Partial<Recipient> = {},
): Promise<SentMail> {
  const organizer = await world.withEmail()
  const { ctx } = world.server
  const { id } = await createActivity(organizer, {
    name: 'Lake cleanup',
    location: 'Pier 3',
    timeZone: 'Europe/Berlin',
  })
  const row = { ...(await findActivity(ctx.db.read, id))!, ...changes }
  const address = newEmail()
  const mail = (await eventMails(ctx, row, news))({ address, locale: 'en', ...recipient })
  await (await mailerOf(ctx)).send({ id: crypto.randomUUID(), ...mail })
  return world.gateways.mailFor(address)
}

describe.if(inProcess)('a message of an organizer', () => {
  const body = [
    'Bring **gloves** <b>please</b>.',
    '',
    '![a map](https://tracker.example.org/x.png?id=1) [Rules](/s/rules) [Bad](javascript:alert(1))',
    '',
    '<img src=x onerror=alert(1)><script>alert(2)</script>',
  ].join('\n')

  test('arrives as text and HTML with its Markdown, without pictures and scripts', async () => {
    const mail = await mailed({ kind: 'MESSAGE', subject: 'Gloves', body })
    expect(mail.subject).toBe('[Lake cleanup] Gloves')
    expect(mail.html).toContain('<strong>gloves</strong>')
    expect(mail.html).toContain('a map')
    expect(mail.html).toContain(`href="${world.server.ctx.config.publicUrl}/s/rules"`)
    expect(mail.html).not.toMatch(/<img|<script|<b>|javascript:|tracker\.example/i)
    expect(mail.text).toContain('Bring **gloves**')
    expect(mail.calendarMethod).toBe('PUBLISH')
    expect(mail.headers.get('auto-submitted')).toBe('auto-generated')
  })

  test('adds nothing to the headers by line breaks and hidden characters in subject and names', async () => {
    const hostile = 'x\r\nBcc: victim@example.org\r\n\r\n\u202efdp.exe'
    const mail = await mailed(
      { kind: 'MESSAGE', subject: hostile, body: 'Hello' },
      { name: hostile, location: hostile, ownerNickname: hostile },
    )
    expect(mail.headers.has('bcc')).toBe(false)
    expect(mail.subject).toBe('[x Bcc: victim@example.org fdp.exe] x Bcc: victim@example.org fdp.exe')
    expect(mail.headers.get('from')).toContain('no-reply@example.org')
    expect(mail.to).not.toContain('victim')
    expect(mail.html + mail.text + mail.calendar).not.toContain('\u202e')
  })

  test('is in Chinese for people who read Chinese, and has the link of their pass if they get it', async () => {
    const passUrl = 'https://qr.example.org/s/pass/1'
    const mail = await mailed({ kind: 'MESSAGE', subject: '须知', body: '请带手套' }, {}, { locale: 'zh', passUrl })
    expect(mail.subject).toBe('[Lake cleanup] 须知')
    expect(mail.html).toContain('查看我的报名')
    expect(mail.html).toContain(`href="${passUrl}"`)
    expect(mail.text).toContain('（中欧夏令时间，UTC+2）')
  })
})

describe.if(inProcess)('a notice', () => {
  // Summer time ends on October 25, 2026 in Berlin and on November 1 in New York.
  const startTime = Date.UTC(2026, 9, 25, 12)
  const times = { startTime, endTime: startTime + 2 * HOUR }
  const earlier = { startTime: Date.UTC(2026, 9, 24, 12), endTime: Date.UTC(2026, 9, 24, 14) }

  test('of another date names both with the offset of each, and raises the sequence of the calendar entry', async () => {
    const mail = await mailed(
      { kind: 'MOVED', before: earlier, noticeText: 'Sorry <b>!</b>' },
      { ...times, version: 7 },
    )
    expect(mail.subject).toBe('[Lake cleanup] New date')
    for (const part of [mail.text, mail.html]) {
      expect(part).toMatch(/New date[^]*Sunday, October 25, 2026[^]*1:00[^]*UTC\+1\)/)
      expect(part).toMatch(/Before[^]*Saturday, October 24, 2026[^]*2:00[^]*UTC\+2\)/)
    }
    expect(mail.html).toContain('Sorry &lt;b&gt;!&lt;/b&gt;')
    const fields = calendarFields(mail.calendar)
    expect([fields.get('SEQUENCE'), fields.get('DTSTART')]).toEqual(['7', '20261025T120000Z'])
  })

  test('names the time by the clock of the recipient too if that is another one at that moment', async () => {
    const far = await mailed({ kind: 'MOVED', before: earlier }, times, { timeZone: 'America/New_York' })
    expect(far.text).toMatch(/In your time: Sunday, October 25, 2026.+8:00.+UTC-4\)/)
    const near = await mailed({ kind: 'MOVED', before: earlier }, times, { timeZone: 'Europe/Paris' })
    expect(near.text).not.toContain('In your time')
  })

  test('of another place names both', async () => {
    const { text } = await mailed({ kind: 'PLACE', before: { location: 'Pier 1' } })
    expect(text).toMatch(/New place: Pier 3\r\nBefore: Pier 1/)
    expect(text).not.toContain('New date')
  })

  test('of a cancellation takes the entry out of the calendar', async () => {
    const mail = await mailed({ kind: 'CANCELLED' }, { status: 'CANCELLED', contactEmail: 'desk@example.org' })
    expect(mail.subject).toBe('[Lake cleanup] Cancelled')
    expect(mail.calendarMethod).toBe('CANCEL')
    const fields = calendarFields(mail.calendar)
    expect([fields.get('METHOD'), fields.get('STATUS')]).toEqual(['CANCEL', 'CANCELLED'])
    expect(mail.calendar).toContain('desk@example.org')
    expect(mail.headers.get('reply-to')).toBe('desk@example.org')
  })
})

describe('a test mail', () => {
  const text = { subject: 'Gloves', body: 'Bring **gloves**.', attachPass: true }
  const send = (person: Person, id: number, body: object = text) =>
    person.call('activityMessages.preview', { params: { id }, body: { ...(body as typeof text), test: true } })

  test('goes to the proved address of its author, and to nobody else', async () => {
    const organizer = await world.withEmail()
    const { id } = await createActivity(organizer, { name: 'Lake cleanup' })
    const { sentTo } = ok(await send(organizer, id)).data
    // The address had to be proved first.
    let mail = await world.gateways.mailFor(sentTo!)
    while (!mail.subject.startsWith('[')) mail = await world.gateways.mailFor(sentTo!)
    expect(mail.subject).toBe('[Lake cleanup] Gloves')
    expect(mail.html).toContain('<strong>gloves</strong>')
    expect(mail.html).toContain('/s/pass/example')
    expect(ok(await organizer.call('activityMessages.list', { params: { id } })).data.total).toBe(0)
  })

  test('is refused without a proved address, to those who do not manage the activity, and after ten in an hour', async () => {
    const organizer = await world.withEmail()
    const { id } = await createActivity(organizer, { name: 'Lake cleanup' })
    const other = await world.server.person()
    expect((await send(other, id)).status).toBe(404)
    const own = await createActivity(other, {})
    expect(await send(other, own.id)).toMatchObject({ status: 400, message: expect.stringContaining('e-mail address') })
    expect((await send(organizer, id, { ...text, body: '' })).status).toBe(400)
    let sent = 0
    for (; (await send(organizer, id)).status === 200; sent++);
    expect(sent).toBe(10)
    expect(await send(organizer, id)).toMatchObject({ status: 429, code: 4022 })
  })
})
