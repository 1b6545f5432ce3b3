/** The page and the operation that show the licences of the software in the server. */

import { beforeAll, describe, expect, test } from 'bun:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'

import { readLicenses } from '#platform/licenses.ts'

import { inProcess, ok, useServer } from '../harness/index.ts'
import { buildLicenses } from '../harness/licenses.ts'

const { server } = useServer({ noAdmin: true })
beforeAll(() => buildLicenses({ again: true }))

const list = async () =>
  ok(await server.request('GET', '/api/licenses')).data as {
    items: { name: string; version: string; license: string; text: string }[]
    total: number
  }

test('GET /api/licenses lists every package with its texts, and needs no token', async () => {
  const { items, total } = await list()
  expect(total).toBe(items.length)
  expect(total).toBeGreaterThan(50)
  const of = (name: string) => items.find((item) => item.name === name)!
  expect(of('bun')).toMatchObject({ version: Bun.version, license: 'MIT' })
  expect(of('react')).toMatchObject({ license: 'MIT', text: expect.stringContaining('Permission is hereby granted') })
  expect(of('libheif-js').text).toStartWith(
    'Source code: https://github.com/catdad-experiments/libheif-js and https://',
  )
  expect(of('libheif-js').text).toContain('GNU LESSER GENERAL PUBLIC LICENSE')
  for (const item of items) expect(Object.keys(item)).toEqual(['name', 'version', 'license', 'text'])
})

describe('GET /licenses', () => {
  const open = (language: string, headers: Record<string, string> = {}) =>
    fetch(`${server.url}/licenses`, {
      headers: { accept: 'text/html', 'accept-language': language, 'accept-encoding': 'identity', ...headers },
      decompress: false,
    })

  test('shows every package and each text once, folded, in both languages and without scripts', async () => {
    const { items } = await list()
    for (const [language, title] of [
      ['en', 'Licences'],
      ['zh-CN', '许可证'],
    ] as const) {
      const page = await open(language)
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(page.headers.get('content-security-policy')).toStartWith("default-src 'none'")
      const html = await page.text()
      expect(html).toContain(`<html lang="${language}">`)
      expect(html).toContain(`<h1>${title}</h1>`)
      expect(html).not.toContain('<script')
      for (const { name, version } of items) expect(html).toContain(`${name} ${version}`)
      expect(html).toContain('<a href="https://github.com/mattiasw/ExifReader">')
      const texts = [...html.matchAll(/<details class="fold">.*?<pre lang="en">(.*?)<\/pre>/gs)].map(([, text]) =>
        text!.replaceAll(/\s+/g, ' '),
      )
      expect(texts.length).toBeGreaterThan(50)
      expect(new Set(texts).size).toBe(texts.length)
      expect(html.match(/GNU GENERAL PUBLIC LICENSE\s+Version 3/g)).toHaveLength(1)
      // Lines of a licence stay lines.
      expect(html).toContain(
        'Permission is hereby granted, free of charge, to any person obtaining a copy\nof this software',
      )
    }
  })

  test('needs at most 100 kB on the wire', async () => {
    const plain = await (await open('en')).text()
    for (const [coding, decode] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const page = await open('en', { 'accept-encoding': coding })
      expect(page.headers.get('content-encoding')).toBe(coding)
      expect(page.headers.get('vary')).toBe('accept, accept-language, accept-encoding')
      const bytes = await page.bytes()
      expect(bytes.length).toBeLessThan(100_000)
      expect(decode(bytes).toString()).toBe(plain)
    }
  })

  test('answers 304 to an unchanged copy', async () => {
    const etag = (await open('en')).headers.get('etag')!
    expect((await open('en', { 'if-none-match': etag })).status).toBe(304)
    expect((await open('zh', { 'if-none-match': etag })).status).toBe(200)
  })
})

test('a program from the sources without a build has no list', async () => {
  if (!inProcess) return expect(process.env['TEST_BINARY']).toBeDefined()
  expect(await readLicenses('/nowhere/licenses.json.br')).toBeUndefined()
})
