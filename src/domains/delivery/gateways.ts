/** The gateways of this server, made from its configuration when first used. */

import { parseMailbox, parseOneClick, parseSms, parseSmtp } from '#config/gateways.ts'
import { type AppContext, perContext } from '#context'
import { type Cities, openCities } from '#platform/geoip/index.ts'
import { type Mailer, openMailer } from '#platform/mail/index.ts'
import { type OneClick, openOneClick } from '#platform/oneclick.ts'
import { openSms, type Sms } from '#platform/sms/index.ts'

const NOBODY = { name: '', address: 'nobody@localhost' }

/** Kept when it was made, so that a try after a failure makes it anew. */
function once<T>(make: (ctx: AppContext) => Promise<T>): (ctx: AppContext) => Promise<T> {
  const kept = perContext<{ value?: Promise<T> }>(() => ({}))
  return (ctx) => {
    const slot = kept(ctx)
    return (slot.value ??= make(ctx).catch((error: unknown) => {
      delete slot.value
      throw error
    }))
  }
}

/** @throws GatewayError when the certificate authority it names cannot be read. */
export const mailerOf: (ctx: AppContext) => Promise<Mailer> = once(({ config, log }) =>
  openMailer(parseSmtp(config.smtpUrl), { from: parseMailbox(config.mailFrom) ?? NOBODY, log }),
)

export const smsOf: (ctx: AppContext) => Promise<Sms> = once(({ config, clock, log }) =>
  openSms(parseSms(config.smsUrl) ?? { kind: 'log' }, { clock, log }),
)

/** Undefined when none is configured. */
export const oneClickOf: (ctx: AppContext) => Promise<OneClick | undefined> = once(async ({ config, clock }) => {
  const gateway = parseOneClick(config.oneclickUrl)
  return gateway && openOneClick(gateway, clock)
})

/** @throws BadXdb when a file cannot be used. */
export const citiesOf: (ctx: AppContext) => Cities = perContext(({ config }) => openCities(config.geoipFile))

/** What is not configured and what that means, one sentence each: said at start. */
export function missing(ctx: AppContext): string[] {
  const { smtpUrl, smsUrl } = ctx.config
  return [
    ...(smtpUrl === '' ? ['no mail server is configured (TESSERA_SMTP_URL): codes by e-mail go to this log'] : []),
    ...(smsUrl === '' || smsUrl === 'log:'
      ? ['no SMS gateway is configured (TESSERA_SMS_URL): codes by SMS go to this log']
      : []),
  ]
}
