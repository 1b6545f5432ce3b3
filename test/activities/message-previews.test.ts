/** POST /api/activities/{id}/messages/preview: a message as its readers get it. */

import { describe, expect, test } from 'bun:test'

import { ok, useServer } from '../harness/index.ts'
import { openActivity } from './registering.ts'

const { server, alice, bob } = useServer({ people: ['alice', 'bob'] })

const text = { subject: 'Things to bring', body: 'Please bring **gloves**. <script>alert(1)</script>' }
const preview = (id: number, body: object = text, person = alice) =>
  person.call('activityMessages.preview', { params: { id }, body: body as typeof text })

describe('the preview of a message', () => {
  test('has the mail in both languages, with safe HTML that needs no styles, and sends nothing', async () => {
    const { id } = await openActivity(server, alice, {}, { name: 'Lake "cleanup"', location: 'Pier 4' })
    const { en, zh } = ok(await preview(id)).data
    for (const mail of [en, zh]) {
      expect(mail.subject).toBe('[Lake "cleanup"] Things to bring')
      expect(mail.html).toContain('<strong>gloves</strong>')
      expect(mail.html).toContain('Pier 4')
      expect(mail.html).not.toMatch(/ style=|<script|<body|<html|\/s\/pass\//)
    }
    expect(en.html).toContain('Open my registration')
    expect(zh.html).toContain('查看我的报名')
    expect(ok(await alice.call('activityMessages.list', { params: { id } })).data.total).toBe(0)
  })

  test('links to a pass if the message does', async () => {
    const { id } = await openActivity(server, alice)
    const { en } = ok(await preview(id, { ...text, attachPass: true })).data
    expect(en.html).toContain('/s/pass/example')
  })

  test('is refused to those who do not manage the activity, and without a text', async () => {
    const seen = await openActivity(server, alice)
    const unseen = await openActivity(server, alice, {}, { status: 'DRAFT' })
    expect((await preview(seen.id, text, bob)).status).toBe(403)
    expect((await preview(unseen.id, text, bob)).status).toBe(404)
    for (const body of [
      { ...text, body: '' },
      { ...text, subject: '' },
      { ...text, subject: 'x'.repeat(101) },
    ])
      expect((await preview(seen.id, body)).status).toBe(400)
  })
})
