/** Recordings of browsers are recognized by their bytes, and hostile ones are refused. The lengths of recordings follow from their contents. */

import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import { type Media, mediaOf } from '#lib/file-type.ts'

const FIXTURES = join(import.meta.dir, '../fixtures/voice')
const fixture = (name: string): Promise<Uint8Array> => Bun.file(join(FIXTURES, name)).bytes()
const media = (...parts: readonly Uint8Array[]): Promise<Media | undefined> =>
  mediaOf(new Blob(parts as Uint8Array<ArrayBuffer>[]))

const latin1 = (characters: string): Uint8Array => new Uint8Array(Buffer.from(characters, 'latin1'))
const joined = (...parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts))

/** An element of EBML. `size` as it is written, 8 bytes; by default the true one. */
function element(id: number, content: Uint8Array | string, size = content.length): Uint8Array {
  const head = Buffer.alloc(8)
  head.writeBigUInt64BE(0x0100_0000_0000_0000n + BigInt(size))
  const digits = id.toString(16)
  return joined(Buffer.from(digits, 'hex'), head, typeof content === 'string' ? latin1(content) : content)
}
const UNKNOWN = 0xff_ffff_ffff_ffff
const unknownSize = (id: number): Uint8Array =>
  joined(Buffer.from(id.toString(16), 'hex'), Buffer.from('01ffffffffffffff', 'hex'))

const OPUS_HEAD = 'OpusHead\x01\x01\0\0\x80\xbb\0\0\0\0\0'
/** 20 ms of silence. */
const PACKET = '\xf8\xff\xfe'
const HEADER = element(0x1a45dfa3, element(0x4282, 'webm'))
const track = (type = '\x02', codec = 'A_OPUS', more: readonly Uint8Array[] = []): Uint8Array =>
  element(
    0xae,
    joined(element(0xd7, '\x01'), element(0x83, type), element(0x86, codec), element(0x63a2, OPUS_HEAD), ...more),
  )
const tracks = (...list: readonly Uint8Array[]): Uint8Array => element(0x1654ae6b, joined(...list))
const block = (ticks: number, packet = PACKET, flags = '\x80', number = '\x81'): Uint8Array =>
  element(0xa3, joined(latin1(number), latin1(String.fromCharCode(ticks >> 8, ticks & 0xff)), latin1(flags + packet)))
const cluster = (seconds: number, ...blocks: readonly Uint8Array[]): Uint8Array => {
  const timestamp = Buffer.alloc(4)
  timestamp.writeUInt32BE(seconds * 1000)
  return element(0x1f43b675, joined(element(0xe7, timestamp), ...blocks))
}
const webm = (...parts: readonly Uint8Array[]): Uint8Array => joined(HEADER, element(0x18538067, joined(...parts)))
const SOUND = [tracks(track()), cluster(0, block(0), block(20))] as const

/** A page of Ogg. Its checksum is not looked at. */
function page(
  number: number,
  position: bigint,
  packets: readonly string[],
  { flags = 0, serial = 7 } = {},
): Uint8Array {
  const head = Buffer.alloc(27)
  head.write('OggS')
  head[5] = flags
  head.writeBigInt64LE(position, 6)
  head.writeUInt32LE(serial, 14)
  head.writeUInt32LE(number, 18)
  const lengths = packets.flatMap((packet) => [
    ...Array.from({ length: Math.floor(packet.length / 255) }, () => 255),
    packet.length % 255,
  ])
  head[26] = lengths.length
  return joined(head, Uint8Array.from(lengths), latin1(packets.join('')))
}
const OGG_START = [page(0, 0n, [OPUS_HEAD], { flags: 2 }), page(1, 0n, ['OpusTags'])]

describe('recordings of browsers', () => {
  const RECORDED: readonly (readonly [name: string, type: string, from: number | null, to: number])[] = [
    ['chromium.webm', 'audio/webm', 340, 440],
    ['firefox.webm', 'audio/webm', 340, 440],
    ['firefox.ogg', 'audio/ogg', 340, 440],
    // The brand of the file is that of videos.
    ['chromium.mp4', 'audio/mp4', null, 0],
  ]
  for (const [name, type, from, to] of RECORDED)
    test(`${name} is recognized with its length`, async () => {
      const found = await media(await fixture(name))
      expect(found?.type).toBe(type as never)
      if (from === null) return expect(found?.durationMs).toBeNull()
      expect(found!.durationMs).toBeGreaterThan(from)
      expect(found!.durationMs).toBeLessThan(to)
    })

  for (const name of ['chromium.webm', 'firefox.webm', 'firefox.ogg'])
    test(`${name} that is cut off anywhere, or has another byte anywhere, is read to an end`, async () => {
      const whole = await fixture(name)
      const { durationMs } = (await media(whole))!
      for (let at = 0; at < whole.length; at += whole.length > 3000 ? 7 : 1) {
        const cut = await media(whole.subarray(0, at))
        if (cut?.durationMs != null) expect(cut.durationMs).toBeLessThanOrEqual(durationMs!)
        const changed = whole.slice()
        changed[at] = whole[at]! ^ 0xff
        const found = await media(changed)
        if (found?.durationMs != null) expect(found.durationMs).toBeGreaterThan(0)
      }
    })
})

