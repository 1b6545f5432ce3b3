/** A server with real gateways around it, and people who use them. */

import {
  type Gateways,
  type Reply,
  type RequestOptions,
  startGateways,
  startServer,
  type TestServer,
} from '../harness/index.ts'
import { type Person, person } from '../harness/people.ts'

export interface World {
  readonly server: TestServer
  readonly gateways: Gateways
  /** A request without a token, from an address of its own: the daily limits of addresses are tested where they are meant. */
  post(path: string, body: unknown, options?: RequestOptions): Promise<Reply>
  /** The newest code that was sent there and not read yet. */
  codeTo(to: string): Promise<string>
  /** The request that sends a code, and the code. */
  codeBy(from: Person | undefined, path: string, body: object, to: string): Promise<string>
  /** Somebody who signed in by phone and has nothing else. */
  byPhone(phone?: string): Promise<Person & { phone: string }>
  /** Somebody whose e-mail is bound by a code. */
  withEmail(email?: string): Promise<Person & { email: string }>
  /** Somebody with username, password and a bound phone. */
  withPhone(phone?: string): Promise<Person & { phone: string }>
  stop(): Promise<void>
}

let count = 0
/** In E.164; each asks once. */
export const newPhone = (): string => `+86139${String(10_000_000 + process.pid * 997 + ++count).slice(-8)}`
export const newEmail = (): string => `person${++count}.${process.pid}@example.org`
export const newDevice = (): string => `device-${crypto.randomUUID()}`
export const newIp = (): string => `198.${18 + (count >> 16)}.${(++count >> 8) & 255}.${count & 255}`

export async function startWorld(options: Parameters<typeof startServer>[0] = {}): Promise<World> {
  const gateways = await startGateways()
  const server = await startServer({ ...options, config: { ...gateways.config, ...options.config } })
  const read = new Set<object>()
  const post: World['post'] = (path, body, more = {}) =>
    server.request('POST', path, { body, ...more, headers: { 'x-forwarded-for': newIp(), ...more.headers } })

  async function codeTo(to: string): Promise<string> {
    const until = performance.now() + 10_000
    for (;;) {
      const found = to.includes('@')
        ? gateways.mails.find((m) => m.to === to && !read.has(m) && /\b\d{6}\b/.test(m.subject))
        : gateways.messages.find((m) => m.to === to && !read.has(m))
      if (found !== undefined) {
        read.add(found)
        return 'code' in found ? found.code : /\b\d{6}\b/.exec(found.subject)![0]
      }
      if (performance.now() > until) throw new Error(`no code was sent to ${to}`)
      await Bun.sleep(2)
    }
  }

  async function codeBy(from: Person | undefined, path: string, body: object, to: string): Promise<string> {
    const headers = { 'x-forwarded-for': newIp() }
    const sent = from ? await from.send('POST', path, { body, headers }) : await post(path, body)
    if (sent.status !== 200) throw new Error(`${path}: ${sent.status} ${sent.text}`)
    return codeTo(to)
  }

  async function byPhone(phone = newPhone()) {
    const code = await codeBy(undefined, '/api/auth/sms/send-code', { phone }, phone)
    const deviceId = newDevice()
    const login = await post('/api/auth/phone-login', { phone, code }, { deviceId })
    return Object.assign(person(server.url, login, '', '', deviceId), { phone })
  }

  async function withEmail(email = newEmail()) {
    const someone = await server.person()
    const code = await codeBy(someone, '/api/auth/email/bind-code', { email }, email)
    const bound = await someone.post('/api/auth/email-bind', { email, code })
    if (bound.status !== 200) throw new Error(bound.text)
    return Object.assign(someone, { email })
  }

  async function withPhone(phone = newPhone()) {
    const someone = await server.person()
    const code = await codeBy(someone, '/api/auth/sms/bind-code', { phone }, phone)
    const bound = await someone.post('/api/auth/phone-bind', { phone, code })
    if (bound.status !== 200) throw new Error(bound.text)
    return Object.assign(someone, { phone })
  }

  async function stop() {
    await server.stop()
    await gateways.stop()
  }
  return { server, gateways, post, codeTo, codeBy, byPhone, withEmail, withPhone, stop }
}

/** Any six digits but these. */
export const otherThan = (code: string): string => code.replace(/^./, (d) => String((Number(d) + 1) % 10))
