/**
 * The port of the blob store, which keeps bytes by keys. There are two adapters: files on local disk, and an S3-compatible store.
 *
 * A key never gets another content (`blobKey`): after the hash it has a random part. Bytes that are being deleted and the same
 * bytes that are being stored again therefore have different keys, and need no lock, also between processes.
 */

/** Where bytes are kept (spec §2.6). */
export type Storage = 'LOCAL' | 'OSS'

/** Bytes from `start` to before `end`. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

export interface BlobFacts {
  readonly key: string
  /** Bytes. */
  readonly size: number
  /** Epoch milliseconds. */
  readonly modifiedAt: number
}

/** A Response can send these without reading all of them into memory. */
export type Bytes = Blob | ReadableStream<Uint8Array>

/** Every method throws a BlobError if the store cannot do it. */
export interface BlobStore {
  readonly storage: Storage
  /** For the operator: "the folder /var/lib/tessera/files", "the bucket files at s3.example.org". */
  readonly place: string
  /** Takes over the local file at `path`, which is gone afterwards, also after an error. Then the bytes survive a power cut. */
  put(key: string, path: string): Promise<void>
  /** Undefined if there are no such bytes. */
  read(key: string, range?: ByteRange): Promise<Bytes | undefined>
  stat(key: string): Promise<BlobFacts | undefined>
  /** Deletes the bytes; nothing happens if there are none. */
  delete(key: string): Promise<void>
  /** Everything whose key begins with `prefix`, in any order. Unfinished writes are left out. */
  list(prefix: string): AsyncIterable<BlobFacts>
  /** A URL at which a client stores exactly `size` bytes as `key` within `seconds` without this server. Undefined on local disk. */
  presignPut(key: string, size: number, seconds: number): string | undefined
  /** The id of the installation whose files these are (db/installation.ts). It is not among the keys. */
  owner(): Promise<string | undefined>
  setOwner(id: string): Promise<void>
  /** Stores, reads and deletes a few bytes, for `doctor` and the health check. */
  check(): Promise<void>
}

/**
 * - `full`: no space left.
 * - `unreachable`: the object store does not answer, or refuses the credentials.
 * - `io`: any other failure.
 */
export type BlobTrouble = 'full' | 'unreachable' | 'io'

/** The store of bytes failed. `message` is one sentence for the operator, without secrets. Clients get 503. */
export class BlobError extends Error {
  override name = 'BlobError'
  constructor(
    readonly kind: BlobTrouble,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause })
  }
}

/** A new key for bytes with this SHA-256 in hex. The first two characters spread the files over 256 folders. */
export const blobKey = (sha256: string, random: string): string => `${sha256.slice(0, 2)}/${sha256}.${random}`

/** Keys of bytes that were received and are not checked yet begin with this. */
export const WAITING_PREFIX = 'uploads/'

const KEY = /^(?!\.)[\w.-]+(\/(?!\.)[\w.-]+)*$/

export const isKey = (text: string): boolean => KEY.test(text) && text.length <= 500

/** Keys never come from clients, so another text is a mistake in this program, such as one that leads outside of the store. */
export function assertKey(key: string): string {
  if (!isKey(key)) throw new TypeError(`not a key of the blob store: ${JSON.stringify(key)}`)
  return key
}
