/** Sound in Opus (RFC 6716), as browsers record it. */

import { pause } from '../pause.ts'

/** The file has another format than its header says, or ends too early. */
export class Malformed extends Error {
  override readonly name = 'Malformed'
}

/** A packet has at most this much sound (RFC 6716, 3.2.5). */
const MAX_PACKET_MS = 120

/** Milliseconds of each frame, by the first two bits of the configuration that matter (RFC 6716, table 2). */
const SILK = [10, 20, 40, 60]
const HYBRID = [10, 20]
const CELT = [2.5, 5, 10, 20]

/** Milliseconds of sound in a packet, by its first two bytes. @throws Malformed */
export function packetMs(first: number, second: number | undefined): number {
  const config = first >> 3
  const frame = config < 12 ? SILK[config & 3]! : config < 16 ? HYBRID[config & 1]! : CELT[config & 3]!
  const code = first & 3
  const frames = code === 0 ? 1 : code < 3 ? 2 : (second ?? 0) & 0x3f
  const ms = frames * frame
  if (frames === 0 || ms > MAX_PACKET_MS) throw new Malformed('a packet of Opus has no frames, or too many')
  return ms
}

const HEAD = Buffer.from('OpusHead')

/** The samples at 48 kHz to skip at the start of a stream, by its header (RFC 7845, 5.1). @throws Malformed */
export function preSkipOf(header: Uint8Array): number {
  const isHead = header.length >= 19 && HEAD.equals(header.subarray(0, 8)) && header[8]! < 16 && header[9]! > 0
  if (!isHead) throw new Malformed('not the header of an Opus stream')
  return header[10]! | (header[11]! << 8)
}

/** Bytes that are in memory at a time. */
const WINDOW = 256 * 1024
/** Reads after which others get a turn: a millisecond or two. */
const READS_PER_TURN = 2000

/** Reads a file from its start to its end in pieces, and passes over what nobody needs. */
export class Pieces {
  #reads = 0
  #start = 0
  #bytes: Uint8Array = new Uint8Array()

  constructor(readonly file: Blob) {}

  get size(): number {
    return this.file.size
  }

  /** At most `WINDOW`. @throws Malformed if the file ends before them */
  async read(at: number, length: number): Promise<Uint8Array> {
    if (length > WINDOW || at + length > this.size) throw new Malformed('the file ends too early')
    if (++this.#reads % READS_PER_TURN === 0) await pause()
    if (at < this.#start || at + length > this.#start + this.#bytes.length) {
      this.#start = at
      this.#bytes = await this.file.slice(at, at + WINDOW).bytes()
    }
    return this.#bytes.subarray(at - this.#start, at - this.#start + length)
  }

  /** As `read`, but fewer bytes at the end of the file. */
  upTo(at: number, length: number): Promise<Uint8Array> {
    return this.read(at, Math.max(0, Math.min(length, this.size - at)))
  }
}

/** The result of a parser; undefined for bytes that it does not accept. */
export async function unlessMalformed<T>(parse: () => Promise<T>): Promise<T | undefined> {
  try {
    return await parse()
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}
