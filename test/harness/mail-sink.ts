/** A real mail server that keeps the mails it receives, and fails on demand. Its certificate is public and only for tests. */

import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

import { SMTPServer } from 'smtp-server'

const pem = (name: string): string => join(import.meta.dir, 'tls', name)
/** A self-signed certificate for localhost and 127.0.0.1; the server under test must trust it. */
export const TEST_CA = pem('cert.pem')

export interface SentMail {
  to: string
  /** From the envelope. */
  from: string
  /** Whether the connection was encrypted, and the user who signed in. */
  secure: boolean
  user: string | undefined
  /** Lower-case names; decoded. */
  headers: Map<string, string>
  subject: string
  text: string
  html: string
  /** The iCalendar part, and its method; empty without one. */
  calendar: string
  calendarMethod: string
  /** Names of attached files. */
  files: string[]
  raw: string
}

export interface Refusal {
  code: number
  message: string
}

export interface MailSinkOptions {
  /** TLS from the first byte. */
  implicit?: boolean
  /** Do not offer STARTTLS. */
  clear?: boolean
  user?: string
  password?: string
  onSender?: (from: string) => Refusal | undefined
  /** The answer to a recipient; `nth` counts all recipients from 1. */
  onRecipient?: (to: string, nth: number) => Refusal | undefined
  /** The answer to a complete mail, before it is kept. */
  onMail?: (mail: SentMail) => Promise<Refusal | undefined> | Refusal | undefined
}

export interface MailSink {
  readonly port: number
  readonly mails: SentMail[]
  /** Requested recipients, including refused ones. */
  readonly asked: string[]
  stop(): Promise<void>
}

const refused = ({ code, message }: Refusal): Error => Object.assign(new Error(message), { responseCode: code })

export async function startMailSink(options: MailSinkOptions = {}): Promise<MailSink> {
  const mails: SentMail[] = []
  const asked: string[] = []
  const server = new SMTPServer({
    key: readFileSync(pem('key.pem')),
    cert: readFileSync(pem('cert.pem')),
    secure: options.implicit === true,
    authOptional: options.user === undefined,
    disabledCommands: options.clear ? ['STARTTLS'] : [],
    logger: false,
    // A reverse lookup of 127.0.0.1 takes 100 ms.
    disableReverseLookup: true,
    onAuth({ username, password }, _session, done) {
      if (username === options.user && password === options.password) done(null, { user: username })
      else done(refused({ code: 535, message: 'Authentication failed' }))
    },
    onMailFrom({ address }, _session, done) {
      const refusal = options.onSender?.(address)
      done(refusal && refused(refusal))
    },
    onRcptTo({ address }, _session, done) {
      asked.push(address)
      const refusal = options.onRecipient?.(address, asked.length)
      done(refusal && refused(refusal))
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        const mail: SentMail = {
          to: rcptTo.map(({ address }) => address).join(),
          from: mailFrom === false ? '' : mailFrom.address,
          secure: session.secure,
          user: typeof session.user === 'string' ? session.user : undefined,
          ...takeApart(Buffer.concat(chunks).toString('utf8')),
        }
        void (async () => {
          const refusal = await options.onMail?.(mail)
          if (refusal === undefined) mails.push(mail)
          done(refusal && refused(refusal))
        })()
      })
    },
  })
  // Some tests break off connections on purpose.
  server.on('error', () => {})
  const listening = server.listen(0, '127.0.0.1')
  await new Promise((resolve) => listening.once('listening', resolve))
  return {
    port: (listening.address() as AddressInfo).port,
    mails,
    asked,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

type Parsed = Omit<SentMail, 'to' | 'from' | 'secure' | 'user'>

function takeApart(raw: string): Parsed {
  const mail = headed(raw)
  const [headers] = mail
  const parts = leavesOf(mail)
  if (parts.length < 2) throw new Error(`not a multipart mail: ${raw}`)
  const find = (type: string): Part | undefined => parts.find(([fields]) => typeOf(fields).startsWith(type))
  const partOf = (type: string): string => {
    const part = find(type)
    return part ? decode(part[1], part[0].get('content-transfer-encoding') ?? '') : ''
  }
  return {
    headers,
    raw,
    subject: headers.get('subject') ?? '',
    text: partOf('text/plain'),
    html: partOf('text/html'),
    calendar: partOf('text/calendar'),
    calendarMethod: /method="?(\w+)/i.exec(typeOf(find('text/calendar')?.[0] ?? new Map()))?.[1] ?? '',
    files: parts.flatMap(([fields]) => /filename="?([^";]+)/.exec(fields.get('content-disposition') ?? '')?.[1] ?? []),
  }
}

type Part = [headers: Map<string, string>, body: string]
const typeOf = (headers: ReadonlyMap<string, string>): string => headers.get('content-type') ?? ''

/** The parts that contain no further parts. */
function leavesOf([headers, body]: Part): Part[] {
  const boundary = /boundary="([^"]+)"/.exec(typeOf(headers))?.[1]
  if (boundary === undefined) return [[headers, body]]
  return body
    .split(`--${boundary}`)
    .slice(1, -1)
    .flatMap((part) => leavesOf(headed(part.replace(/^\r\n/, ''))))
}

function headed(text: string): Part {
  const end = text.indexOf('\r\n\r\n')
  const lines = text
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), words(line.slice(colon + 1).trim())]
  })
  return [new Map(headers), text.slice(end + 4)]
}

/** RFC 2047. */
const words = (text: string): string =>
  text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([qb])\?([^?]*)\?=/gi, (_, kind: string, inner: string) =>
      kind.toLowerCase() === 'b'
        ? Buffer.from(inner, 'base64').toString('latin1')
        : quoted(inner.replaceAll('_', ' ')).toString('latin1'),
    )
    // A character may be split between encoded words, so the bytes are joined before they are decoded as UTF-8.
    .replace(/[\u0080-\u00ff]+/g, (bytes) => Buffer.from(bytes, 'latin1').toString('utf8'))

const quoted = (text: string): Buffer =>
  Buffer.from(
    text.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  )

function decode(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8')
  return encoding === 'quoted-printable' ? quoted(body).toString('utf8') : body
}
