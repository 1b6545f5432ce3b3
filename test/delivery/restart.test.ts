/** The outbox at start and stop, and with gateways that are not configured. */

import { describe, expect, test } from 'bun:test'

import { inProcess, until } from '../harness/index.ts'
import { errorsOf, gatewaysWith, MAIL, PHONE, retriesOf, runWith, sendOne, untilEmpty, waiting } from './helpers.ts'

describe.if(inProcess)('a start', () => {
  test('sends immediately what was waiting at the last stop, without its remaining pause', async () => {
    const gateways = await gatewaysWith()
    gateways.sms = () => 503
    const first = await runWith(gateways.config)
    // After five failures the next attempt is due in almost a minute of real time.
    first.onLine = ({ attempts, secondsToNextTry }) => {
      if ((attempts as number) < 5) first.clock.advance((secondsToNextTry as number) * 1000 + 1000)
    }
    await sendOne(first.ctx)
    await until(() => retriesOf(first).length === 5)
    // Longer than `until` waits below.
    expect((await waiting(first.ctx))[0]!.dueAt - Date.now()).toBeGreaterThan(25_000)
    await first.stop()
    gateways.sms = () => undefined
    const second = await runWith(gateways.config, first)
    await until(() => gateways.messages.length === 1)
    await untilEmpty(second.ctx)
  })

  test('drops waiting messages with an error if the secret has changed, instead of sending unreadable text', async () => {
    const gateways = await gatewaysWith()
    gateways.sms = () => 503
    const first = await runWith({ ...gateways.config, secret: 'a'.repeat(32) })
    await sendOne(first.ctx)
    await until(() => retriesOf(first).length > 0)
    await first.stop()
    gateways.sms = () => undefined
    const second = await runWith({ ...gateways.config, secret: 'b'.repeat(32) }, first)
    await until(() => errorsOf(second).length > 0)
    expect(await waiting(second.ctx)).toEqual([])
    expect(gateways.messages).toEqual([])
    expect(second.lines).toMatchObject([{ level: 'error', message: 'a message was given up' }])
  })

  test('without configured gateways logs a warning for each; codes are written to the log, recipients masked', async () => {
    const run = await runWith({ smsUrl: 'log:' })
    const warnings = JSON.stringify(run.lines)
    expect(warnings).toContain('no mail server is configured')
    expect(warnings).toContain('no SMS gateway is configured')
    run.lines.length = 0
    await sendOne(run.ctx)
    await sendOne(run.ctx, { channel: 'EMAIL', to: MAIL, code: '543210' })
    await untilEmpty(run.ctx)
    const text = JSON.stringify(run.lines)
    expect(text).toContain('012345')
    expect(text).toContain('543210')
    expect(text).not.toContain('13800138000')
    expect(text).not.toContain(MAIL)
  })

  test('with configured gateways logs no warning, and sent codes are never logged', async () => {
    const gateways = await gatewaysWith()
    const run = await runWith(gateways.config)
    await sendOne(run.ctx)
    await sendOne(run.ctx, { channel: 'EMAIL', to: MAIL })
    await Promise.all([gateways.codeFor(PHONE), gateways.codeFor(MAIL)])
    await run.stop()
    expect(run.lines).toEqual([])
  })
})

describe.if(inProcess)('a stop', () => {
  test('waits for a gateway that is about to answer and deletes the message that it accepts', async () => {
    const gateways = await gatewaysWith()
    const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<undefined>()]
    gateways.sms = () => {
      asked.resolve()
      return answer.promise
    }
    const first = await runWith(gateways.config)
    await sendOne(first.ctx)
    await asked.promise
    const stopping = first.stop()
    expect(Bun.peek.status(stopping)).toBe('pending')
    answer.resolve(undefined)
    await stopping
    expect(gateways.messages).toHaveLength(1)
    const second = await runWith(gateways.config, first)
    expect(await waiting(second.ctx)).toEqual([])
  })

  test('does not wait for a gateway that never answers; the message is sent after the next start', async () => {
    const gateways = await gatewaysWith()
    const asked = Promise.withResolvers<void>()
    gateways.sms = () => {
      asked.resolve()
      return new Promise(() => {})
    }
    const first = await runWith(gateways.config)
    await sendOne(first.ctx, { code: '543210' })
    await asked.promise
    // The test would time out here if the stop waited for the answer.
    await first.stop()
    gateways.sms = () => undefined
    const second = await runWith(gateways.config, first)
    await until(() => gateways.messages.length === 1)
    expect(gateways.messages[0]!.code).toBe('543210')
    await untilEmpty(second.ctx)
  })
})
