/**
 * Requests to addresses that users chose. A request reaches only hosts of the public internet: the name is resolved here, all its addresses
 * are checked, and the connection goes to the address that was checked, so that a name server cannot answer differently a moment later.
 * Redirects are not followed, and an answer is read up to a limit.
 */

import type { IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http'

import { isPublicIp } from '#lib/ip.ts'

import { SECOND } from './clock.ts'

/** From the resolution of the name to the end of the answer, and bytes of it that are read. */
const MOST = { ms: 10 * SECOND, bytes: 1024 } as const

/** The host is not public, and a request to it can never be sent. */
export class NotPublicError extends Error {
  override name = 'NotPublicError'
}

export interface PublicPost {
  /** POST by default. */
  readonly method?: 'GET' | 'POST' | 'DELETE'
  /** 10 s and 1 KB by default. */
  readonly most?: { readonly ms: number; readonly bytes: number }
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Origins that may have any address and scheme. */
  readonly allowed: readonly string[]
  readonly signal: AbortSignal
  /** Certificate authority to trust, PEM; those of the system by default. */
  readonly ca?: string
  /** The addresses of a name; those of the system's resolver by default. */
  readonly resolve?: (host: string) => Promise<readonly string[]>
}

export interface PublicAnswer {
  readonly status: number
  /** The header `Retry-After` in seconds; undefined if it is missing or malformed. */
  readonly retryAfter: number | undefined
  /** Undefined if it is longer than the limit. */
  readonly text: string | undefined
  /** The part that was read, at most the limit, also if it is longer. */
  readonly start: string
  /** Whether the address that answered is one of the public internet: only `allowed` ones are not. */
  readonly isPublic: boolean
}

const withoutBrackets = (hostname: string): string => hostname.replace(/^\[|\]$/g, '')
const isIp = (host: string): boolean => host.includes(':') || /^\d+(\.\d+){3}$/.test(host)
/** Names that no public name server answers for (RFC 6761, RFC 6762, RFC 8375, ICANN `.internal`). */
const PRIVATE_NAME = /^[^.]+\.?$|\.(internal|local|localhost|lan|onion|home\.arpa)\.?$/

/** False if requests to the URL are refused without resolving its name. */
export function mayBePublic(url: URL, allowed: readonly string[]): boolean {
  if (url.username !== '' || url.password !== '') return false
  if (allowed.includes(url.origin)) return true
  if (url.protocol !== 'https:') return false
  const host = withoutBrackets(url.hostname)
  return isIp(host) ? isPublicIp(host) : !PRIVATE_NAME.test(host)
}

/** @throws NotPublicError; other errors if there is no answer in time */
export async function postPublic(text: string, post: PublicPost): Promise<PublicAnswer> {
  const url = new URL(text)
  if (!mayBePublic(url, post.allowed)) throw new NotPublicError(`${url.host} is not a public https host`)
  const signal = AbortSignal.any([post.signal, AbortSignal.timeout((post.most ?? MOST).ms)])
  const address = await Promise.race([checkedAddress(url, post), aborted(signal)])
  return send(url, address, { ...post, signal })
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const fail = () => reject(signal.reason as Error)
    if (signal.aborted) fail()
    else signal.addEventListener('abort', fail, { once: true })
  })

const systemAddresses = async (host: string): Promise<string[]> =>
  (await Bun.dns.lookup(host)).map(({ address }) => address)

async function checkedAddress(
  url: URL,
  { allowed, resolve = systemAddresses }: Pick<PublicPost, 'allowed' | 'resolve'>,
): Promise<string> {
  const host = withoutBrackets(url.hostname)
  const addresses = isIp(host) ? [host] : await resolve(host)
  const isAllowed = allowed.includes(url.origin)
  if (addresses.length === 0 || !(isAllowed || addresses.every(isPublicIp)))
    throw new NotPublicError(`${host} has an address that is not public`)
  return addresses[0]!
}

/** By node:https, because `fetch` has no way to connect to a given address. Loaded with the first request. */
async function send(url: URL, address: string, post: PublicPost): Promise<PublicAnswer> {
  const { method = 'POST', headers, body, signal, ca, most = MOST } = post
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http')
  const family = address.includes(':') ? 6 : 4
  const lookup: RequestOptions['lookup'] = (_host, options, answer) =>
    options.all === true ? answer(null, [{ address, family }]) : answer(null, address, family)
  return new Promise((resolve, reject) => {
    const sending = request(
      {
        host: withoutBrackets(url.hostname),
        port: url.port === '' ? undefined : Number(url.port),
        path: `${url.pathname}${url.search}`,
        method,
        headers: {
          ...headers,
          host: url.host,
          ...(method === 'POST' && { 'content-length': body.byteLength }),
        },
        lookup,
        signal,
        agent: false,
        ...(ca !== undefined && { ca }),
      },
      (answer) => readAnswer(answer, { most: most.bytes, isPublic: isPublicIp(address) }, resolve, reject),
    )
    sending.on('error', reject)
    sending.end(body)
  })
}

/** A date counts from that of the answer: the clock of the receiver need not be ours. */
function retryAfterOf({ 'retry-after': text = '', date = '' }: IncomingHttpHeaders): number | undefined {
  if (/^\d+$/.test(text)) return Number(text)
  const seconds = (Date.parse(text) - Date.parse(date)) / SECOND
  return Number.isFinite(seconds) ? seconds : undefined
}

function readAnswer(
  answer: IncomingMessage,
  { most, isPublic }: { readonly most: number; readonly isPublic: boolean },
  resolve: (answer: PublicAnswer) => void,
  reject: (error: unknown) => void,
): void {
  const result = { status: answer.statusCode!, retryAfter: retryAfterOf(answer.headers), isPublic }
  const chunks: Uint8Array[] = []
  let length = 0
  answer.on('data', (chunk: Uint8Array) => {
    chunks.push(chunk)
    length += chunk.byteLength
    if (length <= most) return
    resolve({ ...result, text: undefined, start: Buffer.concat(chunks).subarray(0, most).toString() })
    answer.destroy()
  })
  answer.on('end', () => {
    const whole = Buffer.concat(chunks).toString()
    resolve({ ...result, text: whole, start: whole })
  })
  answer.on('error', reject)
  answer.on('close', () => reject(new Error('the connection was closed within the answer')))
}
