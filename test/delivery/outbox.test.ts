/** The outbox, from the write that inserts a message to the gateway that accepts it: contents, retries, limits, secrecy. */

import { describe, expect, test } from 'bun:test'

import { StorageError } from '#db/errors.ts'
import { sendCode, sendNotice, wake } from '#domains/delivery/index.ts'
import { NO_CONTACT, setSite } from '#http/site.ts'

import { inProcess, race, until } from '../harness/index.ts'
import {
  code,
  errorsOf,
  gatewaysWith,
  MAIL,
  MINUTE,
  PHONE,
  retriesOf,
  runWith,
  sendOne,
  untilEmpty,
  waiting,
} from './helpers.ts'

// These tests inspect the server. The executable is tested through the API by the journeys of accounts, and in cli.test.ts.
describe.if(inProcess)('the outbox', () => {
  test('sends a code by SMS and one by e-mail in the requested language and is empty afterwards', async () => {
    const gateways = await gatewaysWith()
    const { ctx } = await runWith(gateways.config)
    await sendOne(ctx)
    await sendOne(ctx, { channel: 'EMAIL', to: MAIL, purpose: 'RESET', code: '543210', locale: 'en' })
    expect(await gateways.codeFor(PHONE)).toBe('012345')
    const mail = await gateways.mailFor(MAIL)
    expect(mail.subject).toBe('543210 is your Tessera code')
    expect(mail.text).toContain('set a new password')
    expect(mail.html).toContain('543210')
    expect(gateways.messages[0]).toMatchObject({ purpose: 'LOGIN', locale: 'zh', minutes: 5 })
    expect(gateways.messages[0]!.text).toContain('用于登录')
    await untilEmpty(ctx)
    expect([gateways.messages.length, gateways.mails.length, gateways.forged]).toEqual([1, 1, 0])
    await until(() => ctx.metrics.render().includes('tessera_messages_total{channel="SMS",result="sent"} 1\n'))
    await until(() => ctx.metrics.render().includes('tessera_messages_total{channel="EMAIL",result="sent"} 1\n'))
  })

  test('does not send a message again that was accepted while the database was away', async () => {
    const gateways = await gatewaysWith()
    const { ctx } = await runWith(gateways.config)
    const write = ctx.db.write.bind(ctx.db)
    let deletions = 0
    ctx.db.write = async (name, ...rest) => {
      if (name === 'delivery.delete' && ++deletions <= 3) throw new StorageError('unreachable', 'away')
      return write(name, ...rest)
    }
    await sendOne(ctx)
    await until(() => deletions > 3)
    await untilEmpty(ctx)
    expect(gateways.messages).toHaveLength(1)
    await until(() => ctx.metrics.render().includes('tessera_messages_total{channel="SMS",result="sent"} 1\n'))
  })

  test('sends a notice by e-mail', async () => {
    const gateways = await gatewaysWith()
    const { ctx } = await runWith(gateways.config)
    const data = { at: ctx.clock.now(), device: 'Pixel 9', ip: '203.0.113.9' }
    await ctx.db.write('test', (tx) => sendNotice(ctx, tx, { to: MAIL, kind: 'NEW_DEVICE', locale: 'en', data }))
    const { subject, text } = await gateways.mailFor(MAIL)
    expect(subject).toBe('New sign-in to your account')
    expect(text).toContain('Pixel 9')
  })

  test('begins the subjects of notices with the short name of a server that has a name of its own', async () => {
    const gateways = await gatewaysWith()
    const { ctx } = await runWith(gateways.config)
    setSite(ctx, { name: 'Willow "Street"', shortName: 'Willow', description: '', locale: 'en', contact: NO_CONTACT })
    const data = { at: ctx.clock.now(), device: 'Pixel 9', ip: '203.0.113.9' }
    await ctx.db.write('test', (tx) => sendNotice(ctx, tx, { to: MAIL, kind: 'NEW_DEVICE', locale: 'en', data }))
    expect((await gateways.mailFor(MAIL)).subject).toBe('[Willow] New sign-in to your account')
  })

  test('sends codes before notices that waited longer, and at most three notices at the same time', async () => {
    const release = Promise.withResolvers<void>()
    const started: string[] = []
    let [current, highest] = [0, 0]
    const gateways = await gatewaysWith({
      onMail: async ({ subject }) => {
        started.push(subject)
        highest = Math.max(highest, ++current)
        if (!subject.includes('code')) await release.promise
        current--
        return undefined
      },
    })
    const { ctx } = await runWith(gateways.config)
    const data = { at: ctx.clock.now() }
    await race(8, (i) =>
      ctx.db.write('test', (tx) =>
        sendNotice(ctx, tx, { to: `user${i}@example.com`, kind: 'PASSWORD_SET', locale: 'en', data }),
      ),
    )
    await until(() => current === 3)
    // The mail server holds three notices and five wait: the codes still arrive, one after the other.
    for (let i = 0; i < 5; i++) {
      await sendOne(ctx, { channel: 'EMAIL', to: `other${i}@example.com`, code: String(100_000 + i), locale: 'en' })
      expect(await gateways.codeFor(`other${i}@example.com`)).toBe(String(100_000 + i))
    }
    expect(started.filter((subject) => !subject.includes('code'))).toHaveLength(3)
    expect(highest).toBe(4)
    release.resolve()
    await untilEmpty(ctx)
    expect(started).toHaveLength(13)
  })

  test('sends 10 notices a day to an address, then one that refers to the app, and counts sign-ins apart', async () => {
    const gateways = await gatewaysWith()
    const { ctx, clock } = await runWith(gateways.config)
    const send = (kind: 'NEW_DEVICE' | 'PASSWORD_CHANGED', to = MAIL) =>
      ctx.db.write('test', (tx) => sendNotice(ctx, tx, { to, kind, locale: 'en', data: { at: clock.now() } }))
    const subjects = async (to = MAIL) => {
      await untilEmpty(ctx)
      return gateways.mails.filter((mail) => mail.to === to).map((mail) => mail.subject)
    }
    await race(25, () => send('NEW_DEVICE'))
    expect((await subjects()).toSorted()).toEqual([
      'More changes to your account',
      ...Array<string>(10).fill('New sign-in to your account'),
    ])
    await send('PASSWORD_CHANGED')
    await send('NEW_DEVICE', 'bob@example.com')
    expect((await subjects()).at(-1)).toBe('Your password was changed')
    expect(await subjects('bob@example.com')).toHaveLength(1)
    clock.advance(24 * 60 * MINUTE)
    await send('NEW_DEVICE')
    expect(await subjects()).toHaveLength(13)
    expect((await subjects()).at(-1)).toBe('New sign-in to your account')
  })

  test('never sends a message whose write failed', async () => {
    const gateways = await gatewaysWith()
    const { ctx } = await runWith(gateways.config)
    const failing = ctx.db.write('test', async (tx) => {
      await sendCode(ctx, tx, code(ctx, { code: '999999' }))
      throw new Error('roll back')
    })
    await expect(failing).rejects.toThrow('roll back')
    await sendOne(ctx)
    expect(await gateways.codeFor(PHONE)).toBe('012345')
    expect(gateways.messages.map((message) => message.code)).toEqual(['012345'])
  })

  test('sends nothing before the commit, even if the worker is woken earlier', async () => {
    const gateways = await gatewaysWith()
    const { ctx } = await runWith(gateways.config)
    let sentBeforeCommit = -1
    await ctx.db.write('test', async (tx) => {
      await sendCode(ctx, tx, code(ctx))
      wake(ctx, 'SMS')
      // Gives a worker that reads uncommitted rows the time to send.
      await Bun.sleep(50)
      sentBeforeCommit = gateways.messages.length
    })
    await gateways.codeFor(PHONE)
    expect(sentBeforeCommit).toBe(0)
  })

  test('stores neither code nor recipient in readable form', async () => {
    const gateways = await gatewaysWith()
    gateways.sms = () => 503
    const run = await runWith(gateways.config)
    await sendOne(run.ctx)
    await until(() => retriesOf(run).length > 0)
    const [row] = await waiting(run.ctx)
    const all = JSON.stringify(row) + Buffer.from(row!.payload, 'base64url').toString('latin1')
    expect(all).not.toContain('012345')
    expect(all).not.toContain('13800138000')
    // With the key of the server both can be read.
    expect(JSON.parse(run.ctx.seal.open(row!.payload)!)).toMatchObject({ code: '012345', to: PHONE })
  })

  test('retries a failed message after 2 and 4 seconds, ±20 %, with the same id and the remaining minutes', async () => {
    const gateways = await gatewaysWith()
    const ids: string[] = []
    gateways.sms = ({ id }) => {
      ids.push(id)
      return ids.length < 3 ? 500 : undefined
    }
    const run = await runWith(gateways.config)
    // The worker reads the clock again after each failure, so no real time has to pass.
    run.onLine = ({ attempts }) => run.clock.advance(attempts === 1 ? 2 * MINUTE : 5000)
    await sendOne(run.ctx)
    await until(() => gateways.messages.length === 1)
    const pauses = retriesOf(run).map((line) => line['secondsToNextTry'] as number)
    expect(pauses).toHaveLength(2)
    for (const [i, seconds] of [2, 4].entries()) {
      expect(pauses[i]).toBeGreaterThanOrEqual(seconds * 0.8)
      expect(pauses[i]).toBeLessThanOrEqual(seconds * 1.2)
    }
    expect(ids).toEqual([ids[0]!, ids[0]!, ids[0]!])
    expect(gateways.messages[0]!.minutes).toBe(3)
    await untilEmpty(run.ctx)
    expect(run.ctx.metrics.render()).toContain('{channel="SMS",result="retried"} 2\n')
  })

  test('retries by a timer of its own: a greylisting mail server gets the e-mail again', async () => {
    const gateways = await gatewaysWith({
      onRecipient: (_, nth) => (nth === 1 ? { code: 451, message: 'Greylisted' } : undefined),
    })
    const { ctx } = await runWith(gateways.config)
    await sendOne(ctx, { channel: 'EMAIL', to: MAIL })
    expect(await gateways.codeFor(MAIL)).toBe('012345')
  })

  test('does not retry a permanent refusal, and logs an error without code and recipient', async () => {
    const gateways = await gatewaysWith({ onRecipient: () => ({ code: 550, message: `No such user ${MAIL}` }) })
    let attempts = 0
    gateways.sms = () => {
      attempts++
      return 422
    }
    const run = await runWith(gateways.config)
    await sendOne(run.ctx)
    await sendOne(run.ctx, { channel: 'EMAIL', to: MAIL, code: '543210' })
    await untilEmpty(run.ctx)
    await until(() => errorsOf(run).length === 2)
    expect(attempts).toBe(1)
    for (const line of errorsOf(run)) {
      expect(line).toMatchObject({ message: 'a message was given up', about: 'LOGIN', attempts: 1 })
      expect(line['reason']).toMatch(/HTTP 422|550/)
    }
    // The gateways repeat the code and the address in their answers.
    for (const secret of ['012345', '543210', '13800138000', MAIL])
      expect(JSON.stringify(errorsOf(run))).not.toContain(secret)
    expect(run.ctx.metrics.render()).toContain('{channel="SMS",result="refused"} 1\n')
  })

  test('gives up a code that expired while the gateway was down, logs an error and deletes the row', async () => {
    const gateways = await gatewaysWith()
    gateways.sms = ({ code }) => (code === '012345' ? 503 : undefined)
    const run = await runWith(gateways.config)
    run.onLine = ({ level }) => level === 'warn' && run.clock.advance(6 * MINUTE)
    await sendOne(run.ctx)
    await until(() => errorsOf(run).length > 0)
    expect(errorsOf(run)).toMatchObject([{ message: 'a message was given up', about: 'LOGIN', attempts: 1 }])
    expect(await waiting(run.ctx)).toEqual([])
    expect(run.ctx.metrics.render()).toContain('{channel="SMS",result="expired"} 1\n')
    gateways.sms = () => undefined
    await sendOne(run.ctx, { code: '543210' })
    await gateways.codeFor(PHONE)
    expect(gateways.messages.map((message) => message.code)).toEqual(['543210'])
  })

  test('replaces a waiting code by a newer one, but not codes for other purposes and recipients', async () => {
    const gateways = await gatewaysWith()
    gateways.sms = () => 503
    const run = await runWith(gateways.config)
    const { ctx, clock } = run
    await sendOne(ctx, { code: '111111' })
    await sendOne(ctx, { code: '222222', purpose: 'BIND' })
    await sendOne(ctx, { code: '333333', to: '+8613900139000' })
    await until(() => retriesOf(run).length >= 3)
    // The first code keeps failing: the outbox becomes empty only if that code is replaced.
    gateways.sms = ({ code }) => (code === '111111' ? 503 : undefined)
    await sendOne(ctx, { code: '444444' })
    // Longer than the pause and shorter than a claim.
    clock.advance(10_000)
    wake(ctx, 'SMS')
    await untilEmpty(ctx)
    expect(gateways.messages.map((message) => message.code).toSorted()).toEqual(['222222', '333333', '444444'])
  })

  test('delays neither requests nor e-mails while the SMS gateway does not answer', async () => {
    const gateways = await gatewaysWith()
    gateways.sms = () => new Promise(() => {})
    const run = await runWith(gateways.config)
    await race(30, (i) => sendOne(run.ctx, { to: `+86138001380${i + 10}` }))
    await sendOne(run.ctx, { channel: 'EMAIL', to: MAIL })
    expect((await fetch(`${run.url}/actuator/health`)).status).toBe(200)
    expect(await gateways.codeFor(MAIL)).toBe('012345')
    // No attempt has ended yet, not even by its timeout: nothing waited for the gateway.
    expect([gateways.messages.length, retriesOf(run).length]).toEqual([0, 0])
  })

  test('delays no SMS while the mail server does not answer', async () => {
    const mailArrived = Promise.withResolvers<void>()
    const gateways = await gatewaysWith({
      onMail: () => {
        mailArrived.resolve()
        return new Promise(() => {})
      },
    })
    const run = await runWith(gateways.config)
    await race(10, (i) => sendOne(run.ctx, { channel: 'EMAIL', to: `user${i}@example.com` }))
    await mailArrived.promise
    await sendOne(run.ctx)
    expect(await gateways.codeFor(PHONE)).toBe('012345')
    expect([gateways.mails.length, retriesOf(run).length]).toEqual([0, 0])
  })

  test('sends each of 50 concurrent messages once, and exactly 8 at the same time', async () => {
    const gateways = await gatewaysWith()
    const full = Promise.withResolvers<void>()
    let [current, highest] = [0, 0]
    gateways.sms = async () => {
      highest = Math.max(highest, ++current)
      if (current === 8) full.resolve()
      // Holds the first eight until all of them have arrived, then long enough for a ninth to be noticed.
      await full.promise
      await Bun.sleep(20)
      current--
      return undefined
    }
    const { ctx } = await runWith(gateways.config)
    await race(50, (i) => sendOne(ctx, { to: `+86138001380${i + 10}`, code: String(100_000 + i) }))
    await until(() => gateways.messages.length === 50)
    await untilEmpty(ctx)
    expect(new Set(gateways.messages.map((message) => message.code)).size).toBe(50)
    expect(gateways.messages).toHaveLength(50)
    expect(highest).toBe(8)
  })

  test('sends 100 messages one after the other without leaving one to a timer', async () => {
    const gateways = await gatewaysWith()
    const { ctx } = await runWith(gateways.config)
    for (let i = 0; i < 100; i++) {
      await sendOne(ctx, { code: String(100_000 + i) })
      if (i % 3 === 0) await Bun.sleep(i % 7)
      expect(await gateways.codeFor(PHONE)).toBe(String(100_000 + i))
    }
  })
})
