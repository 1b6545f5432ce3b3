/** Pictures of codes with designs, and checks of designs. */

import { expect, test } from 'bun:test'

import { CheckQueue } from '#domains/qr-codes/drawing/check-queue.ts'
import { checkDesign } from '#domains/qr-codes/drawing/drawing.service.ts'
import { PLAIN } from '#lib/qr/design/index.ts'
import { pixelsToPng } from '#lib/qr/design/png.ts'
import { DAY } from '#platform/clock.ts'

import { upload, uploaded } from '../files/helpers.ts'
import { inProcess, ok, type Person, useServer } from '../harness/index.ts'
import { readPdf } from '../lib/pdf-files.ts'
import { chunksOf, readByZxing } from '../lib/qr-pictures.ts'
import { createCode } from './helpers.ts'

const { server, alice, mallory } = useServer({ people: ['alice', 'mallory'] })

const CONTENT = 'https://example.com/menu'
const check = async (body: object, person: Person = alice) =>
  ok(await person.call('qrCodeDesigns.check', { body: { content: CONTENT, ...body } })).data

let counter = 0
/** A picture of one colour, which differs from all others. A picture of a code could be read instead of the right one. */
const plain = (side: number) => {
  const rgba = new Uint8Array(side * side * 4)
  for (let at = 0; at < rgba.length; at += 4) rgba.set([200, 40, ++counter % 250, 255], at)
  return pixelsToPng({ width: side, height: side, rgba })
}

const designed = async (person: Person, fields: object = {}) => {
  const design = ok(
    await person.call('qrCodeDesigns.create', { body: { name: 'Dots', modules: 'DOTS', ...fields } }),
  ).data
  const code = await createCode(person, { name: 'Menu', content: CONTENT, designId: design.id })
  return { design, code }
}
const download = (person: Person, id: number, query = '') => person.send('GET', `/api/qr-codes/${id}/picture?${query}`)
const get = (path: string, headers: Record<string, string> = {}) => server.request('GET', path, { headers })

test('a good design has no problems, and hints about its print', async () => {
  expect(await check({ design: { fg: '1a2b6c', modules: 'ROUNDED' }, widthMm: 37 })).toEqual({
    ok: true,
    symbol: { version: 2, level: 'M', modules: 25 },
    moduleMm: 1.121,
    spare: 100,
    problems: [],
    hints: [{ code: 'READABLE_FROM', message: 'Can be read from about 37 cm' }],
  })
  const small = await check({ design: {}, widthMm: 8 })
  expect(small.hints.map(({ code }) => code)).toEqual(['SMALL_MODULE', 'READABLE_FROM'])
  expect((await check({ design: {} })).hints).toEqual([])
})

test.each([
  [{ fg: '999999' }, 'CONTRAST', 'fg'],
  [{ fg: 'ffffff', bg: '000000' }, 'INVERTED', 'fg'],
  [{ gradient: { type: 'LINEAR', to: 'dddddd', angle: 0 } }, 'CONTRAST', 'gradient.to'],
  [{ eyeColor: 'aaaaaa' }, 'CONTRAST', 'eyeColor'],
] as const)('the design %j has the problem %s', async (design, code, path) => {
  const { ok: isOk, problems } = await check({ design })
  expect(isOk).toBe(false)
  expect(problems).toContainEqual({ code, path, message: expect.any(String) })
})

test('a logo is checked with its level and its size', async () => {
  const fileId = (await uploaded(alice, plain(64), { type: 'qr_code', name: 'logo.png' })).id
  const logo = { fileId, size: 25, plate: 'SQUARE' } as const
  expect((await check({ design: { logo, level: 'M' } })).problems.map(({ code }) => code)).toContain('LEVEL')
  const large = await check({ design: { logo, level: 'Q' }, content: 'a'.repeat(20) })
  expect(large.problems).toEqual([{ code: 'LOGO_TOO_LARGE', path: 'logo.size', message: expect.any(String) }])
  expect(large.spare).toBeLessThan(25)
  expect(await check({ design: { logo: { ...logo, size: 15 } } })).toMatchObject({ ok: true, symbol: { level: 'H' } })
})

