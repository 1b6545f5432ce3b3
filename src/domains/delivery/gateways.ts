/** The gateways of this server, created from the configuration on first use. */

import { parseMailbox, parseOneClick, parseSms, parseSmtp } from '#config/gateways.ts'
import { type AppContext, perContext } from '#context'
import { type Cities, openCities } from '#platform/geoip/index.ts'
import { type Mailer, openMailer } from '#platform/mail/index.ts'
import { type OneClick, openOneClick } from '#platform/oneclick.ts'
import { openSms, type Sms } from '#platform/sms/index.ts'

/** Only used without a mail server, when mails are written to the log. */
const DEFAULT_SENDER = { name: '', address: 'nobody@localhost' }

/** Creates a value once per context. A failure is not kept: the next call tries again. */
function createOnce<T>(create: (ctx: AppContext) => Promise<T>): (ctx: AppContext) => Promise<T> {
  const slots = perContext<{ value?: Promise<T> }>(() => ({}))
  return (ctx) => {
    const slot = slots(ctx)
    return (slot.value ??= create(ctx).catch((error: unknown) => {
      delete slot.value
      throw error
    }))
  }
}

/** @throws GatewayError if the configured certificate authority cannot be read. */
export const mailerOf: (ctx: AppContext) => Promise<Mailer> = createOnce(({ config, log }) =>
  openMailer(parseSmtp(config.smtpUrl), { from: parseMailbox(config.mailFrom) ?? DEFAULT_SENDER, log }),
)

export const smsOf: (ctx: AppContext) => Promise<Sms> = createOnce(({ config, clock, log }) =>
  openSms(parseSms(config.smsUrl) ?? { kind: 'log' }, { clock, log }),
)

/** Undefined if no gateway is configured. */
export const oneClickOf: (ctx: AppContext) => Promise<OneClick | undefined> = createOnce(async ({ config, clock }) => {
  const gateway = parseOneClick(config.oneclickUrl)
  return gateway && openOneClick(gateway, clock)
})

/** @throws BadXdb if a file cannot be used. */
export const citiesOf: (ctx: AppContext) => Cities = perContext(({ config }) => openCities(config.geoipFile))

/** One sentence for each gateway that is not configured, with the consequence. Logged at start. */
export function missingGateways(ctx: AppContext): string[] {
  const { smtpUrl, smsUrl } = ctx.config
  return [
    ...(smtpUrl === '' ? ['no mail server is configured (TESSERA_SMTP_URL): codes by e-mail go to this log'] : []),
    ...(smsUrl === '' || smsUrl === 'log:'
      ? ['no SMS gateway is configured (TESSERA_SMS_URL): codes by SMS go to this log']
      : []),
  ]
}
