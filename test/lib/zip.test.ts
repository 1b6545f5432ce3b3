/** fflate reads the archives, both from the directory at their end and as a stream from their start. */

import { expect, test } from 'bun:test'

import { Unzip, UnzipInflate, unzipSync } from 'fflate'

import { type ZipEntry, zipOf, ZipTooLarge } from '#lib/zip.ts'

const AT = Date.UTC(2024, 10, 20, 8, 30, 14)
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

async function archive(
  entries: Iterable<ZipEntry> | AsyncIterable<ZipEntry>,
  at = AT,
): Promise<Uint8Array<ArrayBuffer>> {
  return Buffer.concat(await Array.fromAsync(zipOf(entries, at)))
}

/** The entries that a streaming reader finds, which sees only the header before each entry. */
function streamed(zip: Uint8Array<ArrayBuffer>): Map<string, { data: Uint8Array; size: number | undefined }> {
  const found = new Map<string, { data: Uint8Array; size: number | undefined }>()
  const reader = new Unzip((file) => {
    const parts: Uint8Array[] = []
    file.ondata = (error, part, final) => {
      if (error) throw error
      parts.push(part)
      if (final) found.set(file.name, { data: Buffer.concat(parts), size: file.originalSize })
    }
    file.start()
  })
  reader.register(UnzipInflate)
  for (let at = 0; at < zip.length; at += 1000) reader.push(zip.subarray(at, at + 1000), at + 1000 >= zip.length)
  return found
}

const ENTRIES = [
  { name: '菜单 😀.png', data: new Uint8Array([0, 1, 2, 253, 254, 255]) },
  { name: 'index.csv', data: bytes('name,content\r\n'.repeat(500)), deflate: true },
  { name: 'folder/empty', data: new Uint8Array(0) },
  { name: 'empty too', data: new Uint8Array(0), deflate: true },
]

test('both kinds of readers find every entry with its name and bytes', async () => {
  const zip = await archive(ENTRIES)
  const files = unzipSync(zip)
  expect(Object.keys(files)).toEqual(ENTRIES.map((entry) => entry.name))
  const stream = streamed(zip)
  for (const { name, data } of ENTRIES) {
    expect<Uint8Array | undefined>(files[name]).toEqual(data)
    expect(stream.get(name)).toEqual({ data: Buffer.from(data), size: data.length })
  }
  expect(zip.length).toBeLessThan(1000)
})

test('the sizes of an entry are in front of it, names are UTF-8, times are UTC', async () => {
  process.env['TZ'] = 'Asia/Shanghai'
  const zip = await archive(ENTRIES)
  process.env['TZ'] = 'UTC'
  const view = new DataView(zip.buffer, zip.byteOffset)
  const flags: number[] = []
  for (let at = 0; view.getUint32(at, true) === 0x04034b50;) {
    flags.push(view.getUint16(at + 6, true))
    expect(view.getUint16(at + 10, true)).toBe((8 << 11) | (30 << 5) | 7)
    expect(view.getUint16(at + 12, true)).toBe((44 << 9) | (11 << 5) | 20)
    at += 30 + view.getUint16(at + 26, true) + view.getUint32(at + 18, true)
  }
  expect(flags).toEqual(ENTRIES.map(() => 0x0800))
})

test('times outside the range of the format become its first or last day', async () => {
  for (const [at, date] of [
    [0, (0 << 9) | (1 << 5) | 1],
    [Date.UTC(2200, 0, 1), (127 << 9) | (12 << 5) | 31],
  ] as const) {
    const zip = await archive([{ name: 'a', data: bytes('a') }], at)
    expect(new DataView(zip.buffer, zip.byteOffset).getUint16(12, true)).toBe(date)
  }
})

test('an archive without entries is valid', async () => {
  const zip = await archive([])
  expect(zip.length).toBe(22)
  expect(unzipSync(zip)).toEqual({})
})

async function* text(pieces: number, onPiece: (i: number) => void = () => {}): AsyncGenerator<Uint8Array> {
  try {
    for (let i = 0; i < pieces; i++) {
      onPiece(i)
      // Digits of a large power, which hardly compress.
      yield bytes(String(3n ** BigInt(20_000 + i)))
    }
  } finally {
    onPiece(-1)
  }
}

test('both kinds of readers find an entry of unknown length between others', async () => {
  const whole = Buffer.concat(await Array.fromAsync(text(20)))
  const zip = await archive([
    ENTRIES[0]!,
    { name: 'long', pieces: text(20) },
    { name: 'none', pieces: text(0) },
    ENTRIES[1]!,
  ])
  const files = unzipSync(zip)
  expect(Object.keys(files)).toEqual([ENTRIES[0]!.name, 'long', 'none', ENTRIES[1]!.name])
  expect<Uint8Array | undefined>(files['long']).toEqual(new Uint8Array(whole))
  expect(files['none']).toHaveLength(0)
  expect<Uint8Array | undefined>(files[ENTRIES[1]!.name]).toEqual(ENTRIES[1]!.data)
  const stream = streamed(zip)
  expect(whole.equals(stream.get('long')!.data)).toBe(true)
  expect<Uint8Array>(stream.get('index.csv')!.data).toEqual(Buffer.from(ENTRIES[1]!.data))
})

