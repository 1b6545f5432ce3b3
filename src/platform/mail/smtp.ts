/** Sends mail over SMTP. Opens a connection for each mail: mails are rare, and an open one would mostly be idle. */

import { readFileSync } from 'node:fs'

import { createTransport, type NodemailerError, type SendMailOptions } from 'nodemailer'

import type { Mailbox, SmtpServer } from '#config/gateways.ts'

import { SECOND } from '../clock.ts'
import { GatewayError } from '../outgoing.ts'
import type { Mail, Mailer } from './port.ts'

/** Time limit for connecting, the greeting and STARTTLS. */
const CONNECT_MS = 10 * SECOND
/** Time limit without a byte: some servers scan a mail for a while before they accept it. */
const SILENCE_MS = 20 * SECOND

/** @throws GatewayError if the file of the certificate authority cannot be read. */
export function smtpMailer(server: SmtpServer, from: Mailbox, replyTo: string | null): Mailer {
  const { host, port, tls, user, password } = server
  const transport = createTransport({
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'required',
    ignoreTLS: tls === 'off',
    ...(user !== '' && { auth: { user, pass: password }, forceAuth: true }),
    tls: { minVersion: 'TLSv1.2', ...authorityOf(server) },
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    dnsTimeout: CONNECT_MS,
    // Attachments are texts of ours: a path or URL in them must never be read.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send(mail, signal) {
      try {
        await transport.sendMail({ ...headersOf(mail, from, replyTo), ...(signal && { signal }) })
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
      const how = tls === 'off' ? 'unencrypted' : 'encrypted'
      return `${host}:${port} answers, ${how}${user === '' ? '' : ', and accepts the password'}`
    },
  }
}

/** The mail as nodemailer takes it. */
export function headersOf(
  { id, to, subject, text, html, fromName, replyTo: ownReplyTo, unsubscribeUrl, calendar }: Mail,
  from: Mailbox,
  defaultReplyTo: string | null,
): SendMailOptions {
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1)
  const replyTo = ownReplyTo ?? defaultReplyTo
  return {
    from: fromName ? { ...from, name: fromName } : from,
    // An object is always one recipient, even if the text contains separators.
    to: { name: '', address: to },
    ...(replyTo !== null && { replyTo: { name: '', address: replyTo } }),
    subject,
    text,
    html,
    messageId: `<${id}@${domain}>`,
    // With its method, so that calendars update the entry of an earlier mail, and as a file for programs that do not read it.
    ...(calendar && { icalEvent: { filename: 'event.ics', ...calendar } }),
    headers: {
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      ...(unsubscribeUrl !== undefined && { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
    },
    ...(unsubscribeUrl !== undefined && { list: { unsubscribe: unsubscribeUrl } }),
  }
}

/** The certificate authority to trust; empty for those of the system. @throws GatewayError */
export const authorityOf = ({ caFile, caPem }: SmtpServer): { readonly ca?: string } =>
  caPem ? { ca: caPem } : caFile === '' ? {} : { ca: readAuthority(caFile) }

function readAuthority(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new GatewayError(`the certificate authority ${path} cannot be read: ${(error as Error).message}`)
  }
}

/** A 5xx for the envelope or the mail is permanent (RFC 5321, 4.2.1). A 5xx for the password is not: the operator can correct it. */
function refusal(error: unknown, host: string): GatewayError {
  const { code, permanent, message } = error as NodemailerError
  const final = permanent === true && (code === 'EENVELOPE' || code === 'EMESSAGE')
  return new GatewayError(`${host}: ${message}`, final, { cause: error })
}
