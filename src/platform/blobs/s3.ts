/** Bytes as objects of an S3 bucket. */

import { dirname } from 'node:path'

import type { S3Bucket } from '#config/storage.ts'

import { MINUTE, SECOND } from '../clock.ts'
import { uuid } from '../ids.ts'
import { discard, diskError } from './local.ts'
import { assertKey, type BlobFacts, type BlobStore, type ByteRange, isKey } from './port.ts'
import { codeOf, isTransient, placeOf, s3Error, S3Failure } from './s3-errors.ts'
import { signUpload } from './s3-signing.ts'

/** Bytes. Larger files are uploaded in parts. */
const MAX_WHOLE_BYTES = 8 * 1024 * 1024
/** The smallest part that S3 allows, because Bun reads several parts into memory. */
const PART_BYTES = 5 * 1024 * 1024
/**
 * Limits on uploads at the same time, because they hold bytes in memory: the sum of the sizes of files that are sent whole, and the
 * number of files that are sent in parts. With two of them, 16 files of 20 MB need 75 MB; without these limits they need 450 MB.
 */
const WHOLE_BYTES = 2 * MAX_WHOLE_BYTES
const IN_PARTS = 2
export interface Limits {
  /** The S3 server must have answered until then: with the headers to a download, with the result to other requests. */
  readonly answerMs: number
  /** The same for each part of an upload. Slower than 140 KB/s is not usable. */
  readonly partMs: number
}

/** The object that contains the id of the installation. */
const OWNER_KEY = 'installation-id'

/**
 * Not the id, not a dot file that was copied from a folder, and not what another installation keeps below a longer prefix: keys have two
 * parts (`blobKey`, `WAITING_PREFIX`).
 */
const isOwnKey = (key: string): boolean => isKey(key) && key !== OWNER_KEY && key.split('/').length <= 2

const LIMITS: Limits = { answerMs: 15 * SECOND, partMs: MINUTE }
/** Waits before the second and third attempt of a request that failed for a transient reason. All requests may be repeated. */
const RETRY_MS = [100, 400]
const TYPE = 'application/octet-stream'
const RANGE_AFTER_END = 416
/** The validity of URLs that this program signs for itself. */
const OWN_URL_SECONDS = 300

type Method = 'GET' | 'HEAD' | 'PUT' | 'DELETE'

