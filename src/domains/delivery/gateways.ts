/** The gateways of this server, created from the configuration on first use. */

import type { Config } from '#config/config.ts'
import { type Mailbox, parseMailbox, parseOneClick, parseSms, parseSmtp, type SmtpServer } from '#config/gateways.ts'
import { type AppContext, perContext } from '#context'
import { type PartValue, serverValues } from '#domains/settings/index.ts'
import { siteOf } from '#http/site.ts'
import { openPlaces, type Places } from '#platform/geoip/index.ts'
import { type Mailer, openMailer } from '#platform/mail/index.ts'
import { type OneClick, openOneClick } from '#platform/oneclick.ts'
import type { Seal } from '#platform/seal.ts'
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

export interface MailServer {
  readonly server: SmtpServer
  readonly from: Mailbox
  readonly replyTo: string | null
}

/** That of the start values, or else that of the server values; undefined if there is none. */
export function mailServerOf(ctx: AppContext): MailServer | undefined {
  const { smtpUrl, mailFrom } = ctx.config
  const replyTo = siteOf(ctx).contact.email
  const started = parseSmtp(smtpUrl)
  if (started !== undefined) return { server: started, from: parseMailbox(mailFrom) ?? DEFAULT_SENDER, replyTo }
  const stored = serverValues(ctx).mail
  return stored && mailServerIn(ctx.seal, stored, replyTo)
}

const TLS = { TLS: 'implicit', STARTTLS: 'required', NONE: 'off' } as const

/** `replyTo`: the address of a mail server without one of its own. */
export function mailServerIn(seal: Seal, stored: PartValue<'mail'>, replyTo: string | null): MailServer {
  const { host, port, security, user, password, from, caPem } = stored
  return {
    server: {
      host,
      port,
      tls: TLS[security],
      user,
      // Sealed with another key, it would only be refused by the mail server.
      password: password === '' ? '' : (seal.open(password) ?? ''),
      caFile: '',
      ...(caPem !== null && { caPem }),
    },
    from: parseMailbox(from) ?? DEFAULT_SENDER,
    replyTo: stored.replyTo ?? replyTo,
  }
}

/** Opens no connection before a mail. @throws GatewayError if the configured certificate authority cannot be read. */
export function mailerOf(ctx: AppContext): Promise<Mailer> {
  const { server, ...parts } = mailServerOf(ctx) ?? { from: DEFAULT_SENDER }
  return openMailer(server, { ...parts, log: ctx.log })
}

export const smsOf: (ctx: AppContext) => Promise<Sms> = createOnce(({ config, clock, log }) =>
  openSms(parseSms(config.smsUrl) ?? { kind: 'log' }, { clock, log }),
)

/** Undefined if no gateway is configured. */
export const oneClickOf: (ctx: AppContext) => Promise<OneClick | undefined> = createOnce(async ({ config, clock }) => {
  const gateway = parseOneClick(config.oneclickUrl)
  return gateway && openOneClick(gateway, clock)
})

/** @throws BadGeoip if a file cannot be used. */
export const placesOf: (ctx: AppContext) => Places = perContext(({ config }) => openPlaces(config.geoipFile))

/** Whether a file says in which country addresses are. */
export const hasCountries = ({ config }: AppContext): boolean => config.geoipFile.length > 0

const hasSms = ({ smsUrl }: Config): boolean => smsUrl !== '' && smsUrl !== 'log:'

/** Whether mails reach users. */
export const hasMailServer = (ctx: AppContext): boolean =>
  ctx.config.smtpUrl !== '' || serverValues(ctx).mail !== undefined

/** Whether mails or SMS reach users, who can then prove that an address or a number is theirs. */
export const canSend = (ctx: AppContext): boolean => hasMailServer(ctx) || hasSms(ctx.config)

/** One sentence for each gateway that is not configured, with the consequence. Logged at start. */
export function missingGateways(ctx: AppContext): string[] {
  return [
    ...(mailServerOf(ctx) === undefined
      ? [
          'no mail server is configured (Administration → Name and mail, or TESSERA_SMTP_URL): codes by e-mail go to this log',
        ]
      : []),
    ...(!hasSms(ctx.config) ? ['no SMS gateway is configured (TESSERA_SMS_URL): codes by SMS go to this log'] : []),
  ]
}
