/**
 * Signs requests (AWS Signature Version 4, in the query) that Bun.S3Client does not sign. It signs only the host, so that its URLs accept any
 * number of bytes; uploads of clients also bind the size. And it signs no query, which requests about uploads in parts have.
 */

import { createHash, createHmac } from 'node:crypto'

import type { S3Bucket } from '#config/storage.ts'

import { systemClock } from '../clock.ts'

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

interface SignedRequest {
  readonly method: string
  /** The key with its prefix. It needs no percent-encoding. */
  readonly object: string
  readonly query?: Readonly<Record<string, string>>
  /** Bytes of the body. If it is given, only as many are accepted. */
  readonly size?: number
  /** The validity of the URL. */
  readonly seconds: number
}

/** A URL for a request to `endpoint`, one of the two addresses of the bucket. */
export function signRequest(
  bucket: S3Bucket,
  endpoint: string,
  { method, object, query: given, size, seconds }: SignedRequest,
): string {
  const { key, secret, region } = bucket
  const { origin, host } = new URL(endpoint)
  const path = bucket.virtual ? `/${object}` : `/${bucket.bucket}/${object}`
  const time = new Date(systemClock.now()).toISOString().replace(/[-:]|\.\d+/g, '')
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`
  const headers = [...(size === undefined ? [] : [['content-length', size]]), ['host', host]]
  const names = headers.map(([name]) => name).join(';')
  // In the order of the code points, which the signature needs.
  const query = Object.entries({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${key}/${scope}`,
    'X-Amz-Date': time,
    'X-Amz-Expires': String(seconds),
    'X-Amz-SignedHeaders': names,
    ...given,
  })
    .map(([name, value]) => `${name}=${encoded(value)}`)
    .toSorted()
    .join('&')
  const request = [
    method,
    path,
    query,
    ...headers.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    'UNSIGNED-PAYLOAD',
  ].join('\n')
  const digest = createHash('sha256').update(request).digest('hex')
  const signingKey = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${secret}`)
  const signature = hmac(signingKey as Buffer, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${digest}`).toString('hex')
  return `${origin}${path}?${query}&X-Amz-Signature=${signature}`
}

/** RFC 3986: encodeURIComponent leaves five more characters alone than a signature allows. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
