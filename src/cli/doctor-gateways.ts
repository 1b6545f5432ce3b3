/** The doctor's look at mail, SMS, one-click sign-in and the cities of addresses. Sends nothing. */

import type { Config } from '#config/config.ts'
import { parseMailbox, parseOneClick, parseSms, parseSmtp } from '#config/gateways.ts'
import { DAY, systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/log.ts'
import { GatewayError } from '#platform/outgoing.ts'

export interface GatewayFinding {
  readonly check: string
  readonly verdict: 'OK' | 'WARN' | 'FAIL'
  readonly message: string
}

/** Blocks of addresses change hands: after that long many cities are wrong. */
const OLD_CITIES_MS = 2 * 365 * DAY

const ok = (check: string, message: string): GatewayFinding => ({ check, verdict: 'OK', message })
const warn = (check: string, message: string): GatewayFinding => ({ check, verdict: 'WARN', message })

async function ask(check: string, hint: string, gateway: () => Promise<string>): Promise<GatewayFinding> {
  try {
    return ok(check, `${await gateway()}${hint}`)
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return { check, verdict: 'FAIL', message: `${error.message}: correct its address, or what stands in the way.` }
  }
}

export const GATEWAY_CHECKS = {
  async mail({ smtpUrl, mailFrom }: Config): Promise<GatewayFinding> {
    const [server, from] = [parseSmtp(smtpUrl), parseMailbox(mailFrom)]
    if (server === undefined || from === undefined)
      return warn('mail', 'No mail server: codes by e-mail go to the log. Set TESSERA_SMTP_URL and TESSERA_MAIL_FROM.')
    const { openMailer } = await import('#platform/mail/index.ts')
    return ask('mail', '', async () => (await openMailer(server, { from, log: quiet() })).check())
  },

  async sms({ smsUrl }: Config): Promise<GatewayFinding> {
    const gateway = parseSms(smsUrl)
    if (gateway === undefined || gateway.kind === 'log')
      return warn('sms', 'No SMS gateway: codes by SMS go to the log. Set TESSERA_SMS_URL.')
    if (gateway.kind === 'webhook' && isInClear(gateway.url))
      return warn('sms', 'Codes go to the webhook in clear: use https.')
    const { openSms } = await import('#platform/sms/index.ts')
    const hint = '; "tessera test-sms NUMBER" tries the rest'
    return ask('sms', hint, async () => (await openSms(gateway, { clock: systemClock, log: quiet() })).check())
  },

  async oneClick({ oneclickUrl }: Config): Promise<GatewayFinding | []> {
    const gateway = parseOneClick(oneclickUrl)
    if (gateway === undefined) return []
    if (gateway.kind === 'webhook' && isInClear(gateway.url))
      return warn('one-click', 'Tokens and phone numbers go to the webhook in clear: use https.')
    const { openOneClick } = await import('#platform/oneclick.ts')
    return ask('one-click', '', () => openOneClick(gateway, systemClock).check())
  },

  async geoip({ geoipFile }: Config): Promise<GatewayFinding[]> {
    const { openCities } = await import('#platform/geoip/index.ts')
    const cities = openCities(geoipFile)
    cities.close()
    return cities.files.map(({ path, width, madeAt }) => {
      const made = `IPv${width === 4 ? 4 : 6}, made ${new Date(madeAt).toISOString().slice(0, 10)}`
      return systemClock.now() - madeAt > OLD_CITIES_MS
        ? warn('cities', `${path} is old (${made}): replace it by a newer one.`)
        : ok('cities', `${path}, ${made}`)
    })
  },
}

const quiet = () => createLog({ level: 'error', format: 'text', write: () => {} })

const isInClear = (url: string): boolean => /^http:\/\/(?!localhost[:/]|127\.|\[::1\])/.test(url)