describe('WebM', () => {
  test('has the length of its blocks, also if it begins late, claims a wrong one, or its clusters have no sizes', async () => {
    const opus = (durationMs: number) => ({ type: 'audio/webm' as const, durationMs })
    expect(await media(webm(...SOUND))).toEqual(opus(40))
    expect(await media(webm(tracks(track()), cluster(60, block(0)), cluster(63, block(0))))).toEqual(opus(3020))
    const oneHour = element(0x1549a966, joined(element(0x2ad7b1, '\x0f\x42\x40'), element(0x4489, '\x4a\x5b\xba\0')))
    expect(await media(webm(oneHour, ...SOUND))).toEqual(opus(40))
    const open = joined(
      unknownSize(0x1f43b675),
      element(0xe7, '\0'),
      block(0),
      unknownSize(0x1f43b675),
      element(0xe7, '\x64'),
      block(0),
    )
    expect(await media(joined(HEADER, unknownSize(0x18538067), tracks(track()), open))).toEqual(opus(120))
    const group = element(0xa0, element(0xa1, joined(latin1('\x81\0\x28\0'), latin1(PACKET))))
    expect(await media(webm(tracks(track()), cluster(0, block(0), group)))).toEqual(opus(60))
  })

  test('is as long as its packets if its timestamps say less', async () => {
    const blocks = Array.from({ length: 500 }, () => block(0))
    expect(await media(webm(tracks(track()), cluster(0, ...blocks)))).toMatchObject({ durationMs: 10_000 })
  })

  const page = '<html><script>alert(1)</script></html>'
  const HOSTILE: readonly (readonly [name: string, content: () => Uint8Array])[] = [
    ['a video', () => webm(tracks(track('\x01', 'V_VP8')), SOUND[1])],
    ['a video beside the sound', () => webm(tracks(track(), track('\x01', 'V_VP8')), SOUND[1])],
    ['a track that is sound and video', () => webm(tracks(track('\x02', 'A_OPUS', [element(0x83, '\x01')])), SOUND[1])],
    ['another codec', () => webm(tracks(track('\x02', 'A_VORBIS')), SOUND[1])],
    ['an encrypted track', () => webm(tracks(track('\x02', 'A_OPUS', [element(0x6d80, '')])), SOUND[1])],
    ['Matroska', () => joined(element(0x1a45dfa3, element(0x4282, 'matroska')), element(0x18538067, joined(...SOUND)))],
    [
      'two types of document',
      () =>
        joined(
          element(0x1a45dfa3, joined(element(0x4282, 'webm'), element(0x4282, 'matroska'))),
          element(0x18538067, joined(...SOUND)),
        ),
    ],
    ['no sound', () => webm(tracks(track()))],
    ['an empty cluster', () => webm(tracks(track()), cluster(0))],
    ['no tracks', () => webm(SOUND[1])],
    ['the tracks behind the sound', () => webm(SOUND[1], SOUND[0])],
    ['two lists of tracks', () => webm(SOUND[0], ...SOUND)],
    ['blocks of another track', () => webm(tracks(track()), cluster(0, block(0, PACKET, '\x80', '\x82')))],
    ['an attached page', () => webm(...SOUND, element(0x1941a469, page))],
    ['a page behind the sound', () => joined(webm(...SOUND), latin1(page))],
    ['a page before the sound', () => joined(latin1(page), webm(...SOUND))],
    ['an element that is larger than the file', () => webm(SOUND[0], element(0x1f43b675, '', UNKNOWN - 1))],
    [
      'a block that is larger than its cluster',
      () =>
        webm(
          SOUND[0],
          element(0x1f43b675, joined(element(0xe7, '\0'), element(0xa3, `\x81\0\0\x80${PACKET}`, 900))),
          element(0xec, ' '.repeat(1000)),
        ),
    ],
    ['a header without an end', () => joined(unknownSize(0x1a45dfa3), element(0x18538067, joined(...SOUND)))],
    [
      'a header of a megabyte',
      () =>
        joined(
          element(0x1a45dfa3, joined(element(0x4282, 'webm'), element(0xec, 'x'.repeat(1 << 20)))),
          element(0x18538067, joined(...SOUND)),
        ),
    ],
    [
      'segments in segments',
      () => joined(HEADER, ...Array.from({ length: 100 }, () => unknownSize(0x18538067)), ...SOUND),
    ],
    ['clusters in clusters', () => webm(SOUND[0], element(0x1f43b675, cluster(0, block(0))))],
    ['a packet with no frames', () => webm(SOUND[0], cluster(0, block(0, '\xfb\0')))],
    ['a packet of a second', () => webm(SOUND[0], cluster(0, block(0, '\xfb\x3f')))],
    ['a clock that does not move', () => webm(element(0x1549a966, element(0x2ad7b1, '\0')), ...SOUND)],
    [
      'a million empty elements',
      () =>
        webm(
          SOUND[0],
          SOUND[1],
          new Uint8Array(2_000_000).fill(0xec).map((byte, i) => (i % 2 === 0 ? byte : 0x80)),
        ),
    ],
    ['only the first bytes', () => latin1('\x1a\x45\xdf\xa3')],
  ]
  for (const [name, content] of HOSTILE)
    test(`with ${name} is refused`, async () => {
      expect(await media(content())).toBeUndefined()
    })
})

