/** From the write that sends to the gateway that takes: what leaves, when, how often, and what never does. */

import { afterEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createContext, serve } from '#app'
import { type Config, defaultConfig } from '#config/config.ts'
import type { AppContext } from '#context'
import { outbox } from '#db/schema/delivery.ts'
import { type CodeMessage, sendCode, sendNotice, wake } from '#domains/delivery/index.ts'
import { createLog } from '#platform/log.ts'

import { freshDatabase } from '../harness/database.ts'
import {
  type Gateways,
  inProcess,
  race,
  startGateways,
  startServer,
  TestClock,
  type TestServer,
} from '../harness/index.ts'
import type { MailSinkOptions } from '../harness/mail-sink.ts'

const MINUTE = 60_000
const PHONE = '+8613800138000'
const MAIL = 'ann@example.com'

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop()
})

async function gatewaysWith(mail?: MailSinkOptions): Promise<Gateways> {
  const gateways = await startGateways(mail)
  stops.push(() => gateways.stop())
  return gateways
}

async function serverWith(config: Partial<Config>): Promise<TestServer> {
  const server = await startServer({ config })
  stops.push(() => server.stop())
  return server
}

const code = (ctx: AppContext, more: Partial<CodeMessage> = {}): CodeMessage => ({
  channel: 'SMS',
  to: PHONE,
  purpose: 'LOGIN',
  code: '012345',
  locale: 'zh',
  expiresAt: ctx.clock.now() + 5 * MINUTE,
  ...more,
})

const sent = (ctx: AppContext, more?: Partial<CodeMessage>) =>
  ctx.db.write('test', (tx) => sendCode(ctx, tx, code(ctx, more)))

/** Tries that failed and are followed by another. */
const retried = (ctx: AppContext, channel = 'SMS'): number =>
  Number(new RegExp(`channel="${channel}",result="retried"} (\\d+)`).exec(ctx.metrics.render())?.[1] ?? 0)

const waiting = (ctx: AppContext) => ctx.db.read.select().from(outbox)

async function until(what: () => boolean | Promise<boolean>, ms = 10_000): Promise<void> {
  const end = Date.now() + ms
  while (!(await what())) {
    if (Date.now() > end) throw new Error(`did not happen in ${ms} ms: ${what.toString()}`)
    await Bun.sleep(5)
  }
}

