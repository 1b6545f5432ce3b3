/** `test-mail` and `test-sms`: send one message at once and print the gateway's answer. They do not use the data directory. */

import { parseMailbox, parseSms, parseSmtp } from '#config/gateways.ts'
import { PRODUCT } from '#http/site.ts'
import { MINUTE, SECOND, systemClock } from '#platform/clock.ts'
import { digits, uuid } from '#platform/ids.ts'
import { createLog } from '#platform/log.ts'
import { openMailer } from '#platform/mail/index.ts'
import { GatewayError } from '#platform/outgoing.ts'
import { openSms } from '#platform/sms/index.ts'

import { EXIT, Refusal } from './exit-codes.ts'
import { say } from './terminal.ts'
import type { Call, Run } from './verb.ts'

const TRY_MS = 45 * SECOND
const MINUTES = 5

export const testMail: Run = async (call) => {
  const config = call.config()
  const to = parseMailbox(call.words[0]!)?.address
  if (to === undefined) throw new Refusal(`${call.words[0]!} is not an e-mail address.`, EXIT.usage)
  const server = parseSmtp(config.smtpUrl)
  const from = parseMailbox(config.mailFrom)
  if (server === undefined || from === undefined)
    throw new Refusal('No mail server is configured: set TESSERA_SMTP_URL and TESSERA_MAIL_FROM.', EXIT.usage)
  const { codeLetter } = await import('#domains/delivery/index.ts')
  const code = digits(6)
  const letter = codeLetter({ purpose: 'LOGIN', code, minutes: MINUTES }, 'en', senderOf(config.publicUrl))
  await sendAndReport(`${server.host}:${server.port}`, async () => {
    const mailer = await openMailer(server, { from, log: logOf(call) })
    await mailer.send({ id: uuid(), to, ...letter }, AbortSignal.timeout(TRY_MS))
  })
  say(`It contains the test code ${code}, which is not valid for anything.`)
  return EXIT.ok
}

export const testSms: Run = async (call) => {
  const config = call.config()
  const given = call.words[0]!.replace(/[\s()-]/g, '')
  const to = /^1[3-9]\d{9}$/.test(given) ? `+86${given}` : given
  if (!/^\+[1-9]\d{6,14}$/.test(to))
    throw new Refusal(`${call.words[0]!} is not a phone number such as +8613800138000.`, EXIT.usage)
  const gateway = parseSms(config.smsUrl)
  if (gateway === undefined || gateway.kind === 'log')
    throw new Refusal('No SMS gateway is configured: set TESSERA_SMS_URL.', EXIT.usage)
  const { codeSms } = await import('#domains/delivery/index.ts')
  const code = digits(6)
  const text = codeSms({ purpose: 'LOGIN', code, minutes: MINUTES }, 'en', senderOf(config.publicUrl))
  const message = { id: uuid(), to, code, minutes: MINUTES, purpose: 'LOGIN', locale: 'en', text } as const
  await sendAndReport(`The ${gateway.kind} gateway`, async () => {
    const sms = await openSms(gateway, { clock: systemClock, log: logOf(call) })
    await sms.send(message, AbortSignal.timeout(TRY_MS))
  })
  say(`It contains the test code ${code}, which is not valid for anything.`)
  return EXIT.ok
}

/** The database, which has the name of the server, is not opened. */
const senderOf = (publicUrl: string) => ({ name: PRODUCT, shortName: PRODUCT, publicUrl })

const logOf = (call: Call) => createLog({ level: 'error', format: call.config().logFormat })

async function sendAndReport(who: string, send: () => Promise<void>): Promise<void> {
  const before = systemClock.now()
  try {
    await send()
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    const what = error.permanent ? 'refuses this recipient' : 'did not accept the message'
    throw new Refusal(`${who} ${what}: ${error.message}`, EXIT.unreachable)
  }
  const took = systemClock.now() - before
  say(`${who} accepted the message in ${took < MINUTE ? `${took} ms` : `${Math.round(took / SECOND)} s`}.`)
}
