/** Stands in while no mail server is configured: what a person must have is written to the server's log. */

import type { Log } from '../log.ts'
import type { Mail, Mailer } from './port.ts'

export function logMailer(log: Log): Mailer {
  return {
    async send({ to, subject }: Mail) {
      // A code stands in the subject, in a sentence where the log's mask leaves it: here it is meant to be read.
      log.warn(`no mail server is configured: mail to ${to} was not sent; its subject is “${subject}”`)
    },
    check: () => Promise.resolve('not configured: codes by e-mail are written to the log'),
  }
}
