/**
 * Parses the URLs of outside services: mail server, SMS gateway, one-click sign-in. Their forms are part of the interface
 * (docs/operations.md, "Mail and SMS"). A parser returns undefined if it does not accept the text, also if a part is missing or
 * unknown. User, password and query are percent-decoded.
 */

import { ipTest } from '#lib/ip.ts'

export interface SmtpServer {
  readonly host: string
  readonly port: number
  /** `implicit`: TLS from the first byte. `required`: STARTTLS, or nothing is sent. `off`: unencrypted. */
  readonly tls: 'implicit' | 'required' | 'off'
  /** Empty: no sign-in. */
  readonly user: string
  readonly password: string
  /** PEM file of the certificate authority to trust; empty: those of the system. */
  readonly caFile: string
  /** The same as text, of a mail server that was set in the browser. */
  readonly caPem?: string
}

export interface Mailbox {
  readonly name: string
  readonly address: string
}

/** A gateway of the operator that accepts a signed JSON POST. */
export interface Webhook {
  readonly kind: 'webhook'
  readonly url: string
  /** The key of the requests' signatures. */
  readonly secret: string
}

interface Vendor {
  /** `https://host` */
  readonly endpoint: string
  readonly key: string
  readonly secret: string
}

/** A message as the vendor knows it: its text is approved in advance and referred to by number. */
export interface SmsTemplate {
  readonly sign: string
  readonly template: string
}

export interface AliyunSms extends Vendor {
  readonly kind: 'aliyun'
  readonly home: SmsTemplate
  /** For numbers outside the Chinese mainland. */
  readonly abroad: SmsTemplate
  /** Name of the template's variable. */
  readonly param: string
}

export type TencentParam = 'code' | 'minutes'

export interface TencentSms extends Vendor {
  readonly kind: 'tencent'
  readonly app: string
  readonly region: string
  readonly home: SmsTemplate
  readonly abroad: SmsTemplate
  /** The values of the template's variables {1}, {2}, in this order. */
  readonly params: readonly TencentParam[]
}

export interface TwilioSms extends Vendor {
  readonly kind: 'twilio'
  /** A phone number (E.164) or a sender name. */
  readonly from: string
  /** Used instead of `from` when given. */
  readonly messagingService: string
}

export type SmsGateway = { readonly kind: 'log' } | AliyunSms | TencentSms | TwilioSms | Webhook
export type OneClickGateway = (Vendor & { readonly kind: 'aliyun' }) | Webhook

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** True for names and addresses of this machine: connections to it need no TLS. */
export const isLoopback = (hostname: string): boolean => LOOPBACK.test(hostname)

/** Parses a URL and percent-decodes its parts. Undefined if it is not a URL or has parameters that are not in `known`. */
function parseUrl(text: string, known: readonly string[]) {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  const params = url.searchParams
  const names = [...params.keys()]
  if (url.hash !== '' || names.some((name) => !known.includes(name)) || new Set(names).size < names.length)
    return undefined
  try {
    const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)]
    return { url, user, password, get: (name: string) => params.get(name)?.trim() ?? '' }
  } catch {
    return undefined
  }
}

export function parseSmtp(text: string): SmtpServer | undefined {
  const parts = /^smtps?:\/\//.test(text) ? parseUrl(text, ['tls', 'ca']) : undefined
  if (parts === undefined || parts.url.hostname === '' || !['', '/'].includes(parts.url.pathname)) return undefined
  const { url, user, password, get } = parts
  const here = isLoopback(url.hostname)
  const [secure, asked] = [url.protocol === 'smtps:', get('tls')]
  const tls = secure ? 'implicit' : asked === '' ? (here ? 'off' : 'required') : asked
  if ((secure && asked !== '') || (tls !== 'implicit' && tls !== 'required' && tls !== 'off')) return undefined
  if ((user === '') !== (password === '')) return undefined
  // The password would cross the network unencrypted.
  if (tls === 'off' && user !== '' && !here) return undefined
  const port = Number(url.port || (secure ? 465 : 587))
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port, tls, user, password, caFile: get('ca') }
}

const ADDRESS = /^[^\s@<>"',;]+@[^\s@<>"',;]+$/
// oxlint-disable-next-line no-control-regex -- control characters are refused
const NAME = /^[^<>"\u0000-\u001f\u007f]*$/

/** Parses `address` or `Name <address>`. */
export function parseMailbox(text: string): Mailbox | undefined {
  const named = /^(.*?)\s*<([^<>]*)>$/.exec(text)
  const name = named ? named[1]!.trim().replace(/^"(.*)"$/, '$1') : ''
  const address = (named ? named[2]! : text).trim()
  return ADDRESS.test(address) && address.length <= 254 && NAME.test(name) ? { name, address } : undefined
}

/** RFC 1918, RFC 6598, RFC 4193 and link-local addresses. */
const isPrivateAddress = ipTest([
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '169.254.0.0/16',
  'fc00::/7',
  'fe80::/10',
])
/** Names that no public name server answers for: without a dot, or in a private domain (RFC 6761, RFC 6762, RFC 8375, ICANN `.internal`). */
const PRIVATE_NAME = /^[^.]+$|\.(internal|local|localhost|lan|home\.arpa)$/

/** True for addresses and names of private networks. */
export const isPrivate = (hostname: string): boolean => {
  const address = hostname.replace(/^\[|\]$/g, '')
  return isPrivateAddress(address) || (!address.includes(':') && PRIVATE_NAME.test(address))
}

function parseWebhook(text: string): Webhook | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    // Codes and phone numbers would cross the network unencrypted.
    if (url.searchParams.get('tls') !== 'off' || !isPrivate(url.hostname)) return undefined
    url.searchParams.delete('tls')
  }
  if (url.username !== '' || url.password === '' || url.hash !== '') return undefined
  try {
    const secret = decodeURIComponent(url.password)
    url.password = ''
    return { kind: 'webhook', url: url.href, secret }
  } catch {
    return undefined
  }
}

