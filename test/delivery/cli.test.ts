/** Gateways on the command line: test-mail, test-sms, doctor, check-config and the warnings of serve. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { type Gateways, startGateways } from '../harness/index.ts'
import { startMailSink, TEST_CA } from '../harness/mail-sink.ts'
import { Installation } from '../ops/cli.ts'
import { startHttpGateway } from '../platform/http-gateway.ts'
import { makeXdb } from '../platform/xdb-file.ts'

let place: Installation
let gateways: Gateways
beforeAll(async () => {
  place = await Installation.make()
  gateways = await startGateways()
})
afterAll(async () => {
  await gateways.stop()
  await place.dispose()
})

const env = (more: Record<string, string> = {}): Record<string, string> => ({
  TESSERA_SMTP_URL: gateways.config.smtpUrl,
  TESSERA_MAIL_FROM: gateways.config.mailFrom,
  TESSERA_SMS_URL: gateways.config.smsUrl,
  TESSERA_ONECLICK_URL: gateways.config.oneclickUrl,
  ...more,
})

describe('test-mail', () => {
  test('sends an e-mail and prints the code in it', async () => {
    const { code, stdout, stderr } = await place.run(['test-mail', 'ann@example.com'], { env: env() })
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^127\.0\.0\.1:\d+ accepted the message in \d+ ms\.\nIt contains the test code \d{6},/)
    expect(stdout).toContain(await gateways.codeFor('ann@example.com'))
    expect(existsSync(place.dataDir)).toBe(false)
  })

  test('signs in over TLS with a certificate of a private authority', async () => {
    const sink = await startMailSink({ user: 'u', password: 'p:ä' })
    const url = `smtp://u:p%3A%C3%A4@localhost:${sink.port}?tls=required&ca=${TEST_CA}`
    const path = join(place.cwd, 'smtp-url')
    writeFileSync(path, `${url}\n`)
    const secret = { TESSERA_SMTP_URL: '', TESSERA_SMTP_URL_FILE: path }
    const { code, stderr } = await place.run(['test-mail', 'ann@example.com'], { env: env(secret) })
    await sink.stop()
    expect([code, stderr]).toEqual([0, ''])
    expect(sink.mails).toMatchObject([{ secure: true, user: 'u', to: 'ann@example.com' }])
  })

  test.each([
    ['exits with 2 if no mail server is configured', {}, 'a@b.org', 2, 'No mail server is configured'],
    ['exits with 2 for an invalid e-mail address', 'all', 'ann', 2, 'is not an e-mail address'],
    [
      'exits with 6 if the mail server cannot be reached',
      { TESSERA_SMTP_URL: 'smtp://127.0.0.1:1', TESSERA_MAIL_FROM: 'a@b.org' },
      'a@b.org',
      6,
      'ECONNREFUSED',
    ],
    [
      'exits with 2 for an invalid TESSERA_SMTP_URL without printing its password',
      { TESSERA_SMTP_URL: 'smtp://u:hunter2@h?x=1', TESSERA_MAIL_FROM: 'a@b.org' },
      'a@b.org',
      2,
      'TESSERA_SMTP_URL must be',
    ],
    [
      'exits with 2 if TESSERA_MAIL_FROM is missing',
      { TESSERA_SMTP_URL: 'smtp://h' },
      'a@b.org',
      2,
      'TESSERA_SMTP_URL requires TESSERA_MAIL_FROM as well.',
    ],
  ] as const)('%s', async (_, given, to, exitCode, sentence) => {
    const { code, stdout, stderr } = await place.run(['test-mail', to], { env: given === 'all' ? env() : given })
    expect(stderr).toContain(sentence)
    expect(stderr).not.toContain('hunter2')
    expect(stderr).not.toContain('    at ')
    expect([code, stdout]).toEqual([exitCode, ''])
  })

  test('exits with 6 and prints the answer if the server refuses the recipient', async () => {
    const sink = await startMailSink({ clear: true, onRecipient: () => ({ code: 550, message: 'No such user' }) })
    const given = { TESSERA_SMTP_URL: `smtp://127.0.0.1:${sink.port}` }
    const { code, stderr } = await place.run(['test-mail', 'ann@example.com'], { env: env(given) })
    await sink.stop()
    expect(code).toBe(6)
    expect(stderr).toMatch(/refuses this recipient: .*550 No such user/)
  })
})

describe('test-sms', () => {
  test.each([
    ['+85291234567', '+85291234567'],
    ['138 0013 8000', '+8613800138000'],
  ])('sends an SMS for %s to %s', async (given, to) => {
    const { code, stdout, stderr } = await place.run(['test-sms', given], { env: env() })
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('The webhook gateway accepted the message')
    expect(stdout).toContain(await gateways.codeFor(to))
  })

  test('works with the driver of each vendor', async () => {
    const vendor = startHttpGateway()
    vendor.answer = ({ headers }) =>
      headers.has('x-acs-action')
        ? Response.json({ Code: 'OK' })
        : headers.has('x-tc-action')
          ? Response.json({ Response: { SendStatusSet: [{ Code: 'Ok' }] } })
          : Response.json({ sid: 'SM1' }, { status: 201 })
    const urls = [
      `aliyun://K:S@${vendor.host}?sign=a&template=b`,
      `tencent://K:S@${vendor.host}?app=1&sign=a&template=b`,
      `twilio://K:S@${vendor.host}?from=+15550100`,
    ]
    for (const url of urls) {
      const given = { TESSERA_SMS_URL: url }
      const { code, stdout, stderr } = await place.run(['test-sms', '+8613800138000'], { env: given })
      expect([code, stderr]).toEqual([0, ''])
      expect(stdout).toContain(`The ${url.split(':')[0]!} gateway accepted the message`)
    }
    await vendor.stop()
    expect(vendor.received).toHaveLength(3)
  })

  test.each([
    ['exits with 2 if no SMS gateway is configured', {}, '+8613800138000', 2, 'No SMS gateway is configured'],
    [
      'exits with 2 if SMS go to the log',
      { TESSERA_SMS_URL: 'log:' },
      '+8613800138000',
      2,
      'No SMS gateway is configured',
    ],
    ['exits with 2 for an invalid phone number', 'all', '12345', 2, 'is not a phone number'],
    [
      'exits with 6 if the gateway cannot be reached',
      { TESSERA_SMS_URL: 'http://:hunter2@127.0.0.1:1/' },
      '+8613800138000',
      6,
      'cannot be reached',
    ],
    [
      'exits with 2 for an invalid TESSERA_SMS_URL without printing its secret',
      { TESSERA_SMS_URL: 'aliyun://K:hunter2@h' },
      '+8613800138000',
      2,
      'TESSERA_SMS_URL must be',
    ],
  ] as const)('%s', async (_, given, to, exitCode, sentence) => {
    const { code, stdout, stderr } = await place.run(['test-sms', to], { env: given === 'all' ? env() : given })
    expect(stderr).toContain(sentence)
    expect(stderr).not.toContain('hunter2')
    expect([code, stdout]).toEqual([exitCode, ''])
  })
})

interface Finding {
  check: string
  verdict: string
  message: string
}

describe('doctor', () => {
  const findings = async (given: Record<string, string>): Promise<Map<string, Finding>> => {
    const { stdout } = await place.run(['doctor', '--json'], { env: given })
    return new Map((JSON.parse(stdout) as Finding[]).map((finding) => [finding.check, finding]))
  }

  test('reports OK for reachable gateways and sends nothing to them', async () => {
    const path = join(place.cwd, 'cities.xdb')
    writeFileSync(path, makeXdb(4, 3, [{ first: '1.0.0.0', last: '1.0.0.255', region: 'x' }]))
    const before = [gateways.messages.length, gateways.mails.length]
    const found = await findings(env({ TESSERA_GEOIP_FILE: path }))
    expect(found.get('mail')).toMatchObject({ verdict: 'OK' })
    expect(found.get('mail')!.message).toContain('answers, unencrypted')
    expect(found.get('sms')).toMatchObject({ verdict: 'OK' })
    expect(found.get('one-click')).toMatchObject({ verdict: 'OK' })
    expect(found.get('cities')).toMatchObject({ verdict: 'OK', message: `${path}, IPv4, created 2026-01-02` })
    expect([gateways.messages.length, gateways.mails.length]).toEqual(before)
  })

  test('warns about missing gateways with the setting to use', async () => {
    const found = await findings({})
    expect(found.get('mail')).toMatchObject({ verdict: 'WARN' })
    expect(found.get('sms')).toMatchObject({ verdict: 'WARN' })
    expect(found.get('mail')!.message).toContain('TESSERA_SMTP_URL')
    expect(found.has('one-click')).toBe(false)
    expect(found.has('cities')).toBe(false)
  })

  test('reports unreachable gateways as FAIL and unencrypted ones as WARN without printing secrets', async () => {
    const found = await findings({
      TESSERA_SMTP_URL: 'smtp://127.0.0.1:1',
      TESSERA_MAIL_FROM: 'a@b.org',
      TESSERA_SMS_URL: 'http://:hunter2@127.0.0.1:1/',
      TESSERA_ONECLICK_URL: 'http://:hunter2@10.0.0.1/?tls=off',
      TESSERA_GEOIP_FILE: '/missing.xdb',
    })
    expect(found.get('mail')).toMatchObject({ verdict: 'FAIL' })
    expect(found.get('sms')).toMatchObject({ verdict: 'FAIL' })
    expect(found.get('one-click')).toMatchObject({ verdict: 'WARN' })
    expect(found.get('geoip')).toMatchObject({ verdict: 'FAIL' })
    expect(JSON.stringify([...found.values()])).not.toContain('hunter2')
  })
})

test('check-config prints the gateways without their secrets', async () => {
  const { code, stdout } = await place.run(['check-config'], {
    env: {
      TESSERA_SMTP_URL: 'smtps://u:hunter2@mail.example.org',
      TESSERA_MAIL_FROM: 'a@b.org',
      TESSERA_SMS_URL: 'aliyun://KEY:hunter2@dysmsapi.aliyuncs.com/?sign=a&template=b',
      TESSERA_ONECLICK_URL: 'https://:hunter2@hooks.example.org/hunter2',
    },
  })
  expect(code).toBe(0)
  expect(stdout).toContain('smtps://u:***@mail.example.org')
  expect(stdout).toContain('aliyun://KEY:***@dysmsapi.aliyuncs.com')
  expect(stdout).toContain('https://***@hooks.example.org/…')
  expect(stdout).not.toContain('hunter2')
})

describe('serve', () => {
  test('warns at start about gateways that are not configured', async () => {
    const bare = await Installation.make()
    const running = await bare.serve()
    await running.end()
    expect(running.stderr()).toContain(
      'no mail server is configured (Administration → Name and mail, or TESSERA_SMTP_URL): codes by e-mail go to this log',
    )
    expect(running.stderr()).toContain('no SMS gateway is configured (TESSERA_SMS_URL): codes by SMS go to this log')
    const complete = await bare.serve([], { env: env() })
    await complete.end()
    expect(complete.stderr()).not.toContain('is configured')
    await bare.dispose()
  })

  test('does not start if TESSERA_GEOIP_FILE cannot be read', async () => {
    const bare = await Installation.make()
    const { code, stderr } = await bare.run(['serve'], { env: { TESSERA_GEOIP_FILE: '/missing.xdb' } })
    expect(code).toBe(4)
    expect(stderr).toContain('TESSERA_GEOIP_FILE: /missing.xdb cannot be read: there is no such file.')
    expect(stderr).not.toContain('    at ')
    await bare.dispose()
  })
})
