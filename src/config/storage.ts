/**
 * Parses the address of an S3 bucket: `s3://KEY:SECRET@host[:port]/bucket[/prefix]?region=…&style=path|virtual&tls=off&public=…`. Its
 * form is part of the interface (docs/operations.md, "Files in S3"). Key, secret and query are percent-decoded.
 */

import { isLoopback, isPrivate } from './gateways.ts'

export interface S3Bucket {
  readonly key: string
  readonly secret: string
  /** Where the server sends requests: `https://host`, with the bucket before the host if `virtual`. */
  readonly endpoint: string
  /** The same for clients, which get signed URLs. */
  readonly publicEndpoint: string
  /** The bucket is part of the host name, not of the path. */
  readonly virtual: boolean
  readonly bucket: string
  /** Before each key: empty, or ends with a slash. */
  readonly prefix: string
  readonly region: string
}

const PARAMETERS = ['region', 'style', 'tls', 'public']
/** As AWS defines them. */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const PREFIX = /^(?!\.)[\w.-]+(\/(?!\.)[\w.-]+)*$/
const REGION = /^[\w-]{1,50}$/
const DEFAULT_REGION = 'us-east-1'
const ENCODED = 'write / and other special characters of the key and the secret percent-encoded (/ is %2F, + is %2B)'

/** The bucket, or the end of the sentence "The address is not accepted: …", which shows no part of the address: each may be a piece of the secret. */
export function readStorageUrl(text: string): S3Bucket | string {
  if (!text.startsWith('s3://')) return 'it does not begin with s3://'
  if (!URL.canParse(text)) return ENCODED
  const url = new URL(text)
  const params = url.searchParams
  const [key, secret] = [decoded(url.username), decoded(url.password)]
  if (!key || !secret) return `the key or the secret is missing; ${ENCODED}`
  if (url.hostname === '') return 'the host is missing'
  if (url.hash !== '') return ENCODED
  const names = [...params.keys()]
  if (names.some((name) => !PARAMETERS.includes(name)) || new Set(names).size < names.length)
    return `its parameters are ${PARAMETERS.join(', ')}, each at most once`

  const [bucket, ...folders] = url.pathname.slice(1).replace(/\/$/, '').split('/')
  if (!bucket) return 'the bucket is missing'
  if (!BUCKET.test(bucket)) return 'the name of the bucket is not valid'
  const prefix = folders.join('/')
  if (prefix !== '' && !PREFIX.test(prefix)) return 'a prefix contains only letters, digits, and . _ - / in the middle'
  const region = params.get('region') || DEFAULT_REGION
  if (!REGION.test(region)) return 'the region is not valid'

  const [style, tls] = [params.get('style') || 'path', params.get('tls') || 'on']
  if (style !== 'path' && style !== 'virtual') return 'style is neither path nor virtual'
  if (tls !== 'on' && tls !== 'off') return 'tls is neither on nor off'
  // All files would cross the network unencrypted.
  if (tls === 'off' && !isLoopback(url.hostname) && !isPrivate(url.hostname))
    return 'tls=off is accepted only for this machine and private networks'
  const virtual = style === 'virtual'
  if (virtual && /^[\d.]+$|^\[/.test(url.hostname)) return 'style=virtual needs a host name instead of an IP address'
  // Certificates are valid for one label in front of the host.
  if (virtual && tls === 'on' && bucket.includes('.')) return 'style=virtual needs a bucket without dots in its name'

  const origin = `${tls === 'off' ? 'http' : 'https'}://${url.host}`
  const given = params.get('public') || origin
  const reached = URL.canParse(given) ? new URL(given) : undefined
  if (!reached || !/^https?:$/.test(reached.protocol) || reached.origin !== given.replace(/\/$/, ''))
    return 'public is not an address such as https://s3.example.org, without a path'
  const endpointOf = (at: string): string => (virtual ? at.replace('://', `://${bucket}.`) : at)
  return {
    key,
    secret,
    endpoint: endpointOf(origin),
    publicEndpoint: endpointOf(reached.origin),
    virtual,
    bucket,
    prefix: prefix && `${prefix}/`,
    region,
  }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