export function s3Blobs(bucket: S3Bucket, { answerMs, partMs } = LIMITS): BlobStore {
  const { key: accessKeyId, secret: secretAccessKey, region, prefix } = bucket
  const options = { accessKeyId, secretAccessKey, region, bucket: bucket.bucket, virtualHostedStyle: bucket.virtual }
  const client = new Bun.S3Client({ ...options, endpoint: bucket.endpoint })
  const whole = new Budget(WHOLE_BYTES)
  const inParts = new Budget(IN_PARTS)
  const place = (key: string): string => prefix + assertKey(key)

  /** Runs an attempt until it succeeds or fails for a lasting reason. `attempt` throws errors of S3Client and S3Failures. */
  async function tried<T>(attempt: () => Promise<T>): Promise<T> {
    for (let failed = 0; ; failed++) {
      try {
        return await attempt()
      } catch (error) {
        const code = codeOf(error)
        if (code === undefined) throw error
        const pause = RETRY_MS[failed]
        if (pause === undefined || !isTransient(code)) throw s3Error(code, bucket)
        await Bun.sleep(pause)
      }
    }
  }

  /**
   * Sends a request by a URL that S3Client has signed. Its own methods have no time limit, and their `stat` does not tell refused
   * credentials from other failures. Undefined if there is no such object.
   */
  async function send(
    method: Method,
    key: string,
    request: RequestInit = {},
    ms = answerMs,
  ): Promise<Response | undefined> {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), ms)
    try {
      const url = client.presign(place(key), { method, expiresIn: OWN_URL_SECONDS })
      const answer = await fetch(url, {
        ...request,
        method,
        signal: late.signal,
        redirect: 'manual',
        decompress: false,
      })
      if (answer.ok || answer.status === RANGE_AFTER_END) return answer
      const code = /<Code>([^<]*)<\/Code>/.exec(await answer.text())?.[1]
      if (code === 'NoSuchKey' || (method === 'HEAD' && answer.status < 500)) return undefined
      throw new S3Failure(code ?? `HTTP ${answer.status}`)
    } catch (error) {
      throw late.signal.aborted ? new S3Failure('Timeout') : error
    } finally {
      // The time limit does not include the body of a download.
      clearTimeout(timer)
    }
  }

  async function store(key: string, body: Blob, ms: number): Promise<void> {
    const answer = await tried(() => send('PUT', key, { body, headers: { 'content-type': TYPE } }, ms))
    await answer?.text()
  }

  async function storeParts(key: string, body: Blob, size: number): Promise<void> {
    const write = () => client.write(place(key), body, { partSize: PART_BYTES, queueSize: 1, type: TYPE })
    await tried(() => within(partMs * Math.ceil(size / PART_BYTES), write()))
    // Some servers answer 200 to the end of an upload and report its failure in the body.
    if ((await find(key))?.size !== size) throw s3Error('IncompleteUpload', bucket)
  }

  async function put(key: string, path: string): Promise<void> {
    try {
      const file = Bun.file(path)
      const { size } = await file.stat().catch((error: unknown) => Promise.reject(diskError(error, dirname(path))))
      if (size > MAX_WHOLE_BYTES) await inParts.use(1, () => storeParts(key, file, size))
      else await whole.use(size, () => store(key, file, partMs))
    } finally {
      await discard(path)
    }
  }

  async function find(key: string): Promise<BlobFacts | undefined> {
    const answer = await tried(() => send('HEAD', key))
    if (answer === undefined) {
      // The answer to a HEAD has no body that says whether the key, the bucket or the permission is missing. This request throws then.
      const other = await tried(() => send('GET', key, { headers: { range: 'bytes=0-0' } }))
      await other?.text()
      return undefined
    }
    return {
      key,
      size: Number(answer.headers.get('content-length')),
      modifiedAt: Date.parse(answer.headers.get('last-modified') ?? ''),
    }
  }

  async function read(key: string, range?: ByteRange) {
    // S3 refuses empty ranges.
    if (range && range.end <= range.start) return (await find(key)) && new Blob()
    const headers = range && { range: `bytes=${range.start}-${range.end - 1}` }
    const answer = await tried(() => send('GET', key, headers ? { headers } : {}))
    // The range begins after the end.
    if (answer?.status === RANGE_AFTER_END) {
      await answer.text()
      return new Blob()
    }
    if (range && answer && answer.status !== 206) throw s3Error('RangeIgnored', bucket)
    return answer && (answer.body ? bodyOf(answer.body) : new Blob())
  }

  /** Passes the bytes on as they are asked for. The error of a connection that breaks contains the signed URL, and Bun prints it. */
  function bodyOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): ReadableStream<Uint8Array<ArrayBuffer>> {
    const reader = body.getReader()
    return new ReadableStream(
      {
        async pull(controller) {
          try {
            const { done, value } = await reader.read()
            if (done) controller.close()
            else controller.enqueue(value)
          } catch (error) {
            controller.error(s3Error(codeOf(error) ?? 'UnknownError', bucket))
          }
        },
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: 0 },
    )
  }

  return {
    storage: 'OSS',
    place: placeOf(bucket),
    put,
    read,
    stat: find,
    async delete(key) {
      const answer = await tried(() => send('DELETE', key))
      await answer?.text()
    },
    async *list(wanted) {
      let continuationToken: string | undefined
      do {
        const page = await tried(() =>
          within(answerMs, client.list({ prefix: prefix + wanted, ...(continuationToken && { continuationToken }) })),
        )
        for (const { key: place, size, lastModified } of page.contents ?? []) {
          const key = place.slice(prefix.length)
          if (isOwnKey(key)) yield { key, size: size ?? 0, modifiedAt: Date.parse(String(lastModified)) }
        }
        continuationToken = page.isTruncated ? page.nextContinuationToken : undefined
      } while (continuationToken !== undefined)
    },
    presignPut: (key, size, seconds) => signUpload(bucket, place(key), size, seconds),
    async owner() {
      const bytes = await read(OWNER_KEY)
      return bytes && (await new Response(bytes).text()).trim()
    },
    setOwner: (id) => store(OWNER_KEY, new Blob([id]), answerMs),
    async check() {
      const key = `check-${uuid()}`
      await store(key, new Blob([key]), answerMs)
      try {
        const bytes = await read(key)
        if (bytes === undefined || (await new Response(bytes).text()) !== key) throw s3Error('OtherBytes', bucket)
      } finally {
        await tried(() => send('DELETE', key))
      }
    },
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new S3Failure('Timeout')), ms)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Lets work begin, in order, while the costs of the work under way do not exceed `total`. */
class Budget {
  readonly #waiting: { cost: number; begin(): void }[] = []
  #free: number

  constructor(total: number) {
    this.#free = total
  }

  async use<T>(cost: number, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((begin) => {
      this.#waiting.push({ cost, begin })
      this.#next()
    })
    try {
      return await work()
    } finally {
      this.#free += cost
      this.#next()
    }
  }

  #next(): void {
    while (this.#waiting.length > 0 && this.#waiting[0]!.cost <= this.#free) {
      const { cost, begin } = this.#waiting.shift()!
      this.#free -= cost
      begin()
    }
  }
}
