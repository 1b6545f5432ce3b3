/** Sets and removes the records of type TXT of a challenge by the interface of a DNS service: acme-dns, or Cloudflare. */

import { SECOND } from '../clock.ts'
import { postPublic, type PublicPost } from '../public-post.ts'
import { AcmeError } from './request.ts'

export type DnsService =
  | {
      readonly kind: 'ACMEDNS'
      /** The address of its interface. */
      readonly url: string
      readonly username: string
      readonly password: string
      readonly subdomain: string
    }
  | { readonly kind: 'CLOUDFLARE'; readonly token: string; readonly zoneId: string }

/** How services are reached. */
export interface DnsNetwork extends Pick<PublicPost, 'allowed' | 'ca'> {
  readonly cloudflare: string
  /** After a change, Cloudflare takes some seconds until all its name servers have it. */
  readonly settleMs: number
}

/** Public addresses only. */
export const PUBLIC_NETWORK: DnsNetwork = {
  allowed: [],
  cloudflare: 'https://api.cloudflare.com',
  settleMs: 10 * SECOND,
}

const MOST = { ms: 15 * SECOND, bytes: 64 * 1024 } as const
/** Seconds for which name servers may keep a record: the least that Cloudflare accepts for everybody. */
const RECORD_SECONDS = 60

export type DnsAction = 'present' | 'cleanup'

/** Resolves when the record can be read, or is gone. @throws AcmeError of type `dnsService` */
export async function changeRecord(
  service: DnsService,
  [action, name, value]: readonly [DnsAction, string, string],
  network: DnsNetwork,
  signal: AbortSignal,
): Promise<void> {
  if (service.kind === 'CLOUDFLARE') return cloudflare(service, action, name, value, network, signal)
  // It keeps the last two values of a subdomain, so there is nothing to remove.
  if (action === 'cleanup') return
  const { url, username, password, subdomain } = service
  const call = caller(new URL(url).host, [password], network, signal)
  await call('POST', `${url.replace(/\/+$/, '')}/update`, {
    headers: { 'x-api-user': username, 'x-api-key': password },
    body: { subdomain, txt: value },
  })
}

/** Records have their full names, so the name of the zone need not be asked for. */
async function cloudflare(
  { token, zoneId }: Extract<DnsService, { kind: 'CLOUDFLARE' }>,
  action: DnsAction,
  name: string,
  value: string,
  network: DnsNetwork,
  signal: AbortSignal,
): Promise<void> {
  const call = caller('Cloudflare', [token], network, signal)
  const headers = { authorization: `Bearer ${token}` }
  const records = `${network.cloudflare}/client/v4/zones/${encodeURIComponent(zoneId)}/dns_records`
  /** A name has several values while a domain and its wildcard are validated. */
  const find = async (): Promise<string[]> => {
    const query = new URLSearchParams({ type: 'TXT', name, per_page: '100' })
    const { result } = await call('GET', `${records}?${query}`, { headers })
    return (Array.isArray(result) ? result : []).flatMap((one: unknown) => {
      const { id, name: found, content } = (one ?? {}) as Record<string, unknown>
      const isWanted = found === name && typeof content === 'string' && content.replaceAll('"', '') === value
      return isWanted && typeof id === 'string' ? [id] : []
    })
  }
  if (action === 'cleanup') {
    for (const id of await find()) await call('DELETE', `${records}/${encodeURIComponent(id)}`, { headers })
    return
  }
  // One of an attempt that was interrupted may be there.
  if ((await find()).length === 0)
    await call('POST', records, {
      headers,
      body: { type: 'TXT', name, content: `"${value}"`, ttl: RECORD_SECONDS },
    })
  await settle(network.settleMs, signal)
}

function settle(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => (clearTimeout(timer), reject(signal.reason as Error)), { once: true })
  })
}

interface Message {
  readonly headers: Readonly<Record<string, string>>
  readonly body?: object
}

/** Calls the service named `host`, whose answers are JSON objects. Errors quote them without any of `secrets`. */
function caller(host: string, secrets: readonly string[], network: DnsNetwork, signal: AbortSignal) {
  const failed = (why: string): AcmeError => {
    // As it is, and inside JSON.
    const hidden = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]).filter(Boolean)
    const shown = hidden.reduce((text, secret) => text.replaceAll(secret, '***'), why)
    return new AcmeError('dnsService', `${host}: ${shown}`)
  }
  return async (
    method: 'GET' | 'POST' | 'DELETE',
    url: string,
    { headers, body }: Message,
  ): Promise<Readonly<Record<string, unknown>>> => {
    let answer: Awaited<ReturnType<typeof postPublic>>
    try {
      answer = await postPublic(url, {
        method,
        headers: {
          'user-agent': 'Tessera',
          accept: 'application/json',
          'accept-encoding': 'identity',
          ...(body && { 'content-type': 'application/json' }),
          ...headers,
        },
        body: new TextEncoder().encode(body ? JSON.stringify(body) : ''),
        allowed: network.allowed,
        ...(network.ca !== undefined && { ca: network.ca }),
        most: MOST,
        signal,
      })
    } catch (error) {
      if (signal.aborted) throw signal.reason
      const { name, message } = error as Error
      throw failed(name === 'TimeoutError' ? `no answer within ${MOST.ms / SECOND} s` : message)
    }
    const { status, text } = answer
    if (text === undefined) throw failed(`its answer is larger than ${MOST.bytes} bytes`)
    const value = jsonIn(text)
    if (status < 200 || status >= 300 || value === undefined || value['success'] === false)
      throw failed(`HTTP ${status} ${text}`)
    return value
  }
}

function jsonIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