describe('Ogg', () => {
  test('has the length of its positions without what players skip, and at least that of its packets', async () => {
    const skipping = page(0, 0n, [OPUS_HEAD.replace('\x01\x01\0\0', '\x01\x01\xc0\x03')], { flags: 2 })
    expect(
      await media(
        skipping,
        page(1, 0n, ['OpusTags']),
        page(
          2,
          48_000n,
          Array.from({ length: 50 }, () => PACKET),
        ),
      ),
    ).toEqual({
      type: 'audio/ogg',
      durationMs: 980,
    })
    // A recording of a live stream begins at any position.
    expect(await media(...OGG_START, page(2, 4_800_960n, [PACKET]), page(3, 4_848_000n, [PACKET]))).toMatchObject({
      durationMs: 1000,
    })
    expect(
      await media(
        ...OGG_START,
        page(
          2,
          960n,
          Array.from({ length: 200 }, () => PACKET),
        ),
      ),
    ).toMatchObject({ durationMs: 4000 })
  })

  const sound = page(2, 960n, [PACKET])
  const HOSTILE: readonly (readonly [name: string, content: () => readonly Uint8Array[]])[] = [
    [
      'Vorbis',
      () => [
        page(0, 0n, ['\x01vorbis\0\0\0\0\x02\x44\xac\0\0\0\0\0'], { flags: 2 }),
        page(1, 0n, ['\x03vorbis']),
        sound,
      ],
    ],
    ['a video', () => [page(0, 0n, ['\x80theora\x03\x02\x01'], { flags: 2 }), sound]],
    [
      'a second stream',
      () => [OGG_START[0]!, page(0, 0n, ['\x80theora'], { flags: 2, serial: 8 }), OGG_START[1]!, sound],
    ],
    ['a stream behind the first', () => [...OGG_START, sound, ...OGG_START, sound]],
    ['no comments', () => [OGG_START[0]!, sound]],
    ['no sound', () => OGG_START],
    ['empty packets', () => [...OGG_START, page(2, 0n, ['', ''])]],
    ['a negative position', () => [...OGG_START, page(2, -5n, [PACKET])]],
    ['half a page', () => [...OGG_START, sound.subarray(0, -1)]],
    ['a page of text behind it', () => [...OGG_START, sound, latin1('<script>alert(1)</script>')]],
    [
      'a hundred thousand empty pages',
      () => [...OGG_START, sound, joined(...Array.from({ length: 100_001 }, () => page(3, -1n, [])))],
    ],
    ['only the first bytes', () => [latin1('OggS')]],
  ]
  for (const [name, content] of HOSTILE)
    test(`with ${name} is refused`, async () => {
      expect(await media(...content())).toBeUndefined()
    })
})

describe('MP4', () => {
  const box = (type: string, ...content: readonly Uint8Array[]): Uint8Array => {
    const body = joined(...content)
    const head = Buffer.alloc(8)
    head.writeUInt32BE(8 + body.length)
    head.write(type, 4)
    return joined(head, body)
  }
  const trak = (handler: string): Uint8Array =>
    box('trak', box('mdia', box('hdlr', latin1(`\0\0\0\0\0\0\0\0${handler}`))))
  const FTYP = box('ftyp', latin1('isom\0\0\0\0'))

  test('is a sound if it has tracks of sound only, and otherwise what its brand says', async () => {
    const typeOf = async (...parts: readonly Uint8Array[]) => (await media(FTYP, ...parts))?.type
    expect(await typeOf(box('moov', trak('soun')))).toBe('audio/mp4')
    expect(await typeOf(box('mdat', new Uint8Array(5000)), box('moov', box('mvhd'), trak('soun')))).toBe('audio/mp4')
    expect(await typeOf(box('moov', trak('soun'), trak('vide')))).toBe('video/mp4')
    expect(await typeOf(box('moov', trak('vide')))).toBe('video/mp4')
    expect(await typeOf(box('moov'))).toBe('video/mp4')
    expect(await typeOf(box('moov', trak('soun')).subarray(0, -4))).toBe('video/mp4')
    expect(await typeOf(latin1('\0\0\0\x04moov'), box('moov', trak('soun')))).toBe('video/mp4')
  })
})
