/** A request that names another host brings no link to it into any mail: links begin with the public address. */

import { describe, expect, test } from 'bun:test'

import { inProcess, ok, until } from '../harness/index.ts'
import { newEmail, newIp, useWorld } from './helpers.ts'

const world = useWorld({ config: { publicUrl: 'https://qr.example.org' } })

describe.if(inProcess)('a request for a reset or for another e-mail', () => {
  test.each([
    'evil.example',
    'evil.example:8443',
    'evil.example.',
    'EVIL.EXAMPLE',
    'qr.example.org:99',
    'qr.example.org.',
    'QR.example.org',
    'qr.example.org@evil.example',
    'qr.example.org.evil.example',
    '[2001:db8::bad]:80',
    '127.0.0.1',
  ])('with the host %s sends mails that name the public address only', async (host) => {
    const owner = await world.withEmail()
    // An e-mail that was bound lately gets no undo link.
    await world.passDays(3)
    const headers = {
      host,
      'x-forwarded-host': host,
      'x-forwarded-for': newIp(),
      forwarded: `host="${host}"`,
      origin: `http://${host}`,
    }
    const first = world.gateways.mails.length
    ok(await world.post('/api/auth/password/forgot-code', { credential: owner.email }, { headers }))
    await until(() => world.gateways.mails.length > first)
    const email = newEmail()
    ok(await owner.send('POST', '/api/auth/email/bind-code', { body: { email }, headers }))
    const code = await world.codeTo(email)
    ok(await owner.send('POST', '/api/auth/email-bind', { body: { email, code }, headers }))
    await world.mailArrived(owner.email, 'undo-email')
    const mails = world.gateways.mails.slice(first)
    expect(mails.length).toBeGreaterThan(2)
    for (const { text, html, headers: fields } of mails) {
      const all = `${text}\n${html}\n${[...fields.values()].join('\n')}`
      expect(all).not.toMatch(/evil|2001:db8|:99/i)
      for (const [link] of all.matchAll(/https?:\/\/[^\s"'<>)]*/g))
        expect(new URL(link).origin).toBe('https://qr.example.org')
    }
  })
})
