/** Sends e-mail, or writes it to the log while no mail server is configured. */

import type { Mailbox, SmtpServer } from '#config/gateways.ts'

import type { Log } from '../log.ts'
import type { Mailer } from './port.ts'

export type { CalendarFile, Mail, Mailer } from './port.ts'

export interface MailParts {
  readonly from: Mailbox
  readonly replyTo?: string | null
  /** Receives the mails that no server takes. */
  readonly log: Log
}

/**
 * `server` is undefined if none is configured. nodemailer is loaded with the first mail.
 * @throws GatewayError if the file of the certificate authority cannot be read.
 */
export async function openMailer(
  server: SmtpServer | undefined,
  { from, replyTo = null, log }: MailParts,
): Promise<Mailer> {
  return server === undefined ? logMailer(log) : (await import('./smtp.ts')).smtpMailer(server, from, replyTo)
}

function logMailer(log: Log): Mailer {
  return {
    async send({ to, subject }) {
      const problem = `no mail server is configured: mail to ${to} was not sent`
      // The subject holds the code, in a sentence that the log does not mask: here it is meant to be read.
      log.readable(`${problem}; its subject is “${subject}”`, `${problem}; its subject is in the log of the server`)
    },
    check: () => Promise.resolve('not configured: codes by e-mail are written to the log'),
  }
}
