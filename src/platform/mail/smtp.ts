/** Mail over SMTP: a connection for each mail, which a server that is seldom asked finds cheaper than one kept open. */

import { readFileSync } from 'node:fs'

import { createTransport, type NodemailerError } from 'nodemailer'

import type { Mailbox, SmtpServer } from '#config/gateways.ts'

import { SECOND } from '../clock.ts'
import { GatewayError } from '../outgoing.ts'
import type { Mailer } from './port.ts'

/** To be connected, greeted and, with STARTTLS, encrypted. */
const CONNECT_MS = 10 * SECOND
/** Without a byte: some servers look at a mail for a while before they take it. */
const SILENCE_MS = 20 * SECOND

/** @throws GatewayError when the file of the certificate authority cannot be read. */
export function smtpMailer(server: SmtpServer, from: Mailbox): Mailer {
  const { host, port, tls, user, password, caFile } = server
  const transport = createTransport({
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'required',
    ignoreTLS: tls === 'off',
    ...(user !== '' && { auth: { user, pass: password }, forceAuth: true }),
    tls: { minVersion: 'TLSv1.2', ...(caFile !== '' && { ca: readAuthority(caFile) }) },
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    dnsTimeout: CONNECT_MS,
    // What is sent is made here: nothing in it may name a file or an address to fetch.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1)
  return {
    async send({ id, to, subject, text, html }, signal) {
      try {
        await transport.sendMail({
          from,
          // As an object it is one recipient, whatever stands in it.
          to: { name: '', address: to },
          subject,
          text,
          html,
          messageId: `<${id}@${domain}>`,
          headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
          ...(signal && { signal }),
        })
      } catch (error) {
        throw refusal(error, host)
      }
    },
    async check() {
      try {
        await transport.verify()
      } catch (error) {
        throw refusal(error, host)
      }
      const how = tls === 'off' ? 'in clear' : 'encrypted'
      return `${host}:${port} answers, ${how}${user === '' ? '' : ', and lets us in'}`
    },
  }
}

function readAuthority(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new GatewayError(`the certificate authority ${path} cannot be read: ${(error as Error).message}`)
  }
}

/** A 5xx to the envelope or the mail itself is final (RFC 5321, 4.2.1). One to our password is the operator's to mend. */
function refusal(error: unknown, host: string): GatewayError {
  const { code, permanent, message } = error as NodemailerError
  const final = permanent === true && (code === 'EENVELOPE' || code === 'EMESSAGE')
  return new GatewayError(`${host}: ${message}`, final, { cause: error })
}
