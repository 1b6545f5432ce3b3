/**
 * Sends one mail step by step and reports the server's answer to each, for administrators who set a mail server up. Times are rounded, and a
 * host that is not a mail server is reported as that only: the trial must not be a scanner of the private network.
 */

import { lookup } from 'node:dns/promises'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

import { createTransport } from 'nodemailer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'

import type { Mailbox, SmtpServer } from '#config/gateways.ts'

import { SECOND } from '../clock.ts'
import type { Mail } from './port.ts'
import { authorityOf, headersOf } from './smtp.ts'

export const TRIAL_STEPS = ['DNS', 'CONNECT', 'TLS', 'LOGIN', 'FROM', 'TO', 'DATA'] as const
export type TrialStep = (typeof TRIAL_STEPS)[number]

export interface StepResult {
  readonly step: TrialStep
  readonly ok: boolean
  /** Rounded to 100. */
  readonly ms: number
  /** The server's own line, or what went wrong; empty if there is nothing to say. */
  readonly answer: string
}

export interface Trial {
  readonly server: SmtpServer
  readonly from: Mailbox
  readonly replyTo: string | null
  readonly mail: Mail
}

const TRIAL_MS = 30 * SECOND
const STEP_MS = 10 * SECOND
const LONGEST_ANSWER = 300
const LARGEST_RESPONSE = 64 * 1024
const NO_MAIL_SERVER = 'no mail server answered'

/** Steps that one command takes. */
const BEFORE: Partial<Record<TrialStep, readonly TrialStep[]>> = { TO: ['FROM'], DATA: ['FROM', 'TO'] }

interface SmtpError extends Error {
  readonly code?: string
  readonly command?: string
  readonly response?: string
}

/** Ends at the first step that fails. Never rejects for anything that the server does. */
export async function tryMail({ server, from, replyTo, mail }: Trial): Promise<StepResult[]> {
  const results: StepResult[] = []
  const secrets = secretsOf(server)
  const end = performance.now() + TRIAL_MS
  const open: { destroy(): void }[] = []
  const timer = setTimeout(() => open.forEach((one) => one.destroy()), TRIAL_MS)

  async function step<T>(
    name: TrialStep,
    work: () => Promise<T>,
    answerOf: (done: T) => string = () => '',
  ): Promise<T> {
    const began = performance.now()
    const report = (ok: boolean, answer: string, failed = name): void => {
      const ms = Math.round((performance.now() - began) / 100) * 100
      for (const earlier of BEFORE[failed] ?? []) results.push({ step: earlier, ok: true, ms: 0, answer: '' })
      const result = { step: failed, ok, ms, answer: masked(answer, secrets) }
      // The greeting belongs to the connection, although it is read later.
      const known = results.findIndex((one) => one.step === failed)
      if (known < 0) results.push(result)
      else results.splice(known, Infinity, result)
    }
    try {
      const done = await work()
      report(true, answerOf(done))
      return done
    } catch (error) {
      const late = performance.now() >= end
      report(
        false,
        late ? 'took longer than 30 seconds' : sentenceOf(error as SmtpError),
        stepOf(error as SmtpError, name),
      )
      throw new Ended()
    }
  }

  try {
    const { address } = await step(
      'DNS',
      () => lookup(server.host),
      ({ address }) => address,
    )
    const tcp = await step('CONNECT', () => opened(connectTcp({ host: address, port: server.port }), 'connect', open))
    const isImplicit = server.tls === 'implicit'
    const tls = {
      servername: servernameOf(server.host),
      host: server.host,
      minVersion: 'TLSv1.2',
      ...authorityOf(server),
    } as const
    const socket = isImplicit
      ? await step('TLS', () => opened(connectTls({ socket: tcp, ...tls }), 'secureConnect', open))
      : tcp
    const smtp = new SMTPConnection({
      host: server.host,
      connection: socket,
      secure: isImplicit,
      secured: isImplicit,
      requireTLS: server.tls === 'required',
      ignoreTLS: server.tls === 'off',
      tls,
      greetingTimeout: STEP_MS,
      // Later than that of the greeting, whose error is another one.
      socketTimeout: STEP_MS + SECOND,
      maxResponseSize: LARGEST_RESPONSE,
    })
    await talk(smtp, { server, from, replyTo, mail }, step)
  } catch (error) {
    if (!(error instanceof Ended)) throw error
  } finally {
    clearTimeout(timer)
    for (const one of open) one.destroy()
  }
  return results
}

