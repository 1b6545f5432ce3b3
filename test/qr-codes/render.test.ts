import { describe, expect, test } from 'bun:test'

import { ok, type RequestOptions, useServer } from '../harness/index.ts'
import { pictureOfPng, pictureOfSvg, readByZxing } from '../lib/qr-pictures.ts'
import { createCode } from './helpers.ts'

const { server } = useServer()

const render = (query: RequestOptions['query'], headers: Record<string, string> = {}) =>
  server.request('GET', '/api/qrcode/render', { query: query!, headers })

const CONTENTS = [
  'https://example.com/a?b=c&d=%20',
  '中文内容：你好，世界',
  'emoji 😀👩‍👩‍👧 🇨🇳',
  'café – Ωmega',
  '0123456789',
  'A-Z 1',
  ' two\nlines\t',
]

describe('pictures', () => {
  for (const content of CONTENTS)
    test(`GET /qrcode/render draws ${JSON.stringify(content)} so that a scanner reads it at every level, from PNG and SVG`, async () => {
      for (const level of ['L', 'M', 'Q', 'H']) {
        const png = ok(await render({ content, level }))
        expect(png.headers.get('content-type')).toBe('image/png')
        expect(await readByZxing(png.bytes)).toMatchObject({ text: content, level })
        const svg = ok(await render({ content, level, format: 'svg' }))
        expect(svg.headers.get('content-type')).toBe('image/svg+xml')
        expect(await readByZxing(pictureOfSvg(svg.text, 8))).toMatchObject({ text: content, level })
      }
    })

  test('GET /qrcode/render draws the requested size, margin and colours', async () => {
    for (const size of [64, 65, 299, 300, 2048]) {
      const picture = pictureOfPng(ok(await render({ content: 'x', size })).bytes)
      expect(picture).toMatchObject({ size, fg: '000000', bg: 'ffffff' })
    }
    const picture = pictureOfPng(
      ok(await render({ content: 'x', size: 210, margin: 0, fg: 'AA0000', bg: '00ff7f' })).bytes,
    )
    expect(picture).toMatchObject({ size: 210, fg: 'aa0000', bg: '00ff7f' })
    // Without a margin the finder pattern begins in the corner; a version 1 code has 21 modules.
    expect(picture.dark.subarray(0, 70).every((bit) => bit === 1)).toBe(true)
    expect(
      pictureOfSvg(ok(await render({ content: 'x', size: 210, margin: 10, format: 'svg' })).text, 1),
    ).toMatchObject({
      width: 210,
      units: 41,
    })
  })

  test('GET /qrcode/render defaults to PNG of 300 pixels, level M and margin 4', async () => {
    const plain = ok(await render({ content: 'hello' }))
    const spelt = ok(
      await render({ content: 'hello', size: 300, level: 'M', margin: 4, format: 'png', fg: '000000', bg: 'FFFFFF' }),
    )
    expect(plain.bytes).toEqual(spelt.bytes)
    expect(plain.headers.get('etag')).toBe(spelt.headers.get('etag'))
  })

  test('GET /qrcode/render accepts as many bytes as each level holds, and answers 400 to one more', async () => {
    for (const [level, most] of [
      ['L', 2953],
      ['M', 2331],
      ['Q', 1663],
      ['H', 1273],
    ] as const) {
      const content = 'x'.repeat(most)
      const png = ok(await render({ content, level, size: 800 }))
      expect(await readByZxing(png.bytes)).toMatchObject({ text: content, level, version: 40 })
      expect((await render({ content: content + 'x', level })).status, level).toBe(400)
    }
    expect(await readByZxing(ok(await render({ content: 'x'.repeat(2953), size: 800 })).bytes)).toMatchObject({
      level: 'L',
    })
  })

  test('GET /qrcode/render draws the content and style of a code at its imageUrl', async () => {
    const alice = await server.person()
    const code = await createCode(alice, {
      content: '二维码 & more + ümlaut',
      style: { level: 'Q', fg: '003366', margin: 2 },
    })
    const url = new URL(code['imageUrl'] as string)
    const png = ok(await server.request('GET', url.pathname + url.search))
    expect(await readByZxing(png.bytes)).toMatchObject({ text: code.content, level: 'Q' })
    expect(pictureOfPng(png.bytes).fg).toBe('003366')
  })
})

