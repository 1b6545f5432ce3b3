/** Bytes as objects of an S3 bucket. */

import { dirname } from 'node:path'

import type { S3Bucket } from '#config/storage.ts'

import { MINUTE, SECOND } from '../clock.ts'
import { uuid } from '../ids.ts'
import { discard, diskError } from './local.ts'
import { assertKey, type BlobFacts, type BlobStore, type ByteRange, type Bytes, isKey } from './port.ts'
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

export class S3Blobs implements BlobStore {
  readonly storage = 'OSS'
  readonly place: string
  readonly #bucket: S3Bucket
  readonly #limits: Limits
  readonly #client: Bun.S3Client
  readonly #whole = new Budget(WHOLE_BYTES)
  readonly #inParts = new Budget(IN_PARTS)

  constructor(bucket: S3Bucket, limits = LIMITS) {
    const { key: accessKeyId, secret: secretAccessKey, region, endpoint, virtual: virtualHostedStyle } = bucket
    this.place = placeOf(bucket)
    this.#bucket = bucket
    this.#limits = limits
    this.#client = new Bun.S3Client({
      accessKeyId,
      secretAccessKey,
      region,
      bucket: bucket.bucket,
      virtualHostedStyle,
      endpoint,
    })
  }

  async put(key: string, path: string): Promise<void> {
    try {
      const file = Bun.file(path)
      const { size } = await file.stat().catch((error: unknown) => Promise.reject(diskError(error, dirname(path))))
      if (size > MAX_WHOLE_BYTES) await this.#inParts.use(1, () => this.#storeParts(key, file, size))
      else await this.#whole.use(size, () => this.#store(key, file, this.#limits.partMs))
    } finally {
      await discard(path)
    }
  }

  async #store(key: string, body: Blob, ms: number): Promise<void> {
    const answer = await this.#tried('PUT', key, { body, headers: { 'content-type': TYPE } }, ms)
    await answer?.text()
  }

  async #storeParts(key: string, body: Blob, size: number): Promise<void> {
    const options = { partSize: PART_BYTES, queueSize: 1, type: TYPE }
    const ms = this.#limits.partMs * Math.ceil(size / PART_BYTES)
    await this.#untilDone(() => within(ms, this.#client.write(this.#objectOf(key), body, options)))
    // Some servers answer 200 to the end of an upload and report its failure in the body.
    if ((await this.stat(key))?.size !== size) throw s3Error('IncompleteUpload', this.#bucket)
  }

  async stat(key: string): Promise<BlobFacts | undefined> {
    const answer = await this.#tried('HEAD', key)
    if (answer === undefined) {
      // The answer to a HEAD has no body that says whether the key, the bucket or the permission is missing. This request throws then.
      const other = await this.#tried('GET', key, { headers: { range: 'bytes=0-0' } })
      await other?.text()
      return undefined
    }
    return {
      key,
      size: Number(answer.headers.get('content-length')),
      modifiedAt: Date.parse(answer.headers.get('last-modified') ?? ''),
    }
  }

  async read(key: string, range?: ByteRange): Promise<Bytes | undefined> {
    // S3 refuses empty ranges.
    if (range && range.end <= range.start) return (await this.stat(key)) && new Blob()
    const headers = range && { range: `bytes=${range.start}-${range.end - 1}` }
    const answer = await this.#tried('GET', key, headers ? { headers } : {})
    // The range begins after the end.
    if (answer?.status === RANGE_AFTER_END) {
      await answer.text()
      return new Blob()
    }
    if (range && answer && answer.status !== 206) throw s3Error('RangeIgnored', this.#bucket)
    return answer && (answer.body ? this.#bodyOf(answer.body) : new Blob())
  }

  /** Passes the bytes on as they are asked for. The error of a connection that breaks contains the signed URL, and Bun prints it. */
  #bodyOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): ReadableStream<Uint8Array<ArrayBuffer>> {
    const reader = body.getReader()
    const bucket = this.#bucket
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

  async delete(key: string): Promise<void> {
    const answer = await this.#tried('DELETE', key)
    await answer?.text()
  }

  async *list(wanted: string): AsyncGenerator<BlobFacts> {
    const { prefix } = this.#bucket
    let continuationToken: string | undefined
    do {
      const query = { prefix: prefix + wanted, ...(continuationToken && { continuationToken }) }
      const page = await this.#untilDone(() => within(this.#limits.answerMs, this.#client.list(query)))
      for (const { key: place, size, lastModified } of page.contents ?? []) {
        const key = place.slice(prefix.length)
        if (isOwnKey(key)) yield { key, size: size ?? 0, modifiedAt: Date.parse(String(lastModified)) }
      }
      continuationToken = page.isTruncated ? page.nextContinuationToken : undefined
    } while (continuationToken !== undefined)
  }

  presignPut(key: string, size: number, seconds: number): string {
    return signUpload(this.#bucket, this.#objectOf(key), size, seconds)
  }

  async owner(): Promise<string | undefined> {
    const bytes = await this.read(OWNER_KEY)
    return bytes && (await new Response(bytes).text()).trim()
  }

  setOwner(id: string): Promise<void> {
    return this.#store(OWNER_KEY, new Blob([id]), this.#limits.answerMs)
  }

  async check(): Promise<void> {
    const key = `check-${uuid()}`
    await this.#store(key, new Blob([key]), this.#limits.answerMs)
    try {
      const bytes = await this.read(key)
      if (bytes === undefined || (await new Response(bytes).text()) !== key) throw s3Error('OtherBytes', this.#bucket)
    } finally {
      await this.#tried('DELETE', key)
    }
  }

  #objectOf(key: string): string {
    return this.#bucket.prefix + assertKey(key)
  }

  #tried(method: Method, key: string, request?: RequestInit, ms?: number): Promise<Response | undefined> {
    return this.#untilDone(() => this.#send(method, key, request, ms))
  }

  /** Runs an attempt until it succeeds or fails for a lasting reason. `attempt` throws errors of S3Client and S3Failures. */
  async #untilDone<T>(attempt: () => Promise<T>): Promise<T> {
    for (let failed = 0; ; failed++) {
      try {
        return await attempt()
      } catch (error) {
        const code = codeOf(error)
        if (code === undefined) throw error
        const pause = RETRY_MS[failed]
        if (pause === undefined || !isTransient(code)) throw s3Error(code, this.#bucket)
        await Bun.sleep(pause)
      }
    }
  }

  /**
   * Sends a request by a URL that S3Client has signed. Its own methods have no time limit, and their `stat` does not tell refused
   * credentials from other failures. Undefined if there is no such object.
   */
  async #send(
    method: Method,
    key: string,
    request: RequestInit = {},
    ms = this.#limits.answerMs,
  ): Promise<Response | undefined> {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), ms)
    try {
      const url = this.#client.presign(this.#objectOf(key), { method, expiresIn: OWN_URL_SECONDS })
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
