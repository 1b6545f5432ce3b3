/** What calls to outside services have in common: one kind of failure, time limits, no redirects, small answers. */

import { SECOND } from './clock.ts'

/** A gateway did not take what it was given. The message is for the log and for operators: what the gateway said. */
export class GatewayError extends Error {
  override name = 'GatewayError'
  constructor(
    message: string,
    /** Trying again cannot help: it is about this recipient or this token, not about the gateway. */
    readonly permanent = false,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

/** Gateways answer within a second or two; one that takes longer is in trouble. */
const ANSWER_MS = 10 * SECOND
/** Answers are a few hundred bytes. */
const MAX_ANSWER_BYTES = 64 * 1024
/** More of an answer tells nobody more. */
const MAX_SHOWN = 200

export interface Answer {
  readonly status: number
  readonly text: string
}

export interface Call {
  readonly method?: 'GET' | 'POST'
  readonly headers?: Record<string, string>
  readonly body?: string
  readonly signal?: AbortSignal
}

/** One HTTP exchange. @throws GatewayError when there is no answer. */
export async function call(url: string, { method = 'POST', headers, body, signal }: Call): Promise<Answer> {
  const late = AbortSignal.timeout(ANSWER_MS)
  try {
    const answer = await fetch(url, {
      method,
      ...(headers && { headers }),
      ...(body !== undefined && { body }),
      // A redirect would carry the message and its signature to somebody else.
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, late]) : late,
    })
    return { status: answer.status, text: await textOf(answer) }
  } catch (error) {
    if (error instanceof GatewayError) throw error
    const { host } = new URL(url)
    throw new GatewayError(
      late.aborted
        ? `${host} did not answer within ${ANSWER_MS / SECOND} s`
        : `${host} cannot be reached: ${why(error)}`,
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

function why(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown }
  return typeof code === 'string' ? `${code} (${String(message)})` : String(message ?? error)
}

/** An answer's JSON object; empty when it is none. */
export function jsonOf(answer: Answer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(answer.text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** The beginning of an answer on one line, for messages. */
export const shownAnswer = ({ status, text }: Answer): string =>
  `HTTP ${status} ${text.slice(0, MAX_SHOWN).replace(/\s+/g, ' ')}`.trim()

/** Whether a service's host answers at all; what it says does not matter. Resolves with a sentence. @throws GatewayError */
export async function reach(url: string): Promise<string> {
  const { status } = await call(url, { method: 'GET' })
  return `${new URL(url).host} answers (HTTP ${status})`
}
