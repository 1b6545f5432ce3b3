/** Requests to a certificate authority, with limits of time and size. Redirects are not followed. */

import { SECOND } from '../clock.ts'
import { networkReason } from '../outgoing.ts'

/** From the request to the end of the answer. Authorities normally answer within a second. */
const ANSWER_MS = 20 * SECOND
/** A chain of certificates has less than 10 KB. */
const MAX_ANSWER_BYTES = 64 * 1024
/** Characters of a message of the authority that are kept. */
const MAX_DETAIL = 300

/** The types that the program itself uses, beside those of RFC 8555, which are kept without their prefix: `dns`, `rateLimited`. */
export type OwnErrorType = 'unreachable' | 'badAnswer' | 'badCertificate' | 'dnsCommand' | 'dnsService' | 'late'

/** Why there is no certificate. */
export class AcmeError extends Error {
  override name = 'AcmeError'
  constructor(
    /** One of `OwnErrorType`, or a type of the authority. */
    readonly type: string,
    detail: string,
    readonly more: {
      readonly status?: number
      /** When to try again at the earliest; milliseconds from now. */
      readonly retryAfterMs?: number | undefined
      /** The name that could not be validated. */
      readonly identifier?: string
    } = {},
  ) {
    super(shown(detail))
  }
}

/** The order that was begun can no longer be continued. */
export class OrderGone extends Error {
  override name = 'OrderGone'
}

/** The shape of tokens (RFC 8555, section 8.1); others are never asked for. */
export const TOKEN = /^[\w-]{20,128}$/

/** One line without control characters. */
const shown = (text: string): string =>
  text
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, MAX_DETAIL)

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export interface Authority {
  /** Certificates of a private authority to trust (PEM); those of the system by default. */
  readonly ca?: string | undefined
  readonly signal: AbortSignal
}

export interface Sent {
  readonly method?: 'GET' | 'HEAD' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** @throws AcmeError if there is no answer, or one that is too large or a redirect */
export async function request(url: string, { ca, signal }: Authority, sent: Sent = {}): Promise<Answer> {
  if (!URL.canParse(url) || new URL(url).protocol !== 'https:')
    throw new AcmeError('badAnswer', `${url.slice(0, 100)} is not an https address`)
  const { host } = new URL(url)
  const late = AbortSignal.timeout(ANSWER_MS)
  const stop = new AbortController()
  try {
    const answer = await fetch(url, {
      ...sent,
      headers: { 'user-agent': 'Tessera', 'accept-encoding': 'identity', ...sent.headers },
      redirect: 'manual',
      // A small answer could become a large one.
      decompress: false,
      signal: AbortSignal.any([signal, late, stop.signal]),
      ...(ca !== undefined && { tls: { ca } }),
    })
    if (answer.status >= 300 && answer.status < 400) throw new AcmeError('badAnswer', `${host} answers with a redirect`)
    return { status: answer.status, headers: answer.headers, text: await textOf(answer, host) }
  } catch (error) {
    if (error instanceof AcmeError) throw error
    if (signal.aborted) throw signal.reason
    const why = late.aborted
      ? `does not answer within ${ANSWER_MS / SECOND} s`
      : `cannot be reached: ${networkReason(error)}`
    throw new AcmeError('unreachable', `${host} ${why}`)
  } finally {
    // Otherwise the rest of an answer that is not read would still arrive.
    stop.abort()
  }
}

async function textOf({ body }: Response, host: string): Promise<string> {
  if (body === null) return ''
  const decoder = new TextDecoder()
  let [text, length] = ['', 0]
  for await (const chunk of body) {
    length += chunk.byteLength
    if (length > MAX_ANSWER_BYTES)
      throw new AcmeError('badAnswer', `the answer of ${host} is larger than ${MAX_ANSWER_BYTES} bytes`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

/** An answer as a JSON object; empty if it is none. */
export function objectOf({ text }: Answer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {}
  } catch {
    return {}
  }
}

export const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** Milliseconds from now that the header `Retry-After` asks for, as seconds or as a date. Not limited. */
export function retryAfterOf(headers: Headers, now: number): number | undefined {
  const value = headers.get('retry-after')
  if (value === null) return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * SECOND : Date.parse(value) - now
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}

const PREFIX = 'urn:ietf:params:acme:error:'

/** A problem document (RFC 7807), also one inside a challenge or an order. */
export function problemOf(
  value: unknown,
  more: ConstructorParameters<typeof AcmeError>[2] = {},
  otherwise = 'the authority gave no reason',
): AcmeError {
  const { type, detail } = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
  const name = textIn(type)?.startsWith(PREFIX) ? textIn(type)!.slice(PREFIX.length) : 'badAnswer'
  return new AcmeError(/^\w{1,40}$/.test(name) ? name : 'badAnswer', textIn(detail) ?? otherwise, more)
}
