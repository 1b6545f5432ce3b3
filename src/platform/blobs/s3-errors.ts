/** Failures of an S3 server as sentences for the operator. Texts of the server and signed URLs are never shown: they can contain keys. */

import type { S3Bucket } from '#config/storage.ts'

import { BlobError, type BlobTrouble } from './port.ts'

/** A failure with a code of S3, of Bun's network calls, or of this adapter. */
export class S3Failure extends Error {
  override name = 'S3Failure'
  constructor(readonly code: string) {
    super(code)
  }
}

/** Undefined for errors that are not about S3, which are mistakes in this program. */
export function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code
  if (typeof code !== 'string') return undefined
  return /^[\w. -]{1,60}$/.test(code) ? code : 'UnknownError'
}

const NETWORK =
  /^(ConnectionClosed|ConnectionRefused|ConnectionReset|ConnectionTimeout|FailedToOpenSocket|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT)$/
const BUSY = /^(HTTP (429|5\d\d)|InternalError|RequestTimeout|ServiceUnavailable|SlowDown|UnknownError)$/
const REFUSED =
  /^(HTTP 40[13]|AccessDenied|AccountProblem|InvalidAccessKeyId|InvalidSecurity|InvalidToken|SignatureDoesNotMatch|XAdminUserNotFound)$/
const FULL = /^(HTTP 507|InsufficientStorage|QuotaExceeded|XMinio\w*(Full|QuotaExceeded))$/
const OTHER_REGION =
  /^(HTTP 30\d|AuthorizationHeaderMalformed|AuthorizationQueryParametersError|IllegalLocationConstraintException|PermanentRedirect|TemporaryRedirect)$/

/** Another attempt may succeed. */
export const isTransient = (code: string): boolean => !FULL.test(code) && (NETWORK.test(code) || BUSY.test(code))

/** The bucket and the host, without the key. */
export const placeOf = ({ bucket, endpoint }: S3Bucket): string => `the bucket ${bucket} at ${new URL(endpoint).host}`

export function s3Error(code: string, bucket: S3Bucket): BlobError {
  const [kind, text] = explained(code)
  return new BlobError(kind, `${placeOf(bucket).replace('the', 'The')} ${text}`)
}

/** Continues the sentence "The bucket files at s3.example.org …". */
function explained(code: string): [BlobTrouble, string] {
  if (FULL.test(code))
    return ['full', `is full or has reached its quota (${code}): free some space or raise the quota.`]
  if (REFUSED.test(code))
    return ['unreachable', `refuses access (${code}): check the key, the secret and what they are allowed to do.`]
  if (OTHER_REGION.test(code))
    return ['unreachable', `belongs to another region or address (${code}): check the host and the parameter region.`]
  if (/CERT|VERIFY|SSL|TLS/i.test(code))
    return [
      'unreachable',
      `has no trusted certificate (${code}): put the certificate of its authority into a file and name that in NODE_EXTRA_CA_CERTS.`,
    ]
  if (NETWORK.test(code) || /DNS|ENOTFOUND/i.test(code))
    return ['unreachable', `cannot be reached (${code}): check the address, the network and the firewall.`]
  switch (code) {
    case 'Timeout':
      return ['unreachable', 'did not answer in time: check the network and the S3 server.']
    case 'NoSuchBucket':
    case 'InvalidBucketName':
      return ['unreachable', `does not exist (${code}): create it, or check its name and the parameter style.`]
    case 'SecondLevelDomainForbidden':
      return ['unreachable', `needs the parameter style=virtual (${code}).`]
    case 'RequestTimeTooSkewed':
      return ['unreachable', `refuses the time of this machine (${code}): set its clock (timedatectl set-ntp true).`]
    default:
      return BUSY.test(code)
        ? ['unreachable', `failed to process a request (${code}): check the S3 server.`]
        : ['io', `refused a request (${code}).`]
  }
}
