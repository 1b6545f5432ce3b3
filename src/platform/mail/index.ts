/** Picks what sends mail. nodemailer is loaded when the first mail is sent. */

import type { Mailbox, SmtpServer } from '#config/gateways.ts'

import type { Log } from '../log.ts'
import type { Mailer } from './port.ts'

export type { Mail, Mailer } from './port.ts'

export interface MailParts {
  readonly from: Mailbox
  /** For what nobody else takes. */
  readonly log: Log
}

/** `server` undefined: none is configured. @throws GatewayError when its certificate authority cannot be read. */
export async function openMailer(server: SmtpServer | undefined, { from, log }: MailParts): Promise<Mailer> {
  return server === undefined
    ? (await import('./log.ts')).logMailer(log)
    : (await import('./smtp.ts')).smtpMailer(server, from)
}
