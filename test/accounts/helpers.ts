/** A server with real gateways (mail, SMS, carrier) around it, and users of every kind on it. */

import { afterAll, beforeAll, spyOn } from 'bun:test'

import { outbox } from '#db/schema/delivery.ts'

import {
  type Gateways,
  inProcess,
  type Reply,
  type RequestOptions,
  type ServerOptions,
  startGateways,
  startServer,
  type TestServer,
  until,
} from '../harness/index.ts'
import { type Person, person } from '../harness/people.ts'

export interface World {
  readonly server: TestServer
  readonly gateways: Gateways
  /** A request without a token. Each has its own IP address, so that the daily limits of addresses do not interfere. */
  post(path: string, body: unknown, options?: RequestOptions): Promise<Reply>
  /** The newest code that was sent to this credential and not read yet. Waits until it arrives. */
  codeTo(to: string): Promise<string>
  /** Makes the request that sends a code, and returns the code. */
  codeBy(from: Person | undefined, path: string, body: object, to: string): Promise<string>
  /** Waits until every message that was decided so far has been delivered. In-process servers only; elsewhere it returns at once. */
  allDelivered(): Promise<void>
  /** Moves the clock. Mails that wait too long are given up, so they are delivered before. In-process servers only. */
  passDays(days: number): Promise<void>
  /** Waits until a mail to this address contains these words. */
  mailArrived(to: string, words: string): Promise<void>
  /** A user who signed in by phone and has nothing else. */
  byPhone(phone?: string): Promise<Person & { phone: string }>
  /** A user with username, password and a verified e-mail. */
  withEmail(email?: string): Promise<Person & { email: string }>
  /** A user with username, password and a verified phone. */
  withPhone(phone?: string): Promise<Person & { phone: string }>
  stop(): Promise<void>
}

let count = 0
/** A new number in E.164. */
export const newPhone = (): string => `+86139${String(10_000_000 + process.pid * 997 + ++count).slice(-8)}`
export const newEmail = (): string => `person${++count}.${process.pid}@example.org`
export const newDevice = (): string => `device-${crypto.randomUUID()}`
export const newIp = (): string => `198.${18 + (count >> 16)}.${(++count >> 8) & 255}.${count & 255}`

/** The bytes of a secret as authenticator apps get it. */
export function fromBase32(text: string): Uint8Array {
  const bits = [...text].map((c) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(c).toString(2).padStart(5, '0')).join('')
  return Uint8Array.from(bits.match(/.{8}/g)!, (byte) => Number.parseInt(byte, 2))
}

/** Starts a world before the tests of the file and stops it after them. It is empty until `beforeAll` has run. */
export function useWorld(options: ServerOptions = {}): World {
  const world = {} as World
  beforeAll(async () => void Object.assign(world, await startWorld(options)))
  afterAll(() => world.stop())
  return world
}

async function startWorld(options: ServerOptions): Promise<World> {
  const gateways = await startGateways()
  const server = await startServer({ ...options, config: { ...gateways.config, ...options.config } })
  const read = new Set<object>()
  const post: World['post'] = (path, body, more = {}) =>
    server.request('POST', path, { body, ...more, headers: { 'x-forwarded-for': newIp(), ...more.headers } })

  const unreadTo = (to: string) =>
    to.includes('@')
      ? gateways.mails.find((m) => m.to === to && !read.has(m) && /\b\d{6}\b/.test(m.subject))
      : gateways.messages.find((m) => m.to === to && !read.has(m))

  async function codeTo(to: string): Promise<string> {
    await until(() => unreadTo(to) !== undefined, `a code was sent to ${to}`)
    const found = unreadTo(to)!
    read.add(found)
    return 'code' in found ? found.code : /\b\d{6}\b/.exec(found.subject)![0]
  }

  async function codeBy(from: Person | undefined, path: string, body: object, to: string): Promise<string> {
    const headers = { 'x-forwarded-for': newIp() }
    const sent = from ? await from.send('POST', path, { body, headers }) : await post(path, body)
    if (sent.status !== 200) throw new Error(`${path}: ${sent.status} ${sent.text}`)
    return codeTo(to)
  }

  async function allDelivered() {
    if (!inProcess) return
    await until(async () => (await server.ctx.db.read.select().from(outbox)).length === 0, 'the outbox is empty')
  }

  async function passDays(days: number) {
    await allDelivered()
    server.clock.advance(days * 24 * 3_600_000)
  }

  const mailArrived = (to: string, words: string) =>
    until(
      () => gateways.mails.some((m) => m.to === to && `${m.subject}\n${m.text}`.includes(words)),
      `a mail with “${words}” arrived at ${to}`,
    )

  async function byPhone(phone = newPhone()) {
    const code = await codeBy(undefined, '/api/auth/sms/send-code', { phone }, phone)
    const deviceId = newDevice()
    const login = await post('/api/auth/phone-login', { phone, code }, { deviceId })
    return Object.assign(person(server.url, login, '', '', deviceId), { phone })
  }

  async function withEmail(email = newEmail()) {
    const user = await server.person()
    const code = await codeBy(user, '/api/auth/email/bind-code', { email }, email)
    const bound = await user.post('/api/auth/email-bind', { email, code })
    if (bound.status !== 200) throw new Error(bound.text)
    return Object.assign(user, { email })
  }

  async function withPhone(phone = newPhone()) {
    const user = await server.person()
    const code = await codeBy(user, '/api/auth/sms/bind-code', { phone }, phone)
    const bound = await user.post('/api/auth/phone-bind', { phone, code })
    if (bound.status !== 200) throw new Error(bound.text)
    return Object.assign(user, { phone })
  }

  async function stop() {
    await server.stop()
    await gateways.stop()
  }
  return {
    server,
    gateways,
    post,
    codeTo,
    codeBy,
    allDelivered,
    passDays,
    mailArrived,
    byPhone,
    withEmail,
    withPhone,
    stop,
  }
}

/** Another code of six digits. */
export const otherThan = (code: string): string => code.replace(/^./, (d) => String((Number(d) + 1) % 10))

/** Writes of the background: they may happen to run during a request. */
const BACKGROUND = new Set(['accounts.flushActivity', 'accounts.cleanUp'])

/** The steps of a request that take time: password hashes, and this domain's writes by name. In-process servers only. */
export interface Cost {
  readonly hashes: number
  readonly writes: readonly string[]
}

export async function costOf(server: TestServer, request: () => Promise<unknown>): Promise<Cost> {
  const spies = [spyOn(Bun.password, 'verify'), spyOn(Bun.password, 'hash')]
  const write = spyOn(server.ctx.db, 'write')
  try {
    await request()
    return {
      hashes: spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0),
      writes: write.mock.calls.map(([name]) => name).filter((n) => n.startsWith('accounts.') && !BACKGROUND.has(n)),
    }
  } finally {
    for (const spy of [...spies, write]) spy.mockRestore()
  }
}