test('a content that is too long for the level is a problem', async () => {
  const { symbol, problems } = await check({ design: { level: 'H' }, content: 'ä'.repeat(700) })
  expect(symbol).toBeNull()
  expect(problems).toEqual([{ code: 'LEVEL', path: 'level', message: expect.stringContaining('too long') }])
})

test('a check needs a design and a content, and refuses those of others', async () => {
  const { design, code } = await designed(alice)
  const statusOf = async (person: Person, body: object) =>
    (await person.send('POST', '/api/qr-code-designs/check', { body })).status
  expect(await statusOf(alice, { designId: design.id, qrCodeId: code.id })).toBe(200)
  expect(await statusOf(alice, { content: 'x' })).toBe(400)
  expect(await statusOf(alice, { design: {} })).toBe(400)
  expect(await statusOf(alice, { design: {}, content: 'x', qrCodeId: code.id })).toBe(400)
  expect(await statusOf(alice, { design: {}, content: 'x', widthMm: 7.9 })).toBe(400)
  expect(await statusOf(mallory, { designId: design.id, content: 'x' })).toBe(400)
  expect(await statusOf(mallory, { design: {}, qrCodeId: code.id })).toBe(400)
  expect(
    (await server.request('POST', '/api/qr-code-designs/check', { body: { design: {}, content: 'x' } })).status,
  ).toBe(401)
})

const uint = (value: number, bytes: number): number[] =>
  Array.from({ length: bytes }, (_, i) => (value >> (8 * i)) & 255)

/** A PNG with a second picture, which browsers show in turn with the first one. */
function animatedPng(first: Uint8Array<ArrayBuffer>, second: Uint8Array<ArrayBuffer>, side: number) {
  const chunk = (type: string, data: readonly number[]) => {
    const body = [...Buffer.from(type), ...data]
    const big = (value: number) => uint(value, 4).toReversed()
    return [...big(data.length), ...body, ...big(Bun.hash.crc32(new Uint8Array(body)))]
  }
  const big = (value: number) => uint(value, 4).toReversed()
  const control = (nth: number) => [...big(nth), ...big(side), ...big(side), ...big(0), ...big(0), 0, 1, 0, 10, 0, 0]
  const bytes = [...first.subarray(0, 8)]
  for (const { type, data } of chunksOf(first)) {
    if (type === 'IDAT') bytes.push(...chunk('fcTL', control(0)))
    if (type === 'IEND') {
      const pixels = chunksOf(second).find((one) => one.type === 'IDAT')!.data
      bytes.push(...chunk('fcTL', control(1)), ...chunk('fdAT', [...big(2), ...pixels]))
    }
    bytes.push(...chunk(type, [...data]))
    if (type === 'IHDR') bytes.push(...chunk('acTL', [...big(2), ...big(0)]))
  }
  return new Uint8Array(bytes)
}

/** The same as a WebP. */
function animatedWebp(frames: readonly Uint8Array[], side: number) {
  const chunk = (type: string, data: readonly number[]) => [
    ...Buffer.from(type),
    ...uint(data.length, 4),
    ...data,
    ...(data.length % 2 === 1 ? [0] : []),
  ]
  const size = [...uint(side - 1, 3), ...uint(side - 1, 3)]
  const parts = [
    ...chunk('VP8X', [2, 0, 0, 0, ...size]),
    ...chunk('ANIM', [0, 0, 0, 0, 0, 0]),
    // The file of a frame has its pixels after 12 bytes.
    ...frames.flatMap((file) => chunk('ANMF', [...uint(0, 6), ...size, ...uint(100, 3), 0, ...file.subarray(12)])),
  ]
  return new Uint8Array([...Buffer.from('RIFF'), ...uint(parts.length + 4, 4), ...Buffer.from('WEBP'), ...parts])
}

