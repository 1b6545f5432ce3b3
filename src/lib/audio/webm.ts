/**
 * Reads WebM files with one track of Opus (RFC 8794, RFC 9559). Browsers write a recording as it comes, so the header has no duration and the
 * clusters have no sizes: the length follows from the blocks.
 */

import { Malformed, packetMs, Pieces, preSkipOf, unlessMalformed } from './opus.ts'

const ID = {
  ebml: 0x1a45dfa3,
  docType: 0x4282,
  maxIdLength: 0x42f2,
  maxSizeLength: 0x42f3,
  segment: 0x18538067,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  tracks: 0x1654ae6b,
  track: 0xae,
  trackNumber: 0xd7,
  trackType: 0x83,
  codec: 0x86,
  codecPrivate: 0x63a2,
  encodings: 0x6d80,
  cluster: 0x1f43b675,
  timestamp: 0xe7,
  simpleBlock: 0xa3,
  blockGroup: 0xa0,
  block: 0xa1,
  void: 0xec,
  crc: 0xbf,
} as const

/** Passed over: seek head, cues, tags and chapters. Files can be attached in Matroska, but not in WebM. */
const PASSED: ReadonlySet<number> = new Set([0x114d9b74, 0x1c53bb6b, 0x1254c367, 0x1043a770, ID.void, ID.crc])
/** Children of clusters and block groups that say nothing about the length. */
const PASSED_IN_CLUSTER: ReadonlySet<number> = new Set([
  0xa7, // position
  0xab, // size of the cluster before
  0x9b, // duration of a block
  0x75a2, // sound to drop at the end
  0xfb, // reference
  ID.void,
  ID.crc,
])

const AUDIO = 2
const UNKNOWN = Infinity
/** Bytes of an ID and a size. */
const HEADER = 12
/** Bytes of a header element that is read whole: those of recordings have some hundred. */
const MAX_HEADER_ELEMENT = 64 * 1024
/** Elements of a file. With blocks of 20 ms they are 100 minutes; more are not read, so that no file keeps the server busy. */
const MAX_ELEMENTS = 300_000
const NS_PER_MS = 1e6

/**
 * Milliseconds of sound; undefined unless the whole file is WebM with one track, of Opus, and sound in it. Timestamps can be wrong on purpose, so the packets
 * are added up, too, and the longer time counts.
 */
export const webmOpusMs = (file: Blob): Promise<number | undefined> =>
  unlessMalformed(() => new Recording(new Pieces(file)).read())

interface Element {
  readonly id: number
  /** Of its content. */
  readonly start: number
  readonly size: number
}

class Recording {
  #elements = 0
  #msPerTick = 1
  #track: number | undefined
  #hasInfo = false
  /** Of the cluster, in ticks. */
  #timestamp = 0
  #first = Infinity
  #last = 0
  #packetsMs = 0

  constructor(readonly pieces: Pieces) {}

