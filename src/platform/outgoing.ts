/** HTTP calls to outside services, with time limits, a maximum answer size, no redirects and one error class. */

import { SECOND } from './clock.ts'

/** A gateway did not accept a message or token. The error's message, for the log and operators, contains the gateway's answer. */
export class GatewayError extends Error {
  override name = 'GatewayError'
  constructor(
    message: string,
    /** The failure concerns this recipient or token, not the gateway: another attempt cannot succeed. */
    readonly permanent = false,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

/** Gateways normally answer within one or two seconds. */
const ANSWER_MS = 10 * SECOND
/** Answers are a few hundred bytes. */
const MAX_ANSWER_BYTES = 64 * 1024
/** Characters of an answer that are shown. */
const MAX_SHOWN = 200

export interface Answer {
  readonly status: number
  readonly text: string
  /** The header of a redirect. */
  readonly location: string | null
}

export interface Call {
  readonly method?: 'GET' | 'POST'
  readonly headers?: Record<string, string>
  readonly body?: string
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
}

/** Sends one HTTP request. @throws GatewayError if there is no answer. */
export async function call(
  url: string,
  { method = 'POST', headers, body, signal, timeoutMs = ANSWER_MS }: Call,
): Promise<Answer> {
  const late = AbortSignal.timeout(timeoutMs)
  try {
    const answer = await fetch(url, {
      method,
      ...(headers && { headers }),
      ...(body !== undefined && { body }),
      // A redirect would send the message and its signature to another server.
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, late]) : late,
    })
    return { status: answer.status, text: await textOf(answer), location: answer.headers.get('location') }
  } catch (error) {
    if (error instanceof GatewayError) throw error
    const { host } = new URL(url)
    throw new GatewayError(
      late.aborted
        ? `${host} did not answer within ${timeoutMs / SECOND} s`
        : `${host} cannot be reached: ${networkReason(error)}`,
      false,
      { cause: error },
    )
  }
}

async function textOf(answer: Response): Promise<string> {
  if (answer.body === null) return ''
  const decoder = new TextDecoder()
  let [text, length] = ['', 0]
  for await (const chunk of answer.body) {
    length += chunk.byteLength
    if (length > MAX_ANSWER_BYTES) throw new GatewayError(`the answer is larger than ${MAX_ANSWER_BYTES} bytes`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

/** Why a request got no answer. The code says it; Bun's messages repeat it and ask the reader a question. */
export function networkReason(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown }
  return typeof code === 'string' ? code : String(message ?? error)
}

/** The JSON object of an answer; empty if the answer is not a JSON object. */
export function jsonOf(answer: Answer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(answer.text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** The start of an answer on one line, for error messages. */
export const describeAnswer = ({ status, text }: Answer): string =>
  `HTTP ${status} ${text.slice(0, MAX_SHOWN).replace(/\s+/g, ' ')}`.trim()

/** Checks that a host answers; any answer is accepted. Resolves with a sentence. @throws GatewayError */
export async function reach(url: string): Promise<string> {
  const { status } = await call(url, { method: 'GET' })
  return `${new URL(url).host} answers (HTTP ${status})`
}