/** Parses `scheme://KEY:SECRET@host?…`. The vendor is called over HTTPS, or over HTTP if it is on this machine. */
function parseVendor(text: string, known: readonly string[]) {
  const parts = parseUrl(text, known)
  if (parts === undefined || !['', '/'].includes(parts.url.pathname)) return undefined
  const { url, user: key, password: secret, get } = parts
  if (key === '' || secret === '' || url.host === '') return undefined
  return { endpoint: `${isLoopback(url.hostname) ? 'http' : 'https'}://${url.host}`, key, secret, get }
}

const TEMPLATES = ['sign', 'template', 'sign-abroad', 'template-abroad']

function templates(get: (name: string) => string): { home: SmsTemplate; abroad: SmsTemplate } | undefined {
  const home = { sign: get('sign'), template: get('template') }
  const abroad = { sign: get('sign-abroad') || home.sign, template: get('template-abroad') || home.template }
  return home.template === '' ? undefined : { home, abroad }
}

function aliyunSms(text: string): AliyunSms | undefined {
  const given = parseVendor(text, [...TEMPLATES, 'param'])
  const named = given && templates(given.get)
  if (given === undefined || named === undefined || named.home.sign === '') return undefined
  const { get, ...pair } = given
  return { kind: 'aliyun', ...pair, ...named, param: get('param') || 'code' }
}

function tencentSms(text: string): TencentSms | undefined {
  const given = parseVendor(text, [...TEMPLATES, 'app', 'region', 'params'])
  const named = given && templates(given.get)
  if (given === undefined || named === undefined) return undefined
  const { get, ...pair } = given
  const params = (get('params') || 'code').split(',').map((name) => name.trim())
  if (!params.includes('code') || !params.every((name) => name === 'code' || name === 'minutes')) return undefined
  const app = get('app')
  const region = get('region') || 'ap-guangzhou'
  return app === '' ? undefined : { kind: 'tencent', ...pair, ...named, app, region, params }
}

function twilioSms(text: string): TwilioSms | undefined {
  const given = parseVendor(text, ['from', 'messaging-service'])
  if (given === undefined) return undefined
  const { get, ...pair } = given
  // In a query a plus sign means a space, but operators write it unescaped before a number.
  const from = get('from').replace(/^(?=[1-9]\d{6,14}$)/, '+')
  const messagingService = get('messaging-service')
  return from === '' && messagingService === '' ? undefined : { kind: 'twilio', ...pair, from, messagingService }
}

export function parseSms(text: string): SmsGateway | undefined {
  if (text === 'log:') return { kind: 'log' }
  if (/^https?:\/\//.test(text)) return parseWebhook(text)
  if (text.startsWith('aliyun://')) return aliyunSms(text)
  if (text.startsWith('tencent://')) return tencentSms(text)
  return text.startsWith('twilio://') ? twilioSms(text) : undefined
}

export function parseOneClick(text: string): OneClickGateway | undefined {
  if (/^https?:\/\//.test(text)) return parseWebhook(text)
  const given = text.startsWith('aliyun://') ? parseVendor(text, []) : undefined
  return given && { kind: 'aliyun', endpoint: given.endpoint, key: given.key, secret: given.secret }
}

/** The path at which collectors take traces. */
const TRACES = '/v1/traces'

/** Parses the address of an OpenTelemetry collector. Returns that of its traces. */
export function parseCollector(text: string): string | undefined {
  const parts = /^https?:\/\//.test(text) ? parseUrl(text, []) : undefined
  if (parts === undefined || parts.user !== '' || parts.password !== '' || text.endsWith('?')) return undefined
  return parts.url.pathname === '/' ? parts.url.origin + TRACES : parts.url.href
}

const HEADER = /^[\w!#$%&'*+.^`|~-]+$/
const HEADER_VALUE = /^[ -~]{1,4000}$/

/** Parses `name=value`, separated by commas or line breaks. Values are percent-decoded, as in `OTEL_EXPORTER_OTLP_HEADERS`. */
export function parseHeaders(text: string): Readonly<Record<string, string>> | undefined {
  const headers: Record<string, string> = {}
  for (const part of text.split(/[,\n]/).filter((one) => one.trim() !== '')) {
    const [, name, value] = /^([^=]*)=(.*)$/.exec(part.trim()) ?? []
    if (name === undefined || !HEADER.test(name.trim())) return undefined
    try {
      const decoded = decodeURIComponent(value!.trim())
      if (!HEADER_VALUE.test(decoded)) return undefined
      headers[name.trim().toLowerCase()] = decoded
    } catch {
      return undefined
    }
  }
  return headers
}

/** A gateway URL without its secrets: the password is masked, and of a webhook only the host is shown. */
export function maskGateway(text: string): string {
  if (!URL.canParse(text)) return text
  const url = new URL(text)
  if (url.password === '') return url.href
  if (/^https?:$/.test(url.protocol)) return `${url.protocol}//***@${url.host}/…`
  url.password = '***'
  return url.href
}