test('the pieces of an entry are requested as the reader takes them, and no longer after the reader stops', async () => {
  const asked: number[] = []
  const pieces = zipOf([{ name: 'long', pieces: text(1000, (i) => asked.push(i)) }], AT)
  await pieces.next()
  expect(asked).toEqual([])
  for (let i = 0; i < 3; i++) await pieces.next()
  expect(asked.length).toBeLessThan(50)
  await pieces.return()
  while (asked.at(-1) !== -1) await Bun.sleep(1)
  expect(asked.length).toBeLessThan(60)
})

test('an error while an entry is read ends the archive with that error, as does the limit of its size', async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield bytes('a')
    throw new Error('gone')
  }
  expect(archive([{ name: 'a', pieces: broken() }])).rejects.toThrow('gone')
  expect(Array.fromAsync(zipOf([{ name: 'a', pieces: text(100) }], AT, { maxBytes: 10_000 }))).rejects.toThrow(
    ZipTooLarge,
  )
})

test('entries are requested one by one, and no longer after the reader stops', async () => {
  const asked: number[] = []
  async function* entries(): AsyncGenerator<ZipEntry> {
    try {
      for (let i = 0; i < 100; i++) {
        asked.push(i)
        yield { name: `${i}`, data: bytes('x') }
      }
    } finally {
      asked.push(-1)
    }
  }
  const pieces = zipOf(entries(), AT)
  await pieces.next()
  expect(asked).toEqual([0])
  await pieces.next()
  expect(asked).toEqual([0, 1])
  await pieces.return()
  expect(asked).toEqual([0, 1, -1])
})

test('an error of an entry ends the archive with that error', async () => {
  async function* entries(): AsyncGenerator<ZipEntry> {
    yield { name: 'a', data: bytes('a') }
    throw new Error('gone')
  }
  expect(archive(entries())).rejects.toThrow('gone')
})

test('65,535 entries are refused, 65,534 are not', async () => {
  const data = new Uint8Array(0)
  const many = (count: number): Iterable<ZipEntry> => Array.from({ length: count }, (_, i) => ({ name: `${i}`, data }))
  expect(Object.keys(unzipSync(await archive(many(65_534)))).length).toBe(65_534)
  expect(archive(many(65_535))).rejects.toThrow(ZipTooLarge)
})

test('an archive that would exceed its maximum by one byte is refused before the excess is written', async () => {
  const entries = [1, 2, 3].map((n) => ({ name: `${n}`, data: new Uint8Array(1000) }))
  const size = (await archive(entries)).length
  for (const most of [size, size - 1, 3000, 100]) {
    let written = 0
    const pieces = zipOf(entries, AT, { maxBytes: most })
    const writing = (async () => {
      for await (const piece of pieces) written += piece.length
    })()
    if (most === size) await writing
    else expect(writing).rejects.toThrow(ZipTooLarge)
    await writing.catch(() => {})
    expect(written).toBeLessThanOrEqual(most)
  }
})

test('dense entries of any pieces are read back, and are hardly longer than their bytes', async () => {
  const pieces = [0, 1, 65_535, 65_536, 200_000].map((size) =>
    crypto.getRandomValues(new Uint8Array(Math.min(size, 65_536))).slice(0, size),
  )
  pieces.push(new Uint8Array(300_000).fill(7))
  async function* given() {
    yield* pieces
  }
  const bytes = Buffer.concat(pieces)
  const zip = await archive([{ name: 'photo', pieces: given(), isDense: true }])
  expect(Buffer.compare(unzipSync(zip)['photo']!, bytes)).toBe(0)
  expect(zip.length).toBeLessThan(bytes.length + 300)
  const written: Uint8Array[] = []
  let last: Uint8Array | undefined
  // A reader that has written a piece only when the next one has come.
  for await (const piece of zipOf([{ name: 'photo', pieces: given(), isDense: true }], AT, { reusesBuffers: true })) {
    if (last !== undefined) written.push(last.slice())
    last = piece
  }
  written.push(last!)
  expect(Buffer.compare(unzipSync(Buffer.concat(written))['photo']!, bytes)).toBe(0)
})

test('a large archive has more entries than the old format counts', async () => {
  const data = new Uint8Array(0)
  const entries = Array.from({ length: 65_600 }, (_, i) => ({ name: `${i}`, data }))
  const zip = Buffer.concat(await Array.fromAsync(zipOf(entries, AT, { isLarge: true })))
  expect(Object.keys(unzipSync(zip)).length).toBe(65_600)
})
