/** Bytes as objects of an S3 bucket. */

import { dirname } from 'node:path'

import type { S3Bucket } from '#config/storage.ts'
import { escapeHtml } from '#lib/text.ts'

import { MINUTE, SECOND } from '../clock.ts'
import { uuid } from '../ids.ts'
import { discard, diskError } from './local.ts'
import { assertKey, type BlobFacts, type BlobStore, type ByteRange, type Bytes, isKey } from './port.ts'
import { codeOf, isTransient, placeOf, s3Error, S3Failure } from './s3-errors.ts'
import { signRequest } from './s3-signing.ts'

/** Bytes. Larger files are uploaded in parts. */
const MAX_WHOLE_BYTES = 8 * 1024 * 1024
/** The smallest part that S3 allows, because by HTTPS a part is in memory while it is sent. */
const PART_BYTES = 5 * 1024 * 1024
/** Of one upload. Files that would have more get larger parts. */
const MAX_PARTS = 10_000
/**
 * Bytes that are sent at the same time, of whole files and of parts. Parts wait for their turn one by one, so files of gigabytes do not
 * delay others until they are complete.
 */
const SENT_BYTES = 2 * MAX_WHOLE_BYTES

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

type Method = 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'

interface Sent extends RequestInit {
  /** Of a request about an upload in parts. */
  readonly query?: Readonly<Record<string, string>>
}

export class S3Blobs implements BlobStore {
  readonly storage = 'OSS'
  readonly place: string
  readonly #bucket: S3Bucket
  readonly #limits: Limits
  readonly #client: Bun.S3Client
  readonly #sending = new Budget(SENT_BYTES)

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
      if (size > MAX_WHOLE_BYTES) await this.#storeParts(key, file, size)
      else await this.#sendFile(key, file, { start: 0, end: size }, { headers: { 'content-type': TYPE } })
    } finally {
      await discard(path)
    }
  }

  async #store(key: string, text: string): Promise<void> {
    const answer = await this.#tried('PUT', key, { body: text, headers: { 'content-type': TYPE } })
    await answer?.text()
  }

  /** One part after the other. Bun's own upload in parts holds several of them in memory. */
  async #storeParts(key: string, file: Bun.BunFile, size: number): Promise<void> {
    const uploadId = await this.#beginParts(key)
    try {
      const partBytes = Math.max(PART_BYTES, Math.ceil(size / MAX_PARTS))
      const tags: string[] = []
      for (let start = 0; start < size; start += partBytes) {
        const range = { start, end: Math.min(start + partBytes, size) }
        const query = { partNumber: String(tags.length + 1), uploadId }
        tags.push(await this.#sendFile(key, file, range, { query }))
      }
      await this.#endParts(key, uploadId, tags)
      if ((await this.stat(key))?.size !== size) throw s3Error('IncompleteUpload', this.#bucket)
    } catch (error) {
      // Once: if it fails, the bucket's rule for incomplete uploads deletes the parts.
      await this.#send('DELETE', key, { query: { uploadId } }).catch(() => undefined)
      throw error
    }
  }

  /**
   * Sends bytes of a file in its turn, and returns their tag. By HTTP, the kernel sends them from the file. By HTTPS, fetch would read all of them
   * while nothing else runs, so they are read beside the requests, and their memory is given back at once, not when garbage is collected.
   */
  #sendFile(key: string, file: Bun.BunFile, { start, end }: ByteRange, request: Sent): Promise<string> {
    const part = file.slice(start, end)
    const send = async (body: NonNullable<RequestInit['body']>): Promise<string> => {
      const answer = await this.#tried('PUT', key, { ...request, body }, this.#limits.partMs)
      await answer?.text()
      return answer?.headers.get('etag') ?? ''
    }
    return this.#sending.use(end - start, async () => {
      if (this.#bucket.endpoint.startsWith('http:')) return send(part)
      const bytes = await part.bytes().catch((error: unknown) => Promise.reject(diskError(error, dirname(file.name!))))
      try {
        return await send(bytes)
      } finally {
        bytes.buffer.transfer(0)
      }
    })
  }

  async #beginParts(key: string): Promise<string> {
    const answer = await this.#tried('POST', key, { query: { uploads: '' }, headers: { 'content-type': TYPE } })
    const uploadId = /<UploadId>([^<]+)<\/UploadId>/.exec((await answer?.text()) ?? '')?.[1]
    if (uploadId === undefined) throw s3Error('NoUploadId', this.#bucket)
    return uploadId
  }

  async #endParts(key: string, uploadId: string, tags: readonly string[]): Promise<void> {
    const parts = tags.map((tag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${escapeHtml(tag)}</ETag></Part>`)
    const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`
    const ms = this.#limits.partMs
    await this.#untilDone(async () => {
      try {
        const answer = await this.#send('POST', key, { body, query: { uploadId } }, ms)
        // Some servers answer 200 before they put the parts together, and report a failure in the body.
        const code = answer && codeIn(await within(ms, answer.text()))
        if (code !== undefined) throw new S3Failure(code)
      } catch (error) {
        // An attempt before has succeeded, and its answer was lost. The size of the object shows whether it is so.
        if (codeOf(error) !== 'NoSuchUpload') throw error
      }
    })
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
    const request = { method: 'PUT', object: this.#objectOf(key), size, seconds }
    return signRequest(this.#bucket, this.#bucket.publicEndpoint, request)
  }

  async owner(): Promise<string | undefined> {
    const bytes = await this.read(OWNER_KEY)
    return bytes && (await new Response(bytes).text()).trim()
  }

  setOwner(id: string): Promise<void> {
    return this.#store(OWNER_KEY, id)
  }

  async check(): Promise<void> {
    const key = `check-${uuid()}`
    await this.#store(key, key)
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

  #tried(method: Method, key: string, request?: Sent, ms?: number): Promise<Response | undefined> {
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
   * Sends a request by a URL that S3Client has signed, or that has a query. Its own methods have no time limit, and their `stat` does not tell refused
   * credentials from other failures. Undefined if there is no such object.
   */
  async #send(
    method: Method,
    key: string,
    { query, ...request }: Sent = {},
    ms = this.#limits.answerMs,
  ): Promise<Response | undefined> {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), ms)
    try {
      const url = this.#urlOf(method, this.#objectOf(key), query)
      const answer = await fetch(url, {
        ...request,
        method,
        signal: late.signal,
        redirect: 'manual',
        decompress: false,
      })
      if (answer.ok || answer.status === RANGE_AFTER_END) return answer
      const code = codeIn(await answer.text())
      if (code === 'NoSuchKey' || (method === 'HEAD' && answer.status < 500)) return undefined
      throw new S3Failure(code ?? `HTTP ${answer.status}`)
    } catch (error) {
      throw late.signal.aborted ? new S3Failure('Timeout') : error
    } finally {
      // The time limit does not include the body of a download.
      clearTimeout(timer)
    }
  }

  #urlOf(method: Method, object: string, query: Sent['query']): string {
    const seconds = OWN_URL_SECONDS
    return query === undefined
      ? this.#client.presign(object, { method: method as Exclude<Method, 'POST'>, expiresIn: seconds })
      : signRequest(this.#bucket, this.#bucket.endpoint, { method, object, query, seconds })
  }
}

const codeIn = (xml: string): string | undefined => /<Code>([^<]*)<\/Code>/.exec(xml)?.[1]

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
  readonly #total: number
  #free: number

  constructor(total: number) {
    this.#total = total
    this.#free = total
  }

  async use<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    // A part of a file of hundreds of gigabytes is larger than all that may be sent, and then it is sent alone.
    const cost = Math.min(bytes, this.#total)
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
