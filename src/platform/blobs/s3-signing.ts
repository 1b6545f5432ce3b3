/**
 * Signs uploads of clients (AWS Signature Version 4, in the query). Bun.S3Client signs only the host, so that its URLs accept any number
 * of bytes; these also bind the size.
 */

import { createHash, createHmac } from 'node:crypto'

import type { S3Bucket } from '#config/storage.ts'

import { systemClock } from '../clock.ts'

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** A URL at which a client stores exactly `size` bytes as `object`, the key with its prefix. It needs no percent-encoding. */
export function signUpload(bucket: S3Bucket, object: string, size: number, seconds: number): string {
  const { key, secret, region } = bucket
  const { origin, host } = new URL(bucket.publicEndpoint)
  const path = bucket.virtual ? `/${object}` : `/${bucket.bucket}/${object}`
  const time = new Date(systemClock.now()).toISOString().replace(/[-:]|\.\d+/g, '')
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`
  // In alphabetical order, which the signature needs.
  const query = [
    ['X-Amz-Algorithm', 'AWS4-HMAC-SHA256'],
    ['X-Amz-Credential', `${key}/${scope}`],
    ['X-Amz-Date', time],
    ['X-Amz-Expires', String(seconds)],
    ['X-Amz-SignedHeaders', 'content-length;host'],
  ]
    .map(([name, value]) => `${name}=${encoded(value!)}`)
    .join('&')
  const request = [
    'PUT',
    path,
    query,
    `content-length:${size}`,
    `host:${host}`,
    '',
    'content-length;host',
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