/** Tests look inside; the executable is tried through the interface by the journeys of accounts, and in cli.test.ts. */
describe.if(inProcess)('the outbox', () => {
  test('a code by SMS and one by mail arrive, in the right words, and leave nothing behind', async () => {
    const gateways = await gatewaysWith()
    const { ctx } = await serverWith(gateways.config)
    await sent(ctx)
    await sent(ctx, { channel: 'EMAIL', to: MAIL, purpose: 'RESET', code: '543210', locale: 'en' })
    expect(await gateways.codeFor(PHONE)).toBe('012345')
    const mail = await gateways.mailFor(MAIL)
    expect(mail.subject).toBe('543210 is your Tessera code')
    expect(mail.text).toContain('set a new password')
    expect(mail.html).toContain('543210')
    expect(gateways.messages[0]).toMatchObject({ purpose: 'LOGIN', locale: 'zh', minutes: 5 })
    expect(gateways.messages[0]!.text).toContain('用于登录')
    await until(async () => (await waiting(ctx)).length === 0)
    expect([gateways.messages.length, gateways.mails.length, gateways.forged]).toEqual([1, 1, 0])
    expect(ctx.metrics.render()).toContain('tessera_messages_total{channel="SMS",result="sent"} 1\n')
    expect(ctx.metrics.render()).toContain('tessera_messages_total{channel="EMAIL",result="sent"} 1\n')
  })

  test('a notice arrives', async () => {
    const gateways = await gatewaysWith()
    const { ctx } = await serverWith(gateways.config)
    const data = { at: ctx.clock.now(), device: 'Pixel 9', ip: '203.0.113.9' }
    await ctx.db.write('test', (tx) => sendNotice(ctx, tx, { to: MAIL, kind: 'NEW_DEVICE', locale: 'en', data }))
    const { subject, text } = await gateways.mailFor(MAIL)
    expect(subject).toBe('New sign-in to your account')
    expect(text).toContain('Pixel 9')
  })

  test('what a write that fails would have sent is never sent', async () => {
    const gateways = await gatewaysWith()
    const { ctx } = await serverWith(gateways.config)
    const failing = ctx.db.write('test', async (tx) => {
      await sendCode(ctx, tx, code(ctx, { code: '999999' }))
      throw new Error('changed my mind')
    })
    expect(failing).rejects.toThrow('changed my mind')
    await failing.catch(() => {})
    await sent(ctx)
    expect(await gateways.codeFor(PHONE)).toBe('012345')
    expect(gateways.messages.map((message) => message.code)).toEqual(['012345'])
  })

  test('nothing leaves before the commit', async () => {
    const gateways = await gatewaysWith()
    const { ctx } = await serverWith(gateways.config)
    let during = -1
    await ctx.db.write('test', async (tx) => {
      await sendCode(ctx, tx, code(ctx))
      wake(ctx, 'SMS')
      await Bun.sleep(50)
      during = gateways.messages.length
    })
    await gateways.codeFor(PHONE)
    expect(during).toBe(0)
  })

  test('while it waits, neither code nor number can be read in the database', async () => {
    const gateways = await gatewaysWith()
    gateways.sms = () => 503
    const { ctx } = await serverWith(gateways.config)
    await sent(ctx)
    await until(() => retried(ctx) === 1)
    const [row] = await waiting(ctx)
    const all = JSON.stringify(row) + Buffer.from(row!.payload, 'base64url').toString('latin1')
    expect(all).not.toContain('012345')
    expect(all).not.toContain('13800138000')
    // The holder of the key reads both.
    expect(JSON.parse(ctx.seal.open(row!.payload)!)).toMatchObject({ code: '012345', to: PHONE })
  })

  test('the gateway is down for a moment: tried again after a pause, with the same id, and the minutes that are left', async () => {
    const gateways = await gatewaysWith()
    const seen: { id: string; at: number }[] = []
    gateways.sms = ({ id }) => {
      seen.push({ id, at: Date.now() })
      return seen.length < 3 ? 500 : undefined
    }
    const { ctx, clock } = await serverWith(gateways.config)
    await sent(ctx)
    await until(() => retried(ctx) === 1)
    clock.advance(2 * MINUTE)
    wake(ctx, 'SMS')
    await until(() => seen.length === 2)
    // The second pause is waited for in real time: 4 s and a fifth more or less.
    await until(() => gateways.messages.length === 1)
    expect(seen[2]!.at - seen[1]!.at).toBeGreaterThan(3000)
    expect(seen[2]!.at - seen[1]!.at).toBeLessThan(6500)
    expect(new Set(seen.map(({ id }) => id)).size).toBe(1)
    expect(gateways.messages[0]!.minutes).toBe(3)
    await until(async () => (await waiting(ctx)).length === 0)
    expect(ctx.metrics.render()).toContain('{channel="SMS",result="retried"} 2\n')
  })

  test('a greylisting mail server gets the mail again', async () => {
    const gateways = await gatewaysWith({
      onRecipient: (_, nth) => (nth === 1 ? { code: 451, message: 'Greylisted' } : undefined),
    })
    const { ctx } = await serverWith(gateways.config)
    await sent(ctx, { channel: 'EMAIL', to: MAIL })
    expect(await gateways.codeFor(MAIL)).toBe('012345')
  })

  test('a final refusal is not tried again; an error says so and tells neither code nor number', async () => {
    const gateways = await gatewaysWith({ onRecipient: () => ({ code: 550, message: `No such user ${MAIL}` }) })
    let tries = 0
    gateways.sms = () => {
      tries++
      return 422
    }
    const { ctx, errors } = await logged(gateways.config)
    await sent(ctx)
    await sent(ctx, { channel: 'EMAIL', to: MAIL, code: '543210' })
    await until(async () => (await waiting(ctx)).length === 0)
    await until(() => errors().length === 2)
    expect(tries).toBe(1)
    for (const line of errors().map((text) => JSON.parse(text))) {
      expect(line).toMatchObject({ level: 'error', message: 'a message was given up', about: 'LOGIN', attempts: 1 })
      expect(line.reason).toMatch(/HTTP 422|550/)
    }
    // The gateway repeats the code in its answer.
    for (const secret of ['012345', '543210', '13800138000', MAIL]) expect(errors().join('')).not.toContain(secret)
    expect(ctx.metrics.render()).toContain('{channel="SMS",result="refused"} 1\n')
  })

  test('a dead gateway: given up when the code ends, with an error, and gone from the database', async () => {
    const gateways = await gatewaysWith()
    gateways.sms = () => 503
    const { ctx, clock, errors } = await logged(gateways.config)
    await sent(ctx)
    await until(() => retried(ctx) === 1)
    clock.advance(6 * MINUTE)
    wake(ctx, 'SMS')
    await until(async () => (await waiting(ctx)).length === 0)
    expect(errors().map((text) => JSON.parse(text))).toMatchObject([
      { level: 'error', message: 'a message was given up', about: 'LOGIN', attempts: 1 },
    ])
    expect(ctx.metrics.render()).toContain('{channel="SMS",result="expired"} 1\n')
    gateways.sms = () => undefined
    wake(ctx, 'SMS')
    await Bun.sleep(100)
    expect(gateways.messages).toEqual([])
  })

  test('a newer code replaces the one that still waits; codes for other things and people stay', async () => {
    const gateways = await gatewaysWith()
    gateways.sms = () => 503
    const { ctx } = await serverWith(gateways.config)
    await sent(ctx, { code: '111111' })
    await sent(ctx, { code: '222222', purpose: 'BIND' })
    await sent(ctx, { code: '333333', to: '+8613900139000' })
    await until(() => retried(ctx) === 3)
    gateways.sms = () => undefined
    await sent(ctx, { code: '444444' })
    await until(async () => (await waiting(ctx)).length === 0, 15_000)
    expect(gateways.messages.map((message) => message.code).sort()).toEqual(['222222', '333333', '444444'])
  }, 20_000)

  test('a dead mail server holds up no SMS, and a hanging SMS gateway no request and no mail', async () => {
    const gateways = await gatewaysWith()
    gateways.sms = () => new Promise(() => {})
    const { ctx, request } = await serverWith(gateways.config)
    const started = performance.now()
    await race(30, (i) => sent(ctx, { to: `+86138001380${i + 10}` }))
    await sent(ctx, { channel: 'EMAIL', to: MAIL })
    expect((await request('GET', '/actuator/health')).status).toBe(200)
    expect(await gateways.codeFor(MAIL)).toBe('012345')
    expect(performance.now() - started).toBeLessThan(3000)
    expect(gateways.messages).toEqual([])
  })

  test('50 at once: each arrives once, no more than 8 at the same time', async () => {
    const gateways = await gatewaysWith()
    let [now, most] = [0, 0]
    gateways.sms = async () => {
      most = Math.max(most, ++now)
      await Bun.sleep(20)
      now--
      return undefined
    }
    const { ctx } = await serverWith(gateways.config)
    await race(50, (i) => sent(ctx, { to: `+86138001380${i + 10}`, code: String(100_000 + i) }))
    await until(() => gateways.messages.length === 50)
    await until(async () => (await waiting(ctx)).length === 0)
    expect(new Set(gateways.messages.map((message) => message.code)).size).toBe(50)
    expect(gateways.messages).toHaveLength(50)
    expect(most).toBe(8)
  })

  test('one after the other: none is overlooked and left to a timer', async () => {
    const gateways = await gatewaysWith()
    const { ctx } = await serverWith(gateways.config)
    for (let i = 0; i < 100; i++) {
      await sent(ctx, { code: String(100_000 + i) })
      if (i % 3 === 0) await Bun.sleep(i % 7)
      expect(await gateways.codeFor(PHONE)).toBe(String(100_000 + i))
    }
  })

  test('what waits at a stop is sent at the next start', async () => {
    const gateways = await gatewaysWith()
    gateways.sms = () => 503
    const first = await runWith(gateways.config)
    await sent(first.ctx)
    await until(() => retried(first.ctx) === 1)
    await first.stop()
    gateways.sms = () => undefined
    const second = await runWith(gateways.config, first)
    // At once, not after the pause that the first had begun.
    await until(() => gateways.messages.length === 1, 1500)
    await until(async () => (await waiting(second.ctx)).length === 0)
    await second.stop()
  })

  test('a stop waits for a gateway that answers, and not for one that hangs', async () => {
    const gateways = await gatewaysWith()
    gateways.sms = async () => {
      await Bun.sleep(300)
      return undefined
    }
    const first = await runWith(gateways.config)
    await sent(first.ctx)
    await Bun.sleep(50)
    await first.stop()
    expect(gateways.messages).toHaveLength(1)

    gateways.sms = () => new Promise(() => {})
    const second = await runWith(gateways.config, first)
    expect(await waiting(second.ctx)).toEqual([])
    await sent(second.ctx, { code: '543210' })
    await Bun.sleep(50)
    const started = performance.now()
    await second.stop()
    expect(performance.now() - started).toBeLessThan(5000)

    gateways.sms = () => undefined
    const third = await runWith(gateways.config, first)
    await until(() => gateways.messages.length === 2)
    expect(gateways.messages[1]!.code).toBe('543210')
    await third.stop()
  })

  test('with another key what waits cannot be read: it is dropped with an error, not sent as rubbish', async () => {
    const gateways = await gatewaysWith()
    gateways.sms = () => 503
    const first = await runWith({ ...gateways.config, secret: 'a'.repeat(32) })
    await sent(first.ctx)
    await until(() => retried(first.ctx) === 1)
    await first.stop()
    gateways.sms = () => undefined
    const lines: string[] = []
    const second = await runWith({ ...gateways.config, secret: 'b'.repeat(32) }, first, lines)
    await until(async () => (await waiting(second.ctx)).length === 0)
    expect(gateways.messages).toEqual([])
    expect(lines.map((text) => JSON.parse(text))).toMatchObject([{ level: 'error', message: 'a message was given up' }])
    await second.stop()
  })

  test('with nothing configured the codes stand in the log, and the server says so at its start', async () => {
    const lines: string[] = []
    const { ctx, stop } = await runWith({ smsUrl: 'log:' }, undefined, lines)
    expect(lines.join('')).toContain('no mail server is configured')
    expect(lines.join('')).toContain('no SMS gateway is configured')
    lines.length = 0
    await sent(ctx)
    await sent(ctx, { channel: 'EMAIL', to: MAIL, code: '543210' })
    await until(async () => (await waiting(ctx)).length === 0)
    const text = lines.join('')
    expect(text).toContain('012345')
    expect(text).toContain('543210')
    // Only the codes: who they are for stays masked.
    expect(text).not.toContain('13800138000')
    expect(text).not.toContain(MAIL)
    await stop()
  })

  test('with everything configured the log says nothing, and no code ever', async () => {
    const gateways = await gatewaysWith()
    const lines: string[] = []
    const { ctx, stop } = await runWith(gateways.config, undefined, lines)
    await sent(ctx)
    await sent(ctx, { channel: 'EMAIL', to: MAIL })
    await Promise.all([gateways.codeFor(PHONE), gateways.codeFor(MAIL)])
    await stop()
    expect(lines).toEqual([])
  })
})