/** The step that failed has been reported. */
class Ended extends Error {}

type Step = <T>(name: TrialStep, work: () => Promise<T>, answerOf?: (done: T) => string) => Promise<T>

async function talk(smtp: SMTPConnection, { server, from, replyTo, mail }: Trial, step: Step): Promise<void> {
  /** Errors of the connection come as events, also between commands. */
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => undefined)
  smtp.on('error', failed.reject)
  const said = <T>(command: (done: (error: Error | null | undefined, result?: T) => void) => void): Promise<T> =>
    Promise.race([
      failed.promise,
      new Promise<T>((resolve, reject) => command((error, result) => (error ? reject(error) : resolve(result as T)))),
    ])
  const greet = () => said<void>((done) => smtp.connect(done as () => void))
  if (server.tls === 'required') await step('TLS', greet)
  else await greet().catch((error: unknown) => step('CONNECT', () => Promise.reject(error as Error)))
  if (server.user !== '')
    await step('LOGIN', () =>
      said<void>((done) => smtp.login({ user: server.user, pass: server.password }, done as () => void)),
    )
  const message = await composed({ from, replyTo, mail })
  const envelope = { from: from.address, to: [mail.to] }
  await step(
    'DATA',
    () => said<{ response: string }>((done) => smtp.send(envelope, message, done as () => void)),
    ({ response }) => response,
  )
  smtp.quit()
}

async function composed({ from, replyTo, mail }: Omit<Trial, 'server'>): Promise<Buffer> {
  const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  const { message } = await composer.sendMail(headersOf(mail, from, replyTo))
  return message as Buffer
}

const servernameOf = (host: string): string => (/^[\d.]+$|:/.test(host) ? '' : host)

function opened<S extends Socket>(
  socket: S,
  event: 'connect' | 'secureConnect',
  open: { destroy(): void }[],
): Promise<S> {
  open.push(socket)
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(new Error('does not answer')), STEP_MS)
    socket.once(event, () => {
      clearTimeout(timer)
      resolve(socket)
    })
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('was closed')))
  })
}

/** Which step an error of a longer one belongs to. */
function stepOf({ command, code, message }: SmtpError, during: TrialStep): TrialStep {
  if (command === 'MAIL FROM') return 'FROM'
  if (command === 'RCPT TO') return 'TO'
  if (during === 'TLS' && command === 'CONN' && code !== 'ETLS' && /greeting/i.test(message)) return 'CONNECT'
  return during
}

function sentenceOf({ response, message, command, code }: SmtpError): string {
  if (command === 'CONN' && code !== 'ETLS' && /greeting|unexpected|maximum allowed/i.test(message))
    return NO_MAIL_SERVER
  if (command === 'STARTTLS') return `STARTTLS is not possible: ${response ?? message}`
  return response ?? message
}

/** The password as it is, and in the forms in which SMTP sends it. */
function secretsOf({ user, password }: SmtpServer): string[] {
  if (password === '') return []
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  return [password, base64(password), base64(`\0${user}\0${password}`), encodeURIComponent(password)]
}

const masked = (answer: string, secrets: readonly string[]): string =>
  secrets
    .reduce((text, secret) => text.replaceAll(secret, '***'), answer)
    // oxlint-disable-next-line no-control-regex -- a line of another program
    .replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')
    .slice(0, LONGEST_ANSWER)