test('logos are a single pixel, transparent, JPEG or GIF, but neither SVG nor larger than 40 megapixels', async () => {
  const { createCanvas } = await import('@napi-rs/canvas')
  const transparent = pixelsToPng({ width: 60, height: 60, rgba: new Uint8Array(60 * 60 * 4) })
  const photo = new Uint8Array(createCanvas(300, 200).toBuffer('image/jpeg'))
  for (const [bytes, name] of [
    [plain(1), 'one.png'],
    // Stored as the PNG of its first frame.
    [new Uint8Array(Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')), 'one.gif'],
    [transparent, 'glass.png'],
    [photo, 'photo.jpg'],
  ] as const) {
    const file = await uploaded(alice, bytes, { type: 'qr_code', name })
    const design = { logo: { fileId: file.id, size: 15, plate: 'CIRCLE' } } as const
    expect([name, await check({ design })]).toEqual([name, expect.objectContaining({ ok: true })])
  }
  const svg = new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
  expect((await upload(alice, svg, { type: 'qr_code' }, 'logo.svg')).status).toBe(415)
  const huge = pixelsToPng({ width: 8000, height: 8000, rgba: new Uint8Array(8000 * 8000 * 4).fill(255) })
  expect((await upload(alice, huge, { type: 'qr_code' }, 'huge.png')).status).toBe(413)
})

test('of an animated logo, a picture has the first frame', async () => {
  const { createCanvas, loadImage } = await import('@napi-rs/canvas')
  const [first, second] = [
    plain(64),
    pixelsToPng({ width: 64, height: 64, rgba: new Uint8Array(64 * 64 * 4).fill(255) }),
  ]
  const frames = await Promise.all([first, second].map(async (frame) => new Bun.Image(frame).webp().bytes()))
  for (const [bytes, name] of [
    [animatedPng(first, second, 64), 'moving.png'],
    [animatedWebp(frames, 64), 'moving.webp'],
  ] as const) {
    const { id } = await uploaded(alice, bytes, { type: 'qr_code', name })
    const { code } = await designed(alice, { logo: { fileId: id, size: 15, plate: 'NONE' } })
    const image = await loadImage(Buffer.from((await download(alice, code.id, 'size=400')).bytes))
    const context = createCanvas(400, 400).getContext('2d')
    context.drawImage(image, 0, 0)
    const [red, green] = context.getImageData(200, 200, 1, 1).data
    // WebP keeps colours about.
    expect([name, Math.round(red! / 40), Math.round(green! / 40)]).toEqual([name, 5, 1])
  }
})

test('a picture is downloaded as PNG, SVG and PDF, which all hold the content', async () => {
  const { code } = await designed(alice, { eyes: 'CIRCLE', frame: { position: 'BELOW', text: 'Scan me' } })
  const file = await download(alice, code.id, 'size=400')
  expect(file.headers.get('content-disposition')).toBe('attachment; filename="Menu.png"')
  expect((await readByZxing(file.bytes))?.text).toBe(CONTENT)

  const svg = (await download(alice, code.id, 'format=svg&widthMm=42.5')).text
  expect(svg).toContain('width="42.5mm"')
  expect(svg).toContain('<title>Scan me</title>')

  const pdf = (await download(alice, code.id, 'format=pdf')).bytes
  const read = await readPdf(pdf)
  expect(read.title).toBe('Scan me')
  expect((await readByZxing(await read.picture(1, 300)))?.text).toBe(CONTENT)
  const [, width, height] = /MediaBox\[0 0 ([\d.]+) ([\d.]+)\]/.exec(Buffer.from(pdf).toString('latin1'))!
  expect((Number(width) / 72) * 25.4).toBeCloseTo(50, 1)
  expect(Number(height)).toBeGreaterThan(Number(width))
  const bare = (await download(alice, code.id, 'format=pdf&frame=0')).bytes
  const [, w, h] = /MediaBox\[0 0 ([\d.]+) ([\d.]+)\]/.exec(Buffer.from(bare).toString('latin1'))!
  expect(w).toBe(h!)
})

test('a label of 15 mm for a printer with 203 dpi is read, and names its resolution', async () => {
  const { code } = await designed(alice)
  const bytes = (await download(alice, code.id, 'widthMm=15&size=120')).bytes
  expect((await readByZxing(bytes))?.text).toBe(CONTENT)
  const pHYs = chunksOf(bytes).find(({ type }) => type === 'pHYs')!.data
  expect(new DataView(pHYs.buffer, pHYs.byteOffset).getUint32(0)).toBe(Math.round(120 / 0.015))
})

test('a plain code has a picture, too, and others answer 404', async () => {
  const code = await createCode(alice, { name: 'Plain', content: CONTENT, style: { fg: '770000' } })
  const bytes = (await download(alice, code.id, 'size=300')).bytes
  expect((await readByZxing(bytes))?.text).toBe(CONTENT)
  expect((await download(mallory, code.id)).status).toBe(404)
  expect((await download(alice, code.id, 'size=10')).status).toBe(400)
  expect((await download(alice, code.id, 'widthMm=1001')).status).toBe(400)
  expect((await download(alice, code.id, 'format=gif')).status).toBe(400)
  expect((await get(`/api/qr-codes/${code.id}/picture`)).status).toBe(401)
})

test('the files of a public code and the zip show the design, unless they are asked for without', async () => {
  const { code } = await designed(alice, { fg: '004400', frame: { position: 'ABOVE', text: 'Scan' } })
  ok(await alice.call('qrCodes.publish', { params: { id: code.id }, body: { isPublic: true } }))
  const svg = (await get(`/public/qr/${code.uuid}/code.svg`)).text
  expect(svg).toContain('#004400')
  const heightOf = async (query: string) => {
    const bytes = (await get(`/public/qr/${code.uuid}/code.png${query}`)).bytes
    return new DataView(bytes.buffer, bytes.byteOffset).getUint32(20)
  }
  expect(await heightOf('?frame=0')).toBe(1024)
  expect(await heightOf('')).toBeGreaterThan(1024)

  const { unzipSync } = await import('fflate')
  const exported = async (body: object) => {
    const answer = await alice.send('POST', '/api/qr-codes/batch/export', {
      body: { ids: [code.id], size: 300, ...body },
    })
    return unzipSync(answer.bytes)['Menu.png']!
  }
  const undesigned = await exported({ format: 'plain' })
  const withDesign = await exported({ format: 'zip' })
  const bare = await exported({ format: 'zip', frame: false })
  for (const bytes of [undesigned, withDesign, bare]) expect((await readByZxing(bytes))?.text).toBe(CONTENT)
  // The plain one has a palette of two colours.
  expect([undesigned, withDesign].map((bytes) => chunksOf(bytes).some(({ type }) => type === 'PLTE'))).toEqual([
    true,
    false,
  ])
  const sizeOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset).getUint32(20)
  expect(sizeOf(bare)).toBe(300)
  expect(sizeOf(withDesign)).toBeGreaterThan(300)
})

test('a hundred checks of one user at once leave room for checks and scans of others', async () => {
  const body = { design: { modules: 'DOTS' }, content: CONTENT }
  const { slug } = await createCode(mallory, { content: CONTENT, isDynamic: true })
  const flood = Array.from({ length: 100 }, () => alice.send('POST', '/api/qr-code-designs/check', { body }))
  const scans = Array.from({ length: 20 }, () => get(`/q/${slug}`, { 'user-agent': 'iPhone' }))
  const other = await mallory.send('POST', '/api/qr-code-designs/check', { body })
  expect(other.status).toBe(200)
  expect(new Set((await Promise.all(scans)).map(({ status }) => status))).toEqual(new Set([302]))
  const statuses = (await Promise.all(flood)).map(({ status }) => status)
  expect(new Set(statuses).isSubsetOf(new Set([200, 503]))).toBe(true)
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(51)
})

test.if(inProcess)(
  'of a hundred checks of one user in one moment, one runs, fifty wait, and the others are refused',
  async () => {
    const checks = Array.from({ length: 100 }, () => checkDesign(server.ctx, alice.id, PLAIN, CONTENT, {}))
    const results = await Promise.allSettled(checks)
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(51)
    for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject({ status: 503 })
  },
)

test.if(inProcess)(
  'a user with fifty checks in the queue gets 503 with Retry-After, and others are answered',
  async () => {
    let isOver = false
    const keepChecking = async () => {
      while (!isOver) await checkDesign(server.ctx, alice.id, PLAIN, CONTENT, {})
    }
    const { slug } = await createCode(mallory, { content: CONTENT, isDynamic: true })
    const busy = Array.from({ length: 51 }, keepChecking)
    const body = { design: {}, content: CONTENT }
    try {
      const refused = await alice.send('POST', '/api/qr-code-designs/check', { body })
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
      // A design cannot be stored unchecked either.
      expect((await alice.send('POST', '/api/qr-code-designs', { body: { name: 'x' } })).status).toBe(503)
      expect((await mallory.send('POST', '/api/qr-code-designs/check', { body })).status).toBe(200)
      expect((await get(`/q/${slug}`, { 'user-agent': 'iPhone' })).status).toBe(302)
    } finally {
      isOver = true
      await Promise.all(busy)
    }
    expect((await alice.send('POST', '/api/qr-code-designs/check', { body })).status).toBe(200)
  },
)

test('the queue runs one check of a user and two in all, and refuses the last ones of the user with the most', async () => {
  const queue = new CheckQueue(2, 3)
  const running: number[] = []
  const gates: PromiseWithResolvers<void>[] = []
  const enter = (userId: number) =>
    queue.run(userId, async () => {
      running.push(userId)
      const gate = Promise.withResolvers<void>()
      gates.push(gate)
      await gate.promise
    })
  const results = [1, 1, 1, 1].map((user) =>
    enter(user).then(
      () => 'done',
      ({ status }: { status: number }) => status,
    ),
  )
  const second = enter(2)
  expect(running).toEqual([1, 2])
  // The queue is full: of user 1, the last one is refused; a further one of user 1 is refused itself.
  const third = enter(3)
  expect(await results[3]!).toBe(503)
  expect(await enter(1).catch(({ status }: { status: number }) => status)).toBe(503)
  for (let i = 0; i < 5; i++) {
    gates[i]!.resolve()
    await Bun.sleep(0)
  }
  expect(await Promise.all([...results.slice(0, 3), second, third])).toEqual([
    'done',
    'done',
    'done',
    undefined,
    undefined,
  ])
  expect(running).toEqual([1, 2, 1, 3, 1])
})

// Last, because sessions end in this time.
test('the address of a picture answers the same bytes for 30 days after it was replaced', async () => {
  const { design, code } = await designed(alice)
  const before = code.imageUrl.slice(code.imageUrl.indexOf('/api/'))
  expect(before).toMatch(/^\/api\/qrcode\/design\/[0-9A-Za-z]{22}$/)
  const first = await get(before)
  expect(first.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  const bytes = first.bytes
  expect((await readByZxing(bytes))?.text).toBe(CONTENT)
  const etag = first.headers.get('etag')!
  expect((await get(before, { 'if-none-match': etag })).status).toBe(304)

  ok(await alice.call('qrCodeDesigns.update', { params: { id: design.id }, body: { fg: '550000' } }))
  const { imageUrl } = ok(await alice.call('qrCodes.get', { params: { id: code.id } })).data
  expect(imageUrl).not.toBe(code.imageUrl)
  expect((await get(before)).bytes).toEqual(bytes)
  const after = imageUrl.slice(imageUrl.indexOf('/api/'))
  expect((await get(after)).bytes).not.toEqual(bytes)
  expect((await get(`${after}?size=64&format=svg`)).headers.get('content-type')).toBe('image/svg+xml')
  expect((await get(`${after}?size=20`)).status).toBe(400)
  expect((await get('/api/qrcode/design/0000000000000000000000')).status).toBe(404)
  if (!inProcess) return
  server.clock.advance(31 * DAY)
  expect((await get(before)).status).toBe(404)
})