describe('caching', () => {
  test('GET /qrcode/render gives the same bytes and ETag for the same query, to be cached for a year', async () => {
    const first = ok(await render({ content: 'keep me' }))
    const second = ok(await render({ content: 'keep me' }))
    expect(second.bytes).toEqual(first.bytes)
    const etag = first.headers.get('etag')!
    expect(etag).toMatch(/^"[\w-]+"$/)
    expect(second.headers.get('etag')).toBe(etag)
    expect(first.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(first.headers.get('x-content-type-options')).toBe('nosniff')
  })

  test('GET /qrcode/render answers 304 without a body only if If-None-Match contains the ETag', async () => {
    const etag = ok(await render({ content: 'tagged' })).headers.get('etag')!
    for (const value of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const reply = await render({ content: 'tagged' }, { 'if-none-match': value })
      expect(reply.status, value).toBe(304)
      expect(reply.bytes).toHaveLength(0)
      expect(reply.headers.get('etag')).toBe(etag)
      expect(reply.headers.get('cache-control')).toContain('immutable')
    }
    expect((await render({ content: 'tagged' }, { 'if-none-match': '"other"' })).status).toBe(200)
    expect((await render({ content: 'tagged!' }, { 'if-none-match': etag })).status).toBe(200)
    expect((await render({ content: 'tagged', size: 301 }, { 'if-none-match': etag })).status).toBe(200)
  })

  test('GET /qrcode/render gives different bytes and ETags for queries that differ in one parameter', async () => {
    const seen = new Set<string>()
    const queries: Record<string, string | number>[] = [
      { content: 'x' },
      { content: 'x', format: 'svg' },
      { content: 'x', size: 301 },
      { content: 'x', margin: 3 },
      { content: 'x', level: 'L' },
      { content: 'x', fg: '000001' },
      { content: 'x', bg: '000001', fg: 'ffffff' },
      { content: 'X' },
      { content: ' x' },
    ]
    for (const query of queries) {
      const reply = ok(await render(query))
      seen.add(reply.headers.get('etag')!)
      seen.add(reply.bytes.toHex())
    }
    expect(seen.size).toBe(18)
  })
})

describe('refusals', () => {
  const bad: [query: Record<string, string | number>, path: string][] = [
    [{}, 'query.content'],
    [{ content: '' }, 'query.content'],
    [{ content: 'x'.repeat(2954) }, 'query.content'],
    [{ content: '汉'.repeat(985) }, 'query.content'],
    [{ content: 'a\0b' }, 'query.content'],
    [{ content: 'x', size: 63 }, 'query.size'],
    [{ content: 'x', size: 2049 }, 'query.size'],
    [{ content: 'x', size: 300.5 }, 'query.size'],
    [{ content: 'x', size: 'big' }, 'query.size'],
    [{ content: 'x', size: '1e3' }, 'query.size'],
    [{ content: 'x', margin: -1 }, 'query.margin'],
    [{ content: 'x', margin: 11 }, 'query.margin'],
    [{ content: 'x', level: 'X' }, 'query.level'],
    [{ content: 'x', format: 'gif' }, 'query.format'],
    [{ content: 'x', fg: 'red' }, 'query.fg'],
    [{ content: 'x', fg: '#ff0000' }, 'query.fg'],
    [{ content: 'x', bg: 'ff00000' }, 'query.bg'],
    [{ content: 'x'.repeat(500), size: 64 }, 'query.size'],
  ]
  for (const [query, path] of bad)
    test(`GET /qrcode/render refuses the query ${JSON.stringify(query).slice(0, 60)} with a problem of ${path}`, async () => {
      const reply = await render(query)
      expect(reply.status).toBe(400)
      expect(reply.headers.get('content-type')).toContain('application/json')
      expect(reply.details.map((d) => d.path)).toEqual([path])
      expect(reply.headers.get('cache-control')).toBe('no-store')
    })

  test('GET /qrcode/render refuses a size that is too small, and names the smallest size, which it then draws', async () => {
    const content = 'x'.repeat(500)
    const { details } = await render({ content, size: 64 })
    const least = Number(/at least (\d+)/.exec(details[0]!.message)?.[1])
    expect(await readByZxing(ok(await render({ content, size: least })).bytes)).toMatchObject({ text: content })
    expect((await render({ content, size: least - 1 })).status).toBe(400)
  })
})