interface Run {
  ctx: AppContext
  clock: TestClock
  dataDir: string
  databaseUrl: string
  stop(): Promise<void>
}

/** Starts a server that logs into `lines` from level warn, on fresh data or on that of an earlier run. */
async function runWith(
  config: Partial<Config>,
  earlier?: Pick<Run, 'dataDir' | 'databaseUrl'>,
  lines: string[] = [],
): Promise<Run> {
  const { dataDir, databaseUrl } = earlier ?? (await freshPlace())
  const clock = new TestClock()
  const isOurs = (text: string): boolean => text !== '' && !text.includes('"message":"slow write"')
  const log = createLog({ level: 'warn', format: 'json', write: (text) => void (isOurs(text) && lines.push(text)) })
  const whole: Config = { ...defaultConfig, host: '127.0.0.1', port: 0, dataDir, databaseUrl, ...config }
  const ctx = await createContext(whole, { log, clock })
  const server = await serve(ctx)
  return {
    ctx,
    clock,
    dataDir,
    databaseUrl,
    async stop() {
      await server.kill()
      await ctx.close()
    },
  }
}

/** The same; what is tried again is warned of, and these tests look at errors. */
async function logged(config: Partial<Config>): Promise<Run & { errors(): string[] }> {
  const lines: string[] = []
  const run = await runWith(config, undefined, lines)
  stops.push(() => run.stop())
  return { ...run, errors: () => lines.filter((text) => text.includes('"level":"error"')) }
}

async function freshPlace(): Promise<Pick<Run, 'dataDir' | 'databaseUrl'>> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tessera-delivery-'))
  const database = process.env['TEST_DATABASE_URL'] ? await freshDatabase() : undefined
  stops.push(async () => {
    await database?.drop()
    rmSync(dataDir, { recursive: true, force: true })
  })
  return { dataDir, databaseUrl: database?.url ?? '' }
}
