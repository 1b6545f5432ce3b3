/** Mail through a real mail server that accepts, refuses, delays or misbehaves. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createServer } from 'node:net'

import { parseMailbox, parseSmtp } from '#config/gateways.ts'
import { createLog } from '#platform/log.ts'
import { openMailer } from '#platform/mail/index.ts'
import { GatewayError } from '#platform/outgoing.ts'

import { type MailSink, type MailSinkOptions, startMailSink, TEST_CA } from '../harness/mail-sink.ts'

const running: MailSink[] = []
afterAll(() => Promise.all(running.map((sink) => sink.stop())))

async function sinkWith(options: MailSinkOptions): Promise<MailSink> {
  const sink = await startMailSink(options)
  running.push(sink)
  return sink
}

const from = parseMailbox('二维码 <no-reply@example.org>')!
const log = createLog({ level: 'error', format: 'text', write: () => {} })
const mailer = (url: string) => openMailer(parseSmtp(url)!, { from, log })

const mail = {
  id: 'f81d4fae-7dec-41d0-a765-00a0c91e6bf6',
  to: 'ann@example.com',
  subject: '012345 是你的 Tessera 验证码，请在几分钟之内输入，并且不要告诉任何人',
  text: 'Line one\n\n验证码 012345\n.\nend\n',
  html: '<p>验证码 <b>012345</b></p>',
}

async function failure(promise: Promise<unknown>): Promise<GatewayError> {
  const error: unknown = await promise.then(
    () => undefined,
    (e: unknown) => e,
  )
  expect(error).toBeInstanceOf(GatewayError)
  return error as GatewayError
}

test('a mail arrives with its sender, recipient, subject, text, HTML and id', async () => {
  const sink = await sinkWith({ clear: true })
  await (await mailer(`smtp://127.0.0.1:${sink.port}`)).send(mail)
  const [got] = sink.mails
  expect(got).toMatchObject({
    to: 'ann@example.com',
    from: 'no-reply@example.org',
    secure: false,
    user: undefined,
    subject: mail.subject,
  })
  expect(got!.headers.get('from')).toBe('二维码 <no-reply@example.org>')
  expect(got!.headers.get('to')).toBe('ann@example.com')
  expect(got!.headers.get('message-id')).toBe('<f81d4fae-7dec-41d0-a765-00a0c91e6bf6@example.org>')
  // So that out-of-office replies do not answer it.
  expect(got!.headers.get('auto-submitted')).toBe('auto-generated')
  expect(got!.text.replaceAll('\r\n', '\n').trimEnd()).toBe(mail.text.trimEnd())
  expect(got!.html.trimEnd()).toBe(mail.html)
})

test('a recipient stays one recipient even if its text contains separators or header lines', async () => {
  const sink = await sinkWith({ clear: true })
  const driver = await mailer(`smtp://127.0.0.1:${sink.port}`)
  for (const to of ['a@x.org, b@x.org', 'a@x.org\r\nBcc: b@x.org', '<b@x.org>a@x.org', 'a@x.org;b@x.org'])
    await driver.send({ ...mail, to }).catch(() => {})
  expect(sink.mails.flatMap(({ raw }) => raw.match(/^bcc:/gim) ?? [])).toEqual([])
  expect(sink.mails.filter(({ to }) => to.includes(','))).toEqual([])
})

describe('over TLS', () => {
  const user = 'tessera@example.org'
  const password = 'p:@/#% ü'
  const login = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`

  test.each([
    ['STARTTLS', {}, 'smtp', '&tls=required'],
    ['TLS from the start', { implicit: true }, 'smtps', ''],
  ])('a mail is sent by %s after signing in', async (_, options, scheme, more) => {
    const sink = await sinkWith({ ...options, user, password })
    const driver = await mailer(`${scheme}://${login}@localhost:${sink.port}?ca=${TEST_CA}${more}`)
    expect(await driver.check()).toBe(`localhost:${sink.port} answers, encrypted, and accepts the password`)
    expect(sink.mails).toHaveLength(0)
    await driver.send(mail)
    expect(sink.mails[0]).toMatchObject({ secure: true, user })
  })

  test('a wrong password is a temporary failure, and nothing is sent', async () => {
    const sink = await sinkWith({ user, password })
    const driver = await mailer(`smtp://u:wrong@localhost:${sink.port}?tls=required&ca=${TEST_CA}`)
    const error = await failure(driver.send(mail))
    expect(error.permanent).toBe(false)
    expect(error.message).toContain('535')
    expect(error.message).not.toContain('wrong')
    expect((await failure(driver.check())).message).toContain('535')
    expect(sink.asked).toEqual([])
  })

  test('a certificate of an unknown authority is refused before the password is sent', async () => {
    for (const [options, url] of [
      [{ implicit: true }, 'smtps://u:p@localhost:PORT'],
      [{}, 'smtp://u:p@localhost:PORT?tls=required'],
    ] as const) {
      const sink = await sinkWith({ ...options, user: 'u', password: 'p' })
      const error = await failure((await mailer(url.replace('PORT', String(sink.port)))).send(mail))
      expect(error.message).toContain('certificate')
      expect(sink.asked).toEqual([])
    }
  })

  test('a certificate for another name is refused', async () => {
    const sink = await sinkWith({ implicit: true })
    const error = await failure((await mailer(`smtps://[::ffff:127.0.0.1]:${sink.port}?ca=${TEST_CA}`)).send(mail))
    expect(error.permanent).toBe(false)
    expect(error.message).toMatch(/altnames|does not match/i)
    expect(sink.asked).toEqual([])
  })

  test('nothing is sent to a server that offers no STARTTLS', async () => {
    const sink = await sinkWith({ clear: true })
    const error = await failure((await mailer(`smtp://localhost:${sink.port}?tls=required`)).send(mail))
    expect(error.message).toContain('STARTTLS')
    expect(sink.asked).toEqual([])
  })

  test('a certificate authority file that cannot be read is a GatewayError that names it', async () => {
    const error = await failure(mailer('smtps://mail.example.org?ca=/missing.pem'))
    expect(error.message).toContain('/missing.pem')
  })
})

test('greylisting (451) is a temporary failure, and the second attempt succeeds', async () => {
  const sink = await sinkWith({
    clear: true,
    onRecipient: (_, nth) => (nth === 1 ? { code: 451, message: 'Greylisted, come back later' } : undefined),
  })
  const driver = await mailer(`smtp://127.0.0.1:${sink.port}`)
  const error = await failure(driver.send(mail))
  expect(error.permanent).toBe(false)
  expect(error.message).toContain('451')
  await driver.send(mail)
  expect(sink.mails).toHaveLength(1)
})

test.each([
  ['recipient (550)', { onRecipient: () => ({ code: 550, message: 'No such user' }) }],
  ['mail (554)', { onMail: () => ({ code: 554, message: 'Spam' }) }],
])('a refusal of the %s is permanent', async (_, options) => {
  const sink = await sinkWith({ clear: true, ...options })
  const error = await failure((await mailer(`smtp://127.0.0.1:${sink.port}`)).send(mail))
  expect(error.permanent).toBe(true)
  expect(error.message).toMatch(/55[04]/)
  expect(sink.mails).toEqual([])
})

test('a temporary refusal of the mail (452) is not permanent', async () => {
  const sink = await sinkWith({ clear: true, onMail: () => ({ code: 452, message: 'Disk full' }) })
  expect((await failure((await mailer(`smtp://127.0.0.1:${sink.port}`)).send(mail))).permanent).toBe(false)
})

test('a mail server that does not listen is a temporary failure', async () => {
  const sink = await startMailSink()
  await sink.stop()
  const driver = await mailer(`smtp://127.0.0.1:${sink.port}`)
  const error = await failure(driver.send(mail))
  expect(error.permanent).toBe(false)
  expect(error.message).toContain('ECONNREFUSED')
  expect((await failure(driver.check())).message).toContain('ECONNREFUSED')
})

describe('a server that never greets', () => {
  const sockets = new Set<{ destroyed: boolean; destroy(): void }>()
  const silent = createServer((socket) => sockets.add(socket.on('error', () => {})))
  beforeAll(() => new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve)))
  afterAll(() => {
    for (const socket of sockets) socket.destroy()
    silent.close()
  })
  const open = () => mailer(`smtp://127.0.0.1:${(silent.address() as { port: number }).port}`)

  test('sending to it ends with the signal', async () => {
    const error = await failure((await open()).send(mail, AbortSignal.timeout(100)))
    expect(error.permanent).toBe(false)
    // Not by its own time limit.
    expect(error.message).toContain('aborted')
  })

  test('sending to it ends after 10 s without a signal', async () => {
    const started = performance.now()
    const error = await failure((await open()).send(mail))
    expect(error.permanent).toBe(false)
    expect(error.message).toContain('Greeting never received')
    expect(performance.now() - started).toBeGreaterThan(9000)
  })
})

test('without a mail server the log receives the subject, which contains the code', async () => {
  const lines: string[] = []
  const written = createLog({ level: 'warn', format: 'json', write: (text) => lines.push(text) })
  await (await openMailer(undefined, { from, log: written })).send(mail)
  expect(lines.join('')).toContain('012345')
  expect(lines.join('')).not.toContain('ann@example.com')
})
