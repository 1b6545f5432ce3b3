/** The mail server in the browser: PUT /api/admin/server/mail, and its test. */

import { afterEach, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'

import { startGateways } from '../harness/gateways.ts'
import { inProcess, ok, startServer, until, useServer } from '../harness/index.ts'
import { type MailSink, type MailSinkOptions, startMailSink, TEST_CA } from '../harness/mail-sink.ts'

const { server, admin, alice } = useServer({ people: ['alice'] })

const PASSWORD = 'pass "word" &/+ß'
const change = (body: object) => admin.call('server.mail.update', { body })
const mail = async () => ok(await admin.call('server.values')).data.mail
const tryIt = (body: object) => admin.call('server.mail.test', { body: { to: 'mei@example.org', ...body } })

const stops: (() => unknown)[] = []
afterEach(async () => {
  ok(await change({ kind: 'NONE' }))
  for (const stop of stops.splice(0)) await stop()
})

async function sink(options: MailSinkOptions = {}): Promise<MailSink> {
  const started = await startMailSink({ clear: true, ...options })
  stops.push(() => started.stop())
  return started
}
const plain = (port: number) => ({
  kind: 'SMTP',
  host: '127.0.0.1',
  port,
  security: 'NONE',
  from: 'Library <desk@example.org>',
})
const encrypted = (port: number) => ({
  ...plain(port),
  host: 'localhost',
  security: 'STARTTLS',
  user: 'desk',
  password: PASSWORD,
  caPem: readFileSync(TEST_CA, 'utf8'),
})

test('without a mail server there is none, and the values that are stored come back without the password', async () => {
  expect(await mail()).toMatchObject({ kind: 'NONE', host: null, hasPassword: false, sources: { host: 'DEFAULT' } })
  const { port } = await sink({ clear: false, user: 'desk', password: PASSWORD })
  const { data, text } = ok(await change(encrypted(port)))
  expect(data).toMatchObject({ kind: 'SMTP', host: 'localhost', port, user: 'desk', hasPassword: true })
  expect(text).not.toContain('pass ')
  expect(await mail()).toMatchObject({ from: 'Library <desk@example.org>', sources: { host: 'DATABASE' } })
  const log = ok(await admin.call('operationLog.list', { query: { action: 'SERVER_UPDATE' } })).text
  expect(log).toContain('***')
  expect(log).not.toContain('pass ')
  expect(ok(await change({ kind: 'NONE' })).data).toMatchObject({ kind: 'NONE', host: null, hasPassword: false })
})

test('codes are sent by it at once, with the name of the server and the contact as the address for replies', async () => {
  const { port, mails } = await sink()
  ok(
    await admin.call('server.identity.update', {
      body: { name: 'Willow "Street"', contact: { email: 'desk@willow.example' } },
    }),
  )
  ok(await change(plain(port)))
  ok(await server.request('POST', '/api/auth/email/send-code', { body: { email: 'new@example.org' } }))
  await until(() => mails.length === 1)
  expect(mails[0]).toMatchObject({ to: 'new@example.org', from: 'desk@example.org' })
  expect(mails[0]!.subject).toContain('Willow "Street"')
  expect(mails[0]!.headers.get('reply-to')).toBe('desk@willow.example')
  await until(async () => (await mail()).status.lastSentAt !== null)
  ok(await admin.call('server.identity.update', { body: {} }))
})

test.each([
  ['60 emoji', '😀'.repeat(60)],
  ['right-to-left', 'مكتبة شارع الصفصاف'],
  ['a script and quotes', '<script>alert(1)</script> "\\'],
])('a name of %s is a text in the subject and in the foot, and adds no header', async (_what, name) => {
  const { port, mails } = await sink()
  ok(await admin.call('server.identity.update', { body: { name } }))
  expect(ok(await tryIt({ mail: plain(port) })).data.accepted).toBe(true)
  const [{ subject, text, html, headers }] = mails as [(typeof mails)[number]]
  expect(subject).toBe(`Test mail from ${name}`)
  expect(text).toContain(`${name} · `)
  expect(html).not.toContain('<script>')
  expect([...headers.keys()].filter((key) => !/^[a-z-]+$/.test(key))).toEqual([])
  ok(await admin.call('server.identity.update', { body: {} }))
})

test.each<[string, object, string]>([
  ['no host', { security: 'TLS', from: 'a@b.example' }, 'host'],
  ['a URL as host', { host: 'smtp://x.example', security: 'TLS', from: 'a@b.example' }, 'host'],
  ['no security', { host: 'x.example', from: 'a@b.example' }, 'security'],
  ['no sender', { host: 'x.example', security: 'TLS' }, 'from'],
  ['a sender without an address', { host: 'x.example', security: 'TLS', from: 'Library' }, 'from'],
  ['a header in the sender', { host: 'x.example', security: 'TLS', from: 'a@b.example\nBcc: c@d.example' }, 'from'],
  ['no encryption on the internet', { host: 'x.example', security: 'NONE', from: 'a@b.example' }, 'security'],
  [
    'a password without encryption',
    { host: '10.1.1.1', security: 'NONE', from: 'a@b.example', user: 'a', password: 'b' },
    'security',
  ],
  ['a user without a password', { host: 'x.example', security: 'TLS', from: 'a@b.example', user: 'a' }, 'password'],
  ['a text instead of a certificate', { host: 'x.example', security: 'TLS', from: 'a@b.example', caPem: 'x' }, 'caPem'],
  ['a port above 65535', { host: 'x.example', port: 70_000, security: 'TLS', from: 'a@b.example' }, 'port'],
])('%s is refused, and nothing changes', async (_what, body, field) => {
  const { status, details } = await change(body)
  expect([status, details[0]?.path]).toEqual([400, `body.${field}`])
  expect(await mail()).toMatchObject({ kind: 'NONE' })
})

describe('the test mail', () => {
  test('is accepted: each step with the answer of the server', async () => {
    const { port, mails } = await sink({ clear: false, user: 'desk', password: PASSWORD })
    const { data } = ok(await tryIt({ mail: encrypted(port) }))
    expect(data.steps.map(({ step, ok: worked }) => `${step} ${worked}`)).toEqual(
      ['DNS', 'CONNECT', 'TLS', 'LOGIN', 'FROM', 'TO', 'DATA'].map((step) => `${step} true`),
    )
    expect(data.accepted).toBe(true)
    expect(mails).toHaveLength(1)
    // Unsaved values are not stored.
    expect(await mail()).toMatchObject({ kind: 'NONE' })
  })

  const account = { clear: false, user: 'desk', password: PASSWORD }
  test.each<[string, MailSinkOptions, object, string, RegExp, string]>([
    ['a host that does not exist', {}, { host: 'no-such-host.invalid' }, 'DNS', /./, 'check the spelling'],
    ['a closed port', {}, { port: 1 }, 'CONNECT', /./, 'check the host and the port'],
    ['a wrong password', { ...account, password: 'x' }, {}, 'LOGIN', /535/, 'Check the user and the password'],
    [
      'a sender that is refused',
      { ...account, onSender: () => ({ code: 553, message: 'not your address' }) },
      {},
      'FROM',
      /553 .*not your address/,
      'use the address of the account',
    ],
    [
      'a recipient that is refused',
      { ...account, onRecipient: () => ({ code: 550, message: 'no such user' }) },
      {},
      'TO',
      /550 .*no such user/,
      'try another address',
    ],
    [
      'a mail that is refused',
      { ...account, onMail: () => ({ code: 554, message: `spam ${PASSWORD}` }) },
      {},
      'DATA',
      /554 .*spam \*\*\*/,
      'its answer says why',
    ],
    ['a certificate that is not trusted', { clear: false }, { caPem: null }, 'TLS', /certificate/, 'its authority'],
    [
      'a certificate for another name',
      { clear: false, implicit: true },
      { host: '0.0.0.0', security: 'TLS' },
      'TLS',
      /./,
      'is for another name',
    ],
    ['no STARTTLS', { clear: true }, {}, 'TLS', /STARTTLS/i, 'does not offer STARTTLS on this port'],
    ['TLS on a port for STARTTLS', { clear: false }, { security: 'TLS' }, 'TLS', /./, 'STARTTLS with port 587'],
    ['TLS where there is none', { clear: true }, { security: 'TLS' }, 'TLS', /./, 'STARTTLS with port 587'],
    ['STARTTLS on a port for TLS', { implicit: true }, {}, 'CONNECT', /no mail server/, 'check the host and the port'],
  ])('%s ends at its step, with advice in both languages', async (_what, options, more, step, answer, advice) => {
    const { port } = await sink(options)
    const mail = { ...encrypted(port), ...more }
    const { data, text } = ok(await tryIt({ mail }))
    expect(data.accepted).toBe(false)
    const last = data.steps.at(-1)!
    expect(last).toMatchObject({ step: step as never, ok: false, advice: expect.stringContaining(advice) })
    expect(data.steps.slice(0, -1).every((one) => one.ok && one.advice === null)).toBe(true)
    expect(last.answer).toMatch(answer)
    expect(text).not.toContain('pass ')
    expect(text).not.toContain(Buffer.from(PASSWORD).toString('base64'))
    const path = '/api/admin/server/mail/test'
    const body = { to: 'mei@example.org', mail }
    const chinese = await admin.send('POST', path, { body, headers: { 'accept-language': 'zh-CN' } })
    expect((chinese.data as { steps: { advice: string }[] }).steps.at(-1)!.advice).toMatch(/[\u4e00-\u9fff]/)
  })

  test('waits for a server that greets slowly, and not for one that is silent', async () => {
    const { port, mails } = await sink(account)
    const slow = await listening((socket) => {
      const behind = connect(port, '127.0.0.1').on('error', () => socket.destroy())
      socket.pipe(behind)
      setTimeout(() => behind.pipe(socket), 1500)
    })
    expect(ok(await tryIt({ mail: encrypted(slow) })).data.accepted).toBe(true)
    expect(mails).toHaveLength(1)
    const silent = await listening(() => undefined)
    expect(ok(await tryIt({ mail: plain(silent) })).data.steps.at(-1)).toMatchObject({
      step: 'CONNECT',
      answer: 'no mail server answered',
      advice: expect.stringContaining('No mail server answers there'),
    })
  })

  test('of a host that is not a mail server, only that is reported', async () => {
    for (const greeting of [
      'HTTP/1.1 400 Bad Request\r\n\r\n',
      `220 ${'x'.repeat(1_000_000)}`,
      'SSH-2.0-OpenSSH_9.2\r\n',
    ]) {
      const port = await listening((socket) => socket.write(greeting))
      const { data } = ok(await tryIt({ mail: plain(port) }))
      expect(data.steps.at(-1)).toMatchObject({ step: 'CONNECT', ok: false, answer: 'no mail server answered' })
      expect(data.steps.every(({ ms }) => ms % 100 === 0)).toBe(true)
    }
    const closed = await listening((socket) => socket.destroy())
    expect(ok(await tryIt({ mail: plain(closed) })).data.steps.at(-1)).toMatchObject({ step: 'CONNECT', ok: false })
    expect(ok(await tryIt({ mail: plain(1) })).data.steps.at(-1)).toMatchObject({ step: 'CONNECT', ok: false })
  })

  test('needs a mail server and a recipient, and the role SYSTEM_ADMIN', async () => {
    expect((await tryIt({})).details[0]?.path).toBe('body.mail')
    expect((await tryIt({ to: 'nobody', mail: plain(25) })).details[0]?.path).toBe('body.to')
    expect((await alice.call('server.mail.test', { body: { to: 'a@b.example' } })).status).toBe(403)
  })
})

test('a mail server of the start values is shown, locked, and used', async () => {
  const gateways = await startGateways()
  await using started = await startServer({ config: gateways.config })
  const root = await started.admin()
  const { mail: view } = ok(await root.call('server.values')).data
  expect(view).toMatchObject({
    kind: 'SMTP',
    host: '127.0.0.1',
    security: 'NONE',
    from: 'Tessera <no-reply@example.org>',
  })
  const refused = await root.call('server.mail.update', { body: { host: 'evil.example', kind: 'SMTP' } })
  expect([refused.status, refused.details[0]?.path]).toEqual([400, 'body.host'])
  expect(refused.details[0]?.message).toContain('TESSERA_SMTP_URL')
  ok(await root.call('server.mail.update', { body: { host: '127.0.0.1', kind: 'SMTP' } }))
  expect(ok(await root.call('server.mail.test', { body: { to: 'a@b.example' } })).data.accepted).toBe(true)
  await gateways.stop()
})

test.if(inProcess)('an hour after the sign-in, a confirmation is needed first', async () => {
  await using started = await startServer()
  const root = await started.admin()
  started.clock.advance(3_600_000)
  const refused = await root.call('server.mail.update', { body: { kind: 'NONE' } })
  expect([refused.status, refused.code]).toEqual([403, 4031])
  expect((await root.call('server.mail.test', { body: { to: 'a@b.example' } })).code).toBe(4031)
})

async function listening(answer: (socket: Socket) => void): Promise<number> {
  const listener = createServer((socket) => {
    socket.on('error', () => undefined)
    answer(socket)
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  stops.push(() => listener.close())
  return (listener.address() as { port: number }).port
}
