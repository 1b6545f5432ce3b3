/**
 * Real counterparts of the services that the server calls: a mail server, an SMS webhook and a one-click webhook, on this machine.
 *
 *     const gateways = await startGateways()
 *     const s = await startServer({ config: gateways.config })
 *     …
 *     const code = await gateways.codeFor('+8613800138000')
 *
 * Also works with the compiled executable, because the server knows only their addresses.
 */

import { createHmac, timingSafeEqual } from 'node:crypto'

import type { Config } from '#config/config.ts'

import { type MailSink, type MailSinkOptions, type SentMail, startMailSink } from './mail-sink.ts'
import { PATIENCE_MS } from './until.ts'

export interface SentSms {
  type: string
  id: string
  to: string
  code: string
  minutes: number
  purpose: string
  locale: string
  text: string
}

const SECRET = 'hook/secret +&'

export interface Gateways {
  /** For `startServer({ config })`. */
  readonly config: Pick<Config, 'smtpUrl' | 'mailFrom' | 'smsUrl' | 'oneclickUrl'>
  readonly mails: SentMail[]
  readonly messages: SentSms[]
  /** The phone number, or an HTTP status to refuse with, for each token of the one-click webhook; unknown tokens get 422. */
  readonly tokens: Map<string, string | number>
  /** Number of webhook requests with a wrong signature; must stay 0. */
  readonly forged: number
  /** The next code sent to this address or number that no earlier call returned. Waits for it; rejects after 10 s. */
  codeFor(to: string): Promise<string>
  /** The same for any e-mail. */
  mailFor(to: string): Promise<SentMail>
  /** The answer of the SMS webhook to later requests; undefined accepts the message. */
  sms: (message: SentSms) => Promise<number | undefined> | number | undefined
  stop(): Promise<void>
}

export async function startGateways(mail: MailSinkOptions = {}): Promise<Gateways> {
  const sink: MailSink = await startMailSink({ clear: true, ...mail })
  const messages: SentSms[] = []
  const read = new Set<object>()
  let forged = 0

  const hooks = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    // Some tests make the webhook hang on purpose.
    idleTimeout: 0,
    async fetch(request) {
      const body = await request.text()
      if (!isSigned(request.headers, body)) {
        forged++
        return new Response('bad signature', { status: 401 })
      }
      const content = JSON.parse(body) as SentSms & { token: string }
      if (content.type === 'oneclick.token') {
        const phone = gateways.tokens.get(content.token) ?? 422
        return typeof phone === 'string' ? Response.json({ phone }) : new Response('refused', { status: phone })
      }
      const status = await gateways.sms(content)
      if (status !== undefined) return new Response(`refused ${content.code}`, { status })
      messages.push(content)
      return new Response(null, { status: 204 })
    },
  })

  const take = async <T extends { to: string }>(from: T[], to: string): Promise<T> => {
    const until = Date.now() + PATIENCE_MS
    for (;;) {
      const found = from.find((message) => message.to === to && !read.has(message))
      if (found) {
        read.add(found)
        return found
      }
      if (Date.now() > until) throw new Error(`nothing was sent to ${to}`)
      await Bun.sleep(5)
    }
  }

  const hook = (path: string): string => `http://:${encodeURIComponent(SECRET)}@127.0.0.1:${hooks.port}${path}`
  const gateways: Gateways = {
    config: {
      smtpUrl: `smtp://127.0.0.1:${sink.port}`,
      mailFrom: 'Tessera <no-reply@example.org>',
      smsUrl: hook('/sms?source=tessera'),
      oneclickUrl: hook('/oneclick'),
    },
    mails: sink.mails,
    messages,
    tokens: new Map(),
    get forged() {
      return forged
    },
    async codeFor(to) {
      if (!to.includes('@')) return (await take(messages, to)).code
      const { subject } = await take(sink.mails, to)
      return /\b\d{6}\b/.exec(subject)![0]
    },
    mailFor: (to) => take(sink.mails, to),
    sms: () => undefined,
    async stop() {
      await Promise.all([sink.stop(), hooks.stop(true)])
    },
  }
  return gateways
}

/** Checks the signature as docs/operations.md describes it for authors of webhooks. */
function isSigned(headers: Headers, body: string): boolean {
  const timestamp = headers.get('x-tessera-timestamp') ?? ''
  const given = Buffer.from(headers.get('x-tessera-signature') ?? '', 'hex')
  const expected = createHmac('sha256', SECRET).update(timestamp).update('.').update(body).digest()
  return given.length === expected.length && timingSafeEqual(given, expected) && /^\d{10}$/.test(timestamp)
}
