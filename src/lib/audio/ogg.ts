/** Reads Ogg files with one stream of Opus (RFC 3533, RFC 7845). */

import { Malformed, packetMs, Pieces, preSkipOf, unlessMalformed } from './opus.ts'

const HEADER = 27
/** The longest page. */
const PAGE = HEADER + 255 + 255 * 255
/** Of a file. Browsers write one for each second or less; more are not read, so that no file keeps the server busy. */
const MAX_PAGES = 100_000
const SAMPLES_PER_MS = 48
const BEGINS = 2
const CONTINUES = 1
/** The position of a page in which no packet ends. */
const NO_POSITION = 0xffff_ffff_ffff_ffffn

/**
 * Milliseconds of sound; undefined unless the whole file is one stream of Opus with sound. Positions that are written in the file can be wrong on purpose, so the
 * packets are added up, too, and the longer time counts.
 */
export const oggOpusMs = (file: Blob): Promise<number | undefined> => unlessMalformed(() => parse(new Pieces(file)))

interface Page {
  readonly flags: number
  readonly position: bigint
  readonly serial: number
  /** Lengths of the parts of packets; one of 255 bytes continues in the next. */
  readonly lengths: Uint8Array
  readonly body: Uint8Array
}

async function parse(pieces: Pieces): Promise<number> {
  const stream = new Stream()
  let pages = 0
  for (let at = 0; at < pieces.size;) {
    if (++pages > MAX_PAGES) throw new Malformed('too many pages')
    const bytes = await pieces.upTo(at, PAGE)
    const page = pageOf(bytes)
    stream.add(page)
    at += HEADER + page.lengths.length + page.body.length
  }
  return stream.ms()
}

function pageOf(bytes: Uint8Array): Page {
  if (bytes.length < HEADER || Buffer.from(bytes.subarray(0, 5)).toString('latin1') !== 'OggS\0')
    throw new Malformed('not a page of Ogg')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const start = HEADER + bytes[26]!
  const lengths = bytes.subarray(HEADER, start)
  const length = lengths.reduce((sum, part) => sum + part, 0)
  if (start + length > bytes.length) throw new Malformed('the page ends too early')
  return {
    flags: bytes[5]!,
    position: view.getBigUint64(6, true),
    serial: view.getUint32(14, true),
    lengths,
    body: bytes.subarray(start, start + length),
  }
}

/** Adds up the packets of the pages. */
class Stream {
  #serial: number | undefined
  #packets = 0
  #preSkip = 0
  /** A packet continues on the next page. */
  #isOpen = false
  #packetsMs = 0
  /** The position before the first packet with sound; recordings of a live stream do not begin at 0. */
  #start: number | undefined
  #end = 0

  add({ flags, position, serial, lengths, body }: Page): void {
    this.#serial ??= serial
    const isFirst = this.#packets === 0
    const fits =
      serial === this.#serial && ((flags & BEGINS) !== 0) === isFirst && ((flags & CONTINUES) !== 0) === this.#isOpen
    if (!fits) throw new Malformed('the pages are not those of one stream')
    let at = 0
    let ms = 0
    for (const length of lengths) {
      if (!this.#isOpen) ms += this.#begin(body.subarray(at, at + length))
      this.#isOpen = length === 255
      at += length
    }
    this.#packetsMs += ms
    if (this.#packets <= 2 || position === NO_POSITION) return
    if (position > BigInt(Number.MAX_SAFE_INTEGER)) throw new Malformed('the position is negative or too high')
    this.#start ??= Math.max(0, Number(position) - ms * SAMPLES_PER_MS)
    this.#end = Math.max(this.#end, Number(position))
  }

  /** Milliseconds of a packet, by the part of it that is on its first page. */
  #begin(part: Uint8Array): number {
    this.#packets += 1
    if (this.#packets === 1) this.#preSkip = preSkipOf(part)
    else if (this.#packets === 2) {
      if (Buffer.from(part.subarray(0, 8)).toString('latin1') !== 'OpusTags') throw new Malformed('no comments')
    } else if (part.length > 0) return packetMs(part[0]!, part[1])
    return 0
  }

  ms(): number {
    const samples = this.#end - (this.#start ?? 0) - this.#preSkip
    const ms = Math.round(Math.max(samples / SAMPLES_PER_MS, this.#packetsMs - this.#preSkip / SAMPLES_PER_MS))
    if (ms <= 0) throw new Malformed('no sound')
    return ms
  }
}
