/** The notice of a release, by which servers learn of a newer version. `bun run build --all` writes it as `update.json`. */

import { SECOND } from './clock.ts'
import { type SecretKey, signRelease, verifyRelease } from './minisign.ts'
import { call, GatewayError } from './outgoing.ts'

export interface Release {
  /** `1.4.0`. */
  readonly version: string
  /** `2027-03-01`. */
  readonly date: string
  /** https. */
  readonly notesUrl: string
  /** Of `SHA256SUMS`; https. */
  readonly sha256sumsUrl: string
}

/** The answer cannot be read. */
export class BadNotice extends Error {}

const VERSION = /^\d{1,5}\.\d{1,5}\.\d{1,5}(-[0-9A-Za-z.-]{1,40})?$/
const DATE = /^\d{4}-\d{2}-\d{2}$/
const MAX_URL = 500

const isUrl = (text: string): boolean =>
  text.length <= MAX_URL && URL.canParse(text) && new URL(text).protocol === 'https:' && new URL(text).username === ''

const isRelease = ({ version, date, notesUrl, sha256sumsUrl }: Release): boolean =>
  VERSION.test(version) && DATE.test(date) && isUrl(notesUrl) && isUrl(sha256sumsUrl)

/** Exactly the bytes that are signed: these fields in this order as JSON without spaces, in UTF-8, without a newline at the end. */
const signedBytes = ({ version, date, notesUrl, sha256sumsUrl }: Release): Buffer =>
  Buffer.from(JSON.stringify({ version, date, notesUrl, sha256sumsUrl }))

/** Returns the text of the notice. @throws BadNotice if a field is not accepted by the servers */
export function writeNotice(release: Release, secret: SecretKey): string {
  if (!isRelease(release)) throw new BadNotice('the version, the date or an address of the notice is not valid')
  const signature = signRelease(signedBytes(release), secret, `tessera ${release.version}, notice`)
  return `${JSON.stringify({ ...release, signature }, null, 2)}\n`
}

/** Fields that it does not know are not signed, and are ignored. @throws BadNotice, BadSignature */
export function readNotice(text: string, publicKey: string): Release {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new BadNotice('the answer is not JSON')
  }
  const fields = (value ?? {}) as Readonly<Record<string, unknown>>
  const get = (name: string): string => (typeof fields[name] === 'string' ? fields[name] : '')
  const release: Release = {
    version: get('version'),
    date: get('date'),
    notesUrl: get('notesUrl'),
    sha256sumsUrl: get('sha256sumsUrl'),
  }
  // First: nobody else's values are looked at.
  verifyRelease(signedBytes(release), get('signature'), publicKey)
  if (!isRelease(release)) throw new BadNotice('the version, the date or an address of the notice is not valid')
  return release
}

/** Of everything, with redirects. */
const TIMEOUT_MS = 15 * SECOND
const MAX_REDIRECTS = 3

/** One GET, which says nothing about this server. @throws GatewayError, BadNotice, BadSignature */
export async function fetchNotice(address: string, publicKey: string): Promise<Release> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  let url = address
  for (let redirects = 0; ; redirects++) {
    const headers = { 'user-agent': 'Tessera', accept: 'application/json', 'accept-encoding': 'identity' }
    const { status, text, location } = await call(url, { method: 'GET', headers, signal, timeoutMs: TIMEOUT_MS })
    if (status === 200) return readNotice(text, publicKey)
    const next = status >= 300 && status < 400 && location !== null ? URL.parse(location, url) : null
    const isAllowed = next !== null && next.protocol === new URL(address).protocol && redirects < MAX_REDIRECTS
    if (!isAllowed) throw new GatewayError(`${new URL(url).host} answers with HTTP ${status}`)
    url = next.href
  }
}

export const isNewer = (version: string, than: string): boolean => Bun.semver.order(version, than) > 0