  async read(): Promise<number> {
    const header = await this.#element(0)
    if (header.id !== ID.ebml) throw new Malformed('not EBML')
    checkHeader(await this.#content(header))
    let at = header.start + header.size
    let segment = await this.#element(at)
    while (segment.id === ID.void) {
      at = segment.start + segment.size
      segment = await this.#element(at)
    }
    if (segment.id !== ID.segment) throw new Malformed('no segment')
    if (segment.size !== UNKNOWN && segment.start + segment.size !== this.pieces.size)
      throw new Malformed('the segment does not end with the file')
    await this.#segment(segment.start)
    const ms = Math.round(Math.max(this.#last - this.#first, this.#packetsMs))
    if (!(ms > 0)) throw new Malformed('no sound')
    return ms
  }

  /** Passes through the segment and its clusters in one loop. A cluster of unknown size ends where an element of the segment begins. */
  async #segment(start: number): Promise<void> {
    let clusterEnd: number | undefined
    let groupEnd = 0
    for (let at = start; at < this.pieces.size;) {
      if (at === clusterEnd) clusterEnd = undefined
      const element = await this.#element(at)
      const { id, size } = element
      if (id === ID.cluster) {
        if (clusterEnd !== undefined && clusterEnd !== UNKNOWN) throw new Malformed('a cluster in a cluster')
        if (this.#track === undefined) throw new Malformed('blocks before the tracks')
        clusterEnd = element.start + size
        at = element.start
        continue
      }
      if (size === UNKNOWN) throw new Malformed('only segments and clusters may have no size')
      const end = element.start + size
      if (clusterEnd !== undefined && (await this.#inCluster(element))) {
        const parentEnd = at < groupEnd ? groupEnd : clusterEnd
        if (end > parentEnd) throw new Malformed('an element is longer than its parent')
        if (id === ID.blockGroup) groupEnd = end
        at = id === ID.blockGroup ? element.start : end
        continue
      }
      if (clusterEnd !== undefined && clusterEnd !== UNKNOWN) throw new Malformed('unknown element of a cluster')
      clusterEnd = undefined
      await this.#inSegment(element)
      at = end
    }
    if (clusterEnd !== undefined && clusterEnd !== UNKNOWN && clusterEnd !== this.pieces.size)
      throw new Malformed('the last cluster ends too early')
  }

  async #inSegment(element: Element): Promise<void> {
    if (element.id === ID.info) this.#readInfo(await this.#content(element))
    else if (element.id === ID.tracks) this.#readTracks(await this.#content(element))
    else if (!PASSED.has(element.id)) throw new Malformed('unknown element of the segment')
  }

  /** False if the element is not a child of clusters. */
  async #inCluster(element: Element): Promise<boolean> {
    const { id, start, size } = element
    if (id === ID.timestamp) this.#timestamp = uint(await this.#content(element))
    else if (id === ID.simpleBlock || id === ID.block)
      this.#readBlock(await this.pieces.read(start, Math.min(size, 16)))
    else return id === ID.blockGroup || PASSED_IN_CLUSTER.has(id)
    return true
  }

  #readInfo(bytes: Uint8Array): void {
    if (this.#hasInfo) throw new Malformed('a second header')
    this.#hasInfo = true
    const scale = childOf(bytes, ID.timestampScale)
    if (scale !== undefined) this.#msPerTick = uint(scale) / NS_PER_MS
    if (this.#msPerTick === 0) throw new Malformed('time does not pass')
  }

  #readTracks(bytes: Uint8Array): void {
    if (this.#track !== undefined) throw new Malformed('a second list of tracks')
    const tracks = [...childrenOf(bytes)].filter(({ id }) => id !== ID.void && id !== ID.crc)
    const [track] = tracks
    if (tracks.length !== 1 || track!.id !== ID.track) throw new Malformed('not one track')
    const value = (id: number): Uint8Array => {
      const found = childOf(track!.data, id)
      if (found === undefined) throw new Malformed('a field of the track is missing')
      return found
    }
    if (uint(value(ID.trackType)) !== AUDIO || text(value(ID.codec)) !== 'A_OPUS') throw new Malformed('not Opus')
    if (childOf(track!.data, ID.encodings) !== undefined) throw new Malformed('compressed or encrypted')
    preSkipOf(value(ID.codecPrivate))
    this.#track = uint(value(ID.trackNumber))
  }

  /** `head`: the first bytes of a block: track, time within the cluster, flags, and the packet. */
  #readBlock(head: Uint8Array): void {
    const { value: track, length } = vint(head, 0)
    if (track !== this.#track || head.length < length + 4) throw new Malformed('not a block of the track')
    const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
    const ticks = this.#timestamp + view.getInt16(length)
    // Browsers and ffmpeg write one packet into a block. The length of several ("lacing") would need a parser of its own.
    if ((head[length + 2]! & 0x06) !== 0) throw new Malformed('several packets in a block')
    const ms = packetMs(head[length + 3]!, head[length + 4])
    const at = ticks * this.#msPerTick
    this.#first = Math.min(this.#first, at)
    this.#last = Math.max(this.#last, at + ms)
    this.#packetsMs += ms
  }

  async #element(at: number): Promise<Element> {
    if (++this.#elements > MAX_ELEMENTS) throw new Malformed('too many elements')
    const bytes = await this.pieces.upTo(at, HEADER)
    const { id, start, size } = elementAt(bytes, 0)
    if (size !== UNKNOWN && at + start + size > this.pieces.size) throw new Malformed('longer than the file')
    return { id, start: at + start, size }
  }

  async #content({ start, size }: Element): Promise<Uint8Array> {
    if (size > MAX_HEADER_ELEMENT) throw new Malformed('a header element is too long')
    return this.pieces.read(start, size)
  }
}

function checkHeader(bytes: Uint8Array): void {
  const docType = childOf(bytes, ID.docType)
  if (docType === undefined || text(docType) !== 'webm') throw new Malformed('not WebM')
  const [idLength, sizeLength] = [childOf(bytes, ID.maxIdLength), childOf(bytes, ID.maxSizeLength)]
  if ((idLength && uint(idLength) > 4) || (sizeLength && uint(sizeLength) > 8)) throw new Malformed('too long ids')
}

/** A number whose first bits say how many bytes it has. `value` without them; Infinity if all its bits are 1. */
function vint(bytes: Uint8Array, at: number): { readonly value: number; readonly length: number } {
  const first = bytes[at] ?? 0
  const length = Math.clz32(first) - 23
  if (first === 0 || at + length > bytes.length) throw new Malformed('not a number')
  const mask = 0xff >> length
  let value = first & mask
  let isUnknown = value === mask
  for (let i = 1; i < length; i++) {
    const byte = bytes[at + i]!
    value = value * 256 + byte
    isUnknown &&= byte === 0xff
  }
  return { value: isUnknown ? UNKNOWN : value, length }
}

function elementAt(bytes: Uint8Array, at: number): Element {
  const { length } = vint(bytes, at)
  if (length > 4) throw new Malformed('not an id')
  let id = 0
  for (let i = 0; i < length; i++) id = id * 256 + bytes[at + i]!
  const size = vint(bytes, at + length)
  return { id, start: at + length + size.length, size: size.value }
}

function* childrenOf(bytes: Uint8Array): Generator<{ readonly id: number; readonly data: Uint8Array }> {
  for (let at = 0; at < bytes.length;) {
    const { id, start, size } = elementAt(bytes, at)
    if (start + size > bytes.length) throw new Malformed('an element is longer than its parent')
    yield { id, data: bytes.subarray(start, start + size) }
    at = start + size
  }
}

/** @throws Malformed if there are several, of which players take different ones */
function childOf(bytes: Uint8Array, wanted: number): Uint8Array | undefined {
  const [found, second] = [...childrenOf(bytes)].filter(({ id }) => id === wanted)
  if (second !== undefined) throw new Malformed('a field is there twice')
  return found?.data
}

function uint(bytes: Uint8Array): number {
  if (bytes.length > 8) throw new Malformed('not a number')
  return bytes.reduce((value, byte) => value * 256 + byte, 0)
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1').replace(/\0+$/, '')
