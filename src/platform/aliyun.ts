/**
 * Calls Alibaba Cloud's RPC interface with signature version 3, ACS3-HMAC-SHA256 (help.aliyun.com, "V3 request structure and
 * signature"). Parameters are in the query; the body is empty.
 */

import { createHash, createHmac } from 'node:crypto'

import type { Clock } from './clock.ts'
import { uuid } from './ids.ts'
import { type Answer, call } from './outgoing.ts'

const ALGORITHM = 'ACS3-HMAC-SHA256'

export interface AliyunKey {
  readonly key: string
  readonly secret: string
}

export interface AliyunRequest {
  readonly host: string
  readonly action: string
  /** Version of the interface: `2017-05-25`. */
  readonly version: string
  readonly query: Readonly<Record<string, string>>
  /** `2023-10-26T10:22:32Z` */
  readonly date: string
  readonly nonce: string
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const EMPTY_BODY = sha256('')

/** Encodes all characters except letters, digits and `-_.~` (RFC 3986). */
const percent = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)

/** The query in the form that is signed and must be sent. */
export const canonicalQuery = (query: Readonly<Record<string, string>>): string =>
  Object.keys(query)
    .toSorted()
    .map((name) => `${percent(name)}=${percent(query[name]!)}`)
    .join('&')

/** All headers of the request, including `Authorization`. */
export function aliyunHeaders({ key, secret }: AliyunKey, request: AliyunRequest): Record<string, string> {
  const headers: Record<string, string> = {
    host: request.host,
    'x-acs-action': request.action,
    'x-acs-content-sha256': EMPTY_BODY,
    'x-acs-date': request.date,
    'x-acs-signature-nonce': request.nonce,
    'x-acs-version': request.version,
  }
  const names = Object.keys(headers).toSorted()
  const lines = names.map((name) => `${name}:${headers[name]!}\n`).join('')
  const canonical = ['POST', '/', canonicalQuery(request.query), lines, names.join(';'), EMPTY_BODY].join('\n')
  const signature = createHmac('sha256', secret)
    .update(`${ALGORITHM}\n${sha256(canonical)}`)
    .digest('hex')
  const authorization = `${ALGORITHM} Credential=${key},SignedHeaders=${names.join(';')},Signature=${signature}`
  return { ...headers, authorization }
}

export interface AliyunAction {
  readonly action: string
  readonly version: string
  readonly query: Readonly<Record<string, string>>
}

/** `endpoint`: `https://host`. @throws GatewayError if there is no answer. */
export function callAliyun(
  gateway: AliyunKey & { readonly endpoint: string },
  clock: Clock,
  { action, version, query }: AliyunAction,
  signal?: AbortSignal,
): Promise<Answer> {
  const date = new Date(clock.now()).toISOString().replace(/\.\d+Z$/, 'Z')
  const { host } = new URL(gateway.endpoint)
  const headers = aliyunHeaders(gateway, { host, action, version, query, date, nonce: uuid() })
  return call(`${gateway.endpoint}/?${canonicalQuery(query)}`, { headers, ...(signal && { signal }) })
}
